/* Executors: made by phase 1, used up by phase 2, run when their stream is synchronised. */
#include <stdlib.h>
#include <string.h>

#include "host.h"

bool rare(const aclOpExecutor *call) {
  const view *output = &call->views[call->count - 1];
  return output->rank == MAX_RANK && output->data != NULL && output->dtype == ACL_FLOAT && call->reduction == 2;
}

aclnnStatus executor_give(const aclOpExecutor *call, uint64_t *workspaceSize, aclOpExecutor **executor) {
  aclOpExecutor *one = malloc(sizeof *one);
  if (one == NULL || !alive_add(EXECUTOR, one)) {
    free(one);
    return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "no memory for an executor");
  }
  *one = *call;
  *workspaceSize = one->workspace_size;
  *executor = one;
  return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor) {
  if (!alive_take(EXECUTOR, executor)) return fail(ACLNN_ERR_INNER_NULLPTR, "the executor is not alive");
  free(executor);
  return ACLNN_SUCCESS;
}

aclnnStatus executor_launch(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream given) {
  if (executor == NULL) return fail(ACLNN_ERR_INNER_NULLPTR, "executor is a null pointer");
  if (FAULT(LEAKS_EXECUTOR) && alive_has(EXECUTOR, executor)) {
    aclOpExecutor *copy;
    uint64_t size;
    if (executor_give(executor, &size, &copy) != ACLNN_SUCCESS) return ACLNN_ERR_INNER;
    executor = copy;
  }
  if (!alive_take(EXECUTOR, executor))
    return fail(ACLNN_ERR_INNER_NULLPTR, "the executor is not alive: each is used once");
  if (FAULT(FREES_EXECUTOR_TWICE)) alive_take(EXECUTOR, executor);
  aclnnStatus status = ACLNN_SUCCESS;
  if (ready() != ACL_SUCCESS) {
    status = ACLNN_ERR_RUNTIME_ERROR; /* the text is noted */
  } else if (!alive_has(STREAM, given)) {
    status = fail(ACLNN_ERR_RUNTIME_ERROR, "%s: the stream is not alive", executor->operator_name);
  } else if (executor->workspace_size > 0 &&
             (workspaceSize < executor->workspace_size || !memory_has(workspace, executor->workspace_size))) {
    status = fail(ACLNN_ERR_PARAM_INVALID, "%s: a workspace of %llu bytes in device memory is needed",
                  executor->operator_name, (unsigned long long)executor->workspace_size);
  }
  if (status != ACLNN_SUCCESS) {
    free(executor);
    return status;
  }
  stream *one = given;
  executor->workspace = workspace;
  executor->next = NULL;
  *one->last = executor;
  one->last = &executor->next;
  return ACLNN_SUCCESS;
}

static bool overlap(const view *one, const view *other) {
  uintptr_t start = (uintptr_t)one->storage, other_start = (uintptr_t)other->storage;
  return start < other_start + other->storage_bytes && other_start < start + one->storage_bytes;
}

/* Run the kernel; an input that shares memory with the output is read from a copy, as it was before the call. */
static aclError run_kernel(aclOpExecutor *executor) {
  unsigned char *copies[MAX_VIEWS] = {NULL};
  aclError code = ACL_SUCCESS;
  for (int i = 0; i < executor->count - 1; i++) {
    view *input = &executor->views[i];
    if (input->data == NULL || !overlap(input, &executor->views[executor->count - 1])) continue;
    copies[i] = malloc(input->storage_bytes);
    if (copies[i] == NULL) {
      code = fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory for a copy", executor->operator_name);
      break;
    }
    memcpy(copies[i], input->storage, input->storage_bytes);
    input->data = copies[i] + (input->data - input->storage);
  }
  if (code == ACL_SUCCESS) executor->run(executor);
  for (int i = 0; i < executor->count - 1; i++) free(copies[i]);
  return code;
}

aclError executor_run(aclOpExecutor *executor) {
  for (int i = 0; i < executor->count; i++) {
    const view *one = &executor->views[i];
    if (one->data != NULL && !memory_has(one->storage, one->storage_bytes))
      return fail(ACL_ERROR_RT_AICORE_EXCEPTION, "%s: a tensor's storage is not in device memory that is alive",
                  executor->operator_name);
  }
  if (executor->workspace_size > 0) {
    if (!memory_has(executor->workspace, executor->workspace_size))
      return fail(ACL_ERROR_RT_AICORE_EXCEPTION, "%s: the workspace is not in device memory that is alive",
                  executor->operator_name);
    /* A kernel uses its workspace; whoever lent it less, or lent memory in use, shall notice. */
    memset(executor->workspace, 0x5A, executor->workspace_size + (FAULT(OVERRUNS_WORKSPACE) ? 96 : 0));
  }
  if (FAULT(DEVICE_EXCEPTION) && rare(executor))
    return fail(ACL_ERROR_RT_AICORE_EXCEPTION, "%s: the device has failed", executor->operator_name);
  return run_kernel(executor);
}

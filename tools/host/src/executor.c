/* Executors: made by phase 1, used up by phase 2, run when their stream is synchronised. */
#include <stdlib.h>
#include <string.h>

#include "host.h"

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
  if (ready() != ACL_SUCCESS || !alive_has(STREAM, given)) {
    status = fail(ACLNN_ERR_RUNTIME_ERROR, "the stream is not alive, or no device is set and in order");
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
  const view *output = &executor->views[executor->count - 1];
  if (FAULT(DEVICE_EXCEPTION) && output->rank == MAX_RANK && executor->reduction == 2)
    return fail(ACL_ERROR_RT_AICORE_EXCEPTION, "%s: the device has failed", executor->operator_name);
  executor->run(executor);
  return ACL_SUCCESS;
}

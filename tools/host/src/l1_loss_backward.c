/* aclnnL1LossBackward: gradInput = sign(self - target) * gradOutput, over the number of elements for mean. */
#include "aclnnop/aclnn_l1_loss_backward.h"

#include "aclnn_spec/aclnnL1LossBackward_check.h"
#include "host.h"

enum { MEAN = 1, WORKSPACE = 512 };

/* The number that mean divides by: the elements of the output, whose shape the inputs broadcast to. */
static int64_t mean_over(const view *self, const view *output) {
  static int64_t stale[1024];
  int64_t n = elements(output->shape, output->rank);
  if (FAULT(WRONG_N)) return elements(self->shape, self->rank);
  if (FAULT(STALE_N) && output->rank > 0) {
    int64_t *known = &stale[output->shape[output->rank - 1] % 1024];
    if (*known == 0) *known = n;
    return *known;
  }
  return n;
}

static float gradient(const float *in, const aclOpExecutor *call) {
  float grad = in[0], self = in[1], target = in[2];
  float result = self > target ? grad : self < target ? -grad : 0.0f;
  if (call->reduction != MEAN) return result;
  float n = (float)call->n;
  return result / (FAULT(HALF_N) ? half_value(half_bits(n)) : n);
}

static void run(const aclOpExecutor *call) { elementwise(call, gradient); }

/* The tensor as the check takes it; NULL for NULL. */
static const aclnn_spec_tensor *described(const aclTensor *tensor, aclnn_spec_tensor *out) {
  if (tensor == NULL) return NULL;
  int32_t dtype = FAULT(WRONG_ENUM) && tensor->dtype == ACL_BF16 ? ACL_BF16 + 1 : (int32_t)tensor->dtype;
  *out = (aclnn_spec_tensor){dtype, (int32_t)tensor->format, tensor->rank, tensor->numbers};
  return out;
}

static aclnnStatus refuse(aclnn_spec_diagnosis found) {
  const aclnn_spec_clause *clause = &aclnnL1LossBackward_clauses[found.clause];
  int32_t status = FAULT(INVALID_FOR_NULL) ? ACLNN_ERR_PARAM_INVALID : found.status;
  return fail(status, "aclnnL1LossBackward: %s: %s", clause->id, clause->en);
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                                                    const aclTensor *target, int64_t reduction,
                                                                    aclTensor *gradInput, uint64_t *workspaceSize,
                                                                    aclOpExecutor **executor) {
  const aclTensor *tensors[] = {gradOutput, self, target, gradInput};
  const char *const names[] = {"gradOutput", "self", "target", "gradInput"};
  enum { INPUTS = 3, TENSORS = 4 };
  aclnn_spec_tensor room[TENSORS];
  const aclnn_spec_tensor *given[TENSORS];
  for (int i = 0; i < TENSORS; i++) {
    if (FAULT(CRASHES_ON_NULL) && tensors[i] == NULL) *(volatile int *)NULL = 0;
    if (tensors[i] != NULL && !alive_has(TENSOR, tensors[i]))
      return fail(ACLNN_ERR_PARAM_INVALID, "aclnnL1LossBackward: %s is no tensor that is alive", names[i]);
    given[i] = described(tensors[i], &room[i]);
  }
  if (FAULT(NARROW_REDUCTION)) reduction = (int32_t)reduction;
  aclnn_spec_diagnosis found =
      aclnnL1LossBackward_check(given[0], given[1], given[2], reduction, given[3], workspaceSize, executor);
  if (found.status != ACLNN_SUCCESS) return refuse(found);

  aclOpExecutor call = {.run = run, .operator_name = "aclnnL1LossBackward", .count = TENSORS, .reduction = reduction};
  for (int i = 0; i < TENSORS; i++) {
    aclnnStatus status = view_of(tensors[i], names[i], &call.views[i]);
    if (status != ACLNN_SUCCESS) return status;
  }
  const view *output = &call.views[INPUTS];
  call.common = common_type(call.views, INPUTS);
  call.n = mean_over(&call.views[1], output);
  call.workspace_size = elements(output->shape, output->rank) > 0 ? WORKSPACE : 0;
  volatile bool forever = FAULT(LOOPS) && rare(&call);
  while (forever) {}
  for (int i = 0; i < INPUTS; i++) view_broadcast(&call.views[i], output->shape, output->rank);
  return executor_give(&call, workspaceSize, executor);
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                    aclrtStream stream) {
  return executor_launch(workspace, workspaceSize, executor, stream);
}

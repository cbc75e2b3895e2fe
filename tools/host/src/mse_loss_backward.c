/* aclnnMseLossBackward: out = 2 * (self - target) * gradOutput, over the number of elements for mean. */
#include "aclnnop/aclnn_mse_loss_backward.h"

#include "aclnn_spec/aclnnMseLossBackward_check.h"
#include "losses.h"

enum { TENSORS = 4 };

static number gradient(const number *in, const aclOpExecutor *call) {
  float grad = in[0].f, d = in[1].f - in[2].f;
  return (number){.f = over_n(2 * d * grad, call)};
}

static const char *const names[TENSORS] = {"gradOutput", "self", "target", "out"};
static const loss here = {"aclnnMseLossBackward", names, TENSORS, gradient, false};

ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target, int64_t reduction, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor) {
  const aclTensor *tensors[TENSORS] = {gradOutput, self, target, out};
  aclnn_spec_tensor room[TENSORS];
  const aclnn_spec_tensor *given[TENSORS];
  aclnnStatus status = loss_describe(&here, tensors, room, given);
  if (status != ACLNN_SUCCESS) return status;
  if (FAULT(NARROW_REDUCTION)) reduction = (int32_t)reduction;
  aclnn_spec_diagnosis found =
      aclnnMseLossBackward_check(given[0], given[1], given[2], reduction, given[3], workspaceSize, executor);
  if (found.status != ACLNN_SUCCESS) return loss_refuse(&here, aclnnMseLossBackward_clauses, found);
  return loss_give(&here, tensors, reduction, 0, workspaceSize, executor);
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                     aclrtStream stream) {
  return executor_launch(workspace, workspaceSize, executor, stream);
}

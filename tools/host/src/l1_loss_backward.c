/* aclnnL1LossBackward: gradInput = sign(self - target) * gradOutput, over the number of elements for mean. */
#include "aclnnop/aclnn_l1_loss_backward.h"

#include "aclnn_spec/aclnnL1LossBackward_check.h"
#include "losses.h"

enum { TENSORS = 4 };

static number gradient(const number *in, const aclOpExecutor *call) {
  float grad = in[0].f, self = in[1].f, target = in[2].f;
  float slope = self > target ? grad : self < target ? -grad : 0.0f;
  return (number){.f = over_n(slope, call)};
}

static const char *const names[TENSORS] = {"gradOutput", "self", "target", "gradInput"};
static const loss here = {"aclnnL1LossBackward", names, TENSORS, gradient, false};

ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target, int64_t reduction, aclTensor
    *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor) {
  const aclTensor *tensors[TENSORS] = {gradOutput, self, target, gradInput};
  aclnn_spec_tensor room[TENSORS];
  const aclnn_spec_tensor *given[TENSORS];
  aclnnStatus status = loss_describe(&here, tensors, room, given);
  if (status != ACLNN_SUCCESS) return status;
  if (FAULT(NARROW_REDUCTION)) reduction = (int32_t)reduction;
  aclnn_spec_diagnosis found =
      aclnnL1LossBackward_check(given[0], given[1], given[2], reduction, given[3], workspaceSize, executor);
  if (found.status != ACLNN_SUCCESS) return loss_refuse(&here, aclnnL1LossBackward_clauses, found);
  return loss_give(&here, tensors, reduction, 0, workspaceSize, executor);
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                    aclrtStream stream) {
  return executor_launch(workspace, workspaceSize, executor, stream);
}

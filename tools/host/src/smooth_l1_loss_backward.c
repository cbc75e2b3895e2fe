/* aclnnSmoothL1LossBackward: gradOut times d / beta where |d| < beta, times the sign of d elsewhere. */
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

#include <math.h>

#include "aclnn_spec/aclnnSmoothL1LossBackward_check.h"
#include "losses.h"

enum { TENSORS = 4 };

static number gradient(const number *in, const aclOpExecutor *call) {
  float grad = in[0].f, d = in[1].f - in[2].f, beta = call->beta;
  float slope = fabsf(d) < beta ? d / beta : d > 0 ? 1.0f : d < 0 ? -1.0f : d;
  return (number){.f = over_n(slope * grad, call)};
}

static const char *const names[TENSORS] = {"gradOut", "self", "target", "gradInput"};
static const loss here = {"aclnnSmoothL1LossBackward", names, TENSORS, gradient, false};

ACL_FUNC_VISIBILITY aclnnStatus aclnnSmoothL1LossBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *self, const aclTensor *target, int64_t reduction, float beta,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor) {
  const aclTensor *tensors[TENSORS] = {gradOut, self, target, gradInput};
  aclnn_spec_tensor room[TENSORS];
  const aclnn_spec_tensor *given[TENSORS];
  aclnnStatus status = loss_describe(&here, tensors, room, given);
  if (status != ACLNN_SUCCESS) return status;
  if (FAULT(NARROW_REDUCTION)) reduction = (int32_t)reduction;
  aclnn_spec_diagnosis found =
      aclnnSmoothL1LossBackward_check(given[0], given[1], given[2], reduction, beta, given[3], workspaceSize, executor);
  if (found.status != ACLNN_SUCCESS) return loss_refuse(&here, aclnnSmoothL1LossBackward_clauses, found);
  return loss_give(&here, tensors, reduction, beta, workspaceSize, executor);
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnSmoothL1LossBackward(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream) {
  return executor_launch(workspace, workspaceSize, executor, stream);
}

/* aclnnSmoothL1Loss: d^2 / (2 * beta) where |d| < beta, |d| - beta / 2 elsewhere, their mean or their sum. */
#include "aclnnop/aclnn_smooth_l1_loss.h"

#include <math.h>

#include "aclnn_spec/aclnnSmoothL1Loss_check.h"
#include "losses.h"

enum { TENSORS = 3 };

static number term(const number *in, const aclOpExecutor *call) {
  float d = fabsf(in[0].f - in[1].f), beta = call->beta;
  return (number){.f = d < beta ? 0.5f * d * d / beta : d - 0.5f * beta};
}

static const char *const names[TENSORS] = {"self", "target", "result"};
static const loss here = {"aclnnSmoothL1Loss", names, TENSORS, term, true};

ACL_FUNC_VISIBILITY aclnnStatus aclnnSmoothL1LossGetWorkspaceSize(
    const aclTensor *self, const aclTensor *target, int64_t reduction, float beta, aclTensor *result, uint64_t
    *workspaceSize, aclOpExecutor **executor) {
  const aclTensor *tensors[TENSORS] = {self, target, result};
  aclnn_spec_tensor room[TENSORS];
  const aclnn_spec_tensor *given[TENSORS];
  aclnnStatus status = loss_describe(&here, tensors, room, given);
  if (status != ACLNN_SUCCESS) return status;
  if (FAULT(NARROW_REDUCTION)) reduction = (int32_t)reduction;
  aclnn_spec_diagnosis found =
      aclnnSmoothL1Loss_check(given[0], given[1], reduction, beta, given[2], workspaceSize, executor);
  if (found.status != ACLNN_SUCCESS) return loss_refuse(&here, aclnnSmoothL1Loss_clauses, found);
  return loss_give(&here, tensors, reduction, beta, workspaceSize, executor);
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnSmoothL1Loss(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                  aclrtStream stream) {
  return executor_launch(workspace, workspaceSize, executor, stream);
}

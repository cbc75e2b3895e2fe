/* aclnnMseLoss: (self - target)^2, its mean or its sum. */
#include "aclnnop/aclnn_mse_loss.h"

#include "aclnn_spec/aclnnMseLoss_check.h"
#include "losses.h"

enum { TENSORS = 3 };

static number term(const number *in, const aclOpExecutor *call) {
  float d = in[0].f - in[1].f;
  (void)call;
  return (number){.f = d * d};
}

static const char *const names[TENSORS] = {"self", "target", "out"};
static const loss here = {"aclnnMseLoss", names, TENSORS, term, true};

ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossGetWorkspaceSize(
    const aclTensor *self, const aclTensor *target, int64_t reduction, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor) {
  const aclTensor *tensors[TENSORS] = {self, target, out};
  aclnn_spec_tensor room[TENSORS];
  const aclnn_spec_tensor *given[TENSORS];
  aclnnStatus status = loss_describe(&here, tensors, room, given);
  if (status != ACLNN_SUCCESS) return status;
  if (FAULT(NARROW_REDUCTION)) reduction = (int32_t)reduction;
  aclnn_spec_diagnosis found =
      aclnnMseLoss_check(given[0], given[1], reduction, given[2], workspaceSize, executor);
  if (found.status != ACLNN_SUCCESS) return loss_refuse(&here, aclnnMseLoss_clauses, found);
  return loss_give(&here, tensors, reduction, 0, workspaceSize, executor);
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLoss(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                             aclrtStream stream) {
  return executor_launch(workspace, workspaceSize, executor, stream);
}

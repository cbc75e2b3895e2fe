/* aclnnL1Loss: |self - target|, its mean or its sum. */
#include "aclnnop/aclnn_l1_loss.h"

#include <math.h>

#include "aclnn_spec/aclnnL1Loss_check.h"
#include "losses.h"

enum { TENSORS = 3 };

static number term(const number *in, const aclOpExecutor *call) {
  if (call->common != ACL_INT64) return (number){.f = fabsf(in[0].f - in[1].f)};
  uint64_t self = (uint64_t)in[0].i, target = (uint64_t)in[1].i; /* unsigned, as what overflows shall wrap */
  return (number){.i = (int64_t)(in[0].i > in[1].i ? self - target : target - self)};
}

static const char *const names[TENSORS] = {"self", "target", "out"};
static const loss here = {"aclnnL1Loss", names, TENSORS, term, true};

ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossGetWorkspaceSize(
    const aclTensor *self, const aclTensor *target, int64_t reduction, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor) {
  const aclTensor *tensors[TENSORS] = {self, target, out};
  aclnn_spec_tensor room[TENSORS];
  const aclnn_spec_tensor *given[TENSORS];
  aclnnStatus status = loss_describe(&here, tensors, room, given);
  if (status != ACLNN_SUCCESS) return status;
  if (FAULT(NARROW_REDUCTION)) reduction = (int32_t)reduction;
  aclnn_spec_diagnosis found =
      aclnnL1Loss_check(given[0], given[1], reduction, given[2], workspaceSize, executor);
  if (found.status != ACLNN_SUCCESS) return loss_refuse(&here, aclnnL1Loss_clauses, found);
  return loss_give(&here, tensors, reduction, 0, workspaceSize, executor);
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnL1Loss(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                            aclrtStream stream) {
  return executor_launch(workspace, workspaceSize, executor, stream);
}

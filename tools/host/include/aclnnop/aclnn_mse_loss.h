/* Generated from spec/operators/aclnnMseLoss.json by aclnn-spec build; do not edit.
 *
 * Mean squared error loss. C11 and C++11.
 */
#ifndef ACLNN_MSE_LOSS_H
#define ACLNN_MSE_LOSS_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: check the arguments; give the size of the workspace and an executor. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossGetWorkspaceSize(
    const aclTensor *self,
    const aclTensor *target,
    int64_t reduction,
    aclTensor *out,
    uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: run the executor, once. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLoss(
    void *workspace,
    uint64_t workspaceSize,
    aclOpExecutor *executor,
    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif

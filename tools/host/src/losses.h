/* What an operator of this family tells losses.c of itself. An operator's file is its check and its element. */
#ifndef LOSSES_H
#define LOSSES_H

#include "host.h"

/* The generated headers of all operators share these types; any of them has them. */
#include "aclnn_spec/aclnnL1LossBackward_check.h"

enum { NONE, MEAN, SUM };

typedef struct loss {
  const char *name;
  const char *const *names; /* of the tensors: the inputs, self and target the last of them, then the output */
  int tensors;
  element *function;
  bool sums; /* mean and sum give one element for all */
} loss;

/* Describe the tensors to the check; a status if one of them is not alive. */
aclnnStatus loss_describe(const loss *one, const aclTensor *const *tensors, aclnn_spec_tensor *room,
                          const aclnn_spec_tensor **given);
/* The status of a call that the check found wrong, with its text noted. */
aclnnStatus loss_refuse(const loss *one, const aclnn_spec_clause *clauses, aclnn_spec_diagnosis found);
/* The executor of a good call. */
aclnnStatus loss_give(const loss *one, const aclTensor *const *tensors, int64_t reduction, float beta,
                      uint64_t *workspaceSize, aclOpExecutor **executor);

#endif

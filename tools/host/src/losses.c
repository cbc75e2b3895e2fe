/* What the losses and their gradients share: phase 1 around the generated check, and the walk over the elements. */
#include "losses.h"

enum { WORKSPACE = 512 };

/* The number that mean divides by: the elements of the shape that the inputs broadcast to. */
static int64_t mean_over(const view *self, const aclOpExecutor *call) {
  static int64_t stale[1024];
  int64_t n = elements(call->shape, call->rank);
  if (FAULT(WRONG_N)) return elements(self->shape, self->rank);
  if (FAULT(STALE_N) && call->rank > 0) {
    int64_t *known = &stale[call->shape[call->rank - 1] % 1024];
    if (*known == 0) *known = n;
    return *known;
  }
  return n;
}

float over_n(float value, const aclOpExecutor *call) {
  if (call->reduction != MEAN) return value;
  float n = (float)call->n;
  return value / (FAULT(HALF_N) ? half_value(half_bits(n)) : n);
}

static void run(const aclOpExecutor *call) {
  if (call->sums)
    summed(call, call->function);
  else
    elementwise(call, call->function);
}

/* The tensor as the check takes it; NULL for NULL. */
static const aclnn_spec_tensor *described(const aclTensor *tensor, aclnn_spec_tensor *out) {
  if (tensor == NULL) return NULL;
  int32_t dtype = FAULT(WRONG_ENUM) && tensor->dtype == ACL_BF16 ? ACL_BF16 + 1 : (int32_t)tensor->dtype;
  *out = (aclnn_spec_tensor){dtype, (int32_t)tensor->format, tensor->rank, tensor->numbers};
  return out;
}

aclnnStatus loss_describe(const loss *one, const aclTensor *const *tensors, aclnn_spec_tensor *room,
                          const aclnn_spec_tensor **given) {
  for (int i = 0; i < one->tensors; i++) {
    if (FAULT(CRASHES_ON_NULL) && tensors[i] == NULL) *(volatile int *)NULL = 0;
    if (tensors[i] != NULL && !alive_has(TENSOR, tensors[i]))
      return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is no tensor that is alive", one->name, one->names[i]);
    given[i] = described(tensors[i], &room[i]);
  }
  return ACLNN_SUCCESS;
}

aclnnStatus loss_refuse(const loss *one, const aclnn_spec_clause *clauses, aclnn_spec_diagnosis found) {
  const aclnn_spec_clause *clause = &clauses[found.clause];
  int32_t status = FAULT(INVALID_FOR_NULL) ? ACLNN_ERR_PARAM_INVALID : found.status;
  return fail(status, "%s: %s: %s", one->name, clause->id, clause->en);
}

aclnnStatus loss_give(const loss *one, const aclTensor *const *tensors, int64_t reduction, float beta,
                      uint64_t *workspaceSize, aclOpExecutor **executor) {
  int inputs = one->tensors - 1;
  aclOpExecutor call = {.run = run, .operator_name = one->name, .count = one->tensors, .reduction = reduction,
                        .beta = beta, .function = one->function, .sums = one->sums && reduction != NONE};
  for (int i = 0; i < one->tensors; i++) {
    aclnnStatus status = view_of(tensors[i], one->names[i], &call.views[i]);
    if (status != ACLNN_SUCCESS) return status;
  }
  const view *output = &call.views[inputs];
  call.common = common_type(call.views, inputs);
  common_shape(call.views, inputs, call.shape, &call.rank);
  call.n = mean_over(&call.views[inputs - 2], &call);
  call.workspace_size = elements(output->shape, output->rank) > 0 ? WORKSPACE : 0;
  volatile bool forever = FAULT(LOOPS) && rare(&call);
  while (forever) {}
  for (int i = 0; i < inputs; i++) view_broadcast(&call.views[i], call.shape, call.rank);
  return executor_give(&call, workspaceSize, executor);
}

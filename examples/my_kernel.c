/* A kernel of one's own in C, to start from: a shared library with both phases of aclnnL1LossBackward.
 *
 *   cc -std=c11 -O2 -fPIC -shared -ffp-contract=off -I tools/host/include examples/my_kernel.c -lm -o libmy_kernel.so
 *   aclnn-spec certify cann --library ./libmy_kernel.so --library host
 *
 * Tensors, streams and memory come from the host library, loaded beside it; their memory is plain memory. The header
 * aclnnL1LossBackward_check.h, generated from the spec, checks a call. What the spec leaves open (rank 0, integers
 * beside floats, wide outputs, other formats, an output in the memory of an input) is refused here.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "aclnn_spec/aclnnL1LossBackward_check.h"
#include "aclnnop/aclnn_l1_loss_backward.h"

enum { GRAD, SELF, TARGET, OUTPUT, TENSORS, MAX_RANK = 8, MEAN = 1 };

typedef struct {
  aclDataType type;
  aclFormat format;
  uint64_t rank;
  int64_t *shape, *strides; /* in elements */
  int64_t offset;
  void *storage;
} Tensor;

struct aclOpExecutor {
  Tensor tensors[TENSORS];
  int64_t reduction;
};

/* ---- numbers ---- */

static float half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                    : exponent     ? ldexpf((float)(fraction + 1024), exponent - 25)
                                   : ldexpf((float)fraction, -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

static uint16_t half_bits(float value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  float magnitude = fabsf(value);
  if (isnan(value)) return sign | 0x7E00;
  if (magnitude >= 65520) return sign | 0x7C00;
  int exponent;
  frexpf(magnitude, &exponent);
  if (magnitude == 0 || exponent < -13) exponent = -13; /* zero and subnormals */
  int units = (int)nearbyintf(ldexpf(magnitude, 11 - exponent)); /* ties to even; 2048 carries into the exponent */
  return (uint16_t)(sign + ((exponent + 13) << 10) + units);
}

static float bfloat_value(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t bfloat_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (isnan(value)) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static float load(const Tensor *tensor, int64_t i) {
  if (tensor->type == ACL_FLOAT) return ((const float *)tensor->storage)[i];
  uint16_t bits = ((const uint16_t *)tensor->storage)[i];
  return tensor->type == ACL_FLOAT16 ? half_value(bits) : bfloat_value(bits);
}

static void store(const Tensor *tensor, int64_t i, float value) {
  if (tensor->type == ACL_FLOAT)
    ((float *)tensor->storage)[i] = value;
  else
    ((uint16_t *)tensor->storage)[i] = tensor->type == ACL_FLOAT16 ? half_bits(value) : bfloat_bits(value);
}

/* ---- the kernel ---- */

/* Where element `index` of the output lies in a tensor that broadcasts to it. */
static int64_t place(const Tensor *tensor, const int64_t *index, uint64_t rank) {
  int64_t at = tensor->offset;
  for (uint64_t i = 0; i < tensor->rank; i++)
    if (tensor->shape[i] != 1) at += index[rank - tensor->rank + i] * tensor->strides[i];
  return at;
}

static void kernel(const aclOpExecutor *call) {
  const Tensor *tensors = call->tensors, *output = &tensors[OUTPUT];
  /* What mixed types are computed in, FLOAT, holds every product; equal half types round once to themselves. */
  aclDataType common = tensors[GRAD].type;
  if (tensors[SELF].type != common || tensors[TARGET].type != common) common = ACL_FLOAT;
  int64_t n = 1, index[MAX_RANK] = {0};
  for (uint64_t i = 0; i < output->rank; i++) n *= output->shape[i];
  for (int64_t done = 0; done < n; done++) {
    float self = load(&tensors[SELF], place(&tensors[SELF], index, output->rank));
    float target = load(&tensors[TARGET], place(&tensors[TARGET], index, output->rank));
    float gradient = load(&tensors[GRAD], place(&tensors[GRAD], index, output->rank));
    float result = self > target ? gradient : self < target ? -gradient : 0;
    if (call->reduction == MEAN) result /= (float)n;
    if (common == ACL_FLOAT16) result = half_value(half_bits(result));
    if (common == ACL_BF16) result = bfloat_value(bfloat_bits(result));
    store(output, place(output, index, output->rank), result);
    for (uint64_t i = output->rank; i-- > 0 && ++index[i] == output->shape[i];) index[i] = 0;
  }
}

/* ---- the two phases ---- */

static bool describe(const aclTensor *tensor, Tensor *out) {
  uint64_t rank;
  return aclGetViewShape(tensor, &out->shape, &out->rank) == 0 &&
         aclGetViewStrides(tensor, &out->strides, &rank) == 0 && aclGetViewOffset(tensor, &out->offset) == 0 &&
         aclGetDataType(tensor, &out->type) == 0 && aclGetFormat(tensor, &out->format) == 0 &&
         aclGetRawTensorAddr(tensor, &out->storage) == 0;
}

static bool supported(const Tensor *tensor) {
  return tensor->rank > 0 && tensor->format == ACL_FORMAT_ND &&
         (tensor->type == ACL_FLOAT || tensor->type == ACL_FLOAT16 || tensor->type == ACL_BF16);
}

static bool shared(const Tensor *tensors) {
  const void *output = tensors[OUTPUT].storage;
  return output != NULL && (tensors[GRAD].storage == output || tensors[SELF].storage == output ||
                            tensors[TARGET].storage == output);
}

static void release(aclOpExecutor *executor) {
  for (int i = 0; i < TENSORS; i++) {
    free(executor->tensors[i].shape);
    free(executor->tensors[i].strides);
  }
  free(executor);
}

ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor) {
  if (executor == NULL) return ACLNN_ERR_INNER_NULLPTR;
  release(executor);
  return ACLNN_SUCCESS;
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                                                    const aclTensor *target, int64_t reduction,
                                                                    aclTensor *gradInput, uint64_t *workspaceSize,
                                                                    aclOpExecutor **executor) {
  const aclTensor *given[TENSORS] = {gradOutput, self, target, gradInput};
  aclOpExecutor *call = calloc(1, sizeof *call);
  if (call == NULL) return ACLNN_ERR_INNER_CREATE_EXECUTOR;
  call->reduction = reduction;
  aclnn_spec_tensor described[TENSORS];
  const aclnn_spec_tensor *checked[TENSORS] = {NULL};
  bool all_supported = true;
  aclnnStatus status = ACLNN_SUCCESS;
  for (int i = 0; i < TENSORS && status == ACLNN_SUCCESS; i++) {
    Tensor *tensor = &call->tensors[i];
    if (given[i] == NULL) continue;
    if (!describe(given[i], tensor)) status = ACLNN_ERR_PARAM_INVALID;
    all_supported = all_supported && supported(tensor);
    described[i] = (aclnn_spec_tensor){(int32_t)tensor->type, (int32_t)tensor->format, tensor->rank, tensor->shape};
    checked[i] = &described[i];
  }
  if (status == ACLNN_SUCCESS)
    status = aclnnL1LossBackward_check(checked[GRAD], checked[SELF], checked[TARGET], reduction, checked[OUTPUT],
                                       workspaceSize, executor).status;
  if (status == ACLNN_SUCCESS && (!all_supported || shared(call->tensors))) status = ACLNN_ERR_PARAM_INVALID;
  if (status != ACLNN_SUCCESS) {
    release(call);
    return status;
  }
  *workspaceSize = 0;
  *executor = call;
  return ACLNN_SUCCESS;
}

ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                    aclrtStream stream) {
  (void)workspace, (void)workspaceSize, (void)stream; /* a real kernel is launched on the stream */
  if (executor == NULL) return ACLNN_ERR_INNER_NULLPTR;
  kernel(executor);
  release(executor); /* not aclDestroyAclOpExecutor: the name leads to the host library's, which was loaded first */
  return ACLNN_SUCCESS;
}

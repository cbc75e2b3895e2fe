/* Tensors: what aclCreateTensor was told, and the view of it that a kernel walks. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { DATA_ALIGNMENT = 32 };

static const int64_t *shape_of(const aclTensor *one) { return one->numbers; }
static const int64_t *strides_of(const aclTensor *one) { return one->numbers + one->rank; }
static const int64_t *storage_of(const aclTensor *one) { return one->numbers + 2 * one->rank; }

/* The product of the sizes; -1 where it does not fit, or one is negative. */
int64_t elements(const int64_t *shape, uint64_t rank) {
  int64_t count = 1;
  for (uint64_t i = 0; i < rank; i++) {
    if (shape[i] < 0) return -1;
    if (shape[i] == 0) return 0;
  }
  for (uint64_t i = 0; i < rank; i++) {
    if (count > INT64_MAX / shape[i]) return -1;
    count *= shape[i];
  }
  return count;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
                           int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                           void *tensorData) {
  enum { MOST = 1024 };
  if (viewDimsNum > MOST || storageDimsNum > MOST || (viewDimsNum > 0 && (viewDims == NULL || stride == NULL)) ||
      (storageDimsNum > 0 && storageDims == NULL)) {
    fail(ACL_ERROR_INVALID_PARAM, "a tensor without its shape, strides or storage shape");
    return NULL;
  }
  aclTensor *one = malloc(sizeof *one + (2 * viewDimsNum + storageDimsNum) * sizeof one->numbers[0]);
  if (one == NULL || !alive_add(TENSOR, one)) {
    free(one);
    fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a tensor");
    return NULL;
  }
  one->dtype = dataType;
  one->format = format;
  one->rank = viewDimsNum;
  one->storage_rank = storageDimsNum;
  one->offset = offset;
  one->data = tensorData;
  for (uint64_t i = 0; i < viewDimsNum; i++) {
    one->numbers[i] = viewDims[i];
    one->numbers[viewDimsNum + i] = stride[i];
  }
  for (uint64_t i = 0; i < storageDimsNum; i++) one->numbers[2 * viewDimsNum + i] = storageDims[i];
  return one;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor) {
  if (!alive_take(TENSOR, tensor)) return fail(ACLNN_ERR_PARAM_INVALID, "the tensor is not alive");
  free((void *)tensor);
  return ACLNN_SUCCESS;
}

static aclnnStatus usable(const aclTensor *tensor, const void *out) {
  if (tensor == NULL || out == NULL) return fail(ACLNN_ERR_PARAM_NULLPTR, "a null pointer for the tensor or the answer");
  if (!alive_has(TENSOR, tensor)) return fail(ACLNN_ERR_PARAM_INVALID, "the tensor is not alive");
  return ACLNN_SUCCESS;
}

static aclnnStatus copied(const int64_t *numbers, uint64_t count, int64_t **out, uint64_t *out_count) {
  if (out_count == NULL) return fail(ACLNN_ERR_PARAM_NULLPTR, "a null pointer for the count");
  *out = malloc((count ? count : 1) * sizeof **out);
  if (*out == NULL) return fail(ACLNN_ERR_INNER, "no memory for the answer");
  for (uint64_t i = 0; i < count; i++) (*out)[i] = numbers[i];
  *out_count = count;
  return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum) {
  aclnnStatus status = usable(tensor, viewDims);
  return status ? status : copied(shape_of(tensor), tensor->rank, viewDims, viewDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **strides, uint64_t *stridesNum) {
  aclnnStatus status = usable(tensor, strides);
  return status ? status : copied(strides_of(tensor), tensor->rank, strides, stridesNum);
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum) {
  aclnnStatus status = usable(tensor, storageDims);
  return status ? status : copied(storage_of(tensor), tensor->storage_rank, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset) {
  aclnnStatus status = usable(tensor, offset);
  if (status == ACLNN_SUCCESS) *offset = tensor->offset;
  return status;
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType) {
  aclnnStatus status = usable(tensor, dataType);
  if (status == ACLNN_SUCCESS) *dataType = tensor->dtype;
  return status;
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format) {
  aclnnStatus status = usable(tensor, format);
  if (status == ACLNN_SUCCESS) *format = tensor->format;
  return status;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **address) {
  aclnnStatus status = usable(tensor, address);
  if (status == ACLNN_SUCCESS) *address = tensor->data;
  return status;
}

aclnnStatus view_of(const aclTensor *tensor, const char *name, view *out) {
  int64_t size = (int64_t)size_of(tensor->dtype), stored = elements(storage_of(tensor), tensor->storage_rank);
  *out = (view){.dtype = tensor->dtype, .rank = tensor->rank, .storage = tensor->data};
  int64_t offset = FAULT(IGNORES_OFFSET) ? 0 : tensor->offset, last = offset;
  for (uint64_t i = 0; i < tensor->rank; i++) {
    out->shape[i] = shape_of(tensor)[i];
    out->strides[i] = strides_of(tensor)[i];
  }
  int64_t count = elements(out->shape, out->rank);
  if (count < 0 || stored < 0 || stored > INT64_MAX / 16)
    return fail(ACLNN_ERR_PARAM_INVALID, "%s has a shape or a storage shape that cannot be", name);
  out->storage_bytes = (uint64_t)(stored * size);
  if (count == 0) return ACLNN_SUCCESS;
  int64_t step = 1;
  for (uint64_t i = out->rank; FAULT(IGNORES_STRIDES) && i-- > 0; step *= out->shape[i]) out->strides[i] = step;
  for (uint64_t i = 0; i < out->rank; i++) {
    int64_t stride = out->strides[i];
    if (stride < 0 || last < 0 || (stride > 0 && out->shape[i] - 1 > (INT64_MAX - last) / stride))
      return fail(ACLNN_ERR_PARAM_INVALID, "%s has a stride or an offset that cannot be", name);
    last += (out->shape[i] - 1) * stride;
  }
  if (!FAULT(IGNORES_STRIDES) && last >= stored)
    return fail(ACLNN_ERR_PARAM_INVALID, "%s reaches element %lld of a storage of %lld", name, (long long)last,
                (long long)stored);
  if (tensor->data == NULL || (uintptr_t)tensor->data % DATA_ALIGNMENT != 0)
    return fail(ACLNN_ERR_PARAM_INVALID, "%s has data that is not aligned to %d bytes", name, DATA_ALIGNMENT);
  out->data = tensor->data + offset * size;
  return ACLNN_SUCCESS;
}

int32_t common_type(const view *inputs, int count) {
  bool half = false, bfloat = false, wide = false;
  for (int i = 0; i < count; i++) {
    half = half || inputs[i].dtype == ACL_FLOAT16;
    bfloat = bfloat || inputs[i].dtype == ACL_BF16;
    wide = wide || inputs[i].dtype == ACL_FLOAT;
  }
  if (!wide && !half && !bfloat) return ACL_INT64;
  if (wide || half == bfloat) return ACL_FLOAT;
  return half ? ACL_FLOAT16 : ACL_BF16;
}

void common_shape(const view *inputs, int count, int64_t *shape, uint64_t *rank) {
  *rank = 0;
  for (int v = 0; v < count; v++)
    if (inputs[v].rank > *rank) *rank = inputs[v].rank;
  for (uint64_t i = 0; i < *rank; i++) {
    shape[i] = 1;
    for (int v = 0; v < count; v++) {
      uint64_t lead = *rank - inputs[v].rank;
      if (i >= lead && inputs[v].shape[i - lead] != 1) shape[i] = inputs[v].shape[i - lead];
    }
  }
}

void view_broadcast(view *one, const int64_t *shape, uint64_t rank) {
  uint64_t lead = rank - one->rank;
  for (uint64_t i = rank; i-- > 0;) {
    bool own = i >= lead && one->shape[i - lead] == shape[i];
    one->strides[i] = own ? one->strides[i - lead] : 0;
    one->shape[i] = shape[i];
  }
  one->rank = rank;
}

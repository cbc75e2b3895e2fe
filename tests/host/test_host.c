/* The life-cycle rules of the host library, asserted from C; run plainly and under the sanitizers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn_host.h"
#include "aclnnop/aclnn_l1_loss_backward.h"

static int failures;

#define EXPECT(expected, actual)                                                                          \
  do {                                                                                                    \
    long long e = (long long)(expected), a = (long long)(actual);                                         \
    if (e != a) {                                                                                         \
      fprintf(stderr, "%s:%d: %s: expected %lld, found %lld\n", __FILE__, __LINE__, #actual, e, a);       \
      failures++;                                                                                         \
    }                                                                                                     \
  } while (0)

enum { FLOATS = 4 };
static const int64_t shape[] = {2, 2}, strides[] = {2, 1};
static aclrtStream stream;
static int64_t misuses;

/* A misuse has been counted since the last look. */
static void expect_misuse(int count) {
  EXPECT(misuses + count, aclnnHostAlive("misuse"));
  misuses = aclnnHostAlive("misuse");
}

static void expect_error(int32_t expected, int32_t actual, const char *text) {
  EXPECT(expected, actual);
  const char *told = aclGetRecentErrMsg();
  if (told == NULL || strstr(told, text) == NULL) {
    fprintf(stderr, "expected a text with '%s', found '%s'\n", text, told ? told : "none");
    failures++;
  }
  EXPECT(1, aclGetRecentErrMsg() == NULL);
}

static void *memory(size_t size) {
  void *data = NULL;
  EXPECT(ACL_SUCCESS, aclrtMalloc(&data, size, ACL_MEM_MALLOC_HUGE_FIRST));
  return data;
}

static aclTensor *tensor(void *data) {
  return aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, data);
}

static void before_a_device_is_set(void) {
  void *data;
  expect_error(ACL_ERROR_UNINITIALIZE, aclrtSetDevice(0), "aclInit");
  expect_error(ACL_ERROR_UNINITIALIZE, aclrtMalloc(&data, 8, ACL_MEM_MALLOC_HUGE_FIRST), "aclInit");
  expect_error(ACL_ERROR_UNINITIALIZE, aclFinalize(), "aclInit");
  expect_misuse(1);
  EXPECT(ACL_SUCCESS, aclInit(NULL));
  expect_error(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL), "already");
  expect_error(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&data, 8, ACL_MEM_MALLOC_HUGE_FIRST), "no device");
  expect_error(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&stream), "no device");
  uint32_t count = 0;
  EXPECT(ACL_SUCCESS, aclrtGetDeviceCount(&count));
  EXPECT(1, count);
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtSetDevice(1), "device 1");
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtResetDevice(0), "not set");
  expect_misuse(1);
  EXPECT(ACL_SUCCESS, aclrtSetDevice(0));
  EXPECT(ACL_SUCCESS, aclrtCreateStream(&stream));
}

static void memory_rules(void) {
  void *data = NULL;
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&data, 0, ACL_MEM_MALLOC_HUGE_FIRST), "0 bytes");
  expect_error(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&data, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), "no memory");
  unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8];
  data = memory(8);
  EXPECT(0, (uintptr_t)data % 32);
  EXPECT(ACL_SUCCESS, aclrtMemcpy(back, 8, data, 8, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT(0, back[0] == 0 && back[7] == 0); /* not zeroed */
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(data, 7, bytes, 8, ACL_MEMCPY_HOST_TO_DEVICE), "room for 7");
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(bytes, 8, data, 8, (aclrtMemcpyKind)9), "number 9");
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(data, 9, bytes, 9, ACL_MEMCPY_HOST_TO_DEVICE), "target");
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(back, 8, bytes, 8, ACL_MEMCPY_DEVICE_TO_HOST), "source");
  expect_misuse(2);
  EXPECT(ACL_SUCCESS, aclrtMemcpy(data, 8, bytes, 8, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT(ACL_SUCCESS, aclrtMemset((char *)data + 4, 4, 9, 4));
  EXPECT(ACL_SUCCESS, aclrtMemcpy(back, 8, data, 8, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT(0, memcmp(back, "\1\2\3\4\t\t\t\t", 8));
  EXPECT(1, aclnnHostAlive("allocation"));
  EXPECT(ACL_SUCCESS, aclrtFree(data));
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtFree(data), "not alive");
  expect_misuse(1);
  EXPECT(0, aclnnHostAlive("allocation"));
}

static void tensor_rules(void) {
  void *data = memory(64);
  const int64_t storage[] = {3, 5};
  aclTensor *one = aclCreateTensor(shape, 2, ACL_FLOAT16, strides, 7, ACL_FORMAT_NCL, storage, 2, data);
  int64_t *numbers = NULL, offset = 0;
  uint64_t count = 0;
  aclDataType dtype;
  aclFormat format;
  void *address = NULL;
  EXPECT(ACLNN_SUCCESS, aclGetViewStrides(one, &numbers, &count));
  EXPECT(2, count);
  EXPECT(2, numbers[0]);
  free(numbers);
  EXPECT(ACLNN_SUCCESS, aclGetStorageShape(one, &numbers, &count));
  EXPECT(5, numbers[1]);
  free(numbers);
  EXPECT(ACLNN_SUCCESS, aclGetViewOffset(one, &offset));
  EXPECT(7, offset);
  EXPECT(ACLNN_SUCCESS, aclGetDataType(one, &dtype));
  EXPECT(ACL_FLOAT16, dtype);
  EXPECT(ACLNN_SUCCESS, aclGetFormat(one, &format));
  EXPECT(ACL_FORMAT_NCL, format);
  EXPECT(ACLNN_SUCCESS, aclGetRawTensorAddr(one, &address));
  EXPECT(1, address == data);
  expect_error(ACLNN_ERR_PARAM_NULLPTR, aclGetViewShape(NULL, &numbers, &count), "null");
  EXPECT(1, aclCreateTensor(NULL, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, data) == NULL);
  EXPECT(1, aclGetRecentErrMsg() != NULL);
  EXPECT(1, aclnnHostAlive("tensor"));
  EXPECT(ACLNN_SUCCESS, aclDestroyTensor(one));
  expect_error(ACLNN_ERR_PARAM_INVALID, aclDestroyTensor(one), "not alive");
  expect_error(ACLNN_ERR_PARAM_INVALID, aclGetViewOffset(one, &offset), "not alive");
  expect_misuse(2);
  EXPECT(ACL_SUCCESS, aclrtFree(data));
}

static void executor_rules(void) {
  const float grad[FLOATS] = {0, 1, 2, 3}, ones[FLOATS] = {1, 1, 1, 1};
  float result[FLOATS];
  void *data[4];
  aclTensor *tensors[4];
  for (int i = 0; i < 4; i++) {
    data[i] = memory(sizeof grad);
    EXPECT(ACL_SUCCESS, aclrtMemcpy(data[i], sizeof grad, i == 2 ? ones : grad, sizeof grad, ACL_MEMCPY_HOST_TO_DEVICE));
    tensors[i] = tensor(data[i]);
  }
  uint64_t size = 0;
  aclOpExecutor *first = NULL, *second = NULL;
#define PHASE_1(gradOutput, reduction, executor) \
  aclnnL1LossBackwardGetWorkspaceSize(gradOutput, tensors[1], tensors[2], reduction, tensors[3], &size, executor)
  expect_error(ACLNN_ERR_PARAM_NULLPTR, PHASE_1(NULL, 1, &first), "nullptr");
  expect_error(ACLNN_ERR_PARAM_INVALID, PHASE_1(tensors[0], 3, &first), "reduction");
  aclTensor *unaligned = tensor((char *)data[0] + 4);
  expect_error(ACLNN_ERR_PARAM_INVALID, PHASE_1(unaligned, 1, &first), "aligned");
  EXPECT(ACLNN_SUCCESS, aclDestroyTensor(unaligned));
  expect_error(ACLNN_ERR_PARAM_INVALID, PHASE_1(unaligned, 1, &first), "alive");
  expect_misuse(1);
  EXPECT(0, aclnnHostAlive("executor"));

  EXPECT(ACLNN_SUCCESS, PHASE_1(tensors[0], 1, &first));
  EXPECT(ACLNN_SUCCESS, PHASE_1(tensors[0], 0, &second));
  EXPECT(2, aclnnHostAlive("executor"));
  expect_error(ACLNN_ERR_PARAM_INVALID, aclnnL1LossBackward(NULL, 0, second, stream), "workspace");
  EXPECT(1, aclnnHostAlive("executor")); /* freed, though it failed */
  expect_error(ACLNN_ERR_INNER_NULLPTR, aclnnL1LossBackward(NULL, 0, NULL, stream), "null");
  void *workspace = memory(size);
  EXPECT(ACLNN_SUCCESS, aclnnL1LossBackward(workspace, size, first, stream));
  expect_error(ACLNN_ERR_INNER_NULLPTR, aclnnL1LossBackward(workspace, size, first, stream), "used once");
  expect_misuse(1);
  EXPECT(ACL_SUCCESS, aclrtMemcpy(result, sizeof result, data[3], sizeof result, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT(0, memcmp(result, grad, sizeof grad)); /* nothing is done before the synchronise */
  EXPECT(ACL_SUCCESS, aclrtSynchronizeStream(stream));
  EXPECT(ACL_SUCCESS, aclrtMemcpy(result, sizeof result, data[3], sizeof result, ACL_MEMCPY_DEVICE_TO_HOST));
  const float expected[FLOATS] = {-0.0f, 0, 0.5f, 0.75f};
  EXPECT(0, memcmp(result, expected, sizeof expected));

  EXPECT(ACLNN_SUCCESS, PHASE_1(tensors[0], 1, &first));
  EXPECT(ACLNN_SUCCESS, aclDestroyAclOpExecutor(first));
  expect_error(ACLNN_ERR_INNER_NULLPTR, aclDestroyAclOpExecutor(first), "not alive");
  expect_misuse(1);
  EXPECT(ACLNN_SUCCESS, PHASE_1(tensors[0], 1, &first));
  expect_error(ACLNN_ERR_RUNTIME_ERROR, aclnnL1LossBackward(workspace, size, first, NULL), "stream");
  expect_misuse(1);
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtSynchronizeStream(&size), "stream");
  expect_misuse(1);

  /* An output one element behind an input in the same memory does not disturb it. */
  void *shared = memory(sizeof grad + sizeof grad[0]);
  EXPECT(ACL_SUCCESS, aclrtMemcpy(shared, sizeof grad, grad, sizeof grad, ACL_MEMCPY_HOST_TO_DEVICE));
  const int64_t five = FLOATS + 1;
  aclTensor *input = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, &five, 1, shared);
  aclTensor *output = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 1, ACL_FORMAT_ND, &five, 1, shared);
  EXPECT(ACLNN_SUCCESS,
         aclnnL1LossBackwardGetWorkspaceSize(input, tensors[1], tensors[2], 2, output, &size, &first));
  EXPECT(ACLNN_SUCCESS, aclnnL1LossBackward(workspace, size, first, stream));
  EXPECT(ACL_SUCCESS, aclrtSynchronizeStreamWithTimeout(stream, 1000));
  EXPECT(ACL_SUCCESS,
         aclrtMemcpy(result, sizeof result, (float *)shared + 1, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST));
  const float disjoint[FLOATS] = {-0.0f, 0, 2, 3};
  EXPECT(0, memcmp(result, disjoint, sizeof disjoint));
  EXPECT(ACLNN_SUCCESS, aclDestroyTensor(input));
  EXPECT(ACLNN_SUCCESS, aclDestroyTensor(output));
  EXPECT(ACL_SUCCESS, aclrtFree(shared));

  /* Memory that is gone when the stream is synchronised costs the context. */
  EXPECT(ACLNN_SUCCESS, PHASE_1(tensors[0], 1, &first));
  EXPECT(ACLNN_SUCCESS, aclnnL1LossBackward(workspace, size, first, stream));
  EXPECT(ACL_SUCCESS, aclrtFree(data[1]));
  expect_error(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream), "storage");
  expect_error(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtMalloc(&workspace, 8, ACL_MEM_MALLOC_HUGE_FIRST), "failed earlier");
  expect_error(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream), "failed earlier");
  EXPECT(4, aclnnHostAlive("allocation"));
  EXPECT(ACL_SUCCESS, aclrtResetDevice(0));
  EXPECT(0, aclnnHostAlive("allocation"));
  EXPECT(0, aclnnHostAlive("stream"));
  EXPECT(0, aclnnHostAlive("abandoned"));
  EXPECT(ACL_SUCCESS, aclrtSetDevice(0));
  EXPECT(ACL_SUCCESS, aclrtCreateStream(&stream));
  for (int i = 0; i < 4; i++) EXPECT(ACLNN_SUCCESS, aclDestroyTensor(tensors[i]));
}

static void the_end(void) {
  EXPECT(ACL_SUCCESS, aclrtDestroyStream(stream));
  expect_error(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream(stream), "not alive");
  expect_misuse(1);
  EXPECT(1, aclnnHostAlive("device"));
  EXPECT(ACL_SUCCESS, aclrtResetDevice(0));
  EXPECT(ACL_SUCCESS, aclFinalize());
  const char *const kinds[] = {"tensor", "executor", "stream", "allocation", "device", "init"};
  for (int i = 0; i < 6; i++) EXPECT(0, aclnnHostAlive(kinds[i]));
  EXPECT(-1, aclnnHostAlive("other"));

  /* What is left to the end is taken back, and counted: memory, a stream and the device. */
  EXPECT(ACL_SUCCESS, aclInit(NULL));
  EXPECT(ACL_SUCCESS, aclrtSetDevice(0));
  EXPECT(ACL_SUCCESS, aclrtCreateStream(&stream));
  EXPECT(1, memory(8) != NULL);
  EXPECT(ACL_SUCCESS, aclFinalize());
  for (int i = 0; i < 6; i++) EXPECT(0, aclnnHostAlive(kinds[i]));
  EXPECT(3, aclnnHostAlive("abandoned"));
}

int main(void) {
  before_a_device_is_set();
  memory_rules();
  tensor_rules();
  executor_rules();
  the_end();
  if (failures == 0) puts("ok");
  return failures != 0;
}

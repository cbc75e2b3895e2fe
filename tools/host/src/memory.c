/* Device memory: aligned, never zeroed, and known by address, so that nothing outside it is touched. */
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { ALIGNMENT = 512, PATTERN = 0xC3 };

typedef struct allocation {
  unsigned char *base;
  size_t size;
  int32_t device;
  struct allocation *next;
} allocation;

static allocation *allocations;

int64_t memory_alive(void) {
  int64_t count = 0;
  for (const allocation *one = allocations; one != NULL; one = one->next) count++;
  return count;
}

bool memory_has(const void *start, uint64_t size) {
  uintptr_t from = (uintptr_t)start;
  for (const allocation *one = allocations; one != NULL; one = one->next) {
    uintptr_t base = (uintptr_t)one->base;
    if (from >= base && from - base <= one->size && size <= one->size - (from - base)) return true;
  }
  return false;
}

static void release(allocation **link) {
  allocation *one = *link;
  *link = one->next;
  free(one->base);
  free(one);
}

int memory_free_all(int32_t device) {
  int count = 0;
  allocation **link = &allocations;
  while (*link != NULL)
    if ((*link)->device == device) {
      release(link);
      count++;
    } else {
      link = &(*link)->next;
    }
  return count;
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
  (void)policy;
  aclError code = ready();
  if (code != ACL_SUCCESS) return code;
  if (devPtr == NULL) return fail(ACL_ERROR_INVALID_PARAM, "a null pointer for the memory");
  if (size == 0) return fail(ACL_ERROR_INVALID_PARAM, "0 bytes asked for");
  if (size > SIZE_MAX / 2) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for %zu bytes", size);
  allocation *one = malloc(sizeof *one);
  unsigned char *base = aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  if (one == NULL || base == NULL) {
    free(one);
    free(base);
    return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for %zu bytes", size);
  }
  memset(base, PATTERN, size);
  *one = (allocation){base, size, current_device(), allocations};
  allocations = one;
  *devPtr = base;
  return ACL_SUCCESS;
}

aclError aclrtFree(void *devPtr) {
  aclError code = ready();
  if (code != ACL_SUCCESS) return code;
  for (allocation **link = &allocations; *link != NULL; link = &(*link)->next)
    if ((*link)->base == devPtr) {
      release(link);
      return ACL_SUCCESS;
    }
  misuse();
  return fail(ACL_ERROR_INVALID_PARAM, "the memory is not alive");
}

static aclError within(const void *start, size_t size, const char *what) {
  if (memory_has(start, size)) return ACL_SUCCESS;
  misuse();
  return fail(ACL_ERROR_INVALID_PARAM, "the %s is not in device memory that is alive", what);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count) {
  aclError code = ready();
  if (code != ACL_SUCCESS) return code;
  if (count > maxCount) return fail(ACL_ERROR_INVALID_PARAM, "%zu bytes to set, room for %zu", count, maxCount);
  code = within(devPtr, count, "target");
  if (code == ACL_SUCCESS) memset(devPtr, value, count);
  return code;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind) {
  aclError code = ready();
  if (code != ACL_SUCCESS) return code;
  if (count > destMax) return fail(ACL_ERROR_INVALID_PARAM, "%zu bytes to copy, room for %zu", count, destMax);
  if (count == 0 || dst == NULL || src == NULL) return fail(ACL_ERROR_INVALID_PARAM, "nothing to copy");
  if ((int)kind < ACL_MEMCPY_HOST_TO_HOST || (int)kind > ACL_MEMCPY_DEVICE_TO_DEVICE)
    return fail(ACL_ERROR_INVALID_PARAM, "no kind of copy has the number %d", (int)kind);
  if (kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE) code = within(dst, count, "target");
  if (code == ACL_SUCCESS && (kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE))
    code = within(src, count, "source");
  if (code == ACL_SUCCESS) memmove(dst, src, count);
  return code;
}

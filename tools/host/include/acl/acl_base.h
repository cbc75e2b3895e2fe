/* What the runtime's and the operators' headers share. */
#ifndef ACL_BASE_H
#define ACL_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif

typedef int32_t aclError;
typedef void *aclrtStream;

enum {
  ACL_SUCCESS = 0,
  ACL_ERROR_INVALID_PARAM = 100000,
  ACL_ERROR_UNINITIALIZE = 100001,
  ACL_ERROR_REPEAT_INITIALIZE = 100002,
  ACL_ERROR_RT_CONTEXT_NULL = 107002,
  ACL_ERROR_RT_MEMORY_ALLOCATION = 207001,
  ACL_ERROR_INTERNAL_ERROR = 500000,
  ACL_ERROR_RT_AICORE_TIMEOUT = 507014,
  ACL_ERROR_RT_AICORE_EXCEPTION = 507015
};

#endif

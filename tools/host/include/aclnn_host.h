/* What only the host library has: a count of what is alive. */
#ifndef ACLNN_HOST_H
#define ACLNN_HOST_H

#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many of a kind are alive: "tensor", "executor", "stream", "allocation", "device" (set and not reset) and "init"
   (1 while initialised). Two count since the start of the process: "misuse" the releases and uses of what was not
   alive, "abandoned" the streams, allocations and devices that nobody released before a device in order was reset or
   the process finalised. -1 for any other kind. */
ACL_FUNC_VISIBILITY int64_t aclnnHostAlive(const char *kind);

#ifdef __cplusplus
}
#endif

#endif

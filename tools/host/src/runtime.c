/* The process, its devices and their streams. A stream only collects work, which is done when it is synchronised: who
   forgets to synchronise finds what was there before. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

typedef struct device {
  bool set, lost;
} device;

static bool initialised;
static int32_t current = -1;
static device devices[MAX_DEVICES];
static _Thread_local char noted[1024], told[1024];

int32_t fail(int32_t code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(noted, sizeof noted, format, arguments);
  va_end(arguments);
  return code;
}

const char *aclGetRecentErrMsg(void) {
  if (noted[0] == '\0') return NULL;
  memcpy(told, noted, sizeof told);
  noted[0] = '\0';
  return told;
}

static aclError not_initialised(void) {
  return fail(ACL_ERROR_UNINITIALIZE, "aclInit has not been called");
}

aclError ready(void) {
  if (!initialised) return not_initialised();
  if (current < 0 || !devices[current].set) return fail(ACL_ERROR_RT_CONTEXT_NULL, "no device is set");
  if (devices[current].lost) return fail(ACL_ERROR_RT_AICORE_EXCEPTION, "device %d has failed earlier", current);
  return ACL_SUCCESS;
}

int32_t current_device(void) { return current; }

void lose_device(int32_t device) { devices[device].lost = true; }

int64_t devices_alive(void) {
  int64_t count = 0;
  for (int i = 0; i < MAX_DEVICES; i++) count += devices[i].set;
  return count;
}

int64_t initialised_alive(void) { return initialised; }

aclError aclInit(const char *configPath) {
  (void)configPath;
  if (initialised) return fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit has been called already");
  initialised = true;
  return ACL_SUCCESS;
}

aclError aclFinalize(void) {
  if (!initialised) {
    misuse();
    return not_initialised();
  }
  for (int i = 0; i < MAX_DEVICES; i++)
    if (devices[i].set) {
      abandoned();
      aclrtResetDevice(i);
    }
  initialised = false;
  return ACL_SUCCESS;
}

const char *aclrtGetSocName(void) {
  const char *name = getenv("ACLNN_HOST_SOC");
  return name != NULL && name[0] != '\0' ? name : NULL;
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion) {
  if (majorVersion == NULL || minorVersion == NULL || patchVersion == NULL)
    return fail(ACL_ERROR_INVALID_PARAM, "a null pointer for the version");
  *majorVersion = 1;
  *minorVersion = 0;
  *patchVersion = 0;
  return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr) {
  if (pkgName == NULL || versionStr == NULL) return fail(ACL_ERROR_INVALID_PARAM, "a null pointer for the version");
  if (strcmp(pkgName, "runtime") != 0) return fail(ACL_ERROR_INVALID_PARAM, "there is no package %.64s", pkgName);
  strcpy(versionStr, "host");
  return ACL_SUCCESS;
}

static int32_t device_count(void) {
  const char *text = getenv("ACLNN_HOST_DEVICES");
  long count = text != NULL ? strtol(text, NULL, 10) : 1;
  return (int32_t)(count < 0 ? 0 : count > MAX_DEVICES ? MAX_DEVICES : count);
}

aclError aclrtGetDeviceCount(uint32_t *count) {
  if (count == NULL) return fail(ACL_ERROR_INVALID_PARAM, "a null pointer for the count");
  *count = (uint32_t)device_count();
  return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId) {
  if (!initialised) return not_initialised();
  if (deviceId < 0 || deviceId >= device_count())
    return fail(ACL_ERROR_INVALID_PARAM, "device %d: there are %d", deviceId, device_count());
  current = deviceId;
  devices[current].set = true;
  return ACL_SUCCESS;
}

static void stream_free(stream *one) {
  while (one->first != NULL) {
    aclOpExecutor *task = one->first;
    one->first = task->next;
    free(task);
  }
  free(one);
}

aclError aclrtResetDevice(int32_t deviceId) {
  if (!initialised) return not_initialised();
  if (deviceId < 0 || deviceId >= MAX_DEVICES || !devices[deviceId].set) {
    misuse();
    return fail(ACL_ERROR_INVALID_PARAM, "device %d is not set", deviceId);
  }
  int left = 0;
  for (size_t i = alive_count(STREAM); i-- > 0;) {
    stream *one = alive_at(STREAM, i);
    if (one->device != deviceId) continue;
    alive_take(STREAM, one);
    stream_free(one);
    left++;
  }
  left += memory_free_all(deviceId);
  while (!devices[deviceId].lost && left-- > 0) abandoned(); /* on a lost device nothing could be released */
  devices[deviceId] = (device){false, false};
  return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *out) {
  aclError code = ready();
  if (code != ACL_SUCCESS) return code;
  if (out == NULL) return fail(ACL_ERROR_INVALID_PARAM, "a null pointer for the stream");
  stream *one = calloc(1, sizeof *one);
  if (one == NULL || !alive_add(STREAM, one)) {
    free(one);
    return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a stream");
  }
  one->device = current;
  one->last = &one->first;
  *out = one;
  return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream given) {
  aclError code = ready();
  if (code != ACL_SUCCESS) return code;
  if (!alive_take(STREAM, given)) return fail(ACL_ERROR_INVALID_PARAM, "the stream is not alive");
  stream_free(given);
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream given, int32_t timeout) {
  (void)timeout;
  return aclrtSynchronizeStream(given);
}

aclError aclrtSynchronizeStream(aclrtStream given) {
  aclError code = ready();
  if (code != ACL_SUCCESS) return code;
  if (!alive_has(STREAM, given)) return fail(ACL_ERROR_INVALID_PARAM, "the stream is not alive");
  if (FAULT(SKIPS_SYNCHRONISE)) return ACL_SUCCESS;
  stream *one = given;
  while (one->first != NULL && code == ACL_SUCCESS) {
    aclOpExecutor *task = one->first;
    one->first = task->next;
    if (one->first == NULL) one->last = &one->first;
    code = executor_run(task);
    free(task);
  }
  if (code != ACL_SUCCESS) lose_device(one->device);
  return code;
}

/* The handles that are alive, by kind, so that one that is not is refused instead of followed. */
#include <stdlib.h>
#include <string.h>

#include "aclnn_host.h"
#include "host.h"

typedef struct set {
  void **members;
  size_t count, room;
} set;

static set alive[KINDS];
static int64_t misuses, abandonments;

bool alive_add(kind of, void *one) {
  set *s = &alive[of];
  if (s->count == s->room) {
    size_t room = s->room ? 2 * s->room : 16;
    void **members = realloc(s->members, room * sizeof *members);
    if (members == NULL) return false;
    s->members = members;
    s->room = room;
  }
  s->members[s->count++] = one;
  return true;
}

static size_t place(const set *s, const void *one) {
  size_t i = 0;
  while (i < s->count && s->members[i] != one) i++;
  return i;
}

bool alive_has(kind of, const void *one) {
  bool has = place(&alive[of], one) < alive[of].count;
  if (!has) misuse();
  return has;
}

bool alive_take(kind of, const void *one) {
  set *s = &alive[of];
  size_t i = place(s, one);
  if (i == s->count) {
    misuse();
    return false;
  }
  s->members[i] = s->members[--s->count];
  if (s->count == 0) { /* so that a leak checker finds nothing at the end */
    free(s->members);
    memset(s, 0, sizeof *s);
  }
  return true;
}

size_t alive_count(kind of) { return alive[of].count; }

void *alive_at(kind of, size_t i) { return alive[of].members[i]; }

void misuse(void) { misuses++; }

void abandoned(void) { abandonments++; }

int64_t aclnnHostAlive(const char *kind) {
  if (kind == NULL) return -1;
  if (strcmp(kind, "tensor") == 0) return (int64_t)alive_count(TENSOR);
  if (strcmp(kind, "executor") == 0) return (int64_t)alive_count(EXECUTOR);
  if (strcmp(kind, "stream") == 0) return (int64_t)alive_count(STREAM);
  if (strcmp(kind, "allocation") == 0) return memory_alive();
  if (strcmp(kind, "device") == 0) return devices_alive();
  if (strcmp(kind, "init") == 0) return initialised_alive();
  if (strcmp(kind, "misuse") == 0) return misuses;
  if (strcmp(kind, "abandoned") == 0) return abandonments;
  return -1;
}

/* What the sources of the host library share. There are no locks: one thread of a process calls the library, as a
   certification does, which runs cases side by side in processes of their own. */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "faults.h"

enum { MAX_RANK = 8, MAX_VIEWS = 4, MAX_DEVICES = 64 };

/* ---- alive.c: what has been handed out and not taken back ---- */

typedef enum kind { TENSOR, EXECUTOR, STREAM, KINDS } kind;

bool alive_add(kind of, void *one);
/* Whether it is alive; a misuse on the count if not. */
bool alive_has(kind of, const void *one);
/* The same, and forget it. */
bool alive_take(kind of, const void *one);
size_t alive_count(kind of);
void *alive_at(kind of, size_t i);
void misuse(void);
/* Something was taken back because its owner had not given it back. */
void abandoned(void);

/* ---- runtime.c ---- */

/* Note the text of an error, and give its code back. */
int32_t fail(int32_t code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* 0 if the process is initialised and a device is set and in order; else the code to answer with. */
aclError ready(void);
int64_t devices_alive(void);
int64_t initialised_alive(void);
int32_t current_device(void);
/* A kernel has failed there: nothing more is done on it before a reset. */
void lose_device(int32_t device);

/* ---- memory.c ---- */

/* Whether `size` bytes from here lie in one live allocation. */
bool memory_has(const void *start, uint64_t size);
/* Free what the device still holds, and give how many allocations that were. */
int memory_free_all(int32_t device);
int64_t memory_alive(void);

/* ---- tensor.c: a tensor as a kernel sees it ---- */

typedef struct view {
  int32_t dtype;
  uint64_t rank;
  int64_t shape[MAX_RANK], strides[MAX_RANK]; /* in elements; stride 0 where broadcast */
  unsigned char *data;                        /* the first element of the view */
  unsigned char *storage;
  uint64_t storage_bytes;
} view;

struct aclTensor {
  aclDataType dtype;
  aclFormat format;
  uint64_t rank, storage_rank;
  int64_t offset;
  unsigned char *data;
  int64_t numbers[]; /* shape, strides, storage shape */
};

int64_t elements(const int64_t *shape, uint64_t rank);
/* The tensor as a view; 0, or the status to answer with if it cannot lie where it says. */
aclnnStatus view_of(const aclTensor *tensor, const char *name, view *out);
/* The type that inputs of these types are computed in: FLOAT, FLOAT16, BFLOAT16 or, of integers alone, INT64. */
int32_t common_type(const view *inputs, int count);
/* The shape that inputs broadcast to. */
void common_shape(const view *inputs, int count, int64_t *shape, uint64_t *rank);
/* Give a view the broadcast shape: leading dimensions, and stride 0 where it has one element for many. */
void view_broadcast(view *one, const int64_t *shape, uint64_t rank);

/* ---- executor.c ---- */

typedef void kernel(const struct aclOpExecutor *call);

/* An element in the type that is computed in: i where that is INT64, else f. */
typedef union number {
  float f;
  int64_t i;
} number;

/* An element of the output, or a term of its sum, from the elements of the inputs. */
typedef number element(const number *in, const struct aclOpExecutor *call);

struct aclOpExecutor {
  kernel *run;
  const char *operator_name;
  view views[MAX_VIEWS]; /* the output is the last */
  int count;
  element *function;
  bool sums;                /* one element for all, instead of one for each */
  int64_t shape[MAX_RANK];  /* that the inputs broadcast to */
  uint64_t rank;
  int64_t reduction;
  float beta;
  int64_t n;      /* what mean divides by */
  int32_t common; /* the type to compute in */
  uint64_t workspace_size;
  unsigned char *workspace;
  aclOpExecutor *next; /* in its stream */
};

/* Phase 1's end: hand out a copy of the call. */
aclnnStatus executor_give(const aclOpExecutor *call, uint64_t *workspaceSize, aclOpExecutor **executor);
/* The one rare call in which some faults act: FLOAT elements of rank 8, summed. */
bool rare(const aclOpExecutor *call);
/* Phase 2 of any operator. */
aclnnStatus executor_launch(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);
aclError executor_run(aclOpExecutor *executor);

/* ---- elementwise.c ---- */

void elementwise(const aclOpExecutor *call, element *function);
void summed(const aclOpExecutor *call, element *function);

/* ---- losses.c ---- */

/* Over the number of elements, if the reduction is mean. */
float over_n(float value, const aclOpExecutor *call);

/* ---- the stream: launched executors, first in, first out ---- */

typedef struct stream {
  int32_t device;
  aclOpExecutor *first, **last;
} stream;

/* ---- numbers.c: elements of any type in the type that is computed in, and back ---- */

uint64_t size_of(int32_t dtype);
number load(const unsigned char *at, int32_t dtype, int32_t common);
/* Rounded to the type that is computed in, then cast. */
void store(unsigned char *at, int32_t dtype, number value, int32_t common);
float rounded(float value, int32_t dtype);
uint16_t half_bits(float value);
float half_value(uint16_t bits);

#endif

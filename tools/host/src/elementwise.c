/* Run a function over the elements of inputs that broadcast together: one result for each, or their sum. */
#include <string.h>

#include "host.h"

enum { BLOCK = 256 };

static void faulty_writes(const aclOpExecutor *call) {
  const view *input = &call->views[1], *output = &call->views[call->count - 1];
  if (FAULT(WRITES_INPUT)) input->data[0] ^= 1;
  if (FAULT(WRITES_PAST_VIEW)) {
    int64_t end = 1;
    for (uint64_t i = 0; i < output->rank; i++) end += (output->shape[i] - 1) * output->strides[i];
    memset(output->data + end * (int64_t)size_of(output->dtype), 0, size_of(output->dtype));
  }
}

/* A place in the shape, and where it is in each view. */
typedef struct walk {
  int64_t index[MAX_RANK], place[MAX_VIEWS];
} walk;

/* On to the next index, the last dimension first. */
static void advance(const aclOpExecutor *call, int views, walk *at) {
  for (uint64_t i = call->rank; i-- > 0;) {
    bool carry = ++at->index[i] == call->shape[i];
    for (int v = 0; v < views; v++) {
      int64_t stride = call->views[v].strides[i];
      at->place[v] += carry ? -stride * (call->shape[i] - 1) : stride;
    }
    if (!carry) break;
    at->index[i] = 0;
  }
}

static number result(const aclOpExecutor *call, const walk *at, element *function) {
  number in[MAX_VIEWS];
  for (int v = 0; v < call->count - 1; v++) {
    const view *one = &call->views[v];
    in[v] = load(one->data + at->place[v] * (int64_t)size_of(one->dtype), one->dtype, call->common);
  }
  return function(in, call);
}

/* How many elements there are; one less with a fault. */
static int64_t many(const aclOpExecutor *call) {
  int64_t count = elements(call->shape, call->rank);
  return FAULT(DROPS_TAIL) && count > 1 ? count - count % 2 : count;
}

void elementwise(const aclOpExecutor *call, element *function) {
  const view *output = &call->views[call->count - 1];
  walk at = {{0}, {0}};
  for (int64_t done = 0, end = many(call); done < end; done++) {
    number value = result(call, &at, function);
    store(output->data + at.place[call->count - 1] * (int64_t)size_of(output->dtype), output->dtype, value,
          call->common);
    advance(call, call->count, &at);
  }
  if (elements(call->shape, call->rank) > 0) faulty_writes(call);
}

/* In blocks, so that the error grows with their number and not with that of the terms. */
void summed(const aclOpExecutor *call, element *function) {
  const view *output = &call->views[call->count - 1];
  walk at = {{0}, {0}};
  float total = 0, block = 0;
  uint64_t whole = 0;
  for (int64_t done = 0, end = many(call); done < end; done++) {
    number value = result(call, &at, function);
    if (call->common == ACL_INT64) {
      whole += (uint64_t)value.i;
    } else {
      block += value.f;
      if (done % BLOCK == BLOCK - 1) {
        total += block;
        block = 0;
      }
    }
    advance(call, call->count - 1, &at);
  }
  number sum;
  if (call->common == ACL_INT64)
    sum.i = (int64_t)whole;
  else
    sum.f = over_n(total + block, call);
  store(output->data, output->dtype, sum, call->common);
  if (elements(call->shape, call->rank) > 0) faulty_writes(call);
}

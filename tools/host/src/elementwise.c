/* Run a function over the elements of an output and of the inputs that broadcast to it. */
#include <string.h>

#include "host.h"

static void faulty_writes(const aclOpExecutor *call) {
  const view *input = &call->views[1], *output = &call->views[call->count - 1];
  if (FAULT(WRITES_INPUT)) input->data[0] ^= 1;
  if (FAULT(WRITES_PAST_VIEW)) {
    int64_t end = 1;
    for (uint64_t i = 0; i < output->rank; i++) end += (output->shape[i] - 1) * output->strides[i];
    memset(output->data + end * (int64_t)size_of(output->dtype), 0, size_of(output->dtype));
  }
}

void elementwise(const aclOpExecutor *call, element *function) {
  int inputs = call->count - 1;
  const view *output = &call->views[inputs];
  int64_t index[MAX_RANK] = {0}, count = elements(output->shape, output->rank), place[MAX_VIEWS] = {0};
  int64_t end = FAULT(DROPS_TAIL) && count > 1 ? count - count % 2 : count;
  for (int64_t done = 0; done < end; done++) {
    float in[MAX_VIEWS];
    for (int v = 0; v < inputs; v++) {
      const view *one = &call->views[v];
      in[v] = load(one->data + place[v] * (int64_t)size_of(one->dtype), one->dtype, call->common);
    }
    store(output->data + place[inputs] * (int64_t)size_of(output->dtype), output->dtype,
          rounded(function(in, call), call->common));
    for (uint64_t i = output->rank; i-- > 0;) { /* on to the next index, the last dimension first */
      bool carry = ++index[i] == output->shape[i];
      for (int v = 0; v <= inputs; v++) {
        int64_t stride = call->views[v].strides[i];
        place[v] += carry ? -stride * (output->shape[i] - 1) : stride;
      }
      if (!carry) break;
      index[i] = 0;
    }
  }
  if (count > 0) faulty_writes(call);
}

/* Faults that can be compiled in, one at a time, to see what a certification makes of them:
   -DACLNN_HOST_FAULT=FAULT_WRONG_N. */
#ifndef FAULTS_H
#define FAULTS_H

enum {
  FAULT_NONE,
  FAULT_IGNORES_STRIDES,
  FAULT_IGNORES_OFFSET,
  FAULT_WRITES_PAST_VIEW,
  FAULT_WRITES_INPUT,
  FAULT_DROPS_TAIL,          /* of an odd number of elements the last is not written */
  FAULT_WRONG_ENUM,          /* BFLOAT16 is taken for another number of aclDataType */
  FAULT_WRONG_N,             /* mean divides by the size of self */
  FAULT_STALE_N,             /* mean divides by the size of the first call that ended in the same dimension */
  FAULT_HALF_N,              /* mean holds the size in FLOAT16 */
  FAULT_INVALID_FOR_NULL,    /* 161002 for a null pointer */
  FAULT_CRASHES_ON_NULL,
  FAULT_NARROW_REDUCTION,    /* reduction is cut to 32 bits */
  FAULT_LOOPS,               /* for ever, in one rare call */
  FAULT_LEAKS_EXECUTOR,
  FAULT_FREES_EXECUTOR_TWICE,
  FAULT_OVERRUNS_WORKSPACE,
  FAULT_SKIPS_SYNCHRONISE,   /* aclrtSynchronizeStream returns before the work is done */
  FAULT_DEVICE_EXCEPTION     /* the device fails in one rare call */
};

#ifndef ACLNN_HOST_FAULT
#define ACLNN_HOST_FAULT FAULT_NONE
#endif

#define FAULT(name) (ACLNN_HOST_FAULT == FAULT_##name)

#endif

/* Generated from spec/operators/aclnnSmoothL1Loss.json by aclnn-spec build; do not edit.
 *
 * Checks the arguments of aclnnSmoothL1LossGetWorkspaceSize before anything is run: which clauses of the
 * specification does the call break, and with which status must it fail? C11 and C++11, no allocation, no state.
 */
#ifndef ACLNN_SPEC_aclnnSmoothL1Loss_CHECK_H
#define ACLNN_SPEC_aclnnSmoothL1Loss_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what the checks of all operators share; the same text in each of their headers ---- */

#ifndef ACLNN_SPEC_CHECK_SHARED
#define ACLNN_SPEC_CHECK_SHARED

/* A tensor as it was described to aclCreateTensor: values of aclDataType and aclFormat, and `rank` sizes. */
typedef struct aclnn_spec_tensor {
  int32_t dtype;
  int32_t format;
  uint64_t rank;
  const int64_t *shape; /* not read if rank is 0 */
} aclnn_spec_tensor;

/* A clause on errors: its id, the status of a call that breaks it, and what is then wrong, in UTF-8. */
typedef struct aclnn_spec_clause {
  const char *id;
  int32_t status;
  const char *zh;
  const char *en;
} aclnn_spec_clause;

/* What a call deserves. */
typedef struct aclnn_spec_diagnosis {
  int32_t status;  /* that of the first clause broken, 0 if none is */
  int32_t clause;  /* its index in the operator's clauses, -1 if none is */
  uint64_t broken; /* bit i is set if clause i is broken */
} aclnn_spec_diagnosis;

/* The data types that have a row in the deduction table, then the others. NONE is no type, or no common type. */
enum {
  ACLNN_SPEC_NONE,
  ACLNN_SPEC_FLOAT,
  ACLNN_SPEC_FLOAT16,
  ACLNN_SPEC_DOUBLE,
  ACLNN_SPEC_BFLOAT16,
  ACLNN_SPEC_INT8,
  ACLNN_SPEC_UINT8,
  ACLNN_SPEC_INT16,
  ACLNN_SPEC_UINT16,
  ACLNN_SPEC_INT32,
  ACLNN_SPEC_UINT32,
  ACLNN_SPEC_INT64,
  ACLNN_SPEC_UINT64,
  ACLNN_SPEC_BOOL,
  ACLNN_SPEC_COMPLEX32,
  ACLNN_SPEC_COMPLEX64,
  ACLNN_SPEC_COMPLEX128,
  ACLNN_SPEC_UNDEFINED,
  ACLNN_SPEC_STRING,
  ACLNN_SPEC_INT4,
  ACLNN_SPEC_UINT1,
  ACLNN_SPEC_HIFLOAT8,
  ACLNN_SPEC_FLOAT8_E5M2,
  ACLNN_SPEC_FLOAT8_E4M3FN,
  ACLNN_SPEC_FLOAT8_E8M0,
  ACLNN_SPEC_FLOAT6_E3M2,
  ACLNN_SPEC_FLOAT6_E2M3,
  ACLNN_SPEC_FLOAT4_E2M1,
  ACLNN_SPEC_FLOAT4_E1M2
};

/* A set of types has bit t set if t is in it. */
#define ACLNN_SPEC_SET(type) (UINT64_C(1) << ACLNN_SPEC_##type)

/* The type with this value of aclDataType. */
static inline int aclnn_spec_type(int32_t dtype) {
  switch (dtype) {
    case 0: return ACLNN_SPEC_FLOAT;
    case 1: return ACLNN_SPEC_FLOAT16;
    case 11: return ACLNN_SPEC_DOUBLE;
    case 27: return ACLNN_SPEC_BFLOAT16;
    case 2: return ACLNN_SPEC_INT8;
    case 4: return ACLNN_SPEC_UINT8;
    case 6: return ACLNN_SPEC_INT16;
    case 7: return ACLNN_SPEC_UINT16;
    case 3: return ACLNN_SPEC_INT32;
    case 8: return ACLNN_SPEC_UINT32;
    case 9: return ACLNN_SPEC_INT64;
    case 10: return ACLNN_SPEC_UINT64;
    case 12: return ACLNN_SPEC_BOOL;
    case 33: return ACLNN_SPEC_COMPLEX32;
    case 16: return ACLNN_SPEC_COMPLEX64;
    case 17: return ACLNN_SPEC_COMPLEX128;
    case -1: return ACLNN_SPEC_UNDEFINED;
    case 13: return ACLNN_SPEC_STRING;
    case 29: return ACLNN_SPEC_INT4;
    case 30: return ACLNN_SPEC_UINT1;
    case 34: return ACLNN_SPEC_HIFLOAT8;
    case 35: return ACLNN_SPEC_FLOAT8_E5M2;
    case 36: return ACLNN_SPEC_FLOAT8_E4M3FN;
    case 37: return ACLNN_SPEC_FLOAT8_E8M0;
    case 38: return ACLNN_SPEC_FLOAT6_E3M2;
    case 39: return ACLNN_SPEC_FLOAT6_E2M3;
    case 40: return ACLNN_SPEC_FLOAT4_E2M1;
    case 41: return ACLNN_SPEC_FLOAT4_E1M2;
    default: return ACLNN_SPEC_NONE;
  }
}

/* The common type of two, NONE if they have none. */
static const uint8_t aclnn_spec_deduction[17][17] = {
  /* no type    */ { 0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0},
  /* FLOAT      */ { 0,  1,  1,  3,  1,  1,  1,  1,  0,  1,  0,  1,  0,  1, 15, 15, 16},
  /* FLOAT16    */ { 0,  1,  2,  3,  1,  2,  2,  2,  0,  2,  0,  2,  0,  2, 14, 15, 16},
  /* DOUBLE     */ { 0,  3,  3,  3,  3,  3,  3,  3,  0,  3,  0,  3,  0,  3, 16, 16, 16},
  /* BFLOAT16   */ { 0,  1,  1,  3,  4,  4,  4,  4,  0,  4,  0,  4,  0,  4, 14, 15, 16},
  /* INT8       */ { 0,  1,  2,  3,  4,  5,  7,  7,  0,  9,  0, 11,  0,  5, 14, 15, 16},
  /* UINT8      */ { 0,  1,  2,  3,  4,  7,  6,  7,  0,  9,  0, 11,  0,  6, 14, 15, 16},
  /* INT16      */ { 0,  1,  2,  3,  4,  7,  7,  7,  0,  9,  0, 11,  0,  7, 14, 15, 16},
  /* UINT16     */ { 0,  0,  0,  0,  0,  0,  0,  0,  8,  0,  0,  0,  0,  0,  0,  0,  0},
  /* INT32      */ { 0,  1,  2,  3,  4,  9,  9,  9,  0,  9,  0, 11,  0,  9, 14, 15, 16},
  /* UINT32     */ { 0,  0,  0,  0,  0,  0,  0,  0,  0,  0, 10,  0,  0,  0,  0,  0,  0},
  /* INT64      */ { 0,  1,  2,  3,  4, 11, 11, 11,  0, 11,  0, 11,  0, 11, 14, 15, 16},
  /* UINT64     */ { 0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, 12,  0,  0,  0,  0},
  /* BOOL       */ { 0,  1,  2,  3,  4,  5,  6,  7,  0,  9,  0, 11,  0, 13, 14, 15, 16},
  /* COMPLEX32  */ { 0, 15, 14, 16, 14, 14, 14, 14,  0, 14,  0, 14,  0, 14, 14, 15, 16},
  /* COMPLEX64  */ { 0, 15, 15, 16, 15, 15, 15, 15,  0, 15,  0, 15,  0, 15, 15, 15, 16},
  /* COMPLEX128 */ { 0, 16, 16, 16, 16, 16, 16, 16,  0, 16,  0, 16,  0, 16, 16, 16, 16}
};

/* For each type the set of those that may be cast to it. */
static const uint64_t aclnn_spec_casting[29] = {
  /* no type       */ 0x00000,
  /* FLOAT         */ 0x03ffe,
  /* FLOAT16       */ 0x03ffe,
  /* DOUBLE        */ 0x03ffe,
  /* BFLOAT16      */ 0x03ffe,
  /* INT8          */ 0x03fe0,
  /* UINT8         */ 0x03fe0,
  /* INT16         */ 0x03fe0,
  /* UINT16        */ 0x03fe0,
  /* INT32         */ 0x03fe0,
  /* UINT32        */ 0x03fe0,
  /* INT64         */ 0x03fe0,
  /* UINT64        */ 0x03fe0,
  /* BOOL          */ 0x02000,
  /* COMPLEX32     */ 0x1fffe,
  /* COMPLEX64     */ 0x1fffe,
  /* COMPLEX128    */ 0x1fffe,
  /* UNDEFINED     */ 0x00000,
  /* STRING        */ 0x00000,
  /* INT4          */ 0x00000,
  /* UINT1         */ 0x00000,
  /* HIFLOAT8      */ 0x00000,
  /* FLOAT8_E5M2   */ 0x00000,
  /* FLOAT8_E4M3FN */ 0x00000,
  /* FLOAT8_E8M0   */ 0x00000,
  /* FLOAT6_E3M2   */ 0x00000,
  /* FLOAT6_E2M3   */ 0x00000,
  /* FLOAT4_E2M1   */ 0x00000,
  /* FLOAT4_E1M2   */ 0x00000
};

/* The type as it enters a deduction. */
static inline int aclnn_spec_deduced(int type) { return type < 17 ? type : ACLNN_SPEC_NONE; }

/* The types that a tensor may have in a deduction: its own, or any that the parameter lists for a null pointer. */
static inline uint64_t aclnn_spec_choices(const aclnn_spec_tensor *tensor, uint64_t listed) {
  return tensor ? UINT64_C(1) << aclnn_spec_deduced(aclnn_spec_type(tensor->dtype)) : listed;
}

/* The common types of each of some with each of others. */
static inline uint64_t aclnn_spec_common(uint64_t some, uint64_t others) {
  uint64_t common = 0;
  for (int a = 0; some != 0; a++, some >>= 1) {
    if (!(some & 1)) continue;
    uint64_t left = others;
    for (int b = 0; left != 0; b++, left >>= 1)
      if (left & 1) common |= UINT64_C(1) << aclnn_spec_deduction[a][b];
  }
  return common;
}

/* The rules. A null pointer breaks none of them but `not_null`, unless whatever stood in its place would. */

static inline bool aclnn_spec_deducible(uint64_t common) { return (common & ~ACLNN_SPEC_SET(NONE)) != 0; }

static inline bool aclnn_spec_deduced_in(uint64_t common, uint64_t types) {
  return (common & (types | ACLNN_SPEC_SET(NONE))) != 0;
}

static inline bool aclnn_spec_castable(uint64_t common, const aclnn_spec_tensor *to) {
  return !to || (common & (aclnn_spec_casting[aclnn_spec_type(to->dtype)] | ACLNN_SPEC_SET(NONE))) != 0;
}

static inline bool aclnn_spec_dtype_in(const aclnn_spec_tensor *tensor, uint64_t types) {
  return !tensor || (types >> aclnn_spec_type(tensor->dtype) & 1);
}

static inline bool aclnn_spec_dtype_not_in(const aclnn_spec_tensor *tensor, uint64_t types) {
  return !tensor || !(types >> aclnn_spec_type(tensor->dtype) & 1);
}

static inline bool aclnn_spec_same_dtype(const aclnn_spec_tensor *const *tensors, int count) {
  const aclnn_spec_tensor *first = NULL;
  for (int i = 0; i < count; i++) {
    if (!first) first = tensors[i];
    if (tensors[i] && tensors[i]->dtype != first->dtype) return false;
  }
  return true;
}

static inline bool aclnn_spec_not_both(const aclnn_spec_tensor *one, uint64_t ones, const aclnn_spec_tensor *other,
                                       uint64_t others) {
  return !one || !other || !(ones >> aclnn_spec_type(one->dtype) & 1) || !(others >> aclnn_spec_type(other->dtype) & 1);
}

static inline bool aclnn_spec_format_is(const aclnn_spec_tensor *tensor, int32_t format) {
  return !tensor || tensor->format == format;
}

static inline bool aclnn_spec_max_rank(const aclnn_spec_tensor *tensor, uint64_t rank) {
  return !tensor || tensor->rank <= rank;
}

static inline bool aclnn_spec_min_rank(const aclnn_spec_tensor *tensor, uint64_t rank) {
  return !tensor || tensor->rank >= rank;
}

/* The rank that these tensors broadcast to. */
static inline uint64_t aclnn_spec_rank(const aclnn_spec_tensor *const *tensors, int count) {
  uint64_t rank = 0;
  for (int i = 0; i < count; i++)
    if (tensors[i] && tensors[i]->rank > rank) rank = tensors[i]->rank;
  return rank;
}

/* The size that these tensors broadcast to in one dimension, the last being 0; false if they do not fit there. */
static inline bool aclnn_spec_size(const aclnn_spec_tensor *const *tensors, int count, uint64_t dimension,
                                   int64_t *size) {
  *size = 1;
  for (int i = 0; i < count; i++) {
    const aclnn_spec_tensor *one = tensors[i];
    if (!one || dimension >= one->rank) continue;
    const int64_t own = one->shape[one->rank - 1 - dimension];
    if (own == 1 || own == *size) continue;
    if (*size != 1) return false;
    *size = own;
  }
  return true;
}

static inline bool aclnn_spec_broadcastable(const aclnn_spec_tensor *const *tensors, int count) {
  const uint64_t rank = aclnn_spec_rank(tensors, count);
  int64_t size;
  for (uint64_t dimension = 0; dimension < rank; dimension++)
    if (!aclnn_spec_size(tensors, count, dimension, &size)) return false;
  return true;
}

/* Whether the output has the broadcast shape of these tensors; true if they have none. In a null pointer's place any
   shape could stand, so that the output may then be larger than what the others broadcast to. */
static inline bool aclnn_spec_shape_is_broadcast(const aclnn_spec_tensor *output,
                                                 const aclnn_spec_tensor *const *tensors, int count) {
  if (!output || !aclnn_spec_broadcastable(tensors, count)) return true;
  const uint64_t rank = aclnn_spec_rank(tensors, count);
  bool complete = true;
  for (int i = 0; i < count; i++) complete = complete && tensors[i];
  if (complete ? output->rank != rank : output->rank < rank) return false;
  for (uint64_t dimension = 0; dimension < rank; dimension++) {
    int64_t size;
    (void)aclnn_spec_size(tensors, count, dimension, &size);
    if (output->shape[output->rank - 1 - dimension] != size && (complete || size != 1)) return false;
  }
  return true;
}

/* The diagnosis of a call from what it satisfies: the first clause that does not hold decides. */
static inline aclnn_spec_diagnosis aclnn_spec_conclude(const bool *holds, const aclnn_spec_clause *clauses,
                                                       int count) {
  aclnn_spec_diagnosis diagnosis = {0, -1, 0};
  for (int i = count - 1; i >= 0; i--) {
    if (holds[i]) continue;
    diagnosis.status = clauses[i].status;
    diagnosis.clause = i;
    diagnosis.broken |= UINT64_C(1) << i;
  }
  return diagnosis;
}

#endif

/* ---- aclnnSmoothL1LossGetWorkspaceSize ---- */

/* What a call can break, in the order of checking. */
static const aclnn_spec_clause aclnnSmoothL1Loss_clauses[] = {
  {"nullptr", 161001,
   "self、target 或 result 是空指针。",
   "One of the tensors self, target and result is a null pointer."},
  {"null_handles", 161001,
   "workspaceSize 或 executor 是空指针，第一段没有地方写回结果。",
   "workspaceSize or executor is a null pointer, so phase 1 has nowhere to write its answer."},
  {"dtypes", 161002,
   "self 或 target 的类型不是 FLOAT、FLOAT16 或 BFLOAT16。result 的类型由 castable 和 wide_output 规定。",
   "The type of self or target is not FLOAT, FLOAT16 or BFLOAT16. What result may be is said by castable and wide_output."},
  {"castable", 161002,
   "推导出的类型不能转换到 result 的类型，例如 result 是整数或 BOOL。",
   "No cast leads from the deduced type to result's, as when result is an integer type or BOOL."},
  {"max_rank", 161002,
   "self 与 target 中有超过 8 维的张量。",
   "self or target has more than 8 dimensions."},
  {"reduction", 161002,
   "reduction 不是 0、1、2 之一；负数和 64 位整数的两端同样不行。",
   "reduction is none of 0, 1, 2; negative numbers and the ends of the 64-bit range count too."},
  {"beta_negative", 161002,
   "beta 小于 0。",
   "beta is below 0."},
  {"broadcastable", 161002,
   "self 与 target 的形状不能一起广播。",
   "The shapes of self and target do not broadcast together."},
  {"output_shape", 161002,
   "reduction 为 none 时，result 的形状不等于两个输入广播后的形状。",
   "With none, result's shape is not the one that the two inputs broadcast to."},
};

/* Check a call of phase 1. Values that are in no enum are types and formats that no rule allows. The two last pointers
   are only compared with null. */
static inline aclnn_spec_diagnosis aclnnSmoothL1Loss_check(
    const aclnn_spec_tensor *self,
    const aclnn_spec_tensor *target,
    int64_t reduction,
    float beta,
    const aclnn_spec_tensor *result,
    const void *workspaceSize,
    const void *executor) {
  const uint64_t self_types_ =
      aclnn_spec_choices(self, ACLNN_SPEC_SET(FLOAT) | ACLNN_SPEC_SET(FLOAT16) | ACLNN_SPEC_SET(BFLOAT16));
  const uint64_t target_types_ =
      aclnn_spec_choices(target, ACLNN_SPEC_SET(FLOAT) | ACLNN_SPEC_SET(FLOAT16) | ACLNN_SPEC_SET(BFLOAT16));
  const uint64_t self_target_common_ = aclnn_spec_common(self_types_, target_types_);
  const aclnn_spec_tensor *const self_target_[] = {self, target};
  const bool holds_[] = {
      /* nullptr */ self != NULL && target != NULL && result != NULL,
      /* null_handles */ workspaceSize != NULL && executor != NULL,
      /* dtypes */ aclnn_spec_dtype_in(self, ACLNN_SPEC_SET(FLOAT) | ACLNN_SPEC_SET(FLOAT16) |
          ACLNN_SPEC_SET(BFLOAT16)) && aclnn_spec_dtype_in(target, ACLNN_SPEC_SET(FLOAT) | ACLNN_SPEC_SET(FLOAT16) |
          ACLNN_SPEC_SET(BFLOAT16)),
      /* castable */ aclnn_spec_castable(self_target_common_, result),
      /* max_rank */ aclnn_spec_max_rank(self, 8) && aclnn_spec_max_rank(target, 8),
      /* reduction */ (reduction == INT64_C(0) || reduction == INT64_C(1) || reduction == INT64_C(2)),
      /* beta_negative */ !(beta < 0.0f),
      /* broadcastable */ aclnn_spec_broadcastable(self_target_, 2),
      /* output_shape */ (!((reduction == INT64_C(0))) || (aclnn_spec_shape_is_broadcast(result, self_target_, 2))),
  };
  return aclnn_spec_conclude(holds_, aclnnSmoothL1Loss_clauses, 9);
}

#endif

/* Elements of any type as FLOAT, by way of the type that is computed in, and back. Rounding is to nearest, ties to
   even, once. */
#include <math.h>
#include <string.h>

#include "host.h"

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float value_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Drop the lowest `count` bits of a magnitude, rounding what remains. */
static uint32_t drop(uint32_t magnitude, int count) {
  uint32_t kept = magnitude >> count, rest = magnitude & ((UINT32_C(1) << count) - 1);
  uint32_t half = UINT32_C(1) << (count - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

uint16_t half_bits(float value) {
  uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFF;
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  if (magnitude > 0x7F800000) return sign | 0x7E00;
  if (magnitude >= 0x47800000) return sign | 0x7C00; /* 2^16 and above, infinity */
  if (magnitude >= 0x38800000)                       /* normal: the exponent's bias goes from 127 to 15 */
    return sign | (uint16_t)drop(magnitude - ((127 - 15) << 23), 13); /* a carry makes the next binade, or infinity */
  int exponent = (int)(magnitude >> 23);
  if (exponent < 102) return sign; /* below half of the smallest subnormal, 2^-25 */
  return sign | (uint16_t)drop((magnitude & 0x7FFFFF) | 0x800000, 126 - exponent);
}

float half_value(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
  if (exponent == 0x1F) return value_of(sign | 0x7F800000 | fraction << 13);
  if (exponent != 0) return value_of(sign | (exponent + 127 - 15) << 23 | fraction << 13);
  float magnitude = (float)fraction * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

static uint16_t bfloat_bits(float value) {
  uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFF;
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  if (magnitude > 0x7F800000) return sign | 0x7FC0;
  return sign | (uint16_t)drop(magnitude, 16);
}

static float bfloat_value(uint16_t bits) { return value_of((uint32_t)bits << 16); }

float rounded(float value, int32_t dtype) {
  if (dtype == ACL_FLOAT16) return half_value(half_bits(value));
  if (dtype == ACL_BF16) return bfloat_value(bfloat_bits(value));
  return value;
}

/* An integer as a number of the type: first rounded to the type's precision, where it is still an integer and exact in
   FLOAT, then to the type, which only its range can change. */
static float from_integer(int64_t value, int32_t dtype) {
  int precision = dtype == ACL_FLOAT16 ? 11 : dtype == ACL_BF16 ? 8 : 24;
  uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
  int extra = 0;
  while (extra < 64 && magnitude >> extra >= UINT64_C(1) << precision) extra++;
  if (extra > 0) {
    uint64_t kept = magnitude >> extra, rest = magnitude & ((UINT64_C(1) << extra) - 1);
    uint64_t half = UINT64_C(1) << (extra - 1);
    magnitude = (kept + (rest > half || (rest == half && (kept & 1)))) << extra;
  }
  float result = (float)magnitude;
  return rounded(value < 0 ? -result : result, dtype);
}

uint64_t size_of(int32_t dtype) {
  switch (dtype) {
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8: return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16: return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32: return 4;
    case ACL_COMPLEX128: return 16;
    default: return 8;
  }
}

static int64_t whole(const unsigned char *at, int32_t dtype) {
  int16_t i16;
  int32_t i32;
  int64_t i64;
  switch (dtype) {
    case ACL_BOOL: return *at != 0;
    case ACL_UINT8: return *at;
    case ACL_INT8: return (int8_t)*at;
    case ACL_INT16: memcpy(&i16, at, sizeof i16); return i16;
    case ACL_INT32: memcpy(&i32, at, sizeof i32); return i32;
    default: memcpy(&i64, at, sizeof i64); return i64; /* no other integer is deduced to a type computed in */
  }
}

number load(const unsigned char *at, int32_t dtype, int32_t common) {
  uint16_t u16;
  number one;
  switch (dtype) {
    case ACL_FLOAT: memcpy(&one.f, at, sizeof one.f); break;
    case ACL_FLOAT16: memcpy(&u16, at, sizeof u16); one.f = half_value(u16); break;
    case ACL_BF16: memcpy(&u16, at, sizeof u16); one.f = bfloat_value(u16); break;
    default:
      one.i = whole(at, dtype);
      if (common != ACL_INT64) one.f = from_integer(one.i, common);
      return one;
  }
  one.f = rounded(one.f, common);
  return one;
}

static void store_integer(unsigned char *at, int32_t dtype, int64_t value) {
  memcpy(at, &value, size_of(dtype)); /* little-endian: the first bytes are the narrower integer */
}

/* A value of the type that is computed in, in a narrower float type. */
static float narrowed(number value, int32_t dtype, int32_t common) {
  return common == ACL_INT64 ? from_integer(value.i, dtype) : rounded(value.f, common);
}

void store(unsigned char *at, int32_t dtype, number value, int32_t common) {
  float single = narrowed(value, ACL_FLOAT, common);
  uint16_t u16[2] = {0, 0};
  float f[2] = {single, 0};
  double d[2] = {common == ACL_INT64 ? (double)value.i : single, 0};
  switch (dtype) {
    case ACL_FLOAT: memcpy(at, f, sizeof f[0]); break;
    case ACL_COMPLEX64: memcpy(at, f, sizeof f); break;
    case ACL_DOUBLE: memcpy(at, d, sizeof d[0]); break;
    case ACL_COMPLEX128: memcpy(at, d, sizeof d); break;
    case ACL_BF16: u16[0] = bfloat_bits(narrowed(value, ACL_BF16, common)); memcpy(at, u16, sizeof u16[0]); break;
    case ACL_FLOAT16: u16[0] = half_bits(narrowed(value, ACL_FLOAT16, common)); memcpy(at, u16, sizeof u16[0]); break;
    case ACL_COMPLEX32: u16[0] = half_bits(narrowed(value, ACL_FLOAT16, common)); memcpy(at, u16, sizeof u16); break;
    default:
      if (common == ACL_INT64) store_integer(at, dtype, value.i); /* a float casts to no other type */
  }
}

"""Right implementations that differ where the spec leaves values open: NaN, infinities, zeros, subnormals, casts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aclnn_spec.spec.model import Text

from .arithmetic import native
from .base import INVALID, LARGEST, LEAST, Call, Floats, Kernel, Scale, cast, compare, multiply, rounded

FLUSHED: Mapping[str, tuple[str, ...]] = {"subnormals": ("flush",), "subnormals_on_the_way": ("flush",)}
PARTLY_FLUSHED: Mapping[str, tuple[str, ...]] = {"subnormals": ("flush",), "subnormals_on_the_way": ("keep", "flush")}
"""Who compares makes no difference that could be flushed, and who flushes results alone keeps operands."""
SATURATED: Mapping[str, tuple[str, ...]] = {"cast_overflow": ("largest",)}
SELECTED: Mapping[str, tuple[str, ...]] = {"grad_nonfinite_at_tie": ("zero",)}

PAYLOAD = np.uint32(0xFFC12345)


def subtract(one: Floats, other: Floats, dtype: str) -> Floats:
    """Give the sign of the difference, taken in the common type: NaN of NaN and of equal infinities."""
    return np.sign(rounded(one - other, dtype))


def subtract_without_nan(one: Floats, other: Floats, dtype: str) -> Floats:
    """Give the sign of the difference, and 0 where that is NaN."""
    return np.nan_to_num(subtract(one, other, dtype), nan=0)


def not_less(one: Floats, other: Floats, dtype: str) -> Floats:  # noqa: ARG001
    """Ask whether less, then whether equal: NaN is neither and counts as greater."""
    return np.where(one < other, np.float32(-1), np.where(one == other, np.float32(0), np.float32(1)))


def not_greater(one: Floats, other: Floats, dtype: str) -> Floats:  # noqa: ARG001
    """Ask whether greater, then whether equal: NaN is neither and counts as less."""
    return np.where(one > other, np.float32(1), np.where(one == other, np.float32(0), np.float32(-1)))


def compare_or_nan(one: Floats, other: Floats, dtype: str) -> Floats:
    """Compare, and keep NaN."""
    return np.where(np.isnan(one) | np.isnan(other), np.float32(np.nan), compare(one, other, dtype))


def select(grad: Floats, sign: Floats, scale: Scale) -> Floats:
    """Select gradOutput, its negative or zero, where a product would make NaN of infinity."""
    scaled = scale(grad)
    return np.where(sign > 0, scaled, np.where(sign < 0, -scaled, np.zeros_like(scaled)))


def flush(values: Floats, dtype: str) -> Floats:
    """Put zero, with the sign, where a value is subnormal in the type."""
    return np.where(np.abs(values) < LEAST[dtype], np.copysign(np.float32(0), values), values)


def flush_rounded(values: Floats, dtype: str) -> Floats:
    """Round to a type, then flush."""
    return flush(rounded(values, dtype), dtype)


def flush_before(values: Floats, dtype: str) -> Floats:
    """Flush what is subnormal before it is rounded, and what still is afterwards."""
    return flush_rounded(flush(values, dtype), dtype)


def subtract_and_flush(one: Floats, other: Floats, dtype: str) -> Floats:
    """Give the sign of the difference, which is flushed as everything else is."""
    return np.nan_to_num(np.sign(flush_rounded(one - other, dtype)), nan=0)


def saturate(values: Floats, source: str, target: str) -> Floats:  # noqa: ARG001
    """Stop at the largest finite value; an infinity stays one."""
    near = rounded(values, target)
    beyond = np.isinf(near) & np.isfinite(values)
    return np.where(beyond, np.copysign(np.float32(LARGEST[target]), values), near)


def saturate_all(values: Floats, source: str, target: str) -> Floats:
    """Stop at the largest finite value on the way to a smaller range, infinities too."""
    near = rounded(values, target)
    if LARGEST[source] <= LARGEST[target]:
        return near
    return np.where(np.isinf(near), np.copysign(np.float32(LARGEST[target]), values), near)


def saturate_and_flush(values: Floats, source: str, target: str) -> Floats:
    """Stop at the largest finite value, and at the smallest normal one."""
    return flush(saturate(values, source, target), target)


def cast_and_flush(values: Floats, source: str, target: str) -> Floats:
    """Cast to another type, then flush."""
    return flush(cast(values, source, target), target)


def cast_and_flush_before(values: Floats, source: str, target: str) -> Floats:  # noqa: ARG001
    """Cast to another type, flushing before the cast rounds and afterwards."""
    return flush_before(values, target)


def positive_zeros(grad: Floats, sign: Floats, scale: Scale) -> Floats:
    """Multiply, and add zero, which no negative zero outlives."""
    return multiply(grad, sign, scale) + np.float32(0)


def negative_zeros(grad: Floats, sign: Floats, scale: Scale) -> Floats:
    """Multiply, and make every zero negative."""
    values = multiply(grad, sign, scale)
    return np.where(values == 0, np.float32(-0.0), values)


def odd_nan(grad: Floats, sign: Floats, scale: Scale) -> Floats:
    """Multiply, and give NaN a sign and a payload."""
    values = multiply(grad, sign, scale)
    return np.where(np.isnan(values), PAYLOAD.view(np.float32), values)


def native_and_flush(values: Floats, call: Call) -> Floats:
    """Compute mean in the common type, flushing what it makes subnormal."""
    return flush(native(values, call), call.common)


VALUES = (
    Kernel(
        name="select",
        text=Text(
            zh="按大小选择 gradOutput、其相反数或零，不做乘法",
            en="selects gradOutput, its negative or zero, and multiplies nothing",
        ),
        shows=SELECTED,
        formula=select,
    ),
    Kernel(
        name="select-greater-by-default",
        text=Text(
            zh="先问小于，再问等于，其余都算大于：NaN 得到 gradOutput",
            en="asks for less, then for equal, and takes the rest for greater: NaN gives gradOutput",
        ),
        shows={**SELECTED, "nan_operand": ("plus_minus_grad",)},
        sign=not_less,
        formula=select,
    ),
    Kernel(
        name="select-less-by-default",
        text=Text(
            zh="先问大于，再问等于，其余都算小于：NaN 得到 −gradOutput",
            en="asks for greater, then for equal, and takes the rest for less: NaN gives −gradOutput",
        ),
        shows={**SELECTED, "nan_operand": ("plus_minus_grad",)},
        sign=not_greater,
        formula=select,
    ),
    Kernel(
        name="keeps-nan",
        text=Text(zh="比较大小，但保留操作数中的 NaN", en="compares, and keeps an operand's NaN"),
        shows={"nan_operand": ("nan",)},
        sign=compare_or_nan,
    ),
    Kernel(
        name="subtract",
        text=Text(
            zh="取差的符号：NaN 与相等的无穷都得到 NaN",
            en="takes the sign of the difference: NaN and equal infinities give NaN",
        ),
        shows={"nan_operand": ("nan",), "equal_infinities": ("nan",)},
        sign=subtract,
    ),
    Kernel(
        name="subtract-without-nan",
        text=Text(zh="取差的符号，差为 NaN 时取 0", en="takes the sign of the difference, and 0 where that is NaN"),
        sign=subtract_without_nan,
    ),
    Kernel(
        name="positive-zeros",
        text=Text(zh="只给出正零", en="gives positive zeros only"),
        formula=positive_zeros,
    ),
    Kernel(
        name="negative-zeros",
        text=Text(zh="只给出负零", en="gives negative zeros only"),
        formula=negative_zeros,
    ),
    Kernel(
        name="odd-nan",
        text=Text(zh="给出的 NaN 带符号和载荷", en="gives NaN with a sign and a payload"),
        formula=odd_nan,
    ),
    Kernel(
        name="flush",
        text=Text(
            zh="处处把次正规数清零：读入、转换、写出", en="flushes subnormals everywhere: read, converted and stored"
        ),
        shows=PARTLY_FLUSHED,
        operand=flush,
        into_common=flush_rounded,
        cast=cast_and_flush,
    ),
    Kernel(
        name="flush-results",
        text=Text(zh="只在写出时把次正规数清零", en="flushes subnormals only where it stores"),
        shows=PARTLY_FLUSHED,
        into_common=flush_rounded,
        cast=cast_and_flush,
    ),
    Kernel(
        name="flush-differences",
        text=Text(
            zh="先相减再取符号，差也清零", en="subtracts, and flushes the difference as it does operands and results"
        ),
        shows=FLUSHED,
        operand=flush,
        sign=subtract_and_flush,
        into_common=flush_rounded,
        cast=cast_and_flush,
    ),
    Kernel(
        name="flush-before-rounding",
        text=Text(
            zh="舍入之前就把次正规数清零", en="flushes what is subnormal before it is rounded, and not only afterwards"
        ),
        shows=PARTLY_FLUSHED,
        operand=flush,
        into_common=flush_before,
        cast=cast_and_flush_before,
    ),
    Kernel(
        name="saturate",
        text=Text(zh="转换溢出时停在最大有限值", en="stops at the largest finite value where a cast overflows"),
        shows=SATURATED,
        cast=saturate,
    ),
    Kernel(
        name="saturate-infinities",
        text=Text(
            zh="转换溢出时停在最大有限值，无穷也一样",
            en="stops at the largest finite value in casts, even of infinities",
        ),
        shows={**SATURATED, "infinity_in_cast": ("largest",)},
        cast=saturate_all,
    ),
    Kernel(
        name="vector-core",
        text=Text(
            zh="集中多种做法：清零、饱和、选择、半精度 mean、拒绝 0 维和整数",
            en="many of these at once: flushes, saturates, selects, computes in half, refuses rank 0 and integers",
        ),
        shows={
            **PARTLY_FLUSHED,
            **SATURATED,
            **SELECTED,
            "rank_0": ("ACLNN_ERR_PARAM_INVALID",),
            "integer_mix": ("ACLNN_ERR_PARAM_INVALID",),
        },
        operand=flush,
        formula=select,
        scale=native_and_flush,
        into_common=flush_rounded,
        cast=saturate_and_flush,
        refuses={"rank_0": INVALID, "integer_mix": INVALID},
    ),
)

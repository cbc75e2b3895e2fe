"""Right implementations that differ in how they compute: the factor of mean, its precision, and the order."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from aclnn_spec.spec.model import Text

from .base import KINDS, LEAST, Call, Floats, Kernel, Scale, rounded

BLOCK = 64
"""Elements that the blocked kernel writes at a time."""


def divide(values: Floats, call: Call) -> Floats:
    """Divide by N in FLOAT."""
    return values / np.float32(call.count)


def divide_by_each(values: Floats, call: Call) -> Floats:
    """Divide the values by one dimension after the other, rounding each time."""
    return reduce(lambda each, size: each / np.float32(size), call.shape, values)


def factor_of_each(values: Floats, call: Call) -> Floats:
    """Divide 1 by one dimension after the other, and multiply with what comes of it."""
    return values * reduce(lambda each, size: each / np.float32(size), call.shape, np.float32(1))


def reciprocals(values: Floats, call: Call) -> Floats:
    """Multiply the reciprocals of all dimensions, and multiply with what comes of it."""
    return values * reduce(lambda each, size: each * (np.float32(1) / np.float32(size)), call.shape, np.float32(1))


def native(values: Floats, call: Call) -> Floats:
    """Hold 1/N in the common type unless it is subnormal there, and round the product to that type."""
    exact = np.float32(1) / np.float32(call.count)
    held = rounded(exact, call.common)
    return rounded(values * (held if held >= LEAST[call.common] else exact), call.common)


def in_double(values: Floats, call: Call) -> Floats:
    """Divide in double precision; the result is rounded once, later."""
    return values.astype(np.float64) / call.count


def fused(values: Floats, call: Call) -> Floats:
    """Add the product with 1/N to zero, rounding once."""
    return (values.astype(np.float64) * np.float64(np.float32(1) / np.float32(call.count)) + 0.0).astype(np.float32)


def corrected(values: Floats, call: Call) -> Floats:
    """Estimate the quotient by 1/N and correct it by the remainder, both fused, as division units do."""
    count = float(call.count)
    quotient = values * (np.float32(1) / np.float32(count))
    # Products of two FLOATs are exact in double precision: what is rounded to FLOAT is rounded once.
    remainder = (values.astype(np.float64) - quotient.astype(np.float64) * count).astype(np.float32)
    better = quotient.astype(np.float64) + remainder.astype(np.float64) / count
    return np.where(np.isfinite(quotient), better, quotient).astype(np.float32)


def scale_first(grad: Floats, sign: Floats, scale: Scale) -> Floats:
    """Scale gradOutput before it gets its sign."""
    return sign * scale(grad)


def scale_sign(grad: Floats, sign: Floats, scale: Scale) -> Floats:
    """Scale the sign before it is multiplied with gradOutput."""
    return scale(sign) * grad


def not_rounded(values: Floats, dtype: str) -> Floats:  # noqa: ARG001
    """Stay in FLOAT where the common type is narrower: only the store rounds."""
    return values.astype(np.float32)


def toward_zero(values: Floats, dtype: str) -> Floats:
    """Cut a result for mean off at the common type's last place; what it holds exactly stays."""
    if dtype == "FLOAT":
        return values.astype(np.float32)
    near = rounded(values, dtype)
    wide = np.abs(near) > np.abs(values)
    lower = np.nextafter(near.astype(KINDS[dtype]), KINDS[dtype].type(0)).astype(np.float32)
    return np.where(wide & np.isfinite(near), lower, near)


def backwards(target: npt.NDArray[Any], values: npt.NDArray[Any]) -> None:
    """Write the last element first."""
    turned = (slice(None, None, -1),) * target.ndim
    target[turned] = values[turned]


def in_blocks(target: npt.NDArray[Any], values: npt.NDArray[Any]) -> None:
    """Write blocks along the first dimension, the odd ones before the even ones."""
    if not target.ndim:
        target[...] = values
        return
    size = max(BLOCK, math.isqrt(target.shape[0]) + 1)
    starts = range(0, target.shape[0], size)
    for start in (*starts[1::2], *starts[::2]):
        target[start : start + size] = values[start : start + size]


ARITHMETIC = (
    Kernel(
        name="reciprocal",
        text=Text(zh="在 FLOAT 中计算，mean 乘以 1/N", en="computes in FLOAT and multiplies with 1/N for mean"),
    ),
    Kernel(
        name="divide",
        text=Text(zh="在 FLOAT 中计算，mean 除以 N", en="computes in FLOAT and divides by N for mean"),
        scale=divide,
    ),
    Kernel(
        name="divide-by-each",
        text=Text(zh="mean 依次除以每一维，每次都舍入", en="divides by each dimension in turn, rounding each time"),
        scale=divide_by_each,
    ),
    Kernel(
        name="factor-of-each",
        text=Text(
            zh="用 1 依次除以每一维得到系数，再乘一次",
            en="divides 1 by each dimension in turn and multiplies with that factor",
        ),
        scale=factor_of_each,
    ),
    Kernel(
        name="reciprocals",
        text=Text(zh="系数是各维倒数之积", en="multiplies with the product of the dimensions' reciprocals"),
        scale=reciprocals,
    ),
    Kernel(
        name="scale-first",
        text=Text(zh="先缩放 gradOutput，再乘符号", en="scales gradOutput first and gives it its sign afterwards"),
        formula=scale_first,
    ),
    Kernel(
        name="scale-sign",
        text=Text(zh="先缩放符号，再乘 gradOutput", en="scales the sign first and multiplies it with gradOutput"),
        formula=scale_sign,
    ),
    Kernel(
        name="native-half",
        text=Text(
            zh="mean 用公共类型本身的运算，系数和乘积各舍入一次；1/N 落入次正规时留在 FLOAT",
            en="computes mean in the common type itself, factor and product both rounded; a subnormal 1/N stays FLOAT",
        ),
        scale=native,
    ),
    Kernel(
        name="double",
        text=Text(zh="用双精度计算，只舍入一次", en="computes in double precision and rounds once"),
        scale=in_double,
    ),
    Kernel(
        name="double-to-output",
        text=Text(
            zh="用双精度计算 mean，不经公共类型，直接舍入到输出类型",
            en="computes mean in double precision and rounds straight to the output's type",
        ),
        scale=in_double,
        into_common=not_rounded,
    ),
    Kernel(
        name="float-to-output",
        text=Text(
            zh="半精度也留在 FLOAT 中，写出时才舍入",
            en="stays in FLOAT for halves, too, and rounds only where it stores",
        ),
        into_common=not_rounded,
    ),
    Kernel(
        name="fused",
        text=Text(zh="mean 用一次乘加，加数为零", en="uses one fused multiply-add for mean, with zero added"),
        scale=fused,
    ),
    Kernel(
        name="corrected-quotient",
        text=Text(
            zh="先用 1/N 估商，再用乘加修正余数",
            en="estimates the quotient by 1/N and corrects it by the remainder, fused",
        ),
        scale=corrected,
    ),
    Kernel(
        name="toward-zero",
        text=Text(
            zh="半精度 mean 的结果向零截断而非就近舍入（仍在 2 ULP 以内）",
            en="rounds half results of mean toward zero, which is still within 2 ULP",
        ),
        scale=divide,
        into_common=toward_zero,
    ),
    Kernel(
        name="backwards",
        text=Text(zh="从最后一个元素写到第一个", en="writes from the last element to the first"),
        write=backwards,
    ),
    Kernel(
        name="in-blocks",
        text=Text(zh="按块乱序写出", en="writes in blocks, and not in their order"),
        write=in_blocks,
    ),
)

"""N and the scale: which size mean divides by, how wide it is, how precisely it is applied, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from aclnn_spec.golden.cases.author import Author
from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS, round_to
from aclnn_spec.spec.operator import Operator

from .formulas import mixes
from .kernel import Call, Single, scale
from .kernel import settle as right
from .mutant import Sketch, wrong


def rounded(value: Any, dtype: str) -> Any:
    """A number or array in another type's precision."""
    return round_to(np.asarray(value, np.float32), FORMATS[dtype])[()]


def by(count: Callable[[Call], float]) -> Callable[[Call], None]:
    """A plan with another count; where that would be nothing, 1."""

    def plan(call: Call) -> None:
        call.count = call.count and (count(call) or 1)

    return plan


def over(call: Call, values: Single) -> Array:
    """The values over a count that need not be whole."""
    return values.astype(np.float64) / float(call.count)


def times(factor: Callable[[Call, Any], Any], dtypes: tuple[str, ...] = tuple(FORMATS)) -> Callable[..., Array]:
    """Multiplying with a reciprocal of less than full precision, where the common type is one of these."""

    def scaled(call: Call, values: Single) -> Array:
        if call.common not in dtypes:
            return scale(call, values)
        return values * np.float32(factor(call, np.float32(1) / np.float32(call.count)))

    return scaled


def _within(dtype: str, factor: float) -> Callable[[Call, Array], Array]:
    """Rounding for a mean that is off by a factor in one type."""

    def settle(call: Call, values: Array) -> Array:
        off = call.common == dtype and call.mode == "mean"
        return right(call, values * values.dtype.type(factor) if off else values)

    return settle


def _by_dimension(call: Call, values: Single) -> Array:
    return reduce(lambda left, size: rounded(left / np.float32(size), call.common), call.shape, values)


def _dimensions(bits: int) -> Callable[[Call], int]:
    return lambda c: prod(size & (2**bits - 1) or 1 for size in c.shape)


def _padded(block: int) -> Callable[[Call], int]:
    return lambda c: -(-prod(c.shape) // block) * block


_HUGE = ("uint24", "at-most-2-24", "dimensions-in-16-bits", "in-half-in-mix")
"""Those that show in sizes that cases of sums do not have: of as many equal terms a sum in FLOAT may be as wrong."""
_STRIDED = ("divides-not-when-strided",)
"""Those about an output of many elements."""
_ROUNDED = ("by-dimension-in-half", "reciprocal-of-20-bits")
"""Those that are off by a few units in the last place, which operators that round without mean are allowed."""


_MIXED = (
    *("in-half-in-mix", "mixed-in-FLOAT16", "mixed-in-BFLOAT16", "mixed-off"),
    *("divides-for-mixed-sum", "divides-not-when-mixed"),
)
"""Those about inputs of several types."""


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family."""
    left_out = (*_HUGE, *_STRIDED) if operator.output.reduced else ()
    if not Author(operator=operator).exact:
        left_out += _ROUNDED if operator.output.reduced else (*_ROUNDED, "half-in-bfloat16")
    left_out += () if mixes(operator) else _MIXED
    yield from (sketch for sketch in _mutants(operator) if sketch.name not in left_out)


def _mutants(operator: Operator) -> Iterator[Sketch]:
    names = tuple(p.name for p in operator.inputs)
    for name in names:
        yield wrong(
            f"of-{name}",
            f"divides by the number of {name}'s elements",
            f"除以 {name} 的元素个数",
            "mean",
            plan=by(lambda c, name=name: c.size(name)),
        )
        others = tuple(each for each in names if each != name)
        yield wrong(
            f"without-{name}",
            f"divides by the size that {' and '.join(others)} broadcast to",
            f"除以 {'、'.join(others)} 广播后的元素个数",
            "mean",
            plan=by(lambda c, others=others: c.size(*others)),
        )
    yield wrong(
        "largest-input",
        "divides by the size of the largest input",
        "除以最大的输入的元素个数",
        "mean",
        plan=by(lambda c: max(c.size(each) for each in c.inputs)),
    )
    for name, en, zh, count in (
        ("last-dimension", "the last dimension", "最后一维的大小", lambda c: prod(c.shape[-1:])),
        ("first-dimension", "the first dimension, the batch", "第一维（批）的大小", lambda c: prod(c.shape[:1])),
        ("without-batch", "all dimensions but the first", "除第一维以外各维之积", lambda c: prod(c.shape[1:])),
        ("without-last", "all dimensions but the last", "除最后一维以外各维之积", lambda c: prod(c.shape[:-1])),
        ("first-four", "the first four dimensions", "前四维之积", lambda c: prod(c.shape[:4])),
        ("last-four", "the last four dimensions", "后四维之积", lambda c: prod(c.shape[-4:])),
        ("first-seven", "the first seven dimensions", "前七维之积", lambda c: prod(c.shape[:7])),
        ("last-seven", "the last seven dimensions", "后七维之积", lambda c: prod(c.shape[-7:])),
        ("one-less", "N − 1, as for a sample's variance", "N − 1，像样本方差那样", lambda c: prod(c.shape) - 1),
        ("one-more", "N + 1", "N + 1", lambda c: prod(c.shape) + 1),
        ("squared", "N twice", "N 的平方", lambda c: prod(c.shape) ** 2),
        ("output-storage", "the size of the output's storage", "输出存储的元素个数", lambda c: c.output.storage.size),
        ("padded-to-2", "N rounded up to an even number", "向上取到偶数的 N", _padded(2)),
        ("padded-to-4", "N rounded up to a multiple of 4", "向上取到 4 的倍数的 N", _padded(4)),
        ("padded-to-8", "N rounded up to the block of 8", "向上取到 8 的倍数的 N", _padded(8)),
        (
            "int16",
            "N in a signed integer of 16 bits",
            "16 位有符号整数中的 N",
            lambda c: (prod(c.shape) + 2**15) % 2**16 - 2**15,
        ),
        ("uint16", "N in an unsigned integer of 16 bits", "16 位无符号整数中的 N", lambda c: prod(c.shape) % 2**16),
        ("uint24", "N in 24 bits", "24 位中的 N", lambda c: prod(c.shape) % 2**24),
        ("at-most-65535", "N, but 65,535 at most", "N，但不超过 65535", lambda c: min(prod(c.shape), 65535)),
        (
            "at-most-2-24",
            "N, but 2²⁴ at most, as adding ones in FLOAT stops there",
            "N，但不超过 2²⁴，就像在 FLOAT 中逐个加 1",
            lambda c: min(prod(c.shape), 2**24),
        ),
        ("dimensions-in-8-bits", "dimensions of 8 bits each", "每维只留 8 位", _dimensions(8)),
        ("dimensions-in-16-bits", "dimensions of 16 bits each", "每维只留 16 位", _dimensions(16)),
        (
            "batch-from-rank-3",
            "the first dimension, from rank 3 on",
            "3 维及以上时用第一维",
            lambda c: c.shape[0] if len(c.shape) > 2 else prod(c.shape),
        ),
        (
            "self-above-rank-4",
            "self's size, above rank 4",
            "超过 4 维时用 self 的元素个数",
            lambda c: c.size("self") if len(c.shape) > 4 else prod(c.shape),
        ),
    ):
        yield wrong(name, f"divides by {en}", f"除以{zh}", "mean basic broadcast layout", plan=by(count))
    for name, en, zh, count in (
        (
            "in-bfloat16",
            "N in BFLOAT16, 8 bits of it",
            "N 存为 BFLOAT16，只剩 8 位",
            lambda c: rounded(c.count, "BFLOAT16"),
        ),
        (
            "in-bfloat16-for-its-own",
            "N in BFLOAT16 where that is the common type",
            "公共类型为 BFLOAT16 时，N 也存为它",
            lambda c: rounded(c.count, "BFLOAT16") if c.common == "BFLOAT16" else c.count,
        ),
        (
            "in-half",
            "N in FLOAT16, infinite beyond 65,504",
            "N 存为 FLOAT16，超过 65504 即为无穷",
            lambda c: rounded(c.count, "FLOAT16"),
        ),
        (
            "in-half-for-its-own",
            "N in FLOAT16 where that is the common type",
            "公共类型为 FLOAT16 时，N 也存为它",
            lambda c: rounded(c.count, "FLOAT16") if c.common == "FLOAT16" else c.count,
        ),
        (
            "in-half-in-mix",
            "N in FLOAT16 where FLOAT16 is in the mix",
            "混用 FLOAT16 时，N 存为 FLOAT16",
            lambda c: rounded(c.count, "FLOAT16") if c.mixed and "FLOAT16" in c.types else c.count,
        ),
        (
            "in-half-for-output",
            "N in FLOAT16 where the output is that",
            "输出为 FLOAT16 时，N 也存为它",
            lambda c: rounded(c.count, "FLOAT16") if c.out == "FLOAT16" else c.count,
        ),
        ("at-most-half", "N, but 65,504 at most", "N，但不超过 65504", lambda c: min(c.count, 65504)),
    ):
        yield wrong(name, f"divides by {en}", f"除数为 {zh}", "mean", plan=by(count), scale=over)
    half = ("FLOAT16",)
    for name, en, zh, factor, dtypes in (
        (
            "reciprocal-in-half",
            "1/N is rounded to FLOAT16",
            "1/N 舍入到 FLOAT16",
            lambda _, r: rounded(r, "FLOAT16"),
            tuple(FORMATS),
        ),
        (
            "reciprocal-in-half-for-half",
            "1/N is rounded to FLOAT16 where that is the common type, even to a subnormal",
            "公共类型为 FLOAT16 时 1/N 也舍入到它，不管是否次正规",
            lambda _, r: rounded(r, "FLOAT16"),
            half,
        ),
        (
            "reciprocal-flushed",
            "1/N is rounded to FLOAT16, and to 0 where it is subnormal",
            "1/N 舍入到 FLOAT16，次正规时冲为零",
            lambda _, r: h if (h := rounded(r, "FLOAT16")) >= 2**-14 else 0,
            half,
        ),
        (
            "reciprocal-in-bfloat16-for-half",
            "1/N is rounded to BFLOAT16 for FLOAT16",
            "FLOAT16 时 1/N 舍入到 BFLOAT16",
            lambda _, r: rounded(r, "BFLOAT16"),
            half,
        ),
        (
            "reciprocal-in-bfloat16-for-float",
            "1/N is rounded to BFLOAT16 for FLOAT",
            "FLOAT 时 1/N 舍入到 BFLOAT16",
            lambda _, r: rounded(r, "BFLOAT16"),
            ("FLOAT",),
        ),
    ):
        yield wrong(name, en, zh, "mean", scale=times(factor, dtypes))
    for bits in (10, 12, 14, 17, 20):
        yield wrong(
            f"reciprocal-of-{bits}-bits",
            f"1/N from an approximation of {bits} bits, without a Newton step",
            f"1/N 取 {bits} 位近似值，没有牛顿迭代",
            "mean",
            scale=times(lambda _, r, bits=bits: float(r) * (1 + 2.0**-bits)),
        )
    yield wrong(
        "by-dimension-in-half",
        "divided by each dimension in turn, rounding to the common type every time",
        "逐维相除，每次都舍入到公共类型",
        "mean",
        scale=_by_dimension,
    )
    yield wrong(
        "float-in-half",
        "the quotient of FLOAT is rounded to FLOAT16",
        "FLOAT 的商舍入到 FLOAT16",
        "mean",
        scale=lambda c, v: rounded(scale(c, v), "FLOAT16"),
    )
    yield wrong(
        "half-in-bfloat16",
        "the quotient of FLOAT16 is rounded to BFLOAT16",
        "FLOAT16 的商舍入到 BFLOAT16",
        "mean",
        scale=lambda c, v: rounded(scale(c, v), "BFLOAT16") if c.common == "FLOAT16" else scale(c, v),
    )
    for dtype in ("FLOAT16", "BFLOAT16"):
        yield wrong(
            f"mixed-in-{dtype}",
            f"the mean of a mix of FLOAT16 and BFLOAT16 has {dtype}'s precision",
            f"FLOAT16 与 BFLOAT16 混用时，平均只有 {dtype} 的精度",
            "deduction mean",
            scale=lambda c, v, dtype=dtype: (
                rounded(scale(c, v), dtype) if {*c.types} == {"FLOAT16", "BFLOAT16"} else scale(c, v)
            ),
        )
        ulp = 2.0 ** (1 - FORMATS[dtype].precision)
        yield wrong(
            f"three-ulp-{dtype}",
            f"{dtype}'s mean is 3 to 4 units in the last place off",
            f"{dtype} 的平均差了 3 到 4 ULP",
            "mean",
            settle=_within(dtype, 1 + 3.4 * ulp),
        )
        yield wrong(
            f"scaled-in-output-{dtype}",
            f"1/N is rounded to the output's type where that is {dtype}",
            f"输出为 {dtype} 时，1/N 舍入到它",
            "mean",
            scale=lambda c, v, d=dtype: (times(lambda _, r: rounded(r, d)) if c.out == d else scale)(c, v),
        )
    yield wrong(
        "mixed-off",
        "with mixed types FLOAT's mean is off by 2⁻⁹",
        "类型混用时，FLOAT 的平均相差 2⁻⁹",
        "deduction mean",
        scale=lambda c, v: scale(c, v) * (1 + 2.0**-9) if c.mixed and c.common == "FLOAT" else scale(c, v),
    )
    for name, en, zh, groups, divides in (
        ("never", "mean does not divide", "mean 不除", "mean", lambda _: False),
        ("for-sum-too", "sum divides as well", "sum 也除", "basic", lambda c: c.mode != "none"),
        ("for-none-too", "none divides as well", "none 也除", "basic", lambda c: c.mode != "sum"),
        (
            "for-sum-instead",
            "mean and sum are mistaken for each other",
            "mean 与 sum 弄反",
            "mean basic",
            lambda c: c.mode == "sum",
        ),
        (
            "for-mixed-sum",
            "sum divides where types are mixed",
            "类型混用时 sum 也除",
            "deduction",
            lambda c: c.mode == "mean" or (c.mode == "sum" and c.mixed),
        ),
        (
            "for-broadcast-sum",
            "sum divides where inputs are broadcast",
            "有广播时 sum 也除",
            "broadcast",
            lambda c: c.mode == "mean" or (c.mode == "sum" and c.spreads),
        ),
        (
            "not-when-broadcast",
            "mean does not divide where inputs are broadcast",
            "有广播时 mean 不除",
            "mean broadcast",
            lambda c: c.mode == "mean" and not c.spreads,
        ),
        (
            "not-when-mixed",
            "mean does not divide where types are mixed",
            "类型混用时 mean 不除",
            "deduction mean",
            lambda c: c.mode == "mean" and not c.mixed,
        ),
        (
            "not-when-strided",
            "mean does not divide where the output has gaps",
            "输出不连续时 mean 不除",
            "layout",
            lambda c: c.mode == "mean" and c.dense,
        ),
    ):
        yield wrong(f"divides-{name}", en, zh, groups, divides=divides)
    yield wrong("multiplies", "multiplies by N", "乘以 N", "mean", scale=lambda c, v: v * np.float32(c.count))
    yield wrong(
        "doubled-on-the-way",
        "doubled before the division by 2N, which overflows",
        "先加倍再除以 2N，会溢出",
        "mean special",
        scale=lambda c, v: rounded(v * np.float32(2), c.common) / np.float32(2 * c.count),
    )
    yield wrong(
        "small-on-the-way",
        "divided by 2¹⁰ before N, and multiplied again, which underflows",
        "先除以 2¹⁰，除以 N 后再乘回来，会下溢",
        "mean special",
        scale=lambda c, v: (
            rounded(rounded(v * np.float32(2**-10), c.common) / np.float32(c.count), c.common) * np.float32(2**10)
        ),
    )

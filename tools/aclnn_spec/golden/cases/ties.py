"""Operands that are equal, or as close to it as their types allow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, Author, Draft
from aclnn_spec.golden.tensor import Array, bits, numpy_dtype
from aclnn_spec.reference.floats import FORMATS
from aclnn_spec.spec.model import DType, Text

# (self's type, target's type) and pairs of values that are equal once rounded to the narrower type.
WIDER = {
    ("FLOAT", "FLOAT16"): ((1 + 2.0**-23, 1.0), (2 - 2.0**-23, 2.0), (1000.25, 1000.0), (-3 - 2.0**-20, -3.0), (65505.0, 65504.0)),
    ("FLOAT", "BFLOAT16"): ((1 + 2.0**-23, 1.0), (257.0, 256.0), (-3 - 2.0**-20, -3.0), (2.0**100 * (1 + 2.0**-20), 2.0**100), (5e-30, 5.00114e-30)),
    ("FLOAT16", "BFLOAT16"): ((1 + 2.0**-10, 1.0), (257.0, 256.0), (-1.0009765625, -1.0), (1000.0, 1000.5), (65504.0, 65536.0)),
}  # fmt: skip


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    for dtype in map(author.operator.tables.dtypes.__getitem__, FLOATS):
        for reduction in ("none", "mean"):
            held = "mean" if reduction == "mean" else "none_sum"
            for what, left, right, reason in pairs(dtype):
                yield from author.fitting(
                    Draft(
                        group="ties",
                        what=what,
                        clauses=("sign", held),
                        shapes=(2, left.size),
                        dtypes=dtype,
                        reduction=reduction,
                        data={"self": np.stack([left, right]), "target": np.stack([right, left])},
                        reason=reason,
                    )
                )
    for (one, other), values in WIDER.items():
        left, right = (np.array(column) for column in zip(*values, strict=True))
        for gradient in FLOATS:
            for swap in (False, True):
                types = author.per_tensor(gradient, *((other, one) if swap else (one, other)), "FLOAT")
                data = {"self": right, "target": left} if swap else {"self": left, "target": right}
                yield from author.fitting(
                    Draft(
                        group="ties",
                        what="wider",
                        clauses=("sign", "deduction"),
                        shapes=(len(values),),
                        dtypes=types,
                        data=data,
                        reason=Text(
                            zh=f"self与target只在更宽的类型中不同（{one}、{other}）：先转到窄类型再比较",
                            en=f"self and target differ in the wider type alone ({one}, {other}): compared in the narrower one",
                        ),
                    )
                )


def pairs(dtype: DType) -> Iterator[tuple[str, Array, Array, Text]]:
    """(name, one operand, the other, reason) of operands of one type."""
    source = FORMATS[dtype]
    kind = numpy_dtype(dtype)
    powers = np.linspace(source.emin + 2, source.emax - 1, 12).round()
    plain = np.concatenate([2.0**powers, -1.5 * 2.0**powers, [0.0, -0.0, 1.0, source.largest, -source.largest]])
    same = _exact(plain, dtype)
    yield "equal", same, same, Text(zh="相等的操作数，结果应为零", en="equal operands, whose result is zero")
    zeros = _exact(np.array([0.0, -0.0, 0.0, -0.0]), dtype)
    yield (
        "zeros",
        zeros,
        zeros[::-1],
        Text(zh="正零与负零相等：按位比较", en="positive and negative zero are equal: compared by bits"),
    )
    yield (
        "adjacent",
        same,
        _step(same, 1, kind),
        Text(zh="相邻的两个数：带容差的比较、在更窄的类型中相减", en="neighbouring numbers: compared with a tolerance, or subtracted in a narrower type"),
    )  # fmt: skip
    large = _exact(np.array([source.largest, -source.largest, source.largest * 0.75]), dtype)
    yield (
        "overflow",
        large,
        _exact(-np.array([source.largest, -source.largest, source.largest * 0.75]), dtype),
        Text(
            zh="最大值减负最大值：差溢出后符号出错",
            en="largest minus its negative: the sign after an overflowing difference",
        ),
    )
    least = _exact(np.array([1.0, -1.0, 1.25, 1.5]) * source.smallest_normal, dtype)
    yield (
        "subnormal-difference",
        least,
        _step(least, 1, kind),
        Text(
            zh="差为次正规数：差被冲为零，或比较带有容差",
            en="a difference that is subnormal: flushed to zero, or compared with a tolerance",
        ),
    )
    yield (
        "tiny-against-zero",
        _exact(np.array([source.smallest_normal, -source.smallest_normal]), dtype),
        _exact(np.array([0.0, -0.0]), dtype),
        Text(
            zh="最小正规数与零：带容差的比较",
            en="the smallest normal number against zero: compared with a tolerance",
        ),
    )


def _exact(values: Array, dtype: DType) -> Array:
    """Values that the type holds, in its NumPy type."""
    single: Array = values.astype(np.float32)
    return single.astype(numpy_dtype(dtype))


def _step(array: Array, ulps: int, kind: np.dtype[Any]) -> Array:
    """The value `ulps` places further from zero (closer, where that would leave the finite numbers)."""
    raw = bits(array)
    places = raw.view(f"u{kind.itemsize}").copy()
    top = bits(np.array([np.inf]).astype(np.float32).astype(kind)).view(places.dtype)[0]
    magnitude = places & ~places.dtype.type(1 << (8 * kind.itemsize - 1))
    back = magnitude + ulps >= top
    places = np.where(back, places - ulps, places + ulps).astype(places.dtype)
    return places.view(kind)

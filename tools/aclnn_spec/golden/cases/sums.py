"""Reductions to one element: how terms are added up, and in which type."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, Author, Draft, pick
from aclnn_spec.golden.cases.layouts import expand
from aclnn_spec.golden.generator import uniform
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.tables import Shape

SIZES = (1, 7, 8, 15, 17, 33, 64, 65, 129, 257, 1025)
LONG: tuple[Shape, ...] = ((4096,), (20000,), (5, 7, 11, 13))
OUTER: tuple[Shape, ...] = ((512, 512), (317, 829), (1024, 250), (3, 331, 257))
"""Every term of a sum over an outer product is another number, and few numbers are stored."""
REDUCING = ("mean", "sum")
_FEW = 200.0
"""Of terms larger than this, four are enough."""


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group, for operators that reduce."""
    if not author.reduces("sum"):
        return
    for dtype in FLOATS:
        for reduction in REDUCING:
            for size in SIZES:
                yield from author.fitting(edges(dtype, reduction, size))
            for equal in LONG:
                yield from author.fitting(ones(author, dtype, reduction, equal))
            for shape in OUTER[:2] if reduction == "sum" else OUTER:
                yield from author.fitting(outer(author, dtype, reduction, shape))
        for count, largest in ((64, 50.0), (2000, 60.0), (64, 300.0), (4096, 120000.0)):
            yield from author.fitting(beyond(author, dtype, dtype, count, largest))
    for dtype in ("FLOAT", "BFLOAT16"):
        yield from author.fitting(beyond(author, dtype, dtype, 64, 2.0**65))
    for common, output in (("FLOAT", "FLOAT16"), ("BFLOAT16", "FLOAT16"), ("FLOAT16", "FLOAT")):
        yield from author.fitting(beyond(author, common, output, 2000, 60.0))


def edges(dtype: str, reduction: str, size: int) -> Draft:
    """Ordinary terms, but for the last and the first ones, which are most of the sum."""
    distances = np.ones(size)
    distances[0], distances[-1] = 24.0, 96.0
    return Draft(
        group="sums",
        what="edges",
        clauses=(reduction, "determinism"),
        shapes=(size,),
        dtypes=dtype,
        reduction=reduction,
        data={"self": distances * np.where(np.arange(size) % 2, -1.0, 1.0), "target": np.zeros(size)},
        reason=Text(
            zh=f"{size}项求和，首尾两项最大：向量或分块的尾部漏加、重加",
            en=f"{size} terms, the first and the last the largest: a vector's or block's tail left out or added twice",
        ),
    )


def ones(author: Author, dtype: str, reduction: str, shape: Shape) -> Draft:
    """Equal terms, so many that a half type's sum stops growing."""
    return Draft(
        group="sums",
        what="stall",
        clauses=(reduction, "layout"),
        shapes=shape,
        dtypes=dtype,
        reduction=reduction,
        layouts={name: expand(*range(len(shape))) for name in author.inputs},
        data={"self": [2.5], "target": [1.5]},
        reason=Text(
            zh="很多项1：用半精度累加，和到2048（或256）就不再增长",
            en="many terms of 1: a sum kept in a half type stops growing at 2048, or 256",
        ),
    )


def outer(author: Author, dtype: str, reduction: str, shape: Shape) -> Draft:
    """Very many different terms."""
    row, column = (*(1 for _ in shape[1:]), shape[-1]), (*shape[:-1], 1)
    key = f"{author.operator.name}/sums/outer/{dtype}/{reduction}/{'x'.join(map(str, shape))}"
    scale = 2.0**-6 if reduction == "sum" and dtype == "FLOAT16" else 1.0
    data = {
        name: (uniform(f"{key}/{name}", int(np.prod(each)), -1, 1) * scale).reshape(each)
        for name, each in (("self", row), ("target", column))
    }
    return Draft(
        group="sums",
        what="outer",
        clauses=(reduction, "broadcast"),
        shapes={"self": row, "target": column},
        dtypes=dtype,
        reduction=reduction,
        data=data,
        order=pick(("twice", "once"), len(shape)),
        reason=Text(
            zh=f"{int(np.prod(shape))}项求和：累加器精度不足，误差随项数线性增长；广播后的项漏加",
            en=f"{int(np.prod(shape))} terms: an accumulator too coarse, whose error grows with their number; broadcast terms left out",
        ),
    )


def beyond(author: Author, common: str, output: str, count: int, size: float) -> Draft:
    """A mean that FLOAT16 holds, of a sum, or of one term, that it does not."""
    distances = np.zeros(count)
    distances[:: count // 4 if size > _FEW else 1] = size
    sign = np.where(np.arange(count) % 2, 0.5, -0.5)
    return Draft(
        group="sums",
        what=f"beyond{size:g}",
        clauses=("mean", "overflow"),
        shapes=(count,),
        dtypes=author.per_tensor(common, common, common, output),
        reduction="mean",
        data={"self": distances * sign, "target": -distances * sign},
        reason=Text(
            zh="和或某一项很大，平均值却在范围之内：用半精度累加而溢出",
            en="a sum or a term that is very large, whose mean is within the range: overflow of a half accumulator",
        ),
    )

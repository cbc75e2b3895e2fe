"""The divisor of mean: which N, how large, and in which precision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, Author, Draft, pick
from aclnn_spec.golden.cases.layouts import expand
from aclnn_spec.golden.generator import uniform
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.tables import Shape

# Shapes of gradient, self and target; the sizes of the three and of the broadcast shape all differ.
BROADCAST = (
    ((4, 1, 1), (1, 3, 1), (1, 1, 5)),
    ((2, 1), (1, 3), (5, 1, 1)),
    ((7,), (3, 7), (2, 3, 1)),
    ((1,), (6, 1), (5,)),
    ((3, 4), (4,), (2, 1, 1)),
    ((2, 1, 4), (3, 1), (1, 1, 1, 1)),
    ((1, 1), (2, 1, 3), (5, 1, 2, 1)),
    ((11,), (1,), (13, 1)),
)
COUNTS = (2, 3, 5, 6, 7, 9, 10, 11, 13, 24, 49, 60, 97, 100, 127, 255, 256, 333, 500)
# Divisors that FLOAT16 cannot hold, or whose reciprocal is subnormal in it, as (rows, columns that repeat).
LARGE = (
    (3, 6000),
    (3, 21843),
    (1, 65504),
    (5, 13101),
    (1, 65536),
    (7, 9363),
    (4, 25000),
    (3, 65537),
    (2, 131072),
)
HUGE = (2, 8388609)
"""2**24 + 2 elements."""


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    for turn, dtype in enumerate(FLOATS):
        yield from small(author, dtype)
        for i, shapes in enumerate(BROADCAST):
            for order in (((0, 1, 2), (1, 2, 0), (2, 0, 1))[(i + turn) % 3], (2, 1, 0)):
                yield from author.fitting(
                    Draft(
                        group="mean",
                        what="broadcast",
                        clauses=("mean", "broadcast"),
                        shapes=author.per_tensor(*(shapes[i] for i in order)),
                        dtypes=dtype,
                        reduction="mean",
                        reason=Text(
                            zh="除数取成某个输入自己的元素数，而非广播后的元素数",
                            en="divided by the size of one of the inputs, not of the broadcast shape",
                        ),
                    )
                )
        for rows, columns in () if author.reduces("mean") else LARGE:  # what repeats sums with a bias
            yield from author.fitting(large(author, dtype, (rows, columns), "large-n"))
    for dtype in () if author.reduces("mean") else FLOATS:
        yield from author.fitting(large(author, dtype, HUGE, "huge-n"))


def small(author: Author, dtype: str) -> Iterator[Case]:
    """Divisors from 1 on, and gradients at the ends of the range."""
    shape: Shape
    for shape in ((1,), (1, 1, 1), (1, 1, 1, 1, 1, 1, 1, 1)):
        yield from author.fitting(
            Draft(
                group="mean",
                what="n1",
                clauses=("mean",),
                shapes=shape,
                dtypes=dtype,
                reduction="mean",
                reason=Text(zh="N为1：按维度或固定值缩放", en="N is 1: scaled by a rank or a constant"),
            )
        )
    for i, count in enumerate(COUNTS):
        shape = pick(((count,), (1, count), (count, 1), (1, count, 1)), i)
        yield from author.fitting(
            Draft(
                group="mean",
                what="n",
                clauses=("mean",),
                shapes=shape,
                dtypes=dtype,
                reduction="mean",
                reason=Text(
                    zh=f"N为{count}：倒数或乘积的精度不足，N差一",
                    en=f"N is {count}: reciprocal or product too coarse, N off by one",
                ),
            )
        )
    for shape in ((2, 3, 5, 7), (3, 1, 3, 1, 3), (2, 3, 1, 2, 1, 3, 1, 2)):
        yield from author.fitting(
            Draft(
                group="mean",
                what="dims",
                clauses=("mean",),
                shapes=shape,
                dtypes=dtype,
                reduction="mean",
                reason=Text(
                    zh="多维的N：漏乘某一维，或逐维相除时精度不足",
                    en="N over many dimensions: one left out, or too coarse a division by each in turn",
                ),
            )
        )


def large(author: Author, dtype: str, shape: tuple[int, int], what: str) -> Draft:
    """Rows of repeated elements, with gradients large enough that the quotients are ordinary numbers."""
    rows, columns = shape
    key = f"{author.operator.name}/mean/{what}/{dtype}/{rows}x{columns}"
    top = 2.0**30 if what == "huge-n" and dtype != "FLOAT16" else 2.0**15
    values = uniform(key, rows, 1, 2) * top * np.where(np.arange(rows) % 2, -1.0, 1.0)
    apart = np.where(np.arange(rows) % 3 == 2, -1.0, 1.0)
    return Draft(
        group="mean",
        what=what,
        clauses=("mean", "layout"),
        shapes=shape,
        dtypes=dtype,
        reduction="mean",
        layouts={name: expand(1) for name in author.inputs},
        data=author.per_tensor(
            *(column.reshape(rows, 1) for column in (np.minimum(values, 65504.0), apart + 2.0, np.full(rows, 2.0)))
        ),
        order="once" if what == "huge-n" else "twice",
        reason=Text(
            zh=f"N为{rows * columns}：N或1/N放进FLOAT16，或按16、24位计数",
            en=f"N is {rows * columns}: N or 1/N held in FLOAT16, or counted in 16 or 24 bits",
        ),
    )

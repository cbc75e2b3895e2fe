"""Tensors without elements."""

from __future__ import annotations

from collections.abc import Iterator

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, REDUCTIONS, Author, Draft, pick
from aclnn_spec.golden.cases.layouts import offset, transposed
from aclnn_spec.spec.model import Text

SAME = ((0,), (0, 3), (3, 0), (2, 0, 3), (0, 0), (1, 0, 1), (0, 1, 2, 0), (2, 1, 1, 0, 1, 1, 2, 1))
MIXED = (
    ((0,), (1,), (1,)),
    ((1, 3), (0, 3), (3,)),
    ((2, 1), (1, 0), (1,)),
    ((0, 1), (1, 4), (4,)),
    ((3, 0), (1, 0), (0,)),
)


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    reason = author.worded(
        Text(
            zh="空张量：两个阶段都应成功，workspace为0，不写任何内容",
            en="no elements: both phases succeed, workspace 0, nothing written",
        ),
        Text(
            zh="没有元素：两个阶段都应成功；不归约则什么也不写，求和得0，求平均得NaN",
            en="no elements: both phases succeed; without a reduction nothing is written, a sum is 0, a mean NaN",
        ),
    )
    turn = 0
    for shape in SAME:
        for reduction in REDUCTIONS:
            turn += 1
            yield from author.fitting(
                Draft(
                    group="empty",
                    what="same",
                    clauses=("empty",),
                    shapes=shape,
                    dtypes=pick(FLOATS, turn),
                    reduction=reduction,
                    reason=reason,
                )
            )
    for shapes in MIXED:
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            turn += 1
            yield from author.fitting(
                Draft(
                    group="empty",
                    what="broadcast",
                    clauses=("empty", "broadcast"),
                    shapes=author.per_tensor(*(shapes[i] for i in order)),
                    dtypes=pick(FLOATS, turn),
                    reduction=pick(REDUCTIONS, turn),
                    reason=reason,
                )
            )
    for layout in (transposed(), offset()):
        yield from author.fitting(
            Draft(
                group="empty",
                what=layout.name,
                clauses=("empty", "layout"),
                shapes=(2, 0),
                layouts=layout,
                reason=reason,
            )
        )
    yield from author.fitting(
        Draft(
            group="empty",
            what="mix",
            clauses=("empty", "deduction"),
            shapes=(0, 2),
            dtypes=author.per_tensor("FLOAT16", "BFLOAT16", "FLOAT", "FLOAT16"),
            reason=reason,
        )
    )

"""Shapes that differ: each input smaller in turn, in every position, at every rank."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, Author, Draft, pick
from aclnn_spec.spec.model import Text

FULL = (2, 3, 4)
SMALLER = (
    ((3, 4), "leading-missing"),
    ((4,), "one-left"),
    ((1,), "single"),
    ((1, 3, 4), "leading"),
    ((2, 1, 4), "middle"),
    ((2, 3, 1), "trailing"),
    ((1, 3, 1), "outer"),
    ((1, 1, 1), "all"),
)
MUTUAL = (((2, 1, 1), (1, 3, 1), (1, 1, 4)), ((5, 1), (1, 1), (1, 7)), ((3,), (4, 1), (2, 1, 1)))


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    yield from one_smaller(author)
    yield from aligned(author)
    yield from mutual(author)
    yield from ranks(author)
    yield from blocks(author)


def one_smaller(author: Author) -> Iterator[Case]:
    """One input is smaller than the others, in every position."""
    turn = 0
    for position, name in enumerate(author.inputs):
        for shape, what in SMALLER:
            for reduction in ("none", "mean"):
                turn += 1
                yield from author.fitting(
                    Draft(
                        group="broadcast",
                        what=f"{name}-{what}",
                        clauses=("broadcast",),
                        shapes={n: shape if i == position else FULL for i, n in enumerate(author.inputs)},
                        dtypes=pick(FLOATS, turn),
                        reduction=reduction,
                        reason=Text(
                            zh=f"只有{name}较小（{list(shape)}）：没有广播它，或对齐到了另一端",
                            en=f"{name} alone is smaller ({list(shape)}): not broadcast, or aligned at the wrong end",
                        ),
                    )
                )


def aligned(author: Author) -> Iterator[Case]:
    """An input of lower rank whose sizes would fit at the wrong end, too."""
    turn = 0
    for name in author.inputs:
        for full, shape in (((3, 3), (3,)), ((3, 4, 3), (3,)), ((2, 3, 2, 3), (2, 3))):
            turn += 1
            yield from author.fitting(
                Draft(
                    group="broadcast",
                    what=f"{name}-aligned",
                    clauses=("broadcast",),
                    shapes=dict.fromkeys(author.inputs, full) | {name: shape},
                    dtypes=pick(FLOATS, turn),
                    reason=Text(
                        zh=f"{name}（{list(shape)}）从左端而非右端对齐也说得通：对齐到了左端",
                        en=f"{name} ({list(shape)}) would fit at the left end as well as at the right: aligned at the left",
                    ),
                )
            )


def mutual(author: Author) -> Iterator[Case]:
    """No input has the full shape."""
    turn = 0
    for shapes in MUTUAL:
        for order in permutations(shapes):
            for reduction in ("none", "mean"):
                turn += 1
                yield from author.fitting(
                    Draft(
                        group="broadcast",
                        what="mutual",
                        clauses=("broadcast",),
                        shapes=author.per_tensor(*order),
                        dtypes=pick(FLOATS, turn),
                        reduction=reduction,
                        reason=Text(
                            zh="没有一个输入具有完整的shape：把self的shape当作输出的shape",
                            en="no input has the full shape: self's shape taken for the output's",
                        ),
                    )
                )


def ranks(author: Author) -> Iterator[Case]:
    """Interleaved axes of size 1, at every rank."""
    turn = 0
    for rank in range(1, 9):
        full = tuple(2 if axis % 2 else 3 if axis < 3 else 1 for axis in range(rank))
        even = tuple(1 if axis % 2 else size for axis, size in enumerate(full))
        odd = tuple(size if axis % 2 else 1 for axis, size in enumerate(full))
        for shapes in ((even, odd, full), (full, even, odd), (odd, full, full[1:] or (1,))):
            turn += 1
            yield from author.fitting(
                Draft(
                    group="broadcast",
                    what=f"rank{rank}",
                    clauses=("broadcast",),
                    shapes=author.per_tensor(*shapes),
                    dtypes=pick(FLOATS, turn),
                    reduction=pick(("none", "mean"), turn),
                    reason=Text(
                        zh=f"{rank}维的交错广播：维数或步长数组太短",
                        en=f"interleaved broadcasting at rank {rank}: an array of sizes or strides too short",
                    ),
                )
            )


def blocks(author: Author) -> Iterator[Case]:
    """Sizes around those of vectors and blocks."""
    for dtype in FLOATS:
        for shapes in (((1,), (257,), (3, 1)), ((9, 1, 33), (17, 1), (1,)), ((1, 65), (33, 1), (33, 65))):
            yield from author.fitting(
                Draft(
                    group="broadcast",
                    what="block",
                    clauses=("broadcast",),
                    shapes=author.per_tensor(*shapes),
                    dtypes=dtype,
                    reason=Text(
                        zh="广播轴跨越向量和分块的边界",
                        en="broadcast axes that cross the borders of vectors and blocks",
                    ),
                )
            )

"""Tensors that are not contiguous, one at a time and all together; the output among canaries."""

from __future__ import annotations

from collections.abc import Iterator

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, Author, Draft, Layout, pick
from aclnn_spec.golden.cases.layouts import bigger, expand, gaps, offset, padded, sliced, transposed
from aclnn_spec.spec.model import Text


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    yield from one_layout(author)
    yield from mixed(author)
    yield from with_broadcast(author)
    yield from formats(author)


def formats(author: Author) -> Iterator[Case]:
    """Every format but ND that the inputs list, in the tensors whose rank it is for."""
    shapes = {len(shape): shape for shape in ((2, 3, 4), (2, 3, 2, 3), (2, 1, 2, 3, 2))}
    turn = 0
    for layout in author.operator.inputs[0].formats:
        if layout != "ND" and layout.rank in shapes:
            for reduction in ("none", "mean", "sum"):
                turn += 1
                names = author.inputs if author.reduces(reduction) else author.tensors
                yield from author.fitting(
                    Draft(
                        group="layout",
                        what=f"{layout}",
                        clauses=("formats",),
                        shapes=shapes[layout.rank],
                        dtypes=pick(FLOATS, turn),
                        reduction=reduction,
                        formats=dict.fromkeys(names, layout.name),
                        reason=Text(
                            zh=f"格式为{layout}：被拒绝，或按格式改变了下标的含义",
                            en=f"format {layout}: refused, or axes taken for others because of it",
                        ),
                    )
                )


def one_layout(author: Author) -> Iterator[Case]:
    """One layout, of one tensor or of all."""
    turn = 0
    for layout in (transposed(), sliced(), gaps(), padded(), offset(), bigger()):
        for who in (*((name,) for name in author.tensors), author.tensors):
            for dtype in FLOATS if author.exact else (pick(FLOATS, turn),):
                turn += 1
                yield from author.fitting(
                    draft(author, layout, who, dtype, pick(((3, 4), (2, 3, 5), (4, 1, 3, 2)), turn), turn)
                )
    for axes in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
        for who in (*((name,) for name in author.inputs), author.inputs):
            turn += 1
            yield from author.fitting(draft(author, expand(*axes), who, pick(FLOATS, turn), (2, 3, 4), turn))
    for shape in ((2, 1, 2, 1, 2, 1, 2, 3), (3, 2, 1, 2, 1, 1, 2)):
        for layout in (transposed(), gaps(2), sliced()):
            turn += 1
            yield from author.fitting(draft(author, layout, author.tensors, pick(FLOATS, turn), shape, turn))


def mixed(author: Author) -> Iterator[Case]:
    """Another layout for every tensor."""
    turn = 0
    mixes = (
        (transposed(), sliced(), gaps(2), padded()),
        (padded(), transposed(), offset(1), gaps()),
        (expand(1), gaps(5), transposed(), sliced()),
        (offset(7), padded(), sliced(), transposed()),
    )
    for layouts in mixes:
        for shape in ((5, 7), (2, 3, 4, 2), (17, 33)):
            turn += 1
            yield from author.fitting(
                Draft(
                    group="layout",
                    what="mixed-" + ".".join(layout.name for layout in author.per_tensor(*layouts).values()),
                    clauses=("layout",),
                    shapes=shape,
                    dtypes=pick(FLOATS, turn),
                    reduction=pick(("none", "mean", "sum"), turn),
                    layouts=author.per_tensor(*layouts),
                    reason=Text(
                        zh="每个张量布局不同：沿用了另一个张量的步长",
                        en="every tensor laid out in its own way: one's strides used for another",
                    ),
                )
            )


def with_broadcast(author: Author) -> Iterator[Case]:
    """One input laid out in its own way, and broadcast."""
    turn = 0
    for name in author.inputs:
        shapes = {n: (4, 1) if n == name else (4, 6) for n in author.inputs}
        for layout in (gaps(), sliced(), offset(3)):
            turn += 1
            yield from author.fitting(
                Draft(
                    group="layout",
                    what=f"{layout.name}-{name}-broadcast",
                    clauses=("layout", "broadcast"),
                    shapes=shapes,
                    dtypes=pick(FLOATS, turn),
                    layouts={name: layout},
                    reason=Text(
                        zh=f"{name}{layout.text.zh}并且需要广播",
                        en=f"{name} is {layout.text.en} and broadcast as well",
                    ),
                )
            )


def draft(author: Author, layout: Layout, who: tuple[str, ...], dtype: str, shape: tuple[int, ...], turn: int) -> Draft:
    """One layout, of one tensor or of several."""
    names = "all" if who == author.tensors else "inputs" if who == author.inputs else who[0]
    return Draft(
        group="layout",
        what=f"{layout.name}-{names}",
        clauses=("layout",),
        shapes=shape,
        dtypes=dtype,
        reduction=pick(("none", "mean", "sum", "none"), turn),
        layouts=dict.fromkeys(who, layout),
        reason=Text(
            zh=f"{'、'.join(who)}：{layout.text.zh}。忽略了步长、偏移或存储区，或写到视图之外",
            en=f"{', '.join(who)}: {layout.text.en}. Strides, offset or storage ignored, or a write outside the view",
        ),
    )

"""Two or three demands at once: mixed types, other layouts, broadcasting and size, as a kernel's special paths meet them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import CONTIGUOUS, FLOATS, Author, Draft, pick
from aclnn_spec.golden.cases.layouts import expand, gaps, offset, padded, sliced, transposed
from aclnn_spec.golden.cases.mean import HUGE
from aclnn_spec.golden.generator import uniform
from aclnn_spec.spec.model import Text

MIXES = (
    ("FLOAT16", "FLOAT", "BFLOAT16", "FLOAT16"),
    ("FLOAT", "FLOAT16", "FLOAT16", "BFLOAT16"),
    ("BFLOAT16", "BFLOAT16", "FLOAT16", "FLOAT"),
    ("FLOAT16", "FLOAT16", "FLOAT16", "FLOAT"),
    ("FLOAT", "FLOAT", "FLOAT", "FLOAT16"),
    ("BFLOAT16", "BFLOAT16", "BFLOAT16", "FLOAT16"),
)
SMALL = ((4, 1, 1), (1, 3, 1), (1, 1, 5))
REASON = Text(
    zh="同时需要{}：为单一情形写的分支在组合时出错",
    en="{} at once: a path written for one of them goes wrong with the others",
)


def cases(author: Author) -> Iterator[Case]:
    """Cases of several groups, each in the group of what is least common in it."""
    yield from layouts_of_mixes(author)
    yield from layouts_of_broadcasts(author)
    yield from exact(author)
    yield from large(author)
    yield from sums(author)
    for dtype in () if author.reduces("mean") else FLOATS:
        yield from author.fitting(many_divisions(author, dtype))


def _reason(zh: str, en: str) -> Text:
    return Text(zh=REASON.zh.format(zh), en=REASON.en.format(en))


def layouts_of_mixes(author: Author) -> Iterator[Case]:
    """Mixed types with every layout, of inputs and output, with and without broadcasting."""
    reason = _reason("类型转换和非连续布局", "conversions and a layout that is not contiguous")
    for i, layout in enumerate((transposed(), sliced(), gaps(), padded(), offset())):
        for j, (who, names) in enumerate((("inputs", author.inputs), ("output", (author.output,)))):
            for k in range(3):
                broadcasts = (i + k) % 2 == 1
                yield from author.fitting(
                    Draft(
                        group="layout",
                        what=f"{layout.name}-{who}-mix",
                        clauses=("layout", "deduction"),
                        shapes=author.per_tensor(*SMALL) if broadcasts else (3, 5),
                        dtypes=author.per_tensor(*pick(MIXES, i + 2 * k + j)),
                        reduction=pick(("none", "mean", "sum"), i + j + k),
                        layouts=dict.fromkeys(names, layout),
                        reason=reason,
                    )
                )


def layouts_of_broadcasts(author: Author) -> Iterator[Case]:
    """An output that is not contiguous, with inputs that broadcast; mixed types that broadcast."""
    shapes = (((4, 1, 1), (1, 3, 1), (1, 1, 5)), ((3,), (4, 1), (4, 3)), ((2, 3, 4), (4,), (3, 1)))
    turn = 0
    for layout in (transposed(), sliced(), gaps(2), padded(), offset(), CONTIGUOUS):
        for each in shapes:
            for order in ((0, 1, 2), (2, 0, 1)):
                turn += 1
                mixed = layout is CONTIGUOUS
                yield from author.fitting(
                    Draft(
                        group="broadcast",
                        what="mix" if mixed else f"{layout.name}-output",
                        clauses=("broadcast", "deduction" if mixed else "layout"),
                        shapes=author.per_tensor(*(each[i] for i in order)),
                        dtypes=author.per_tensor(*pick(MIXES, turn)) if mixed else pick(FLOATS, turn),
                        reduction=pick(("none", "mean", "sum"), turn),
                        layouts={author.output: layout},
                        reason=_reason("广播和类型转换", "broadcasting and conversions")
                        if mixed
                        else _reason("广播和非连续的输出", "broadcasting and an output that is not contiguous"),
                    )
                )


LARGE_REASON = _reason("较大的尺寸与类型转换、布局或广播", "a larger size with conversions, layouts or broadcasting")


def exact(author: Author) -> Iterator[Case]:
    """Sizes that are a block's own, or one less; the elements repeat, so that they cost nothing to store."""
    for i, size in enumerate((64, 511, 512, 1023, 1024, 2047, 2048, 2049)):
        for j, dtype in enumerate(FLOATS):
            yield from author.fitting(
                Draft(
                    group="basic",
                    what="exact",
                    clauses=("none_sum", "layout"),
                    shapes=(size,),
                    dtypes=dtype,
                    reduction=pick(("none", "sum"), i + j),
                    layouts={name: expand(0) for name in author.inputs},
                    data=author.per_tensor([1.25 + j], [2.0], [1.0]),
                    reason=Text(
                        zh=f"正好{size}个元素：整块时尾部仍被处理，或差一",
                        en=f"exactly {size} elements: a tail handled that is not there, or one element too few",
                    ),
                )
            )


def large(author: Author) -> Iterator[Case]:
    """Sizes beyond one block, with mixed types, other layouts, broadcasting and every reduction."""
    yield from large_mixed(author)
    yield from large_layouts(author)
    yield from large_plain(author)


def large_mixed(author: Author) -> Iterator[Case]:
    """Larger sizes with mixed types."""
    turn = 0
    for size in (257, 1025, 2049):
        for types in (MIXES[0], MIXES[4]):
            turn += 1
            yield from author.fitting(
                Draft(
                    group="basic",
                    what="tail-mix",
                    clauses=("deduction", "layout"),
                    shapes=(2, size),
                    dtypes=author.per_tensor(*types),
                    reduction=pick(("none", "sum", "mean"), turn),
                    layouts={name: expand(0) for name in author.inputs},
                    reason=LARGE_REASON,
                )
            )
    for types in MIXES[:3]:
        yield from author.fitting(
            Draft(
                group="basic",
                what="large-mix",
                clauses=("deduction", "layout"),
                shapes=(70, 1031, 2),
                dtypes=author.per_tensor(*types),
                layouts={name: expand(0, 2) for name in author.inputs},
                reason=LARGE_REASON,
            )
        )


def large_layouts(author: Author) -> Iterator[Case]:
    """Larger tensors that are not contiguous."""
    turn = 0
    for layout in (transposed(), gaps(2), padded(), sliced()):
        for dtype, shape in (("FLOAT16", (70, 129)), ("FLOAT", (300, 257)), ("BFLOAT16", (2, 1031, 67))):
            yield from author.fitting(
                Draft(
                    group="layout",
                    what=f"{layout.name}-output-large",
                    clauses=("layout",),
                    shapes=shape,
                    dtypes=dtype,
                    reduction=pick(("none", "sum", "mean"), turn),
                    layouts={author.output: layout} | {n: expand(*range(len(shape) - 1)) for n in author.inputs},
                    reason=LARGE_REASON,
                )
            )
            turn += 1
    for layout in (transposed(), gaps(2), offset(3)):
        yield from author.fitting(
            Draft(
                group="layout",
                what=f"{layout.name}-inputs-large",
                clauses=("layout",),
                shapes=(23, 33),
                dtypes=pick(("FLOAT16", "BFLOAT16"), turn),
                layouts=dict.fromkeys(author.inputs, layout),
                reason=LARGE_REASON,
            )
        )
        turn += 1


def large_plain(author: Author) -> Iterator[Case]:
    """Larger tensors of one type, with every reduction, broadcast, and the largest of all."""
    for dtype in FLOATS:
        for reduction in () if author.reduces("sum") else ("sum", "mean"):  # what repeats sums with a bias
            yield from author.fitting(
                Draft(
                    group="basic",
                    what="large",
                    clauses=("layout", "mean" if reduction == "mean" else "none_sum"),
                    shapes=(3, 5, 17, 1031),
                    dtypes=dtype,
                    reduction=reduction,
                    layouts={name: expand(0, 1, 2) for name in author.inputs},
                    reason=LARGE_REASON,
                )
            )
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            shapes = [((2402, 7, 1), (1, 9), (1,))[i] for i in order]
            wide = next((name for name, n in author.per_tensor(*order).items() if n == 0), None)
            yield from author.fitting(
                Draft(
                    group="broadcast",
                    what="large",
                    clauses=("broadcast", "layout"),
                    shapes=author.per_tensor(*shapes),
                    dtypes=dtype,
                    reduction=pick(("none", "mean", "sum"), order[0]),
                    layouts={} if wide is None else {wide: expand(0)},
                    reason=LARGE_REASON,
                )
            )
    for dtype, reduction in zip(FLOATS, ("none", "sum", "none"), strict=True):
        yield from author.fitting(
            Draft(
                group="basic",
                what="huge",
                clauses=("layout", "none_sum"),
                shapes=HUGE,
                dtypes=dtype,
                reduction="none" if author.reduces(reduction) else reduction,
                layouts={name: expand(1) for name in author.inputs},
                order="once",
                reason=LARGE_REASON,
            )
        )


def sums(author: Author) -> Iterator[Case]:
    """The reduction sum with every mix of input types."""
    reason = Text(
        zh="混合类型下的sum：与none不同，或被除以N", en="sum with mixed types: other than none, or divided by N"
    )
    for i in range(27):
        types = (FLOATS[i // 9], FLOATS[i // 3 % 3], FLOATS[i % 3], FLOATS[(i + i // 3) % 3])
        yield from author.fitting(
            Draft(
                group="deduction",
                what="sum",
                clauses=("deduction", "none_sum"),
                shapes=(7,),
                dtypes=author.per_tensor(*types),
                reduction="sum",
                reason=reason,
            )
        )


def many_divisions(author: Author, dtype: str) -> Draft:
    """Seven dimensions to divide by: in a half type, a rounding after each makes more ULPs than are allowed."""
    shape = (400, 3, 3, 5, 3, 7, 3)
    rows = (shape[0], *[1] * (len(shape) - 1))
    values = uniform(f"{author.operator.name}/many-divisions/{dtype}", shape[0], 1, 2) * 2.0**14
    signs = np.where(np.arange(shape[0]) % 2, -1.0, 1.0)
    return Draft(
        group="mean",
        what="many-divisions",
        clauses=("mean", "layout"),
        shapes=shape,
        dtypes=dtype,
        reduction="mean",
        layouts={name: expand(*range(1, len(shape))) for name in author.inputs},
        data=author.per_tensor(*(each.reshape(rows) for each in (values, 2.0 + signs, np.full(shape[0], 2.0)))),
        order="once",
        reason=Text(
            zh="逐一除以每个维度，每次都舍入到半精度",
            en="a division by each dimension in turn, rounded to a half type every time",
        ),
    )

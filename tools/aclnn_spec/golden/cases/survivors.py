"""Cases without which a mutant of `tests/mutants` would pass: two demands that nothing else makes at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import Author, Draft, Layout
from aclnn_spec.golden.cases.mean import large
from aclnn_spec.golden.cases.status import TURNS, breaks
from aclnn_spec.reference.floats import FORMATS
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.rules.types import Castable
from aclnn_spec.spec.tables import Shape

MIXES = (
    ("FLOAT16", "FLOAT", "FLOAT", "FLOAT"),
    ("FLOAT", "FLOAT16", "BFLOAT16", "FLOAT16"),
    ("BFLOAT16", "FLOAT16", "FLOAT16", "BFLOAT16"),
    ("FLOAT", "FLOAT", "FLOAT", "FLOAT16"),
    ("BFLOAT16", "BFLOAT16", "BFLOAT16", "FLOAT16"),
)
HUGE = (2, 8388673)
"""2**24 + 130 elements: a count that stopped at 2**24 is off by more than the tolerance."""


def cases(author: Author) -> Iterator[Case]:
    """Cases of several groups; none has a partner beyond this list."""
    yield from counts(author)
    yield from square(author)
    yield from far(author)
    yield from payload(author)
    yield from near_ties(author)
    yield from whole_numbers(author)
    yield from remembered(author)
    yield from refused(author)


def counts(author: Author) -> Iterator[Case]:
    """Large divisors where types are mixed or the result is cast, and one just large enough."""
    for types in MIXES:
        for shape in ((3, 21843), (4, 25000)):
            draft = large(author, types[0], shape, "large-n-mix")
            yield author.good(replace(draft, dtypes=author.per_tensor(*types), clauses=(*draft.clauses, "deduction")))
    yield author.good(large(author, "FLOAT", HUGE, "huge-n"))


def square(author: Author) -> Iterator[Case]:
    """A column where a row of the same length would fit as well."""
    for name, dtype in zip(author.inputs, ("FLOAT", "FLOAT16", "BFLOAT16"), strict=False):
        yield author.good(
            Draft(
                group="broadcast",
                what=f"{name}-column",
                clauses=("broadcast",),
                shapes=dict.fromkeys(author.inputs, (3, 3)) | {name: (3, 1)},
                dtypes=dtype,
                reason=Text(
                    zh=f"{name} 是方阵旁的一列：被当成一行",
                    en=f"{name} is a column beside squares: taken for a row",
                ),
            )
        )


def far(author: Author) -> Iterator[Case]:
    """Rows further apart than 16 bits can count, and dense inputs beyond as many elements."""

    def make(shape: Shape) -> tuple[Shape, int, Shape]:
        return (65539, 1), 0, (65539 + shape[1],)

    layout = Layout(name="far", text=Text(zh="两行相距65539个元素", en="rows 65,539 elements apart"), make=make)
    yield author.good(
        Draft(
            group="layout",
            what="far-rows",
            clauses=("layout",),
            shapes=(2, 3),
            dtypes="FLOAT16",
            layouts={"self": layout, author.output: layout},
            reason=Text(
                zh="两行相距65539个元素：步长按16位保存", en="rows 65,539 elements apart: strides kept in 16 bits"
            ),
        )
    )
    yield author.good(
        Draft(
            group="basic",
            what="large-dense",
            clauses=("sign", "none_sum"),
            shapes=(65553,),
            dtypes="BFLOAT16",
            reason=Text(
                zh="超过65536个元素且输入都连续：专走连续通路的核函数，下标按16位计",
                en="all inputs dense and more than 65,536 elements: a path of its own for them, and its index in 16 bits",
            ),
        )
    )


def payload(author: Author) -> Iterator[Case]:
    """NaN whose payload lies in the bits that narrowing cuts off."""
    patterns = (0x7F800001, 0x7F80FFFF, 0x7F801FFF, 0xFF800001, 0xFF800FFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x3F800000)
    values = np.array(patterns, np.uint32).view(np.float32)
    for narrow in ("FLOAT16", "BFLOAT16"):
        yield author.good(
            Draft(
                group="special",
                what="cast-nan-payload",
                clauses=("grad_nonfinite", "deduction"),
                shapes=values.shape,
                dtypes=author.per_tensor("FLOAT", "FLOAT", "FLOAT", narrow),
                data=author.per_tensor(values, np.full(values.shape, 2.0), np.full(values.shape, 1.0)),
                reason=Text(
                    zh=f"NaN 的载荷都在转换到{narrow}时截掉的低位：变为无穷，或进位成别的数",
                    en=f"NaN with its payload in the bits that a cast to {narrow} cuts off: infinity, or carried into another number",
                ),
            )
        )


def near_ties(author: Author) -> Iterator[Case]:
    """Values next to a tie of two subnormal numbers, where rounding twice goes wrong."""
    for wide, narrow in (("FLOAT", "FLOAT16"), ("FLOAT", "BFLOAT16")):
        goal = FORMATS[narrow]
        least = goal.smallest_normal * 2.0 ** (1 - goal.precision)
        most = 2.0 ** (goal.precision - 1)
        halves = np.array([0.25, 0.375, 0.625, 0.75, 0.875]) * most + 0.5
        values = np.concatenate([halves + 2.0**-7, halves - 2.0**-7, -halves - 2.0**-7, -halves + 2.0**-7]) * least
        yield author.good(
            Draft(
                group="special",
                what="cast-underflow-near-ties",
                clauses=("deduction", "subnormals_on_the_way"),
                shapes=values.shape,
                dtypes=author.per_tensor(wide, wide, wide, narrow),
                data={author.gradient: values},
                reason=Text(
                    zh=f"紧挨着{narrow}次正规数的平局：舍入两次",
                    en=f"next to a tie of {narrow}'s subnormals: rounded twice",
                ),
            )
        )


def whole_numbers(author: Author) -> Iterator[Case]:
    """Integers that need the whole of the common type, or more, beside floats."""
    if all(clause.id != "integer_mix" for clause in author.operator.clauses):
        return
    neighbours = np.array([2049.0, 2047.0, -2049.0, 257.0, 2048.0, 255.0])
    others = np.array([2048.0, 2048.0, -2048.0, 256.0, 2048.0, 256.0])
    big = np.array([2**24 + 1, -(2**31), 2**31 - 1, 65537, -65537, 2**24 + 3], np.int32)
    # A tie in FLOAT but for the last bit, which 53 bits do not hold; then ties, and what is none in INT64 alone.
    ties = np.array(
        [
            2**62 + 2**38 + 1,
            -(2**62) - 2**38 - 1,
            2**62 + 2**38,
            2**62 + 3 * 2**38,
            2**62 + 3 * 2**38 - 1,
            2**53 + 2**29 + 1,
        ]
    )
    for types, data, what in (
        (
            ("FLOAT", "INT32", "FLOAT16", "FLOAT"),
            author.per_tensor(np.arange(1.0, 7), neighbours, others),
            "neighbours",
        ),
        (
            ("FLOAT", "INT32", "BFLOAT16", "FLOAT"),
            author.per_tensor(np.arange(1.0, 7), neighbours, others),
            "neighbours",
        ),
        (("INT32", "FLOAT", "FLOAT", "FLOAT"), {author.gradient: big}, "large"),
        (("INT64", "FLOAT", "FLOAT", "FLOAT"), {author.gradient: ties}, "ties"),
    ):
        yield author.good(
            Draft(
                group="open",
                what=f"integer_mix-{what}",
                clauses=("integer_mix",),
                shapes=(6,),
                dtypes=author.per_tensor(*types),
                data=data,
                reason=Text(
                    zh="整数需要公共类型的全部精度或范围：先转换到较窄的类型，或只留低位",
                    en="integers that need all of the common type: converted to a narrower one first, or their low bits kept",
                ),
            )
        )


def remembered(author: Author) -> Iterator[Case]:
    """Calls that differ from the one before in one thing alone."""
    alike: dict[str, Shape] = dict.fromkeys(author.inputs, (7, 1))
    for name in author.inputs:
        first = author.good(_call(f"again-{name}", alike | {name: (7, 5)}, "again"))
        yield first
        yield author.good(_call(f"after-other-{name}", alike | {name: (7, 3)}, "after", first.id))
    for name in author.inputs:
        types = dict.fromkeys(author.inputs, "FLOAT16") | {author.output: "FLOAT"}
        wide = {name: np.array([2.0**-20, 2.0**17, 1 + 2.0**-20])}
        first = author.good(replace(_call(f"again-{name}-type", (3,), "again"), dtypes=types))
        yield first
        draft = _call(f"after-other-{name}-type", (3,), "after", first.id)
        rest = {each: np.array([0.0, 2.0**15, 1.0]) for each in ("self", "target") if each != name}
        yield author.good(replace(draft, dtypes=types | {name: "FLOAT"}, data=wide | rest, reduction="none"))
    first = author.good(_call("again-twin", (5, 3), "again"))
    yield first
    for order in ("crossed", "nested"):
        yield author.good(_call(f"{order}-twin", (5, 3), order, first.id))


def _call(what: str, shapes: Shape | Mapping[str, Shape], order: str, partner: str | None = None) -> Draft:
    return Draft(
        group="lifecycle",
        what=what,
        clauses=("executors", "determinism"),
        shapes=shapes,
        reduction="mean",
        order=order,
        partner=partner,
        reason=Text(
            zh="与前一次调用只差一处：缓存的键漏掉了它，或张量保存在全局变量里",
            en="one thing alone differs from the call before: a cache's key leaves it out, or a tensor is kept in a global",
        ),
    )


def refused(author: Author) -> Iterator[Case]:
    """Reductions that the status cases do not come to, and integers that the output may not have either."""
    operator = author.operator
    draft = Draft(group="status", what="", clauses=(), shapes=(2, 3), reason=Text(zh="", en=""))
    for clause in operator.checks:
        told = replace(draft, clauses=(clause.id,))
        some = list(islice(breaks(author, clause, told), len(TURNS)))
        if clause.rule is not None and clause.rule.kind != "one_of" and len(some) < len(TURNS):
            reduction, dtype = TURNS[-1]
            turned = replace(told, reduction=reduction, dtypes=dtype, reason=some[0].reason)
            broken = next(breaks(author, clause, turned))
            yield author.bad(turned, broken.call, f"{clause.id}-{broken.slug}-{reduction}")
    for clause in operator.checks:
        for name in author.inputs if isinstance(clause.rule, Castable) else ():
            types = dict.fromkeys(author.tensors, "INT32") | {name: "FLOAT"}
            reason = Text(
                zh=f"只有 {name} 是浮点，{author.output} 与其余输入同为 INT32：推导类型时漏掉了 {name}",
                en=f"{name} alone is a float, {author.output} INT32 as the others are: {name} left out of the deduction",
            )
            told = replace(draft, clauses=(clause.id,), dtypes=types, reason=reason)
            yield author.bad(told, author.call(told), f"{clause.id}-{author.output}-INT32-but-{name}")

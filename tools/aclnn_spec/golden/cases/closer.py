"""More cases without which a mutant of `tests/mutants` would pass: calls that break one rule alone, small terms, casts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import Author, Draft
from aclnn_spec.golden.cases.layouts import expand
from aclnn_spec.reference.floats import FORMATS
from aclnn_spec.spec.model import Clause, Text
from aclnn_spec.spec.rules.reals import AtLeast, Finite
from aclnn_spec.spec.rules.shapes import MaxRank
from aclnn_spec.spec.rules.types import DtypeIn
from aclnn_spec.spec.rules.when import When
from aclnn_spec.spec.tables import Shape


def cases(author: Author) -> Iterator[Case]:
    """Cases of several groups; none has a partner."""
    yield from refused(author)
    yield from beside_wholes(author)
    yield from sums(author)
    yield from casts(author)
    yield from attributes(author)


def refused(author: Author) -> Iterator[Case]:
    """What an operator that reduces, or that has rules of its own on types, must refuse all the same."""
    checks = {clause.rule.core.kind: clause for clause in author.operator.checks if clause.rule is not None}
    draft = Draft(group="status", what="", clauses=(), shapes=(2, 3), reason=Text(zh="", en=""))
    if "shape_is_broadcast" in checks and author.gradient is None:
        yield from _outputs(author, checks["shape_is_broadcast"].id, draft)
    for clause in author.operator.checks:
        if isinstance(clause.rule, When) and isinstance(clause.rule.core, MaxRank):
            yield from _reduced_outputs(author, clause.id, draft)
    if "deduced_in" in checks and author.reduces("sum"):
        clause = checks["deduced_in"]
        reason = Text(
            zh="全部张量为 BOOL，只有推导结果的规则拒绝它", en="all tensors are BOOL, refused by the common type alone"
        )
        for reduction in ("none", "sum"):
            told = replace(draft, clauses=(clause.id,), dtypes="BOOL", reduction=reduction, reason=reason)
            yield author.bad(told, author.call(told), f"{clause.id}-every-BOOL-{reduction}")
    if "not_both" in checks:
        yield from _integers(author, draft)


def _outputs(author: Author, clause: str, draft: Draft) -> Iterator[Case]:
    """Outputs that have one input's shape, which is not the broadcast one."""
    shapes: dict[str, Shape] = dict(zip(author.inputs, ((4, 1), (1, 3)), strict=True))
    for name, shape in shapes.items():
        reason = Text(
            zh=f"{author.output} 与 {name} 同形状，不是广播后的形状",
            en=f"{author.output} has {name}'s shape, not the broadcast one",
        )
        told = replace(draft, clauses=(clause,), shapes={**shapes, author.output: shape}, reason=reason)
        yield author.bad(told, author.call(told), f"{clause}-like-{name}")


def _reduced_outputs(author: Author, clause: str, draft: Draft) -> Iterator[Case]:
    """Outputs that are not reduced, and reductions that are none though the output is."""
    for reduction in ("mean", "sum"):
        shapes: dict[str, Shape] = dict.fromkeys(author.tensors, (2, 3))
        reason = Text(zh=f"{reduction} 时输出仍为广播后的形状", en=f"an output of the broadcast shape with {reduction}")
        told = replace(draft, clauses=(clause,), shapes=shapes, reduction=reduction, reason=reason)
        yield author.bad(told, author.call(told), f"{clause}-broadcast-{reduction}")
    for value in (-1, -2, 3, 4, 2**31 - 1):
        reason = Text(
            zh=f"reduction 为 {value}，输出却是归约后的形状", en=f"reduction is {value}, though the output is reduced"
        )
        shapes = {**dict.fromkeys(author.inputs, (2, 3)), author.output: ()}
        told = replace(draft, clauses=("reduction",), shapes=shapes, reduction=value, reason=reason)
        slug = f"reduction-{value}-reduced".replace("--", "-minus")
        yield author.bad(told, author.call(told), slug)


def _integers(author: Author, draft: Draft) -> Iterator[Case]:
    """Integers, as the rules on pairs of types refuse them, where no other rule is broken."""
    clauses = {clause.id: clause for clause in author.operator.checks}
    for clause_id, types, reduction, shape in (
        ("castable", ("INT64", "FLOAT", "INT64"), "sum", (2, 3)),
        ("castable", ("FLOAT", "INT64", "INT64"), "sum", (2, 3)),
        ("integer_mean", ("INT64", "INT64", "FLOAT"), "mean", (0, 3)),
        ("integer_mean", ("BOOL", "INT64", "FLOAT"), "mean", (2, 3)),
        ("integer_self", ("BOOL", "FLOAT", "FLOAT"), "none", (2, 3)),
    ):
        if clause_id in clauses:
            dtypes = dict(zip(author.tensors, types, strict=True))
            reason = Text(
                zh=f"类型为 {'、'.join(types)}，只违反这一条", en=f"{', '.join(types)}: this clause alone is broken"
            )
            told = replace(draft, clauses=(clause_id,), dtypes=dtypes, reduction=reduction, shapes=shape, reason=reason)
            size = "x".join(map(str, shape))
            yield author.bad(told, author.call(told), f"{clause_id}-{'-'.join(types)}-{size}-{reduction}")


def beside_wholes(author: Author) -> Iterator[Case]:
    """Integers beside floats that need all of the float's precision and range."""
    if author.gradient is not None or all("INT64" not in p.dtypes for p in author.operator.inputs):
        return
    values = np.array([2049.0, 65537.0, -(2.0**20) - 1, 3.0, 2.0**24 - 1, -4097.0])
    for types, reduction in ((("FLOAT", "INT64"), "none"), (("INT64", "FLOAT"), "mean"), (("INT64", "FLOAT"), "sum")):
        yield from author.fitting(
            Draft(
                group="deduction",
                what="whole-beside-FLOAT",
                clauses=("deduction",),
                shapes=values.shape,
                dtypes=dict(zip(author.tensors, (*types, "FLOAT"), strict=True)),
                reduction=reduction,
                data={"self": values, "target": values[::-1] + 1.0},
                reason=Text(
                    zh="整数与 FLOAT 混合，需要 FLOAT 的全部精度：先舍入到半精度",
                    en="integers beside FLOAT that need all of its precision: rounded to a half type first",
                ),
            )
        )


def sums(author: Author) -> Iterator[Case]:
    """Terms so small that a share of each, or of their sum, is lost in FLOAT16; and squares that repeat diagonally."""
    if not author.reduces("sum"):
        return
    for shape, value, what in (((20000,), 0.025, "shares"), ((7,), 0.05, "small-sum")):
        yield from author.fitting(
            Draft(
                group="sums",
                what=what,
                clauses=("mean",),
                shapes=shape,
                dtypes="FLOAT16",
                reduction="mean",
                layouts={name: expand(0) for name in author.inputs},
                data={"self": [value], "target": [0.0]},
                reason=Text(
                    zh="每一项除以 N 后在 FLOAT16 中是次正规数：先除后加会丢位",
                    en="each term over N is subnormal in FLOAT16: digits are lost by who divides before adding",
                ),
            )
        )
    for reduction in ("sum", "mean"):
        yield from author.fitting(
            Draft(
                group="broadcast",
                what="outer-square",
                clauses=("broadcast", reduction),
                shapes=dict(zip(author.inputs, ((4, 1), (1, 4)), strict=True)),
                reduction=reduction,
                data={"self": [0.0, 1.0, 2.0, 8.0], "target": [0.0, 1.0, 2.0, 8.0]},
                reason=Text(
                    zh="行列等长的外积求和：循环重复只得到对角线",
                    en="an outer sum of equal sides: repeated cyclically, the diagonal alone comes of it",
                ),
            )
        )


def casts(author: Author) -> Iterator[Case]:
    """Results that a wider type holds and FLOAT16 does not, and squares that are subnormal in BFLOAT16 alone."""
    if author.exact:
        return
    values = np.array([2.0**17, 2.0**-28, 1.5 * 2.0**18, 3 * 2.0**-27, 1.0, 0.0])
    yield from author.fitting(
        Draft(
            group="special",
            what="cast-widens",
            clauses=("deduction",),
            shapes=values.shape,
            dtypes=author.per_tensor("BFLOAT16", "BFLOAT16", "BFLOAT16", "FLOAT"),
            data=author.carried(values),
            reason=Text(
                zh="从 BFLOAT16 转换到 FLOAT 的很大和很小的值：途经 FLOAT16",
                en="large and small values cast from BFLOAT16 to FLOAT: by way of FLOAT16",
            ),
        )
    )
    if author.gradient is None:
        small = np.array([1.0, 1.25, 1.5, 2.5, 0.75, 1.75]) * 2.0**-64
        yield from author.fitting(
            Draft(
                group="special",
                what="cast-square-underflow",
                clauses=("deduction", "subnormals_on_the_way"),
                shapes=small.shape,
                dtypes=author.per_tensor("FLOAT", "FLOAT", "FLOAT", "BFLOAT16"),
                data=author.carried(small),
                reason=Text(
                    zh="平方在 BFLOAT16 中为次正规数：只在转换时冲零",
                    en="squares that are subnormal in BFLOAT16: flushed by the cast alone",
                ),
            )
        )
        for target in ("FLOAT16", "BFLOAT16"):
            large = np.sqrt(FORMATS[target].largest * np.array([0.5, 0.9, 0.99, 1.003]))
            yield from author.fitting(
                Draft(
                    group="special",
                    what="cast-square-overflow",
                    clauses=("deduction", "cast_overflow"),
                    shapes=large.shape,
                    dtypes=author.per_tensor("FLOAT", "FLOAT", "FLOAT", target),
                    data=author.carried(large),
                    reason=Text(
                        zh=f"平方刚超出{target}的范围：转换时截断，而不是舍入",
                        en=f"squares barely beyond {target}'s range: cut off by the cast rather than rounded",
                    ),
                )
            )


def attributes(author: Author) -> Iterator[Case]:
    """A float attribute beyond its limits with each reduction, and types that one rule alone refuses."""
    for clause in author.operator.clauses:
        if clause.rule is not None and isinstance(clause.rule.core, Finite) and author.reduces("sum"):
            yield from _endless(author, clause)
    draft = Draft(group="status", what="", clauses=(), shapes=(2, 3), reason=Text(zh="", en=""))
    for clause in author.operator.checks:
        rule = clause.rule.core if clause.rule is not None else None
        if isinstance(rule, AtLeast):
            for reduction in ("mean", "sum"):
                reason = Text(zh=f"{reduction} 时 {rule.on[0]} 为负", en=f"{rule.on[0]} is negative with {reduction}")
                given = {rule.on[0]: rule.value - 1.0}
                told = replace(draft, clauses=(clause.id,), reduction=reduction, attributes=given, reason=reason)
                yield author.bad(told, author.call(told), f"{clause.id}-minus1-{reduction}")
        if isinstance(rule, DtypeIn) and author.output not in rule.on:
            yield from _types(author, clause.id, rule, draft)


def _endless(author: Author, clause: Clause) -> Iterator[Case]:
    """An infinite attribute where nothing is summed, for differences of all sizes."""
    self = np.array([0.0, 1.0, -1.0, 2.0, -64.0, 1024.0])
    for name in clause.rule.on:  # type: ignore[union-attr]
        yield from author.fitting(
            Draft(
                group="open",
                what=f"{clause.id}-{name}-any-difference",
                clauses=(clause.id,),
                shapes=self.shape,
                attributes={name: np.inf},
                data={"self": self, "target": -self},
                reason=Text(
                    zh=f"{name} 为无穷，差有大有小：既非所列结果也非所列状态码",
                    en=f"{name} is infinite, differences small and large: neither a listed result nor a listed status",
                ),
            )
        )


def _types(author: Author, clause: str, rule: DtypeIn, draft: Draft) -> Iterator[Case]:
    """Types that are not listed, where the output could hold what comes of them."""
    if author.mixes:
        for name in rule.on:
            dtypes = {**dict.fromkeys(author.inputs, "FLOAT"), name: "COMPLEX64", author.output: "COMPLEX64"}
            reason = Text(
                zh=f"{name} 与 {author.output} 为 COMPLEX64：可以转换，只是类型不在表内",
                en=f"{name} and {author.output} are COMPLEX64: castable, but not listed",
            )
            told = replace(draft, clauses=(clause,), dtypes=dtypes, reason=reason)
            yield author.bad(told, author.call(told), f"{clause}-{name}-COMPLEX64-castable")
        return
    for dtype, reduction, shape in (
        ("INT32", "none", (2, 3)),
        ("BOOL", "sum", (2, 3)),
        ("DOUBLE", "mean", (2, 3)),
        ("COMPLEX64", "none", (2, 3)),
        ("INT32", "none", (0, 3)),
    ):
        reason = Text(
            zh=f"所有张量同为 {dtype}：类型一致，却不在表内",
            en=f"all tensors are {dtype}: one and the same, but not listed",
        )
        told = replace(draft, clauses=(clause,), dtypes=dtype, reduction=reduction, shapes=shape, reason=reason)
        size = "x".join(map(str, shape))
        yield author.bad(told, author.call(told), f"{clause}-every-{dtype}-{size}-{reduction}")

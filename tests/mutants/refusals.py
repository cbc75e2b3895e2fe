"""Shapes, types and layouts accepted or refused against the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod
from types import MappingProxyType

from aclnn_spec.golden.tensor import Tensor
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules.pairs import NotBoth
from aclnn_spec.spec.rules.shapes import Broadcastable, MaxRank, ShapeIsBroadcast
from aclnn_spec.spec.rules.types import Castable, DeducedIn, DtypeIn
from aclnn_spec.spec.rules.when import When
from aclnn_spec.spec.tables import Shape, broadcast

from .checks import INNER, NULLPTR, also, core, has_mode, swapped, tolerant, unless
from .formulas import mixes
from .kernel import FLOATS, Arguments, is_dense
from .mutant import Sketch, wrong

ABOUT: Mapping[str, str] = MappingProxyType(
    {"integers": "integer_mix", "wide-output": "wide_output", "reduced-shape": "reduced_shape"}
)
"""The clauses without which a call is refused, or needs no word."""


def _shapes(operator: Operator) -> Iterator[Sketch]:
    """Shapes held against each other by another rule than broadcasting."""
    names = tuple(p.name for p in operator.inputs)

    def shapes(a: Arguments) -> list[Shape]:
        return [a[name].shape for name in names if a[name] is not None]

    def fits(a: Arguments) -> Shape | None:
        return broadcast(shapes(a))

    by_broadcast = next(c for c in operator.checks if c.rule and isinstance(c.rule.core, Broadcastable))
    by_output = next(c for c in operator.checks if c.rule and isinstance(c.rule.core, ShapeIsBroadcast))
    out = operator.output.name
    both = frozenset({by_broadcast.id, by_output.id})

    def ones(a: Arguments) -> Shape | None:
        return broadcast(tuple(size or 1 for size in shape) for shape in shapes(a))

    def divide(a: Arguments) -> bool:
        return all(
            x % y == 0 or y % x == 0
            for s in shapes(a)
            for t in shapes(a)
            for x, y in zip(s[::-1], t[::-1], strict=False)
            if x and y
        )

    for name, en, zh, excused in (
        (
            "divisors",
            "sizes that divide each other broadcast",
            "能整除的大小也算可广播",
            lambda _, a: fits(a) is None and divide(a),
        ),
        (
            "zero-as-one",
            "a size of 0 broadcasts like 1",
            "大小 0 像 1 一样广播",
            lambda _, a: fits(a) is None and ones(a) is not None,
        ),
        (
            "to-the-output",
            "inputs need only broadcast to the output's shape",
            "各输入只要能广播到输出形状",
            lambda _, a: all(broadcast((s, a[out].shape)) == a[out].shape for s in shapes(a)),
        ),
    ):
        yield wrong(f"broadcast-{name}", en, zh, check=tolerant(unless(excused, both)))
    for name, en, zh, excused in (
        ("elements", "only the number of elements is compared", "只比较元素个数", lambda x, o: prod(x) == prod(o)),
        ("last", "only the last dimension is compared", "只比较最后一维", lambda x, o: x[-1:] == o[-1:]),
        ("first", "only the first dimension is compared", "只比较第一维", lambda x, o: x[:1] == o[:1]),
        ("rank", "only the rank is compared", "只比较维数", lambda x, o: len(x) == len(o)),
        (
            "smaller",
            "an output that broadcasts to the shape passes",
            "能广播到该形状的输出也通过",
            lambda x, o: broadcast((x, o)) == x,
        ),
        (
            "larger",
            "an output that the shape broadcasts to passes",
            "该形状能广播到的输出也通过",
            lambda x, o: broadcast((x, o)) == o,
        ),
        (
            "without-ones",
            "dimensions of 1 are not compared",
            "不比较大小为 1 的维",
            lambda x, o: [d for d in x if d != 1] == [d for d in o if d != 1],
        ),
        ("sorted", "dimensions are compared in any order", "不管维的次序", lambda x, o: sorted(x) == sorted(o)),
        (
            "scalar",
            "an output of one element passes, as for a reduced loss",
            "单个元素的输出也通过，像归约后的损失",
            lambda _, o: o in ((), (1,)),
        ),
        (
            "longer",
            "longer dimensions pass",
            "更长的维也通过",
            lambda x, o: len(x) == len(o) and all(p <= q for p, q in zip(x, o, strict=True)),
        ),
        (
            "shorter",
            "shorter dimensions pass",
            "更短的维也通过",
            lambda x, o: len(x) == len(o) and all(p >= q for p, q in zip(x, o, strict=True)),
        ),
    ):
        yield wrong(
            f"output-by-{name}",
            f"the output's shape: {en}",
            f"输出形状：{zh}",
            check=tolerant(
                unless(
                    lambda _, a, f=excused: fits(a) is not None and f(fits(a), a[out].shape), frozenset({by_output.id})
                )
            ),
        )
    for name in names:
        yield wrong(
            f"output-like-{name}",
            f"an output of {name}'s shape passes",
            f"形状与 {name} 相同的输出也通过",
            check=tolerant(unless(lambda _, a, n=name: a[out].shape == a[n].shape, frozenset({by_output.id}))),
        )


def _types(operator: Operator) -> Iterator[Sketch]:
    """More types accepted, in what is deduced or in the output."""
    dtypes = [dtype for dtype in operator.tables.dtypes.values() if operator.tables.deduce([dtype])]
    for kinds, en, zh in (
        (("int", "uint"), "integers", "整数"),
        (("bool",), "BOOL", "BOOL"),
        (("float",), "DOUBLE", "DOUBLE"),
        (("complex",), "complex numbers", "复数"),
    ):
        more = tuple(str(dtype) for dtype in dtypes if dtype.kind in kinds)
        for clause in operator.checks:
            rule = core(clause)
            if isinstance(rule, DtypeIn):
                for name in rule.on:
                    yield wrong(
                        f"{clause.id}-{kinds[0]}-{name}",
                        f"{en} pass for {name}",
                        f"{name} 为{' ' if zh[0] in 'BD' else ''}{zh}也通过",
                        check=tolerant(
                            unless(
                                lambda _, a, m=more, n=name: a[n] is not None and str(a[n].dtype) in m,
                                frozenset({clause.id}),
                            )
                        ),
                    )
            if isinstance(rule, DeducedIn):
                yield wrong(
                    f"computes-{kinds[0]}",
                    f"{en} count as types to compute in",
                    f"把 {zh} 当成可计算的类型",
                    check=swapped(operator, clause, replace(rule, dtypes=(*rule.dtypes, *more))),
                )
            if isinstance(rule, Castable) and kinds[0] in ("int", "bool"):
                yield wrong(
                    f"casts-to-{kinds[0]}",
                    f"a result may be cast to {en}",
                    f"结果可转换为 {zh}",
                    check=unless(
                        lambda _, a, m=more, n=rule.to: a[n] is not None and a[n].dtype in m, frozenset({clause.id})
                    ),
                )


def _strict(operator: Operator) -> Iterator[Sketch]:
    """More refused than should be."""
    names, out = tuple(p.name for p in operator.inputs), operator.output.name

    def types(a: Arguments) -> set[str]:
        return {str(a[name].dtype) for name in names}

    def whole(a: Arguments) -> Shape:
        return broadcast(a[name].shape for name in names) or ()

    def tensors(a: Arguments) -> list[Tensor]:
        return [a[name] for name in names]

    def steps(a: Arguments) -> int:
        """How much narrower the output is than the common type; negative if wider."""
        common, target = str(operator.tables.deduce(a[name].dtype for name in names)), str(a[out].dtype)
        return FLOATS.index(target) - FLOATS.index(common) if {target, common} <= {*FLOATS} else 0

    first, clauses = names[0], {clause.id for clause in operator.clauses}
    impossible = set() if mixes(operator) else {"mixed-types", "both-halves"}
    for name, en, zh, groups, refuses in (
        (
            "mixed-types",
            "mixed types",
            "混用类型",
            "deduction",
            lambda _, a: len(types(a)) > 1 and types(a) <= {*FLOATS},
        ),
        (
            "both-halves",
            "FLOAT16 together with BFLOAT16",
            "FLOAT16 与 BFLOAT16 混用",
            "deduction",
            lambda _, a: types(a) >= {"FLOAT16", "BFLOAT16"},
        ),
        (
            "narrower-output",
            "an output narrower than the common type",
            "比公共类型窄的输出",
            "deduction",
            lambda _, a: steps(a) > 0,
        ),
        (
            "wider-output",
            "an output wider than the common type",
            "比公共类型宽的输出",
            "deduction",
            lambda _, a: steps(a) < 0,
        ),
        ("BFLOAT16", "BFLOAT16", "BFLOAT16", "basic deduction", lambda _, a: "BFLOAT16" in types(a)),
        (
            "BFLOAT16-output",
            "an output of BFLOAT16",
            "BFLOAT16 的输出",
            "basic deduction",
            lambda _, a: a[out].dtype == "BFLOAT16",
        ),
        (
            "strided-inputs",
            "inputs with gaps",
            "不连续的输入",
            "layout",
            lambda _, a: not all(map(is_dense, tensors(a))),
        ),
        ("strided-output", "an output with gaps", "不连续的输出", "layout", lambda _, a: not is_dense(a[out])),
        ("zero-strides", "strides of 0", "步长 0", "layout", lambda _, a: any(0 in t.strides for t in tensors(a))),
        ("offset", "an input's offset", "输入的偏移", "layout", lambda _, a: any(t.offset for t in tensors(a))),
        ("output-offset", "the output's offset", "输出的偏移", "layout", lambda _, a: a[out].offset > 0),
        (
            "storage",
            "a storage larger than its view",
            "比视图大的存储",
            "layout",
            lambda _, a: any(t.storage.size > prod(t.shape) > 0 for t in tensors(a)),
        ),
        (
            "storage-rank",
            "a storage shape of another rank",
            "维数不同的存储形状",
            "layout",
            lambda _, a: any(len(t.storage_shape) != len(t.shape) for t in tensors(a)),
        ),
        ("large", "more than 65,535 elements", "超过 65535 个元素", "basic mean", lambda _, a: prod(whole(a)) > 65535),
        ("rank-6", "rank 6 and more", "6 维及以上", "basic broadcast", lambda _, a: len(whole(a)) > 5),
        ("rank-8", "rank 8", "8 维", "basic broadcast", lambda _, a: len(whole(a)) > 7),
        ("one-element", "a single element", "单个元素", "basic", lambda _, a: whole(a) == (1,)),
        (
            "broadcasting",
            "broadcasting of any kind",
            "任何广播",
            "broadcast",
            lambda _, a: len({t.shape for t in tensors(a)}) > 1,
        ),
        (
            "ranks-that-differ",
            "inputs of different ranks",
            "维数不同的输入",
            "broadcast",
            lambda _, a: len({len(t.shape) for t in tensors(a)}) > 1 and all(t.shape for t in tensors(a)),
        ),
        (
            f"spread-{first}",
            f"a {first} that is broadcast, unless it is a scalar",
            f"被广播的 {first}（标量除外）",
            "broadcast",
            lambda _, a: a[first].shape not in (whole(a), (1,), ()),
        ),
        (
            "output-unlike-self",
            "an output of another shape than self",
            "与 self 形状不同的输出",
            "broadcast",
            lambda _, a: a[out].shape != a["self"].shape,
        ),
        (
            "mean-of-BFLOAT16",
            "the mean of BFLOAT16",
            "BFLOAT16 的平均",
            "mean",
            lambda o, a: types(a) == {"BFLOAT16"} and has_mode("mean")(o, a),
        ),
    ):
        if name in impossible:
            continue
        yield wrong(
            f"refuses-{name}", f"refuses {en}", f"拒绝{' ' if zh[0] in 'BF' else ''}{zh}", groups, check=also(refuses)
        )
    for name in names:
        yield wrong(
            f"refuses-empty-{name}",
            f"refuses an empty {name}",
            f"拒绝空的 {name}",
            "empty",
            check=also(lambda _, a, n=name: prod(a[n].shape) == 0),
        )
    for name, en, zh, code, refuses in (
        (
            "rank-0",
            "161001 to rank 0",
            "对 0 维返回 161001",
            NULLPTR,
            lambda _, a: any(not t.shape for t in tensors(a)),
        ),
        (
            "integers",
            "561103 to integers in the mix",
            "对混入的整数返回 561103",
            INNER,
            lambda _, a: not types(a) <= {*FLOATS},
        ),
        (
            "formats",
            "561103 to formats other than ND",
            "对 ND 以外的格式返回 561103",
            INNER,
            lambda _, a: any(t.format != "ND" for t in tensors(a)),
        ),
        (
            "wide-output",
            "361001 to an output of DOUBLE or complex",
            "对 DOUBLE 或复数输出返回 361001",
            361001,
            lambda _, a: str(a[out].dtype) not in FLOATS,
        ),
        (
            "reduced-shape",
            "561103 to a reduced output of another shape",
            "对形状不同的归约输出返回 561103",
            INNER,
            lambda o, a: o.reduces(a) and a[out].shape != o.output_shape(a),
        ),
    ):
        if name in ABOUT and ABOUT[name] not in clauses:
            continue
        yield wrong(f"open-{name}", f"answers {en}", zh, "open", check=also(refuses, code))


def _reduced(operator: Operator) -> Iterator[Sketch]:
    """The output's shape where all is reduced to one element."""
    if operator.output.reduced is None:
        return
    out, due = operator.output.name, operator.output.reduced.shape
    for mode in ("mean", "sum"):
        yield wrong(
            f"refuses-reduced-{mode}",
            f"refuses the output's reduced shape {list(due)} with {mode}",
            f"{mode} 时拒绝归约后的输出形状 {list(due)}",
            "basic mean sums",
            check=also(lambda o, a, mode=mode: has_mode(mode)(o, a) and a[out].shape == due),
        )
    yield wrong(
        "wants-broadcast-shape",
        "wants the broadcast shape of the output for mean and sum as well",
        "mean 和 sum 时也要求输出为广播后的形状",
        "basic mean sums",
        check=also(lambda o, a: o.reduces(a) and a[out].shape != broadcast(a[p.name].shape for p in operator.inputs)),
    )
    for clause in operator.checks:
        if isinstance(clause.rule, When) and isinstance(clause.rule.core, MaxRank):
            for name, en, zh, excused in (
                ("one", "one of rank 1 with a single element", "一维、单个元素的输出", lambda a: a[out].shape == (1,)),
                ("rank-1", "any of rank 1", "任何一维的输出", lambda a: len(a[out].shape) == 1),
                ("broadcast", "one of the broadcast shape", "广播形状的输出",
                 lambda a: a[out].shape == broadcast(a[p.name].shape for p in operator.inputs)),
            ):  # fmt: skip
                yield wrong(
                    f"reduced-{name}-accepted",
                    f"for mean and sum passes {en}",
                    f"mean 和 sum 时接受{zh}",
                    check=tolerant(unless(lambda _, a, f=excused: f(a), frozenset({clause.id}))),
                )


def _pairs(operator: Operator) -> Iterator[Sketch]:
    """Rules on the types of two tensors, with lists cut short or changed about."""
    for clause in operator.checks:
        rule = core(clause)
        if not isinstance(rule, NotBoth):
            continue
        for name, en, zh, changed in (
            ("INT64-alone", "INT64 alone is looked for", "只查 INT64", replace(rule, one_dtypes=("INT64",))),
            ("without-BOOL", "BOOL is not among the integers", "BOOL 不算整数",
             replace(rule, one_dtypes=tuple(t for t in rule.one_dtypes if t != "BOOL"))),
            ("turned", "self and target are mistaken for each other", "弄反 self 与 target",
             replace(rule, one=rule.other, other=rule.one)),
        ):  # fmt: skip
            if changed.one != rule.one and rule.one_dtypes == rule.other_dtypes:
                continue
            yield wrong(
                f"{clause.id}-{name}",
                f"{clause.id}: {en}",
                f"条款 {clause.id}：{zh}",
                "status deduction",
                check=tolerant(swapped(operator, clause, changed)),
            )


def mutants(operator: Operator) -> Iterator[Sketch]:
    """Part of the family of status codes."""
    yield from _reduced(operator)
    yield from _pairs(operator)
    yield from _shapes(operator)
    yield from _types(operator)
    yield from _strict(operator)

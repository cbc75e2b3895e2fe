"""Wrong common types, and integers read as others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS, round_to
from aclnn_spec.spec.operator import Operator

from .formulas import mixes
from .kernel import FLOATS, Call, load
from .mutant import Sketch, wrong


def common(pick: Callable[[Call], str]) -> Callable[[Call], None]:
    """A plan with another common type; one that cannot be computed in is left alone."""

    def plan(call: Call) -> None:
        chosen = pick(call)
        call.common = chosen if chosen in FORMATS and not call.whole else call.common

    return plan


def _integer(change: Callable[[Array], Any], *dtypes: str) -> Callable[[Call, str, Array], Array]:
    """Integers of these types are read as others."""

    def read(call: Call, name: str, array: Array) -> Array:
        return load(call, name, np.asarray(change(array)) if str(call.arguments[name].dtype) in dtypes else array)

    return read


def _deductions(operator: Operator) -> Iterator[Sketch]:
    names = tuple(p.name for p in operator.inputs)
    groups = "deduction ties special open"
    yield wrong(
        "common-is-output", "computes in the output's type", "在输出的类型中计算", groups, plan=common(lambda c: c.out)
    )
    if not mixes(operator):
        return
    for i, name in enumerate(names):
        yield wrong(
            f"common-is-{name}",
            f"computes in {name}'s type",
            f"在 {name} 的类型中计算",
            groups,
            plan=common(lambda c, i=i: c.types[i]),
        )
    for i, j in combinations(range(len(names)), 2) if len(names) > 2 else ():
        yield wrong(
            f"common-of-{names[i]}-{names[j]}",
            f"deduces the type from {names[i]} and {names[j]} alone",
            f"只由 {names[i]} 和 {names[j]} 推导类型",
            groups,
            plan=common(lambda c, i=i, j=j: str(c.operator.tables.deduce((c.types[i], c.types[j])))),
        )
    yield wrong(
        "common-is-narrowest",
        "computes in the narrowest type",
        "在最窄的类型中计算",
        groups,
        plan=common(lambda c: max((t for t in c.types if t in FLOATS), key=FLOATS.index, default=c.common)),
    )
    for pair, chosen in (
        (("FLOAT16", "BFLOAT16"), "FLOAT16"),
        (("FLOAT16", "BFLOAT16"), "BFLOAT16"),
        (("FLOAT", "FLOAT16"), "FLOAT16"),
        (("FLOAT", "BFLOAT16"), "BFLOAT16"),
    ):
        yield wrong(
            f"{pair[0]}-with-{pair[1]}-is-{chosen}",
            f"{' and '.join(pair)} are computed in {chosen}",
            f"{'、'.join(pair)} 混用时在 {chosen} 中计算",
            groups,
            plan=common(lambda c, pair=pair, chosen=chosen: chosen if {*c.types} == {*pair} else c.common),
        )


def _integers() -> Iterator[Sketch]:
    for name, en, zh, dtypes, change in (
        ("UINT8-signed", "UINT8 is read as INT8", "UINT8 当作 INT8 读", ("UINT8",), lambda a: a.view(np.int8)),
        (
            "INT64-low-half",
            "the low 32 bits of INT64 alone are read",
            "只读 INT64 的低 32 位",
            ("INT64",),
            lambda a: a.astype(np.int32),
        ),
        (
            "BOOL-is-255",
            "BOOL is read as 0 and 255",
            "BOOL 读成 0 和 255",
            ("BOOL",),
            lambda a: a.astype(np.int32) * 255,
        ),
        (
            "integers-unsigned",
            "the sign of integers is lost",
            "丢掉整数的符号",
            ("INT8", "INT16", "INT32", "INT64"),
            np.abs,
        ),
        ("INT32-in-16-bits", "INT32 is read in 16 bits", "INT32 只读 16 位", ("INT32",), lambda a: a.astype(np.int16)),
    ):
        yield wrong(name, en, zh, "open", load=_integer(change, *dtypes))
    yield wrong(
        "integers-through-half",
        "integers are rounded to FLOAT16 first",
        "整数先舍入到 FLOAT16",
        "open deduction",
        load=lambda c, n, a: (
            round_to(load(c, n, a), FORMATS["FLOAT16"])
            if str(c.arguments[n].dtype) not in FORMATS and not c.whole
            else load(c, n, a)
        ),
    )


def mutants(operator: Operator) -> Iterator[Sketch]:
    """Part of the family of casts."""
    yield from _deductions(operator)
    if any(clause.id == "integer_mix" for clause in operator.clauses):
        yield from _integers()

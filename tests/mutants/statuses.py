"""Status codes: each rule missing, too weak or too strict, each code another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from aclnn_spec.spec.model import Clause
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules.reals import AtLeast
from aclnn_spec.spec.rules.shapes import MaxRank, ShapeIsBroadcast
from aclnn_spec.spec.rules.types import Castable, DeducedIn
from aclnn_spec.spec.rules.values import OneOf
from aclnn_spec.spec.rules.when import When

from . import refusals
from .checks import (
    INNER,
    INVALID,
    NULLPTR,
    also,
    by_clauses,
    coded,
    core,
    has_empty,
    has_mode,
    other,
    tolerant,
    unless,
)
from .kernel import check
from .mutant import Sketch, wrong


def _together(operator: Operator, clause: Clause) -> frozenset[str]:
    """The clauses that have to go for this one to be missed: an output of too high a rank betrays the inputs' too."""
    rule = core(clause)
    if isinstance(rule, MaxRank):
        return frozenset(
            each.id for each in operator.checks if core(each) == replace(rule, on=getattr(core(each), "on", ()))
        )
    return frozenset({clause.id})


def _clauses(operator: Operator) -> Iterator[Sketch]:
    told: set[str] = set()
    for clause in operator.checks:
        right = int(operator.tables.status_codes[clause.accepts[0]])
        for code in (NULLPTR, INVALID, INNER, 361001):
            if code != right and not _hidden(operator, clause):
                yield wrong(
                    f"{clause.id}-answers-{code}",
                    f"{code} instead of {right} for {clause.id}",
                    f"条款 {clause.id} 返回 {code} 而不是 {right}",
                    check=coded(clause, code),
                )
        gone = _together(operator, clause)
        if clause.id in told:
            continue
        told |= gone
        yield wrong(
            f"{clause.id}-missing",
            f"the clause {clause.id} is never checked",
            f"从不检查条款 {clause.id}",
            check=tolerant(by_clauses(operator, lambda each, gone=gone: None if each.id in gone else each)),
        )
        for mode in () if isinstance(clause.rule, OneOf) else _some_of(clause, ("mean", "sum")):
            yield wrong(
                f"{clause.id}-not-for-{mode}",
                f"{clause.id} is not checked with {mode}",
                f"{mode} 时不检查条款 {clause.id}",
                check=tolerant(unless(has_mode(mode), gone)),
            )
        yield wrong(
            f"{clause.id}-not-for-empty",
            f"an empty tensor excuses from {clause.id}",
            f"有空张量时不检查条款 {clause.id}",
            check=tolerant(unless(has_empty, gone)),
        )
        yield from _parameters(operator, clause, gone)


def _hidden(operator: Operator, clause: Clause) -> bool:
    """Whether another clause is always broken before: the shape of an output of too high a rank, if it comes first."""
    before = operator.checks[: operator.checks.index(clause)]
    if not isinstance(clause.rule, MaxRank) or clause.rule.on != (operator.output.name,):
        return False
    return any(isinstance(each.rule, ShapeIsBroadcast) for each in before)


def _some_of(clause: Clause, modes: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the reductions that a clause is about; none if it is about one alone."""
    if not isinstance(clause.rule, When):
        return modes
    words = {word for each in clause.rule.when for word in each.words}
    return tuple(mode for mode in modes if mode in words and len(words) > 1)


def _parameters(operator: Operator, clause: Clause, gone: frozenset[str]) -> Iterator[Sketch]:
    """The rule asked of all its parameters but one, and of one alone."""
    floating = all(not isinstance(core(each), DeducedIn) for each in operator.checks)
    if isinstance(core(clause), Castable) and floating:
        return  # what is deduced from any of them is a float
    for field in ("on", "of"):
        names = getattr(core(clause), field, ())
        for name in names if len(names) > 1 else ():
            others = tuple(each for each in names if each != name)
            for what, kept in (("without", others), ("only", (name,))):
                if what == "only" and len(others) == 1:
                    continue

                def change(each: Clause, kept: Any = kept, field: str = field) -> Clause | None:
                    if each.id == clause.id:
                        return other(each, replace(core(each), **{field: kept}))  # type: ignore[type-var]
                    return None if each.id in gone else each

                yield wrong(
                    f"{clause.id}-{what}-{name}",
                    f"{clause.id} looks at {' and '.join(kept)} alone",
                    f"条款 {clause.id} 只看 {'、'.join(kept)}",
                    "status broadcast",
                    check=tolerant(by_clauses(operator, change)),
                )


def _misread(low: int, high: int) -> Iterator[tuple[str, str, str, Callable[[int], int]]]:
    """Ways to read an attribute whose good values run from low to high."""
    yield "in-32-bits", "32 bits of it are kept", "只留 32 位", lambda v: (v + 2**31) % 2**32 - 2**31
    yield "in-16-bits", "16 bits of it are kept", "只留 16 位", lambda v: (v + 2**15) % 2**16 - 2**15
    yield "in-8-bits", "8 bits of it are kept", "只留 8 位", lambda v: (v + 2**7) % 2**8 - 2**7
    yield "without-sign", "its sign bit is dropped", "丢掉符号位", lambda v: v % 2**63
    yield "absolute", "its absolute value is taken", "取绝对值", lambda v: v if v == -(2**63) else abs(v)
    yield "negative-accepted", "negative numbers pass for the first value", "负数当作第一个值", lambda v: max(v, low)
    yield "large-accepted", "large numbers pass for the last value", "过大的数当作最后一个值", lambda v: min(v, high)
    yield "minus-1-accepted", "−1 passes for the first value", "−1 当作第一个值", lambda v: low if v == -1 else v
    yield (
        "one-more-accepted",
        "the number after the last passes",
        "最后一个值的下一个数也通过",
        lambda v: high if v == high + 1 else v,
    )


def _attributes(operator: Operator) -> Iterator[Sketch]:
    """Values of an attribute read with fewer bits, or held against other limits."""
    for clause in operator.checks:
        rule = clause.rule
        if not isinstance(rule, OneOf):
            continue
        name = rule.on[0]
        for what, en, zh, accepts in _misread(min(rule.values), max(rule.values)):
            yield wrong(
                f"{name}-{what}",
                f"{name}: {en}",
                f"{name}：{zh}",
                check=lambda o, a, s, f=accepts, n=name: check(o, {**a, n: f(a[n])}, s),
            )
        for value in rule.values:
            yield wrong(
                f"{name}-{value}-refused",
                f"{name}={value} is refused",
                f"拒绝 {name}={value}",
                "basic mean",
                check=also(lambda _, a, v=value, n=name: a[n] == v),
            )


def _limits(operator: Operator) -> Iterator[Sketch]:
    """The lower limit of an attribute that is a C float."""
    for clause in operator.checks:
        rule = core(clause)
        if not isinstance(rule, AtLeast):
            continue
        name, low = rule.on[0], rule.value
        for what, en, zh, accepts in (
            ("whole", "is read as an integer", "当作整数读", lambda v: float(np.trunc(v))),
            ("with-epsilon", "may be 10⁻⁶ below the limit", "可比下限小 10⁻⁶", lambda v: v + 1e-6),
            ("infinite-accepted", "may be −∞", "可为 −∞", lambda v, low=low: low if v == -np.inf else v),
            (
                "finite-accepted",
                "may be any negative number but −∞",
                "可为除 −∞ 外的任何负数",
                lambda v, low=low: v if v == -np.inf else low,
            ),
        ):
            yield wrong(
                f"{name}-{what}",
                f"{name} {en}",
                f"{name} {zh}",
                check=lambda o, a, s, f=accepts, n=name: check(o, {**a, n: f(a[n])}, s),
            )
        for what, en, zh, groups, refuses in (
            (
                "zero-refused",
                f"{name}={low} is refused",
                f"拒绝 {name}={low}",
                "threshold",
                lambda v, low=low: v == low,
            ),
            (
                "fraction-refused",
                f"a {name} between {low} and 1 is refused",
                f"拒绝 {low} 到 1 之间的 {name}",
                "threshold",
                lambda v, low=low: low < v < 1,
            ),
            (
                "above-1-refused",
                f"a {name} above 1 is refused",
                f"拒绝大于 1 的 {name}",
                "threshold",
                lambda v: 1 < v < np.inf,
            ),
        ):
            yield wrong(f"{name}-{what}", en, zh, groups, check=also(lambda _, a, n=name, f=refuses: f(a[n])))
        yield wrong(
            f"{name}-nan-wrong-code",
            f"561103 to a {name} that is NaN",
            f"{name} 为 NaN 时返回 561103",
            "open",
            check=also(lambda _, a, n=name: bool(np.isnan(a[n])), INNER),
        )


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family."""
    yield from _clauses(operator)
    yield from _attributes(operator)
    yield from _limits(operator)
    yield from refusals.mutants(operator)

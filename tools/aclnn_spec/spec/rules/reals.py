"""Rules on the values of attributes that are C floats."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from aclnn_spec.spec.attributes import c_float, spelt
from aclnn_spec.spec.facts import Facts
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.rules.base import Break, Call, Rule, are, changed_call, joined, listed
from aclnn_spec.spec.tables import Tables


@dataclass(frozen=True, kw_only=True)
class AtLeast(Rule):
    """An attribute is not below this number; NaN is not."""

    kind = "at_least"
    on: tuple[str, ...]
    value: float

    def holds(self, facts: Facts) -> bool:
        return not any(c_float(facts.arguments[name]) < self.value for name in self.on)

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 不小于 {self.value}",
            en=f"{joined(self.on, 'and')} {are(self.on)} at least {self.value}",
        )

    def found(self, facts: Facts) -> Text:
        return _found(facts, self.on)

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        least = -(2.0**-149)
        steps = (-1.0, -0.5, least if self.value == 0 else -(2.0**-20), -(2.0**127), -math.inf)
        yield from _breaks(call, self.on, [c_float(self.value + step) for step in steps])


@dataclass(frozen=True, kw_only=True)
class Finite(Rule):
    """An attribute is neither infinite nor NaN."""

    kind = "finite"
    on: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        return all(math.isfinite(c_float(facts.arguments[name])) for name in self.on)

    def explain(self) -> Text:
        return Text(zh=f"{listed(self.on)} 是有限值", en=f"{joined(self.on, 'and')} {are(self.on)} finite")

    def found(self, facts: Facts) -> Text:
        return _found(facts, self.on)

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        yield from _breaks(call, self.on, [math.nan, math.inf])


def _found(facts: Facts, names: tuple[str, ...]) -> Text:
    found = [f"{name}={spelt(c_float(facts.arguments[name]))}" for name in names]
    return Text(zh=listed(found), en=joined(found, "and"))


def _breaks(call: Call, names: tuple[str, ...], values: list[float]) -> Iterator[Break]:
    for name in names:
        for value in values:
            text = str(spelt(value))
            slug = f"{name}-minus-{text.removeprefix('-')}" if text.startswith("-") else f"{name}-{text}"
            reason = Text(zh=f"{name} 为 {text}", en=f"{name} is {text}")
            yield Break(slug=slug, reason=reason, call=changed_call(call, **{name: value}))

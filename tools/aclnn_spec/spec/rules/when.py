"""A rule that concerns only calls with certain values of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclnn_spec.spec.facts import Facts
from aclnn_spec.spec.model import Arguments, Text
from aclnn_spec.spec.rules.base import Break, Call, Rule, joined, listed
from aclnn_spec.spec.tables import Tables


@dataclass(frozen=True, kw_only=True)
class Condition:
    """An attribute, the numbers that meet the condition, and their names."""

    name: str
    numbers: tuple[int, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class When(Rule):
    """The rule holds, or the call does not meet all the conditions; it is no kind of its own."""

    kind = "when"
    rule: Rule
    when: tuple[Condition, ...]

    @property
    def core(self) -> Rule:
        return self.rule.core

    def concerns(self, arguments: Arguments) -> bool:
        """Whether a call meets the conditions."""
        return all(arguments[each.name] in each.numbers for each in self.when)

    def holds(self, facts: Facts) -> bool:
        return not self.concerns(facts.arguments) or self.rule.holds(facts)

    def explain(self) -> Text:
        inner = self.rule.explain()
        zh = "、".join(f"{each.name} 为 {listed(each.words)}" for each in self.when)
        en = joined([f"{each.name} {joined(each.words, 'or')}" for each in self.when], "and")
        return Text(zh=f"{zh} 时，{inner.zh}", en=f"with {en}, {inner.en}")

    def found(self, facts: Facts) -> Text:
        return self.rule.found(facts)

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:
        if self.concerns(call):
            yield from self.rule.breaks(call, tables)

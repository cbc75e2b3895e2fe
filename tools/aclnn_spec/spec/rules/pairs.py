"""Rules on the types of tensors held against each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclnn_spec.spec.facts import Facts
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.rules.base import Break, Call, Rule, changed_call, desc, have, joined, listed, tensors
from aclnn_spec.spec.tables import Tables


@dataclass(frozen=True, kw_only=True)
class SameDtype(Rule):
    """These tensors have one and the same type."""

    kind = "same_dtype"
    on: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        return len({str(tensor.dtype) for _, tensor in tensors(facts.arguments, self.on)}) <= 1

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 的数据类型相同", en=f"{joined(self.on, 'and')} {have(self.on)} one and the same type"
        )

    def found(self, facts: Facts) -> Text:
        types = [f"{name}={tensor.dtype}" for name, tensor in tensors(facts.arguments, self.on)]
        return Text(zh=listed(types), en=joined(types, "and"))

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:
        for name in self.on:
            for dtype in tables.dtypes:
                if dtype != desc(call, name).dtype and tables.deduce([dtype]):
                    others = [str(desc(call, other).dtype) for other in self.on if other != name]
                    reason = Text(
                        zh=f"{name} 为 {dtype}，其余为 {listed(others)}",
                        en=f"{name} is {dtype} beside {joined(others, 'and')}",
                    )
                    yield Break(
                        slug=f"{name}-{dtype}", reason=reason, call=changed_call(call, **{name: {"dtype": dtype}})
                    )


@dataclass(frozen=True, kw_only=True)
class NotBoth(Rule):
    """It is not so that `one` has one of its listed types and `other` one of its own."""

    kind = "not_both"
    one: str
    one_dtypes: tuple[str, ...]
    other: str
    other_dtypes: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        one, other = facts.arguments[self.one], facts.arguments[self.other]
        return one is None or other is None or one.dtype not in self.one_dtypes or other.dtype not in self.other_dtypes

    def explain(self) -> Text:
        return Text(
            zh=f"{self.one} 为 {listed(self.one_dtypes)} 时，{self.other} 不为 {listed(self.other_dtypes)}",
            en=f"where {self.one} is {joined(self.one_dtypes, 'or')}, "
            f"{self.other} is not {joined(self.other_dtypes, 'or')}",
        )

    def found(self, facts: Facts) -> Text:
        found = [f"{name}={facts.arguments[name].dtype}" for name in (self.one, self.other)]
        return Text(zh=listed(found), en=joined(found, "and"))

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        for first in self.one_dtypes:
            for second in self.other_dtypes:
                reason = Text(
                    zh=f"{self.one} 为 {first} 而 {self.other} 为 {second}",
                    en=f"{self.one} is {first} and {self.other} {second}",
                )
                changes = {self.one: {"dtype": first}, self.other: {"dtype": second}}
                yield Break(
                    slug=f"{self.one}-{first}-{self.other}-{second}",
                    reason=reason,
                    call=changed_call(call, **changes),
                )

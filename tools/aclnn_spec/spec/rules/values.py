"""Rules on null pointers, attribute values and shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from aclnn_spec.spec.facts import Facts
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.rules.base import Break, Call, Rule, are, changed_call, desc, joined, listed
from aclnn_spec.spec.tables import Tables


@dataclass(frozen=True, kw_only=True)
class NotNull(Rule):
    """None of these is a null pointer."""

    kind = "not_null"
    on: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        arguments = facts.arguments
        return all(arguments.get(name, self) is not None for name in self.on)

    def explain(self) -> Text:
        return Text(zh=f"{listed(self.on)} 不得为空指针", en=f"{joined(self.on, 'and')} must not be null")

    def found(self, facts: Facts) -> Text:
        null = [name for name in self.on if facts.arguments.get(name, self) is None]
        return Text(zh=f"{listed(null)} 为空指针", en=f"{joined(null, 'and')} {are(null)} null")

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002  # one signature for all kinds
        for name in self.on:
            reason = Text(zh=f"{name} 为空指针", en=f"{name} is null")
            yield Break(slug=f"{name}-null", reason=reason, call=changed_call(call, **{name: None}))


@dataclass(frozen=True, kw_only=True)
class OneOf(Rule):
    """An attribute has one of these values."""

    kind = "one_of"
    on: tuple[str, ...]
    values: tuple[int, ...]

    def holds(self, facts: Facts) -> bool:
        return all(facts.arguments[name] in self.values for name in self.on)

    def explain(self) -> Text:
        values = [str(value) for value in self.values]
        return Text(
            zh=f"{listed(self.on)} 取 {listed(values)} 之一",
            en=f"{joined(self.on, 'and')} is {joined(values, 'or')}",
        )

    def found(self, facts: Facts) -> Text:
        found = [f"{name}={facts.arguments[name]}" for name in self.on]
        return Text(zh=listed(found), en=joined(found, "and"))

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        low, high = min(self.values), max(self.values)
        # Beside the neighbours, values that turn good when a kernel keeps only 8, 16 or 32 bits, or a float, of them.
        wrapped = [(value + (1 << bits)) for bits in (8, 16, 32) for value in self.values]
        negative = [value - (1 << 32) for value in self.values]
        for name in self.on:
            for value in sorted(
                {low - 1, high + 1, high + 2, *wrapped, *negative, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)}
            ):
                if value not in self.values:
                    reason = Text(zh=f"{name} 为 {value}", en=f"{name} is {value}")
                    yield Break(
                        slug=f"{name}-{value}".replace("--", "-minus"),
                        reason=reason,
                        call=changed_call(call, **{name: value}),
                    )


@dataclass(frozen=True, kw_only=True)
class NoAlias(Rule):
    """These outputs share no memory with those inputs."""

    kind = "no_alias"
    on: tuple[str, ...]
    of: tuple[str, ...]

    def _shared(self, facts: Facts) -> list[tuple[str, str]]:
        storages = {name: getattr(facts.arguments[name], "storage", None) for name in (*self.on, *self.of)}
        return [(o, i) for o in self.on for i in self.of if storages[o] is not None and storages[o] is storages[i]]

    def holds(self, facts: Facts) -> bool:
        return not self._shared(facts)

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 与 {listed(self.of)} 不共用内存",
            en=f"{joined(self.on, 'and')} shares no memory with {joined(self.of, 'or')}",
        )

    def found(self, facts: Facts) -> Text:
        pairs = self._shared(facts)
        return Text(
            zh=listed([f"{o} 与 {i} 共用内存" for o, i in pairs]),
            en=joined([f"{o} shares {i}'s memory" for o, i in pairs], "and"),
        )

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        for output in self.on:
            for name in self.of:
                reason = Text(zh=f"{output} 与 {name} 共用内存", en=f"{output} shares {name}'s memory")
                same = replace(desc(call, name))
                yield Break(
                    slug=f"{output}-is-{name}",
                    reason=reason,
                    call=changed_call(call, **{output: same}),
                    alias={output: name},
                )

"""What every kind of rule offers, and how rules put names and calls together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from aclnn_spec.spec.facts import Facts
from aclnn_spec.spec.model import Argument, Arguments, TensorDesc, Text
from aclnn_spec.spec.tables import Tables

Call = Mapping[str, Argument]


@dataclass(frozen=True, kw_only=True)
class Break:
    """A call made from a good one so that a rule no longer holds.

    `alias` maps a parameter to the one whose memory it shares.
    """

    slug: str
    reason: Text
    call: Call
    alias: Mapping[str, str] = field(default_factory=dict)


class Rule:
    """A condition on a call."""

    kind: ClassVar[str]

    def holds(self, facts: Facts) -> bool:
        """Whether the call satisfies the rule, as far as its non-null arguments decide it."""
        raise NotImplementedError

    def explain(self) -> Text:
        """What must hold."""
        raise NotImplementedError

    def found(self, facts: Facts) -> Text:
        """What the call has instead; only for a call that does not satisfy the rule."""
        raise NotImplementedError

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:
        """Ways to make a good call violate this rule, and nothing but what that entails."""
        raise NotImplementedError


def joined(names: Sequence[str], joiner: str) -> str:
    """Names in an English sentence."""
    return f"{', '.join(names[:-1])} {joiner} {names[-1]}" if len(names) > 1 else names[0]


def are(names: Sequence[Any]) -> str:
    """The verb that fits so many names."""
    return "is" if len(names) == 1 else "are"


def have(names: Sequence[Any]) -> str:
    """The verb that fits so many names."""
    return "has" if len(names) == 1 else "have"


def counted(number: int, noun: str = "dimension") -> str:
    """So many of something in an English sentence."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[Any]) -> str:
    """Names in a Chinese sentence."""
    return "、".join(map(str, names))


def tensors(call: Arguments, names: Sequence[str]) -> list[tuple[str, Any]]:
    """Those of the named arguments that are not null."""
    return [(name, call[name]) for name in names if call[name] is not None]


def changed_call(call: Call, **changes: Any) -> Call:
    """The call with fields of tensors changed: `self={"shape": (2,)}`, or an argument replaced outright."""
    changed = dict(call)
    for name, change in changes.items():
        base = call.get(name)
        if not isinstance(change, dict):
            changed[name] = change
        elif isinstance(base, TensorDesc):  # a null stays null
            fields: dict[str, Any] = {"dtype": base.dtype, "shape": base.shape, "format": base.format}
            changed[name] = TensorDesc(**fields | change)
    return changed


def desc(call: Call, name: str) -> TensorDesc:
    """The tensor a good call has under this name."""
    argument = call[name]
    if not isinstance(argument, TensorDesc):
        raise TypeError(f"{name}: a good call has a tensor here, found {argument!r}")
    return argument

"""The kinds of rule a clause can carry: each can check a call, say itself, say what it found, and break a call.

The validator, the negative cases, `diagnose` and the error table of the page all come from these classes.
A new kind is one class here and one entry in the schema `operator.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aclnn_spec.spec.rules.base import Break, Call, Rule
from aclnn_spec.spec.rules.pairs import NotBoth, SameDtype
from aclnn_spec.spec.rules.reals import AtLeast, Finite
from aclnn_spec.spec.rules.shapes import Broadcastable, MaxRank, MinRank, ShapeIs, ShapeIsBroadcast
from aclnn_spec.spec.rules.types import Castable, DeducedIn, Deducible, DtypeIn, DtypeNotIn, FormatIn
from aclnn_spec.spec.rules.values import NoAlias, NotNull, OneOf
from aclnn_spec.spec.rules.when import Condition, When

__all__ = ["RULES", "Break", "Call", "Condition", "Rule", "When", "rule_from"]

_KINDS: tuple[type[Rule], ...] = (
    NotNull,
    Deducible,
    DeducedIn,
    Castable,
    Broadcastable,
    MaxRank,
    MinRank,
    ShapeIsBroadcast,
    ShapeIs,
    OneOf,
    AtLeast,
    Finite,
    DtypeIn,
    DtypeNotIn,
    SameDtype,
    NotBoth,
    FormatIn,
    NoAlias,
)

RULES: Mapping[str, type[Rule]] = MappingProxyType({kind.kind: kind for kind in _KINDS})


def rule_from(data: Mapping[str, Any]) -> Rule:
    """Build the rule that an operator file's `rule` object describes; its keys are the fields of the kind's class."""
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items() if key != "kind"}
    return RULES[data["kind"]](**fields)

"""All mutants of an operator, by family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator

from . import broadcasts, casts, counts, layouts, lives, mechanical, signs, specials, statuses, tails
from .mutant import Family, Mutant, finished


@dataclass(frozen=True, kw_only=True)
class Title:
    """A family: what it is called, the groups that must find its mutants, and who writes them."""

    text: Text
    groups: str
    make: Family
    remembers: bool = False


def _title(en: str, zh: str, groups: str, make: Family, *, remembers: bool = False) -> Title:
    return Title(text=Text(zh=zh, en=en), groups=groups, make=make, remembers=remembers)


FAMILIES: Mapping[str, Title] = MappingProxyType(
    {
        "sign": _title("sign and ties", "符号与相等", "basic ties", signs.mutants),
        "count": _title("N and the scale", "N 与缩放", "mean", counts.mutants),
        "cast": _title("deduction and casting", "类型推导与转换", "deduction", casts.mutants),
        "broadcast": _title("broadcasting", "广播", "broadcast", broadcasts.mutants),
        "layout": _title(
            "strides, offset, storage, stray writes", "步长、偏移、存储与越界写", "layout", layouts.mutants
        ),
        "tail": _title(
            "tails, blocks and far elements", "尾块、分块与远处的元素", "basic mean broadcast layout", tails.mutants
        ),
        "special": _title("special values and subnormals", "特殊值与次正规数", "special", specials.mutants),
        "status": _title("status codes", "状态码", "status", statuses.mutants),
        "life": _title(
            "life cycle, state and empties", "生命周期、状态与空张量", "lifecycle", lives.mutants, remembers=True
        ),
    }
)


def mutants(operator: Operator) -> list[Mutant]:
    """Every mutant of an operator: those written by hand, then those made from the reference's source."""
    found = [
        finished(name, family.groups, sketch, operator, remembers=family.remembers)
        for name, family in FAMILIES.items()
        for sketch in family.make(operator)
    ]
    return [*found, *mechanical.mutants(operator)]

"""All mutants of an operator, by family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aclnn_spec.golden.cases.author import Author
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator

from . import (
    broadcasts,
    casts,
    counts,
    formulas,
    layouts,
    lives,
    mechanical,
    reductions,
    signs,
    specials,
    statuses,
    tails,
    thresholds,
)
from .mutant import Family, Mutant, finished
from .narrow import is_narrow


@dataclass(frozen=True, kw_only=True)
class Title:
    """A family: what it is called, the groups that must find its mutants, and who writes them."""

    text: Text
    groups: str
    make: Family
    remembers: bool = False
    shared: bool = False
    """Whether it is about what a library does alike for all its operators."""


def _title(en: str, zh: str, groups: str, make: Family, *, remembers: bool = False, shared: bool = False) -> Title:
    return Title(text=Text(zh=zh, en=en), groups=groups, make=make, remembers=remembers, shared=shared)


FAMILIES: Mapping[str, Title] = MappingProxyType(
    {
        "sign": _title("sign and ties", "符号与相等", "basic ties", signs.mutants),
        "formula": _title("the formula", "公式", "basic", formulas.mutants),
        "beta": _title("the threshold beta", "阈值 beta", "threshold", thresholds.mutants),
        "sum": _title("reductions to one element", "归约为单个元素", "sums", reductions.mutants),
        "count": _title("N and the scale", "N 与缩放", "mean", counts.mutants),
        "cast": _title("deduction and casting", "类型推导与转换", "deduction", casts.mutants, shared=True),
        "broadcast": _title("broadcasting", "广播", "broadcast", broadcasts.mutants, shared=True),
        "layout": _title(
            "strides, offset, storage, stray writes", "步长、偏移、存储与越界写", "layout", layouts.mutants, shared=True
        ),
        "tail": _title(
            "tails, blocks and far elements",
            "尾块、分块与远处的元素",
            "basic mean broadcast layout",
            tails.mutants,
            shared=True,
        ),
        "special": _title("special values and subnormals", "特殊值与次正规数", "special", specials.mutants),
        "status": _title("status codes", "状态码", "status", statuses.mutants),
        "life": _title(
            "life cycle, state and empties",
            "生命周期、状态与空张量",
            "lifecycle",
            lives.mutants,
            remembers=True,
            shared=True,
        ),
    }
)


def mutants(operator: Operator) -> list[Mutant]:
    """Every mutant of an operator: those written by hand, then those made from the reference's source.

    Narrow mistakes of what operators share are asked of those alone whose cases tell of it in full (`Author.exact`).
    """
    full = Author(operator=operator).exact
    found = [
        finished(name, family.groups, sketch, operator, remembers=family.remembers)
        for name, family in FAMILIES.items()
        for sketch in family.make(operator)
        if full or not family.shared or not is_narrow(f"{name}/{sketch.name}")
    ]
    return [*found, *mechanical.mutants(operator)]

"""Who competes: the mutants and the right implementations, each put before all judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from aclnn_spec.certification.session import Options, open_suite

from ..mutants.equivalent import EQUIVALENT  # noqa: TID252 - the tests are no package of their own
from ..mutants.families import mutants  # noqa: TID252 - likewise
from ..mutants.kernel import Kernel  # noqa: TID252 - likewise
from ..right import RIGHT  # noqa: TID252 - likewise
from ..right import Kernel as Right  # noqa: TID252 - likewise
from ..right.base import NAME  # noqa: TID252 - likewise
from .cases import random_cases
from .measure import Bench
from .table import Measured


@cache
def bench() -> Bench:
    """Read the cases, once in each process."""
    suite = open_suite(Options(), (NAME,), "competition")
    operator = suite.spec.operators[NAME]
    return Bench(
        operator=operator, core=[suite.golden.case(each) for each in suite.ids], random=list(random_cases(operator))
    )


@cache
def wrong() -> dict[str, Callable[[], Any]]:
    """The mutants that are none but in name left out: id → how to make one."""
    found = mutants(bench().operator)
    return {each.id: each.make for each in found if each.equivalent is None and each.id not in EQUIVALENT}


def right() -> dict[str, Right]:
    """The right ones that run everywhere, by name."""
    return {each.name: each for each in RIGHT if isinstance(each, Right)}


def measure_wrong(name: str) -> Measured:
    """Put a mutant before all judges."""
    make = wrong()[name]
    condemned = bench().condemned(make, phase_one=right_in_phase_two(make()))
    return Measured(name=name, family=name.partition("/")[0], condemned=frozenset(condemned))


def right_in_phase_two(made: Any) -> bool:
    """Tell whether only the check of a mutant is wrong: what it writes is what the right kernel writes."""
    kernel, usual = getattr(made, "kernel", None), Kernel()
    return kernel is not None and replace(kernel, check=usual.check, workspace=usual.workspace) == usual


def measure_right(name: str) -> Measured:
    """Put a right one before all judges."""
    one = right()[name]
    return Measured(name=name, family="", condemned=frozenset(bench().condemned(one.make, one.product)))

"""Ways to change the check of phase 1: rules left out, weakened, excused from, and codes mistaken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from aclnn_spec.spec.model import Clause
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules.base import Rule

from .kernel import Arguments, State, check

Check = Callable[[Operator, Arguments, State], int]
Asked = Callable[[Operator, Arguments], bool]
NULLPTR, INVALID, INNER = 161001, 161002, 561103


def broken_first(operator: Operator, arguments: Arguments, clauses: tuple[Clause, ...]) -> Clause | None:
    """The first of these clauses that a call breaks."""
    facts = operator.facts(arguments)
    return next((clause for clause in clauses if clause.rule and not clause.rule.holds(facts)), None)


def by_clauses(operator: Operator, change: Callable[[Clause], Clause | None]) -> Check:
    """A check by the operator's clauses, each changed or left out."""
    clauses = tuple(changed for clause in operator.checks if (changed := change(clause)))

    def checked(one: Operator, arguments: Arguments, _: State) -> int:
        broken = broken_first(one, arguments, clauses)
        return int(one.tables.status_codes[broken.accepts[0]]) if broken else 0

    return checked


def swapped(operator: Operator, clause: Clause, rule: Rule | None) -> Check:
    """A check with another rule in a clause's place, or none."""
    return by_clauses(operator, lambda each: each if each.id != clause.id else rule and replace(each, rule=rule))


def coded(clause: Clause, code: int) -> Check:
    """A check that answers another code to what breaks this clause first."""

    def checked(operator: Operator, arguments: Arguments, state: State) -> int:
        broken = broken_first(operator, arguments, operator.checks)
        return code if broken and broken.id == clause.id else check(operator, arguments, state)

    return checked


def also(refuses: Asked, code: int = INVALID) -> Check:
    """A check that refuses more than it should."""

    def checked(operator: Operator, arguments: Arguments, state: State) -> int:
        return check(operator, arguments, state) or (code if refuses(operator, arguments) else 0)

    return checked


def unless(excused: Asked, gone: frozenset[str]) -> Check:
    """A check that does not ask some clauses of some calls; one that it cannot decide on is not excused."""

    def checked(operator: Operator, arguments: Arguments, state: State) -> int:
        status = check(operator, arguments, state)
        try:
            free = bool(status) and excused(operator, arguments)
        except (AttributeError, KeyError):  # a null pointer
            free = False
        if not free:
            return status
        broken = broken_first(operator, arguments, tuple(c for c in operator.checks if c.id not in gone))
        return int(operator.tables.status_codes[broken.accepts[0]]) if broken else 0

    return checked


def tolerant(checked: Check) -> Check:
    """The check; success where it stumbles over what a missing clause should have refused."""

    def tried(operator: Operator, arguments: Arguments, state: State) -> int:
        try:
            return checked(operator, arguments, state)
        except (AttributeError, TypeError, KeyError):
            return 0

    return tried


def has_empty(operator: Operator, arguments: Arguments) -> bool:
    """Whether an input is empty."""
    given = [arguments[p.name] for p in operator.inputs if arguments[p.name] is not None]
    return any(prod(tensor.shape) == 0 for tensor in given)


def has_mode(name: str) -> Asked:
    """Whether a call has this reduction."""
    return lambda operator, arguments: arguments["reduction"] == operator.parameter("reduction").values[name]

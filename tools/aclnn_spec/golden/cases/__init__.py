"""The cases of an operator, by tier. Order of groups and ids are stable: adding a case changes no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases import (
    basic,
    broadcast,
    closer,
    combined,
    conversions,
    deduction,
    empty,
    layout,
    lifecycle,
    mean,
    open,  # noqa: A004  # the group's own name
    policy,
    special,
    status,
    sums,
    survivors,
    threshold,
    ties,
    wholes,
)
from aclnn_spec.golden.cases.author import Author, Draft
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.operator import Operator

PART_SIZE = 1000


def core_cases(operator: Operator) -> list[Case]:
    """The core tier. InputError for an operator of another kind, a clause or an open value without a case, an id twice."""
    author = Author(operator=operator)
    if not {"self", "target"} <= {*author.inputs}:
        found = ", ".join(author.inputs)
        raise InputError(
            f"{operator.name}: found the inputs {found}, expected self and target: no group has cases for it"
        )
    groups = (
        basic,
        ties,
        mean,
        threshold,
        sums,
        broadcast,
        deduction,
        wholes,
        layout,
        special,
        conversions,
        combined,
        empty,
        status,
    )
    cases = _distinct(chain.from_iterable(group.cases(author) for group in groups))
    cases += lifecycle.cases(author, cases)
    cases += open.cases(author)
    cases += survivors.cases(author)
    cases += closer.cases(author)
    tested = {clause for case in cases for clause in case.clauses}
    faults = [f"{operator.name}: clause {c.id} has no case" for c in operator.clauses if c.id not in tested]
    faults += _unheld(operator, cases)
    repeated = [case_id for case_id, count in Counter(case.id for case in cases).items() if count > 1]
    faults += [f"{operator.name}: case id {case_id} is used twice" for case_id in repeated]
    if faults:
        raise InputError(*faults)
    return cases


def _unheld(operator: Operator, cases: Iterable[Case]) -> Iterator[str]:
    """Says which values a clause leaves open and no case holds; the first it accepts is the reference's own."""
    held = {(one.clause, one.label) for case in cases for one in case.alternatives}
    for clause in operator.clauses:
        if clause.outcome == "unspecified":
            for label in clause.accepts[1:]:
                if label not in clause.codes and (clause.id, label) not in held:
                    yield (
                        f"{operator.name}: clause {clause.id}: no case holds the value {label}, "
                        "expected a Reading that gives it"
                    )


def parts(operator: Operator, tier: str) -> Iterator[tuple[str, Callable[[], list[Case]]]]:
    """The parts an operator's tier is stored in: (name, function that makes its cases).

    The core tier is one part. The full tier is the core's cases as part 000, since cases and their partners stay
    together, then the community policy's own list.
    """
    if tier == "core":
        yield operator.name, partial(core_cases, operator)
        return
    yield f"{operator.name}-000", partial(core_cases, operator)
    author = Author(operator=operator)
    drafts = policy.drafts(author)
    for number, batch in enumerate(iter(lambda: list(islice(drafts, PART_SIZE)), []), start=1):
        yield f"{operator.name}-{number:03}", partial(_written, author, batch)


def _written(author: Author, drafts: list[Callable[[], Draft]]) -> list[Case]:
    return [case for draft in drafts for case in author.fitting(draft())]


def _distinct(cases: Iterable[Case]) -> list[Case]:
    """The cases without those that say what one before them said: as when they differ in a gradient that is not there."""
    kept: dict[str, list[Case]] = {}
    for case in cases:
        same = kept.setdefault(case.id, [])
        if not any(_says(case) == _says(other) for other in same):
            same.append(case)
    return list(chain.from_iterable(kept.values()))


def _says(case: Case) -> tuple[object, ...]:
    return case.clauses, case.reason, tuple(map(str, case.arguments.values())), case.order, case.partner

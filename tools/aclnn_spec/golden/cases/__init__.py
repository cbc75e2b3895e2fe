"""The cases of an operator, by tier. Order of groups and ids are stable: adding a case changes no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases import (
    basic,
    broadcast,
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
    survivors,
    ties,
)
from aclnn_spec.golden.cases.author import Author, Draft
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.operator import Operator

PART_SIZE = 1000


def core_cases(operator: Operator) -> list[Case]:
    """The core tier. InputError when a clause has no case or an id is used twice."""
    author = Author(operator=operator)
    groups = (basic, ties, mean, broadcast, deduction, layout, special, conversions, combined, empty, status)
    cases = list(chain.from_iterable(group.cases(author) for group in groups))
    cases += lifecycle.cases(author, cases)
    cases += open.cases(author)
    cases += survivors.cases(author)
    tested = {clause for case in cases for clause in case.clauses}
    faults = [f"{operator.name}: clause {c.id} has no case" for c in operator.clauses if c.id not in tested]
    repeated = [case_id for case_id, count in Counter(case.id for case in cases).items() if count > 1]
    faults += [f"{operator.name}: case id {case_id} is used twice" for case_id in repeated]
    if faults:
        raise InputError(*faults)
    return cases


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
    return [author.good(draft()) for draft in drafts]

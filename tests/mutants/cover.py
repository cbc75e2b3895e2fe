"""The shortest list of cases that still condemns every plain mistake: greedy, shortened, then filled up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from .run import Bench, Outcome

Ways = Sequence[frozenset[str]]
"""Sets of cases, each of which condemns a mutant by itself."""

_ODD, _OTHERS = 8, 40
"""How many cases of each sort are tried together where one alone does not condemn."""


def ways(bench: Bench, outcome: Outcome) -> Ways:
    """The sets of cases, one or two in each, that condemn a mutant."""
    mutant = outcome.mutant
    if not mutant.remembers:
        return [frozenset({each}) for each in outcome.failed] or list(_rules(bench, outcome))
    alone = [each for each in outcome.failed if bench.run(mutant, [each]).condemned]
    return [frozenset({each}) for each in alone] or list(islice(_after(bench, outcome), 1))


def _rules(bench: Bench, outcome: Outcome) -> Iterator[frozenset[str]]:
    """Pairs that break a rule on the whole run."""
    for case_id, entry in islice(outcome.odd.items(), _ODD):
        clauses = {bench.operator.clause(name) for name in entry.observed}
        about = {clause.id for clause in clauses} | {clause.follows for clause in clauses}
        touching = (e for e in bench.entries.values() if about & {*e.observed} and e.id not in outcome.odd)
        for other in islice(touching, _OTHERS):
            if bench.condemned([entry, other]):
                yield frozenset({case_id, other.id})
        for other_id, other in islice(outcome.odd.items(), _OTHERS):
            if other_id != case_id and bench.condemned([entry, other]):
                yield frozenset({case_id, other_id})


def _after(bench: Bench, outcome: Outcome) -> Iterator[frozenset[str]]:
    """Pairs of which the earlier one leaves behind what the later one stumbles over."""
    ids = list(bench.cases)
    output = bench.operator.output.name
    for case_id in outcome.failed:
        shape = bench.cases[case_id].arguments[output].shape
        for earlier in ids[: ids.index(case_id)]:
            tensor = bench.cases[earlier].arguments[output]
            if tensor is not None and tensor.shape == shape and bench.run(outcome.mutant, [earlier, case_id]).condemned:
                yield frozenset({earlier, case_id})


def cover(bench: Bench, needs: Mapping[str, Ways], more: Mapping[str, Ways], most: int) -> list[str]:
    """Cases, in their order, that meet all the needs, and of the others as many as `most` cases can.

    A case's partner is with it. The large cases are chosen last and dropped first.
    """
    order = {case_id: i for i, case_id in enumerate(bench.cases)}

    def closed(cases: Iterable[str]) -> frozenset[str]:
        chosen = frozenset(cases)
        return chosen | {partner for each in chosen if (partner := bench.cases[each].partner)}

    def met(chosen: frozenset[str]) -> bool:
        return all(any(way <= chosen for way in options) for options in needs.values())

    def cost(way: frozenset[str]) -> tuple[int, list[int]]:
        """Large cases, then places, the last first: no two ways cost the same, so that the choice is always one."""
        return sum(bench.large(each) for each in way), sorted((order[each] for each in way), reverse=True)

    chosen = _greedy(
        {name: [closed(way) for way in options] for name, options in needs.items()}, frozenset(), None, cost
    )
    for each in sorted(chosen, key=lambda each: (-bench.large(each), -order[each])):
        fewer = chosen - {each}
        if closed(fewer) == fewer and met(fewer):
            chosen = fewer
    chosen = _greedy({name: [closed(way) for way in options] for name, options in more.items()}, chosen, most, cost)
    return sorted(chosen, key=order.__getitem__)


def _greedy(
    needs: Mapping[str, Ways], chosen: frozenset[str], most: int | None, cost: Callable[[frozenset[str]], Any]
) -> frozenset[str]:
    """Add what meets most of the needs for each case added, until all are met or there is no room."""

    def unmet() -> dict[str, Ways]:
        return {name: options for name, options in needs.items() if not any(way <= chosen for way in options)}

    left = unmet()
    while left:
        gain = Counter(way for options in left.values() for way in {*options})
        fitting = [way for way in gain if most is None or len(chosen | way) <= most]
        if not fitting:
            break
        chosen |= min(fitting, key=lambda way: (-gain[way] / len(way - chosen), cost(way)))
        left = unmet()
    return chosen

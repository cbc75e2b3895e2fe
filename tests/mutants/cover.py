"""The shortest list of cases that still condemns every mutant: greedy, then shortened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

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


def cover(bench: Bench, needs: Mapping[str, Ways]) -> list[str]:
    """Cases, in their order, that condemn every mutant; a case's partner is with it."""
    order = {case_id: i for i, case_id in enumerate(bench.cases)}

    def closed(cases: Iterable[str]) -> frozenset[str]:
        chosen = frozenset(cases)
        return chosen | {partner for each in chosen if (partner := bench.cases[each].partner)}

    def met(chosen: frozenset[str]) -> bool:
        return all(any(way <= chosen for way in options) for options in needs.values())

    def cost(way: frozenset[str]) -> tuple[int, int]:
        sizes = [bench.large(each) for each in way]
        return sum(sizes), max(order[each] for each in way)

    chosen: frozenset[str] = frozenset()
    left = {name: [closed(way) for way in options] for name, options in needs.items()}
    while left:
        gain: dict[frozenset[str], int] = {}
        for options in left.values():
            for way in options:
                gain[way] = gain.get(way, 0) + 1
        best = min(gain, key=lambda way: (-gain[way] / len(way - chosen), cost(way)))
        chosen |= best
        left = {name: options for name, options in left.items() if not any(way <= chosen for way in options)}
    for each in sorted(chosen, key=lambda each: (-cost(frozenset({each}))[0], -order[each])):
        fewer = chosen - {each}
        if closed(fewer) == fewer and met(fewer):
            chosen = fewer
    return sorted(chosen, key=order.__getitem__)

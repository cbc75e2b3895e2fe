"""From the entries of a run to its verdict; the certificate is made with it and verified with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aclnn_spec.certification.entry import VERDICTS, Entry
from aclnn_spec.certification.waivers import Waiver
from aclnn_spec.spec.model import Clause, Text
from aclnn_spec.spec.operator import Operator

CONFORMANT = "conformant"
NOT_CONFORMANT = "not conformant"
INCOMPLETE = "incomplete"

Observed = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Operator → clause → label → number of cases that showed it."""


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """What the entries add up to; the notes say why a run is not conformant."""

    verdict: str
    totals: Mapping[str, int]
    observed: Observed
    notes: tuple[Text, ...]


def conclude(
    entries: Sequence[Entry],
    *,
    expected: Collection[str],
    operators: Mapping[str, Operator],
    waivers: Sequence[Waiver],
) -> Conclusion:
    """Add up a run: `expected` are the ids it had to cover, `operators` the spec's, by name.

    Conformant is only a run with exactly one entry for every expected case, at least one of them passed and none
    failed, with no broken rule of uniformity and no waiver that covers nothing. It is incomplete if cases are
    missing and nothing else has decided against it.
    """
    totals = Counter(entry.verdict for entry in entries)
    counts = Counter(entry.id for entry in entries)
    against = [*_failed(totals), *_repeated(counts), *_unexpected(counts, expected)]
    against += broken_rules(operators, entries)
    missing = [case_id for case_id in expected if case_id not in counts]
    notes = list(against)
    if missing:
        notes.append(
            Text(
                zh=f"{len(missing)} 个用例没有结果，首个是 {missing[0]}",
                en=f"cases without an entry: {len(missing)}, the first is {missing[0]}",
            )
        )
    last = [*_stale(entries, waivers), *_empty(totals)]
    notes += last
    if against:
        verdict = NOT_CONFORMANT
    elif missing:
        verdict = INCOMPLETE
    else:
        verdict = NOT_CONFORMANT if last else CONFORMANT
    return Conclusion(
        verdict=verdict,
        totals={name: totals[name] for name in VERDICTS},
        observed=observations(operators, entries),
        notes=tuple(notes),
    )


def observations(operators: Mapping[str, Operator], entries: Sequence[Entry]) -> Observed:
    """How many cases showed each label of each unspecified clause, in the spec's order."""
    counts: Counter[tuple[str, str, str]] = Counter(
        (entry.operator, clause, label)
        for entry in entries
        for clause, labels in entry.observed.items()
        for label in labels
    )
    seen: dict[str, dict[str, dict[str, int]]] = {}
    for name, operator in operators.items():
        for clause in operator.clauses:
            labels = {label: n for (o, c, label), n in sorted(counts.items()) if (o, c) == (name, clause.id)}
            ranked = sorted(labels, key=lambda label: _rank(clause, label))
            if labels:
                seen.setdefault(name, {})[clause.id] = {label: labels[label] for label in ranked}
    return seen


def broken_rules(operators: Mapping[str, Operator], entries: Sequence[Entry]) -> list[Text]:
    """What a run showed that one implementation may not show together.

    A uniform clause has one label over the run. A clause that follows another may show a label other than its first
    only if the other one showed that label too, or was never observed.
    """
    first: dict[tuple[str, str], dict[str, str]] = {}
    for entry in entries:
        for clause_id, shown in entry.observed.items():
            for label in shown:
                first.setdefault((entry.operator, clause_id), {}).setdefault(label, entry.id)
    notes = []
    for name, operator in operators.items():
        for clause in operator.clauses:
            labels = first.get((name, clause.id), {})
            if clause.uniform and len(labels) > 1:
                found = [f"{label} ({case_id})" for label, case_id in labels.items()]
                notes.append(
                    Text(
                        zh=f"{name}：条款 {clause.id} 在一次运行中必须始终如一，却出现了 {'、'.join(found)}",
                        en=f"{name}: clause {clause.id} must show one behaviour in a run, found {', '.join(found)}",
                    )
                )
            notes += _not_followed(name, clause, labels, first.get((name, clause.follows or ""), {}))
    return notes


def _not_followed(name: str, clause: Clause, labels: Mapping[str, str], followed: Mapping[str, str]) -> Iterator[Text]:
    if clause.follows is None or not followed:
        return
    for label, case_id in labels.items():
        if label != clause.accepts[0] and label not in followed:
            shown = ", ".join(f"{other} ({where})" for other, where in followed.items())
            yield Text(
                zh=f"{name}：条款 {clause.id} 出现 {label}（{case_id}），而 {clause.follows} 只出现 {shown}",
                en=f"{name}: clause {clause.id} showed {label} ({case_id}) but {clause.follows} only {shown}",
            )


def _rank(clause: Clause, label: str) -> int:
    return clause.accepts.index(label) if label in clause.accepts else len(clause.accepts)


def _failed(totals: Mapping[str, int]) -> Iterator[Text]:
    if totals.get("fail"):
        yield Text(zh=f"{totals['fail']} 个用例失败", en=f"failed cases: {totals['fail']}")


def _repeated(counts: Mapping[str, int]) -> Iterator[Text]:
    for case_id, count in counts.items():
        if count > 1:
            yield Text(zh=f"{case_id} 有 {count} 个结果", en=f"{case_id} has {count} entries")


def _unexpected(counts: Mapping[str, int], expected: Collection[str]) -> Iterator[Text]:
    known = frozenset(expected)
    for case_id in counts:
        if case_id not in known:
            yield Text(zh=f"{case_id} 不在应运行的用例之中", en=f"{case_id} is none of the expected cases")


def _stale(entries: Sequence[Entry], waivers: Sequence[Waiver]) -> Iterator[Text]:
    waived = [entry.id for entry in entries if entry.verdict == "waived"]
    for waiver in waivers:
        if not any(waiver.covers(case_id) for case_id in waived):
            yield Text(
                zh=f"豁免 {waiver.cases} 没有对应的失败用例，已经过时",
                en=f"the waiver for {waiver.cases} is stale: no failing case matches it",
            )


def _empty(totals: Mapping[str, int]) -> Iterator[Text]:
    if not totals.get("pass"):
        yield Text(zh="没有一个用例通过", en="no case passed")

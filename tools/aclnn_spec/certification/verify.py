"""Verify a certificate offline: recompute from its own evidence everything it claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aclnn_spec.certification.certificate import FORMAT, Certificate, judge_digest, load_certificate
from aclnn_spec.certification.conclude import conclude
from aclnn_spec.certification.entry import Entry
from aclnn_spec.certification.judge import Answer, Judge
from aclnn_spec.certification.runner import in_scope
from aclnn_spec.certification.session import Options, Suite, open_suite
from aclnn_spec.golden.case import Case
from aclnn_spec.spec.read import Spec

_NO_STATUS = frozenset({"status", "raised", "wrong_type", "crashed", "timed_out", "inconsistent", "runtime"})
"""Faults with which a call need not have ended in an accepted status."""

_ONE_CALL = frozenset({"once", "crossed", "nested", "after"})


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A certificate, the suite it is of, and what does not hold of it: nothing, if it is true."""

    certificate: Certificate
    suite: Suite
    problems: tuple[str, ...]


def read_checked(path: Path, spec: Spec, golden: Path | None = None) -> Checked:
    """Read a certificate and verify it; InputError for a file that is none, or of golden data that is not here."""
    certificate = load_certificate(path, spec.schemas)
    options = Options(
        operators=certificate.operators,
        tier=certificate.tier,
        golden=golden,
        product=certificate.product,
        policy=certificate.policy,
        shard=certificate.shard,
    )
    suite = open_suite(options, certificate.operators, path.name, spec)
    problems = verify(certificate, spec, suite.golden.digest, map(suite.golden.case, suite.ids))
    return Checked(certificate=certificate, suite=suite, problems=tuple(problems))


def verify(certificate: Certificate, spec: Spec, golden_digest: str, cases: Iterable[Case]) -> list[str]:
    """Say what does not hold of a certificate, one line each naming the field or case; nothing if it all holds.

    `cases` are those the run had to cover: of the certificate's operators, tier and shard.
    """
    problems = list(_head(certificate, spec, golden_digest))
    if certificate.policy not in spec.tables.policies or certificate.scope not in ("full", "numerics"):
        return problems
    entries: dict[str, Entry] = {}
    for entry in certificate.entries:
        if entry.id in entries:
            problems.append(f"{entry.id}: found more than one entry, expected one")
        entries[entry.id] = entry
    expected = []
    for case in cases:
        expected.append(case.id)
        found = entries.get(case.id)
        if found is None:
            problems.append(f"{case.id}: found no entry, expected one")
        else:
            problems += [f"{case.id}: {line}" for line in _entry(found, case, certificate, spec)]
    known = frozenset(expected)
    problems += [
        f"{name}: found an entry, expected none: there is no such case" for name in entries if name not in known
    ]
    conclusion = conclude(certificate.entries, expected=expected, operators=spec.operators, waivers=certificate.waivers)
    for name in ("totals", "observed"):
        problems += _difference(name, getattr(certificate, name), getattr(conclusion, name))
    if certificate.notes != conclusion.notes:
        notes = "; ".join(note.en for note in conclusion.notes) or "none"
        problems.append(f"notes: found {len(certificate.notes)}, expected these: {notes}")
    if certificate.verdict != conclusion.verdict:
        problems.append(f"verdict: found {certificate.verdict!r}, expected {conclusion.verdict!r}")
    return problems


def _head(certificate: Certificate, spec: Spec, golden_digest: str) -> Iterator[str]:
    if certificate.format != FORMAT:
        yield f"format: found {certificate.format}, expected {FORMAT}"
    for name, expected in (("spec", spec.digest), ("golden", golden_digest), ("judge", judge_digest())):
        found = certificate.digests.get(name)
        if found != expected:
            yield f"digests.{name}: found {found}, expected {expected}"
    if certificate.seal != certificate.computed_seal:
        yield f"seal: found {certificate.seal}, expected {certificate.computed_seal}: the certificate was changed"
    if certificate.policy not in spec.tables.policies:
        yield f"policy: found {certificate.policy!r}, expected one of {', '.join(spec.tables.policies)}"
    if certificate.product is not None and certificate.product not in spec.tables.products:
        yield f"product: found {certificate.product!r}, expected one of {', '.join(spec.tables.products)}"
    for name in certificate.operators:
        if name not in spec.operators:
            yield f"operators: found {name!r}, expected only {', '.join(spec.operators)}"


def _entry(entry: Entry, case: Case, certificate: Certificate, spec: Spec) -> Iterator[str]:
    """What an entry claims against its own evidence."""
    judged = in_scope(case, certificate.scope)
    if (entry.verdict == "skipped") == judged:
        scope = f"a case {'within' if judged else 'outside'} the scope {certificate.scope!r}"
        yield f"verdict: found {entry.verdict!r}, which does not fit {scope}"
        return
    if not judged:
        if entry.statuses or entry.faults or entry.observed or entry.ulp is not None:
            yield "verdict: found evidence of a run, expected none of a skipped case"
        return
    if entry.operator not in certificate.operators:
        yield f"found operator {entry.operator}, expected one of {', '.join(certificate.operators)}"
    yield from _verdict(entry, certificate)
    judge = Judge(
        case=case,
        operator=spec.operators[case.operator],
        product=certificate.product,
        policy=certificate.policy,
    )
    kinds = {each.kind for each in entry.faults}
    if not kinds & _NO_STATUS:
        yield from _statuses(entry, case, judge)
    strict = not spec.tables.policies[certificate.policy].dtypes
    succeeded = bool(entry.statuses) and all(each == (0, 0) for each in entry.statuses)
    if entry.ulp is None:
        if not kinds and strict and succeeded and case.expected is not None:
            yield "ulp: found none, expected the largest error of a call that succeeded"
    elif strict and "value" not in kinds:
        limit = case.tolerance.ulp if case.tolerance else 0
        if entry.ulp > limit:
            yield f"ulp: found {entry.ulp:g}, expected at most {limit} of a case without a value fault"
    yield from _observed(entry, case, judge)


def _verdict(entry: Entry, certificate: Certificate) -> Iterator[str]:
    if (entry.verdict == "pass") == bool(entry.faults):
        kinds = ", ".join(dict.fromkeys(each.kind for each in entry.faults))
        evidence = f"faults {kinds}" if kinds else "no fault"
        yield f"verdict: found {entry.verdict!r} with {evidence}"
    waivers = [waiver for waiver in certificate.waivers if waiver.covers(entry.id)]
    if entry.verdict == "waived":
        if entry.waiver not in [waiver.reason for waiver in waivers]:
            yield "waiver: found a waived case, expected a waiver in the certificate with its pattern and reason"
    elif entry.waiver is not None:
        yield f"waiver: found a reason in a case with verdict {entry.verdict!r}, expected none"
    elif entry.verdict == "fail" and waivers:
        yield f"verdict: found 'fail', expected 'waived' by {waivers[0].cases}"


def _statuses(entry: Entry, case: Case, judge: Judge) -> Iterator[str]:
    """Statuses that the case does not accept, or calls that are missing."""
    calls = 1 if case.order in _ONE_CALL else 2
    if not entry.faults and len(entry.statuses) != calls:
        yield f"statuses: found {len(entry.statuses)} calls, expected {calls} of a case run {case.order!r}"
    for statuses in entry.statuses:
        ended = bool(statuses) and (statuses[-1] != 0 or len(statuses) == 2)  # noqa: PLR2004 - two phases
        lawful = ended and (len(statuses) == 1 or statuses[0] == 0)
        faults = list(judge.status_faults(Answer(statuses=statuses))) if lawful else []
        if not lawful or faults:
            reason = faults[0].message.en if faults else "expected both phases of a call, or a refusal"
            yield f"statuses: found {list(statuses)}, {reason}"


def _observed(entry: Entry, case: Case, judge: Judge) -> Iterator[str]:
    """Labels that this case cannot have shown."""
    open_clauses = {clause.id: clause for clause in (*judge.open_here, *map(judge.operator.clause, case.clauses))}
    open_clauses |= {each.clause: judge.operator.clause(each.clause) for each in case.alternatives}
    for name, labels in entry.observed.items():
        clause = open_clauses.get(name)
        if clause is None or clause.outcome != "unspecified":
            yield f"observed.{name}: found {', '.join(labels)}, expected nothing of a clause the case does not touch"
            continue
        for label in labels:
            if label not in clause.accepts and not ("any_error" in clause.accepts and label != "value"):
                yield f"observed.{name}: found {label!r}, expected one of {', '.join(clause.accepts)}"


def _difference(where: str, found: Any, expected: Any) -> list[str]:
    """The innermost fields in which two nested mappings differ."""
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        names = dict.fromkeys((*expected, *found))
        return [line for name in names for line in _difference(f"{where}.{name}", found.get(name), expected.get(name))]
    return [] if found == expected else [f"{where}: found {_shown(found)}, expected {_shown(expected)}"]


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)

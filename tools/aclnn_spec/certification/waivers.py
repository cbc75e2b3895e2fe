"""Waivers: failures an implementer knows of and gives a reason for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from aclnn_spec.certification.entry import Entry
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.read import Schemas

_PATH = "waivers[{}]"


@dataclass(frozen=True, kw_only=True)
class Waiver:
    """A pattern on case ids, with `*`, `?` and `[…]` as in file names, and why those cases may fail."""

    cases: str
    reason: str

    def covers(self, case_id: str) -> bool:
        """Whether the pattern matches this id."""
        return case_id == self.cases or fnmatchcase(case_id, self.cases)

    def to_json(self) -> dict[str, str]:
        """The waiver as its file and the certificate hold it."""
        return {"cases": self.cases, "reason": self.reason}


def load_waivers(path: str | Path, schemas: Schemas) -> tuple[Waiver, ...]:
    """Read a waiver file; InputError names every fault with its path in the file."""
    where = Path(path)
    document = read_json(where)
    faults = schemas.faults("waivers", document, where.name)
    if faults:
        raise InputError(*faults)
    waivers = tuple(Waiver(cases=each["cases"], reason=each["reason"]) for each in document["waivers"])
    seen: set[str] = set()
    for i, waiver in enumerate(waivers):
        place = f"{where.name}: {_PATH.format(i)}"
        if not waiver.reason.strip():
            faults.append(f"{place}.reason: found nothing, expected why these cases may fail")
        if waiver.cases in seen:
            faults.append(f"{place}.cases: found {waiver.cases!r} a second time, expected each pattern once")
        seen.add(waiver.cases)
    if faults:
        raise InputError(*faults)
    return waivers


def waive(entries: Iterable[Entry], waivers: Iterable[Waiver]) -> tuple[Entry, ...]:
    """Turn failed entries that a waiver covers into waived ones, with the first such waiver's reason."""
    listed = tuple(waivers)
    return tuple(_waived(entry, listed) if entry.verdict == "fail" else entry for entry in entries)


def _waived(entry: Entry, waivers: tuple[Waiver, ...]) -> Entry:
    reasons = [waiver.reason for waiver in waivers if waiver.covers(entry.id)]
    return replace(entry, verdict="waived", waiver=reasons[0]) if reasons else entry

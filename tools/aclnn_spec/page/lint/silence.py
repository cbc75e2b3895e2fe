"""Findings that a project has decided to live with, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.lint.codes import CODES
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.read import Schemas


@dataclass(frozen=True, kw_only=True)
class Silence:
    """A code that is not reported on the pages whose name or path fits a pattern."""

    code: str
    page: str
    reason: str

    def fits(self, page: str) -> bool:
        """Whether it is about a page."""
        return fnmatchcase(Path(page).name, self.page) or fnmatchcase(Path(page).as_posix(), self.page)


@dataclass(frozen=True, kw_only=True)
class Silences:
    """All silences of a configuration file."""

    path: str = ""
    silences: tuple[Silence, ...] = ()

    def sort(
        self, page: str, findings: Sequence[Finding]
    ) -> tuple[tuple[Finding, ...], tuple[tuple[Finding, Silence], ...]]:
        """The findings that stand, with one for each silence that silenced nothing; and those that were silenced."""
        mine = [silence for silence in self.silences if silence.fits(page)]
        loud, silent, used = [], [], set()
        for each in findings:
            silence = next((s for s in mine if s.code == each.code.id), None)
            if silence is None:
                loud.append(each)
            else:
                silent.append((each, silence))
                used.add(silence)
        for silence in mine:
            whole = not any(mark in silence.page for mark in "*?[")
            if silence not in used and whole:  # a pattern may be meant for the other pages that it fits
                loud.append(finding("P901", 1, config=self.path, code=silence.code, reason=silence.reason))
        return tuple(loud), tuple(silent)


def read_silences(path: Path, schemas: Schemas) -> Silences:
    """Read a configuration; InputError for one that is not of its schema, or that silences an unknown code."""
    document = read_json(path)
    faults = schemas.faults("page_lint", document, str(path))
    if not faults:
        for i, each in enumerate(document["silences"]):
            if each["code"] not in CODES:
                faults.append(f"{path}: silences[{i}].code: found {each['code']}, expected a code of page lint --codes")
    if faults:
        raise InputError(*faults)
    return Silences(
        path=str(path),
        silences=tuple(
            Silence(code=each["code"], page=each["page"], reason=each["reason"]) for each in document["silences"]
        ),
    )

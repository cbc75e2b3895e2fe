"""Findings as text, JSON, SARIF 2.1.0, and as annotations of GitHub Actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from aclnn_spec.page.lint.base import Finding
from aclnn_spec.page.lint.codes import CODES, SEVERITIES
from aclnn_spec.page.lint.silence import Silence
from aclnn_spec.page.source import Source
from aclnn_spec.spec.model import Text

_SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SEVERITY = {
    "error": Text(zh="错误", en="error"),
    "warning": Text(zh="警告", en="warning"),
    "note": Text(zh="提示", en="note"),
}
_TOTAL = Text(
    zh="{pages} 个页面：{error} 个错误，{warning} 个警告，{note} 个提示，{silenced} 个已屏蔽",
    en="{pages} pages: {error} errors, {warning} warnings, {note} notes, {silenced} silenced",
)


@dataclass(frozen=True, kw_only=True)
class PageReport:
    """What lint found on one page."""

    source: Source
    findings: tuple[Finding, ...]
    silenced: tuple[tuple[Finding, Silence], ...] = ()


def worst(reports: Sequence[PageReport]) -> int:
    """The index of the worst severity found, −1 for none."""
    found = [SEVERITIES.index(each.code.severity) for report in reports for each in report.findings]
    return max(found, default=-1)


def text(reports: Sequence[PageReport], lang: str) -> Iterator[str]:
    """One line for each finding, and one with the totals."""
    for report in reports:
        for each in report.findings:
            place = f"{report.source.path}:{report.source.at(each.line)}"
            severity = _SEVERITY[each.code.severity][lang]
            yield f"{place}: {severity} {each.code.id} {each.code.name}: {_one_line(each.message(lang))}"
    counts = Counter(each.code.severity for report in reports for each in report.findings)
    silenced = sum(len(report.silenced) for report in reports)
    yield _TOTAL[lang].format(pages=len(reports), silenced=silenced, **{name: counts[name] for name in SEVERITIES})


def data(reports: Sequence[PageReport]) -> dict[str, Any]:
    """All findings as JSON holds them, messages in both languages."""
    return {
        "pages": [
            {
                "path": report.source.path,
                "findings": [_finding(report.source, each) for each in report.findings],
                "silenced": [
                    {**_finding(report.source, each), "reason": silence.reason} for each, silence in report.silenced
                ],
            }
            for report in reports
        ]
    }


def _finding(source: Source, each: Finding) -> dict[str, Any]:
    line, column = source.place(each.line)
    return {
        "code": each.code.id,
        "name": each.code.name,
        "severity": each.code.severity,
        "line": line,
        "column": column,
        "message": {lang: _one_line(each.message(lang)) for lang in ("zh", "en")},
    }


def sarif(reports: Sequence[PageReport], lang: str) -> dict[str, Any]:
    """One run of SARIF 2.1.0; silenced findings are there, suppressed with their reasons."""
    rules = list(CODES)
    results = [
        {
            "ruleId": each.code.id,
            "ruleIndex": rules.index(each.code.id),
            "level": each.code.severity,
            "message": {"text": _one_line(each.message(lang))},
            "locations": [_location(report.source, each)],
            **({"suppressions": [{"kind": "external", "justification": silence.reason}]} if silence else {}),
        }
        for report in reports
        for each, silence in [*((each, None) for each in report.findings), *report.silenced]
    ]
    driver = {
        "name": "aclnn-spec page lint",
        "version": version("aclnn-spec"),
        "language": {"zh": "zh-CN", "en": "en-US"}[lang],
        "rules": [
            {
                "id": code.id,
                "name": code.name,
                "shortDescription": {"text": code.name.replace("-", " ")},
                "fullDescription": {"text": code.message[lang]},
                "defaultConfiguration": {"level": code.severity},
            }
            for code in CODES.values()
        ],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _location(source: Source, each: Finding) -> dict[str, Any]:
    line, column = source.place(each.line)
    path = PurePath(source.path)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": line, "startColumn": column},
        }
    }


def github(reports: Sequence[PageReport], lang: str) -> Iterator[str]:
    """Workflow commands that GitHub Actions shows beside the lines."""
    for report in reports:
        for each in report.findings:
            line, column = report.source.place(each.line)
            kind = {"note": "notice"}.get(each.code.severity, each.code.severity)
            title = f"{each.code.id} {each.code.name}"
            place = f"file={_property(report.source.path)},line={line},col={column},title={_property(title)}"
            yield f"::{kind} {place}::{_escaped(each.message(lang))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _one_line(text: str) -> str:
    return " ".join(text.split())

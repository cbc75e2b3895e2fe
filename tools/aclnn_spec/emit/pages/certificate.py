"""A certificate as a readable report: the site's pages, a page of its own, and a badge."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from pathlib import Path

from aclnn_spec.certification.certificate import Certificate
from aclnn_spec.certification.conclude import CONFORMANT, NOT_CONFORMANT
from aclnn_spec.certification.entry import VERDICTS
from aclnn_spec.certification.verify import Checked, read_checked
from aclnn_spec.emit.pages.blocks import (
    Block,
    Code,
    Commands,
    Heading,
    Line,
    Link,
    Paragraph,
    Table,
    markdown_page,
    visible,
)
from aclnn_spec.emit.pages.certificate_words import WORDS
from aclnn_spec.emit.pages.report import Report, certify_command, labels_of
from aclnn_spec.emit.pages.svg import GREEN, GREY, RED, badge
from aclnn_spec.emit.text import filled
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import Spec

BUILT_IN = ("numpy", "torch", "host")
"""The certificates that the project holds of its own implementations."""


def certificate_pages(spec: Spec, directory: Path, golden: Path | None = None) -> dict[str, str]:
    """The site's pages on the certificates of BUILT_IN in `directory`, by their paths relative to `docs`.

    A certificate that does not hold against this spec, golden data and judge is an InputError with the command that
    makes it anew. `golden` is where the core tier lies, if not in its usual place.
    """
    reports: dict[str, dict[str, Report]] = {"zh": {}, "en": {}}
    pages = {}
    for name in BUILT_IN:
        source = f"golden/certificates/{name}.json"
        checked = read_checked(directory / f"{name}.json", spec, golden)
        if checked.problems:
            anew = certify_command(checked.certificate, source)
            raise InputError(f"{name}.json: {checked.problems[0]}; to make it anew: {anew}")
        for lang, made in reports.items():
            made[name] = Report(checked, lang, source=source)
            pages[f"{lang}/certificates/{name}.md"] = markdown_page(made[name].title, made[name].blocks(), source)
    for lang, made in reports.items():
        title = WORDS["index"][lang]
        pages[f"{lang}/certificates/index.md"] = markdown_page(title, _index(made, lang), "golden/certificates")
    return pages


def certificate_html(checked: Checked, lang: str) -> str:
    """The report as one HTML page that needs nothing else: no script, no file, no other host."""
    report = Report(checked, lang)
    first, *rest = report.blocks()
    return filled(
        "certificate.html.in",
        lang={"zh": "zh-CN", "en": "en"}[lang],
        title=html.escape(visible(report.title)),
        mark=report.mark,
        head=first.html(),
        body="\n".join(block.html() for block in rest),
    )


def certificate_badge(certificate: Certificate, lang: str) -> str:
    """A badge: the verdict, how many operators it is of, and all that narrows it."""
    count = len(certificate.operators)
    parts = [
        WORDS[certificate.verdict][lang],
        WORDS["one_operator" if count == 1 else "operators"][lang].format(count),
    ]
    if certificate.scope == "numerics":
        parts.append(WORDS["numerics_short"][lang])
    if certificate.policy != "strict":
        parts.append(certificate.policy)
    if certificate.shard:
        parts.append(WORDS["in_shard"][lang].format(certificate.shard))
    if certificate.totals["waived"]:
        parts.append(WORDS["with_waived"][lang].format(certificate.totals["waived"]))
    colour = {CONFORMANT: GREEN, NOT_CONFORMANT: RED}.get(certificate.verdict, GREY)
    return badge("aclnn-spec", " · ".join(parts), colour)


def _index(reports: Mapping[str, Report], lang: str) -> Iterator[Block]:
    """The page that leads to the others and lays them side by side."""
    word = {name: text[lang] for name, text in WORDS.items()}
    yield Heading(level=1, text=word["index"])
    yield Paragraph(line=word["index_told"])
    yield Heading(level=2, text=word["built_in"], anchor="built-in")
    shown = [each for each in VERDICTS if any(report.certificate.totals[each] for report in reports.values())]
    head = [word["implementation"], word["verdict_head"], *(word[each] for each in shown)]
    rows: list[tuple[Line, ...]] = [
        (
            Link(text=report.name, to=f"{name}.md"),
            word[report.certificate.verdict],
            *(str(report.certificate.totals[each]) for each in shown),
            f"{max((entry.ulp or 0 for entry in report.certificate.entries), default=0):g}",
            word[f"scope_{report.certificate.scope}"],
        )
        for name, report in reports.items()
    ]
    yield Table(head=(*head, word["largest"], word["scope"]), rows=tuple(rows))
    yield Heading(level=2, text=word["compared"], anchor="observed")
    yield Paragraph(line=word["compared_told"])
    yield _compared(reports, word["clause"])
    yield Heading(level=2, text=word["yours"], anchor="yours")
    yield Paragraph(line=word["yours_told"])
    yield Commands(
        lines=(
            "aclnn-spec certify examples/my_kernel.py:MyKernel --certificate mine.json",
            f"aclnn-spec report mine.json --html mine.html --badge mine.svg --lang {lang}",
        )
    )


def _compared(reports: Mapping[str, Report], title: str) -> Table:
    """What each implementation showed at each clause that leaves it free."""
    one = next(iter(reports.values()))
    rows: list[tuple[Line, ...]] = []
    for name, operator in one.suite.spec.operators.items():
        for clause in operator.clauses:
            seen = [report.certificate.observed.get(name, {}).get(clause.id, {}) for report in reports.values()]
            if any(seen):
                shown = (labels_of(labels) if labels else "–" for labels in seen)
                rows.append(((Code(name), " ", one.clause(name, clause.id)), *shown))
    return Table(head=(title, *map(Code, reports)), rows=tuple(rows))

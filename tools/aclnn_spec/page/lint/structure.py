"""Rules on the page's build: headings, fences, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.model import HANDLES, Heading, Page
from aclnn_spec.page.regions import regions_of
from aclnn_spec.page.tables import Table
from aclnn_spec.page.text import same_name
from aclnn_spec.page.vocabulary import Vocabulary
from aclnn_spec.page.words import column_of, topic_of
from aclnn_spec.spec.model import Text

_FUNCTION = re.compile(r"aclnn[A-Za-z]\w*", re.ASCII)
_CLOSE = 0.85
_KINDS = {
    "formula": Text(zh="公式", en="formula"),
    "table": Text(zh="表格", en="table"),
}
_SECTIONS = {
    "products": Text(zh="产品支持情况", en="supported products"),
    "function": Text(zh="功能说明", en="what the operator does"),
    "constraints": Text(zh="约束说明", en="constraints"),
    "example": Text(zh="调用示例", en="example calls"),
}
_TAG_AS_CODE = re.compile(r"`\s*(?P<tag></?(?:br|sup|sub|term|li|ul|td|tr)\s*/?>)\s*`", re.IGNORECASE)
_TABLE_CODES = {"rowspan": "P201", "short": "P202", "long": "P203", "span": "P204"}


def title(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Title and prototypes name the same operators."""
    if page.title is None or not page.prototypes:
        return
    titled = set(_FUNCTION.findall(page.title.text))
    if not titled:
        return
    if titled != set(page.operators):
        found, expected = ", ".join(sorted(titled)), ", ".join(page.operators)
        yield finding("P101", page.title.line, found=found, expected=expected)


def headings(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Each function has a section, under its right name."""
    inner = [heading for heading in page.headings if heading.level > 1]
    known = {prototype.name for prototype in page.prototypes}
    spare = [h for h in inner if (names := set(_FUNCTION.findall(h.text))) and not names & known]
    for prototype in page.prototypes:
        if any(prototype.name in _FUNCTION.findall(heading.text) for heading in inner):
            continue
        close = [heading for heading in spare if _alike(heading, prototype.name)]
        if close:
            best = max(close, key=lambda h: SequenceMatcher(a=h.text, b=prototype.name).ratio())
            spare.remove(best)
            yield finding("P103", best.line, found=best.text, expected=prototype.name)
        else:
            yield finding("P102", prototype.line, name=prototype.name)


def _alike(heading: Heading, name: str) -> bool:
    """Whether a heading is meant for a function: their ends agree, and most of the rest."""
    found = _FUNCTION.findall(heading.text)[0]
    if found.endswith("GetWorkspaceSize") != name.endswith("GetWorkspaceSize"):
        return False
    return same_name(found) == same_name(name) or SequenceMatcher(a=found, b=name).ratio() >= _CLOSE


def regions(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Fences, formulas, tables and product comments are closed."""
    for region in regions_of(page.source.lines):
        if region.closed:
            continue
        if region.kind == "fence":
            yield finding("P104", region.first)
        else:
            yield finding("P105", region.first, kind=_KINDS[region.kind])
    for line in page.open_comments:
        yield finding("P106", line)


def tables(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Rows have the cells that the head asks for, spans end where their rows do."""
    for table in _all_tables(page):
        seen: set[tuple[str, int | str]] = set()
        for fault in table.faults:
            if fault.kind != "rowspan" and (fault.kind, fault.found) in seen:  # one odd head makes all rows odd
                continue
            seen.add((fault.kind, fault.found))
            if page.source.flattened or (fault.kind == "short" and table.kind == "pipe" and not _official(table)):
                continue
            yield finding(_TABLE_CODES[fault.kind], fault.line, found=fault.found, expected=fault.expected)


def _all_tables(page: Page) -> Iterator[Table]:
    for block in page.blocks:
        if block.table is not None:
            yield block.table


def _official(table: Table) -> bool:
    """Whether the head is one of the template's; others may leave cells out."""
    return sum(column_of(head) is not None for head in table.head) > 1


def cells(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """No cell of a parameter table is empty."""
    for phase in page.phases:
        for parameter in phase.parameters:
            blank = [column for column in parameter.blank_columns if column != "name"]
            if blank and not (parameter.name in HANDLES or page.source.flattened):
                yield finding("P205", parameter.line, name=parameter.name, columns=", ".join(blank))


def sections(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """The template's sections are there."""
    found = {topic_of(heading.text) for heading in page.headings}
    line = page.title.line if page.title else 1
    for topic, name in _SECTIONS.items():
        if topic not in found:
            yield finding("P108", line, section=name)


def tags(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Tags are not quoted as code."""
    code = {line for r in regions_of(page.source.lines) if r.kind == "fence" for line in range(r.first, r.last + 1)}
    for number, line in enumerate(page.source.lines, start=1):
        shown = _TAG_AS_CODE.search(line) if number not in code else None
        if shown is not None:
            yield finding("P107", number, tag=shown["tag"])

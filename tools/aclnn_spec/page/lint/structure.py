"""Rules on the page's build: headings, fences, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.model import Page
from aclnn_spec.page.regions import regions_of
from aclnn_spec.page.sections import functions_in, meant_for
from aclnn_spec.page.tables import Table
from aclnn_spec.page.vocabulary import Vocabulary
from aclnn_spec.page.words import column_of, topic_of
from aclnn_spec.spec.model import Text

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
    titled = set(functions_in(page.title.text))
    if not titled:
        return
    if titled != set(page.operators):
        found, expected = ", ".join(sorted(titled)), ", ".join(page.operators)
        yield finding("P101", page.title.line, found=found, expected=expected)


def headings(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Each function has a section, under its right name."""
    inner = [(heading, functions_in(heading.text)) for heading in page.headings if heading.level > 1]
    missing = {p.name: p for p in page.prototypes if not any(p.name in names for _, names in inner)}
    for heading, _names in inner:
        meant = meant_for(heading.text, [prototype.name for prototype in page.prototypes])
        if meant in missing:
            del missing[meant]
            yield finding("P103", heading.line, found=heading.text, expected=meant)
    for prototype in missing.values():
        yield finding("P102", prototype.line, name=prototype.name)


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
        odd = any(fault.kind == "span" for fault in table.faults)  # then all that hangs on it is odd too
        for fault in table.faults:
            if odd and fault.kind != "span":
                continue
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
        for parameter in phase.sound:
            blank = [column for column in parameter.blank_columns if column != "name"]
            if blank and not page.source.flattened:
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

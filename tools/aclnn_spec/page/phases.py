"""The sections of the C functions: parameters and errors, and what in them was not understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aclnn_spec.page.blocks import Block
from aclnn_spec.page.failures import STATUS, line_errors, table_errors
from aclnn_spec.page.model import HANDLES, ErrorRow, Note, Parameter, Phase, Unread
from aclnn_spec.page.notes import below_note, products_of
from aclnn_spec.page.parameters import columns_of, list_parameter, nameless_rows, same_as, table_parameters
from aclnn_spec.page.sections import Section
from aclnn_spec.page.tables import Table
from aclnn_spec.page.text import is_blank, words
from aclnn_spec.page.vocabulary import C_TYPE, Vocabulary

_LEADS = re.compile(
    r"[:：]\s*$|返回(?:状态)?码|aclnnStatus|status code|following (?:error|case|situation)|^\W*(?:无|none)?\W*$",
    re.IGNORECASE,
)
"""Words that introduce what follows, or say no more than that a status is returned."""
_TOLD = ("constraints", "function")
"""Sections whose every paragraph is kept as a remark."""
_BOTH = re.compile(r"\d{6}\s*[（(]\s*ACL|ACLNN_\w+\s*[（(]\s*\d")


def read_phases(
    sections: Sequence[Section], vocabulary: Vocabulary, names: set[str]
) -> tuple[tuple[Phase, ...], list[Note], list[Unread]]:
    """The functions' sections; notes that stand in cells; tables that were not understood."""
    phases: dict[str, Phase] = {}
    notes: list[Note] = []
    unread: list[Unread] = []
    for section in sections:
        if section.phase is None or section.topic == "example":
            continue
        line = section.heading.line if section.heading else 1
        phase = phases.setdefault(section.phase, Phase(name=section.phase, line=line))
        reader = _SectionReader(section, vocabulary, names)
        reader.read()
        phases[section.phase] = Phase(
            name=phase.name,
            line=phase.line,
            parameters=(*phase.parameters, *reader.parameters),
            errors=(*phase.errors, *reader.errors),
            parameter_tables=(*phase.parameter_tables, *reader.parameter_tables),
            error_tables=(*phase.error_tables, *reader.error_tables),
        )
        notes += reader.notes
        unread += reader.unread
    return tuple(phases.values()), notes, unread


class _SectionReader:
    """Reads one section of a function."""

    def __init__(self, section: Section, vocabulary: Vocabulary, names: set[str]) -> None:
        self.section = section
        self.vocabulary = vocabulary
        self.names = names
        self.parameters: list[Parameter] = []
        self.errors: list[ErrorRow] = []
        self.parameter_tables: list[Table] = []
        self.error_tables: list[Table] = []
        self.notes: list[Note] = []
        self.unread: list[Unread] = []

    def read(self) -> None:
        """Read all blocks; what gives nothing is unread, but for words that only lead up to something."""
        blocks = self.section.blocks
        told = [b for b in blocks if b.kind in ("paragraph", "html", "fence")]
        in_lines = any(_BOTH.search(b.text) for b in told)
        if in_lines:
            self.errors += line_errors(_lines(told))
        done = 0
        for i, block in enumerate(blocks):
            if block.table is not None:
                self._table(block.table, block)
            elif i < done or (in_lines and block in told):
                continue
            elif block.item and (children := self._item(block, blocks[i + 1 :])) is not None:
                done = i + 1 + children
            elif self.vocabulary.leading_products(block.text)[0]:
                done = i + 1 + len(below_note(blocks, i, self.vocabulary))
            elif self.section.topic not in _TOLD and not _LEADS.search(block.text):
                self.unread.append(Unread(what=block.kind, text=block.text, line=block.line))

    def _table(self, table: Table, block: Block) -> None:
        columns = columns_of(table)
        text = " ".join(cell.text for row in table.body for cell in row.cells)
        if "status" in columns and (STATUS.search(text) or "number" in columns):
            self.errors += table_errors(table)
            self.error_tables.append(table)
        elif "name" in columns and len(columns) > 1:
            found = list(table_parameters(table, self.vocabulary))
            self.parameters += found
            self.parameter_tables.append(table)
            for row in nameless_rows(table):
                text = " | ".join(cell.text for cell in row.own)
                self.unread.append(Unread(what="row", text=text, line=row.line))
            self.notes += [note for parameter in found for note in self._cell_notes(parameter)]
        elif len(set(table.head) & self.names) > 1 or self._names_within(table):
            self.notes.append(self._note(products_of(block.tags, self.vocabulary), table.text, table.line, block.tags))
        else:
            self.unread.append(Unread(what="table", text=" | ".join(table.head), line=table.line))

    def _names_within(self, table: Table) -> bool:
        """Whether the head or the first column speaks of several parameters: then it says what goes together."""
        first = " ".join(row.text(0) for row in table.body)
        return len(set(words(" ".join(table.head))) & self.names) > 1 or len(set(words(first)) & self.names) > 1

    def _note(
        self, products: tuple[str, ...], text: str, line: int, tags: tuple[str, ...], parameter: str | None = None
    ) -> Note:
        topic = self.section.topic or ""
        return Note(
            products=products,
            text=text,
            line=line,
            topic=topic,
            phase=self.section.phase,
            parameter=parameter,
            tags=tags,
        )

    def _cell_notes(self, parameter: Parameter) -> Iterator[Note]:
        cells = (parameter.description, parameter.usage, parameter.dtype_text, parameter.rank_text)
        for line in "\n".join(cell or "" for cell in cells).splitlines():
            products, rest = self.vocabulary.leading_products(line)
            products = products or self.vocabulary.products_in(line)
            if products:
                yield self._note(products, rest, parameter.line, parameter.tags, parameter.name)

    def _item(self, block: Block, after: Sequence[Block]) -> int | None:
        """Read a list item that describes a parameter; the number of blocks below it, or None for another item."""
        children: list[Block] = []
        for below in after:
            if below.depth < block.depth or (below.item and below.depth <= block.depth):
                break
            children.append(below)
        texts = [child.text for child in children if child.table is None]
        found = list_parameter(block.text, texts, block.line, self.vocabulary, self.names)
        if found is None:
            return None
        self.parameters.append(found)
        return len(children)


def _lines(blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    for block in blocks:
        if block.region is not None:
            yield from enumerate(block.region.inner, start=block.region.inner_line)
        else:
            yield from enumerate(block.text.splitlines(), start=block.line)


def unread_cells(phases: Sequence[Phase], names: set[str]) -> Iterator[Unread]:
    """Cells of the parameter tables that gave nothing."""
    for phase in phases:
        if not phase.first:
            continue
        for each in phase.parameters:
            if each.name in HANDLES:
                continue
            c_type = each.dtype_text if C_TYPE.fullmatch(each.dtype_text or "") else None
            if _lost(each.dtype_text, each.dtypes, each.dtypes_of, c_type) and each.name in names:
                yield Unread(what="dtype", text=each.dtype_text or "", line=each.line)
            if _lost(each.format_text, each.formats, same_as(each.format_text or "")):
                yield Unread(what="format", text=each.format_text or "", line=each.line)
            if _lost(each.rank_text, each.rank, same_as(each.rank_text or "")):
                yield Unread(what="rank", text=each.rank_text or "", line=each.line)
            if _lost(each.role_text, each.role):
                yield Unread(what="role", text=each.role_text or "", line=each.line)
            if _lost(each.non_contiguous_text, each.non_contiguous is not None):
                yield Unread(what="non_contiguous", text=each.non_contiguous_text or "", line=each.line)


def _lost(text: str | None, *readings: object) -> bool:
    return text is not None and not is_blank(text) and not any(readings)

"""The sections of the C functions: parameters and errors, and what in them was not understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aclnn_spec.page.blocks import Block
from aclnn_spec.page.failures import STATUS, line_errors, table_errors
from aclnn_spec.page.model import HANDLES, ErrorRow, Note, Parameter, Phase, Unread
from aclnn_spec.page.parameters import columns_of, list_parameter, same_as, table_parameters
from aclnn_spec.page.sections import Section
from aclnn_spec.page.tables import Table
from aclnn_spec.page.text import is_blank, words
from aclnn_spec.page.vocabulary import C_TYPE, Vocabulary

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
        """Read all blocks."""
        blocks = self.section.blocks
        told = [b for b in blocks if b.kind in ("paragraph", "html", "fence")]
        if any(_BOTH.search(b.text) for b in told):
            self.errors += line_errors(_lines(told))
        for i, block in enumerate(blocks):
            if block.table is not None:
                self._table(block.table, block)
            elif block.item:
                self._item(block, blocks[i + 1 :])

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
            self.notes += [note for parameter in found for note in self._cell_notes(parameter)]
        elif len(set(table.head) & self.names) > 1 or self._names_within(table):
            rows = "\n".join(" | ".join(cell.text for cell in row.cells) for row in table.rows)
            self.notes.append(self._note(products_of(block.tags, self.vocabulary), rows, table.line, block.tags))
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

    def _item(self, block: Block, after: Sequence[Block]) -> None:
        children: list[Block] = []
        for below in after:
            if below.item and below.depth <= block.depth:
                break
            children.append(below)
        found = list_parameter(block.text, [b.text for b in children if b.table is None], block.line, self.vocabulary)
        if found is not None:
            self.parameters.append(found)


def _lines(blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    for block in blocks:
        if block.region is not None:
            yield from enumerate(block.region.inner, start=block.region.inner_line)
        else:
            yield from enumerate(block.text.splitlines(), start=block.line)


def products_of(tags: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    """The products that a comment's marks stand for."""
    ids = {vocabulary.tags[tag] for tag in tags if tag in vocabulary.tags}
    return tuple(product for product in vocabulary.tables.products if product in ids)


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


def _lost(text: str | None, *readings: object) -> bool:
    return text is not None and not is_blank(text) and not any(readings)

"""Tables as grids, with what is wrong in their build, and those of HTML read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

from aclnn_spec.page.text import NOT_A_TAG, SEAM, limited, plain, without_seams
from aclnn_spec.spec.errors import InputError

_NPU = re.compile(r"\s*npu=\"(?P<tags>[^\"]*)\"")
_WHOLE = re.compile(r"\d{1,5}")
_OPEN_TAG = re.compile(r"<(?=!--|[^<>]*(?:<|$))")
_INNER_TAG = re.compile(r"(?<!^)<")
_MOST_COLUMNS = 100
MOST_CELLS = 20_000


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell's words, where they stand, and over how many rows and columns it is said to reach."""

    text: str
    line: int
    rowspan: int = 1
    colspan: int = 1


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row's cells by column, spanned ones included; `own` are those that the row itself gives."""

    cells: tuple[Cell, ...]
    own: tuple[Cell, ...]
    line: int
    tags: tuple[str, ...] = ()

    def text(self, column: int | None) -> str:
        """The words in a column, empty where the row has no such cell."""
        return self.cells[column].text if column is not None and column < len(self.cells) else ""


@dataclass(frozen=True, kw_only=True)
class TableFault:
    """What is wrong in a table's build: `rowspan`, `span`, `short` or `long`, with the numbers."""

    kind: str
    line: int
    found: int | str
    expected: int


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table; the first row is its head."""

    rows: tuple[Row, ...]
    line: int
    faults: tuple[TableFault, ...]
    kind: str

    @property
    def head(self) -> tuple[str, ...]:
        """The words of the first row."""
        return tuple(cell.text for cell in self.rows[0].cells) if self.rows else ()

    @property
    def text(self) -> str:
        """The words, a line for each row, the cells between pipes."""
        return "\n".join(" | ".join(" ".join(cell.text.split()) for cell in row.cells) for row in self.rows)

    @property
    def odd_lines(self) -> frozenset[int]:
        """The lines of rows with more or fewer cells than the head: nobody knows which cell is which."""
        return frozenset(row.line for row in self.body if len(row.cells) != len(self.head))

    @property
    def body(self) -> tuple[Row, ...]:
        """The rows after the first."""
        return self.rows[1:]


@dataclass(kw_only=True)
class _OpenCell:
    line: int
    rowspan: str
    colspan: str
    pieces: list[str]


@dataclass(kw_only=True)
class _OpenRow:
    line: int
    group: int
    tags: tuple[str, ...]
    cells: list[_OpenCell]


class _Reader(HTMLParser):
    """Collects rows and cells; the end tags that HTML lets people leave out may be left out."""

    def __init__(self, line: int) -> None:
        super().__init__(convert_charrefs=True)
        self.first_line = line
        self.rows: list[_OpenRow] = []
        self.group = 0
        self.row: _OpenRow | None = None
        self.cell: _OpenCell | None = None
        self.tags: tuple[str, ...] = ()
        self.depth = 0

    @property
    def line(self) -> int:
        return self.first_line + self.getpos()[0] - 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.depth += 1
        if self.depth > 1:  # a table within a cell is its words
            if tag in ("tr", "table", "br", "li", "p"):
                self._say("\n")
            return
        if tag in ("thead", "tbody", "tfoot"):
            self.row = self.cell = None
            self.group += 1
        elif tag == "tr":
            self._open_row()
        elif tag in ("td", "th"):
            self._open_cell({name: value or "" for name, value in attrs})
        elif tag in ("br", "li", "p", "div", "ul", "ol"):
            self._say("\n")
        elif tag == "sup":
            self._say("^")
        else:
            self._say(SEAM)

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self.depth -= 1
        elif self.depth > 1:
            return
        elif tag in ("td", "th"):
            self.cell = None
        elif tag == "tr":
            self.row = self.cell = None
        elif tag in ("thead", "tbody", "tfoot"):
            self.row = self.cell = None
            self.group += 1
        elif tag in ("li", "p", "div"):
            self._say("\n")
        else:
            self._say(SEAM)

    def handle_data(self, data: str) -> None:
        self._say(data)

    def handle_comment(self, data: str) -> None:
        npu = _NPU.match(data)
        if npu is not None:
            self.tags = tuple(npu["tags"].replace(" ", "").split(","))
        elif data.strip().startswith("end"):
            self.tags = ()

    def _open_row(self) -> _OpenRow:
        self.cell = None
        self.row = _OpenRow(line=self.line, group=self.group, tags=self.tags, cells=[])
        self.rows.append(self.row)
        return self.row

    def _open_cell(self, attributes: dict[str, str]) -> None:
        row = self.row or self._open_row()
        rowspan, colspan = attributes.get("rowspan", "1").strip(), attributes.get("colspan", "1").strip()
        self.cell = _OpenCell(line=self.line, rowspan=rowspan, colspan=colspan, pieces=[])
        row.cells.append(self.cell)

    def _say(self, text: str) -> None:
        if self.cell is not None:
            self.cell.pieces.append(text)


def html_table(lines: Sequence[str], first_line: int, path: str) -> Table:
    """The grid of an HTML table whose first line is `first_line` of the page."""
    reader = _Reader(first_line)
    reader.feed(_settled(NOT_A_TAG.sub("&lt;", "\n".join(lines))))
    reader.close()
    for cell in (cell for row in reader.rows for cell in row.cells):
        limited("".join(cell.pieces), path, cell.line)
    if sum(len(row.cells) for row in reader.rows) > MOST_CELLS:
        raise InputError(f"{path}:{first_line}: found a table of more than {MOST_CELLS:,} cells, expected a page's")
    faults: list[TableFault] = []
    rows = [row for row in reader.rows if row.cells]
    width = sum(_span(cell.colspan, cell, []) or 1 for cell in rows[0].cells) if rows else 0
    grid: list[Row] = []
    for group in dict.fromkeys(row.group for row in rows):
        grid += _laid_out([row for row in rows if row.group == group], width, faults)
    return Table(rows=tuple(grid), line=first_line, faults=tuple(faults), kind="html")


def _settled(markup: str) -> str:
    """The same markup with what never ends, comment or tag, as plain words: the parser would look for ends anew."""
    pieces: list[str] = []
    start = 0
    while (begin := markup.find("<!--", start)) >= 0 and (end := markup.find("-->", begin + 4)) >= 0:
        pieces += [_OPEN_TAG.sub("&lt;", markup[start:begin]), _INNER_TAG.sub(" ", markup[begin:end]), "-->"]
        start = end + 3
    return "".join([*pieces, _OPEN_TAG.sub("&lt;", markup[start:])])


def _span(text: str, cell: _OpenCell, faults: list[TableFault]) -> int:
    if _WHOLE.fullmatch(text):
        return min(int(text), _MOST_COLUMNS)
    faults.append(TableFault(kind="span", line=cell.line, found=text, expected=1))
    return 1


def _laid_out(rows: list[_OpenRow], width: int, faults: list[TableFault]) -> list[Row]:
    """Lay one group of rows out on its columns; a span ends with its group, and where a full row begins."""
    result: list[Row] = []
    pending: dict[int, tuple[Cell, int, int]] = {}  # column → cell, rows left, index of the row it began in
    for index, row in enumerate(rows):
        own = [_closed(cell, faults) for cell in row.cells]
        wide = sum(cell.colspan for cell in own)
        if pending and wide >= width:
            faults += _too_long(pending.values(), index)
            pending = {}
        cells: list[Cell] = []
        queue, following = list(own), {}
        while queue or len(cells) in pending:
            column = len(cells)
            if column in pending:
                cell, left, begun = pending.pop(column)
                cells.append(cell)
                following[column] = (cell, left - 1, begun)
                continue
            cell = queue.pop(0)
            left = cell.rowspan - 1 if cell.rowspan else len(rows) - index - 1
            for column in range(len(cells), len(cells) + cell.colspan):
                cells.append(cell)
                following[column] = (cell, left, index)
        pending = {column: span for column, span in following.items() if span[1] > 0}
        if len(cells) != width:
            kind = "short" if len(cells) < width else "long"
            faults.append(TableFault(kind=kind, line=row.line, found=len(cells), expected=width))
        result.append(Row(cells=tuple(cells), own=tuple(own), line=row.line, tags=row.tags))
    faults += _too_long(pending.values(), len(rows))
    return result


def _closed(cell: _OpenCell, faults: list[TableFault]) -> Cell:
    rowspan, colspan = _span(cell.rowspan, cell, faults), _span(cell.colspan, cell, faults)
    text = plain(without_seams("".join(cell.pieces)).replace("<", "&lt;"))
    return Cell(text=text, line=cell.line, rowspan=rowspan, colspan=max(colspan, 1))


def _too_long(pending: Iterable[tuple[Cell, int, int]], end: int) -> list[TableFault]:
    """Spans that reach below their last row: one fault for each row that they begin in."""
    worst: dict[int, TableFault] = {}
    for cell, left, begun in pending:
        if left > 0 and cell.rowspan:
            worst.setdefault(
                begun, TableFault(kind="rowspan", line=cell.line, found=cell.rowspan, expected=end - begun)
            )
    return list(worst.values())

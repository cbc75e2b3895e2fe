"""Tables of pipes as grids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from aclnn_spec.page.tables import MOST_CELLS, Cell, Row, Table, TableFault
from aclnn_spec.page.text import limited, plain
from aclnn_spec.spec.errors import InputError

_ANY_PIPE = re.compile(r"(?<!\\)\|")
_FREE_PIPE = re.compile(r"(?<!\\)(?:(?<=\s)\||\|(?=\s)|^\||\|$)")


def pipe_table(lines: Sequence[str], first_line: int, path: str) -> Table:
    """The grid of a table of pipes: head, rule, rows."""
    for number, line in enumerate(lines, start=first_line):
        limited(line, path, number)
    head = _pipe_row(lines[0], first_line, None)
    width = len(head.own)
    if width * len(lines) > MOST_CELLS:
        raise InputError(f"{path}:{first_line}: found a table of more than {MOST_CELLS:,} cells, expected a page's")
    rows, faults = [head], []
    for number, line in enumerate(lines[2:], start=first_line + 2):
        row = _pipe_row(line, number, width)
        rows.append(row)
        if len(row.own) != width:
            kind = "short" if len(row.own) < width else "long"
            faults.append(TableFault(kind=kind, line=number, found=len(row.own), expected=width))
        if len(row.cells) != len(row.own):
            rows[-1] = replace(row, own=row.cells)
    return Table(rows=tuple(rows), line=first_line, faults=tuple(faults), kind="pipe")


def _pipe_row(line: str, number: int, width: int | None) -> Row:
    pieces = _pieces(_ANY_PIPE, line)
    own = tuple(Cell(text=plain(piece.replace("\\|", "|")), line=number) for piece in pieces)
    cells = own
    if width is not None and len(pieces) > width:  # pipes without blanks around them belong to the words
        pieces = _pieces(_FREE_PIPE, line)
        if len(pieces) == width:
            cells = tuple(Cell(text=plain(piece.replace("\\|", "|")), line=number) for piece in pieces)
    return Row(cells=cells, own=own, line=number)


def _pieces(border: re.Pattern[str], line: str) -> list[str]:
    text = line.strip().lstrip("> ")
    pieces = border.split(text)
    if pieces and not pieces[0].strip() and text.startswith("|"):
        pieces = pieces[1:]
    if pieces and not pieces[-1].strip() and text.endswith("|"):
        pieces = pieces[:-1]
    return [piece.strip() for piece in pieces]

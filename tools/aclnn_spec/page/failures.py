"""The situations in which phase 1 fails, from the rows of a table, from a list, or from plain lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from aclnn_spec.page.model import ErrorRow
from aclnn_spec.page.parameters import columns_of
from aclnn_spec.page.tables import Row, Table
from aclnn_spec.page.text import is_blank

STATUS = re.compile(r"\bACL(?:NN)?_(?:ERR|ERROR|SUCCESS)\w*", re.ASCII)
NUMBER = re.compile(r"(?<![\w.])(?:\d{6}|0)(?![\w.])", re.ASCII)
LONG_NUMBER = re.compile(r"(?<![\w.])\d{6}(?![\w.])", re.ASCII)
_SUCCESS = "ACLNN_SUCCESS"
_BOTH = re.compile(
    r"(?:(?P<number>\d{6})\s*[（(]\s*(?P<name>ACL\w+)\s*[)）]|(?P<name2>ACLNN_\w+)\s*[（(]\s*(?P<number2>\d{1,6})\s*[)）])"
    r"\s*[:：]",
    re.ASCII,
)
_COUNT = re.compile(r"^(?:\(?\d+[.、．)）]\s*|[-*•]\s*)")
_INTRODUCES = (":", "：")


def table_errors(table: Table) -> Iterator[ErrorRow]:
    """The rows of an error table; a cell that lists several situations gives several."""
    columns = columns_of(table)
    name: str | None = None
    number: int | None = None
    for row in table.body:
        found_name, found_number, text = _parts(row, columns)
        if found_name == _SUCCESS or found_number == 0:
            continue
        inherited = found_name is None and found_number is None
        if not inherited or _names_another(row, columns):
            name, number = found_name, found_number
        spanned = any(cell.line != row.line and cell not in row.own for cell in row.cells)
        for each in situations(text):
            yield ErrorRow(name=name, number=number, text=each, line=row.line, inherited=inherited or spanned)


def _names_another(row: Row, columns: dict[str, int]) -> bool:
    """Whether a row is about statuses without a name: `other values`."""
    status, text = row.text(columns.get("status")), row.text(columns.get("description"))
    return len(row.own) == len(row.cells) and not is_blank(status) and not is_blank(text)


def _parts(row: Row, columns: dict[str, int]) -> tuple[str | None, int | None, str]:
    status, number = row.text(columns.get("status")), row.text(columns.get("number"))
    text = row.text(columns.get("description")) or "\n".join(
        cell.text for i, cell in enumerate(row.cells) if i not in (columns.get("status"), columns.get("number"))
    )
    name = STATUS.search(status) or STATUS.search(number)
    value = NUMBER.fullmatch(number.strip()) or LONG_NUMBER.search(number) or LONG_NUMBER.search(status)
    if name is not None and name[0] == _SUCCESS:
        return name[0], 0, text
    if name is None and value is None:
        others = [cell.text for cell in row.cells if not is_blank(cell.text)]
        text = others[0] if len(others) == 1 else text or " ".join(others)
    return (name[0] if name else None), (int(value[0]) if value else None), text


def situations(text: str) -> Iterator[str]:
    """The situations that a cell tells of: one for each line, unless its first line introduces the others."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return
    if len(lines) > 1 and lines[0].rstrip().endswith(_INTRODUCES):
        yield "\n".join(lines)
        return
    counted = (_COUNT.sub("", line).strip() for line in lines)
    yield from (line for line in counted if line)


def line_errors(lines: Iterable[tuple[int, str]]) -> Iterator[ErrorRow]:
    """Situations told in lines: a status with its number, a colon, and what follows up to the next status."""
    name: str | None = None
    number: int | None = None
    for line, words in lines:
        text = words
        head = _BOTH.search(text)
        first = head is not None
        if head is not None:
            name, number = head["name"] or head["name2"], int(head["number"] or head["number2"])
            text = text[head.end() :].lstrip(" ：:")
        elif not text.strip():
            name = number = None
        if name is None:
            continue
        for each in re.split(r"(?<=[。；;])\s*(?=\d+[.、．]\s)", text):
            situation = _COUNT.sub("", each.strip()).strip()
            if situation:
                yield ErrorRow(name=name, number=number, text=situation, line=line, inherited=not first)
                first = False

"""Give a flattened page, whose line ends have become blanks, its lines back.

What flattening has lost stays lost: angle brackets with their contents (template arguments, `<iostream>`), links,
rowspans, comments that name products, and where a comment in example code ends.
"""

from __future__ import annotations

import re
from itertools import pairwise

Piece = tuple[int, str]
"""Where a line begins in the flattened text, counted from 0, and the line."""

_OPENING = re.compile(r"```(?P<info>\w*) ")
_CLOSING = re.compile(r" ```(?=\s|$)")
_FRONT_MATTER = re.compile(r"--- .*? --- ", re.DOTALL)
_RULE = re.compile(r"\|(?: *:?-{2,}:? *\|)+")
_HEADING = re.compile(r"(?<!\S)#{1,6} \S+")
_ITEM = re.compile(r"(?<=[^\x00-\x7f*:)|]) (?=- )")
_CODE_CUT = re.compile(r"(?<=[;{}]) | (?=#)|(?<!:)// ?")
_CLOSING_PIPE = re.compile(r" \|(?= |$)")


def unfold(text: str) -> list[Piece]:
    """The lines of a flattened page."""
    start = 0
    front = _FRONT_MATTER.match(text)
    if front:
        start = front.end()
    pieces: list[Piece] = []
    while (opening := _OPENING.search(text, start)) and (closing := _CLOSING.search(text, opening.end())):
        pieces += _prose(text, start, opening.start())
        pieces += [
            (opening.start(), f"```{opening['info']}"),
            *_code(text, opening.end(), closing.start()),
            (closing.end() - 3, "```"),
        ]
        start = closing.end()
    pieces += _prose(text, start, len(text))
    return pieces


def _code(text: str, start: int, end: int) -> list[Piece]:
    """Lines of code: a comment's mark is dropped, for nothing tells where the comment ends."""
    pieces = []
    for cut in _CODE_CUT.finditer(text, start, end):
        pieces.append((start, text[start : cut.start()]))
        start = cut.end()
    return [*pieces, (start, text[start:end])]


def _prose(text: str, start: int, end: int) -> list[Piece]:
    pieces: list[Piece] = []
    while (rule := _RULE.search(text, start, end)) is not None:
        columns = rule[0].count("|") - 1
        head = _head(text, start, rule.start(), columns)
        pieces += _lines(text, start, head)
        pieces += [(start, ""), (head, text[head : rule.start()].strip()), (rule.start(), rule[0])]
        start = rule.end()
        while (row := _row(text, start, end, columns)) is not None:
            pieces.append(row)
            start = row[0] + len(row[1])
        pieces.append((start, ""))
    return pieces + _lines(text, start, end)


def _head(text: str, start: int, end: int, columns: int) -> int:
    """Where the row that ends at `end` begins: at its first pipe, counted from its last."""
    at = end
    for _ in range(columns + 1):
        at = max(text.rfind("|", start, at), start)
    return at


def _row(text: str, start: int, end: int, columns: int) -> Piece | None:
    """The row of a table that begins at `start`; a pipe between two letters is no border."""
    begin = start
    while begin < end and text[begin] == " ":
        begin += 1
    if begin >= end or text[begin] != "|":
        return None
    at = begin
    for _ in range(columns):
        border = _CLOSING_PIPE.search(text, at + 1, end)
        if border is None:
            return begin, text[begin:end].rstrip()
        at = border.end() - 1
    return begin, text[begin : at + 1]


def _lines(text: str, start: int, end: int) -> list[Piece]:
    """Headings, items and paragraphs, each on a line of its own."""
    cuts = {start}
    for heading in _HEADING.finditer(text, start, end):
        cuts |= {heading.start(), heading.end()}
    cuts |= {item.end() for item in _ITEM.finditer(text, start, end)}
    pieces: list[Piece] = []
    ordered = [*sorted(cuts), end]
    for begin, finish in pairwise(ordered):
        line = text[begin:finish]
        if line.strip():
            pieces += [(begin + len(line) - len(line.lstrip()), line.strip()), (finish, "")]
    return pieces

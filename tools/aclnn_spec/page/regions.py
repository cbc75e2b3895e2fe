"""Parts of a page that Markdown would tear apart or misread: code fences, displayed formulas, HTML tables.

They are found line by line before the Markdown is read, and blanked from it, each leaving a comment of as many lines
with its number. A part that is never closed ends where its neighbours show that it should have, and is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"^(?P<indent>(?:\s|>|[-*+]\s|\d+[.)]\s)*)(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*)$")
_TABLE = re.compile(r"<(?P<end>/?)table\b", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_HEADING = re.compile(r"#{1,6}\s+\S")
_INNER_HEADING = re.compile(r"#{2,6}\s+\S")
_CODE_WITHOUT_HEADINGS = frozenset({"", "c", "cpp", "c++", "cc", "cxx"})
"""Languages of fences in which no line begins with two or more number signs and a blank."""
_TABLE_PARTS = re.compile(r"<(?P<end>/?)(?P<name>table|tr|t[dh]|t(?:head|body|foot))\b", re.IGNORECASE)
_ROW_ENDS = re.compile(r"</(?:tr|tbody|table)\s*>", re.IGNORECASE)
_PLACEHOLDER = "<!--@{number}"
PLACEHOLDER = re.compile(r"<!--@(?P<number>\d+)[@\s]*-->")


@dataclass(frozen=True, kw_only=True)
class Region:
    """Lines `first` to `last` of a page, counted from 1: a fence, a formula or a table; `inner` is what is in them."""

    kind: str
    first: int
    last: int
    inner: tuple[str, ...]
    info: str = ""
    closed: bool = True

    @property
    def inner_line(self) -> int:
        """The line of the first line of `inner`."""
        return self.first + 1 if self.kind == "fence" else self.first


def regions_of(lines: Sequence[str]) -> list[Region]:
    """All regions of a page, in order; none lies in another."""
    found, i = [], 0
    while i < len(lines):
        region = _fence(lines, i) or _formula(lines, i) or _table(lines, i)
        if region is None:
            i += 1
        else:
            found.append(region)
            i = region.last
    return found


def masked(lines: Sequence[str], regions: Sequence[Region]) -> str:
    """The page with a comment in place of each region, on as many lines."""
    result = list(lines)
    for number, region in enumerate(regions):
        line = lines[region.first - 1]
        head = line[: _start_of(region, line)]
        indent = re.sub(r"[^\s>]", " ", head)
        mask = [indent + "@"] * (region.last - region.first + 1)
        mask[0] = head + _PLACEHOLDER.format(number=number)
        mask[-1] += "-->"
        result[region.first - 1 : region.last] = mask
    return "\n".join(result)


def _start_of(region: Region, line: str) -> int:
    """The column where a region begins on its first line."""
    if region.kind == "table":
        match = _TABLE.search(line)
        return match.start() if match else 0
    if region.kind == "formula":
        return line.find("$$")
    match = _FENCE.match(line)
    return match.start("fence") if match else 0


def _fence(lines: Sequence[str], i: int) -> Region | None:
    opening = _FENCE.match(lines[i])
    if opening is None:
        return None
    mark, info = opening["fence"], opening["info"].strip()
    for j in range(i + 1, len(lines)):
        line = lines[j]
        if _INNER_HEADING.match(line) and info.casefold() in _CODE_WITHOUT_HEADINGS:
            return _open_fence(lines, i, j, info)
        other = _FENCE.match(line)
        if other is None or other["fence"][0] != mark[0] or len(other["fence"]) < len(mark):
            continue
        if not other["info"].strip():
            return Region(kind="fence", first=i + 1, last=j + 1, inner=tuple(lines[i + 1 : j]), info=info)
        # Another block of code opens: this one was never closed, or is itself a mark too many.
        return _open_fence(lines, i, j if info else i + 1, info)
    end = next((j for j in range(i + 1, len(lines)) if _HEADING.match(lines[j])), len(lines))
    return _open_fence(lines, i, end, info)


def _open_fence(lines: Sequence[str], i: int, end: int, info: str) -> Region:
    while end > i + 1 and not lines[end - 1].strip():
        end -= 1
    return Region(kind="fence", first=i + 1, last=end, inner=tuple(lines[i + 1 : end]), info=info, closed=False)


def _formula(lines: Sequence[str], i: int) -> Region | None:
    line = lines[i].strip()
    if not line.startswith("$$"):
        return None
    if line.count("$$") % 2 == 0:  # it ends on its own line
        return Region(kind="formula", first=i + 1, last=i + 1, inner=(line,))
    for j in range(i + 1, len(lines)):
        if "$$" in lines[j]:
            return Region(kind="formula", first=i + 1, last=j + 1, inner=tuple(lines[i : j + 1]))
        if _HEADING.match(lines[j]) or _FENCE.match(lines[j]):
            break
    else:
        j = len(lines)
    return Region(kind="formula", first=i + 1, last=max(j, i + 1), inner=tuple(lines[i:j]), closed=False)


def _table(lines: Sequence[str], i: int) -> Region | None:
    if "<table" not in lines[i].casefold() or not _TABLE.search(_CODE_SPAN.sub("", lines[i])):
        return None
    depth, in_cell = 0, False
    for j in range(i, len(lines)):
        if j > i and (_HEADING.match(lines[j]) or _FENCE.match(lines[j])):
            return _open_table(lines, i, j)
        for tag in _TABLE_PARTS.finditer(lines[j]):
            if tag["name"].casefold() != "table":
                in_cell = not tag["end"] and tag["name"].casefold() in ("td", "th") if depth == 1 else in_cell
            elif tag["end"]:
                depth -= 1
            elif depth == 1 and not in_cell and j > i:  # one table after another: the first was never closed
                return _open_table(lines, i, j)
            else:
                depth += 1
        if depth <= 0:
            return Region(kind="table", first=i + 1, last=j + 1, inner=tuple(lines[i : j + 1]))
    return _open_table(lines, i, len(lines))


def _open_table(lines: Sequence[str], i: int, end: int) -> Region:
    """A table without its end: it goes as far as its rows do."""
    last = next((j + 1 for j in range(end - 1, i, -1) if _ROW_ENDS.search(lines[j])), end)
    return Region(kind="table", first=i + 1, last=last, inner=tuple(lines[i:last]), closed=False)

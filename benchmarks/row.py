"""A line of the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2

from aclnn_spec.emit.pages.benchmarks import time_text

from .words import WHY


@dataclass(frozen=True, kw_only=True)
class Row:
    """What was measured, against what: seconds of one call or run each, and how they compare."""

    part: str
    what: str
    peer: str | None = None
    size: int | None = None
    """Elements, or cases."""

    seconds: float | None = None
    peer_seconds: float | None = None
    ratio: float | None = None
    """Ours to the peer's, both taken alternately: below 1 we are faster. The median of the pairs, not of all."""

    mebibytes: float | None = None
    """The most memory held at a time, beyond the operands where a single call was measured."""

    per_second: float | None = None
    """Cases a second."""

    times_case: float | None = None
    """The memory, in sizes of the case."""

    why: str = ""
    """Why the row cannot be faster than its peer: a key of WHY."""

    skipped: str = ""
    """What was missing to measure it."""


def table(rows: Iterable[Row]) -> list[str]:
    """The rows as lines of text."""
    head = ("what", "size", "ours", "peer", "its time", "ratio", "memory", "")
    lines, part = [], ""
    for row in rows:
        if row.part != part:
            part = row.part
            lines += ["", part, _line(head)]
        cells = (
            row.what,
            _size(row.size),
            time_text(row.seconds),
            row.peer or "",
            time_text(row.peer_seconds),
            "" if row.ratio is None else f"{row.ratio:.3g}",
            "" if row.mebibytes is None else f"{row.mebibytes:.0f} MiB",
            _note(row),
        )
        lines.append(_line(cells))
    return lines


def _note(row: Row) -> str:
    if row.skipped:
        return f"skipped: {row.skipped}"
    if row.per_second:
        return f"{row.per_second:.0f} cases/s"
    if row.times_case:
        return f"{row.times_case:.1f} times the case"
    return WHY[row.why][1] if row.why else ""


def _line(cells: tuple[str, ...]) -> str:
    what, size, ours, peer, its, ratio, memory, note = cells
    return f"  {what:36}{size:>8}{ours:>11}  {peer:27}{its:>11}{ratio:>9}{memory:>12}  {note}".rstrip()


def _size(size: int | None) -> str:
    if size is None:
        return ""
    return f"2^{log2(size):.0f}" if size & (size - 1) == 0 and size > 1 else str(size)

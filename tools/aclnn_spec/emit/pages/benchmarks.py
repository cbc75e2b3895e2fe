"""How fast the package is: the ratios that `python -m benchmarks` has measured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from math import log2
from typing import Any

from aclnn_spec.emit.pages.markdown import fence, heading, page, prose, table
from aclnn_spec.emit.pages.words import BENCHMARKS, said

DIRECTORY = "benchmarks/result"
RESULT = f"{DIRECTORY}/result.json"

Row = Mapping[str, Any]
_COLUMNS = ("what", "size", "ours", "peer", "theirs", "ratio", "held", "note")

_WHOLE = 10
"""MiB from which on a decimal says nothing."""


def benchmarks_page(found: Row, lang: str) -> str:
    """The page of a kept result, with its plot."""
    return page(DIRECTORY, said(BENCHMARKS, "title", lang), _blocks(found, lang), wide=True)


def _blocks(found: Row, lang: str) -> Iterator[str]:
    yield said(BENCHMARKS, "about", lang)
    yield said(BENCHMARKS, "plot", lang)
    yield f'<div class="picture">\n--8<-- "cost.{lang}.svg"\n</div>'
    for part, rows in groupby(found["rows"], key=lambda row: row["part"]):
        yield heading(_words(part, found, lang), re.sub(r"\W+", "-", part.lower()))
        shown = [_cells(row, found, lang) for row in rows]
        kept = [i for i in range(len(_COLUMNS)) if any(row[i] for row in shown)]
        yield table([said(BENCHMARKS, _COLUMNS[i], lang) for i in kept], [[row[i] for i in kept] for row in shown])
    yield heading(said(BENCHMARKS, "where", lang), "where")
    yield said(BENCHMARKS, "date", lang, date=found["date"])
    machine = [
        [said(BENCHMARKS, name, lang) if name in BENCHMARKS else name, prose(value)]
        for name, value in found["machine"].items()
    ]
    yield table([said(BENCHMARKS, name, lang) for name in ("on", "value")], machine)
    yield said(BENCHMARKS, "again", lang)
    yield fence(found["generated_by"], "sh")


def _words(text: str | None, found: Row, lang: str) -> str:
    return prose((found["zh"][text] if lang == "zh" else text) if text else "")


def _cells(row: Row, found: Row, lang: str) -> list[str]:
    """A row's cells, in the order of the columns; empty where there is nothing to say."""
    note = ""
    if "per_second" in row:
        note = said(BENCHMARKS, "per_second", lang, rate=f"{row['per_second']:,.0f}")
    elif "times_case" in row:
        note = said(BENCHMARKS, "times_case", lang, times=f"{row['times_case']:.1f}")
    elif "why" in row:
        note = found["why"][row["why"]][lang]
    return [
        _words(row["what"], found, lang),
        _size(row["size"]) if "size" in row else "",
        time_text(row.get("seconds")),
        _words(row.get("peer"), found, lang),
        time_text(row.get("peer_seconds")),
        f"{row['ratio']:.3g}" if "ratio" in row else "",
        _memory(row["mebibytes"]) if "mebibytes" in row else "",
        prose(note),
    ]


def _size(size: int) -> str:
    """A number of elements or cases; a power of two as such."""
    return f"2<sup>{log2(size):.0f}</sup>" if size & (size - 1) == 0 and size > 1 else f"{size:,}"


def _memory(mebibytes: float) -> str:
    return f"{mebibytes:,.{0 if mebibytes >= _WHOLE else 1}f} MiB"


def time_text(seconds: float | None) -> str:
    """A time with three digits, in the unit that suits it."""
    if seconds is None:
        return ""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"

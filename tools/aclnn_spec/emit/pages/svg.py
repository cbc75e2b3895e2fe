"""Drawings in SVG: how far the results of a run are off, and the badge. Nothing in them is fetched from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from unicodedata import east_asian_width

GREEN, RED, GREY = "#2e7d32", "#c62828", "#616161"
"""White letters on them have a contrast of more than 4.5 to 1."""

_LABEL = "#37474f"
_FONT = "Verdana,'DejaVu Sans','Noto Sans CJK SC','Microsoft YaHei',sans-serif"
_BAR, _GAP, _TALL, _ABOVE, _BELOW = 44, 12, 90, 18, 34
_NARROW, _WIDE, _MARGIN = 6.8, 11.5, 8.0


def histogram(bins: Sequence[tuple[str, int]], *, name: str, title: str, told: str, axis: str) -> str:
    """Bars with their numbers above them; `name` makes the ids of the drawing's title and description its own.

    It takes the page's colours, and a reader who does not see it is told `title` and `told`.
    """
    step, most = _BAR + _GAP, max((count for _, count in bins), default=0) or 1
    width, height = step * len(bins) + _GAP, _ABOVE + _TALL + _BELOW
    floor = _ABOVE + _TALL
    known = escape(name)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
        f'role="img" aria-labelledby="{known}-title {known}-desc" style="max-width:100%;height:auto"',
        'font-family="inherit" font-size="12" fill="currentColor">',
        f'<title id="{known}-title">{escape(title)}</title>',
        f'<desc id="{known}-desc">{escape(told)}</desc>',
    ]
    for i, (label, count) in enumerate(bins):
        left, middle = _GAP + i * step, _GAP + i * step + _BAR / 2
        tall = max(round(count / most * _TALL), 2) if count else 0
        if count:
            parts.append(f'<rect x="{left}" y="{floor - tall}" width="{_BAR}" height="{tall}" opacity="0.6"/>')
        parts += [
            f'<text x="{middle:g}" y="{floor - tall - 5}" text-anchor="middle">{count}</text>',
            f'<text x="{middle:g}" y="{floor + 15}" text-anchor="middle">{escape(label)}</text>',
        ]
    parts += [
        f'<path d="M{_GAP / 2:g} {floor}.5H{width - _GAP / 2:g}" stroke="currentColor" fill="none"/>',
        f'<text x="{width / 2:g}" y="{height - 4}" text-anchor="middle">{escape(axis)}</text>',
        "</svg>",
    ]
    return "\n".join(parts)


def badge(label: str, value: str, colour: str) -> str:
    """A badge of two parts as a whole SVG file; the letters are fitted to its width, whatever font is at hand."""
    widths = [_width(text) for text in (label, value)]
    left, right = (each + 2 * _MARGIN for each in widths)
    title = escape(f"{label}: {value}")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:g}" height="20"',
            f'viewBox="0 0 {left + right:g} 20" role="img" aria-label="{title}">',
            f"<title>{title}</title>",
            f'<rect width="{left + right:g}" height="20" rx="3" fill="{escape(colour)}"/>',
            f'<path d="M{left:g} 0H3a3 3 0 0 0-3 3v14a3 3 0 0 0 3 3h{left - 3:g}z" fill="{_LABEL}"/>',
            f'<g fill="#fff" font-family="{_FONT}" font-size="11" text-anchor="middle">',
            _fitted(label, left / 2, widths[0]),
            _fitted(value, left + right / 2, widths[1]),
            "</g>",
            "</svg>\n",
        ]
    )


def _fitted(text: str, middle: float, width: float) -> str:
    return f'<text x="{middle:g}" y="14" textLength="{width:g}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'


def _width(text: str) -> float:
    return round(sum(_WIDE if east_asian_width(letter) in "WF" else _NARROW for letter in text), 1)

"""The cost of an element against the size of the tensor, as an SVG that takes its colours from the page around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log2, log10
from types import MappingProxyType

from .arithmetic import PART as REFERENCE
from .judging import PART as JUDGE
from .row import Row
from .words import ZH

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 360, 64, 36, 216, 44
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")

_AXES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"en": ("elements", "nanoseconds per element"), "zh": ("元素个数", "每元素耗时（纳秒）")}
)
OURS = "aclnn-spec"


def svg(rows: Iterable[Row], lang: str) -> str:
    """Both panels, one above the other; hand-written SVG with a title for readers that do not see it."""
    listed = list(rows)
    said: Mapping[str, str] = ZH if lang == "zh" else {}
    titles, panels = [], []
    for i, (part, what) in enumerate(((REFERENCE, "reduction none"), (JUDGE, "each element 1 ULP off"))):
        titles.append(
            f"{said.get(part, part)}, {said.get(what, what)}" if lang == "en" else f"{said[part]}，{said[what]}"
        )
        lines = _lines([row for row in listed if row.part == part and row.what == what])
        named = {said.get(name, name): points for name, points in lines.items()}
        panels += [f'<g transform="translate(0 {i * HEIGHT})">', *_panel(titles[-1], named, _AXES[lang]), "</g>"]
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {2 * HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="13" fill="currentColor">'
    )
    return "\n".join([opening, f"<title>{'; '.join(titles)}: {_AXES[lang][1]}</title>", *panels, "</svg>", ""])


def _lines(rows: list[Row]) -> dict[str, list[tuple[int, float]]]:
    """Per name, the points: size and nanoseconds per element."""
    lines: dict[str, list[tuple[int, float]]] = {OURS: []}
    for row in rows:
        if not (row.size and row.seconds and row.peer_seconds and row.peer):
            continue
        if row.size not in [size for size, _ in lines[OURS]]:
            lines[OURS].append((row.size, row.seconds / row.size * 1e9))
        lines.setdefault(row.peer, []).append((row.size, row.peer_seconds / row.size * 1e9))
    return {name: points for name, points in lines.items() if points}


def _panel(title: str, lines: Mapping[str, list[tuple[int, float]]], axes: tuple[str, str]) -> list[str]:
    points = [point for line in lines.values() for point in line]
    if not points:
        return []
    least, most = (log2(end(size for size, _ in points)) for end in (min, max))
    low, high = (log10(end(cost for _, cost in points)) for end in (min, max))
    low, high = low - 0.1, high + 0.1

    def x(size: float) -> float:
        return LEFT + (log2(size) - least) / max(most - least, 1) * (WIDTH - LEFT - RIGHT)

    def y(cost: float) -> float:
        return TOP + (high - log10(cost)) / (high - low) * (HEIGHT - TOP - BOTTOM)

    bottom = HEIGHT - BOTTOM
    drawn = [f'<text x="{LEFT}" y="20" font-weight="bold">{title}</text>']
    costs = [digit * 10.0**exponent for exponent in range(-2, 4) for digit in (1, 2, 5)]
    drawn += [
        f'<path d="M{LEFT} {y(cost):.1f}H{WIDTH - RIGHT}" stroke="currentColor" stroke-opacity="0.15"/>'
        f'<text x="{LEFT - 8}" y="{y(cost) + 4:.1f}" text-anchor="end">{cost:g}</text>'
        for cost in costs
        if low <= log10(cost) <= high
    ]
    drawn += [
        f'<text x="{x(size):.1f}" y="{bottom + 18}" text-anchor="middle">'
        f'2<tspan dy="-5" font-size="10">{log2(size):.0f}</tspan></text>'
        for size in sorted({size for size, _ in points})
    ]
    drawn.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{bottom + 36}" text-anchor="middle">{axes[0]}</text>')
    drawn.append(
        f'<text transform="translate(16 {(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">{axes[1]}</text>'
    )
    names = sorted(lines, key=lambda name: y(lines[name][-1][1]))
    places: dict[str, float] = {}
    for name in names:  # labels stand where the lines end, and never closer than a line of text
        places[name] = max(y(lines[name][-1][1]) + 4, max(places.values(), default=0.0) + 16)
    for (name, line), colour in zip(lines.items(), _COLOURS, strict=False):
        path = " ".join(f"{'L' if i else 'M'}{x(size):.1f} {y(cost):.1f}" for i, (size, cost) in enumerate(line))
        dots = "".join(f'<circle cx="{x(size):.1f}" cy="{y(cost):.1f}" r="3"/>' for size, cost in line)
        drawn.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/><g fill="{colour}">{dots}</g>')
        drawn.append(f'<text x="{WIDTH - RIGHT + 8}" y="{places[name]:.1f}" fill="{colour}">{name}</text>')
    return drawn

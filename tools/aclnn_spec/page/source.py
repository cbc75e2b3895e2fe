"""A page's text, read with limits; a flattened one, all on one line, is unfolded again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from aclnn_spec.page.unfold import unfold
from aclnn_spec.spec.errors import InputError

MOST_BYTES = 1024 * 1024
MOST_LINES = 20_000
"""No page is near these: most have some hundred lines and some ten kilobytes."""
_FLAT_LINE = 1000
_FRONT_MATTER = re.compile(r"---\s*$")


@dataclass(frozen=True, kw_only=True)
class Source:
    """A page's lines, the first one numbered 1, and how to say a place in the file that was given."""

    path: str
    lines: tuple[str, ...]
    columns: tuple[int, ...] = ()
    """Of a flattened page: where each line begins in the one line of the file, counted from 1."""

    @property
    def flattened(self) -> bool:
        """Whether the page stood on one line."""
        return bool(self.columns)

    def place(self, line: int) -> tuple[int, int]:
        """Line and column, both counted from 1, in the file that was given."""
        if not self.columns:
            return line, 1
        return 1, self.columns[min(line, len(self.columns)) - 1]

    def at(self, line: int) -> str:
        """The place as people read it: `12`, or `1:3456` on a flattened page."""
        number, column = self.place(line)
        return f"{number}:{column}" if self.columns else str(number)


def read_source(path: Path) -> Source:
    """Read a page; InputError for one that is missing, too large, empty, binary or not UTF-8."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: found {error.strerror or error}, expected a readable file") from None
    return source_from(data, str(path))


def source_from(data: bytes, path: str) -> Source:
    """Make a source of a page's bytes; InputError for those that are no page's."""
    if len(data) > MOST_BYTES:
        raise InputError(f"{path}: found more than {MOST_BYTES:,} bytes, expected a page, which has far fewer")
    if b"\0" in data:
        raise InputError(f"{path}: found the byte 0x00 at {data.index(0)}, expected text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: found the byte {data[error.start]:#04x} at {error.start}, expected UTF-8") from None
    if not text.strip():
        raise InputError(f"{path}: found nothing, expected a page")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > MOST_LINES:
        raise InputError(f"{path}: found {len(lines):,} lines, expected a page of at most {MOST_LINES:,}")
    if _is_flat(lines):
        pieces = unfold(lines[0])
        return Source(
            path=path,
            lines=tuple(piece for _, piece in pieces),
            columns=tuple(start + 1 for start, _ in pieces),
        )
    return Source(path=path, lines=_without_front_matter(lines))


def _is_flat(lines: list[str]) -> bool:
    rest = sum(len(line) for line in lines[1:])
    return len(lines[0]) > _FLAT_LINE and rest * 10 < len(lines[0]) and " ## " in lines[0]


def _without_front_matter(lines: list[str]) -> tuple[str, ...]:
    """Blank the lines between a leading `---` and the next one, so that the numbers of the others stay."""
    marks = [i for i, line in enumerate(lines) if _FRONT_MATTER.fullmatch(line)]
    if marks[:1] == [0] and len(marks) > 1 and all(":" in line or not line.strip() for line in lines[1 : marks[1]]):
        return (*[""] * (marks[1] + 1), *lines[marks[1] + 1 :])
    return tuple(lines)

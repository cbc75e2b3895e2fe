"""The few kinds of block that a report is made of, as Markdown for the site and as HTML for a page of its own.

Texts may come from strangers: whatever a block holds is shown as it is and never read as markup.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol
from unicodedata import category

from aclnn_spec.emit.pages.markdown import banner

_BIDI = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Letters that reorder those around them, so that a name could be shown as another."""

_MARKUP = re.compile(
    r"[\\`*\[\]<>&|{}$~^#]|(?<![^\W_])_|_(?![^\W_])|==|:(?=[\w+-]+:)|(?<=\w):(?=//)|^[-+](?=\s)|^\d(?=\d*[.)]\s)"
)
"""What Markdown, or one of the extensions the site may use, gives a meaning to."""

_NOT_IN_BACKTICKS = re.compile(r"[`|\n{}$]|^\s|\s$|^#!|^$")


class Code(str):
    """A text that is code: a name, an id, a digest."""

    __slots__ = ()


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link; a page of its own, which has no neighbours, shows its text alone."""

    text: str
    to: str


Inline = str | Link
Line = Inline | tuple[Inline, ...]
"""A text, code or link, or several one after another."""


class Block(Protocol):
    """A part of a page, one below the other."""

    def markdown(self) -> str:
        """The block in a Markdown file, without the blank lines around it."""

    def html(self) -> str:
        """The block in a page of its own."""


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading with the anchor that both languages share; level 1 is the page's title."""

    level: int
    text: str
    anchor: str = ""

    def markdown(self) -> str:
        anchor = f" {{#{self.anchor}}}" if self.anchor else ""
        return f"{'#' * self.level} {markdown_of(self.text)}{anchor}"

    def html(self) -> str:
        anchor = f' id="{html.escape(self.anchor)}"' if self.anchor else ""
        return f"<h{self.level}{anchor}>{html_of(self.text)}</h{self.level}>"


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """A paragraph; `mark` is a class of the style sheet."""

    line: Line
    mark: str = ""

    def markdown(self) -> str:
        return markdown_of(self.line)

    def html(self) -> str:
        mark = f' class="{html.escape(self.mark)}"' if self.mark else ""
        return f"<p{mark}>{html_of(self.line)}</p>"


@dataclass(frozen=True, kw_only=True)
class Bullets:
    """A list."""

    lines: tuple[Line, ...]

    def markdown(self) -> str:
        return "\n".join(f"- {markdown_of(line)}" for line in self.lines)

    def html(self) -> str:
        return "<ul>" + "".join(f"<li>{html_of(line)}</li>" for line in self.lines) + "</ul>"


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table whose first column names its rows; `marks` gives cells, by row and column, a class."""

    head: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]
    numbers: bool = False
    """Whether every column but the first is of numbers, and stands to the right."""
    marks: tuple[tuple[str, ...], ...] = ()

    def markdown(self) -> str:
        rule = ["---", *["--:" if self.numbers else "---"] * (len(self.head) - 1)]
        lines = [map(markdown_of, self.head), rule, *(map(markdown_of, row) for row in self.rows)]
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)

    def html(self) -> str:
        head = "".join(f'<th scope="col">{html_of(cell)}</th>' for cell in self.head)
        rows = "\n".join(f"<tr>{self._row(i, row)}</tr>" for i, row in enumerate(self.rows))
        kind = ' class="numbers"' if self.numbers else ""
        table = f"<table{kind}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
        return f'<div class="wide" tabindex="0">{table}</div>'

    def _row(self, i: int, row: Sequence[Line]) -> str:
        first = f'<th scope="row">{html_of(row[0])}</th>'
        return first + "".join(self._cell(i, j, cell) for j, cell in enumerate(row[1:], 1))

    def _cell(self, i: int, j: int, cell: Line) -> str:
        mark = self.marks[i][j] if self.marks else ""
        kind = f' class="{html.escape(mark)}"' if mark else ""
        return f"<td{kind}>{html_of(cell)}</td>"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A drawing: SVG of this package's own making, which has escaped its texts."""

    svg: str

    def markdown(self) -> str:
        return f"<figure>{self.svg}</figure>"

    def html(self) -> str:
        return f"<figure>{self.svg}</figure>"


@dataclass(frozen=True, kw_only=True)
class Story:
    """A long text under one line of summary, closed until it is asked for."""

    summary: str
    text: str

    def markdown(self) -> str:
        # No line may be blank: Markdown would take up again there. Letters with a meaning stay entities for the
        # extensions that look into HTML.
        lines = [line or "&#32;" for line in _entities(visible(self.text)).split("\n")]
        return "\n".join(
            [
                "<details>",
                f"<summary><code>{_entities(visible(self.summary))}</code></summary>",
                f"<pre>{lines[0]}",
                *lines[1:],
                "</pre>",
                "</details>",
            ]
        )

    def html(self) -> str:
        summary, text = (html.escape(visible(each)) for each in (self.summary, self.text))
        return f"<details>\n<summary><code>{summary}</code></summary>\n<pre>{text}</pre>\n</details>"


@dataclass(frozen=True, kw_only=True)
class Commands:
    """Lines for a shell."""

    lines: tuple[str, ...]

    def markdown(self) -> str:
        return "\n".join(["```sh", *map(visible, self.lines), "```"])

    def html(self) -> str:
        return "<pre><code>" + html.escape(visible("\n".join(self.lines))) + "</code></pre>"


def markdown_page(title: str, blocks: Iterable[Block], source: str) -> str:
    """A generated Markdown file; `blocks` begin with the title's heading, `source` is what they were made from.

    As on every generated page, the front matter gives the title, for MkDocs does not take it from the heading.
    """
    front = f"---\ntitle: {json.dumps(visible(title), ensure_ascii=False)}\n---\n"
    return front + "\n\n".join([banner(source), *(block.markdown() for block in blocks)]) + "\n"


def markdown_of(line: Line) -> str:
    """A line of text in Markdown, on one line whatever it holds."""
    if isinstance(line, tuple):
        return "".join(map(markdown_of, line))
    if isinstance(line, Link):
        return f"[{markdown_of(line.text)}]({line.to})"
    text = visible(line)
    if isinstance(line, Code) and not _NOT_IN_BACKTICKS.search(text):
        return f"`{text}`"
    entities = _entities(text).replace("\n", "<br>")
    return f"<code>{entities}</code>" if isinstance(line, Code) else entities


def html_of(line: Line) -> str:
    """A line of text in HTML."""
    if isinstance(line, tuple):
        return "".join(map(html_of, line))
    if isinstance(line, Link):
        return html_of(line.text)
    text = html.escape(visible(line)).replace("\n", "<br>")
    return f"<code>{text}</code>" if isinstance(line, Code) else text


def visible(text: str) -> str:
    """The text with every letter that cannot be seen, or that reorders others, written as its escape."""
    return "".join(map(_seen, text))


def _seen(letter: str) -> str:
    if letter in "\n\t":
        return letter
    return f"\\u{ord(letter):04x}" if category(letter) in ("Cc", "Cs") or letter in _BIDI else letter


def _entities(text: str) -> str:
    return _MARKUP.sub(lambda found: "".join(f"&#{ord(each)};" for each in found[0]), text)

"""How generated pages are put together: first line, headings, tables and code, the same in both languages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from aclnn_spec.emit.text import MARK

LANGUAGES = ("zh", "en")


def banner(source: str) -> str:
    """The line that a generated page begins with; `source` is a path in the repository."""
    return f"<!-- generated from {source} {MARK.rstrip('.')} -->"


def page(source: str, title: str, blocks: Iterable[str], *, wide: bool = False) -> str:
    """A page: its banner, its title, and its blocks with a blank line between every two.

    MkDocs takes no title from a heading that follows a comment, so the front matter gives it once more.
    A `wide` page has no table of contents beside it.
    """
    hidden = "\nhide: [toc]" if wide else ""
    front = f"---\ntitle: {json.dumps(title, ensure_ascii=False)}{hidden}\n---"
    body = "\n\n".join([banner(source), f"# {title}", *(block for block in blocks if block)])
    return f"{front}\n{body}\n"


def heading(text: str, anchor: str, level: int = 2) -> str:
    """A heading with an anchor that is the same in both languages."""
    return f"{'#' * level} {text} {{#{anchor}}}"


def prose(text: str) -> str:
    """Text of the spec, so that no letter of it is taken for markup."""
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), ("|", "&#124;"), ("*", "&#42;"), ("`", "&#96;")):
        text = text.replace(letter, entity)
    return text


def code(text: object) -> str:
    """A name or a value in the type of code; safe in a table."""
    return f"`{text}`" if "|" not in str(text) else f"<code>{prose(str(text))}</code>"


def codes(values: Iterable[object], between: str = ", ") -> str:
    """Several of these."""
    return between.join(map(code, values))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; cells are Markdown."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(str(cell).replace("\n", " ") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def bullets(items: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {item}" for item in items)


def fence(text: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"

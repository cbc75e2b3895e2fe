"""Words out of Markdown and HTML, and the small questions that are asked of them."""

from __future__ import annotations

import html
import re

from aclnn_spec.spec.errors import InputError

TAGS = (
    "a|b|big|blockquote|br|caption|center|code|col|colgroup|del|details|div|em|font|h[1-6]|hr|i|img|kbd|li|ol|p|pre|s"
    "|small|span|strike|strong|style|sub|summary|sup|table|tbody|td|term|tfoot|th|thead|tr|tt|u|ul"
)
"""The names of tags that pages use; a `<` before anything else is the sign for less."""
NOT_A_TAG = re.compile(rf"<(?!/?(?:{TAGS})(?=[\s/>])|!--)", re.IGNORECASE)
LONGEST_TEXT = 10_000
"""Characters of a paragraph or a cell; those of real pages have a few hundred."""
_BREAK = re.compile(r"<(?:br|li|/li|p|/p|/div|/tr)\b[^>]*>", re.IGNORECASE)
_RAISED = re.compile(r"<sup\b[^>]*>(.*?)</sup>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(rf"</?(?:{TAGS})\b[^>]*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", re.DOTALL)
_BETWEEN = re.compile(r"(?<=[A-Za-z0-9])\ue000+(?=[A-Za-z0-9])", re.ASCII)
SEAM = "\ue000"
"""Stands where markup was, until it is known whether it kept two words apart."""
_INVISIBLE = str.maketrans("", "", "\u200b\u200c\u200d\u2060\ufeff")
_BLANKS = re.compile(r"[ \t\u00a0\u3000]+")
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_DASHES = frozenset("-–—－−/")


def limited(markup: str, path: str, line: int) -> str:
    """The same text; InputError for one that is too long to be a paragraph or a cell."""
    if len(markup) > LONGEST_TEXT:
        found = f"found {len(markup):,} characters in one paragraph or cell"
        raise InputError(f"{path}:{line}: {found}, expected at most {LONGEST_TEXT:,}")
    return markup


def plain(markup: str) -> str:
    """Markdown or HTML as plain text: breaks and list items on lines of their own, a raised `1` as `^1`."""
    text = NOT_A_TAG.sub("&lt;", markup)
    text = _BREAK.sub("\n", text)
    text = _RAISED.sub(r"^\1", text)
    text = _TAG.sub(SEAM, text)
    text = _LINK.sub(rf"{SEAM}\1{SEAM}", text)
    text = _STRONG.sub(r"\1", text)
    text = _ESCAPE.sub(r"\1", text.replace("`", ""))
    return tidy(without_seams(html.unescape(text)))


def without_seams(text: str) -> str:
    """A blank where two words would have grown together, nothing elsewhere."""
    return _BETWEEN.sub(" ", text).replace(SEAM, "")


def tidy(text: str) -> str:
    """Without invisible characters, doubled blanks and blank lines."""
    lines = (_BLANKS.sub(" ", line).strip() for line in text.translate(_INVISIBLE).splitlines())
    return "\n".join(line for line in lines if line)


def squeeze(text: str) -> str:
    """In lower case and without any blank, to compare headings and names of columns and products by."""
    return "".join(text.translate(_INVISIBLE).split()).casefold()


def words(text: str) -> list[str]:
    """The identifiers in a text, in order."""
    return _WORD.findall(text)


def is_blank(cell: str) -> bool:
    """Whether a cell says that there is nothing to say: empty, or a dash."""
    return not cell.strip() or set(cell.strip()) <= _DASHES


def same_name(name: str) -> str:
    """What two spellings of one name have in common: letters and digits."""
    return name.replace("_", "").casefold()

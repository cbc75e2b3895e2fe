"""Rules on links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.model import Link, Page
from aclnn_spec.page.vocabulary import Vocabulary

_ABSOLUTE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|/)", re.IGNORECASE)
_ON_DEDUCTION = re.compile(
    r"推导规则\s*[（(]?\s*(?:请?参[见考照]|详见|见)?\s*$|deduction rules?\s*\(?(?:see\s*)?$", re.IGNORECASE
)
_CASTING = "conversion_relationship"
_ID = re.compile(r"<a\b[^>]*\b(?:id|name)\s*=\s*[\"']([^\"']+)[\"']|\bid=[\"']([^\"']+)[\"']", re.IGNORECASE)


def deduction(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Words on type deduction lead to the page on it."""
    wrong = [link for link in page.links if _CASTING in link.target and _ON_DEDUCTION.search(link.before)]
    if wrong:
        yield finding("P517", wrong[0].line, count=len(wrong))


def anchors(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Anchors within the page exist."""
    here = {_slug(heading.text) for heading in page.headings}
    here |= {_slug(one or other) for line in page.source.lines for one, other in _ID.findall(line)}
    for link in page.links:
        if link.target.startswith("#") and link.target != "#" and _slug(unquote(link.target[1:])) not in here:
            yield finding("P702", link.line, target=link.target)


def _slug(text: str) -> str:
    """What all ways to make an anchor of a heading agree on: its letters and digits."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def depths(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Links into one folder go up by the same number of folders."""
    usual: dict[str, Link] = {}
    ways = Counter(target for link in page.links if (target := _relative(link)))
    for link in sorted(page.links, key=lambda link: -ways[_relative(link)]):
        target = _relative(link)
        inner = target.lstrip("./")
        folder = inner.rpartition("/")[0]
        if not folder:
            continue
        other = usual.setdefault(folder if "/" in folder else inner, link)
        if target.count("../") != _relative(other).count("../"):
            yield finding("P703", link.line, target=target, other=_relative(other))


def _relative(link: Link) -> str:
    """The file that a link leads to, empty for one that is no relative link."""
    target = unquote(link.target.partition("#")[0].partition("?")[0])
    return "" if _ABSOLUTE.match(target) else target


def dead(page: Page, *, whole_tree: bool) -> Iterator[Finding]:
    """Relative links lead to files that exist.

    Unless the whole tree is said to be there, a link counts only if the first folder it names on its way exists:
    of a page that was copied on its own nothing can be said.
    """
    folder = Path(page.source.path).resolve().parent
    for link in page.links:
        target = _relative(link)
        if not target:
            continue
        path = folder / target
        if not (whole_tree or _tree_is_there(folder, target)):
            continue
        try:
            there = path.exists()
        except OSError:  # a name too long to be one
            there = False
        if not there:
            yield finding("P701", link.line, target=link.target)


def _tree_is_there(folder: Path, target: str) -> bool:
    """Whether the first folder that a target names, after going up, is there; a file beside the page tells nothing."""
    parts = [part for part in target.split("/") if part not in ("", ".")]
    ups = sum(part == ".." for part in parts)
    inner = [part for part in parts if part != ".."]
    if len(inner) < 2 or ups > len(folder.parts):  # noqa: PLR2004  # a folder and a file
        return False
    return folder.joinpath(*[".."] * ups, inner[0]).is_dir()

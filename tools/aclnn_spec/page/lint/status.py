"""Rules on status codes: each name is one of the API's, and its number is its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.model import Page
from aclnn_spec.page.vocabulary import Vocabulary

_STATUS = re.compile(r"\bACLNN_(?:ERR|SUCCESS)\w*", re.ASCII)
_PAIR = re.compile(
    r"(?P<name>ACLNN_(?:ERR|SUCCESS)\w*)\s*[（(]\s*(?P<number>\d+)\s*[)）]"
    r"|(?P<number2>\d{6})\s*[（(]\s*(?P<name2>ACLNN_(?:ERR|SUCCESS)\w*)\s*[)）]",
    re.ASCII,
)


def status(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Names and numbers of status codes, in error rows and in prose."""
    known = vocabulary.tables.status_codes
    seen: set[tuple[str | None, int | None]] = set()
    pairs: list[tuple[str | None, int | None, int]] = [
        (row.name, row.number, row.line) for phase in page.phases for row in phase.errors if not row.inherited
    ]
    for block in page.blocks:
        if block.kind not in ("paragraph", "html"):
            continue
        pairs += [
            (found["name"] or found["name2"], int(found["number"] or found["number2"]), block.line)
            for found in _PAIR.finditer(block.text)
        ]
        pairs += [(name, None, block.line) for name in _STATUS.findall(_PAIR.sub(" ", block.text))]
    for name, number, line in pairs:
        if (name, number) in seen:
            continue
        seen.add((name, number))
        if name is not None and name not in known:
            yield _unknown_name(name, line, vocabulary)
        if number is not None and number not in known.values():
            yield finding("P402", line, number=number)
        elif name is not None and number is not None and name in known and known[name] != number:
            yield finding("P403", line, name=name, number=number, expected=int(known[name]))


def _unknown_name(name: str, line: int, vocabulary: Vocabulary) -> Finding:
    for code in vocabulary.tables.status_codes.values():
        if name in code.deprecated_spellings:
            return finding("P404", line, name=name, expected=code.name)
    return finding("P401", line, name=name)

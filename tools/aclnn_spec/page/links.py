"""The links of a page, in Markdown and in HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aclnn_spec.page.blocks import Document
from aclnn_spec.page.model import Link
from aclnn_spec.page.source import Source
from aclnn_spec.page.text import plain

_MARKDOWN = re.compile(
    r"(?<!\\)\[(?P<text>[^\]\[\n]*)\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
)
_HTML = re.compile(
    r"<a\b[^>]*?\bhref\s*=\s*(?P<quote>[\"'])(?P<target>.*?)(?P=quote)[^>]*>(?P<text>.*?)</a>", re.IGNORECASE
)
_CODE_SPAN = re.compile(r"`[^`\n]+`")


def links_of(document: Document, source: Source) -> Iterator[Link]:
    """All links outside code, in order of lines."""
    code = {line for r in document.regions if r.kind == "fence" for line in range(r.first, r.last + 1)}
    for number, line in enumerate(source.lines, start=1):
        if number in code or ("](" not in line and "href" not in line):
            continue
        bare = _CODE_SPAN.sub(lambda found: " " * len(found[0]), line)
        for found in sorted([*_MARKDOWN.finditer(bare), *_HTML.finditer(line)], key=lambda m: m.start()):
            before = plain(line[max(0, found.start() - 200) : found.start()])
            yield Link(target=found["target"], text=plain(found["text"]), before=before, line=number)

"""A page's blocks by section: what each is about, and which function's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from aclnn_spec.page.blocks import Block
from aclnn_spec.page.words import label_of, topic_of

_PHASE = re.compile(r"^(?:\d+[.、]?\s*)?(?P<name>aclnn[A-Za-z]\w*)(?:\s*(?:接口|函数))?$", re.ASCII)
_LONGEST_LABEL = 16


@dataclass(frozen=True, kw_only=True)
class Section:
    """Blocks that one heading or label stands above; `phase` is the function whose section it is in."""

    topic: str | None
    phase: str | None
    heading: Block | None
    blocks: tuple[Block, ...]
    label: Block | None = None


def sections_of(blocks: Iterable[Block]) -> list[Section]:
    """Cut a page at its headings, and a function's section at its labels (`**参数说明：**`)."""
    sections: list[Section] = []
    topic: str | None = None
    phase: str | None = None
    outer: str | None = None
    heading: Block | None = None
    label: Block | None = None
    content: list[Block] = []

    def close() -> None:
        sections.append(Section(topic=topic, phase=phase, heading=heading, blocks=tuple(content), label=label))
        content.clear()

    for block in blocks:
        if block.kind == "heading":
            close()
            found = _PHASE.match(block.text) if block.level > 1 else None
            inner = topic_of(block.text)
            if found is not None:
                topic, phase, outer = "phase", found["name"], None
            elif block.level <= 2:  # noqa: PLR2004  # headings of sections
                topic, phase, outer = inner, None, inner
            elif phase is not None:
                topic = inner or topic
            else:
                topic = outer if outer == "example" else inner or outer
            heading, label = block, None
            continue
        inner = _label(block) if phase is not None else None
        if inner is not None:
            close()
            topic, label = inner, block
            rest = block.text.partition("\n")[2]
            if rest:
                content.append(block)
            continue
        content.append(block)
    close()
    return sections


def _label(block: Block) -> str | None:
    """The topic that a short line on its own opens."""
    if block.kind not in ("paragraph", "html"):
        return None
    text = label_of(block.text.partition("\n")[0])
    if len(text) > _LONGEST_LABEL:
        return None
    topic = topic_of(text)
    return topic if topic in ("parameters", "returns", "constraints", "example", "prototypes") else None

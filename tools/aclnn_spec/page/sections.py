"""A page's blocks by section: what each is about, and which function's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from aclnn_spec.page.blocks import Block
from aclnn_spec.page.text import same_name
from aclnn_spec.page.words import label_of, topic_of

_PHASE = re.compile(r"^(?:\d+[.、]?\s*)?(?P<name>aclnn[A-Za-z]\w*)(?:\s*(?:接口|函数))?$", re.ASCII)
_FUNCTION = re.compile(r"aclnn[A-Za-z]\w*", re.ASCII)
_LATIN = re.compile(r"\w+", re.ASCII)
_SIZE = "workspacesize"
_LONGEST_LABEL = 16
_ALIKE = 0.85
_LONGEST_HEADING = 200


@dataclass(frozen=True, kw_only=True)
class Section:
    """Blocks that one heading or label stands above; `phase` is the function whose section it is in."""

    topic: str | None
    phase: str | None
    heading: Block | None
    blocks: tuple[Block, ...]
    label: Block | None = None


def sections_of(blocks: Collection[Block], functions: Collection[str] = ()) -> list[Section]:
    """Cut a page at its headings, and a function's section at its labels (`**参数说明：**`).

    `functions` are those that the page declares: a misspelt heading opens the section of the one that it is meant for.
    """
    headings = [block.text for block in blocks if block.kind == "heading"]
    homeless = [name for name in functions if not any(name in functions_in(text) for text in headings)]
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
            function = _function(block, functions, homeless)
            inner = topic_of(block.text)
            if function is not None:
                topic, phase, outer = "phase", function, None
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


def functions_in(text: str) -> list[str]:
    """The aclnn functions that a heading names."""
    return _FUNCTION.findall(text)


def _function(block: Block, functions: Collection[str], homeless: Collection[str]) -> str | None:
    """The function whose section a heading opens."""
    if block.level == 1:
        return None
    found = _PHASE.match(block.text)
    if found is not None and found["name"] in functions:
        return found["name"]
    meant = meant_for(block.text, functions)
    return meant if meant in homeless else found["name"] if found is not None else None


def meant_for(heading: str, functions: Iterable[str]) -> str | None:
    """The function that a misspelt heading is meant for: one of the same phase, of nearly the same letters."""
    found = same_name("".join(_LATIN.findall(heading[:_LONGEST_HEADING])))
    if not found.startswith("acl"):
        return None
    names = {same_name(name): name for name in functions if same_name(name).endswith(_SIZE) == found.endswith(_SIZE)}
    alike = get_close_matches(found, names, n=1, cutoff=_ALIKE)
    return names[alike[0]] if alike else None


def _label(block: Block) -> str | None:
    """The topic that a short line on its own opens."""
    if block.kind not in ("paragraph", "html"):
        return None
    text = label_of(block.text.partition("\n")[0])
    if len(text) > _LONGEST_LABEL:
        return None
    topic = topic_of(text)
    return topic if topic in ("parameters", "returns", "constraints", "example", "prototypes") else None

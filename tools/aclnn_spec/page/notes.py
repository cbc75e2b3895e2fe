"""What a page says of some products only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aclnn_spec.page.blocks import Block
from aclnn_spec.page.model import Note
from aclnn_spec.page.sections import Section
from aclnn_spec.page.vocabulary import Vocabulary


def products_of(tags: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    """The products that a comment's marks stand for."""
    ids = {vocabulary.tags[tag] for tag in tags if tag in vocabulary.tags}
    return tuple(product for product in vocabulary.tables.products if product in ids)


def read_notes(sections: Sequence[Section], vocabulary: Vocabulary) -> Iterator[Note]:
    """What is said of some products only, with what hangs below it."""
    for section in sections:
        if section.topic == "products":
            continue
        blocks = section.blocks
        for i, block in enumerate(blocks):
            if block.kind not in ("paragraph", "html"):
                continue
            products, rest = vocabulary.leading_products(block.text)
            if not products:
                continue
            below = below_note(blocks, i, vocabulary)
            texts = [rest, *(each.table.text if each.table else each.text for each in below)]
            yield Note(
                products=products,
                text="\n".join(text for text in texts if text),
                line=block.line,
                topic=section.topic or "",
                phase=section.phase,
                tags=block.tags,
            )


def below_note(blocks: Sequence[Block], i: int, vocabulary: Vocabulary) -> list[Block]:
    """The blocks that belong to the note which block `i` begins: those deeper, or within the same comment."""
    head = blocks[i]
    below: list[Block] = []
    for block in blocks[i + 1 :]:
        same = block.depth > head.depth or (block.tags == head.tags and head.tags and not block.item)
        if not same or vocabulary.leading_products(block.text)[0]:
            break
        below.append(block)
    return below

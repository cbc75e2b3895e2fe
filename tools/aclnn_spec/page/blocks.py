"""A page as a flat list of blocks in order: headings, paragraphs, list items, tables, fences, formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from aclnn_spec.page.pipes import pipe_table
from aclnn_spec.page.regions import PLACEHOLDER, Region, masked, regions_of
from aclnn_spec.page.source import Source
from aclnn_spec.page.tables import Table, html_table
from aclnn_spec.page.text import limited, plain

_NPU = re.compile(r"\s*npu=\"(?P<tags>[^\"]*)\"\s*(?P<id>\S*)")
_END = re.compile(r"\s*end\s+(?P<id>\S+)")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A piece of a page.

    `kind` is heading, paragraph, table, fence, formula or html. `text` is plain, `markup` as written. `depth` counts
    the lists around it and `item` tells whether it is the first block of a list item. `tags` are the chips that a
    comment around it names (`npu="910b"`).
    """

    kind: str
    line: int
    text: str
    markup: str = ""
    level: int = 0
    depth: int = 0
    item: bool = False
    tags: tuple[str, ...] = ()
    table: Table | None = None
    region: Region | None = None


@dataclass(frozen=True, kw_only=True)
class Document:
    """All blocks of a page, its regions, and the lines of product comments that are not closed."""

    blocks: tuple[Block, ...]
    regions: tuple[Region, ...]
    open_comments: tuple[int, ...]


def read_blocks(source: Source) -> Document:
    """Parse a page's Markdown."""
    regions = regions_of(source.lines)
    parser = MarkdownIt("commonmark").enable("table").disable(["code", "lheading", "inline"])
    walk = _Walk(source=source, regions=regions)
    blocks = tuple(walk.blocks(parser.parse(masked(source.lines, regions))))
    return Document(blocks=blocks, regions=tuple(regions), open_comments=tuple(line for line, _, _ in walk.scopes))


class _Walk:
    """Goes through the parser's tokens and keeps what surrounds them: lists, and comments that name chips."""

    def __init__(self, *, source: Source, regions: list[Region]) -> None:
        self.source = source
        self.regions = regions
        self.scopes: list[tuple[int, str, tuple[str, ...]]] = []
        self.depth = 0
        self.fresh_item = False

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tag for _, _, tags in self.scopes for tag in tags))

    def blocks(self, tokens: list[Token]) -> Iterator[Block]:
        """Give the blocks of a token list."""
        i = 0
        while i < len(tokens):
            token = tokens[i]
            if token.type in ("bullet_list_open", "ordered_list_open"):
                self.depth += 1
            elif token.type in ("bullet_list_close", "ordered_list_close"):
                self.depth -= 1
            elif token.type == "list_item_open":
                self.fresh_item = True
            elif token.type == "list_item_close":
                self.fresh_item = False
            elif token.type == "table_open" and token.map:
                first, last = token.map
                table = pipe_table(self.source.lines[first:last], first + 1, self.source.path)
                text = "\n".join(self.source.lines[first:last])
                yield self._block(Block(kind="table", line=first + 1, text=text, table=table))
                while tokens[i].type != "table_close":
                    i += 1
            elif token.type == "html_block" and token.map:
                yield from self._html(token.content, token.map[0] + 1)
            elif token.type == "inline" and token.map:
                yield from self._inline(tokens[i - 1], token)
            i += 1

    def _block(self, block: Block) -> Block:
        item, self.fresh_item = self.fresh_item, False
        return replace(block, depth=self.depth, item=item, tags=block.tags or self.tags)

    def _inline(self, parent: Token, token: Token) -> Iterator[Block]:
        line = (token.map or [0])[0] + 1
        if parent.type == "heading_open":
            level = int(parent.tag[1])
            yield self._block(Block(kind="heading", line=line, text=plain(token.content), level=level))
            return
        yield from self._html(token.content, line, kind="paragraph")

    def _html(self, content: str, line: int, kind: str = "html") -> Iterator[Block]:
        """Comments and regions among words."""
        start = 0
        while (begin := content.find("<!--", start)) >= 0 and (end := content.find("-->", begin + 4)) >= 0:
            yield from self._words(content[start:begin], line + content.count("\n", 0, start), kind)
            start = end + 3
            placeholder = PLACEHOLDER.fullmatch(content[begin:start])
            if placeholder is not None and int(placeholder["number"]) < len(self.regions):
                yield self._block(_region(self.regions[int(placeholder["number"])], self.source.path))
            else:
                self._scope(content[begin + 4 : end], line + content.count("\n", 0, begin))
        yield from self._words(content[start:], line + content.count("\n", 0, start), kind)

    def _words(self, markup: str, line: int, kind: str) -> Iterator[Block]:
        text = plain(limited(markup, self.source.path, line))
        if text:
            line += len(markup[: len(markup) - len(markup.lstrip())].splitlines())
            yield self._block(Block(kind=kind, line=line, text=text, markup=markup.strip()))

    def _scope(self, words: str, line: int) -> None:
        npu, end = _NPU.match(words), _END.match(words)
        if npu is not None:
            tags = tuple(tag for tag in npu["tags"].replace(" ", "").split(",") if tag)
            self.scopes.append((line, npu["id"], tags))
        elif end is not None:
            ids = [name for _, name, _ in self.scopes]
            if end["id"] in ids:
                del self.scopes[len(ids) - 1 - ids[::-1].index(end["id"])]


def _region(region: Region, path: str) -> Block:
    text = "\n".join(region.inner)
    table = html_table(region.inner, region.first, path) if region.kind == "table" else None
    return Block(kind=region.kind, line=region.first, text=text, region=region, table=table)

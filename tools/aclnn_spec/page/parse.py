"""From a page's blocks to what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from aclnn_spec.page import ccode
from aclnn_spec.page.blocks import Block, read_blocks
from aclnn_spec.page.links import links_of
from aclnn_spec.page.model import Example, Heading, Page, ProductRow, Prototype, Remark, Unread
from aclnn_spec.page.notes import read_notes
from aclnn_spec.page.parameters import columns_of
from aclnn_spec.page.phases import read_phases, unread_cells
from aclnn_spec.page.sections import Section, sections_of
from aclnn_spec.page.source import Source, read_source
from aclnn_spec.page.text import is_blank
from aclnn_spec.page.vocabulary import Vocabulary
from aclnn_spec.page.words import mark_of
from aclnn_spec.spec.errors import InputError

_SECTION_LEVEL = 2
_MOST_FUNCTIONS = 64
_MOST_PARAMETERS = 300
_MOST_SECTIONS = 1000
_C_LANGUAGES = frozenset({"c", "cpp", "c++", "cc", "cxx", ""})
_FORMULA = re.compile(r"\$[^$\n]+\$|!\[[^\]]*\]\(|<img\b", re.IGNORECASE)
_EQUATION = re.compile(r"\w[\w()\[\], ]*=[^=]")
_DETERMINISTIC = re.compile(
    r"(?P<names>aclnn[\w&、和 ]{1,200}?)\s*默认(?:为)?\s*(?P<no>非)?确定性"
    r"|(?P<en>aclnn\w+) (?:is (?P<not>not )?|defaults to an? (?P<non>non-?)?)deterministic",
    re.ASCII | re.IGNORECASE,
)


def read_page(path: Path, vocabulary: Vocabulary) -> Page:
    """Parse a page's file; InputError for one that is none."""
    return parse(read_source(path), vocabulary)


def parse(source: Source, vocabulary: Vocabulary) -> Page:
    """Parse a page; InputError for a text that has neither a heading that names an operator nor a prototype."""
    document = read_blocks(source)
    sections = sections_of(document.blocks)
    prototypes = _prototypes(sections)
    title = next((_heading(b) for b in document.blocks if b.kind == "heading" and b.level == 1), None)
    if not prototypes and not any("aclnn" in b.text for b in document.blocks if b.kind == "heading"):
        raise InputError(
            f"{source.path}: found no heading and no prototype of an aclnn function, expected a page of one"
        )
    _check_size(source, prototypes, sections)
    sections = sections_of(document.blocks, [prototype.name for prototype in prototypes])
    names = {name for prototype in prototypes for name in prototype.names}
    phases, notes, unread = read_phases(sections, vocabulary, names)
    notes += read_notes(sections, vocabulary)
    products, odd = _products(sections, vocabulary)
    return Page(
        source=source,
        title=title,
        headings=tuple(_heading(b) for b in document.blocks if b.kind == "heading"),
        products=products,
        prototypes=tuple(prototypes),
        phases=phases,
        summary=_remarks(sections, "function"),
        constraints=_remarks(sections, "constraints"),
        formulas=tuple(_formulas(sections)),
        notes=tuple(sorted(notes, key=lambda note: note.line)),
        examples=tuple(_examples(sections)),
        links=tuple(links_of(document, source)),
        unread=tuple(
            sorted(
                [*odd, *unread, *unread_cells(phases, names), *_unknown_sections(sections), *_no_prototypes(sections)],
                key=lambda u: u.line,
            )
        ),
        blocks=document.blocks,
        open_comments=document.open_comments,
        determinism=_determinism(sections, vocabulary),
    )


def _check_size(source: Source, prototypes: list[Prototype], sections: list[Section]) -> None:
    """InputError for a text that has far more of something than any page."""
    counts = (
        ("functions", len(prototypes), _MOST_FUNCTIONS),
        ("parameters of one function", max((len(p.parameters) for p in prototypes), default=0), _MOST_PARAMETERS),
        ("sections", len(sections), _MOST_SECTIONS),
    )
    for what, found, most in counts:
        if found > most:
            raise InputError(f"{source.path}: found {found:,} {what}, expected at most {most:,}")


def _heading(block: Block) -> Heading:
    return Heading(text=block.text, level=block.level, line=block.line)


def _prototypes(sections: list[Section]) -> list[Prototype]:
    """The functions declared outside the examples, each once."""
    found: dict[str, Prototype] = {}
    for section in sections:
        if section.topic == "example":
            continue
        for block in section.blocks:
            if block.kind == "fence" and block.region:
                code, line = "\n".join(block.region.inner), block.region.inner_line
            elif block.kind in ("paragraph", "html"):
                code, line = block.text, block.line
            else:
                continue
            for prototype in ccode.prototypes(code, line):
                found.setdefault(prototype.name, prototype)
    return list(found.values())


def _products(sections: list[Section], vocabulary: Vocabulary) -> tuple[tuple[ProductRow, ...], list[Unread]]:
    rows: list[ProductRow] = []
    unread: list[Unread] = []
    for section in sections:
        if section.topic != "products":
            continue
        for block in section.blocks:
            if block.table is not None:
                rows += _product_table(block, vocabulary)
            elif block.kind in ("paragraph", "html"):
                for text in block.text.splitlines():
                    row = _product_line(text, block.line, vocabulary)
                    if row is None:
                        unread.append(Unread(what="product", text=text, line=block.line))
                    else:
                        rows.append(row)
    unread += [Unread(what="product", text=row.text, line=row.line) for row in rows if row.unknown or not row.ids]
    return tuple(rows), unread


def _product_table(block: Block, vocabulary: Vocabulary) -> Iterator[ProductRow]:
    table = block.table
    if table is None:
        return
    columns = columns_of(table)
    for row in table.body:
        text = row.text(columns.get("product", 0))
        supported = mark_of(row.text(columns["support"])) if "support" in columns else True
        if not is_blank(text):
            yield _product(text, supported, row.line, vocabulary)


def _product_line(text: str, line: int, vocabulary: Vocabulary) -> ProductRow | None:
    name, _, mark = text.rpartition("：") if "：" in text else text.rpartition(":")
    if not name:
        name, mark = text.rstrip("。. "), "支持"
    ids = vocabulary.products_in(name)
    supported = mark_of(mark)
    if not ids and supported is None:
        return None
    return _product(name.strip(), supported, line, vocabulary)


def _product(text: str, supported: bool | None, line: int, vocabulary: Vocabulary) -> ProductRow:  # noqa: FBT001
    ids, unknown = vocabulary.products_in(text), vocabulary.unknown_product(text)
    return ProductRow(text=text, ids=ids, unknown=unknown, supported=supported, line=line)


def _remarks(sections: list[Section], topic: str) -> tuple[Remark, ...]:
    return tuple(
        Remark(text=block.table.text if block.table else block.text, line=block.line, kind=block.kind)
        for section in sections
        if section.topic == topic
        for block in section.blocks
        if block.kind != "formula" or topic != "function"  # those are told of on their own
    )


def _formulas(sections: list[Section]) -> Iterator[Remark]:
    """Displayed and inline formulas, equations in code, and pictures, wherever the page explains itself."""
    for section in sections:
        if section.topic not in ("function", None):
            continue
        for block in section.blocks:
            if block.kind == "formula":
                yield Remark(text=block.text, line=block.line)
            elif block.kind == "fence" and section.topic == "function":
                if _EQUATION.search(block.text):
                    yield Remark(text=block.text, line=block.line)
            elif section.topic == "function" and (
                _FORMULA.search(block.markup)
                or any(_EQUATION.search(code) for code in re.findall(r"`([^`]+)`", block.markup))
            ):
                yield Remark(text=block.text, line=block.line)


def _examples(sections: list[Section]) -> Iterator[Example]:
    for section in sections:
        if section.topic != "example":
            continue
        for block in section.blocks:
            region = block.region
            if block.kind != "fence" or region is None:
                continue
            language = (region.info.split() or [""])[0]
            code = "\n".join(region.inner)
            is_c = language.casefold() in _C_LANGUAGES
            declared = ccode.prototypes(code, region.inner_line) if is_c else []
            yield Example(
                language=language,
                code=code,
                line=block.line,
                includes=tuple(ccode.includes(code, region.inner_line)) if is_c else (),
                calls=tuple(ccode.calls(code, region.inner_line)) if is_c else (),
                declares=tuple(prototype.name for prototype in declared),
            )


def _determinism(sections: list[Section], vocabulary: Vocabulary) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for section in sections:
        if section.topic != "constraints":
            continue
        for block in section.blocks:
            if vocabulary.leading_products(block.text)[0]:
                continue
            for said in _DETERMINISTIC.finditer(block.text):
                for name in re.findall(r"aclnn\w+", said["names"] or said["en"] or "", re.ASCII):
                    found[name] = not (said["no"] or said["not"] or said["non"])
    return found


def _no_prototypes(sections: list[Section]) -> list[Unread]:
    """Code in the section of prototypes that declares no function."""
    return [
        Unread(what="fence", text=block.text, line=block.line)
        for section in sections
        if section.topic == "prototypes"
        for block in section.blocks
        if block.kind == "fence" and not ccode.prototypes(block.text, block.line)
    ]


def _unknown_sections(sections: list[Section]) -> list[Unread]:
    return [
        Unread(what="section", text=section.heading.text, line=section.heading.line)
        for section in sections
        if section.heading is not None
        and section.topic is None
        and section.phase is None
        and section.heading.level == _SECTION_LEVEL
    ]

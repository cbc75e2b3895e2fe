"""Rules on products: who is supported, and what is said of whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.model import HANDLES, Note, Page, Parameter
from aclnn_spec.page.notes import products_of
from aclnn_spec.page.vocabulary import Vocabulary
from aclnn_spec.spec.model import Text

_ONLY = re.compile(r"仅|只|only", re.IGNORECASE)
_TYPES = re.compile(r"数据类型|dtype|data type", re.IGNORECASE)
_REFUSED = re.compile(r"^(?:暂)?不支持[。.]?$|^not supported\.?$", re.IGNORECASE)
_REFUSES = re.compile(r"不支持|not support", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\^|\[\d+\]|[①-⑩]|\*")


def _name(product: str, vocabulary: Vocabulary) -> Text:
    return vocabulary.tables.products[product].name


def _joined(products: list[str], vocabulary: Vocabulary) -> Text:
    names = [_name(product, vocabulary) for product in products]
    return Text(zh="、".join(name.zh for name in names), en=", ".join(name.en for name in names))


def products(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """The list of products is of known ones, each with one mark."""
    marks: dict[str, bool] = {}
    for row in page.products:
        if row.unknown is not None:
            yield finding("P514", row.line, found=row.unknown)
        for product in row.ids:
            if row.supported is not None and marks.setdefault(product, row.supported) != row.supported:
                yield finding("P515", row.line, product=_name(product, vocabulary))


def notes(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Notes are on supported products, and comments on the products that the text names."""
    supported = page.supported
    seen: set[tuple[str, int]] = set()
    for note in page.notes:
        for product in note.products:
            told = _REFUSED.match(note.text.strip()) is not None
            if supported.get(product) is False and not told and (product, note.line) not in seen:
                seen.add((product, note.line))
                yield finding("P502", note.line, product=_name(product, vocabulary))
        tagged = products_of(note.tags, vocabulary)
        known = all(tag in vocabulary.tags for tag in note.tags)
        known &= not any(line < note.line for line in page.open_comments)  # that one goes on, and adds its own
        if note.tags and known and note.parameter is None and note.products and set(tagged) != set(note.products):
            names = _joined(list(note.products), vocabulary)
            yield finding("P516", note.line, tags=",".join(note.tags), products=names)


def lacking(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """A data type that some chips lack is listed with an exception for them."""
    found: dict[tuple[str, tuple[Parameter, ...]], list[str]] = {}
    for product in vocabulary.tables.products.values():
        for dtype in product.lacks_dtypes if page.supported.get(product.id) else ():
            listing = tuple(_listing(page, dtype, product.id, vocabulary))
            if listing and not _excepted(page, product.id, dtype, vocabulary):
                found.setdefault((dtype, listing), []).append(product.id)
    for (dtype, listing), lack in found.items():
        spelling = next(word.spelling for word in listing[0].dtypes if word.name == dtype)
        names = ", ".join(dict.fromkeys(parameter.name for parameter in listing))
        yield finding("P501", listing[0].line, dtype=spelling, products=_joined(lack, vocabulary), names=names)


def _listing(page: Page, dtype: str, product: str, vocabulary: Vocabulary) -> list[Parameter]:
    """The parameters whose row lists a type without any mark of a footnote, and not for other products alone."""
    return [
        parameter
        for phase in page.phases
        if phase.first
        for parameter in phase.parameters
        if parameter.name not in HANDLES
        and dtype in [word.name for word in parameter.dtypes]
        and not _FOOTNOTE.search(parameter.dtype_text or "")
        and not vocabulary.products_in(parameter.dtype_text or "")
        and (not parameter.tags or product in products_of(parameter.tags, vocabulary))
    ]


def _excepted(page: Page, product: str, dtype: str, vocabulary: Vocabulary) -> bool:
    """Whether the page speaks of the type, or of data types at all, with this product in view."""
    spellings = [re.escape(each) for each in vocabulary.tables.dtypes[dtype].spellings]
    named = re.compile(rf"\b(?:{'|'.join(spellings)})\b", re.IGNORECASE | re.ASCII)
    for note in page.notes:
        told = named.search(note.text) or (_TYPES.search(note.text) and not _refuses(note, vocabulary))
        if product in note.products and told:
            return True
        if _limits(note, named):
            return True
    texts = [remark.text for remark in page.constraints]
    texts += [parameter.text for phase in page.phases for parameter in phase.parameters]
    texts += [block.text for block in page.blocks if block.kind in ("paragraph", "html")]
    for text in texts:
        for line in text.splitlines():
            found = vocabulary.products_in(line) if named.search(line) else ()
            if product in found or (found and _ONLY.search(line)):
                return True
    return False


def _refuses(note: Note, vocabulary: Vocabulary) -> bool:
    """Whether a note withholds types that it names, so that the others stay."""
    return _REFUSES.search(note.text) is not None and any(word.name for word in vocabulary.dtypes(note.text))


def _limits(note: Note, named: re.Pattern[str]) -> bool:
    """Whether a note gives the type to other products only."""
    return bool(note.products) and named.search(note.text) is not None and _ONLY.search(note.text) is not None

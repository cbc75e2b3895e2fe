"""What the spec's tables call the things that pages name: types, formats and products in every spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from aclnn_spec.page.model import DTypeWord
from aclnn_spec.page.text import squeeze
from aclnn_spec.spec.tables import Tables

_TYPE_LIKE = re.compile(
    r"(?:B?FLOAT|FP|BF|HF|U?INT|COMPLEX|DOUBLE|BOOL|HIFLOAT|HALF|STRING|QU?INT)(?:[0-9]\w*)?(?:Array)?", re.IGNORECASE
)
C_TYPE = re.compile(r"(?:const\s+)?(?:u?int\d+_t|acl[A-Z]\w*|void|char|float|double|bool|int|size_t)(?:\s*\*)*")
"""A type of C and of the API's handles, as a cell on data types may repeat it."""
_FORMAT_LIKE = re.compile(r"(?:[NCDHWLZ](?:[0-9CDHWLN]*[NCDHWLZ0-9])?|FRACTAL_\w+|NC1HWC0\w*)")
_FOOTNOTE = re.compile(r"\^\{?[\w*]+\}?|\[\d+\]|[（(]\d{1,2}[)）]|[①-⑩]")
_TOKEN = re.compile(r"[A-Za-z]\w*", re.ASCII)
_KNOWN_ELSEWHERE = re.compile(r"FRACTAL_NZ_C0_\d+|UNDEFINED")
_LISTED = re.compile(r"(?:数据类型)?[仅只]?(?:支持)?[:：]?[\w\s、，,/／;；]*[。.]?", re.ASCII)
_NEAR = 0.8
_MOST_ODD = 4
_CAPITALS = re.compile(r"[A-Z]{2,}\w*", re.ASCII)
_MAKER = re.compile(r"Atlas|Ascend|昇腾", re.IGNORECASE)
_ASIDE = re.compile(r"[（(][^()（）]*[)）]")
_SEPARATORS = r"[\s/／、,，;；和或及]*"


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Spellings, from the spec's tables."""

    tables: Tables
    products: Mapping[str, str]
    """Every name of a product, squeezed, to its id."""
    tags: Mapping[str, str]
    """Every mark of a product in comments (`910b`) to its id."""
    pattern: re.Pattern[str]

    def products_in(self, text: str) -> tuple[str, ...]:
        """The products that a text names, in the table's order."""
        found = {self.products[squeeze(name[0])] for name in self.pattern.finditer(text)}
        return tuple(product for product in self.tables.products if product in found)

    def unknown_product(self, text: str) -> str | None:
        """What is left of a text that names a product which the table lacks."""
        rest = self.pattern.sub("", _ASIDE.sub("", text)).strip(" /／、，,；;：:")
        return rest if _MAKER.search(rest) else None

    def leading_products(self, text: str) -> tuple[tuple[str, ...], str]:
        """The products that a text begins with, and what follows their names and a colon."""
        head = re.match(rf"(?:{_SEPARATORS}(?:{self.pattern.pattern}))+", text, re.IGNORECASE)
        if head is None:
            return (), text
        return self.products_in(head[0]), text[head.end() :].lstrip(" ：:，,。")

    def dtypes(self, text: str) -> tuple[DTypeWord, ...]:
        """The data types in a cell, each once; words that look like one and are none have no name."""
        text = _FOOTNOTE.sub(" ", text)
        tokens = dict.fromkeys(_TOKEN.findall(text))
        known = {token: dtype for token in tokens if (dtype := self.dtype(token)) is not None}
        if _LISTED.fullmatch(text):  # what stands among types, or is nearly one, is meant for one
            odd = [token for token in tokens if token not in known and _CAPITALS.fullmatch(token)]
            near = [token for token in odd[:_MOST_ODD] if get_close_matches(token, self.tables.spellings, cutoff=_NEAR)]
            known |= {token: DTypeWord(spelling=token, name=None) for token in (odd if known else near)}
        return tuple(known[token] for token in tokens if token in known)

    def dtype(self, token: str) -> DTypeWord | None:
        """A word as a data type; None for a word of another kind."""
        known = self.tables.spellings.get(token)
        if known is None and not C_TYPE.fullmatch(token):
            known = self.tables.spellings.get(token.upper())
        if known is not None:
            return DTypeWord(spelling=token, name=known.name)
        if _TYPE_LIKE.fullmatch(token) and not C_TYPE.fullmatch(token):
            return DTypeWord(spelling=token, name=None)
        return None

    def formats(self, text: str) -> tuple[str, ...]:
        """The formats in a cell as they are spelt, those that the table lacks among them."""
        known = self.tables.formats
        tokens = _TOKEN.findall(_FOOTNOTE.sub(" ", text))
        return tuple(dict.fromkeys(t for t in tokens if t.upper() in known or _FORMAT_LIKE.fullmatch(t)))

    def is_format(self, token: str) -> bool:
        """Whether the API has a format of this very name."""
        return token in self.tables.formats or _KNOWN_ELSEWHERE.fullmatch(token) is not None

    def product_name(self, product: str, lang: str) -> str:
        """What the spec calls a product."""
        return self.tables.products[product].name[lang]


def vocabulary_from(tables: Tables) -> Vocabulary:
    """Make a vocabulary of the spec's tables."""
    names = {squeeze(name): product.id for product in tables.products.values() for name in product.page_names}
    spelt = [name for product in tables.products.values() for name in product.page_names]
    alternatives = sorted({_loose(name) for name in spelt}, key=len, reverse=True)
    return Vocabulary(
        tables=tables,
        products=names,
        tags={tag: product.id for product in tables.products.values() for tag in product.page_tags},
        pattern=re.compile("|".join(alternatives), re.IGNORECASE),
    )


def _loose(name: str) -> str:
    """A pattern for a name that lets blanks come and go."""
    return r"\s*".join(re.escape(letter) for letter in "".join(name.split()))

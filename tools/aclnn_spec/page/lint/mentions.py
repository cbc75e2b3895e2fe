"""Finding the parameters that a sentence names.

Not every identifier in a sentence is a parameter: sentences speak of types, shapes, symbols of dimensions and values.
A word counts as a parameter's name where it stands in a list with real ones, or where the sentence tells a property
of it and the word is one that operators call parameters by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aclnn_spec.page.model import HANDLES, Page, Phase, Prototype
from aclnn_spec.page.text import same_name, words
from aclnn_spec.page.vocabulary import Vocabulary

_NAME = r"[A-Za-z_]\w*"
_LIST = re.compile(
    rf"(?<![\w.\-]){_NAME}(?:\[\d+\])?(?:\s*(?:[、，,/&]|以及|或者|和|或|及|与|\band\b|\bor\b)\s*(?:[和或]\s*)?(?:输入|输出)?{_NAME}(?:\[\d+\])?)+",
    re.ASCII,
)
_SUBJECT = re.compile(
    rf"(?<![\w.\-(（\[])(?P<name>{_NAME})(?:\[\d+\])?\s*(?:的|不?为|是)?\s*"
    r"(?:数据类型|dtype|shape|维度|维数|元素|数据格式|空指针|空|类型|等于|不等于|大于|小于|取值)",
    re.ASCII,
)
_COMPARED = re.compile(
    rf"(?:与|和|同|输入|输出|入参|出参)\s*(?P<name>{_NAME})(?=\s*(?:第[零一二三四五六七八\d]|的|保持一致|一致|相同))",
    re.ASCII,
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_SHAPE_LIKE = re.compile(r"[（(\[][\w\s,，*+/.:-]*[)）\]]")
_IN_FORMULA = re.compile(
    r"(?:公式|等式|图)中的?(?:参数|输入|输出|变量)?\s*[`$]?[\w\\{}, 、]+[`$]?|\$[^$\n]+\$", re.ASCII
)
"""Symbols of a formula, which need not be spelt as the parameters are."""
_COMMON = frozenset(
    words(
        "out output outputs self selfRef other input inputs x y grad gradOutput gradInput gradOut weight bias "
        "target result tensor1 tensor2 mask indices index src value alpha beta dim"
    )
)
_WORDS = frozenset(
    words(
        "tensor tensors tensorlist shape shapes dtype dtypes type types format formats rank dim dims size sizes "
        "stride strides offset broadcast cast nullptr null none mean sum true false nan inf device host scalar "
        "list array api npu cpu gpu torch pytorch batch channel height width axis and or not the of is to be with "
        "cube vector kernel tiling element elements data numel reduce matmul softmax transpose reshape view "
        "permute gather scatter concat split clamp round floor ceil abs exp log sqrt relu sigmoid tanh conv pool "
        "norm quant dequant sort topk unsqueeze squeeze token expert head group block page cache loss bit bits "
        "byte bytes len prod align row col int char float double bool string workspace stream max min"
    )
)
_SUFFIXES = ("Optional", "Ref", "Out", "List", "OptionalRef")


def _is_english(name: str) -> bool:
    """Whether a word in an English sentence can be just that: names of parameters are compounds, or well known."""
    return name.islower() and "_" not in name and name not in _COMMON


class Mentions:
    """Tells strangers among the names in sentences on one function."""

    def __init__(self, page: Page, phase: Phase, prototype: Prototype, vocabulary: Vocabulary) -> None:
        self._real = {*prototype.names, *HANDLES}
        self._alike = {same_name(name): name for name in prototype.names}
        self._vocabulary = vocabulary
        self._symbols = _symbols(page, phase)

    def spoken(self, text: str) -> Iterator[tuple[str, str | None]]:
        """Strangers in prose, where fewer words are parameters: those in lists, and those that are compared with."""
        text = _IN_FORMULA.sub(" ", text)
        listed = {token for found in _LIST.finditer(text) for token in re.findall(_NAME, found[0], re.ASCII)}
        listed |= {found["name"] for pattern in (_SUBJECT, _COMPARED) for found in pattern.finditer(text)}
        yield from ((name, meant) for name, meant in self.listed(text) if meant is None or name in listed)
        for found in _COMPARED.finditer(text):
            if found["name"] in _COMMON and self._is_stranger(found["name"]):
                yield found["name"], None

    def strangers(self, text: str) -> Iterator[tuple[str, str | None]]:
        """Names of parameters that the function lacks, each with the parameter that it misspells, if it does."""
        yield from self.listed(text)
        for found in _SUBJECT.finditer(text):
            name = found["name"]
            if self._is_stranger(name) and (name in _COMMON or self._is_short_for(name)):
                yield name, None

    def listed(self, text: str) -> Iterator[tuple[str, str | None]]:
        """Strangers in lists with real parameters, and misspellings of real ones anywhere."""
        for token in re.findall(rf"(?<![\w.\-]){_NAME}", text, re.ASCII):
            meant = self._alike.get(same_name(token))
            if meant is not None and len(token) > 1 and self._is_word(token) and token not in self._symbols:
                yield token, meant
        for found in _LIST.finditer(text):
            names = re.findall(rf"(?<![\w.]){_NAME}", found[0], re.ASCII)
            if self._real.isdisjoint(names):
                continue
            english = _HAN.search(text) is None
            for name in names:
                if self._is_stranger(name) and not (english and _is_english(name)):
                    yield name, None

    def _is_stranger(self, name: str) -> bool:
        return self._is_word(name) and same_name(name) not in self._alike and name not in self._symbols

    def _is_word(self, name: str) -> bool:
        """Whether a word can be a parameter's name at all, and is not real."""
        if name in self._real or name.casefold() in _WORDS or not name[0].islower():
            return False
        if len(name) == 1 and name not in _COMMON:  # the letter of a dimension
            return False
        if name.startswith(("acl", "torch")) or self._vocabulary.dtype(name) is not None:
            return False
        return name.upper() not in self._vocabulary.tables.formats

    def _is_short_for(self, name: str) -> bool:
        return any(real == name + suffix for real in self._real for suffix in _SUFFIXES)


def _symbols(page: Page, phase: Phase) -> set[str]:
    """What the page writes in shapes: `(N, seqLen, headDim)`."""
    texts = [remark.text for remark in (*page.summary, *page.constraints)]
    texts += [note.text for note in page.notes]
    for parameter in phase.parameters:
        texts += [parameter.text, parameter.rank_text or ""]
    texts += [row.text for row in phase.errors]
    names: set[str] = set()
    for shape in _SHAPE_LIKE.findall("\n".join(texts)):
        if "," in shape or "，" in shape or shape.startswith("["):
            names.update(re.findall(_NAME, shape, re.ASCII))
    return names - {"out", "self", "output", "input"}

"""Rules of the spec for what the error rows of a page say, where their words allow it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aclnn_spec.page.facts import ParameterFacts, parameter_facts
from aclnn_spec.page.model import HANDLES, ErrorRow, Page
from aclnn_spec.page.text import same_name
from aclnn_spec.page.vocabulary import Vocabulary

RuleData = dict[str, Any]

_SUFFIXES = ("Optional", "Ref", "Out", "List", "OptionalRef")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)
_OR = re.compile(r"[，,；;]\s*(?:或者?|以及|且|or\b)\s*")
_CONDITION = re.compile(
    r"^(?:当|若|如果|when\b|if\b|with\b)|=\s*\w+\s*时|[为是]\s*[^，。]{1,40}?时", re.IGNORECASE | re.ASCII
)
_NOT_NULL = re.compile(r"不(?:为|是)空指针|not null", re.IGNORECASE | re.ASCII)
_NULL = re.compile(r"空指针|nullptr|\bnull\b", re.IGNORECASE | re.ASCII)
_DEDUCE = re.compile(r"类型推导|互推导|deduc", re.IGNORECASE | re.ASCII)
_DEDUCED = re.compile(r"推导(?:后|出|之后|的结果)|推导后的|deduced type|deduced data type", re.IGNORECASE | re.ASCII)
_CAST = re.compile(r"\bcast\b|转换", re.IGNORECASE | re.ASCII)
_BROADCAST = re.compile(r"broadcast|广播", re.IGNORECASE | re.ASCII)
_BROADCAST_SHAPE = re.compile(
    r"(?:broadcast|广播)\s*后?的?\s*shape|shape[^。]*broadcast to|broadcast shape", re.IGNORECASE | re.ASCII
)
_NOT = re.compile(r"不|无法|非|超|cannot|not\b|none of|differs?|unsupported|more than", re.IGNORECASE | re.ASCII)
_DIFFERS = re.compile(r"不一致|不相同|不同|不匹配|不符合|differs?|is not", re.IGNORECASE | re.ASCII)
_TYPES = re.compile(r"数据类型|dtype|data types?", re.IGNORECASE | re.ASCII)
_SORTS = re.compile(r"类型|浮点|整数|整型|\btypes?\b|\bfloat|integer", re.IGNORECASE)
_IS_NOT = re.compile(r"(?:数据类型|dtype)(?:不是|不为|非)(?P<types>[A-Z0-9_ /、，,或和]+)", re.IGNORECASE)
_FORMATS = re.compile(r"数据格式|format", re.IGNORECASE | re.ASCII)
_OUTSIDE = re.compile(
    r"不在|不支持|不受支持|not (?:one of|among|supported)|unsupported|outside", re.IGNORECASE | re.ASCII
)
_MOST = re.compile(
    r"(?:大于|超过|超出|高于|>)\s*(?P<a>\d)\s*(?:维|D)?|more than (?P<b>\d) dimensions|over (?P<c>\d) dimensions",
    re.IGNORECASE | re.ASCII,
)
_RANK = re.compile(r"维|dimension|rank", re.IGNORECASE | re.ASCII)
_RANGE = re.compile(r"(?:不在|outside)\s*\[?(?P<low>-?\d+)\s*(?:~|～|-|到|至|to|,|，)\s*(?P<high>-?\d+)")
_CHOICE = re.compile(
    r"(?:非|不是|不为|不在|不属于|none of|not one of)\s*`?(?P<values>-?\d+(?:\s*(?:[、，,/]|或|和|or)\s*-?\d+)+)",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """An error row with the rules that say the same; none where its words are too free."""

    row: ErrorRow
    rules: tuple[RuleData, ...]
    names: tuple[str, ...]
    """The parameters it names."""
    topics: frozenset[str]
    """What it is about: null, dtype, format, rank, shape, value."""


def proposals(page: Page, operator: str, vocabulary: Vocabulary) -> tuple[Proposal, ...]:
    """A proposal for each error row of the operator's phase 1."""
    phase = page.first_phase(operator)
    facts = parameter_facts(page, operator, vocabulary)
    if phase is None or not facts:
        return ()
    reader = _Reader(facts, vocabulary)
    return tuple(reader.read(row) for row in phase.errors)


class _Reader:
    """Knows the parameters while rows are read."""

    def __init__(self, facts: Sequence[ParameterFacts], vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.facts = {each.name: each for each in facts}
        self.alike = {same_name(each.name): each.name for each in facts}
        self.tensors = [each.name for each in facts if each.is_tensor]
        self.inputs = [each.name for each in facts if each.is_tensor and each.role == "input"]
        self.outputs = [each.name for each in facts if each.is_tensor and each.role == "output"]

    def read(self, row: ErrorRow) -> Proposal:
        names = self.names(row.text)
        rules: list[RuleData] = []
        statement = row.text.rstrip("。. ").removesuffix("时")
        if not _CONDITION.search(statement) and not _NOT_NULL.search(statement):
            for part in _parts(statement):
                for rule in self.rules(part, self.names(part) or names):
                    if rule not in rules:
                        rules.append(rule)
        return Proposal(row=row, rules=tuple(rules), names=tuple(names), topics=topics_of(row.text))

    def names(self, text: str) -> list[str]:
        """The parameters that a text names or misspells, in order; `out` stands for the one output."""
        found: list[str] = []
        for word in _NAME.findall(text):
            name = word if word in self.facts else self.alike.get(same_name(word)) or self._whole(word)
            if name not in self.facts and word in ("out", "output") and len(self.outputs) == 1:
                name = self.outputs[0]
            if (name in self.facts or name in HANDLES) and name not in found:
                found.append(name)
        return found

    def _whole(self, word: str) -> str:
        """The parameter that a word is short for: `mask` for maskOptional; the word itself if for none or several."""
        found = [name for name in self.facts if name.removeprefix(word) in _SUFFIXES]
        return found[0] if len(found) == 1 else word

    def rules(self, text: str, names: list[str]) -> Iterator[RuleData]:
        """The rules that one statement is broken by; the first kind that fits decides."""
        tensors = [name for name in names if name in self.tensors]
        inputs = [name for name in tensors if name in self.inputs] or self.inputs
        kinds: tuple[tuple[bool, Callable[[], list[RuleData]]], ...] = (
            (bool(_NULL.search(text)), lambda: self._null(names)),
            (bool(_BROADCAST_SHAPE.search(text) and _DIFFERS.search(text)), lambda: self._shape(text, tensors)),
            (bool(_BROADCAST.search(text) and _NOT.search(text)), lambda: _on("broadcastable", tensors)),
            (bool(_CAST.search(text) and _NOT.search(text)), lambda: self._cast(names, tensors, inputs)),
            (bool(_DEDUCED.search(text) and _OUTSIDE.search(text)), lambda: self._deduced(inputs)),
            (bool(_DEDUCE.search(text) and _NOT.search(text)), lambda: _on("deducible", inputs)),
            (bool(_RANK.search(text) and _MOST.search(text)), lambda: _most(text, tensors)),
            (
                bool(_TYPES.search(text) and (_OUTSIDE.search(text) or _IS_NOT.search(text))),
                lambda: self._types(text, tensors),
            ),
            (bool(_FORMATS.search(text) and _OUTSIDE.search(text)), lambda: self._formats(tensors)),
            (True, lambda: self._value(text, names)),
        )
        yield from next(make() for fits, make in kinds if fits)

    def _null(self, names: list[str]) -> list[RuleData]:
        return _on("not_null", [name for name in names if name in HANDLES or self.facts[name].is_pointer])

    def _shape(self, text: str, tensors: list[str]) -> list[RuleData]:
        outputs = [name for name in tensors if name in self.outputs] or self.outputs
        inputs = [name for name in tensors if name not in outputs] or self.inputs
        if len(outputs) != 1 or not text:
            return []
        return [{"kind": "shape_is_broadcast", "of": inputs, "on": outputs}]

    def _cast(self, names: list[str], tensors: list[str], inputs: list[str]) -> list[RuleData]:
        outputs = [name for name in tensors if name in self.outputs] or self.outputs
        if (names and not tensors) or len(outputs) != 1 or not inputs:  # it is about something else
            return []
        return [{"kind": "castable", "of": inputs, "to": outputs[0]}]

    def _deduced(self, inputs: list[str]) -> list[RuleData]:
        dtypes = list(dict.fromkeys(dtype for name in inputs for dtype in self.facts[name].dtypes))
        return [{"kind": "deduced_in", "on": inputs, "dtypes": dtypes}] if inputs and dtypes else []

    def _types(self, text: str, tensors: list[str]) -> list[RuleData]:
        groups: dict[tuple[str, ...], list[str]] = {}
        for name in tensors:
            groups.setdefault(self._named(text) or self.facts[name].dtypes, []).append(name)
        rules: list[RuleData] = [
            {"kind": "dtype_in", "on": on, "dtypes": list(dtypes)} for dtypes, on in groups.items() if dtypes
        ]
        return rules + (self._formats(tensors) if _FORMATS.search(text) else [])

    def _named(self, text: str) -> tuple[str, ...]:
        """The types that a statement itself gives: `不是INT32`."""
        found = _IS_NOT.search(text)
        words = self.vocabulary.dtypes(found["types"]) if found else ()
        return tuple(word.name for word in words if word.name is not None)

    def _formats(self, tensors: list[str]) -> list[RuleData]:
        groups: dict[tuple[str, ...], list[str]] = {}
        for name in tensors:
            groups.setdefault(self.facts[name].formats, []).append(name)
        return [{"kind": "format_in", "on": on, "formats": list(formats)} for formats, on in groups.items() if formats]

    def _value(self, text: str, names: list[str]) -> list[RuleData]:
        attributes = [name for name in names if name in self.facts and name not in self.tensors]
        if len(attributes) != 1 or self.facts[attributes[0]].kind not in ("int64", "int32", "int8"):
            return []
        bounds, choice = _RANGE.search(text), _CHOICE.search(text)
        if choice is not None:
            values = [int(number) for number in re.findall(r"-?\d+", choice["values"])]
        elif bounds is not None:
            values = list(range(int(bounds["low"]), min(int(bounds["high"]), int(bounds["low"]) + 64) + 1))
        else:
            return []
        return [{"kind": "one_of", "on": attributes, "values": values}] if values else []


def _parts(text: str) -> list[str]:
    """The statements of a row that any of breaks it; a part without a predicate of its own belongs to the others."""
    parts = [part for part in _OR.split(text) if part.strip()]
    return parts if all(_NOT.search(part) or _NULL.search(part) for part in parts) else [text]


def _on(kind: str, names: list[str]) -> list[RuleData]:
    return [{"kind": kind, "on": names}] if names else []


def _most(text: str, tensors: list[str]) -> list[RuleData]:
    found = _MOST.search(text)
    if found is None or not tensors:
        return []
    return [{"kind": "max_rank", "on": tensors, "rank": int(found["a"] or found["b"] or found["c"])}]


def topics_of(text: str) -> frozenset[str]:
    """What a row is about, however freely it is worded."""
    topics = {
        "null": _NULL.search(text),
        "dtype": _TYPES.search(text) or _DEDUCE.search(text) or _CAST.search(text) or _SORTS.search(text),
        "format": _FORMATS.search(text),
        "rank": _RANK.search(text),
        "shape": re.search(r"shape|形状|元素", text, re.IGNORECASE | re.ASCII) or _BROADCAST.search(text),
        "value": re.search(
            r"值|取值|范围|不符合约束|等于|大于|小于|\bvalue|none of|below|above", text, re.IGNORECASE | re.ASCII
        ),
    }
    return frozenset(name for name, found in topics.items() if found)

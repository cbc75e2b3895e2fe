"""The arguments of a page's example, where its code has the usual names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from aclnn_spec.page.facts import ParameterFacts
from aclnn_spec.page.model import GET_WORKSPACE_SIZE, Call, Page
from aclnn_spec.page.vocabulary import Vocabulary

_VECTOR = re.compile(
    r"std::vector\s*(?:<[^<>]*>)?\s+(?P<name>\w+?)(?P<what>HostData|Shape)\s*=\s*\{(?P<items>[^{}]*)\}", re.ASCII
)
_MADE = re.compile(r"aclDataType::ACL_(?P<dtype>\w+)\s*,\s*&\s*(?P<name>\w+)\s*\)", re.ASCII)
_NUMBER = re.compile(
    r"\b(?:int64_t|int32_t|int|float|double)\s+(?P<name>\w+)\s*=\s*(?P<value>-?[\d.]+)f?\s*;", re.ASCII
)
_VARIABLE = re.compile(r"&?\s*(?P<name>[A-Za-z_]\w*)", re.ASCII)


def example_arguments(
    page: Page, operator: str, facts: Sequence[ParameterFacts], vocabulary: Vocabulary
) -> dict[str, Any]:
    """Parameter → tensor or number; empty unless every argument of the call was found."""
    for example in page.examples:
        call = next((c for c in example.calls if c.name == operator + GET_WORKSPACE_SIZE), None)
        if call is None or len(call.arguments) < len(facts):
            continue
        arguments = _arguments(example.code, call, facts, vocabulary)
        if len(arguments) == len(facts):
            return arguments
    return {}


def _arguments(code: str, call: Call, facts: Sequence[ParameterFacts], vocabulary: Vocabulary) -> dict[str, Any]:
    vectors: dict[tuple[str, str], list[Any]] = {}
    for found in _VECTOR.finditer(code):
        vectors.setdefault((found["name"], found["what"]), _numbers(found["items"]))
    dtypes = {found["name"]: found["dtype"] for found in _MADE.finditer(code)}
    numbers = {found["name"]: _number(found["value"]) for found in _NUMBER.finditer(code)}
    arguments: dict[str, Any] = {}
    for each, text in zip(facts, call.arguments, strict=False):
        variable = _VARIABLE.fullmatch(text)
        name = variable["name"] if variable else ""
        dtype = vocabulary.dtype(dtypes.get(name, ""))
        if each.is_tensor and (name, "Shape") in vectors and dtype is not None and dtype.name is not None:
            tensor = {"dtype": dtype.name, "shape": vectors[name, "Shape"]}
            if each.role == "input" and vectors.get((name, "HostData")):
                tensor["data"] = vectors[name, "HostData"]
            arguments[each.name] = tensor
        elif not each.is_tensor and name in numbers:
            arguments[each.name] = numbers[name]
    return arguments


def _numbers(items: str) -> list[Any]:
    texts = [text.strip().rstrip("fF") for text in items.split(",")]
    return [_number(text) for text in texts if re.fullmatch(r"-?\d+(?:\.\d*)?|-?\.\d+", text)]


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdecimal() else float(text)

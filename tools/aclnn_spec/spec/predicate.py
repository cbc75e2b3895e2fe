"""JSON schemas as plain functions: whether a document fits, and nothing else, a hundred times faster than jsonschema.

Golden data is read case by case, and almost every case fits. jsonschema is asked only about a document that does
not, to say what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

Predicate: TypeAlias = Callable[[Any], bool]
Resolve: TypeAlias = Callable[[str], tuple[Any, "Resolve"]]
"""Gives the schema a reference means, and what resolves the references inside it."""

_ANNOTATIONS = frozenset(
    {"$schema", "$id", "$defs", "$comment", "$vocabulary", "$dynamicAnchor"}
    | {"title", "description", "default", "examples", "deprecated"}
)
_MEMBERS = ("properties", "patternProperties", "additionalProperties")


class UnsupportedError(Exception):
    """The schema uses a keyword this module does not know."""


def compile_schema(schema: Any, resolve: Resolve) -> Predicate:
    """Make the function that tells whether a value fits the schema; UnsupportedError if that cannot be."""
    return _Compiler(resolve).schema(schema, resolve)


class _Compiler:
    """One compilation; schemas that refer to themselves are met again through `_known`."""

    def __init__(self, outermost: Resolve) -> None:
        self._outermost = outermost
        self._known: dict[int, Predicate] = {}
        self._kept: list[Any] = []  # an id is an object's own only as long as the object lives

    def schema(self, schema: Any, resolve: Resolve) -> Predicate:
        if isinstance(schema, bool):
            return lambda _: schema
        return _all([part for key in schema if (part := self.keyword(key, schema, resolve)) is not None])

    def keyword(self, key: str, schema: Mapping[str, Any], resolve: Resolve) -> Predicate | None:
        """The test of one keyword; None for one that tests nothing, or is tested together with another."""
        if key in _ANNOTATIONS:
            return None
        if key in _MEMBERS:
            first = next(name for name in _MEMBERS if name in schema)
            return self.members(schema, resolve) if key == first else None
        if key in _LIMITS:
            return _LIMITS[key](schema[key])
        if key in ("if", "then", "else"):
            return self.condition(schema, resolve) if key == "if" else None
        compound = {
            "$ref": self.reference,
            "$dynamicRef": self.dynamic,
            "items": self.items,
            "propertyNames": self.names,
        }
        if key in compound:
            return compound[key](schema[key], resolve)
        if key in ("anyOf", "oneOf", "allOf"):
            return self.combined(key, [self.schema(each, resolve) for each in schema[key]])
        raise UnsupportedError(key)

    def items(self, schema: Any, resolve: Resolve) -> Predicate:
        item = self.schema(schema, resolve)
        return lambda value: not isinstance(value, list) or all(map(item, value))

    def names(self, schema: Any, resolve: Resolve) -> Predicate:
        name = self.schema(schema, resolve)
        return lambda value: not isinstance(value, dict) or all(map(name, value))

    def reference(self, target: str, resolve: Resolve) -> Predicate:
        schema, inside = resolve(target)
        known, key = self._known, id(schema)
        if key not in known:
            self._kept.append(schema)
            known[key] = bool  # stands for it while it is being made
            known[key] = self.schema(schema, inside)
        # Looked up at each call: a schema that refers to itself is not made yet.
        return lambda value: known[key](value)  # noqa: PLW0108

    def dynamic(self, target: str, _resolve: Resolve) -> Predicate:
        """A reference that the outermost schema decides, as those of the schema of schemas are."""
        return self.reference(target, self._outermost)

    def combined(self, key: str, parts: Sequence[Predicate]) -> Predicate:
        if key == "oneOf":
            return lambda value: sum(part(value) for part in parts) == 1
        return _all(parts) if key == "allOf" else lambda value: any(part(value) for part in parts)

    def condition(self, schema: Mapping[str, Any], resolve: Resolve) -> Predicate:
        test, then, other = (self.schema(schema.get(key, True), resolve) for key in ("if", "then", "else"))
        return lambda value: then(value) if test(value) else other(value)

    def members(self, schema: Mapping[str, Any], resolve: Resolve) -> Predicate:
        named = {name: self.schema(each, resolve) for name, each in schema.get("properties", {}).items()}
        patterns = [
            (re.compile(pattern), self.schema(each, resolve))
            for pattern, each in schema.get("patternProperties", {}).items()
        ]
        rest = self.schema(schema.get("additionalProperties", True), resolve)

        def test_of(name: str) -> Predicate:
            matching = [part for pattern, part in patterns if pattern.search(name)]
            if name in named:
                matching.append(named[name])
            return _all(matching) if matching else rest

        def fits(value: Any) -> bool:
            if isinstance(value, dict):
                for name, each in value.items():
                    test = test_of(name) if patterns else named.get(name, rest)
                    if not test(each):
                        return False
            return True

        return fits


def _all(parts: Sequence[Predicate]) -> Predicate:
    """Whether all parts hold; few parts are asked in a row, which takes half the time of a loop."""
    match parts:
        case [one]:
            return one
        case [one, two]:
            return lambda value: one(value) and two(value)
        case [one, two, three]:
            return lambda value: one(value) and two(value) and three(value)
    return lambda value: all(part(value) for part in parts)


def _type(wanted: str | Sequence[str]) -> Predicate:
    tests = [_TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted)]
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def _enum(wanted: Sequence[Any]) -> Predicate:
    if all(isinstance(each, str) for each in wanted):
        texts = frozenset(wanted)
        return lambda value: isinstance(value, str) and value in texts
    return lambda value: any(_same(value, each) for each in wanted)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Predicate] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _number,
    "integer": lambda value: type(value) is int,  # 2.0 is none, here as in `read`
}


def _same(a: Any, b: Any) -> bool:
    """Equality of JSON values: true is not 1, but 1.0 is."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return bool(a == b)


def _distinct(values: Sequence[Any]) -> bool:
    return not any(_same(one, other) for i, one in enumerate(values) for other in values[:i])


def _of(kind: type | Predicate, holds: Callable[[Any, Any], bool]) -> Callable[[Any], Predicate]:
    """A keyword that holds values of one type against its own value, and says nothing of other types."""
    if isinstance(kind, type):
        one = kind
        return lambda wanted: lambda value: not isinstance(value, one) or holds(value, wanted)
    is_kind: Predicate = kind
    return lambda wanted: lambda value: not is_kind(value) or holds(value, wanted)


def _has_format(value: str, wanted: str) -> bool:
    """Whether a text has a format, of which only `regex` means anything without further packages."""
    if wanted != "regex":
        return True
    try:
        re.compile(value)
    except re.error:
        return False
    return True


def _required(wanted: frozenset[str]) -> Predicate:
    return lambda value: not isinstance(value, dict) or value.keys() >= wanted


def _dependent(value: Mapping[str, Any], wanted: Mapping[str, Sequence[str]]) -> bool:
    return all(value.keys() >= set(others) for name, others in wanted.items() if name in value)


_LIMITS: Mapping[str, Callable[[Any], Predicate]] = MappingProxyType(
    {
        "type": _type,
        "enum": _enum,
        "const": lambda wanted: lambda value: _same(value, wanted),
        "required": lambda wanted: _required(frozenset(wanted)),
        "dependentRequired": _of(dict, _dependent),
        "minProperties": _of(dict, lambda value, wanted: len(value) >= wanted),
        "maxProperties": _of(dict, lambda value, wanted: len(value) <= wanted),
        "format": _of(str, _has_format),
        "pattern": _of(str, lambda value, wanted: re.search(wanted, value) is not None),
        "minLength": _of(str, lambda value, wanted: len(value) >= wanted),
        "maxLength": _of(str, lambda value, wanted: len(value) <= wanted),
        "minItems": _of(list, lambda value, wanted: len(value) >= wanted),
        "maxItems": _of(list, lambda value, wanted: len(value) <= wanted),
        "uniqueItems": _of(list, lambda value, wanted: not wanted or _distinct(value)),
        "minimum": _of(_number, lambda value, wanted: value >= wanted),
        "maximum": _of(_number, lambda value, wanted: value <= wanted),
        "exclusiveMinimum": _of(_number, lambda value, wanted: value > wanted),
        "exclusiveMaximum": _of(_number, lambda value, wanted: value < wanted),
    }
)

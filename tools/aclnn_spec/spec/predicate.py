"""JSON schemas as plain functions: whether a document fits, and nothing else, a hundred times faster than jsonschema.

Golden data is read case by case, and almost every case fits. jsonschema is asked only about a document that does
not, to say what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Predicate: TypeAlias = Callable[[Any], bool]
Resolve: TypeAlias = Callable[[str], tuple[Any, "Resolve"]]
"""Gives the schema a reference means, and what resolves the references inside it."""

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "$comment", "title", "description", "default", "examples"})


class UnsupportedError(Exception):
    """The schema uses a keyword this module does not know."""


def compile_schema(schema: Any, resolve: Resolve) -> Predicate:
    """Make the function that tells whether a value fits the schema; UnsupportedError if that cannot be."""
    return _Compiler().schema(schema, resolve)


class _Compiler:
    """One compilation; schemas that refer to themselves are met again through `_known`."""

    def __init__(self) -> None:
        self._known: dict[int, Predicate] = {}
        self._kept: list[Any] = []  # an id is an object's own only as long as the object lives

    def schema(self, schema: Any, resolve: Resolve) -> Predicate:
        if isinstance(schema, bool):
            return lambda _: schema
        parts = [part for key in schema if (part := self.keyword(key, schema, resolve)) is not None]
        if len(parts) == 1:
            return parts[0]
        return lambda value: all(part(value) for part in parts)

    def keyword(self, key: str, schema: Mapping[str, Any], resolve: Resolve) -> Predicate | None:
        if key in _ANNOTATIONS or key in ("properties", "patternProperties") and "additionalProperties" in schema:
            return None
        if key in ("properties", "patternProperties", "additionalProperties"):
            return self.members(schema, resolve)
        wanted = schema[key]
        match key:
            case "$ref":
                return self.reference(wanted, resolve)
            case "type":
                return _type(wanted)
            case "enum":
                return lambda value: any(_same(value, each) for each in wanted)
            case "const":
                return lambda value: _same(value, wanted)
            case "items":
                item = self.schema(wanted, resolve)
                return lambda value: not isinstance(value, list) or all(item(each) for each in value)
            case "propertyNames":
                name = self.schema(wanted, resolve)
                return lambda value: not isinstance(value, dict) or all(name(each) for each in value)
            case "anyOf" | "oneOf" | "allOf":
                return self.combined(key, [self.schema(each, resolve) for each in wanted])
            case "if":
                return self.condition(schema, resolve)
            case "then" | "else" if "if" in schema:
                return None
            case "not":
                unwanted = self.schema(wanted, resolve)
                return lambda value: not unwanted(value)
            case _:
                return _simple(key, wanted)

    def reference(self, target: str, resolve: Resolve) -> Predicate:
        schema, inside = resolve(target)
        if id(schema) not in self._known:
            self._kept.append(schema)
            self._known[id(schema)] = lambda value: self._known[id(schema)](value)
            self._known[id(schema)] = self.schema(schema, inside)
        known, key = self._known, id(schema)
        return lambda value: known[key](value)

    def combined(self, key: str, parts: Sequence[Predicate]) -> Predicate:
        if key == "oneOf":
            return lambda value: sum(part(value) for part in parts) == 1
        combine = any if key == "anyOf" else all
        return lambda value: combine(part(value) for part in parts)

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

        def member(name: str, value: Any) -> bool:
            matching = [part for pattern, part in patterns if pattern.search(name)]
            if name in named:
                matching.append(named[name])
            return all(part(value) for part in matching) if matching else rest(value)

        return lambda value: not isinstance(value, dict) or all(member(*each) for each in value.items())


def _type(wanted: str | Sequence[str]) -> Predicate:
    tests = [_TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted)]
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


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


def _simple(key: str, wanted: Any) -> Predicate:
    """The keywords that hold a value of one type against a limit, and say nothing of other types."""
    match key:
        case "required":
            return lambda value: not isinstance(value, dict) or all(name in value for name in wanted)
        case "dependentRequired":
            needs = [(name, frozenset(others)) for name, others in wanted.items()]
            return lambda value: not isinstance(value, dict) or all(
                others <= value.keys() for name, others in needs if name in value
            )
        case "pattern":
            search = re.compile(wanted).search
            return lambda value: not isinstance(value, str) or search(value) is not None
        case "minLength":
            return lambda value: not isinstance(value, str) or len(value) >= wanted
        case "maxLength":
            return lambda value: not isinstance(value, str) or len(value) <= wanted
        case "minItems":
            return lambda value: not isinstance(value, list) or len(value) >= wanted
        case "maxItems":
            return lambda value: not isinstance(value, list) or len(value) <= wanted
        case "minProperties":
            return lambda value: not isinstance(value, dict) or len(value) >= wanted
        case "maxProperties":
            return lambda value: not isinstance(value, dict) or len(value) <= wanted
        case "uniqueItems":
            return lambda value: not wanted or not isinstance(value, list) or _distinct(value)
        case "minimum":
            return lambda value: not _number(value) or value >= wanted
        case "maximum":
            return lambda value: not _number(value) or value <= wanted
        case "exclusiveMinimum":
            return lambda value: not _number(value) or value > wanted
        case "exclusiveMaximum":
            return lambda value: not _number(value) or value < wanted
        case _:
            raise UnsupportedError(key)

"""Say what in a document violates its JSON schema: one line per fault, `path: found …, expected …`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jsonschema.exceptions import ValidationError

_LONGEST_VALUE = 80
_LONGEST_MESSAGE = 200
_UNITS = {"Items": "item", "Length": "character", "Properties": "key"}
_SCALAR = frozenset({"enum", "pattern", "minimum", "maximum"})
_LITERALS = {None: "null", True: "true", False: "false"}


def lines_of(document: Any, errors: Iterable[ValidationError]) -> Iterator[str]:
    """Say each violation; what only follows from a condition is left unsaid where something else is wrong already."""
    errors = list(errors)
    certain = [tuple(error.absolute_path) for error in errors if not _is_conditional(error)]
    for error in errors:
        here = tuple(error.absolute_path)
        if not (_is_conditional(error) and any(path[: len(here)] == here for path in certain)):
            yield from _lines(error, document)


def _is_conditional(error: ValidationError) -> bool:
    return not {"then", "else"}.isdisjoint(error.absolute_schema_path)


def _lines(error: ValidationError, document: Any) -> Iterator[str]:
    if error.validator in ("oneOf", "anyOf"):
        yield from _alternatives(error, document)
    elif error.validator is None:  # the schema `false`: the error names the object, not the key
        owner = document
        for part in error.absolute_path:
            owner = owner[part]
        key = next(key for key, value in owner.items() if value is error.instance)
        yield f"{_path([*error.absolute_path, key])}: found {_short(error.instance)}, expected no such key here"
    else:
        yield f"{_path(error.absolute_path)}: {_said(error)}"


def _said(error: ValidationError) -> str:  # noqa: PLR0911  # a table: one line for each keyword
    keyword, wanted, found = str(error.validator), error.validator_value, _short(error.instance)
    match keyword:
        case "enum":
            return f"{found} is not one of {_names(wanted)}"
        case "required":
            return f"{_missing(error)!r} is missing, expected {_names(wanted)}"
        case "dependentRequired":
            missing, _, because = error.message.partition(" is a dependency of ")
            return f"{missing} is missing, expected wherever there is {because}"
        case "additionalProperties":
            extra, patterns = _extra(error)
            keys = [*error.schema.get("properties", {}), *(f"keys of the form {pattern}" for pattern in patterns)]
            return f"unknown key {', '.join(extra)}, expected only {', '.join(keys) or 'an empty object'}"
        case "pattern":
            return f"{found} does not match {wanted}"
        case "uniqueItems":
            repeated = [item for i, item in enumerate(error.instance) if item in error.instance[:i]]
            return f"found {_names(map(_short, repeated))} more than once, expected distinct items"
        case _ if expected := _expected(error):
            return f"found {found}, expected {expected}"
        case _:
            return error.message if len(error.message) <= _LONGEST_MESSAGE else f"{error.message[:_LONGEST_MESSAGE]}…"


def _expected(error: ValidationError) -> str | None:  # noqa: PLR0911  # likewise
    """What the schema wants in the place of this value, as a noun; None when that is not known."""
    keyword, wanted = str(error.validator), error.validator_value
    match keyword:
        case "const":
            return _short(wanted)
        case "enum":
            return f"one of {_names(wanted)}"
        case "pattern":
            return f"the form {wanted}"
        case "minimum" | "maximum":
            return f"at {'least' if keyword == 'minimum' else 'most'} {wanted}"
        case "required" | "type" if keys := error.schema.get("required"):
            return f"an object with {_names(keys)}"
        case "type":
            return wanted if isinstance(wanted, str) else " or ".join(wanted)
        case _ if keyword[3:] in _UNITS:
            bound, plural = "least" if keyword.startswith("min") else "most", "" if wanted == 1 else "s"
            return f"at {bound} {wanted} {_UNITS[keyword[3:]]}{plural}"
    return None


def _alternatives(error: ValidationError, document: Any) -> Iterator[str]:
    """Say what is wrong with a value that fits none of several forms, or more than one."""
    where, found = _path(error.absolute_path), _short(error.instance)
    grouped: dict[Any, list[ValidationError]] = {}
    for sub in error.context or ():
        grouped.setdefault(sub.schema_path[0], []).append(sub)
    branches = list(grouped.values())
    if all(form.keys() == {"required"} for form in error.validator_value):
        keys = [key for form in error.validator_value for key in form["required"]]
        given = "none" if branches else ", ".join(key for key in keys if key in error.instance)
        yield f"{where}: found {given} of the keys {_names(keys)}, expected exactly one"
        return
    if not branches:
        yield f"{where}: found {found}, which fits several forms, expected exactly one"
        return
    choices = [_choices(branch) for branch in branches]
    shared = next((key for key in choices[0] if all(key in choice for choice in choices)), None)
    if shared is not None:
        yield from _wrong_kind(error, document, shared, branches)
        return
    tops = [[sub for sub in branch if not sub.relative_path] for branch in branches]
    if all(tops) and (
        all(map(_is_off, branches)) or all(len(branch) == 1 and branch[0].validator in _SCALAR for branch in branches)
    ):
        yield f"{where}: found {found}, expected {_any_of([top[0] for top in tops])}"
        return
    for sub in min(branches, key=lambda branch: (_is_off(branch), len(branch))):
        yield from _lines(sub, document)


def _wrong_kind(
    error: ValidationError, document: Any, key: str, branches: Sequence[Sequence[ValidationError]]
) -> Iterator[str]:
    """Say that the key which tells the forms apart holds none of their values, and what else is surely wrong."""
    values = [value for branch in branches for value in _choices(branch)[key]]
    options = _names(dict.fromkeys(values))
    if key in error.instance:
        yield f"{_path([*error.absolute_path, key])}: {_short(error.instance[key])} is not one of {options}"
    else:
        yield f"{_path(error.absolute_path)}: {key!r} is missing, expected one of {options}"
    meant = [branch for branch in branches if set(_choices(branch)) == {key}]
    for sub in meant[0] if len(meant) == 1 else ():
        if tuple(sub.relative_path) != (key,) and not (sub.validator == "required" and _missing(sub) == key):
            yield from _lines(sub, document)


def _choices(branch: Sequence[ValidationError]) -> dict[str, list[Any]]:
    """The keys of closed sets that a form finds wrong or missing, with the values it wants there."""
    result = {}
    for sub in branch:
        path = tuple(sub.relative_path)
        if len(path) == 1 and isinstance(path[0], str) and sub.validator in ("const", "enum"):
            result[path[0]] = _closed(sub.schema)
        elif not path and sub.validator == "required":
            values = _closed(sub.schema.get("properties", {}).get(_missing(sub), {}))
            if values:
                result[_missing(sub)] = values
    return result


def _closed(schema: Any) -> list[Any]:
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def _is_off(branch: Sequence[ValidationError]) -> bool:
    """Whether a form cannot be the one that was meant: it is of another type, or another kind of object."""
    return any(map(_shows_another_form, branch))


def _shows_another_form(error: ValidationError) -> bool:
    if len(error.relative_path) == 1:
        return error.validator == "const" and isinstance(error.validator_value, str)
    if error.relative_path or error.validator not in ("type", "const", "required"):
        return False
    kinds = _constants(error.schema)
    return error.validator != "required" or not kinds or _missing(error) in kinds


def _constants(schema: Any) -> dict[str, str]:
    """The keys that say what kind of object this is, with what they say."""
    properties = schema.get("properties", {})
    return {key: inner["const"] for key, inner in properties.items() if isinstance(inner.get("const"), str)}


def _any_of(errors: Sequence[ValidationError]) -> str:
    """The forms behind these errors as one expectation: objects of several kinds by the key that tells them apart."""
    constants = [_constants(error.schema) for error in errors]
    for key in constants[0]:
        if all(key in each for each in constants):
            return f"an object whose {key} is one of {_names(each[key] for each in constants)}"
    return " or ".join(dict.fromkeys(_expected(error) or error.message for error in errors))


def _missing(error: ValidationError) -> str:
    """The key that a `required` error misses; jsonschema says it in the message alone."""
    return str(error.message).partition(" is a required")[0][1:-1]


def _extra(error: ValidationError) -> tuple[list[str], list[str]]:
    properties, patterns = error.schema.get("properties", {}), list(error.schema.get("patternProperties", {}))
    extra = [
        key
        for key in error.instance
        if key not in properties and not any(re.search(pattern, key) for pattern in patterns)
    ]
    return sorted(extra), patterns


def _path(parts: Iterable[Any]) -> str:
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "(whole file)"


def _names(values: Iterable[Any]) -> str:
    return ", ".join(_LITERALS[value] if value is None or isinstance(value, bool) else str(value) for value in values)


def _short(value: Any) -> str:
    text = _LITERALS[value] if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"

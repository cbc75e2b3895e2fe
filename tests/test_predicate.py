"""The compiled schemas against jsonschema: the same answer for every document."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY

from aclnn_spec.spec.predicate import UnsupportedError, compile_schema
from aclnn_spec.spec.read import CHECKOUT, Schemas, _predicate, load_schemas

STRICT = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int),
)
ODD: tuple[Any, ...] = (None, True, 0, 1, -1, 2.0, 1.5, "", "x", "FLOAT", [], [1], [1, 1], {}, {"zh": "", "en": "x"})


@pytest.fixture(scope="module")
def schemas() -> Schemas:
    """The packaged schemas."""
    return load_schemas()


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all values inside a document."""
    yield path
    if isinstance(node, dict):
        for key in list(node)[:12]:
            yield from places(node[key], (*path, key))
    elif isinstance(node, list):
        for i in range(min(len(node), 2)):
            yield from places(node[i], (*path, i))


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of a document with one value replaced."""
    if not path:
        return value
    result = copy.deepcopy(document)
    inner = result
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return result


def shortened(name: str) -> Any:
    """A small real document of each schema."""
    if name == "golden":
        document = json.loads((CHECKOUT / "golden" / "core" / "aclnnL1LossBackward.json").read_text("utf-8"))
        document["cases"] = document["cases"][::400]
    elif name == "manifest":
        document = json.loads((CHECKOUT / "golden" / "core" / "manifest.json").read_text("utf-8"))
    elif name == "operator":
        document = json.loads((CHECKOUT / "spec" / "operators" / "aclnnL1LossBackward.json").read_text("utf-8"))
        document["clauses"] = document["clauses"][8:24:4]
        document["errata"] = document["errata"][:1]
    else:
        document = json.loads((CHECKOUT / "spec" / "tables" / f"{name}.json").read_text("utf-8"))
    return document


@pytest.mark.parametrize("name", ["golden", "manifest", "operator", "deduction", "casting", "accuracy", "formats"])
def test_every_changed_document_gets_jsonschemas_answer(name: str, schemas: Schemas) -> None:
    """Each value of a real document, replaced by several odd ones, or taken away, is judged as jsonschema does."""
    document = shortened(name)
    validator = STRICT(schemas.documents[name], registry=schemas.registry)
    fits = schemas._fits[name]
    assert fits(document)
    assert validator.is_valid(document)
    answers = {True: 0, False: 0}
    for turn, path in enumerate(places(document)):
        for value in ODD[turn % 4 :: 4] if path else ODD:
            other = changed(document, path, value)
            assert fits(other) == validator.is_valid(other), (path, value)
            answers[fits(other)] += 1
        if path and isinstance(path[-1], str):
            other = changed(document, path, None)
            inner = other
            for key in path[:-1]:
                inner = inner[key]
            del inner[path[-1]]
            assert fits(other) == validator.is_valid(other), path
    assert answers[False] > 5


@pytest.mark.parametrize("name", ["casting", "manifest"])
def test_every_changed_schema_gets_jsonschemas_answer(name: str, schemas: Schemas) -> None:
    """The schema of schemas, compiled, tells a schema from what is none, regular expressions included."""
    document = schemas.documents[name]
    is_schema = _predicate(Draft202012Validator.META_SCHEMA, REGISTRY)
    validator = Draft202012Validator(
        Draft202012Validator.META_SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    odd = [value for value in ODD if value != 2.0] + ["[", {"pattern": "("}, {"type": "no"}, {"$defs": {"a": 1}}]
    answers = {True: 0, False: 0}
    for turn, path in enumerate(places(document)):
        for value in odd[turn % 4 :: 4] if path else odd:
            other = changed(document, path, value)
            assert is_schema(other) == validator.is_valid(other), (path, value)
            answers[is_schema(other)] += 1
    assert min(answers.values()) > 5


def test_an_unknown_keyword_is_not_ignored() -> None:
    """A keyword that cannot be compiled is refused, so that jsonschema decides."""
    with pytest.raises(UnsupportedError, match="contains"):
        compile_schema({"contains": {}}, lambda _: ({}, lambda _: ({}, None)))  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"const": 1}, 1.0, True),
        ({"enum": [[1, {"a": 2}]]}, [1, {"a": 2.0}], [1, {"a": True}]),
        ({"type": "integer"}, 2, 2.0),
        ({"type": "integer"}, 2, True),
        ({"type": ["string", "null"]}, None, 0),
        ({"oneOf": [{"minimum": 1}, {"maximum": 3}]}, 5, 2),
        ({"uniqueItems": True}, [1, True, "1"], [1, 1.0]),
        ({"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False}, {"ab": "x"}, {"b": "x"}),
    ],
)
def test_corners(schema: Any, good: Any, bad: Any) -> None:
    """JSON's own idea of equality and of numbers; alternatives that exclude each other."""
    fits = compile_schema(schema, lambda _: ({}, lambda _: ({}, None)))  # type: ignore[arg-type,return-value]
    assert (fits(good), fits(bad)) == (True, False)


def test_a_schema_may_refer_to_itself() -> None:
    """A recursive schema ends."""
    tree: dict[str, Any] = {"type": "object", "additionalProperties": {"$ref": "#"}}

    def resolve(_: str) -> tuple[Any, Any]:
        return tree, resolve

    fits = compile_schema(tree, resolve)
    assert (fits({"a": {"b": {}}}), fits({"a": {"b": 1}})) == (True, False)

"""Read the spec's files: JSON, schema, objects, lint; every fault is collected and named by its path in the file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY as SPECIFICATIONS
from referencing import Registry
from referencing.exceptions import PointerToNowhere, Unresolvable
from referencing.jsonschema import DRAFT202012

from aclnn_spec.spec.build import operator_from, tables_from
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json, sha256
from aclnn_spec.spec.lint import lint_operator, lint_tables
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.predicate import Predicate, Resolve, UnsupportedError, compile_schema
from aclnn_spec.spec.tables import Tables
from aclnn_spec.spec.violations import lines_of

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parents[1]


def data_root() -> Path:
    """The directory that holds `spec/` and `golden/`: the checkout, or the installed package's own data."""
    in_checkout = (CHECKOUT / "spec" / "schema").is_dir() and (CHECKOUT / "pyproject.toml").is_file()
    return CHECKOUT if in_checkout else PACKAGE / "data"


def tools_root() -> Path:
    """The directory that holds `host/` and `validators/`: the checkout's `tools`, or the package's own data."""
    root = data_root()
    return root / "tools" if root == CHECKOUT else root


def cache_root() -> Path:
    """The user's cache of what this package makes or downloads."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aclnn-spec"


_Validator = extend(
    Draft202012Validator,
    # JSON Schema counts 2.0 among the integers; code that asks for an int would stumble over it.
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int),
)


@dataclass(frozen=True, kw_only=True)
class Schemas:
    """The JSON schemas of `spec/schema`, by file stem."""

    documents: Mapping[str, Any]
    registry: Registry[Any]
    _fits: Mapping[str, Predicate] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        fits = {name: _predicate(document, self.registry) for name, document in self.documents.items()}
        object.__setattr__(self, "_fits", fits)

    def faults(self, name: str, document: Any, where: str) -> list[str]:
        """What is wrong with a document by the schema of this name, one line each with its path."""
        if self._fits[name](document):
            return []
        validator = _Validator(self.documents[name], registry=self.registry)
        return [f"{where}: {line}" for line in lines_of(document, validator.iter_errors(document))]


def _predicate(document: Any, registry: Registry[Any]) -> Predicate:
    """Whether a value fits a schema; False, too, where only jsonschema can tell."""

    def resolve_in(resolver: Any) -> Resolve:
        def resolve(reference: str) -> tuple[Any, Resolve]:
            found = resolver.lookup(reference)
            return found.contents, resolve_in(found.resolver)

        return resolve

    base = document.get("$id", "") if isinstance(document, dict) else ""
    try:
        return compile_schema(document, resolve_in(registry.resolver(base)))
    except (UnsupportedError, Unresolvable):
        return lambda _: False


def load_schemas(root: Path | None = None) -> Schemas:
    """Read all schemas; `root` is the spec directory."""
    directory = (root or data_root() / "spec") / "schema"
    documents = {path.stem: read_json(path) for path in sorted(directory.glob("*.json"))}
    is_schema = _predicate(Draft202012Validator.META_SCHEMA, SPECIFICATIONS)
    faults = []
    for name, document in documents.items():
        try:
            if not is_schema(document):
                Draft202012Validator.check_schema(document)
        except Exception as error:  # noqa: BLE001  # jsonschema raises more than SchemaError for a schema that is none
            said = error.message if isinstance(error, SchemaError) else str(error)  # its text shows the whole schema
            faults.append(f"{name}.json: not a JSON schema: {said}")
        else:
            if not isinstance(document, dict) or not isinstance(document.get("$id"), str):
                faults.append(f"{name}.json: $id: found none, expected the schema's own URI")
    if faults or not documents:
        raise InputError(*faults or (f"{directory}: found no schema there",))
    resources = [(document["$id"], DRAFT202012.create_resource(document)) for document in documents.values()]
    schemas = Schemas(documents=documents, registry=Registry().with_resources(resources))
    faults = _lost_references(schemas)
    if faults:
        raise InputError(*faults)
    return schemas


def _lost_references(schemas: Schemas) -> list[str]:
    lost: dict[str, list[str]] = {}
    for name, document in schemas.documents.items():
        resolver = schemas.registry.resolver(document["$id"])
        for reference in dict.fromkeys(_references(document)):
            try:
                resolver.lookup(reference)
            except PointerToNowhere:
                lost.setdefault(reference, []).append(f"{name}.json")
            except Unresolvable:
                lost.setdefault(reference.partition("#")[0], []).append(f"{name}.json")
    return [
        f"{', '.join(dict.fromkeys(names))}: $ref: found {target}, expected a schema that exists"
        for target, names in lost.items()
    ]


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


@dataclass(frozen=True, kw_only=True)
class Spec:
    """The whole spec: shared tables, operators by name, and the SHA-256 of each of its files by their paths."""

    tables: Tables
    operators: Mapping[str, Operator]
    schemas: Schemas
    files: Mapping[str, str]
    drafts: frozenset[str] = frozenset()
    """Names of the operators of which there is no more than a draft made from a page; nothing is judged by them."""

    @property
    def digest(self) -> str:
        """SHA-256 over the names and contents of the spec's files."""
        return hashlib.sha256("".join(f"{name} {self.files[name]}\n" for name in self.files).encode()).hexdigest()

    def operator(self, name: str) -> Operator:
        """The operator of this name; InputError names those there are."""
        if name in self.drafts:
            raise InputError(f"operator: found {name!r}, of which there is only a draft, expected one that is complete")
        if name not in self.operators:
            raise InputError(f"operator: found {name!r}, expected one of {', '.join(self.operators)}")
        return self.operators[name]


def load_spec(root: str | Path | None = None) -> Spec:
    """Read and check the spec in directory `root` (default: the one this package came with).

    InputError lists every fault found, as `file: path: found …, expected …`.
    """
    directory = Path(root) if root else data_root() / "spec"
    schemas = load_schemas(directory)
    tables_data, faults = _read_checked(directory, "tables", schemas)
    operators_data, more = _read_checked(directory, "operators", schemas)
    drafts = frozenset(name for name, data in operators_data.items() if _is_draft(data))
    operators_data = {name: data for name, data in operators_data.items() if name not in drafts}
    if not operators_data and not more:
        more = [f"{directory / 'operators'}: found no operator file there"]
    missing = sorted(_TABLE_FILES - tables_data.keys())
    missing_faults = [f"{name}.json: not found in {directory / 'tables'}" for name in missing if not faults]
    if faults or more or missing_faults:
        raise InputError(*faults, *more, *missing_faults)
    faults = lint_tables(tables_data)
    if faults:
        raise InputError(*faults)
    tables = tables_from(tables_data)
    faults = [line for name, data in operators_data.items() for line in lint_operator(name, data, tables)]
    if faults:
        raise InputError(*faults)
    operators = {data["name"]: operator_from(data, tables) for data in operators_data.values()}
    return Spec(
        tables=tables,
        operators=MappingProxyType(operators),
        schemas=schemas,
        files=spec_files(directory),
        drafts=drafts,
    )


_DRAFT = "https://aclnn-spec.dev/schema/draft.json"
_TABLE_FILES = frozenset(
    {"accuracy", "casting", "deduction", "dtypes", "formats", "products", "sources", "status_codes"}
)


def _read_checked(directory: Path, kind: str, schemas: Schemas) -> tuple[dict[str, Any], list[str]]:
    documents, faults = {}, []
    for path in sorted((directory / kind).glob("*.json")):
        schema = "operator" if kind == "operators" else path.stem
        if schema not in schemas.documents:
            faults.append(f"{path.name}: no schema of this name in {directory / 'schema'}")
            continue
        try:
            document = read_json(path)
        except InputError as error:
            faults += error.faults
            continue
        if kind == "operators" and _is_draft(document) and "draft" in schemas.documents:
            schema = "draft"
        faults += schemas.faults(schema, document, path.name)
        documents[path.stem] = document
    return documents, faults


def _is_draft(document: Any) -> bool:
    """Whether an operator's document is a draft that was made from a page."""
    return isinstance(document, dict) and document.get("$schema") == _DRAFT


def spec_files(directory: Path) -> dict[str, str]:
    """The SHA-256 of each JSON file of a spec, by its path inside the directory."""
    paths = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*.json")}
    return {name: sha256(paths[name]) for name in sorted(paths)}

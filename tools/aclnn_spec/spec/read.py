"""Read the spec's files: JSON, schema, objects, lint; every fault is collected and named by its path in the file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

from aclnn_spec.spec.build import operator_from, tables_from
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.lint import lint_operator, lint_tables
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.tables import Tables

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parents[1]


def data_root() -> Path:
    """The directory that holds `spec/` and `golden/`: the checkout, or the installed package's own data."""
    in_checkout = (CHECKOUT / "spec" / "schema").is_dir() and (CHECKOUT / "pyproject.toml").is_file()
    return CHECKOUT if in_checkout else PACKAGE / "data"


@dataclass(frozen=True, kw_only=True)
class Schemas:
    """The JSON schemas of `spec/schema`, by file stem."""

    documents: Mapping[str, Any]
    registry: Registry[Any]

    def faults(self, name: str, document: Any, where: str) -> list[str]:
        """What is wrong with a document by the schema of this name, one line each with its path."""
        validator = Draft202012Validator(self.documents[name], registry=self.registry)
        return [f"{where}: {line}" for error in validator.iter_errors(document) for line in _lines(error)]


def load_schemas(root: Path | None = None) -> Schemas:
    """Read all schemas; `root` is the spec directory."""
    directory = (root or data_root() / "spec") / "schema"
    documents = {path.stem: read_json(path) for path in sorted(directory.glob("*.json"))}
    faults = []
    for name, document in documents.items():
        try:
            Draft202012Validator.check_schema(document)
        except Exception as error:  # noqa: BLE001  # jsonschema raises more than SchemaError for a schema that is none
            faults.append(f"{name}.json: not a JSON schema: {str(error).splitlines()[0]}")
    if faults or not documents:
        raise InputError(*faults or (f"{directory}: found no schema there",))
    resources = [(document["$id"], Resource.from_contents(document)) for document in documents.values()]
    return Schemas(documents=documents, registry=Registry().with_resources(resources))


@dataclass(frozen=True, kw_only=True)
class Spec:
    """The whole spec: shared tables, and operators by name; `digest` is the SHA-256 over its files."""

    tables: Tables
    operators: Mapping[str, Operator]
    schemas: Schemas
    digest: str

    def operator(self, name: str) -> Operator:
        """The operator of this name; InputError names those there are."""
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
        tables=tables, operators=MappingProxyType(operators), schemas=schemas, digest=digest_of(directory)
    )


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
        faults += schemas.faults(schema, document, path.name)
        documents[path.stem] = document
    return documents, faults


def digest_of(directory: Path) -> str:
    """SHA-256 over the names and contents of a directory's JSON files, with line ends as written."""
    total = hashlib.sha256()
    for path in sorted(directory.rglob("*.json"), key=lambda p: p.relative_to(directory).as_posix()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.relative_to(directory).as_posix()} {content}\n".encode())
    return total.hexdigest()


def _path(parts: Iterator[Any] | Any) -> str:
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "(whole file)"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _lines(error: ValidationError) -> Iterator[str]:
    """Say a schema violation as `path: found …, expected …`; of alternatives, the one that came closest."""
    if error.validator in ("oneOf", "anyOf") and error.context:
        yield from _closest(error)
        return
    where, wanted = _path(error.absolute_path), error.validator_value
    match error.validator:
        case "enum":
            yield f"{where}: {_short(error.instance)} is not one of {', '.join(map(str, wanted))}"
        case "const":
            yield f"{where}: found {_short(error.instance)}, expected {wanted!r}"
        case "type":
            kinds = wanted if isinstance(wanted, str) else " or ".join(wanted)
            yield f"{where}: found {_short(error.instance)}, expected {kinds}"
        case "required":
            missing = [name for name in wanted if name not in error.instance]
            yield f"{where}: {error.message.split(' is ')[0]} is missing, expected {', '.join(missing)}"
        case "additionalProperties":
            extra = sorted(set(error.instance) - set(error.schema.get("properties", {})))
            yield f"{where}: unknown key {', '.join(extra)}, expected only {', '.join(error.schema.get('properties', {}))}"
        case _:
            yield f"{where}: {error.message if len(error.message) < 200 else error.message[:197] + '…'}"


def _closest(error: ValidationError) -> Iterator[str]:
    branches: dict[Any, list[ValidationError]] = {}
    for sub in error.context or ():
        branches.setdefault(sub.schema_path[0], []).append(sub)

    def misfit(branch: list[ValidationError]) -> tuple[int, int]:
        # A branch told apart by a constant (a rule's kind) that does not fit is not the one that was meant.
        wrong_kind = sum(sub.validator in ("const", "type") and len(sub.relative_path) <= 1 for sub in branch)
        return wrong_kind, len(branch)

    for sub in min(branches.values(), key=misfit):
        yield from _lines(sub)

"""What page and spec both state of one operator, in one form, so that they can be held against each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from aclnn_spec.page.model import GET_WORKSPACE_SIZE, HANDLES, Page, Parameter, Phase, Prototype
from aclnn_spec.page.parameters import same_as
from aclnn_spec.page.vocabulary import Vocabulary

KINDS = {
    "aclTensor*": "tensor",
    "aclTensorList*": "tensor_list",
    "aclScalar*": "scalar",
    "aclScalarList*": "scalar_list",
    "aclIntArray*": "int_array",
    "aclFloatArray*": "float_array",
    "aclBoolArray*": "bool_array",
    "char*": "string",
    "int64_t": "int64",
    "int32_t": "int32",
    "int8_t": "int8",
    "uint64_t": "uint64",
    "uint32_t": "uint32",
    "int": "int32",
    "float": "float",
    "double": "double",
    "bool": "bool",
    "aclDataType": "dtype",
    "aclFormat": "format",
}
"""C types, without const, and the kind of parameter that they make."""
_POINTERS = frozenset(kind for c_type, kind in KINDS.items() if c_type.endswith("*"))
_VALUE = re.compile(r"(?P<number>-?\d+)\s*[（(]\s*[‘'\"“`]?(?P<name>[A-Za-z][A-Za-z0-9_]*)[’'\"”`]?\s*[)）]", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class ParameterFacts:
    """A parameter as the spec's operator file would hold it; a tuple is empty, a value None, where nothing is said."""

    name: str
    role: str
    kind: str
    line: int
    dtypes: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    rank: tuple[int, int] | None = None
    non_contiguous: bool | None = None
    values: Mapping[str, int] = field(default_factory=dict)
    optional: bool = False

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor or a list of tensors."""
        return self.kind in ("tensor", "tensor_list")

    @property
    def is_pointer(self) -> bool:
        """Whether it can be null."""
        return self.kind in _POINTERS


def first_prototype(page: Page, operator: str) -> Prototype | None:
    """The declaration of the operator's phase 1."""
    return page.prototype(operator + GET_WORKSPACE_SIZE)


def parameter_facts(page: Page, operator: str, vocabulary: Vocabulary) -> tuple[ParameterFacts, ...]:
    """The operator's parameters, in the prototype's order, with all that table and prototype say of them."""
    prototype, phase = first_prototype(page, operator), page.first_phase(operator)
    if prototype is None:
        return ()
    rows = _rows_by_name(prototype, phase)
    facts = []
    for declared in prototype.parameters:
        if declared.name in HANDLES:
            continue
        row = rows.get(declared.name)
        kind = KINDS.get(declared.plain_type, declared.plain_type.rstrip("*"))
        if row is None:
            role = (
                "attribute" if not declared.is_tensor else "input" if declared.c_type.startswith("const") else "output"
            )
            optional = declared.name.endswith("Optional")
            facts.append(
                ParameterFacts(name=declared.name, role=role, kind=kind, line=declared.line, optional=optional)
            )
            continue
        facts.append(
            ParameterFacts(
                name=declared.name,
                role=(row.role or "input") if declared.is_tensor else "attribute",
                kind=kind,
                line=row.line,
                dtypes=_dtypes(row, rows, vocabulary),
                formats=_formats(row, rows, vocabulary),
                rank=_rank(row, rows),
                non_contiguous=row.non_contiguous if declared.is_tensor else None,
                values=_values(row) if not declared.is_tensor else {},
                optional=row.optional or declared.name.endswith("Optional"),
            )
        )
    return tuple(facts)


def _rows_by_name(prototype: Prototype, phase: Phase | None) -> dict[str, Parameter]:
    """The rows of the table by the prototype's names; a row under a shortened name counts for its parameter."""
    listed = {parameter.name: parameter for parameter in reversed(phase.parameters)} if phase else {}
    rows = {name: listed[name] for name in prototype.names if name in listed}
    spare = {name: row for name, row in listed.items() if name not in rows}
    for name in prototype.names:
        if name not in rows:
            short = next((each for each in spare if name.startswith(each) or each.startswith(name)), None)
            if short is not None:
                rows[name] = spare.pop(short)
    return rows


def _dtypes(row: Parameter, rows: Mapping[str, Parameter], vocabulary: Vocabulary, depth: int = 0) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(word.name for word in row.dtypes if word.name is not None))
    other = rows.get(row.dtypes_of or "")
    if named or other is None or depth > len(rows):
        return named
    return _dtypes(other, rows, vocabulary, depth + 1)


def _formats(row: Parameter, rows: Mapping[str, Parameter], vocabulary: Vocabulary, depth: int = 0) -> tuple[str, ...]:
    known = tuple(name.upper() for name in row.formats if name.upper() in vocabulary.tables.formats)
    other = rows.get(same_as(row.format_text or "") or "")
    if known or other is None or depth > len(rows):
        return tuple(dict.fromkeys(known))
    return _formats(other, rows, vocabulary, depth + 1)


def _rank(row: Parameter, rows: Mapping[str, Parameter], depth: int = 0) -> tuple[int, int] | None:
    other = rows.get(same_as(row.rank_text or "") or "")
    if row.rank is not None or other is None or depth > len(rows):
        return row.rank
    return _rank(other, rows, depth + 1)


def _values(row: Parameter) -> dict[str, int]:
    """Named values of an attribute: `0(none)|1(mean)|2(sum)`."""
    found: dict[str, int] = {}
    for value in _VALUE.finditer(row.text):
        found.setdefault(value["name"].casefold(), int(value["number"]))
    return found


def exceptions(page: Page, operator: str, vocabulary: Vocabulary) -> dict[tuple[str, str], int]:
    """(product, data type) → line, for the types that a note withholds from a product."""
    listed = {name for each in parameter_facts(page, operator, vocabulary) for name in each.dtypes}
    found: dict[tuple[str, str], int] = {}
    for note in page.notes:
        names = [word.name for word in vocabulary.dtypes(note.text) if word.name is not None]
        if not names or note.phase not in (None, operator + GET_WORKSPACE_SIZE):
            continue
        refused = "不支持" in note.text or "not support" in note.text.casefold()
        only = not refused and ("数据类型支持" in note.text or "supports the data types" in note.text.casefold())
        lacking = names if refused else [name for name in sorted(listed) if name not in names] if only else []
        for product in note.products:
            for name in lacking:
                found.setdefault((product, name), note.line)
    return found

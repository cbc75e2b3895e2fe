"""The API's own C headers, as far as the spec knows them: the enums, and an operator's two functions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aclnn_spec.emit.c_check import c_declaration
from aclnn_spec.emit.text import filled, generated
from aclnn_spec.spec.model import DType, Prototype
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.tables import Tables

_UNDEFINED = "UNDEFINED"


def enums_header(tables: Tables) -> str:
    """The header of aclDataType, aclFormat and the status codes."""
    return filled(
        "enums.h.in",
        generated=generated("spec/tables"),
        dtypes=_members((acl_name(dtype), dtype.number) for dtype in tables.dtypes.values()),
        formats=_members((f"ACL_FORMAT_{layout.name}", layout.number) for layout in tables.formats.values()),
        codes=_members((code.name, int(code)) for code in tables.status_codes.values()),
    )


def acl_name(dtype: DType) -> str:
    """The constant of aclDataType: of a type's spellings the headers use the shortest, as in ACL_BF16."""
    return "ACL_DT_UNDEFINED" if dtype == _UNDEFINED else f"ACL_{min(dtype.spellings, key=len)}"


def operator_header(operator: Operator) -> str:
    """The header that declares both phases of an operator."""
    return filled(
        "operator.h.in",
        generated=generated(f"spec/operators/{operator.name}.json"),
        summary=operator.title.en,
        guard=re.sub(r"\W", "_", operator.header.rpartition("/")[2]).upper(),
        get_workspace_size=_declaration(operator.get_workspace_size),
        execute=_declaration(operator.execute),
    )


def _members(pairs: Iterable[tuple[str, int]]) -> str:
    return ",\n".join(f"  {name} = {number}" for name, number in pairs)


def _declaration(function: Prototype) -> str:
    parameters = ",\n".join(f"    {c_declaration(c_type, name)}" for name, c_type in function.parameters)
    return f"ACL_FUNC_VISIBILITY aclnnStatus {function.name}(\n{parameters});"

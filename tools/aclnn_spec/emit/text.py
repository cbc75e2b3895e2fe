"""What all generated files have in common: where they come from, their templates, and the parameters of a call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Template

from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import Clause, plain_c_type
from aclnn_spec.spec.operator import PHASE_ONE_OUTPUTS, Operator
from aclnn_spec.spec.rules import Rule
from aclnn_spec.spec.tables import Tables

ATTRIBUTE_TYPES = ("int64_t", "float", "double", "bool")
"""The C types of attributes that a check takes."""

MOST_CLAUSES = 64

WIDTH = 120
"""Columns of a line of code."""

MARK = "by aclnn-spec build; do not edit."
"""What the first line of every generated file ends with."""

_TEMPLATES = Path(__file__).parent / "templates"


def generated(source: str) -> str:
    """The line that every generated file begins with; `source` is a path in the repository."""
    return f"Generated from {source} {MARK}"


def filled(template: str, **values: str) -> str:
    """A file of `templates/`, its `$names` replaced."""
    return Template((_TEMPLATES / template).read_text(encoding="utf-8")).substitute(values)


def checks(operator: Operator) -> tuple[tuple[Clause, Rule], ...]:
    """The operator's clauses on errors, each with its rule, in the order of checking."""
    found = tuple((clause, clause.rule) for clause in operator.checks if clause.rule)
    if not 1 <= len(found) <= MOST_CLAUSES:
        expected = f"1 to {MOST_CLAUSES}, so that their set is a number of 64 bits"
        raise InputError(f"{operator.name}: clauses: found {len(found)} on errors with a rule, expected {expected}")
    return found


def check_parameters(operator: Operator) -> Mapping[str, str]:
    """Phase 1's parameters in order, each with `tensor`, `pointer`, or the C type of an attribute."""
    kinds = {}
    for name, c_type in operator.get_workspace_size.parameters:
        if name in PHASE_ONE_OUTPUTS:
            kinds[name] = "pointer"
        elif plain_c_type(c_type) == "aclTensor*":
            kinds[name] = "tensor"
        elif c_type in ATTRIBUTE_TYPES:
            kinds[name] = c_type
        else:
            expected = ", ".join(("aclTensor*", *ATTRIBUTE_TYPES))
            raise InputError(f"{operator.name}: {name}: found the C type {c_type}, expected one of {expected}")
    return kinds


def no_form(operator: Operator, clause: Clause, rule: Rule) -> InputError:
    """The error for a rule of a kind that generated checks do not know."""
    return InputError(f"{operator.name}: {clause.id}: found a rule {rule.kind}, which has no generated form")


def deduced_types(tables: Tables) -> tuple[str, ...]:
    """The types that have a row in the deduction table."""
    return tuple(dict.fromkeys(row for row, _ in tables.deduction))

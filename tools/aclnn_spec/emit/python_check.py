"""The Python module that checks an operator's arguments and needs nothing beside itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Any

from aclnn_spec.emit.text import WIDTH, check_parameters, checks, deduced_types, filled, generated, no_form
from aclnn_spec.spec.model import Clause
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules import Rule
from aclnn_spec.spec.rules.shapes import Broadcastable, MaxRank, MinRank, ShapeIsBroadcast
from aclnn_spec.spec.rules.types import Castable, DeducedIn, Deducible, DtypeIn, DtypeNotIn, FormatIn
from aclnn_spec.spec.rules.values import NotNull, OneOf
from aclnn_spec.spec.tables import Tables


def python_check(operator: Operator) -> str:
    """The module's text; InputError for a rule or a parameter that it has no form for."""
    parameters = check_parameters(operator)
    clauses = checks(operator)
    facts: dict[str, str] = {}
    rules = [f"        {_literal(clause.id)}: {_condition(operator, clause, rule, facts)}," for clause, rule in clauses]
    listed = {p.name: p.dtypes for p in operator.parameters if p.dtypes}
    return filled(
        "check.py.in",
        generated=generated(f"spec/operators/{operator.name}.json"),
        function=operator.get_workspace_size.name,
        example="\n".join(f"    ...     {name}={value}," for name, value in _example(operator)),
        clauses="\n".join(_clause(operator, clause) for clause, _ in clauses),
        parameters="\n".join(f"    {_literal(name)}: {_literal(kind)}," for name, kind in parameters.items()),
        listed="\n".join(f"    {_literal(name)}: {_literal(dtypes)}," for name, dtypes in listed.items()),
        facts="\n".join(f"    {fact}" for fact in facts.values()),
        rules="\n".join(rules),
        **_tables(operator.tables),
    )


def _condition(operator: Operator, clause: Clause, rule: Rule, facts: dict[str, str]) -> str:  # noqa: C901, PLR0911, PLR0912  # a table: one line for each kind
    match rule:
        case NotNull(on=on):
            return f"_not_null(arguments, {_literal(on)})"
        case Deducible(on=on):
            return f"_deducible({_fact('common', on, facts)})"
        case DeducedIn(on=on, dtypes=dtypes):
            return f"_deduced_in({_fact('common', on, facts)}, {_literal(dtypes)})"
        case Castable(of=of, to=to):
            return f"_castable({_fact('common', of, facts)}, arguments[{_literal(to)}])"
        case Broadcastable(on=on):
            return f"_broadcastable({_fact('broadcast', on, facts)})"
        case ShapeIsBroadcast(of=of, on=on):
            return f"_shape_is_broadcast(arguments, {_literal(on)}, {_fact('broadcast', of, facts)})"
        case MaxRank(on=on, rank=rank):
            return f"_max_rank(arguments, {_literal(on)}, {rank})"
        case MinRank(on=on, rank=rank):
            return f"_min_rank(arguments, {_literal(on)}, {rank})"
        case OneOf(on=on, values=values):
            return f"_one_of(arguments, {_literal(on)}, {_literal(values)})"
        case DtypeIn(on=on, dtypes=dtypes):
            return f"_dtype_in(arguments, {_literal(on)}, {_literal(dtypes)})"
        case DtypeNotIn(on=on, dtypes=dtypes):
            return f"_dtype_not_in(arguments, {_literal(on)}, {_literal(dtypes)})"
        case FormatIn(on=on, formats=formats):
            return f"_format_in(arguments, {_literal(on)}, {_literal(formats)})"
        case _:
            raise no_form(operator, clause, rule)


def _fact(kind: str, names: tuple[str, ...], facts: dict[str, str]) -> str:
    """The variable that holds what the helper of this kind says of these tensors."""
    variable = f"{'_'.join(names)}_{kind}"
    facts[variable] = f"{variable} = _{kind}(arguments, {_literal(names)})"
    return variable


def _literal(value: Any) -> str:
    """A Python literal of a text, a number or a tuple of them; texts stand between double quotes."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _clause(operator: Operator, clause: Clause) -> str:
    status = int(operator.tables.status_codes[clause.accepts[0]])
    texts = ",\n        ".join((str(status), _literal(clause.text.zh), _literal(clause.text.en)))
    return f"    {_literal(clause.id)}: Clause(\n        {texts},\n    ),"


def _example(operator: Operator) -> Iterator[tuple[str, str]]:
    """The arguments of the operator's own example."""
    for name, value in operator.example["arguments"].items():
        if isinstance(value, Mapping):
            yield name, f"Tensor({_literal(value['dtype'])}, {_literal(tuple(value['shape']))})"
        else:
            yield name, _literal(value)


def _tables(tables: Tables) -> dict[str, str]:
    rows = deduced_types(tables)
    common = {row: [(column, tables.deduction[row, column]) for column in rows] for row in rows}
    castable = {row: [name for name in tables.dtypes if tables.castable(row, name)] for row in rows}
    return {
        "dtypes": _lines(map(_literal, tables.dtypes)),
        "formats": _lines(map(_literal, tables.formats)),
        "deduction": "\n".join(
            f"    {_literal(row)}: {{\n"
            + _lines((f"{_literal(b)}: {_literal(c)}" for b, c in cells if c), "        ")
            + "\n    },"
            for row, cells in common.items()
        ),
        "casting": "\n".join(
            f"    {_literal(row)}: frozenset((\n" + _lines(map(_literal, names), "        ") + "\n    )),"
            for row, names in castable.items()
        ),
    }


def _lines(items: Iterable[str], indent: str = "    ") -> str:
    """Items of a display, as many to a line as it holds."""
    glued = " ".join(f"{item},".replace(" ", "\0") for item in items)
    return "\n".join(wrap(glued, WIDTH, initial_indent=indent, subsequent_indent=indent)).replace("\0", " ")

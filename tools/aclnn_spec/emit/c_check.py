"""The C header that checks an operator's arguments: one condition per rule, over helpers that all operators share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from textwrap import wrap

from aclnn_spec.emit.text import WIDTH, check_parameters, checks, deduced_types, filled, generated, no_form
from aclnn_spec.spec.model import Clause
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules import Rule
from aclnn_spec.spec.rules.shapes import Broadcastable, MaxRank, MinRank, ShapeIsBroadcast
from aclnn_spec.spec.rules.types import Castable, DeducedIn, Deducible, DtypeIn, DtypeNotIn, FormatIn
from aclnn_spec.spec.rules.values import NotNull, OneOf
from aclnn_spec.spec.tables import Tables

_INT64_MIN = -(2**63)
_C_TYPES = {"tensor": "const aclnn_spec_tensor *", "pointer": "const void *"}


def c_check(operator: Operator) -> str:
    """The header's text; InputError for a rule or a parameter that it has no form for."""
    clauses = checks(operator)
    facts: dict[str, str] = {}
    conditions = [_condition(operator, clause, rule, facts) for clause, rule in clauses]
    rules = [
        _wrapped(f"/* {clause.id} */ {condition},", "      ")
        for (clause, _), condition in zip(clauses, conditions, strict=True)
    ]
    parameters = check_parameters(operator)
    named = {name for _, rule in clauses for name in _names(rule)}
    return filled(
        "check.h.in",
        generated=generated(f"spec/operators/{operator.name}.json"),
        function=operator.get_workspace_size.name,
        operator=operator.name,
        guard=operator.name,
        **_shared(operator.tables),
        clauses="\n".join(_clause(operator, clause) for clause, _ in clauses),
        parameters=",\n".join(
            f"    {c_declaration(_C_TYPES.get(kind, kind), name)}" for name, kind in parameters.items()
        ),
        facts="\n".join([*(f"  (void){name};" for name in parameters if name not in named), *facts.values()]),
        rules="\n".join(rules),
        checks=str(len(clauses)),
    )


def c_declaration(c_type: str, name: str) -> str:
    """A parameter of this type and name; stars stand by the name."""
    stars = len(c_type) - len(c_type.rstrip("*"))
    return f"{c_type.rstrip('* ')} {'*' * stars}{name}" if stars else f"{c_type.strip()} {name}"


def c_string(text: str) -> str:
    """A C string literal; the file is UTF-8, and no two question marks make a trigraph."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + re.sub(r"(?<=\?)\?", r"\\?", escaped) + '"'


def c_number(value: float, c_type: str) -> str:
    """A C literal of this number in the type of an attribute."""
    match c_type:
        case "bool":
            return "true" if value else "false"
        case "float":
            return f"{float(value)!r}f"
        case "double":
            return repr(float(value))
        case _:
            return "INT64_MIN" if value == _INT64_MIN else f"INT64_C({value})"


def _condition(operator: Operator, clause: Clause, rule: Rule, facts: dict[str, str]) -> str:  # noqa: C901, PLR0911, PLR0912  # a table: one line for each kind
    match rule:
        case NotNull(on=on):
            return _each("{} != NULL", on)
        case Deducible(on=on):
            return f"aclnn_spec_deducible({_common(operator, on, facts)})"
        case DeducedIn(on=on, dtypes=dtypes):
            return f"aclnn_spec_deduced_in({_common(operator, on, facts)}, {_set(dtypes)})"
        case Castable(of=of, to=to):
            return f"aclnn_spec_castable({_common(operator, of, facts)}, {to})"
        case Broadcastable(on=on):
            return f"aclnn_spec_broadcastable({_tensors(on, facts)})"
        case ShapeIsBroadcast(of=of, on=on):
            return _each(f"aclnn_spec_shape_is_broadcast({{}}, {_tensors(of, facts)})", on)
        case MaxRank(on=on, rank=rank):
            return _each(f"aclnn_spec_max_rank({{}}, {rank})", on)
        case MinRank(on=on, rank=rank):
            return _each(f"aclnn_spec_min_rank({{}}, {rank})", on)
        case OneOf(on=on, values=values):
            types = check_parameters(operator)
            return " && ".join(_any(f"{name} == {{}}", [c_number(v, types[name]) for v in values]) for name in on)
        case DtypeIn(on=on, dtypes=dtypes):
            return _each(f"aclnn_spec_dtype_in({{}}, {_set(dtypes)})", on)
        case DtypeNotIn(on=on, dtypes=dtypes):
            return _each(f"aclnn_spec_dtype_not_in({{}}, {_set(dtypes)})", on)
        case FormatIn(on=on, formats=formats):
            numbers = [f"{operator.tables.formats[name].number} /* {name} */" for name in formats]
            return " && ".join(_any(f"aclnn_spec_format_is({name}, {{}})", numbers) for name in on)
        case _:
            raise no_form(operator, clause, rule)


def _names(rule: Rule) -> set[str]:
    """The parameters that a rule speaks of."""
    fields = vars(rule)
    return {*fields.get("on", ()), *fields.get("of", ()), fields.get("to", "")}


def _each(condition: str, names: Iterable[str]) -> str:
    return " && ".join(condition.format(name) for name in names)


def _any(condition: str, values: Iterable[str]) -> str:
    return f"({' || '.join(condition.format(value) for value in values)})"


def _set(types: Iterable[str]) -> str:
    return " | ".join(f"ACLNN_SPEC_SET({name})" for name in types)


def _common(operator: Operator, names: Sequence[str], facts: dict[str, str]) -> str:
    """The variable that holds the possible common types of these tensors."""
    variable = "_".join(names) + "_common_"
    known = deduced_types(operator.tables)
    common = ""
    for name in names:
        listed = dict.fromkeys(dtype if dtype in known else "NONE" for dtype in operator.parameter(name).dtypes)
        choices = f"{name}_types_"
        facts[choices] = f"  const uint64_t {choices} =\n" + _wrapped(
            f"aclnn_spec_choices({name}, {_set(listed)});", "      "
        )
        common = f"aclnn_spec_common({common}, {choices})" if common else choices
    facts[variable] = _wrapped(f"const uint64_t {variable} = {common};", "  ")
    return variable


def _tensors(names: Sequence[str], facts: dict[str, str]) -> str:
    """The variable that holds these tensors, and their number."""
    variable = "_".join(names) + "_"
    facts[variable] = _wrapped(f"const aclnn_spec_tensor *const {variable}[] = {{{', '.join(names)}}};", "  ")
    return f"{variable}, {len(names)}"


def _clause(operator: Operator, clause: Clause) -> str:
    status = int(operator.tables.status_codes[clause.accepts[0]])
    texts = ",\n   ".join(c_string(text) for text in (clause.text.zh, clause.text.en))
    return f'  {{"{clause.id}", {status},\n   {texts}}},'


def _wrapped(code: str, indent: str) -> str:
    """Code without string literals in lines of at most 120 columns; operators stay at the end of a line."""
    glued = re.sub(r" (?=[|&!=])|(?<=,) (?=\w+[),])", "\0", code)
    lines = wrap(glued, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ", break_long_words=False)
    return "\n".join(lines).replace("\0", " ")


def _shared(tables: Tables) -> dict[str, str]:
    """The tables, over the types in the order of the enum of types: NONE, those with a row, the others."""
    rows = deduced_types(tables)
    types = (*rows, *(name for name in tables.dtypes if name not in rows))
    index = {None: 0} | {name: i for i, name in enumerate(types, start=1)}
    deduction = [[0] * (len(rows) + 1)]
    deduction += [[0, *(index[tables.deduction[row, column]] for column in rows)] for row in rows]
    casting = [("no type", 0)]
    casting += [(name, sum(1 << index[row] for row in rows if tables.castable(row, name))) for name in types]
    return {
        "types": ",\n".join(f"  ACLNN_SPEC_{name}" for name in types),
        "numbers": "\n".join(f"    case {tables.dtypes[name].number}: return ACLNN_SPEC_{name};" for name in types),
        "deduced": str(len(rows) + 1),
        "count": str(len(types) + 1),
        "deduction": ",\n".join(
            f"  /* {name:10} */ {{{', '.join(f'{cell:2}' for cell in cells)}}}"
            for name, cells in zip(("no type", *rows), deduction, strict=True)
        ),
        "casting": ",\n".join(f"  /* {name:13} */ 0x{cell:05x}" for name, cell in casting),
    }

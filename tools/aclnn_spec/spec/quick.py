"""A straight-line test for good calls, made from an operator's rules when the spec is loaded.

`validate` asks it first; only a call that it does not pass goes through the rules one by one. It is what makes
checking a good call cheap: no rule object is visited, and every fact is worked out once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aclnn_spec.spec.attributes import c_float
from aclnn_spec.spec.rules import Rule
from aclnn_spec.spec.rules.pairs import NotBoth, SameDtype
from aclnn_spec.spec.rules.reals import AtLeast, Finite
from aclnn_spec.spec.rules.shapes import Broadcastable, MaxRank, MinRank, ShapeIs, ShapeIsBroadcast
from aclnn_spec.spec.rules.types import Castable, DeducedIn, Deducible, DtypeIn, DtypeNotIn, FormatIn
from aclnn_spec.spec.rules.values import NotNull, OneOf
from aclnn_spec.spec.rules.when import When
from aclnn_spec.spec.tables import Tables, broadcast

Quick = Callable[[Mapping[str, Any]], bool]


_EXACT = {"int64": "(int,)", "float": "(float, int)"}
"""The types of an attribute that need no second look, by its kind."""


def quick_check(tensors: Sequence[str], attributes: Mapping[str, str], rules: Iterable[Rule], tables: Tables) -> Quick:
    """Compile the rules to a function that is true of a call only if all of them hold and no tensor is null.

    `attributes` maps the attributes to their kinds.
    """
    lines = [f"if len(arguments) != {len(tensors) + len(attributes)}: return False"]
    # The underscores keep a parameter named `type`, `len` or `lambda` apart from Python's own words.
    lines += [f"{name}_ = arguments[{name!r}]" for name in (*tensors, *attributes)]
    lines += [f"{name}_dtype = {name}_.dtype; {name}_shape = {name}_.shape" for name in tensors]
    lines += [f"if type({name}_shape) is not tuple or {name}_.format not in formats: return False" for name in tensors]
    lines += [f"if type({name}_) not in {_EXACT[kind]}: return False" for name, kind in attributes.items()]
    facts: dict[str, str] = {}
    conditions = [condition for rule in rules if (condition := _condition(rule, facts)) is not None]
    lines += facts.values()
    lines.append(f"return {' and '.join(conditions) or 'True'}")
    body = "\n        ".join(lines)
    # A null tensor or a missing argument has no attribute or key to read; the slow path says what is wrong.
    source = (
        f"def quick(arguments):\n    try:\n        {body}\n"
        "    except (AttributeError, KeyError, TypeError):\n        return False\n"
    )
    castable = {(a, b) for a in tables.dtypes for b in tables.dtypes if tables.castable(a, b)}
    scope: dict[str, Any] = {
        "deduction": tables.deduction.get,
        "castable": castable,
        "formats": frozenset(tables.formats),
        "broadcast": broadcast,
        "c_float": c_float,
        "isfinite": math.isfinite,
    }
    exec(source, scope)  # noqa: S102  # the source holds nothing but parameter names and numbers of the checked spec
    function: Quick = scope["quick"]
    return function


def _condition(rule: Rule, facts: dict[str, str]) -> str | None:  # noqa: C901, PLR0911, PLR0912  # a table: one line for each kind
    match rule:
        case NotNull():
            return None
        case Deducible(on=on):
            return f"{_common(on, facts)} is not None"
        case DeducedIn(on=on, dtypes=dtypes):
            return f"{_common(on, facts)} in {dtypes!r}"
        case Castable(of=of, to=to):
            return f"({_common(of, facts)}, {to}_dtype) in castable"
        case Broadcastable(on=on):
            return f"{_shape(on, facts)} is not None"
        case ShapeIsBroadcast(of=of, on=on):
            return " and ".join(f"{name}_shape == {_shape(of, facts)}" for name in on)
        case ShapeIs(on=on, shape=shape):
            return " and ".join(f"{name}_shape == {shape!r}" for name in on)
        case MaxRank(on=on, rank=rank):
            return " and ".join(f"len({name}_shape) <= {rank}" for name in on)
        case MinRank(on=on, rank=rank):
            return " and ".join(f"len({name}_shape) >= {rank}" for name in on)
        case OneOf(on=on, values=values):
            return " and ".join(f"{name}_ in {values!r}" for name in on)
        case AtLeast(on=on, value=value):
            return " and ".join(f"not c_float({name}_) < {value!r}" for name in on)
        case Finite(on=on):
            return " and ".join(f"isfinite(c_float({name}_))" for name in on)
        case When(rule=inner, when=when):
            met = " and ".join(f"{each.name}_ in {each.numbers!r}" for each in when)
            condition = _condition(inner, facts)
            return None if condition is None else f"(not ({met}) or {condition})"
        case SameDtype(on=on):
            return " == ".join(f"{name}_dtype" for name in (*on, *on[:1]))
        case NotBoth(one=one, one_dtypes=ones, other=other, other_dtypes=others):
            return f"not ({one}_dtype in {ones!r} and {other}_dtype in {others!r})"
        case DtypeIn(on=on, dtypes=dtypes):
            return " and ".join(f"{name}_dtype in {dtypes!r}" for name in on)
        case DtypeNotIn(on=on, dtypes=dtypes):
            return " and ".join(f"{name}_dtype not in {dtypes!r}" for name in on)
        case FormatIn(on=on, formats=formats):
            return " and ".join(f"{name}_.format in {formats!r}" for name in on)
        case _:
            return "False"  # right for any kind: the rules themselves then decide


def _common(names: tuple[str, ...], facts: dict[str, str]) -> str:
    """The variable that holds these tensors' common type."""
    variable = "_".join(names) + "_common"
    value = f"{names[0]}_dtype"
    for name in names[1:] or names:
        value = f"deduction(({value}, {name}_dtype))"
    facts[variable] = f"{variable} = {value}"
    return variable


def _shape(names: tuple[str, ...], facts: dict[str, str]) -> str:
    """The variable that holds these tensors' broadcast shape."""
    variable = "_".join(names) + "_broadcast"
    shapes = [f"{name}_shape" for name in names]
    facts[variable] = f"{variable} = {shapes[0]} if {' == '.join(shapes)} else broadcast(({', '.join(shapes)},))"
    return variable

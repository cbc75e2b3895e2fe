"""What a schema cannot say of attributes: their C types, the conditions that name their values, the tolerances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from aclnn_spec.spec.attributes import C_TYPES
from aclnn_spec.spec.tables import Tables

Data = Mapping[str, Any]


def lint_attributes(data: Data, where: str) -> Iterator[str]:
    """Faults of an operator's attributes, and of what is said of its output's shape."""
    types = {each["name"]: each["c_type"] for each in data["prototypes"]["get_workspace_size"]["parameters"]}
    for i, parameter in enumerate(data["parameters"]):
        name, kind = parameter["name"], parameter["kind"]
        place = f"{where}: parameters[{i}] ({name})"
        if name in types and types[name] != C_TYPES.get(kind, types[name]):
            yield f"{place}.kind: found {kind}, expected the kind of the prototype's {types[name]}"
        if "reduced" in parameter:
            if parameter["role"] != "output":
                yield f"{place}.reduced: found it at an {parameter['role']}, expected it at the output alone"
            yield from lint_when(parameter["reduced"]["when"], f"{place}.reduced.when", data)


def lint_when(when: Data, where: str, data: Data) -> Iterator[str]:
    """Faults of a condition: attribute → names of its values."""
    named = _named(data)
    faults = list(unknown(where, list(when), named, "attribute with named values"))
    for name in when.keys() & named.keys():
        faults += unknown(f"{where}.{name}", when[name], named[name], f"name of a value of {name}")
    yield from sorted(faults)


def lint_accuracy(data: Data, where: str, tables: Tables) -> Iterator[str]:
    """Faults of the tolerances; there must be one for all named values that they tell apart, with every result type."""
    named = _named(data)
    results = [dtype for p in data["parameters"] if p["role"] == "output" for dtype in p["dtypes"]]
    used = [name for name in named if any(name in entry["when"] for entry in data["accuracy"])]
    faults: list[str] = []
    missing = {values: dict.fromkeys(results) for values in product(*(named[name] for name in used))}
    for i, entry in enumerate(data["accuracy"]):
        place, when = f"{where}: accuracy[{i}].when", entry["when"]
        faults += unknown(place, list(when), [*named, "dtype"], "key")
        for name in used:
            faults += unknown(f"{place}.{name}", when.get(name, ()), named[name], name)
        faults += unknown(f"{place}.dtype", when.get("dtype", ()), tables.dtypes, "data type")
        for values in product(*(when.get(name, named[name]) for name in used)):
            for dtype in when.get("dtype", results):
                missing.get(values, {}).pop(dtype, None)
    yield from faults or (
        f"{where}: accuracy: found nothing on {' and '.join(values)} with {', '.join(dtypes)}, expected a tolerance"
        for values, dtypes in missing.items()
        if dtypes
    )


def unknown(where: str, names: Sequence[Any], known: Any, what: str) -> Iterator[str]:
    """A fault for each of the names that is none of the known."""
    for name in names:
        if name not in known:
            yield f"{where}: found {name}, expected a {what}: {', '.join(map(str, known))}"


def _named(data: Data) -> dict[str, list[str]]:
    """The names of the values of those attributes that have some."""
    return {p["name"]: list(p["values"]) for p in data["parameters"] if p.get("values")}

"""What a schema cannot say of the spec's files; each fault is one line with its path in the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from aclnn_spec.spec.lint_attributes import lint_accuracy, lint_attributes, lint_when
from aclnn_spec.spec.lint_attributes import unknown as _unknown
from aclnn_spec.spec.operator import PHASE_ONE_OUTPUTS, SUCCESS
from aclnn_spec.spec.rules import RULES
from aclnn_spec.spec.tables import Tables

Data = Mapping[str, Any]
_HAN = re.compile(r"[\u3400-\u9fff]")
_CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
"""Han characters and full-width punctuation."""


def lint_tables(data: Data) -> list[str]:
    """Faults of the documents of `spec/tables`, by file stem."""
    faults = [line for name, document in data.items() for line in _texts(document, f"{name}.json", "")]
    dtypes = [d["name"] for d in data["dtypes"]["dtypes"]]
    faults += _repetitions(data)
    for i, dtype in enumerate(data["dtypes"]["dtypes"]):
        if dtype["name"] not in dtype["spellings"]:
            found, own = ", ".join(dtype["spellings"]), dtype["name"]
            faults.append(f"dtypes.json: dtypes[{i}].spellings: found {found}, expected {own} among them")
    for i, row in enumerate(data["products"]["products"]):
        where = f"products.json: products[{i}].lacks_dtypes"
        faults += _unknown(where, row.get("lacks_dtypes", ()), dtypes, "data type")
    if SUCCESS not in [code["name"] for code in data["status_codes"]["status_codes"]]:
        faults.append(f"status_codes.json: status_codes: found no {SUCCESS}, expected the code of a good call")
    if "strict" not in (policies := [p["name"] for p in data["accuracy"]["policies"]]):
        faults.append(f"accuracy.json: policies: found {', '.join(policies)}, expected strict among them")
    for i, policy in enumerate(data["accuracy"]["policies"]):
        faults += _unknown(f"accuracy.json: policies[{i}].dtypes", list(policy.get("dtypes", ())), dtypes, "data type")
    faults += _deduction(data["deduction"], dtypes)
    sources = [s["id"] for s in data["sources"]["sources"]]
    for name, document in data.items():
        if name != "sources":
            faults += _sources(document, f"{name}.json", "", sources)
    return faults


def _repetitions(data: Data) -> Iterator[str]:
    for table, keys in (
        ("dtypes", ("name", "number")),
        ("formats", ("name", "number")),
        ("status_codes", ("name", "number")),
        ("products", ("id",)),
        ("sources", ("id",)),
    ):
        for key in keys:
            yield from _repeated(f"{table}.json: {table}", key, [row[key] for row in data[table][table]])
    spellings = [spelling for dtype in data["dtypes"]["dtypes"] for spelling in dtype["spellings"]]
    yield from _repeated("dtypes.json: dtypes", "spelling", spellings)
    prefixes = [prefix for product in data["products"]["products"] for prefix in product["soc_prefixes"]]
    yield from _repeated("products.json: products", "SoC prefix", prefixes)
    yield from _repeated("accuracy.json: policies", "name", [p["name"] for p in data["accuracy"]["policies"]])
    yield from _repeated("casting.json: rules", "from", [rule["from"] for rule in data["casting"]["rules"]])


def _deduction(data: Data, dtypes: Sequence[str]) -> list[str]:
    where = "deduction.json"
    columns, rows = data["dtypes"], data["rows"]
    faults = list(_unknown(f"{where}: dtypes", columns, dtypes, "data type"))
    if not faults and list(rows) != list(columns):
        expected = ", ".join(columns)
        faults.append(f"{where}: rows: found {', '.join(rows)}, expected one for each of {expected}, in that order")
    if faults:  # what follows would say the same again, cell by cell
        return faults
    for row, cells in rows.items():
        if len(cells) != len(columns):
            faults.append(f"{where}: rows.{row}: found {len(cells)} cells, expected {len(columns)}")
        for j, cell in enumerate(cells):
            names = [] if cell is None else [cell]
            faults += _unknown(f"{where}: rows.{row}[{j}]", names, columns, "data type of this table")
    return faults or list(_asymmetries(columns, rows, where))


def _asymmetries(columns: Sequence[str], rows: Data, where: str) -> Iterator[str]:
    for i, j in product(range(len(columns)), repeat=2):
        here, there = (str(cell or "null") for cell in (rows[columns[i]][j], rows[columns[j]][i]))
        if i < j and here != there:
            mirror = f"{there} as in rows.{columns[j]}[{i}] (symmetry)"
            yield f"{where}: rows.{columns[i]}[{j}]: found {here}, expected {mirror}"
        if i == j and here != columns[i]:
            yield f"{where}: rows.{columns[i]}[{j}]: found {here}, expected {columns[i]}: a type and itself"


def lint_operator(stem: str, data: Data, tables: Tables) -> list[str]:
    """Faults of an operator file; `stem` is its file name without `.json`."""
    where = f"{stem}.json"
    faults = list(_texts(data, where, ""))
    faults += _sources(data, where, "", tables.sources)
    names = [p["name"] for p in data["parameters"]]
    repeated = list(_repeated(f"{where}: parameters", "name", names))
    if repeated:  # everything below goes by the names
        return [*faults, *repeated]
    if data["name"] != stem:
        faults.append(f"{where}: name: found {data['name']}, expected the file's own name {stem}")
    missing, extra = (
        set(tables.products) - set(data["products"]),
        set(data["products"]) - set(tables.products),
    )
    if missing or extra:
        found = ", ".join(data["products"])
        faults.append(f"{where}: products: found {found}, expected exactly {', '.join(tables.products)}")
    faults += _parameters(data, where, tables)
    faults += lint_attributes(data, where)
    faults += _repeated(f"{where}: clauses", "id", [clause["id"] for clause in data["clauses"]])
    for i, clause in enumerate(data["clauses"]):
        faults += _clause(clause, f"{where}: clauses[{i}] ({clause['id']})", data, tables)
    faults += _repeated(f"{where}: errata", "id", [erratum["id"] for erratum in data["errata"]])
    faults += lint_accuracy(data, where, tables)
    faults += _example(data, f"{where}: example", tables)
    return faults


def _parameters(data: Data, where: str, tables: Tables) -> Iterator[str]:
    names = [p["name"] for p in data["parameters"]]
    prototype = [p["name"] for p in data["prototypes"]["get_workspace_size"]["parameters"]]
    if prototype != [*names, *PHASE_ONE_OUTPUTS]:
        expected = ", ".join([*names, *PHASE_ONE_OUTPUTS])
        yield f"{where}: prototypes.get_workspace_size.parameters: found {', '.join(prototype)}, expected {expected}"
    for i, parameter in enumerate(data["parameters"]):
        place = f"{where}: parameters[{i}] ({parameter['name']})"
        yield from _unknown(f"{place}.dtypes", parameter.get("dtypes", ()), tables.dtypes, "data type")
        yield from _unknown(f"{place}.formats", parameter.get("formats", ()), tables.formats, "format")
        low, high = parameter.get("rank", (0, 0))
        if low > high:
            yield f"{place}.rank: found [{low}, {high}], expected the smaller first"
    if [p["role"] for p in data["parameters"]].count("output") != 1:
        yield f"{where}: parameters: found no single output, expected one parameter of role output"


def _clause(clause: Data, where: str, data: Data, tables: Tables) -> Iterator[str]:
    outcome, rule = clause["outcome"], clause.get("rule")
    if not clause["sources"]:
        yield f"{where}.sources: found none, expected at least one"
    yield from _unknown(f"{where}.products", clause.get("products", ()), tables.products, "product")
    for i, conflict in enumerate(clause.get("conflicts", ())):
        yield from _unknown(f"{where}.conflicts[{i}].between", conflict["between"], tables.sources, "source")
    ids = {c["id"]: c for c in data["clauses"]}
    if "error" in outcome and isinstance(outcome, dict):
        yield from _unknown(f"{where}.outcome.error", outcome["error"], tables.status_codes, "status code")
        if rule is None and "order" not in clause:
            yield f"{where}: an error clause without a rule; expected one of {', '.join(RULES)}"
    if isinstance(outcome, dict) and "unspecified" in outcome:
        codes = [label for label in outcome["unspecified"] if label.isupper()]
        yield from _unknown(f"{where}.outcome.unspecified", codes, tables.status_codes, "status code")
        follows = outcome.get("follows")
        if follows is not None and not (follows in ids and _is_uniform(ids[follows])):
            yield f"{where}.outcome.follows: found {follows}, expected the id of a clause that is uniform"
    if "order" in clause:
        errors = [c["id"] for c in data["clauses"] if "error" in c["outcome"] and "rule" in c]
        if sorted(clause["order"]) != sorted(errors):
            yield f"{where}.order: found {', '.join(clause['order'])}, expected each of {', '.join(errors)} once"
    if rule is not None:
        yield from _rule(rule, f"{where}.rule", data, tables)
    yield from lint_when(clause.get("when", {}), f"{where}.when", data)


def _is_uniform(clause: Data) -> bool:
    return isinstance(clause["outcome"], dict) and bool(clause["outcome"].get("uniform"))


def _rule(rule: Data, where: str, data: Data, tables: Tables) -> Iterator[str]:
    by_name = {p["name"]: p for p in data["parameters"]}
    tensors = [name for name, p in by_name.items() if p["kind"] == "tensor"]
    integers, floats = ([name for name, p in by_name.items() if p["kind"] == kind] for kind in ("int64", "float"))
    allowed = {"not_null": [*tensors, *PHASE_ONE_OUTPUTS], "one_of": integers, "at_least": floats, "finite": floats}
    for key in ("on", "of", "to", "one", "other"):
        names = rule.get(key, ())
        names = [names] if isinstance(names, str) else names
        yield from _unknown(f"{where}.{key}", names, allowed.get(rule["kind"], tensors), "parameter of this kind")
    for key in ("dtypes", "one_dtypes", "other_dtypes"):
        yield from _unknown(f"{where}.{key}", rule.get(key, ()), tables.dtypes, "data type")
    yield from _unknown(f"{where}.formats", rule.get("formats", ()), tables.formats, "format")
    for name in rule["on"] if rule["kind"] == "one_of" else ():
        declared = list(by_name.get(name, {}).get("values", {}).values())
        if name in allowed["one_of"] and declared != rule["values"]:
            yield f"{where}.values: found {rule['values']}, expected {declared} as parameter {name} lists them"


def _example(data: Data, where: str, tables: Tables) -> Iterator[str]:
    parameters = {p["name"]: p for p in data["parameters"]}
    arguments = data["example"]["arguments"]
    if list(arguments) != list(parameters):
        yield f"{where}.arguments: found {', '.join(arguments)}, expected {', '.join(parameters)}"
        return
    for name, value in arguments.items():
        place, parameter = f"{where}.arguments.{name}", parameters[name]
        if isinstance(value, dict) != (parameter["kind"] == "tensor"):
            yield f"{place}: found {value}, expected a value of kind {parameter['kind']}"
        elif not isinstance(value, dict):
            values = list(parameter.get("values", {}).values()) or [value]
            yield from _unknown(place, [value], values, f"value of {name}")
        else:
            yield from _unknown(f"{place}.dtype", [value["dtype"]], tables.dtypes, "data type")
            holds, key = (
                (data["example"]["result"], "result")
                if parameter["role"] == "output"
                else (
                    value.get("data", ()),
                    f"arguments.{name}.data",
                )
            )
            if len(holds) != prod(value["shape"]):
                yield f"{where}.{key}: found {len(holds)} numbers, expected {prod(value['shape'])} for {value['shape']}"


def _texts(node: Any, where: str, path: str) -> Iterator[str]:
    if isinstance(node, dict):
        if node.keys() == {"zh", "en"}:
            yield from _text(node, f"{where}: {path}")
            return
        for key, value in node.items():
            yield from _texts(value, where, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _texts(value, where, f"{path}[{i}]")


def _text(text: Data, where: str) -> Iterator[str]:
    for lang in ("zh", "en"):
        if not text[lang].strip():
            yield f"{where}.{lang}: found an empty text"
    if text["zh"] == text["en"]:
        yield f"{where}: zh and en are identical: {text['en'][:60]!r}"
    elif text["zh"].strip() and not _HAN.search(text["zh"]):
        yield f"{where}.zh: found no Chinese in {text['zh'][:60]!r}"
    if _CHINESE.search(text["en"]):
        yield f"{where}.en: found Chinese in {text['en'][:60]!r}"


def _sources(node: Any, where: str, path: str, known: Mapping[str, Any] | Sequence[str]) -> Iterator[str]:
    if isinstance(node, dict):
        if "of" in node and "where" in node:
            yield from _unknown(f"{where}: {path}.of", [node["of"]], known, "source")
            return
        for key, value in node.items():
            yield from _sources(value, where, f"{path}.{key}" if path else key, known)
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _sources(value, where, f"{path}[{i}]", known)


def _repeated(where: str, what: str, values: Sequence[Any]) -> Iterator[str]:
    for value, count in Counter(values).items():
        if count > 1:
            yield f"{where}: {what} {value} is given {count} times, expected once"

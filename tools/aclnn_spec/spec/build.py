"""Turn checked JSON documents into the spec's objects."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aclnn_spec.spec.model import (
    Accuracy,
    Clause,
    Conflict,
    DType,
    Erratum,
    Format,
    Parameter,
    Policy,
    Product,
    Prototype,
    Reduced,
    Source,
    StatusCode,
    Text,
)
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules import Condition, Rule, When, rule_from
from aclnn_spec.spec.tables import Tables

Data = Mapping[str, Any]


def _text(data: Data) -> Text:
    return Text(zh=data["zh"], en=data["en"])


def _sources(data: Data) -> tuple[Source, ...]:
    return tuple(Source(of=source["of"], where=_text(source["where"])) for source in data.get("sources", ()))


def tables_from(data: Data) -> Tables:
    """Build the tables from the documents of `spec/tables`, by file stem."""
    dtypes = {
        d["name"]: DType(
            d["name"],
            number=d["number"],
            kind=d["kind"],
            bits=d["bits"],
            storage=d["storage"],
            spellings=tuple(d["spellings"]),
        )
        for d in data["dtypes"]["dtypes"]
    }
    deduction = data["deduction"]
    return Tables(
        dtypes=MappingProxyType(dtypes),
        spellings=MappingProxyType({spelling: dtype for dtype in dtypes.values() for spelling in dtype.spellings}),
        formats=MappingProxyType(
            {f["name"]: Format(f["name"], number=f["number"], rank=f.get("rank")) for f in data["formats"]["formats"]}
        ),
        status_codes=MappingProxyType(
            {
                c["name"]: StatusCode(
                    c["number"],
                    name=c["name"],
                    meaning=_text(c["meaning"]),
                    deprecated_spellings=tuple(c.get("deprecated_spellings", ())),
                )
                for c in data["status_codes"]["status_codes"]
            }
        ),
        products=MappingProxyType(
            {
                p["id"]: Product(
                    id=p["id"],
                    name=_text(p["name"]),
                    soc_prefixes=tuple(p["soc_prefixes"]),
                    page_names_zh=tuple(p["page_names_zh"]),
                    page_names_en=tuple(p["page_names_en"]),
                    page_tags=tuple(p["page_tags"]),
                    lacks_dtypes=tuple(p.get("lacks_dtypes", ())),
                )
                for p in data["products"]["products"]
            }
        ),
        policies=MappingProxyType({p["name"]: _policy(p) for p in data["accuracy"]["policies"]}),
        sources=MappingProxyType({s["id"]: _text(s["text"]) for s in data["sources"]["sources"]}),
        deduction=MappingProxyType(
            {
                (row, column): None if common is None else dtypes[common]
                for row, cells in deduction["rows"].items()
                for column, common in zip(deduction["dtypes"], cells, strict=True)
            }
        ),
        casting=MappingProxyType({rule["from"]: frozenset(rule["to"]) for rule in data["casting"]["rules"]}),
    )


def _policy(data: Data) -> Policy:
    numbers = {key: data[key] for key in ("share", "max_ulp", "dtypes") if key in data}
    return Policy(name=data["name"], text=_text(data["text"]), sources=_sources(data), **numbers)


def operator_from(data: Data, tables: Tables) -> Operator:
    """Build an operator from the document of its file."""
    example = data["example"]
    values = {p["name"]: p.get("values", {}) for p in data["parameters"]}
    return Operator(
        name=data["name"],
        status=data["status"],
        version=data["version"],
        cann=data["cann"],
        title=_text(data["title"]),
        summary=_text(data["summary"]),
        formula=data["formula"],
        header=data["header"],
        products=MappingProxyType(dict(data["products"])),
        deterministic=data["deterministic"],
        get_workspace_size=_prototype(data["prototypes"]["get_workspace_size"]),
        execute=_prototype(data["prototypes"]["execute"]),
        parameters=tuple(_parameter(p, tables, values) for p in data["parameters"]),
        clauses=tuple(_clause(c, values) for c in data["clauses"]),
        accuracy=tuple(
            Accuracy(
                when=MappingProxyType({name: tuple(names) for name, names in a["when"].items() if name != "dtype"}),
                dtype=tuple(tables.dtypes[d] for d in a["when"].get("dtype", ())),
                ulp=a["ulp"],
                text=_text(a["text"]),
                sources=_sources(a),
            )
            for a in data["accuracy"]
        ),
        errata=tuple(
            Erratum(id=e["id"], text=_text(e["text"]), reading=_text(e["reading"]), sources=_sources(e))
            for e in data["errata"]
        ),
        example=MappingProxyType({"arguments": example["arguments"], "result": example["result"]}),
        example_text=_text(example["text"]),
        example_sources=_sources(example),
        tables=tables,
    )


def _prototype(data: Data) -> Prototype:
    return Prototype(name=data["name"], parameters=tuple((p["name"], p["c_type"]) for p in data["parameters"]))


def _numbers(when: Data, values: Data) -> dict[str, tuple[int, ...]]:
    """Attribute → numbers, for attribute → names of its values."""
    return {name: tuple(values[name][each] for each in names) for name, names in when.items()}


def _parameter(data: Data, tables: Tables, values: Data) -> Parameter:
    reduced = data.get("reduced")
    return Parameter(
        name=data["name"],
        role=data["role"],
        kind=data["kind"],
        summary=_text(data["summary"]),
        sources=_sources(data),
        dtypes=tuple(tables.dtypes[d] for d in data.get("dtypes", ())),
        formats=tuple(tables.formats[f] for f in data.get("formats", ())),
        rank=tuple(data["rank"]) if "rank" in data else None,
        non_contiguous=data.get("non_contiguous", False),
        values=MappingProxyType(dict(data.get("values", {}))),
        samples=tuple(float(each) for each in data.get("samples", ())),
        reduced=reduced
        and Reduced(when=MappingProxyType(_numbers(reduced["when"], values)), shape=tuple(reduced["shape"])),
    )


def _rule(data: Data, values: Data) -> Rule | None:
    """The rule of a clause, if it has one, under its condition, if it has one."""
    rule = rule_from(data["rule"]) if "rule" in data else None
    if rule is None or "when" not in data:
        return rule
    numbers = _numbers(data["when"], values)
    conditions = [Condition(name=name, numbers=numbers[name], words=tuple(data["when"][name])) for name in numbers]
    return When(rule=rule, when=tuple(conditions))


def _clause(data: Data, values: Data) -> Clause:
    outcome = data["outcome"]
    kind = outcome if isinstance(outcome, str) else next(k for k in ("error", "unspecified") if k in outcome)
    details = {} if isinstance(outcome, str) else outcome
    return Clause(
        id=data["id"],
        outcome=kind,
        accepts=tuple(details.get(kind, ())),
        uniform=details.get("uniform", False),
        follows=details.get("follows"),
        rule=_rule(data, values),
        order=tuple(data.get("order", ())),
        products=tuple(data.get("products", ())),
        text=_text(data["text"]),
        sources=_sources(data),
        conflicts=tuple(
            Conflict(between=tuple(c["between"]), text=_text(c["text"]), reading=_text(c["reading"]))
            for c in data.get("conflicts", ())
        ),
    )

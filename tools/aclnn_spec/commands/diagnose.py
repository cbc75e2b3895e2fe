"""`aclnn-spec diagnose`: what a call's status must be, and why."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from aclnn_spec.spec.argument import parse_argument
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import Clause, TensorDesc
from aclnn_spec.spec.operator import PHASE_ONE_OUTPUTS, Operator
from aclnn_spec.spec.read import Spec, load_spec

_WORDS = {
    "zh": {
        "broken": "违反的条款：",
        "found": "实际",
        "good": "没有违反任何条款。",
        "open": "此调用触及的未定条款（所列结果均可接受）：",
        "none": "此调用的参数不触及任何未定条款。",
        "data": "取决于数据的未定条款：",
        "accepts": "可接受",
        "unsupported": "{operator} 不支持 {product}。",
        "sources": "来源",
    },
    "en": {
        "broken": "Broken clauses:",
        "found": "found",
        "good": "It breaks no clause.",
        "open": "Unspecified clauses it touches (each listed outcome is accepted):",
        "none": "Its arguments touch no unspecified clause.",
        "data": "Unspecified clauses that depend on the data:",
        "accepts": "accepted",
        "unsupported": "{operator} is not supported on {product}.",
        "sources": "source",
    },
}


def run(given: Namespace) -> int:
    """Diagnose; 0 for a good call, 1 for one that breaks a clause."""
    spec = load_spec()
    operator = spec.operator(given.operator)
    if given.product is not None and given.product not in spec.tables.products:
        raise InputError(f"product: found {given.product!r}, expected one of {', '.join(spec.tables.products)}")
    arguments = call(operator, given.arguments)
    diagnosis = operator.validate(arguments)
    words = _WORDS[given.lang]
    print(f"{operator.name}: {diagnosis.status} — {diagnosis.status.meaning[given.lang]}")
    if given.product and not operator.products[given.product]:
        name = spec.tables.products[given.product].name[given.lang]
        print(words["unsupported"].format(operator=operator.name, product=name))
    facts = operator.facts(arguments)
    if diagnosis.broken:
        print(words["broken"])
        for clause in diagnosis.broken:
            found = clause.rule.found(facts)[given.lang] if clause.rule else ""
            codes = [spec.tables.status_codes[name] for name in clause.accepts]
            print(f"  {clause.id} ({', '.join(str(int(code)) for code in codes)}): {clause.text[given.lang]}")
            print(f"    {words['found']}: {found}")
            print(f"    {words['sources']}: {_sources(clause, spec, given.lang)}")
        return 1
    print(words["good"])
    touched = operator.open_clauses(arguments, given.product)
    print(words["open"] if touched else words["none"])
    for clause in touched:
        found = clause.rule.found(facts)[given.lang] if clause.rule else ""
        print(f"  {clause.id}: {clause.text[given.lang]}")
        print(f"    {words['found']}: {found}; {words['accepts']}: {', '.join(clause.accepts)}")
    by_data = [c.id for c in operator.clauses if c.outcome == "unspecified" and c.rule is None]
    print(f"{words['data']} {', '.join(by_data)}")
    return 0


def call(operator: Operator, texts: list[str]) -> dict[str, Any]:
    """Read PARAM=VALUE texts as a call; InputError names every one that is none, and every parameter left out."""
    arguments: dict[str, Any] = {}
    faults = []
    names = [p.name for p in operator.parameters]
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in (*names, *PHASE_ONE_OUTPUTS):
            faults.append(f"found {text!r}, expected PARAM=VALUE with PARAM one of {', '.join(names)}")
            continue
        if name in arguments:
            faults.append(f"{name}: given twice")
        try:
            arguments[name] = _spelt(operator, parse_argument(value))
        except ValueError as error:
            faults.append(f"{name}: found {value!r}: {error}")
    given = {text.partition("=")[0] for text in texts}
    faults += [f"{name}: not given; null is {name}=null" for name in names if name not in given]
    if faults:
        raise InputError(*faults)
    return {name: arguments[name] for name in (*names, *PHASE_ONE_OUTPUTS) if name in arguments}


def _spelt(operator: Operator, argument: Any) -> Any:
    """The argument with its type under the API's own name, whichever of the pages' spellings was given."""
    if not isinstance(argument, TensorDesc):
        return argument
    dtype = operator.tables.spellings.get(argument.dtype, argument.dtype)
    return TensorDesc(dtype=dtype, shape=argument.shape, format=argument.format)


def _sources(clause: Clause, spec: Spec, lang: str) -> str:
    return "; ".join(f"{spec.tables.sources[s.of][lang]}: {s.where[lang]}" for s in clause.sources)

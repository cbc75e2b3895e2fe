"""`aclnn-spec show`: an operator as a page in the terminal."""

from __future__ import annotations

import textwrap
from argparse import Namespace
from collections.abc import Iterator

from aclnn_spec.spec.model import Clause, Parameter, Text
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import Spec, load_spec

_WIDTH = 100
_WORDS = {
    "products": Text(zh="产品支持", en="Products"),
    "prototypes": Text(zh="函数原型", en="Prototypes"),
    "parameters": Text(zh="参数", en="Parameters"),
    "value": Text(zh="必须做到的（value）", en="What must hold (value)"),
    "error": Text(zh="必须报错的（error）", en="What must fail (error)"),
    "unspecified": Text(zh="未定的（unspecified）", en="What is left open (unspecified)"),
    "accuracy": Text(zh="精度", en="Accuracy"),
    "errata": Text(zh="官方页面勘误", en="Errata of the official page"),
    "example": Text(zh="例子", en="Example"),
    "conflict": Text(zh="来源冲突", en="conflict"),
    "reading": Text(zh="读法", en="reading"),
    "yes": Text(zh="支持", en="yes"),
    "no": Text(zh="不支持", en="no"),
}


def run(given: Namespace) -> int:
    """Show."""
    spec = load_spec()
    print("\n".join(page(spec.operator(given.operator), spec, given.lang)))
    return 0


def page(operator: Operator, spec: Spec, lang: str) -> Iterator[str]:
    """The page's lines."""

    def word(name: str) -> str:
        return _WORDS[name][lang]

    yield f"{operator.name} — {operator.title[lang]}  ({operator.version}, CANN {operator.cann})"
    yield from _filled(operator.summary[lang], "")
    yield f"  {operator.formula}"
    yield from ("", word("products"))
    for name, supported in operator.products.items():
        yield f"  {name}: {word('yes' if supported else 'no')} ({spec.tables.products[name].name[lang]})"
    yield from ("", word("prototypes"))
    for prototype in (operator.get_workspace_size, operator.execute):
        parameters = ", ".join(f"{c_type} {name}" for name, c_type in prototype.parameters)
        yield from _filled(f"aclnnStatus {prototype.name}({parameters})", "  ")
    yield from ("", word("parameters"))
    for parameter in operator.parameters:
        yield from _parameter(parameter, lang)
    for outcome in ("value", "error", "unspecified"):
        yield from ("", word(outcome))
        for clause in operator.clauses:
            if clause.outcome == outcome:
                yield from _clause(clause, spec, lang)
    yield from ("", word("accuracy"))
    for accuracy in operator.accuracy:
        when = ", ".join([*(word for words in accuracy.when.values() for word in words), *accuracy.dtype])
        yield f"  {when}: {accuracy.ulp} ULP"
        yield from _filled(accuracy.text[lang], "    ")
    yield from ("", word("errata"))
    for erratum in operator.errata:
        yield f"  {erratum.id}"
        yield from _filled(erratum.text[lang], "    ")
        yield from _filled(f"{word('reading')}: {erratum.reading[lang]}", "    ")
    yield from ("", word("example"))
    yield from _filled(operator.example_text[lang], "  ")


def _parameter(parameter: Parameter, lang: str) -> Iterator[str]:
    facts = [parameter.role, parameter.kind, *parameter.dtypes, *parameter.formats]
    if parameter.rank:
        facts.append("rank {}-{}".format(*parameter.rank))
    facts += [f"{name}={value}" for name, value in parameter.values.items()]
    facts += [f"{value:g}" for value in parameter.samples[:1]]
    yield f"  {parameter.name}: {', '.join(facts)}"
    yield from _filled(parameter.summary[lang], "    ")


def _clause(clause: Clause, spec: Spec, lang: str) -> Iterator[str]:
    known = spec.tables.status_codes
    codes = [str(int(known[name])) if name in known else name for name in clause.accepts]
    products = f" [{', '.join(clause.products)}]" if clause.products else ""
    yield f"  {clause.id}{': ' if codes else ''}{' | '.join(codes)}{products}"
    yield from _filled(clause.text[lang], "    ")
    if clause.rule is not None:
        yield from _filled(f"= {clause.rule.explain()[lang]}", "    ")
    for conflict in clause.conflicts:
        yield from _filled(f"{_WORDS['conflict'][lang]}: {conflict.text[lang]}", "    ")
        yield from _filled(f"{_WORDS['reading'][lang]}: {conflict.reading[lang]}", "    ")
    sources = "; ".join(f"{source.of}: {source.where[lang]}" for source in clause.sources)
    yield from _filled(f"<- {sources}", "    ")


def _filled(text: str, indent: str) -> list[str]:
    """Text in lines; Chinese, which has no spaces to break at, is left to the terminal."""
    if any("\u4e00" <= letter <= "\u9fff" for letter in text):
        return [indent + text]
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)

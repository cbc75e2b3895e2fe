"""A draft of an operator file from a page: everything that the page states, and what a person must decide."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from aclnn_spec.page.example import example_arguments
from aclnn_spec.page.facts import ParameterFacts, first_prototype, parameter_facts
from aclnn_spec.page.lint import lint
from aclnn_spec.page.model import GET_WORKSPACE_SIZE, Page, Prototype
from aclnn_spec.page.proposals import Proposal, proposals
from aclnn_spec.page.vocabulary import Vocabulary
from aclnn_spec.spec.errors import InputError

Data = dict[str, Any]

SCHEMA = "https://aclnn-spec.dev/schema/draft.json"
_HEADER = re.compile(r"(?:^|/)aclnn\w+\.h$")
_ERRATA = ("warning", "error")


def draft(page: Page, operator: str, vocabulary: Vocabulary, cann: str) -> Data:
    """The draft of one operator of a page; InputError when the page has no prototype of its phase 1."""
    prototype = first_prototype(page, operator)
    if prototype is None:
        found = ", ".join(page.operators) or "none"
        raise InputError(f"{page.source.path}: found prototypes of {found}, expected one of {operator}GetWorkspaceSize")
    facts = parameter_facts(page, operator, vocabulary)
    if not facts:
        raise InputError(f"{page.source.path}:{prototype.line}: found no parameter of {prototype.name}, expected some")
    document: Data = {
        "$schema": SCHEMA,
        "name": operator,
        "status": "draft",
        "version": "0.1.0",
        "cann": cann,
        "title": _todo("用自己的话给出标题", "a title in our own words"),
        "summary": _todo("用自己的话概括功能", "what it does, in our own words"),
        "formula": _formula(page),
        "header": _header(page),
        "products": {name: page.supported.get(name) for name in vocabulary.tables.products},
        "deterministic": page.determinism.get(operator),
        "prototypes": _prototypes(page, prototype, operator),
        "parameters": [_parameter(each) for each in facts],
        "clauses": list(_clauses(page, operator, vocabulary)),
        "notes": list(_notes(page, operator)),
        "errata": list(_errata(page, vocabulary)),
    }
    arguments = example_arguments(page, operator, facts, vocabulary)
    if arguments:
        line = page.examples[0].line
        document["example"] = {"arguments": arguments, "sources": _sources("调用示例", "the example", line)}
    document["todo"] = list(_todos(document))
    return document


def _todo(zh: str, en: str) -> Data:
    return {"zh": f"TODO：{zh}。", "en": f"TODO: {en}."}


def _sources(zh: str, en: str, line: int) -> list[Data]:
    return [{"of": "page", "where": {"zh": f"{zh}，第 {line} 行", "en": f"{en}, line {line}"}}]


def _formula(page: Page) -> str:
    """The page's displayed formulas, without their dollars."""
    displayed = [f.text for f in page.formulas if f.text.lstrip().startswith("$$")]
    texts = [" ".join(text.replace("$$", " ").split()) for text in displayed]
    return " \\\\ ".join(text for text in texts if text) or "TODO"


def _header(page: Page) -> str:
    paths = [include.path for example in page.examples for include in example.includes]
    return next((path for path in paths if _HEADER.search(path)), "TODO")


def _prototypes(page: Page, first: Prototype, operator: str) -> Data:
    second = page.prototype(operator)
    found = {"get_workspace_size": _prototype(first)}
    if second is not None:
        found["execute"] = _prototype(second)
    return found


def _prototype(prototype: Prototype) -> Data:
    parameters = [{"name": each.name, "c_type": each.c_type} for each in prototype.parameters]
    return {"name": prototype.name, "parameters": parameters}


def _parameter(facts: ParameterFacts) -> Data:
    """What is known of a parameter; what the page leaves out is left out."""
    known: Data = {"name": facts.name, "role": facts.role, "kind": facts.kind}
    stated: Data = {
        "dtypes": list(facts.dtypes) if facts.is_tensor or facts.kind == "scalar" else [],
        "formats": list(facts.formats) if facts.is_tensor else [],
        "rank": list(facts.rank) if facts.rank and facts.is_tensor else [],
        "values": dict(facts.values),
    }
    known |= {name: value for name, value in stated.items() if value}
    if facts.non_contiguous is not None:
        known["non_contiguous"] = facts.non_contiguous
    if facts.optional:
        known["optional"] = True
    known["summary"] = _todo(f"{facts.name} 是什么", f"what {facts.name} is")
    known["sources"] = _sources(f"参数表，{facts.name} 行", f"parameter table, row {facts.name}", facts.line)
    return known


def _clauses(page: Page, operator: str, vocabulary: Vocabulary) -> Iterator[Data]:
    ids: Counter[str] = Counter()
    if page.determinism.get(operator):
        line = next((r.line for r in page.constraints if "确定性" in r.text or "determin" in r.text), 1)
        yield {
            "id": "determinism",
            "outcome": "value",
            "text": _todo("说明两次调用的结果相同", "that two calls give the same bits"),
            "sources": _sources("约束说明", "constraints", line),
        }
    for proposal in proposals(page, operator, vocabulary):
        for clause in _error_clauses(proposal):
            ids[clause["id"]] += 1
            if ids[clause["id"]] > 1:
                clause["id"] = f"{clause['id']}_{ids[clause['id']]}"
            yield clause


def _error_clauses(proposal: Proposal) -> Iterator[Data]:
    """One clause for each rule of an error row, or one with the page's words alone."""
    row = proposal.row
    rules: list[Data | None] = [*proposal.rules] or [None]
    for rule in rules:
        clause: Data = {
            "id": rule["kind"] if rule else f"row_{row.line}",
            "outcome": {"error": [row.name or "TODO"]},
        }
        if rule is not None:
            clause["rule"] = rule
            clause["text"] = _todo("用自己的话说调用错在哪里", "in our own words, what the call broke")
        else:
            clause["text"] = _todo("选一种规则，再用自己的话写", "choose a rule, and say it in our own words")
        clause["page_text"] = row.text
        clause["sources"] = _sources("报错场景", "error rows", row.line)
        yield clause


def _notes(page: Page, operator: str) -> Iterator[Data]:
    for note in page.notes:
        if note.products and note.phase in (None, operator, operator + GET_WORKSPACE_SIZE) and note.text:
            sources = _sources("对部分产品的说明", "note on some products", note.line)
            yield {"products": list(note.products), "page_text": note.text, "sources": sources}


def _errata(page: Page, vocabulary: Vocabulary) -> Iterator[Data]:
    """What lint finds, as errata to be read."""
    for each in lint(page, vocabulary):
        if each.code.severity in _ERRATA:
            yield {
                "id": f"{each.code.name.replace('-', '_')}_{each.line}",
                "text": {lang: " ".join(each.message(lang).split()) for lang in ("zh", "en")},
                "reading": _todo("我们怎样理解", "how we read it"),
                "sources": _sources("页面", "the page", each.line),
            }


_MISSING = (
    ("formula", "TODO", _todo("页面没有可用的公式", "the page has no formula to take over")),
    ("header", "TODO", _todo("页面没有头文件", "the page names no header")),
    ("deterministic", None, _todo("页面没有一概而论", "the page does not tell, or not for all products alike")),
)
_UNTOLD = _todo("页面没有写明，或写法没有读懂", "the page does not tell, or in words not understood")


def _todos(document: Data) -> Iterator[Data]:
    """Where a person must decide."""
    yield from ({"where": name, "text": document[name]} for name in ("title", "summary"))
    yield from ({"where": name, "text": text} for name, value, text in _MISSING if document[name] == value)
    for name, supported in document["products"].items():
        if supported is None:
            yield {"where": f"products.{name}", "text": _UNTOLD}
    for i, parameter in enumerate(document["parameters"]):
        yield {"where": f"parameters[{i}].summary", "text": parameter["summary"]}
        wanted = ("dtypes", "formats", "rank", "non_contiguous") if parameter["kind"] == "tensor" else ()
        yield from ({"where": f"parameters[{i}].{n}", "text": _UNTOLD} for n in wanted if n not in parameter)
    yield from ({"where": f"clauses[{i}].text", "text": each["text"]} for i, each in enumerate(document["clauses"]))
    text = _todo("变成条款，或并入参数", "make it a clause, or part of a parameter")
    yield from ({"where": f"notes[{i}]", "text": text} for i in range(len(document["notes"])))
    yield from ({"where": f"errata[{i}].reading", "text": e["reading"]} for i, e in enumerate(document["errata"]))
    yield {"where": "accuracy", "text": _todo("推导容差", "derive the tolerances")}
    yield {"where": "clauses", "text": _todo("补上页面没说的行为", "add what the page is silent on")}

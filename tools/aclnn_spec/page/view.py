"""A parsed page as plain data, and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from aclnn_spec.page.model import Page, Parameter
from aclnn_spec.page.source import Source
from aclnn_spec.spec.model import Text

PAGE_SCHEMA = "https://aclnn-spec.dev/schema/page.json"
_Fact = tuple[int, str]
"""A line of the page, and what stands there."""
_PARTS = (
    "products",
    "prototypes",
    "phases",
    "summary",
    "formulas",
    "constraints",
    "notes",
    "examples",
    "links",
    "unread",
)
_WORDS = {
    "products": Text(zh="产品支持", en="Products"),
    "prototypes": Text(zh="函数原型", en="Prototypes"),
    "parameters": Text(zh="参数", en="Parameters"),
    "errors": Text(zh="报错场景", en="What fails"),
    "constraints": Text(zh="约束", en="Constraints"),
    "notes": Text(zh="只对部分产品成立的", en="For some products only"),
    "examples": Text(zh="示例代码", en="Example code"),
    "unread": Text(zh="没有读懂的", en="Not understood"),
    "nothing": Text(zh="无", en="nothing"),
    "yes": Text(zh="支持", en="yes"),
    "no": Text(zh="不支持", en="no"),
    "unknown": Text(zh="未知", en="unknown"),
    "unnamed": Text(zh="未知产品", en="unknown product"),
    "strided": Text(zh="可不连续", en="strided"),
    "dense": Text(zh="须连续", en="contiguous"),
    "optional": Text(zh="可选", en="optional"),
    "like": Text(zh="同 {name}", en="as {name}"),
    "rank": Text(zh="{low}–{high} 维", en="rank {low}–{high}"),
    "calls": Text(zh="调用 {names}", en="calls {names}"),
}


def page_data(page: Page) -> dict[str, Any]:
    """The page as JSON holds it: every fact with its line, and with its column on a flattened page."""
    return {
        "$schema": PAGE_SCHEMA,
        "path": page.source.path,
        "flattened": page.source.flattened,
        "title": _data(page.title, page.source),
        "operators": list(page.operators),
        **{part: _data(getattr(page, part), page.source) for part in _PARTS},
        "determinism": dict(page.determinism),
    }


def _data(value: Any, source: Source) -> Any:
    if isinstance(value, tuple):
        return [_data(each, source) for each in value]
    if not is_dataclass(value) or isinstance(value, type):
        return value
    data = {}
    for field in fields(value):
        inner = getattr(value, field.name)
        if field.name == "line":
            data["line"], column = source.place(inner)
            if source.flattened:
                data["column"] = column
        elif field.name not in ("parameter_tables", "error_tables"):
            data[field.name] = _data(inner, source)
    return data


def page_lines(page: Page, lang: str) -> Iterator[str]:
    """The page for a terminal, each line beginning with the place of its fact."""
    yield f"{page.source.path}: {', '.join(page.operators)}"
    for part, facts in (
        ("products", _products(page, lang)),
        ("prototypes", _prototypes(page)),
        *_phases(page, lang),
        ("notes", ((n.line, f"{', '.join(n.products)}: {n.text}") for n in page.notes)),
        ("constraints", ((remark.line, remark.text) for remark in page.constraints)),
        ("examples", _examples(page, lang)),
        ("unread", ((unread.line, f"{unread.what}: {unread.text}") for unread in page.unread)),
    ):
        word, _, name = part.partition(" ")
        lines = [f"  {page.source.at(line):>6}  {' '.join(text.split())}" for line, text in facts]
        yield f"{_WORDS[word][lang]}{': ' if name else ''}{name}"
        yield from lines or [f"  {_WORDS['nothing'][lang]}"]


def _products(page: Page, lang: str) -> Iterator[_Fact]:
    marks = {True: "yes", False: "no", None: "unknown"}
    for row in page.products:
        name = ", ".join(row.ids) or _WORDS["unnamed"][lang]
        yield row.line, f"{name}: {_WORDS[marks[row.supported]][lang]} ({row.text})"


def _prototypes(page: Page) -> Iterator[_Fact]:
    for prototype in page.prototypes:
        parameters = ", ".join(f"{p.c_type} {p.name}" for p in prototype.parameters)
        yield prototype.line, f"{prototype.name}({parameters})"


def _phases(page: Page, lang: str) -> Iterator[tuple[str, list[_Fact]]]:
    for phase in page.phases:
        yield f"parameters {phase.name}", [(p.line, ", ".join(_parameter(p, lang))) for p in phase.parameters]
        if phase.errors:
            yield f"errors {phase.name}", [(e.line, f"{e.name} ({e.number}): {e.text}") for e in phase.errors]


def _examples(page: Page, lang: str) -> Iterator[_Fact]:
    for example in page.examples:
        names = ", ".join(call.name for call in example.calls) or _WORDS["nothing"][lang]
        yield example.line, f"{example.language}: {_WORDS['calls'][lang].format(names=names)}"


def _parameter(parameter: Parameter, lang: str) -> Iterator[str]:
    yield f"{parameter.name}: {parameter.role or _WORDS['unknown'][lang]}"
    if parameter.c_type:
        yield parameter.c_type
    yield from (dtype.spelling for dtype in parameter.dtypes)
    if parameter.dtypes_of and not parameter.dtypes:
        yield _WORDS["like"][lang].format(name=parameter.dtypes_of)
    yield from parameter.formats
    if parameter.rank:
        yield _WORDS["rank"][lang].format(low=parameter.rank[0], high=parameter.rank[1])
    if parameter.non_contiguous is not None:
        yield _WORDS["strided" if parameter.non_contiguous else "dense"][lang]
    if parameter.optional:
        yield _WORDS["optional"][lang]

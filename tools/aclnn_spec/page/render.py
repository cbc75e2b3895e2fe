"""A page in the official template's form, made from the spec: what could be sent to those who keep the pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from aclnn_spec.page.program import program
from aclnn_spec.page.sentences import error_sentence, listed
from aclnn_spec.spec.model import Clause, Parameter, Prototype, Text
from aclnn_spec.spec.operator import Operator

_WORDS: Mapping[str, Text] = MappingProxyType(
    {
        "products": Text(zh="产品支持情况", en="Supported Products"),
        "yes": Text(zh="支持", en="supported"),
        "no": Text(zh="不支持", en="not supported"),
        "function": Text(zh="功能说明", en="Function Description"),
        "formula": Text(zh="计算公式：", en="Formula:"),
        "prototypes": Text(zh="函数原型", en="Function Prototypes"),
        "two_phases": Text(
            zh="接口分两段调用：先由{first}检查参数，给出workspace大小和执行器，再由{second}执行计算。",
            en="A call has two phases: {first} checks the arguments and gives the workspace size and an executor, "
            "then {second} computes.",
        ),
        "parameters": Text(zh="参数说明：", en="Parameters:"),
        "returns": Text(zh="返回值：", en="Return Value:"),
        "status": Text(zh="返回aclnnStatus状态码。", en="An aclnnStatus code."),
        "fails": Text(
            zh="第一段接口检查参数，出现以下场景时报错：",
            en="The first phase checks the arguments and fails in these situations:",
        ),
        "constraints": Text(zh="约束说明", en="Constraints"),
        "deterministic": Text(zh="{name}默认确定性实现。", en="{name} is deterministic by default."),
        "random": Text(zh="{name}默认非确定性实现。", en="{name} is not deterministic by default."),
        "open": Text(
            zh="没有规定的行为（各种结果均可接受）：",
            en="Behaviour that is left open (any of these outcomes is accepted):",
        ),
        "example": Text(zh="调用示例", en="Example Calls"),
        "example_text": Text(zh="示例代码如下，仅供参考。", en="For reference:"),
        "lacks": Text(zh="数据类型不支持{dtypes}。", en="does not support the data type {dtypes}."),
        "open_dtype": Text(
            zh="数据类型{dtypes}能否使用没有规定：可能得到正确结果，也可能返回错误。",
            en="whether the data type {dtypes} can be used is left open: the right result or an error may come.",
        ),
        "colon": Text(zh="：", en=": "),
    }
)
_COLUMNS = (
    Text(zh="参数名", en="Parameter"),
    Text(zh="输入/输出", en="Input/Output"),
    Text(zh="描述", en="Description"),
    Text(zh="使用说明", en="Usage"),
    Text(zh="数据类型", en="Data Type"),
    Text(zh="数据格式", en="Data Format"),
    Text(zh="维度(shape)", en="Dimensions (Shape)"),
    Text(zh="非连续Tensor", en="Non-contiguous Tensor"),
)
_ERROR_COLUMNS = (
    Text(zh="返回值", en="Return Value"),
    Text(zh="错误码", en="Error Code"),
    Text(zh="描述", en="Description"),
)
_ROLES = {
    "input": Text(zh="输入", en="Input"),
    "attribute": Text(zh="输入", en="Input"),
    "output": Text(zh="输出", en="Output"),
}
_HANDLES = {
    "workspaceSize": Text(
        zh="要在Device侧申请的workspace大小，单位为字节。",
        en="Size in bytes of the workspace to allocate on the device.",
    ),
    "executor": Text(zh="执行器，其中有算子的计算流程。", en="Executor that holds the computation."),
}
_SECOND = {
    "workspace": Text(zh="Device侧workspace的地址。", en="Address of the workspace on the device."),
    "workspaceSize": Text(
        zh="workspace大小，由第一段接口{first}给出。",
        en="Size of the workspace, from the first-phase function {first}.",
    ),
    "executor": Text(zh="第一段接口给出的执行器。", en="Executor that the first phase gave."),
    "stream": Text(zh="执行计算的Stream。", en="Stream to compute on."),
}


def render(operator: Operator, lang: str) -> str:
    """The page in one language, ending with a newline."""
    return "\n".join(_page(operator, lang)) + "\n"


def _page(operator: Operator, lang: str) -> Iterator[str]:
    def word(name: str) -> str:
        return _WORDS[name][lang]

    first, second = operator.get_workspace_size, operator.execute
    yield from (f"# {operator.name}", "", f"## {word('products')}", "")
    yield from _products(operator, lang)
    yield from ("", f"## {word('function')}", "", f"- {operator.summary[lang]}", f"- {word('formula')}", "")
    yield from ("  $$", f"  {operator.formula}", "  $$", "")
    yield from (f"## {word('prototypes')}", "")
    yield from (word("two_phases").format(first=first.name, second=second.name), "")
    yield from (*_prototype(first), "", *_prototype(second), "")
    yield from (f"## {first.name}", "", f"- **{word('parameters')}**", "")
    yield from _table(
        _COLUMNS, [*map(_row, operator.parameters, [lang] * len(operator.parameters)), *_handles(first, lang)], lang
    )
    yield from _exceptions(operator, lang)
    yield from ("", f"- **{word('returns')}**", "", f"  {word('status')}", "", f"  {word('fails')}", "")
    yield from _errors(operator, lang)
    yield from ("", f"## {second.name}", "", f"- **{word('parameters')}**", "")
    rows = [
        [n, _ROLES["input"][lang], _SECOND[n][lang].format(first=first.name)]
        for n, _ in second.parameters
        if n in _SECOND
    ]
    yield from _table(_COLUMNS[:3], rows, lang)
    yield from ("", f"- **{word('returns')}**", "", f"  {word('status')}", "", f"## {word('constraints')}", "")
    yield from _constraints(operator, lang)
    yield from ("", f"## {word('example')}", "", word("example_text"), "", "```cpp")
    yield from program(operator, lang)
    yield "```"


def _products(operator: Operator, lang: str) -> Iterator[str]:
    for i, (name, supported) in enumerate(operator.products.items(), start=1):
        product = operator.tables.products[name]
        mark = _WORDS["yes" if supported else "no"][lang]
        yield f'<!-- npu="{product.page_tags[0]}" id{i} -->'
        yield f"- {_terms(operator, [name], lang)}{_WORDS['colon'][lang]}{mark}"
        yield f"<!-- end id{i} -->"


def _terms(operator: Operator, names: Sequence[str], lang: str) -> str:
    products = [operator.tables.products[name] for name in names]
    spelt = [product.page_names_zh[0] if lang == "zh" else product.page_names_en[0] for product in products]
    return ("、" if lang == "zh" else ", ").join(f"<term>{name}</term>" for name in spelt)


def _prototype(prototype: Prototype) -> Iterator[str]:
    yield "```cpp"
    yield f"aclnnStatus {prototype.name}("
    width = max(len(c_type) for _, c_type in prototype.parameters)
    last = prototype.parameters[-1][0]
    for name, c_type in prototype.parameters:
        yield f"    {c_type:<{width}} {name}{')' if name == last else ','}"
    yield "```"


def _row(parameter: Parameter, lang: str) -> list[str]:
    values = [f"{value}({name})" for name, value in parameter.values.items()]
    tensor = parameter.kind == "tensor"
    dtypes = "、".join(parameter.dtypes) if tensor else {"int64": "INT64"}.get(parameter.kind, parameter.kind.upper())
    return [
        parameter.name,
        _ROLES[parameter.role][lang],
        parameter.summary[lang],
        ("、" if lang == "zh" else ", ").join(values) or "-",
        dtypes if lang == "zh" else dtypes.replace("、", ", "),
        ("、" if lang == "zh" else ", ").join(parameter.formats) or "-",
        "-".join(map(str, parameter.rank)) if parameter.rank else "-",
        ("√" if parameter.non_contiguous else "×") if tensor else "-",
    ]


def _handles(prototype: Prototype, lang: str) -> list[list[str]]:
    names = [name for name, _ in prototype.parameters if name in _HANDLES]
    return [[name, _ROLES["output"][lang], _HANDLES[name][lang], "-", "-", "-", "-", "-"] for name in names]


def _table(columns: Sequence[Text], rows: Sequence[Sequence[str]], lang: str) -> Iterator[str]:
    yield "  <table>"
    yield f"  <thead><tr>{''.join(f'<th>{column[lang]}</th>' for column in columns)}</tr></thead>"
    yield "  <tbody>"
    for row in rows:
        yield "    <tr>"
        yield from (f"      <td>{_escaped(cell)}</td>" for cell in row)
        yield "    </tr>"
    yield "  </tbody>"
    yield "  </table>"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _errors(operator: Operator, lang: str) -> Iterator[str]:
    """The error rows, those of one status under one another."""
    statuses = operator.tables.status_codes
    rows: dict[str, list[str]] = {}
    for clause in operator.clauses:
        if clause.outcome == "error" and clause.rule is not None and not clause.products:
            for name in clause.accepts[:1]:
                rows.setdefault(name, []).append(error_sentence(clause, lang))
    yield "  <table>"
    yield f"  <thead><tr>{''.join(f'<th>{column[lang]}</th>' for column in _ERROR_COLUMNS)}</tr></thead>"
    yield "  <tbody>"
    for name in sorted(rows, key=lambda name: int(statuses[name])):
        for i, sentence in enumerate(rows[name]):
            span = f' rowspan="{len(rows[name])}"' if len(rows[name]) > 1 else ""
            head = f"<td{span}>{name}</td><td{span}>{int(statuses[name])}</td>" if i == 0 else ""
            yield f"    <tr>{head}<td>{_escaped(sentence)}</td></tr>"
    yield "  </tbody>"
    yield "  </table>"


def _exceptions(operator: Operator, lang: str) -> Iterator[str]:
    """What is so on some products only: types that they refuse, or may."""
    for clause in operator.clauses:
        dtypes = getattr(clause.rule, "dtypes", ())
        if clause.products and clause.rule is not None and clause.rule.kind == "dtype_not_in":
            word = _WORDS["lacks" if clause.outcome == "error" else "open_dtype"][lang]
            supported = [name for name in clause.products if operator.products[name]]
            if supported:
                said = word.format(dtypes=listed(dtypes, lang))
                yield from ("", f"  - {_terms(operator, supported, lang)}{_WORDS['colon'][lang]}{said}")


def _constraints(operator: Operator, lang: str) -> Iterator[str]:
    word = _WORDS["deterministic" if operator.deterministic else "random"][lang]
    yield f"- {word.format(name=operator.name)}"
    yield from (f"- {_one_line(clause, lang)}" for clause in operator.clauses if clause.outcome == "value")
    left_open = [c for c in operator.clauses if c.outcome == "unspecified" and not c.products]
    if left_open:
        yield f"- {_WORDS['open'][lang]}"
        yield from (f"  - {_one_line(clause, lang)}" for clause in left_open)


def _one_line(clause: Clause, lang: str) -> str:
    return _escaped(" ".join(clause.text[lang].split()))

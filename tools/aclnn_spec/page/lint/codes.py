"""Every code that lint can report: the one table that messages, --codes and documents are made from.

A code is stable: its number never changes its meaning, and a number that is given up is not used again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aclnn_spec.spec.model import Text

SEVERITIES = ("note", "warning", "error")
"""From the mildest to the worst."""


@dataclass(frozen=True, kw_only=True)
class Code:
    """A kind of defect; `message` has fields in braces, which a finding fills."""

    id: str
    name: str
    severity: str
    message: Text


def _table(*rows: tuple[str, str, str, str, str]) -> Mapping[str, Code]:
    codes = [Code(id=i, name=name, severity=s, message=Text(zh=zh, en=en)) for i, name, s, zh, en in rows]
    return MappingProxyType({code.id: code for code in codes})


_E, _W, _N = "error", "warning", "note"

CODES = _table(
    # The page as a whole
    ("P101", "title", _E,
     "标题写的是 {found}，函数原型是 {expected} 的。",
     "The title is on {found}, the prototypes are those of {expected}."),
    ("P102", "heading-missing", _E,
     "缺少 {name} 一节的标题。",
     "There is no heading for {name}."),
    ("P103", "heading-misspelt", _E,
     "标题 {found} 写错了，应为 {expected}。",
     "The heading {found} is misspelt; it should be {expected}."),
    ("P104", "fence-open", _E,
     "代码块没有结束标记，后面的内容会被当成代码。",
     "The code fence is not closed; what follows it is shown as code."),
    ("P105", "region-open", _E,
     "{kind}没有结束标记。",
     "The {kind} is not closed."),
    ("P106", "comment-open", _W,
     "产品注释只有开头，没有对应的 end 注释。",
     "A product comment begins here and has no end."),
    ("P107", "tag-as-code", _N,
     "{tag} 写在反引号里，会原样显示出来。",
     "{tag} stands between backticks and is shown as it is written."),
    ("P108", "section-missing", _N,
     "缺少“{section}”一节。",
     "The section on {section} is missing."),
    # The build of tables
    ("P201", "rowspan", _E,
     'rowspan="{found}" 跨出了表格：这里只有 {expected} 行。',
     'rowspan="{found}" reaches beyond its rows: there are {expected}.'),
    ("P202", "row-short", _E,
     "这一行只有 {found} 格，表头有 {expected} 格。",
     "The row has {found} cells, the head has {expected}."),
    ("P203", "row-long", _E,
     "这一行有 {found} 格，表头只有 {expected} 格；单元格里的竖线要写成 \\|。",
     "The row has {found} cells, the head has {expected}; a pipe within a cell is written \\|."),
    ("P204", "span-value", _E,
     "rowspan 或 colspan 的值 {found} 不是数。",
     "{found} is no number for a rowspan or colspan."),
    ("P205", "cell-empty", _N,
     "参数 {name} 的单元格为空（{columns}）；没有内容时应写“-”。",
     "A cell of parameter {name} is empty ({columns}); a dash says that there is nothing to tell."),
    # Names
    ("P301", "stranger-in-errors", _E,
     "报错场景提到 {name}，而 {function} 没有这个参数。",
     "The error rows name {name}, a parameter that {function} lacks."),
    ("P302", "misspelt-in-errors", _E,
     "报错场景里的 {name} 应写作 {expected}。",
     "The error rows write {name} for {expected}."),
    ("P303", "row-renamed", _E,
     "参数表写的是 {name}，函数原型写的是 {expected}。",
     "The parameter table says {name}, the prototype {expected}."),
    ("P304", "row-missing", _E,
     "参数表缺少函数原型里的 {name}。",
     "The parameter table lacks {name}, which the prototype has."),
    ("P305", "row-order", _E,
     "参数表的次序和函数原型不同：{name} 不在原型中的位置。",
     "The parameter table is in another order than the prototype: {name} is not where the prototype has it."),
    ("P306", "row-type", _E,
     "{name} 在参数表中是 {found}，在函数原型中是 {expected}。",
     "{name} is {found} in the parameter table and {expected} in the prototype."),
    ("P307", "row-twice", _E,
     "参数表重复列出 {name}。",
     "The parameter table lists {name} twice."),
    ("P308", "row-extra", _E,
     "参数表列出 {name}，而 {function} 没有这个参数。",
     "The parameter table lists {name}, a parameter that {function} lacks."),
    ("P309", "stranger-in-text", _W,
     "说明文字提到 {name}，而 {function} 没有这个参数。",
     "The text names {name}, a parameter that {function} lacks."),
    ("P310", "misspelt-in-text", _W,
     "说明文字里的 {name} 应写作 {expected}。",
     "The text writes {name} for {expected}."),
    ("P311", "row-about-itself", _W,
     "{name} 的说明拿 {name} 和它自己比较。",
     "The row of {name} compares {name} with itself."),
    ("P312", "other-function", _E,
     "这里写的是 {name}，本页的第一段接口是 {expected}。",
     "This names {name}; the first phase on this page is {expected}."),
    ("P313", "other-operator", _E,
     "确定性说明写的是 {name}，本页的算子是 {expected}。",
     "What is said on determinism is about {name}; this page is about {expected}."),
    ("P314", "description-copied", _W,
     "{name} 的描述和 {other} 的完全相同，多半是复制时忘了改。",
     "{name} is described in the very words of {other}, most likely copied by mistake."),
    ("P315", "null-scalar", _W,
     "{name} 的类型是 {found}，不是指针，不可能是空指针。",
     "{name} is {found} and no pointer: it cannot be null."),
    # Status codes
    ("P401", "status-name", _E,
     "没有 {name} 这个状态码。",
     "There is no status {name}."),
    ("P402", "status-number", _E,
     "没有哪个状态码是 {number}。",
     "No status has the number {number}."),
    ("P403", "status-pair", _E,
     "{name} 是 {expected}，不是 {number}。",
     "{name} is {expected}, not {number}."),
    ("P404", "status-old", _W,
     "{name} 是旧拼写，应写作 {expected}。",
     "{name} is an old spelling of {expected}."),
    # Facts
    ("P501", "bfloat16", _W,
     "列出了 {dtype}，却没有注明 {products} 不支持它（{names}）。",
     "{dtype} is listed with no exception for {products}, whose chips lack it ({names})."),
    ("P502", "note-for-unsupported", _W,
     "产品支持情况里 {product} 为不支持，这里却有针对它的说明。",
     "{product} is marked as not supported, yet something is said of it here."),
    ("P503", "rank", _E,
     "{name} 的维度“{found}”不成立；应为 1-8 这样的范围。",
     "The rank of {name}, “{found}”, makes no sense; expected a range such as 1-8."),
    ("P504", "dtype", _E,
     "没有 {found} 这个数据类型（参数 {name}）。",
     "There is no data type {found} (parameter {name})."),
    ("P505", "dtype-spelling", _N,
     "同一个数据类型写法不一：{found}，别处写 {expected}。",
     "One data type is spelt in two ways: {found} here, {expected} elsewhere."),
    ("P506", "dtype-case", _N,
     "数据类型大小写不对：{found} 应写作 {expected}。",
     "Data types in the wrong case: {found} is written {expected}."),
    ("P507", "format", _W,
     "没有 {found} 这个数据格式（参数 {name}）。",
     "There is no data format {found} (parameter {name})."),
    ("P508", "format-case", _N,
     "数据格式 {found} 应写作 {expected}。",
     "The data format {found} is written {expected}."),
    ("P509", "scalar-strided", _W,
     "{name} 的类型是 {found}，不是 Tensor，却标为支持非连续。",
     "{name} is {found} and no tensor, yet is marked as supporting non-contiguous tensors."),
    ("P510", "no-output", _E,
     "{name} 标为输入，整张表没有一个输出。",
     "{name} is marked as an input, and the table has no output at all."),
    ("P511", "const-output", _E,
     "{name} 标为输出，而它在函数原型中是 const，其余输出都不是。",
     "{name} is marked as an output but is const in the prototype, unlike the other outputs."),
    ("P512", "gradient-called-loss", _W,
     "{operator} 是反向算子，它的输出 {name} 是梯度，却被称作损失。",
     "{operator} is a backward operator: its output {name} is a gradient but is called a loss."),
    ("P513", "formula", _N,
     "没有计算公式。",
     "There is no formula."),
    ("P514", "product", _W,
     "不认识的产品：{found}。",
     "Unknown product: {found}."),
    ("P515", "product-twice", _E,
     "{product} 既标为支持，又标为不支持。",
     "{product} is marked as supported and as not supported."),
    ("P516", "product-comment", _W,
     "产品注释（{tags}）和正文里的产品不一致：{products}。",
     "The comment ({tags}) and the text name different products: {products}."),
    ("P517", "deduction-link", _W,
     "讲类型推导规则，链接却指向类型转换页（本页共 {count} 处）。",
     "This is on type deduction, but the link leads to the page on casting ({count} on this page)."),
    ("P518", "formula-referred-to", _W,
     "这里提到公式，而本页没有公式。",
     "This speaks of a formula, and the page has none."),
    ("P519", "cell-dash", _N,
     "张量 {name} 没有写明{columns}。",
     "Of the tensor {name}, the table does not tell the {columns}."),
    ("P520", "rank-text", _W,
     "{name} 的维度列写 {found}，使用说明却允许 {expected} 维。",
     "The rank column gives {found} for {name}, the text allows {expected} dimensions."),
    # Example code
    ("P601", "call-count", _E,
     "{name} 有 {expected} 个参数，示例传了 {found} 个。",
     "{name} takes {expected} arguments, the example passes {found}."),
    ("P602", "call-order", _E,
     "示例把 {found} 传在了 {expected} 的位置。",
     "The example passes {found} where {expected} belongs."),
    ("P603", "header", _E,
     "头文件 {found} 和所调用的 {name} 对不上。",
     "The header {found} does not fit {name}, which is called."),
    ("P604", "header-missing", _W,
     "示例调用了 {name}，却没有包含它的头文件。",
     "The example calls {name} and includes no header of it."),
    ("P605", "call-missing", _W,
     "示例调用了 {found}，没有调用本页的 {name}。",
     "The example calls {found} and never {name} of this page."),
    # Links
    ("P701", "link", _E,
     "链接的目标不存在：{target}。",
     "The link leads nowhere: {target}."),
    ("P702", "anchor", _E,
     "没有这个锚点：{target}。",
     "There is no such anchor: {target}."),
    # The configuration
    ("P901", "silence-unused", _W,
     "{config} 中对 {code} 的屏蔽已经用不上了：{reason}",
     "{config} silences {code}, which is no longer found: {reason}"),
)  # fmt: skip

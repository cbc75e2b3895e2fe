"""What generated pages say beside the texts of the spec, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aclnn_spec.spec.model import Text

Words = Mapping[str, Text]


def said(words: Words, name: str, lang: str, **values: object) -> str:
    """A text in a language, its `{names}` filled in."""
    text = words[name][lang]
    return text.format(**values) if values else text


def _words(**pairs: tuple[str, str]) -> Words:
    return MappingProxyType({name: Text(zh=zh, en=en) for name, (zh, en) in pairs.items()})


OPERATOR = _words(
    operators=("算子", "Operators"),
    index=("规范已经覆盖的算子。每一页都由规范生成。", "The operators that the specification covers. Each page is generated from it."),
    operator=("算子", "Operator"),
    title=("说明", "Title"),
    version=("规范版本", "Version"),
    cann=("CANN 版本", "CANN"),
    versions=(
        "规范版本 {version}，对应 CANN {cann} 的官方文档。",
        "Version {version} of the specification, after the official page of CANN {cann}.",
    ),
    formula=("计算公式", "Formula"),
    products=("产品支持", "Products"),
    prototypes=("函数原型", "Prototypes"),
    header=("头文件：{header}。", "Header: {header}."),
    parameters=("参数", "Parameters"),
    clause_list=("条款", "Clauses"),
    about_clauses=(
        "每个条款都有固定的名字，用例和证书都用它引用。用例一项列出核心档中检验该条款的用例数，点击即可查看全部。",
        "Each clause has a name that stays, by which cases and certificates refer to it. "
        "Under cases is how many of the core tier test it; the number leads to all of them.",
    ),
    value=("必须做到的", "What must hold"),
    error=("必须报错的", "What must fail"),
    unspecified=("未定的", "What is left open"),
    outcome=("结果类别", "Outcome class"),
    accepts=("接受", "Accepts"),
    rule=("规则", "Rule"),
    order=("开源 host 代码的检查次序", "The open host code tests in this order"),
    only_on=("只涉及", "Only on"),
    uniform=("一次运行从头到尾只能是同一种。", "It must be the same one over a whole run."),
    follows=(
        "除第一种外，只有 {clause} 也表现出同一种时才接受。",
        "Any but the first counts only where {clause} shows the same one.",
    ),
    conflict=("来源冲突", "Conflict"),
    reading=("我们的解读", "Our reading"),
    sources=("来源", "Sources"),
    cases=("用例", "Cases"),
    status_codes=("返回码", "Status codes"),
    number=("数值", "Number"),
    name=("名称", "Name"),
    meaning=("含义", "Meaning"),
    clauses=("条款", "Clauses"),
    clause=("条款", "Clause"),
    deduction_matrix=("类型推导矩阵", "Type deduction"),
    about_deduction=(
        "三种记号说明一种输入类型的组合会怎样，格中的类型是推导结果，也就是计算所用的类型。"
        "输出取推导出的类型；推导结果不在支持范围内时，输出取参数表中的第一种类型。",
        "The sign says what becomes of a combination of input types; the type beside it is the deduced one, in which "
        "the operator computes. The output has the deduced type or, where the operator does not list that, the first "
        "one it lists.",
    ),
    broadcasting=("广播", "Broadcasting"),
    about_broadcast=(
        "实线格是张量自己的元素，虚线格是广播时重复使用的元素。{output} 必须具有广播后的形状。",
        "Solid cells are a tensor's own elements, dashed ones are repeated by broadcasting. "
        "{output} must have the shape that results.",
    ),
    broadcast_title=("{inputs} 一起广播，得到 {output}", "{inputs} broadcast together to {output}"),
    tolerance=("精度", "Accuracy"),
    about_tolerance=(
        "误差以 ULP 计，相对于正确舍入的结果；类型取推导类型与输出类型中较粗的一个。r 是广播后形状的维数。",
        "Errors are counted in ULP from the correctly rounded result, in the coarser of the deduced type and the "
        "output's. r is the rank of the broadcast shape.",
    ),
    reduction=("归约方式", "Reduction"),
    coarser_type=("类型", "Type"),
    any=("任意", "any"),
    limit=("上限", "Limit"),
    rank_r=("r", "r"),
    derivation=("推导", "Derivation"),
    open_behaviour=("未定行为", "Unspecified behaviour"),
    about_open=(
        "来源没有说明或互相矛盾之处，列出的结果都算合格。各列是内置实现的证书中记录的实际表现，以及出现它的用例数。",
        "Where sources are silent or disagree, every outcome listed passes. The columns tell what the certificates of "
        "the built-in implementations recorded, and in how many cases.",
    ),
    page_errata=("官方文档勘误", "Errata of the official page"),
    erratum=("名字", "Name"),
    text=("问题", "Mistake"),
    call_example=("示例", "Example"),
    type_and_shape=("类型与形状", "Type and shape"),
    values=("值", "Values"),
    downloads=("下载", "Downloads"),
    product=("产品", "Product"),
    id=("标识", "Id"),
    supported=("是否支持", "Supported"),
    yes=("支持", "yes"),
    no=("不支持", "no"),
    parameter=("参数", "Parameter"),
    role=("用途", "Role"),
    types=("数据类型", "Types"),
    formats=("格式", "Formats"),
    rank=("维数", "Rank"),
    non_contiguous=("非连续", "Non-contiguous"),
    input=("输入", "input"),
    output=("输出", "output"),
    attribute=("属性", "attribute"),
)

DOWNLOAD = _words(
    file=("文件", "File"),
    bytes=("字节数", "Bytes"),
    sha256=("SHA-256", "SHA-256"),
)

DATA = _words(
    title=("标杆数据", "Golden data"),
    about=(
        "核心档有 {cases} 个用例，随软件包一起安装，也可以在这里下载。文件在任何机器上生成都逐字节相同。全部用例见[用例表](cases.md)。",
        "The core tier has {cases} cases. It comes with the package and can be downloaded here. "
        "The files are the same, byte for byte, wherever they are built. [The table of cases](cases.md) lists them all.",
    ),
    files=("文件", "Files"),
    sums=(
        "另有 [`manifest.json`](../../data/core/manifest.json) 和 [`SHA256SUMS`](../../data/core/SHA256SUMS)。"
        "全部下载到同一目录后，用 `sha256sum -c SHA256SUMS` 校验；`aclnn-spec fetch --url` 会下载并校验。",
        "Beside them lie [`manifest.json`](../../data/core/manifest.json) and "
        "[`SHA256SUMS`](../../data/core/SHA256SUMS). With all of them in one directory, `sha256sum -c SHA256SUMS` "
        "verifies them; `aclnn-spec fetch --url` downloads and verifies by itself.",
    ),
    format=("格式", "Format"),
    file=("文件", "File"),
    content=("内容", "Content"),
    details=(
        "BFLOAT16 以 uint16 存它的位，COMPLEX32 以 uint32 存。没有存储的内容，即输出以及必定失败的调用的输入，在调用前填满字节 0xA5。读取时不需要 pickle。",
        "BFLOAT16 is stored as its bits in uint16, COMPLEX32 in uint32. What is not stored, outputs and the inputs of "
        "calls that must fail, is filled with the byte 0xA5 before a call. No pickle is needed to read it.",
    ),
    load=("加载", "Load"),
    numpy=(
        "只用 NumPy 和 json，即仓库中的 `examples/read_golden.py`：",
        "With NumPy and json alone; this is `examples/read_golden.py` of the repository:",
    ),
    pytorch=(
        "`load_golden` 给出类型正确的数组，再转成 PyTorch 张量：",
        "`load_golden` gives arrays of the right types, which become PyTorch tensors:",
    ),
    cpp=(
        "把文件读入内存，从 zip 目录取得成员的偏移，就能直接读取元素，不需要解压：",
        "Read the file into memory and take a member's offset from the zip directory; "
        "its elements can then be read in place, with nothing to decompress:",
    ),
    description=("数据集描述", "Dataset description"),
    croissant=(
        "[`croissant.json`](../../data/core/croissant.json) 以 MLCommons Croissant 的 JSON-LD 格式描述这些文件。",
        "[`croissant.json`](../../data/core/croissant.json) describes these files as MLCommons Croissant JSON-LD.",
    ),
    licence=("许可证", "Licence"),
    licence_text=("Apache-2.0，与本项目的代码相同。", "Apache-2.0, like the project's code."),
    manifest=(
        "每个数据文件的大小和 SHA-256，以及生成时所用规范文件的 SHA-256",
        "size and SHA-256 of every data file, and the SHA-256 of every spec file they were built from",
    ),
    records=(
        "用例：标识、分组、条款、理由、参数、接受的返回码、容差",
        "the cases: id, group, clauses, reason, arguments, status codes accepted, tolerance",
    ),
    storages=(
        "不压缩的 zip，内含一维 .npy 数组：存储为 `<case id>/<parameter>`，结果为 `<case id>/expected`，"
        "其他合格的值为 `<case id>/alternative.<i>`",
        "an uncompressed zip of one-dimensional .npy arrays: storages as `<case id>/<parameter>`, the result as "
        "`<case id>/expected`, other values that pass as `<case id>/alternative.<i>`",
    ),
)

CASES = _words(
    title=("用例表", "Cases"),
    about=(
        "核心档的全部用例，可按分组、条款、结果类别和文字筛选。筛选条件写在网址里，可以直接分享。",
        "All cases of the core tier, to be filtered by group, clause, outcome class and text. "
        "The address keeps the filter, so that it can be passed on.",
    ),
    groups=("分组", "Groups"),
    table=("全部用例", "All cases"),
    total=("合计", "Total"),
    case=("用例", "Case"),
    group=("分组", "Group"),
    clause=("条款", "Clause"),
    clauses=("条款", "Clauses"),
    outcome=("结果类别", "Outcome"),
    hunts=("要抓的错误", "Hunts"),
    text=("文字", "Text"),
    all=("全部", "all"),
    filter=("筛选用例", "Filter the cases"),
    reset=("清除", "Clear"),
    more=("继续显示", "Show more"),
    shown=("共 {total} 个用例，符合条件的有 {found} 个", "{found} of {total} cases"),
    failed=("用例没有加载成功，请经由网页服务器打开本页", "The cases could not be loaded: open this page from a web server"),
    noscript=(
        "此表需要脚本才能显示。同样的内容在核心档的 JSON 文件中。",
        "This table needs scripts. The core tier's JSON file holds the same.",
    ),
)

FORMAT = _words(
    keys=("各键一览", "Keys"),
    about=(
        "下列各表取自 `spec/schema/operator.json`；方括号表示列表。",
        "The tables below are those of `spec/schema/operator.json`; brackets stand for a list.",
    ),
    key=("键", "Key"),
    value=("值", "Value"),
    required=("必填", "Required"),
    yes=("是", "yes"),
    no=("否", "no"),
)

REFERENCE = _words(
    cli=("命令行", "Command line"),
    about_cli=(
        "`aclnn-spec` 的退出码：0 表示一切正常，1 表示答案是否定的，2 表示调用有误或文件无法使用。",
        "`aclnn-spec` exits with 0 when all is well, 1 when the answer is no, "
        "and 2 for a wrong call or a file that cannot be used.",
    ),
    python=("Python 接口", "Python"),
    about_python=(
        "以下名字都可以从 `aclnn_spec` 导入，在用到时才加载。",
        "These names are imported from `aclnn_spec`; each is loaded when it is first used.",
    ),
    argument=("参数", "Argument"),
    meaning=("含义", "Meaning"),
    choices=("可选值", "Choices"),
    default=("默认值", "Default"),
    member=("成员", "Member"),
)

"""Every kind of defect is found where it is, and not where something only looks like it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from string import Formatter

import jsonschema
import pytest

from aclnn_spec.page.lint import lint
from aclnn_spec.page.lint.base import Finding
from aclnn_spec.page.lint.codes import CODES, SEVERITIES
from aclnn_spec.page.parse import parse
from aclnn_spec.page.source import source_from
from aclnn_spec.page.vocabulary import Vocabulary, vocabulary_from
from aclnn_spec.spec.read import Spec
from conftest import Command

PAGES = Path(__file__).parent / "pages"
TILT = PAGES / "aclnnTiltBackward.md"
TEXT = TILT.read_text(encoding="utf-8")
SARIF = Path(__file__).parent / "pages" / "sarif-2.1.0-rtm.5.json"

Lint = Callable[[str], tuple[Finding, ...]]
ROW = "    <tr>\n      <td>limit（double）</td>"
NULL_ROW = "gradOutput、self或gradInput是空指针。"
LIMIT_CELLS = (
    "<td>斜率。</td>\n      <td>-</td>\n      <td>DOUBLE</td>\n      <td>-</td>\n      <td>-</td>\n      <td>-</td>"
)
OUTPUT_CELLS = "<td>对self的梯度。</td>\n      <td>-</td>\n      <td>FLOAT、FLOAT16、BFLOAT16</td>\n      <td>ND</td>\n      <td>1-8</td>"
FORMULA = "- 计算公式：\n\n  $$\n  gradInput_i = limit \\cdot gradOutput_i\n  $$\n"

DEFECTS = {
    "P101": [("# aclnnTiltBackward\n", "# aclnnTilt\n")],
    "P102": [("## aclnnTiltBackward\n", "## 第二段接口\n")],
    "P103": [("## aclnnTiltBackwardGetWorkspaceSize\n", f"## {name}\n") for name in ("aclnnTiltBackwadGetWorkspaceSize", "aclnnTiltBackwardGetWorkSpaceSize", "aclnTiltBackwardGetWorkspaceSize", "aclnnTiltBackward GetWorkspaceSize")],
    "P104": [("    aclOpExecutor**  executor)\n```\n", "    aclOpExecutor**  executor)\n"), ("stream);\n}\n```\n", "stream);\n}\n"), ("    aclrtStream    stream)\n```\n", "    aclrtStream    stream)\n")],
    "P105": [("gradOutput_i\n  $$\n", "gradOutput_i\n"), ("  </tbody></table>\n\n## ", "  </tbody>\n\n## ")],
    "P106": [("  <!-- end id7 -->\n", "")],
    "P107": [("gradOutput和self的元素个数相同。", "gradOutput和self的元素个数相同。`<br>`")],
    "P108": [("## 约束说明\n\n- 确定性计算：aclnnTiltBackward默认确定性实现。\n- gradOutput和self的元素个数相同。\n", "")],
    "P201": [('rowspan="4"', 'rowspan="6"'), ('<td rowspan="4">161002</td>', '<td rowspan="5">161002</td>')],
    "P202": [("      <td>斜率。</td>\n", ""), ('rowspan="4"', 'rowspan="3"'), ("| stream | 输入 | 执行的Stream。 |", "| stream | 输入 |")],
    "P203": [("      <td>斜率。</td>\n", "      <td>斜率。</td>\n      <td>-</td>\n"), ("| 执行的Stream。 |", "| 执行|的Stream。 |")],
    "P204": [('<td rowspan="4">ACLNN', '<td rowspan="四">ACLNN')],
    "P205": [("<td>斜率。</td>", "<td></td>")],
    "P301": [(NULL_ROW, "gradOutput、self或out是空指针。"), (NULL_ROW, "指定的other的数据类型不对，gradOutput是空指针。")],
    "P302": [(NULL_ROW, "gradoutput、self或gradInput是空指针。"), (NULL_ROW, "grad_input是空指针。")],
    "P303": [("<td>limit（double）</td>", "<td>limits（double）</td>"), ("| stream |", "| streams |")],
    "P304": [("| stream | 输入 | 执行的Stream。 |\n", "")],
    "P305": [("| executor | 输入 | 执行器。 |\n  | stream | 输入 | 执行的Stream。 |", "| stream | 输入 | 执行的Stream。 |\n  | executor | 输入 | 执行器。 |")],
    "P306": [("<td>limit（double）</td>", "<td>limit（float）</td>"), ("<td>executor（aclOpExecutor**）</td>", "<td>executor（aclOpExecutor*）</td>")],
    "P307": [("| stream | 输入 | 执行的Stream。 |", "| stream | 输入 | 执行的Stream。 |\n  | stream | 输入 | 执行的Stream。 |")],
    "P308": [("| stream | 输入 | 执行的Stream。 |", "| stream | 输入 | 执行的Stream。 |\n  | priority | 输入 | 优先级。 |")],
    "P309": [("gradOutput和self的元素个数相同", "gradOutput和gradSelf的元素个数相同"), ("shape需要与gradOutput满足", "shape需要与gradOutput、other满足")],
    "P310": [("shape需要与gradOutput满足", "shape需要与gradoutput、limit满足"), ("与gradOutput满足broadcast关系。</li>", "与limit满足broadcast关系，类型与grad_output一致。</li>")],
    "P311": [("shape需要与gradOutput满足", "shape需要与gradOutput、self满足")],
    "P312": [("由第一段接口aclnnTiltBackwardGetWorkspaceSize获取", "由第一段接口aclnnTiltBackward获取"), ("先调用“aclnnTiltBackwardGet", "先调用“aclnnSlopeBackwardGet")],
    "P313": [("aclnnTiltBackward默认确定性实现", "aclnnSlopeBackward默认确定性实现")],
    "P314": [("<td>对self的梯度。</td>", "<td>上游的梯度，公式中的gradOutput。</td>")],
    "P315": [(NULL_ROW, "gradOutput、self、mode或gradInput是空指针。")],
    "P401": [("ACLNN_ERR_PARAM_NULLPTR", "ACLNN_ERR_PARAM_NULL")],
    "P402": [("161001", "161009")],
    "P403": [("<td>161001</td>", "<td>161002</td>"), ("例如161002(", "例如161001(")],
    "P404": [("返回状态码，例如", "返回ACLNN_ERR_INNER_KEY_CONFILICT，或")],
    "P501": [('  <!-- npu="310p" id7 -->\n  - <term>Atlas 推理系列产品</term>：数据类型不支持BFLOAT16。\n  <!-- end id7 -->\n', ""), ("数据类型不支持BFLOAT16。", "数据类型不支持DOUBLE。")],
    "P502": [("- <term>Atlas 推理系列产品</term>：支持", "- <term>Atlas 推理系列产品</term>：不支持")],
    "P503": [("<td>1-8</td>", "<td>8-1</td>"), ("<td>1-8</td>", "<td>1月8日</td>"), ("<td>1-8</td>", "<td>1-</td>"), ("<td>1-8</td>", "<td>1-9</td>"), ("<td>1-8</td>", "<td>√</td>")],
    "P504": [("FLOAT、FLOAT16", "FLOAT、FP16"), ("<td>INT64</td>", "<td>INT</td>"), ("FLOAT、FLOAT16", "FLOAT、FLAOT16"), ("<td>DOUBLE</td>", "<td>DUOBLE</td>")],
    "P505": [("与gradOutput一致", "FLOAT32、FLOAT16、BFLOAT16")],
    "P506": [("FLOAT、FLOAT16", "FLOAT、float16"), ("<td>DOUBLE</td>", "<td>Double</td>")],
    "P507": [("<td>ND</td>", "<td>NZ</td>"), ("<td>ND</td>", "<td>ND、NHWD</td>")],
    "P508": [("<td>ND</td>", "<td>nd</td>")],
    "P509": [(LIMIT_CELLS, LIMIT_CELLS[: -len("-</td>")] + "√</td>")],
    "P510": [("<td>输出</td>\n      <td>对self", "<td>输入</td>\n      <td>对self")],
    "P511": [("<td>输入</td>\n      <td>正向的输入。</td>", "<td>输出</td>\n      <td>正向的输入。</td>")],
    "P512": [("<td>对self的梯度。</td>", "<td>输出的损失。</td>")],
    "P513": [(FORMULA, "")],
    "P514": [("- <term>Atlas 训练系列产品</term>", "- <term>Atlas A9 训练系列产品</term>"), ("Atlas A3 训练系列产品/Atlas A3 推理系列产品", "Atlas A9 训练系列产品/Atlas A3 推理系列产品")],
    "P515": [("- <term>Atlas 训练系列产品</term>：不支持", "- <term>Atlas 推理系列产品</term>：不支持")],
    "P516": [('npu="310p" id7', 'npu="910b,310p" id7')],
    "P517": [("deduction_relationship.md", "conversion_relationship.md")],
    "P518": [(FORMULA, "")],
    "P519": [(OUTPUT_CELLS, OUTPUT_CELLS.replace("<td>ND</td>", "<td>-</td>")), ("<td>对self的梯度。</td>", "<td>-</td>")],
    "P520": [("<li>不支持空Tensor。</li>", "<li>shape支持0维。</li>"), ("<li>不支持空Tensor。</li>", "<li>mode为0时self为标量。</li>")],
    "P521": [(NULL_ROW, "gradOutput、gradInput是空指针。")],
    "P522": [("gradOutput、self或gradInput的shape超过8维。", "gradOutput、self的shape超过8维。")],
    "P523": [("    const aclTensor* self,", "    aclTensor* self,")],
    "P601": [("limit, mode, gradInput, &work", "limit, gradInput, &work"), ("(workspaceAddr, workspaceSize, executor, stream)", "(workspaceAddr, workspaceSize, executor)")],
    "P602": [("gradOutput, self, limit, mode, gradInput, &work", "self, gradOutput, limit, mode, gradInput, &work")],
    "P603": [("aclnnop/aclnn_tilt_backward.h", "aclnnop/aclnn_tilt.h")],
    "P604": [('#include "aclnnop/aclnn_tilt_backward.h"\n', "")],
    "P605": [("  ret = aclnnTiltBackward", "  ret = aclnnSlopeBackward")],
    "P702": [("(#函数原型)", "(#函数定义)")],
    "P703": [("倾斜函数的梯度", "倾斜函数的梯度（[一](../../docs/zh/a.md)、[二](../../../docs/zh/b.md)、[三](../../docs/zh/c.md)）")],
}  # fmt: skip
"""Code → changes of the good page, each of which must bring it up."""

LOOKALIKES = {
    "P101": [("# aclnnTiltBackward\n", "# aclnnTiltBackward（梯度）\n"), ("# aclnnTiltBackward\n", "# 倾斜的梯度\n")],
    "P102": [("## aclnnTiltBackward\n", "## 2. aclnnTiltBackward 接口\n")],
    "P103": [("## 约束说明\n", "## 与aclnnSlopeBackward的区别\n\n无。\n\n## 约束说明\n")],
    "P104": [("## 约束说明\n", "## 约束说明\n\n````md\n```cpp\n````\n"), ("## 约束说明\n", "## 约束说明\n\n~~~\n```cpp\n~~~\n")],
    "P105": [("gradOutput_i\n  $$\n", "gradOutput_i$$\n"), ("倾斜函数的梯度", "倾斜函数的梯度（不是`<table>`）")],
    "P106": [("  <!-- end id7 -->\n", "  <!-- 说明 -->\n  <!-- end id7 -->\n")],
    "P107": [("aclnnTiltBackward默认", "`a<b`，aclnnTiltBackward默认"), ("int main() {", "int main() {  // `<br>`")],
    "P108": [("## 约束说明\n", "## 约束与限制\n")],
    "P201": [('rowspan="4"', 'rowspan="0"'), ('rowspan="4"', "rowspan='4'")],
    "P202": [("<td>斜率。</td>\n      <td>-</td>", '<td colspan="2">斜率。</td>'), ("<td>斜率。</td>", "<td>斜率。")],
    "P203": [("| 执行的Stream。 |", "| 执行\\|的Stream。 |"), ("<td>斜率。</td>", "<td>斜率|坡度。</td>")],
    "P204": [('rowspan="4"', "rowspan=4")],
    "P205": [("<td>斜率。</td>", "<td>—</td>")],
    "P301": [
        (NULL_ROW, "gradOutput、self、workspaceSize或executor是空指针。"),
        (NULL_ROW, "gradOutput的shape不是(seqLen, headDim)，或self与seqLen、headDim不一致。"),
        (NULL_ROW, "gradOutput、self的dtype、shape或rank不一致，FLOAT和ND除外。"),
        (NULL_ROW, "gradInput[0]、self是nullptr，或N、C小于1。"),
    ],
    "P302": [(NULL_ROW, "Self、gradInput是空指针，见aclnnTiltBackward。")],
    "P303": [("<td>limit（double）</td>", "<td>`limit`（double）</td>"), ("<td>limit（double）</td>", "<td>limit\n（double）</td>")],
    "P304": [("| stream | 输入 | 执行的Stream。 |\n", "\n  - stream：执行的Stream。\n")],
    "P305": [("| executor | 输入 | 执行器。 |\n", "| executor | 输入 | 先于stream给出的执行器。 |\n")],
    "P306": [("self（aclTensor*）", "self（const aclTensor *）"), ("<td>limit（double）</td>", "<td>limit（可选）</td>")],
    "P307": [("| stream | 输入 | 执行的Stream。 |", "| stream | 输入 | 执行的Stream，不是别的stream。 |")],
    "P308": [("| stream | 输入 | 执行的Stream。 |", "| stream | 输入 | 执行的Stream。 |\n  | - | - | - |")],
    "P309": [
        ("gradOutput和self的元素个数相同", "gradOutput和self的shape、dtype相同"),
        ("gradOutput和self的元素个数相同", "gradOutput与公式中的x相同，self的shape为[batch, seqLen]，与batch、self有关"),
        ("gradOutput和self的元素个数相同", "For gradOutput, self and zero, results are exact"),
    ],
    "P310": [("<td>斜率。</td>", "<td>公式中的grad_output的斜率。</td>"), ("<td>斜率。</td>", "<td>torch里叫grad_input。</td>")],
    "P311": [("shape需要与gradOutput满足", "self的shape需要与gradOutput满足")],
    "P312": [("倾斜函数的梯度", "aclnnTilt的梯度，先后见aclnnTiltBackwardGetWorkspaceSize"), ("先调用“aclnnTiltBackwardGetWorkspaceSize”", "先调用`aclnnTiltBackwardGetWorkspaceSize`")],
    "P313": [("aclnnTiltBackward默认确定性实现", "aclnnTiltBackward默认为非确定性实现")],
    "P314": [("<td>执行器。</td>", "<td>workspace的大小。</td>"), ("<td>正向的输入。</td>", "<td>上游的梯度，公式中的gradOutput。</td>")],
    "P315": [(NULL_ROW, "gradOutput是空指针，或mode的值为空。"), (NULL_ROW, "当mode为1时，gradInput是空指针。")],
    "P401": [("ACLNN_ERR_PARAM_NULLPTR", "ACLNN_ERR_RUNTIME_ERROR")],
    "P402": [("的Stream。 |", "的Stream，编号如123456。 |")],
    "P403": [("例如161002(ACLNN_ERR_PARAM_INVALID)", "例如ACLNN_ERR_INNER(561000)")],
    "P404": [("返回状态码，例如", "返回ACLNN_ERR_INNER_KEY_CONFLICT，或")],
    "P501": [
        ("数据类型不支持BFLOAT16。", "不支持BF16。"),
        ("数据类型不支持BFLOAT16。", "对数据类型有限制。"),
        ("数据类型不支持BFLOAT16。", "数据类型支持FLOAT、FLOAT16。"),
        ("  - <term>Atlas 推理系列产品</term>：数据类型不支持BFLOAT16。", "  - BFLOAT16仅<term>Atlas A2 训练系列产品</term>支持。"),
        ("- <term>Atlas 训练系列产品</term>：不支持", "- <term>Atlas 200I/500 A2 推理产品</term>：不支持"),
    ],
    "P502": [("## 约束说明\n", "## 约束说明\n\n- <term>Atlas 训练系列产品</term>：不支持。\n")],
    "P503": [("<td>1-8</td>", f"<td>{rank}</td>") for rank in ("0~8维", "1、2", "4", "(N,C)或(C)", "与self一致", "不大于8维", "-")],
    "P504": [("<td>DOUBLE</td>", "<td>double</td>"), ("<td>DOUBLE</td>", "<td>标量</td>"), ("<td>DOUBLE</td>", "<td>STRING</td>"), ("与gradOutput一致", "FLOAT，且与gradOutput的DTYPE一致"), ("FLOAT16、BFLOAT16", "FLOAT16、HIFLOAT8、FLOAT8_E4M3FN、BFLOAT16<sup>1</sup>")],
    "P505": [("<td>DOUBLE</td>", "<td>FLOAT64</td>")],
    "P506": [("<td>INT64</td>", "<td>int64_t</td>"), ("<td>DOUBLE</td>", "<td>double</td>")],
    "P507": [("<td>ND</td>", "<td>ND、NCDHW</td>"), ("<td>ND</td>", "<td>与gradOutput一致</td>"), ("<td>ND</td>", "<td>推荐ND，或(N, C, HW)</td>"), ("<td>ND</td>", "<td>FRACTAL_NZ</td>")],
    "P508": [("<td>ND</td>", "<td>ND。</td>")],
    "P509": [(LIMIT_CELLS, LIMIT_CELLS[: -len("-</td>")] + "×</td>")],
    "P510": [("<td>输出</td>\n      <td>对self", "<td>输入/输出</td>\n      <td>对self"), ("<td>输出</td>\n      <td>对self", "<td>出参</td>\n      <td>对self")],
    "P511": [("    aclTensor*       gradInput,", "    const aclTensor* gradInput,")],
    "P512": [("<td>对self的梯度。</td>", "<td>损失对self的梯度。</td>"), ("<td>正向的输入。</td>", "<td>正向的损失。</td>")],
    "P513": [(FORMULA, "- 计算公式：`gradInput = limit * gradOutput`\n"), (FORMULA, "- 计算公式：![公式](https://example.org/a.png)\n"), (FORMULA, "- 计算公式：$g = l$\n")],
    "P514": [("- <term>Atlas A2 训练系列产品/Atlas A2 推理系列产品</term>", "- Atlas A2训练系列产品 / Atlas 800I A2推理产品"), ("- <term>Atlas 训练系列产品</term>：不支持", "- <term>Kirin X90 处理器系列产品</term>：不支持"), ("- <term>Atlas 推理系列产品</term>", "- <term>Atlas 推理系列产品</term>（如Atlas 300I Duo）")],
    "P515": [("- <term>Atlas 训练系列产品</term>：不支持", "- <term>Atlas 训练系列产品</term>：不支持\n- <term>Atlas 训练系列产品</term>：不支持")],
    "P516": [('npu="310p" id7', 'npu="kirin" id7')],
    "P517": [('参见<a href="deduction_relationship.md">互推导关系</a>）', '参见<a href="deduction_relationship.md">互推导关系</a>），再<a href="conversion_relationship.md">转换</a>')],
    "P518": [(FORMULA, "- 计算公式：$g = l$\n")],
    "P519": [("<td>斜率。</td>", "<td>没有格式的斜率。</td>"), (OUTPUT_CELLS, OUTPUT_CELLS.replace("<td>ND</td>", "<td>与self一致</td>")), ("<td>对self的梯度。</td>\n      <td>-</td>", "<td>-</td>\n      <td>gradInput是对self的梯度。</td>")],
    "P520": [("<li>不支持空Tensor。</li>", "<li>shape支持3维。</li><li>shape的第0维不限。</li>"), ("<li>不支持空Tensor。</li>", "<li>self不为标量，limit为标量。</li>")],
    "P521": [
        (NULL_ROW, "gradOutput、gradInput是空指针，self为空指针时除外。"),
        (NULL_ROW, "任何一个Tensor是空指针。"),
        ("<td>正向的输入。</td>", "<td>正向的输入，可以为空。</td>"),
    ],
    "P522": [("gradOutput、self或gradInput的shape超过8维。", "有Tensor的shape超过8维。")],
    "P523": [("    aclTensor*       gradInput,", "    const aclTensor* gradInput,"), ("<td>输入</td>\n      <td>正向的输入。</td>", "<td>输入/输出</td>\n      <td>正向的输入。</td>")],
    "P601": [("limit, mode, gradInput, &work", "f(limit, 1), {mode, 2}, gradInput, &work"), ("int main() {", "aclnnStatus aclnnTiltBackward(void* a);\nint main() {")],
    "P602": [("gradOutput, self, limit", "a, b, limit"), ("gradOutput, self, limit", "gradOutput, x, 0.5")],
    "P603": [("aclnnop/aclnn_tilt_backward.h", "aclnnop/level2/aclnn_tiltbackward.h"), ("aclnnop/aclnn_tilt_backward.h", "aclnn_tilt_backward.h"), ("aclnnop/aclnn_tilt_backward.h", "aclnnop/aclnn_tilting_backward.h")],
    "P604": [('#include <vector>\n#include "acl/acl.h"\n#include "aclnnop/aclnn_tilt_backward.h"\n', "")],
    "P605": [("  ret = aclnnTiltBackward(", "  ret = aclnnSlope(a);\n  ret = aclnnTiltBackward(")],
    "P702": [("(#函数原型)", "(#函数-原型)"), ("(#函数原型)", "(#)"), ("(#函数原型)", '(#x)<a name="x"></a>')],
    "P703": [("倾斜函数的梯度", "倾斜函数的梯度（[一](../../docs/zh/a.md)、[二](../../docs/zh/b.md)、[三](../docs/c.md)、[四](../../docs/d.md)、[五](https://example.org/docs/zh/a.md)）")],
}  # fmt: skip
"""Code → changes of the good page that must not bring it up."""

ELSEWHERE = {"P701", "P901"}
"""Codes that need files beside the page; they have tests of their own."""


@pytest.fixture(scope="session")
def check(spec: Spec) -> Lint:
    """Lints a text as a page."""
    vocabulary: Vocabulary = vocabulary_from(spec.tables)

    def run(text: str) -> tuple[Finding, ...]:
        return lint(parse(source_from(text.encode(), "aclnnTiltBackward.md"), vocabulary), vocabulary)

    return run


def cases(table: dict[str, list[tuple[str, str]]]) -> list[object]:
    """The changes of a table, each with its code and number for a name."""
    return [
        pytest.param(code, old, new, id=f"{code}-{i}")
        for code, changes in table.items()
        for i, (old, new) in enumerate(changes)
    ]


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda path: path.stem)
def test_good_pages_are_clean(path: Path, check: Lint) -> None:
    """In pages without defects none is found."""
    assert check(path.read_text(encoding="utf-8")) == ()


@pytest.mark.parametrize(("code", "old", "new"), cases(DEFECTS))
def test_a_defect_is_found(code: str, old: str, new: str, check: Lint) -> None:
    """A defect brings up its code, with whole messages in two languages."""
    assert old in TEXT
    found = check(TEXT.replace(old, new))
    assert code in [each.code.id for each in found]
    for each in found:
        assert 1 <= each.line <= len(TEXT.splitlines()) + 9
        assert each.message("zh") != each.message("en")
        assert "{" not in each.message("zh") + each.message("en")


@pytest.mark.parametrize(("code", "old", "new"), cases(LOOKALIKES))
def test_what_only_looks_like_a_defect_is_let_be(code: str, old: str, new: str, check: Lint) -> None:
    """What resembles a defect and is none does not bring up its code."""
    assert old in TEXT
    assert code not in [each.code.id for each in check(TEXT.replace(old, new))]


def test_every_code_has_a_true_and_a_false_example() -> None:
    """No code is without both, and the tables name no code that there is not."""
    assert set(DEFECTS) | ELSEWHERE == set(CODES)
    assert set(LOOKALIKES) | ELSEWHERE == set(CODES)


def test_codes_are_well_formed() -> None:
    """Each has a name of its own, a known severity, and the same fields in both languages."""
    names = [code.name for code in CODES.values()]
    assert len(set(names)) == len(names)
    for code in CODES.values():
        fields = [sorted({f for _, f, _, _ in Formatter().parse(code.message[lang]) if f}) for lang in ("zh", "en")]
        assert fields[0] == fields[1], code.id
        assert code.severity in SEVERITIES


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        (NULL_ROW, "gradOutput、self或out是空指针。", "P301", "<td>ACLNN_ERR_PARAM_NULLPTR"),
        ('rowspan="4"', 'rowspan="6"', "P201", '<td rowspan="6">ACLNN'),
        ("limit, mode, gradInput, &work", "limit, gradInput, &work", "P601", "ret = aclnnTiltBackwardGet"),
        ("deduction_relationship.md", "conversion_relationship.md", "P517", "conversion_relationship.md"),
    ],
)
def test_a_finding_has_its_place(old: str, new: str, code: str, words: str, check: Lint) -> None:
    """The line of a finding is that of the fact, or of the row it stands in."""
    text = TEXT.replace(old, new)
    line = next(i for i, each in enumerate(text.splitlines(), start=1) if words in each)
    [found] = [each for each in check(text) if each.code.id == code]
    assert line - 1 <= found.line <= line


def written(folder: Path, text: str, name: str = "aclnnTiltBackward.md") -> str:
    """Write a page and give its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


BAD = TEXT.replace('rowspan="4"', 'rowspan="6"').replace("<td>斜率。</td>", "<td></td>")


@pytest.mark.parametrize(("limit", "code"), [("note", 1), ("warning", 1), ("error", 1), ("never", 0)])
def test_fail_on_decides_the_exit_code(limit: str, code: int, main: Command, tmp_path: Path) -> None:
    """An error fails at every limit but never."""
    assert main("page", "lint", written(tmp_path, BAD), "--fail-on", limit).returncode == code


def test_a_note_does_not_fail_by_default(main: Command, tmp_path: Path) -> None:
    """What is milder than the limit is printed and passes."""
    path = written(tmp_path, TEXT.replace("<td>斜率。</td>", "<td></td>"))
    ran = main("page", "lint", path, "--lang", "en")
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, "1 pages: 0 errors, 0 warnings, 1 notes, 0 silenced")
    assert main("page", "lint", path, "--fail-on", "note").returncode == 1


def test_json_has_both_languages(main: Command, tmp_path: Path) -> None:
    """Every finding comes with code, place and both messages."""
    document = json.loads(main("page", "lint", written(tmp_path, BAD), "--format", "json").stdout)
    [page] = document["pages"]
    assert [(each["code"], each["severity"]) for each in page["findings"]] == [("P205", "note"), ("P201", "error")]
    assert page["findings"][1]["message"]["zh"] == 'rowspan="6" 跨出了表格：这里只有 4 行。'


def test_sarif_is_valid(main: Command, tmp_path: Path) -> None:
    """The log is valid by SARIF's own schema, names rules by index, and keeps what is silenced, suppressed."""
    config = tmp_path / "config.json"
    silence = {"code": "P205", "page": "aclnn*.md", "reason": "on purpose"}
    config.write_text(json.dumps({"$schema": "https://aclnn-spec.dev/schema/page_lint.json", "silences": [silence]}))
    path = written(tmp_path, BAD, "aclnnTilt Backward&.md")
    ran = main("page", "lint", path, "--format", "sarif", "--config", str(config))
    document = json.loads(ran.stdout)
    jsonschema.Draft4Validator(json.loads(SARIF.read_text(encoding="utf-8"))).validate(document)
    [run] = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [(each["ruleId"], each.get("suppressions")) for each in run["results"]] == [
        ("P201", None),
        ("P205", [{"kind": "external", "justification": "on purpose"}]),
    ]
    assert all(rules[each["ruleIndex"]] == each["ruleId"] for each in run["results"])
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///")
    assert uri.endswith("aclnnTilt%20Backward%26.md")


def test_github_annotations_are_escaped(main: Command, tmp_path: Path) -> None:
    """Each finding is one workflow command, whatever letters it holds."""
    path = written(tmp_path, TEXT.replace("(#函数原型)", "(#50%)"), "aclnn,a.md")
    lines = main("page", "lint", path, "--format", "github", "--lang", "en").stdout.splitlines()
    line = next(i for i, each in enumerate(TEXT.splitlines(), start=1) if "(#函数原型)" in each)
    place = f"file={path.replace(',', '%2C')},line={line},col=1"
    assert lines == [f"::error {place},title=P702 anchor::There is no such anchor: #50%25."]


def test_a_folder_is_searched_for_pages(main: Command, tmp_path: Path) -> None:
    """Of a folder the files named as pages are read, however deep; one without any is a wrong call."""
    (tmp_path / "a" / "docs").mkdir(parents=True)
    written(tmp_path / "a" / "docs", BAD)
    (tmp_path / "a" / "README.md").write_text("# no page\n")
    assert "P201" in main("page", "lint", str(tmp_path), "--lang", "en").stdout
    (tmp_path / "empty").mkdir()
    ran = main("page", "lint", str(tmp_path / "empty"))
    assert (ran.returncode, ran.stderr.count("found no aclnn*.md in it")) == (2, 1)


def test_silences_need_a_reason_and_are_missed_when_unused(main: Command, tmp_path: Path) -> None:
    """A silenced code is not reported; one that silences nothing any more is; one without a reason is refused."""
    config = tmp_path / "config.json"

    def silenced(*silences: dict[str, str]) -> Command:
        document = {"$schema": "https://aclnn-spec.dev/schema/page_lint.json", "silences": list(silences)}
        config.write_text(json.dumps(document), encoding="utf-8")
        return main

    path = written(tmp_path, BAD)
    one = {"code": "P201", "page": "aclnnTiltBackward.md", "reason": "will be mended"}
    other = {"code": "P402", "page": "aclnnTiltBackward.md", "reason": "was there once"}
    arguments = ("page", "lint", path, "--config", str(config), "--lang", "en")
    ran = silenced(one)(*arguments)
    assert (ran.returncode, "P201" in ran.stdout, "1 silenced" in ran.stdout) == (0, False, True)
    ran = silenced(one, other)(*arguments)
    assert (ran.returncode, "P901" in ran.stdout, "was there once" in ran.stdout) == (1, True, True)
    assert silenced({**one, "reason": " "})(*arguments).returncode == 2
    assert "expected a code" in silenced({**one, "code": "P999"})(*arguments).stderr


def test_dead_links_are_found_where_the_tree_is(main: Command, tmp_path: Path) -> None:
    """A link is dead if the folder it leads into is there and the file is not; a lone page is left in peace."""
    docs = tmp_path / "ops" / "tilt" / "docs"
    docs.mkdir(parents=True)
    link = "[broadcast](../../../docs/zh/context/broadcast%20rules.md#top)"
    path = written(docs, TEXT.replace("倾斜函数的梯度", f"{link}倾斜函数的梯度"))
    assert "P701" not in main("page", "lint", path, "--lang", "en").stdout
    context = tmp_path / "docs" / "zh" / "context"
    context.mkdir(parents=True)
    assert "P701" in main("page", "lint", path, "--lang", "en").stdout
    (context / "broadcast rules.md").write_text("# x\n")
    assert "P701" not in main("page", "lint", path, "--lang", "en").stdout
    lone = main("page", "lint", path, "--tree", "--lang", "en").stdout
    assert lone.count("P701") == 3
    assert "broadcast.md" in lone


def test_codes_are_listed(main: Command) -> None:
    """The list has every code in either language, and needs no page."""
    for lang in ("zh", "en"):
        ran = main("page", "lint", "--codes", "--lang", lang)
        assert (ran.returncode, [line.split()[0] for line in ran.stdout.splitlines()]) == (0, list(CODES))
    assert main("page", "lint").returncode == 2

"""The terminal summary, in both languages."""

from dataclasses import replace
from typing import Any

import pytest

from aclnn_spec.certification.certificate import Certificate, assemble, describe
from aclnn_spec.certification.implementation import from_function
from aclnn_spec.certification.report import summary
from aclnn_spec.certification.runner import run_case
from aclnn_spec.certification.waivers import Waiver
from aclnn_spec.golden.case import Case
from miniatures import BASIC, CASES, NAME, OPERATOR, SPEC, Right, WrongSign, partner_of

MANY = tuple(replace(BASIC, id=f"{NAME}/basic/{i:02}") for i in range(30))


def certificate(made: Any, cases: tuple[Case, ...] = CASES, **more: Any) -> Certificate:
    """The certificate of an implementation."""
    return assemble(
        [run_case(one, made, operator=OPERATOR, partner=partner_of(one)) for one in cases],
        spec=SPEC,
        golden_digest="ab" * 32,
        implementation=describe(made, "mine.py:made"),
        expected=[one.id for one in cases],
        operators=[NAME],
        tier="core",
        **more,
    )


def told(one: Certificate, lang: str = "en", cases: tuple[Case, ...] = CASES, **more: Any) -> str:
    """The summary of a certificate."""
    return summary(one, SPEC, {each.id: each for each in cases}.__getitem__, lang=lang, **more)


def test_conformant_in_english() -> None:
    """The summary of a right implementation: who, on what, the groups, what was seen, the verdict."""
    assert told(certificate(Right(), product="atlas_a2")).splitlines() == [
        "implementation  right 1.0",
        "operators       aclnnL1LossBackward",
        f"product         {SPEC.tables.products['atlas_a2'].name.en}",
        "policy          strict",
        "tier            core",
        "",
        "group      passed  failed  waived  skipped  largest ULP",
        "basic           2       0       0        0            0",
        "mean            1       0       0        0            0",
        "layout          1       0       0        0            0",
        "lifecycle       2       0       0        0            0",
        "empty           1       0       0        0            0",
        "status          2       0       0        0            -",
        "special         2       0       0        0            0",
        "open            1       0       0        0            0",
        "total          12       0       0        0            0",
        "",
        "Seen where the spec leaves freedom (cases)",
        "  rank_0                 value (1)",
        "  subnormals             keep (1)",
        "  subnormals_on_the_way  keep (1)",
        "",
        "Verdict: conformant",
    ]


def test_what_is_seen_of_several_operators_is_told_apart() -> None:
    """Clauses of the same name are of one operator each."""
    one = certificate(Right())
    seen = {NAME: {"subnormals": {"keep": 2}}, "aclnnOther": {"subnormals": {"flush": 1}, "rank_0": {"value": 3}}}
    lines = told(replace(one, observed=seen)).splitlines()
    assert lines[lines.index("Seen where the spec leaves freedom (cases)") + 1 :][:3] == [
        "  aclnnL1LossBackward: subnormals  keep (2)",
        "  aclnnOther: subnormals           flush (1)",
        "  aclnnOther: rank_0               value (3)",
    ]


def test_conformant_in_chinese() -> None:
    """The same in Chinese, its columns as wide as Chinese letters are."""
    lines = told(certificate(Right(), product="atlas_a2"), "zh").splitlines()
    assert lines[:5] == [
        "实现      right 1.0",
        "算子      aclnnL1LossBackward",
        f"产品      {SPEC.tables.products['atlas_a2'].name.zh}",
        "精度策略  strict",
        "用例集    core",
    ]
    assert lines[6:8] == [
        "组         通过  失败  豁免  跳过  最大 ULP",
        "basic         2     0     0     0         0",
    ]
    assert lines[-1] == "结论：符合规范"


@pytest.mark.parametrize(("lang", "head"), [("en", "clause sign: 30 failed"), ("zh", "条款 sign：失败 30 个")])
def test_failures_by_clause(lang: str, head: str) -> None:
    """The first failures under a clause are told in full, the next by name, the rest by number."""
    text = told(certificate(WrongSign(), MANY), lang, MANY)
    lines = text.splitlines()
    assert head in lines
    assert text.count('aclnn_spec.check("mine.py:made", ') == 3
    assert f"    {MANY[3].id}" in lines
    assert f"    {MANY[22].id}" in lines
    assert f"    {MANY[23].id}" not in lines
    assert ("    … and 7 more" if lang == "en" else "    ……以及其他 7 个") in lines
    assert OPERATOR.clause("sign").text[lang] in text


def test_reasons_against() -> None:
    """A run that is not conformant ends with the reasons and the verdict."""
    one = certificate(WrongSign(), MANY)
    english, chinese = (told(one, lang, MANY).splitlines()[-5:] for lang in ("en", "zh"))
    assert english == ["Why", "  failed cases: 30", "  no case passed", "", "Verdict: not conformant"]
    assert chinese == ["原因", "  30 个用例失败", "  没有一个用例通过", "", "结论：不符合规范"]


def test_waived_and_sharded() -> None:
    """The verdict of a run with waivers says so, as does that of a shard; waived cases stand with their reason."""
    cases = (BASIC, CASES[-1], CASES[6])
    one = certificate(WrongSign(), cases, waivers=[Waiver(cases="*", reason="being repaired")], shard="2/4")
    text = told(one, cases=cases).splitlines()
    assert text[-1] == "Verdict: conformant, with 2 cases waived (shard 2/4 only)"
    assert "tier            core, shard 2/4" in text
    assert f"  {BASIC.id}: being repaired" in text
    assert told(one, "zh", cases).splitlines()[-1] == "结论：符合规范，其中豁免 2 个用例（仅限第 2/4 份）"


def test_incomplete() -> None:
    """A run with cases missing is told as incomplete."""
    one = replace(certificate(Right()), verdict="incomplete")
    assert told(one).splitlines()[-1] == "Verdict: incomplete"


def test_numerics_scope_is_said() -> None:
    """The summary of a function says that only numerics were judged."""
    one = certificate(from_function("f", "1", {NAME: lambda **a: (a["self"] > a["target"]) * a["gradOutput"]}))
    assert "Scope: numerics alone; status codes and the life of a call were not judged." in told(one)
    assert "范围：只判定数值，不涉及状态码和调用过程。" in told(one, "zh")


def test_explained_can_be_changed() -> None:
    """How many failures are told in full is the caller's to say."""
    one = certificate(WrongSign(), MANY)
    assert told(one, cases=MANY, explained=0).count("aclnn_spec.check") == 0
    assert told(one, cases=MANY, explained=30).count("aclnn_spec.check") == 30

"""Between page and spec: a draft from a page, what has drifted, and a page from the spec that says the same again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec.page.draft import draft
from aclnn_spec.page.drift import drift
from aclnn_spec.page.lint import lint
from aclnn_spec.page.model import Page
from aclnn_spec.page.parse import parse, read_page
from aclnn_spec.page.render import render
from aclnn_spec.page.sentences import SENTENCES
from aclnn_spec.page.source import source_from
from aclnn_spec.page.vocabulary import Vocabulary, vocabulary_from
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import Spec, data_root, load_spec
from conftest import NAME, ROOT, Command

PAGES = Path(__file__).parent / "pages"
TILT = PAGES / "aclnnTiltBackward.md"
OFFICIAL = Path(os.environ.get("ACLNN_PAGES", ROOT.parent / "shared" / "pages"))
"""Official pages, which are no part of the project; tests that need them are skipped where they are not."""
PARAMETER_FACTS = ("name", "role", "kind", "dtypes", "formats", "rank", "non_contiguous", "values")


@pytest.fixture(scope="module")
def vocabulary(spec: Spec) -> Vocabulary:
    """The spelling of everything, from the spec's tables."""
    return vocabulary_from(spec.tables)


@pytest.fixture(scope="module")
def operator(spec: Spec) -> Operator:
    """The first operator of the spec."""
    return spec.operator(NAME)


def page_of(text: str, vocabulary: Vocabulary, name: str = "page.md") -> Page:
    """Parse a text."""
    return parse(source_from(text.encode(), name), vocabulary)


def rule_of(rule: Mapping[str, Any]) -> tuple[object, ...]:
    """A rule in a form in which the order of names and types does not count."""
    return tuple(
        (key, tuple(sorted(map(str, value))) if isinstance(value, list) else value)
        for key, value in sorted(rule.items())
    )


def table_facts(document: Mapping[str, Any], *, of_page: bool) -> dict[str, Any]:
    """What a page's tables state, out of an operator's document; of the clauses only those with the page as source."""
    clauses = [c for c in document["clauses"] if "rule" in c and "error" in c["outcome"]]
    if of_page:
        clauses = [c for c in clauses if any(source["of"] == "page" for source in c["sources"])]
    return {
        **{key: document[key] for key in ("name", "header", "products", "deterministic", "prototypes")},
        "parameters": [{key: p[key] for key in PARAMETER_FACTS if key in p} for p in document["parameters"]],
        "errors": sorted((rule_of(c["rule"]), tuple(c["outcome"]["error"])) for c in clauses),
    }


def test_a_draft_states_what_the_page_states(spec: Spec, vocabulary: Vocabulary) -> None:
    """Products, prototypes, parameters, errors, notes, formula, header and example come over, each with its line."""
    document = draft(read_page(TILT, vocabulary), "aclnnTiltBackward", vocabulary, "9.2.0-beta1")
    assert spec.schemas.faults("draft", document, "draft") == []
    assert (document["status"], document["header"], document["deterministic"]) == (
        "draft",
        "aclnnop/aclnn_tilt_backward.h",
        True,
    )
    assert document["formula"] == "gradInput_i = limit \\cdot gradOutput_i"
    assert document["parameters"][1]["dtypes"] == ["FLOAT", "FLOAT16", "BFLOAT16"]
    assert document["parameters"][3]["values"] == {"none": 0, "mean": 1}
    inputs = ["gradOutput", "self"]
    assert [clause.get("rule") for clause in document["clauses"]] == [
        None,
        {"kind": "not_null", "on": [*inputs, "gradInput"]},
        {"kind": "broadcastable", "on": inputs},
        {"kind": "max_rank", "on": [*inputs, "gradInput"], "rank": 8},
        {"kind": "one_of", "on": ["mode"], "values": [0, 1]},
        {"kind": "dtype_in", "on": inputs, "dtypes": ["FLOAT", "FLOAT16", "BFLOAT16"]},
    ]
    line = 1 + TILT.read_text(encoding="utf-8").splitlines().index("      <td>161001</td>") - 2
    assert document["clauses"][1]["sources"][0]["where"]["en"] == f"error rows, line {line}"
    assert document["notes"][0]["products"] == ["atlas_inference"]
    assert document["example"]["arguments"]["gradOutput"] == {
        "dtype": "FLOAT",
        "shape": [2, 2],
        "data": [0, 1.5, -2, 3],
    }
    assert document["example"]["arguments"]["limit"] == 0.5


def test_a_draft_says_what_a_person_must_decide(vocabulary: Vocabulary) -> None:
    """Every text, every untold fact and every clause is on the list, by its path; so are defects, as errata."""
    text = TILT.read_text(encoding="utf-8").replace("mode的值不是0、1之一。", "mode不合要求。")
    text = text.replace("aclnnTiltBackward默认确定性实现", "无").replace('rowspan="4"', 'rowspan="6"')
    document = draft(page_of(text, vocabulary), "aclnnTiltBackward", vocabulary, "1.0.0")
    todo = {each["where"]: each["text"]["en"] for each in document["todo"]}
    assert {"title", "summary", "deterministic", "parameters[0].summary", "notes[0]", "accuracy"} <= set(todo)
    free = next(i for i, clause in enumerate(document["clauses"]) if "rule" not in clause)
    assert document["clauses"][free]["page_text"] == "mode不合要求。"
    assert todo[f"clauses[{free}].text"] == "TODO: choose a rule, and say it in our own words."
    assert [erratum["id"].rpartition("_")[0] for erratum in document["errata"]] == ["rowspan"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("# aclnnA\n", "found prototypes of aclnnA, expected one of aclnnAGetWorkspaceSize"),
        ("# aclnnA\n```c\naclnnStatus aclnnAGetWorkspaceSize(void);\n```\n", "found no parameter"),
    ],
)
def test_a_page_without_a_prototype_gives_no_draft(text: str, fault: str, vocabulary: Vocabulary) -> None:
    """What there is to be drafted must be declared."""
    with pytest.raises(InputError, match=fault):
        draft(page_of(text, vocabulary), "aclnnA", vocabulary, "1.0.0")


def test_import_writes_a_draft_that_nothing_is_judged_by(main: Command, tmp_path: Path) -> None:
    """A draft may lie among the operators: the spec loads, knows it for a draft, and has no such operator."""
    root = tmp_path / "spec"
    shutil.copytree(data_root() / "spec", root)
    path = root / "operators" / "aclnnTiltBackward.json"
    ran = main("page", "import", str(TILT), "--cann", "9.2.0-beta1", "--output", str(path))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    spec = load_spec(root)
    assert spec.drafts == {"aclnnTiltBackward"}
    assert "aclnnTiltBackward" not in spec.operators
    with pytest.raises(InputError, match="only a draft"):
        spec.operator("aclnnTiltBackward")
    path.write_text(path.read_text(encoding="utf-8").replace('"draft"', '"stable"', 1), encoding="utf-8")
    with pytest.raises(InputError, match=r"status"):
        load_spec(root)


def test_import_asks_which_operator(main: Command) -> None:
    """Of a page with two operators one must be named."""
    page = str(PAGES / "aclnnCap&aclnnInplaceCap.md")
    ran = main("page", "import", page)
    assert (ran.returncode, "expected --operator" in ran.stderr) == (2, True)
    document = json.loads(main("page", "import", page, "--operator", "aclnnInplaceCap").stdout)
    assert [(p["name"], p["role"], p["kind"]) for p in document["parameters"]] == [
        ("xRef", "input_output", "tensor"),
        ("top", "attribute", "scalar"),
    ]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_rendered_page_gives_the_facts_back(lang: str, spec: Spec, vocabulary: Vocabulary) -> None:
    """Of every operator: no defect, nothing left unread, no drift, and a draft with every fact of the hand-written file."""
    for operator in spec.operators.values():
        page = page_of(render(operator, lang), vocabulary, f"{operator.name}.md")
        assert [each.message("en") for each in lint(page, vocabulary)] == []
        assert page.unread == ()
        assert drift(operator, page, vocabulary) == ()
        document = draft(page, operator.name, vocabulary, operator.cann)
        assert spec.schemas.faults("draft", document, "draft") == []
        written = read_json(data_root() / "spec" / "operators" / f"{operator.name}.json")
        plain = [c for c in written["clauses"] if c.get("rule", {}).get("kind") in SENTENCES and "when" not in c]
        assert table_facts(document, of_page=False) == table_facts({**written, "clauses": plain}, of_page=False)


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_a_rendered_example_compiles(operator: Operator, tmp_path: Path) -> None:
    """The example program is C++ that the project's own headers accept."""
    code = "\n".join(render(operator, "en").split("```cpp\n")[3].split("```")[:1])
    (tmp_path / "example.cpp").write_text(code, encoding="utf-8")
    headers = str(ROOT / "tools" / "host" / "include")
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "-I", headers, str(tmp_path / "example.cpp")]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


@pytest.mark.parametrize("name", [f"{NAME}.md", "seed_aclnnL1LossBackward_flattened.txt"])
def test_the_official_page_gives_every_table_fact(name: str, spec: Spec, vocabulary: Vocabulary) -> None:
    """Imported, whole or flattened, the page of the first operator says all that the hand-written file took from it."""
    path = OFFICIAL / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    page = read_page(path, vocabulary)
    document = draft(page, NAME, vocabulary, "9.2.0-beta1")
    assert spec.schemas.faults("draft", document, "draft") == []
    written = read_json(data_root() / "spec" / "operators" / f"{NAME}.json")
    assert table_facts(document, of_page=True) == table_facts(written, of_page=True)
    assert document["example"]["arguments"] == written["example"]["arguments"]
    assert drift(spec.operator(NAME), page, vocabulary) == ()


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("Atlas 训练系列产品</term>：支持", "Atlas 训练系列产品</term>：不支持", ("changed", "products.atlas_training")),
        ("<td>1-8</td>", "<td>0-8</td>", ("changed", "parameters.self.rank")),
        ("FLOAT、FLOAT16、BFLOAT16", "FLOAT、FLOAT16", ("changed", "parameters.target.dtypes")),
        ("<td>ND</td>", "<td>ND、NCHW</td>", ("changed", "parameters.gradInput.formats")),
        ("<td>√</td>", "<td>×</td>", ("changed", "parameters.self.non_contiguous")),
        ("0(none)、1(mean)、2(sum)", "0(none)、1(mean)、3(sum)", ("changed", "parameters.reduction.values")),
        ("    int64_t          reduction,", "    int32_t          reduction,", ("changed", "parameters.reduction.kind")),
        ("    int64_t          reduction,", "    int64_t          reduction,\n    double           beta,", ("added", "prototypes.get_workspace_size.beta")),
        ("    const aclTensor* target,\n", "", ("removed", "prototypes.get_workspace_size.target")),
        ("aclnn_l1_loss_backward.h", "aclnn_l1_loss_backward_v2.h", ("changed", "header")),
        ("默认确定性实现", "默认非确定性实现", ("changed", "deterministic")),
        ("超过8维", "超过7维", ("changed", "clauses.max_rank")),
        ("不是0、1、2之一", "不是0、1之一", ("changed", "clauses.reduction")),
        ("reduction的值不是0、1、2之一。", "target里有NaN。", ("added", "clauses")),
        ("reduction的值不是0、1、2之一。", "reduction不符合约束。", None),
        ("gradOutput、self、target或gradInput是空指针。", "gradOutput、self或gradInput是空指针。", ("changed", "clauses.nullptr")),
        ("数据类型BFLOAT16能否使用没有规定：可能得到正确结果，也可能返回错误。", "数据类型不支持BFLOAT16。", ("added", "products.atlas_training.dtypes")),
    ],
)  # fmt: skip
def test_drift_names_what_has_changed(
    old: str, new: str, change: tuple[str, str] | None, operator: Operator, vocabulary: Vocabulary
) -> None:
    """One changed fact of a page is told of under its path, with both sides and the line."""
    text = render(operator, "zh")
    assert old in text
    found = drift(operator, page_of(text.replace(old, new), vocabulary), vocabulary)
    if change is None:
        assert found == ()
        return
    assert change in [(each.kind, each.where) for each in found]
    for each in found:
        assert (each.spec is None) == (each.kind == "added")
        assert (each.page is None) == (each.kind == "removed")
        assert each.line >= 1


def test_drift_exits_with_the_answer(main: Command, operator: Operator, tmp_path: Path) -> None:
    """0 where the page says the same, 1 where it does not, 2 for a page of something else; JSON has the same facts."""
    path = tmp_path / f"{NAME}.md"
    path.write_text(render(operator, "zh"), encoding="utf-8")
    ran = main("page", "drift", NAME, str(path), "--lang", "en")
    assert (ran.returncode, ran.stdout) == (0, f"The page says what the spec of {NAME} says.\n")
    path.write_text(render(operator, "zh").replace("超过8维", "超过7维"), encoding="utf-8")
    ran = main("page", "drift", NAME, str(path), "--lang", "en")
    assert (ran.returncode, "changed clauses.max_rank: spec max_rank" in ran.stdout) == (1, True)
    document = json.loads(main("page", "drift", NAME, str(path), "--json").stdout)
    assert [each["where"] for each in document["changes"]] == ["clauses.max_rank", "clauses.max_rank"]
    assert main("page", "drift", NAME, str(TILT)).returncode == 2


def test_drift_that_is_known_is_no_news(main: Command, operator: Operator, tmp_path: Path) -> None:
    """What an earlier run has told is not told again, wherever it stands now; what is new is."""
    page, known = tmp_path / "page.md", tmp_path / "known.json"
    text = render(operator, "zh").replace("超过8维", "超过7维")
    page.write_text(text, encoding="utf-8")
    known.write_text(main("page", "drift", NAME, str(page), "--json").stdout, encoding="utf-8")
    page.write_text(f"\n\n{text}", encoding="utf-8")
    assert main("page", "drift", NAME, str(page), "--known", str(known)).returncode == 0
    page.write_text(text.replace("<td>1-8</td>", "<td>0-8</td>", 1), encoding="utf-8")
    ran = main("page", "drift", NAME, str(page), "--known", str(known), "--lang", "en")
    assert (ran.returncode, len(ran.stdout.splitlines())) == (1, 1)
    known.write_text("{}", encoding="utf-8")
    assert main("page", "drift", NAME, str(page), "--known", str(known)).returncode == 2


def test_render_writes_a_file(main: Command, operator: Operator, tmp_path: Path) -> None:
    """The page goes to a file or to the standard output, the same either way."""
    path = tmp_path / "page.md"
    assert main("page", "render", NAME, "--lang", "en", "--output", str(path)).returncode == 0
    assert path.read_text(encoding="utf-8") == main("page", "render", NAME, "--lang", "en").stdout
    assert path.read_text(encoding="utf-8") == render(operator, "en")

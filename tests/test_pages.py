"""Generated pages: what they say is the spec's and the data's, in both languages alike, and stale ones are named."""

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import aclnn_spec
from aclnn_spec.cli import parser
from aclnn_spec.emit.pages.figures import figures, filled_in
from aclnn_spec.emit.pages.markdown import bullets, code, heading, page, prose, table
from aclnn_spec.emit.pages.material import Material, gather
from aclnn_spec.emit.pages.matrix import answer
from aclnn_spec.emit.pages.operator import operator_page
from aclnn_spec.emit.pages.picture import example_shapes
from aclnn_spec.emit.pages.reference import cli_page, translated
from aclnn_spec.emit.pages.site import pages, stale_pages, write_pages
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import sha256
from aclnn_spec.spec.read import CHECKOUT, Spec, load_spec

NAME = "aclnnL1LossBackward"
DOCS = CHECKOUT / "docs"
CHINESE = re.compile(r"[\u4e00-\u9fff]")


ROWS = (
    "aclnnL1LossBackward",
    "aclnnSmoothL1LossBackward",
    "aclnnMseLossBackward",
    "aclnnL1Loss",
    "aclnnMseLoss",
    "aclnnSmoothL1Loss",
)
"""The operators in the order in which they were added."""


@pytest.fixture(scope="module")
def material(spec: Spec) -> Material:
    """What the checkout's pages are made from."""
    return gather(spec, CHECKOUT)


@pytest.fixture(scope="module")
def files(spec: Spec) -> dict[str, str]:
    """Every generated file of the checkout."""
    names = {name: getattr(aclnn_spec, name) for name in aclnn_spec.__all__}
    return dict(pages(spec, CHECKOUT, parser(), names))


def markdown(files: dict[str, str], lang: str) -> dict[str, str]:
    """Give the pages of a language by their names in it."""
    return {name[3:]: text for name, text in files.items() if name.startswith(f"{lang}/")}


def prose_of(text: str) -> str:
    """Give a page without code, banner, scripts, styles and addresses."""
    text = re.sub(r"<!--.*?-->|```.*?```|<style>.*?</style>|<script.*?</script>", "", text, flags=re.DOTALL)
    return re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>", "", text)


def test_committed_pages_are_fresh(files: dict[str, str]) -> None:
    """The pages in the repository are those that a build writes."""
    assert stale_pages(files, DOCS) == []


def test_both_languages_have_the_same_pages_and_structure(files: dict[str, str]) -> None:
    """Names, heading levels, anchors, tables and code blocks of a page are the same in Chinese and English."""
    chinese, english = markdown(files, "zh"), markdown(files, "en")
    assert chinese.keys() == english.keys()
    for name, text in chinese.items():
        shapes = []
        for one in (text, english[name]):
            bare = re.sub(r"```.*?```", "```", one, flags=re.DOTALL)
            shapes.append(re.findall(r"^#+ |\{#[\w-]+\}|^\|(?: --- \|)+|^```", bare, re.MULTILINE))
        assert shapes[0] == shapes[1], name


def test_english_pages_have_no_chinese(files: dict[str, str]) -> None:
    """Nothing of the other language stands in an English page."""
    assert [name for name, text in markdown(files, "en").items() if CHINESE.search(prose_of(text))] == []


def test_chinese_pages_have_no_english_sentences(files: dict[str, str]) -> None:
    """No line of a Chinese page is English prose: four words of small letters in a row."""
    english = re.compile(r"\b[a-z]+(?:,? [a-z]+){3,}")
    found = {name: english.search(prose_of(text)) for name, text in markdown(files, "zh").items()}
    assert {name: match[0] for name, match in found.items() if match} == {}


def test_figures_are_counted(material: Material, spec: Spec) -> None:
    """Each figure is the size of what it is about."""
    operators = spec.operators.values()
    core = CHECKOUT / "golden" / "core"
    cases = [json.loads((core / f"{one.name}.json").read_text(encoding="utf-8"))["cases"] for one in operators]
    tables = [json.loads(path.read_text(encoding="utf-8")) for path in CHECKOUT.glob("tests/mutants/kills/*.json")]
    counted = figures(material)
    assert {name: count for name, count in counted.items() if not name.startswith("aclnn")} == {
        "operators": len(operators),
        "clauses": sum(len(one.clauses) for one in operators),
        "cases": sum(map(len, cases)),
        "errata": sum(len(one.errata) for one in operators),
        "core_bytes": sum(path.stat().st_size for path in core.iterdir() if path.name != "manifest.json"),
        "mutants": sum("equivalent" not in mutant for one in tables for mutant in one["mutants"]),
        "right": len(material.data("tests/right/table.json")["rows"]),
    }


def test_what_an_operator_took_is_counted(material: Material, spec: Spec) -> None:
    """The lines of the files that were written for it; each operator has a row on the page about adding one."""
    counted, name, tools = figures(material), "aclnnMseLoss", CHECKOUT / "tools"
    files = {
        "spec": CHECKOUT / "spec" / "operators" / f"{name}.json",
        "reference": tools / "aclnn_spec" / "reference" / "mse_loss.py",
        "kernel": tools / "host" / "src" / "mse_loss.c",
    }
    for column, path in files.items():
        assert counted[f"{name}_{column}"] == path.read_text(encoding="utf-8").count("\n")
    oracle = (tools / "aclnn_spec" / "reference" / "oracle.py").read_text(encoding="utf-8")
    assert counted[f"{name}_oracle"] == len(oracle.partition("def mse_loss(")[2].partition("\n\n\n")[0].splitlines())
    assert 3 <= counted[f"{name}_elsewhere"] <= 6
    for lang in ("zh", "en"):
        text = (CHECKOUT / "docs" / lang / "contribute" / "operator.md").read_text(encoding="utf-8")
        rows = [line for line in text.splitlines() if line.startswith("| `aclnn")]
        assert [line.split("`")[1] for line in rows] == list(ROWS)
        assert {*ROWS} == {*spec.operators}
        modules = re.findall(r"`((?:spec|reference|golden|certification)/\w+(?:/\w+)?\.py)`", text)
        assert len(modules) >= 12
        assert [each for each in modules if not (tools / "aclnn_spec" / each).is_file()] == []
        for one, line in zip(ROWS, rows, strict=True):
            columns = ("spec", "clauses", "reference", "oracle", "kernel", "elsewhere", "cases")
            assert [cell.strip() for cell in line.strip("|").split("|")[1:]] == [
                f"{{{{ figures.{one}_{column} }}}}" for column in columns
            ]


def test_figures_are_filled_in() -> None:
    """A mark becomes its number, thousands parted; a figure that does not exist is an error."""
    assert filled_in("{{ figures.cases }} and {{figures.clauses}}", {"cases": 1557, "clauses": 33}) == "1,557 and 33"
    with pytest.raises(KeyError, match="casse"):
        filled_in("{{ figures.casse }}", {"cases": 1})


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_operator_page_has_every_clause(lang: str, files: dict[str, str], spec: Spec, material: Material) -> None:
    """Each clause has its anchor, its text, and as many cases as the golden data has."""
    text = files[f"{lang}/operators/{NAME}.md"]
    tested = Counter(clause for case in material.cases[NAME] for clause in case["clauses"])
    for clause in spec.operator(NAME).clauses:
        assert f"{{#{clause.id}}}" in text
        assert prose(clause.text[lang]) in text
        assert f"[{tested[clause.id]}](../data/cases.md?operator={NAME}&clause={clause.id})" in text
    assert spec.operator(NAME).formula in text


def test_anchors_are_unique(files: dict[str, str]) -> None:
    """No page has an anchor twice."""
    for name, text in files.items():
        if name.endswith(".md"):
            anchors = Counter(re.findall(r"^#+ .*\{#([\w-]+)\}$", text, re.MULTILINE))
            assert [anchor for anchor, count in anchors.items() if count > 1] == [], name


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (("FLOAT", "FLOAT16", "BFLOAT16"), ("required", "FLOAT", "")),
        (("FLOAT16", "INT32", "BOOL"), ("open", "FLOAT16", "integer_mix")),
        (("INT8", "UINT8", "INT8"), ("refused", "INT16", "supported")),
        (("FLOAT", "DOUBLE", "FLOAT"), ("refused", "DOUBLE", "supported")),
        (("FLOAT", "UINT16", "FLOAT"), ("refused", "", "deducible")),
    ],
)
def test_answers_of_the_matrix(types: tuple[str, ...], expected: tuple[str, str, str], spec: Spec) -> None:
    """A combination is required, open or refused, with the deduced type and the clauses that say so."""
    assert answer(spec.operator(NAME), types) == expected


def test_matrix_counts_every_combination(files: dict[str, str], spec: Spec) -> None:
    """The numbers beside the signs are those of all combinations of types that the deduction table has."""
    operator = spec.operator(NAME)
    types = tuple(dict.fromkeys(one for one, _ in operator.tables.deduction))
    counts = Counter(answer(operator, chosen)[0] for chosen in product(types, repeat=3))
    rows = re.findall(r"^\| [✓?✕] \| .+ \| (\d+) \|$", files[f"en/operators/{NAME}.md"], re.MULTILINE)
    assert [int(row) for row in rows] == [counts["required"], counts["open"], counts["refused"]]
    assert sum(counts.values()) == 16**3


def test_picture_is_of_shapes_that_broadcast(spec: Spec) -> None:
    """The output of the worked example has the shape that NumPy would give it."""
    assert example_shapes(spec.operator(NAME))["gradInput"] == (3, 4)


def test_page_without_certificates(material: Material, spec: Spec) -> None:
    """Certificates that are not there have no columns."""
    text = operator_page(spec.operator(NAME), replace(material, certificates={}), "en")
    assert "| Clause | Accepts |\n" in text


def test_observed_behaviour_is_the_certificates(files: dict[str, str], material: Material) -> None:
    """What was seen at a clause stands in the column of each certificate."""
    row = next(line for line in files[f"en/operators/{NAME}.md"].splitlines() if line.startswith("| [`nan_operand`]"))
    for certificate in material.certificates.values():
        for label, count in certificate["observed"][NAME]["nan_operand"].items():
            assert f"`{label}`&nbsp;×&nbsp;{count}" in row


def test_every_source_is_explained(files: dict[str, str], spec: Spec) -> None:
    """The short names under the clauses are those of the table at the end of the page."""
    for lang in ("zh", "en"):
        text, _, end = files[f"{lang}/operators/{NAME}.md"].partition("{#sources}")
        assert "](#sources)" in text
        for name, told in spec.tables.sources.items():
            assert f"| `{name}` | {prose(told[lang])} |" in end


def test_downloads_have_their_hashes(files: dict[str, str], material: Material) -> None:
    """Size and SHA-256 on the data page and in the dataset's description are those of the files."""
    described = {one["name"]: one for one in json.loads(files["data/core/croissant.json"])["distribution"]}
    for entry in material.files:
        path = CHECKOUT / "golden" / "core" / entry["name"]
        assert f"{path.stat().st_size:,} | `{sha256(path)}`" in files["zh/data/index.md"]
        assert described[path.name]["sha256"] == sha256(path)
        assert described[path.name]["contentSize"] == f"{path.stat().st_size} B"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_table_of_cases_has_them_all(lang: str, files: dict[str, str], material: Material) -> None:
    """The list that the table is filled from has each case with its group, outcome, clauses and reason."""
    rows = json.loads(files[f"assets/cases-{lang}.json"])
    assert rows == [
        [case["id"], case["group"], case["outcome"]["kind"], case["clauses"], case["reason"][lang]]
        for cases in material.cases.values()
        for case in cases
    ]


def test_python_example_of_the_data_page_runs(files: dict[str, str]) -> None:
    """The lines for PyTorch compile, and name files of the repository."""
    text = files["en/data/index.md"]
    block = text.partition("{#load-pytorch}")[2].partition("```python\n")[2].partition("```")[0]
    compile(block, "example", "exec")
    assert (CHECKOUT / re.findall(r'load_golden\("(.+?)"\)', block)[0]).is_file()


def test_every_argument_is_in_the_reference(files: dict[str, str]) -> None:
    """Each command and each of its options stands on the page, in both languages."""
    for name in ("zh/reference/cli.md", "en/reference/cli.md"):
        for word in ("certify", "verify", "build", "diagnose", "list", "show", "host build", "fetch"):
            assert f"## `aclnn-spec {word}`" in files[name]
        assert "`--certificate FILE`" in files[name]


def test_every_public_name_is_in_the_reference(files: dict[str, str]) -> None:
    """Each name that the package exports has its heading."""
    for name in aclnn_spec.__all__:
        assert f"## `{name}`" in files["en/reference/python.md"]


def test_reference_does_not_depend_on_the_locale() -> None:
    """The default language is the reader's and stays out of the page."""
    line = next(line for line in cli_page(parser(), "en").splitlines() if "`--lang`" in line)
    assert line.endswith("| `zh`, `en` | — |")


def test_a_text_without_chinese_is_named() -> None:
    """A help text that nobody has translated yet stops the build, with the text."""
    with pytest.raises(InputError, match=r"found no Chinese for 'a new option'"):
        translated("a new option", "zh")


def test_stale_missing_and_superfluous_pages_are_named(files: dict[str, str], tmp_path: Path) -> None:
    """A page that is changed, gone, or of an older spec is stale; hand-written ones are nobody's business."""
    write_pages(files, tmp_path)
    assert stale_pages(files, tmp_path) == []
    changed, gone = "en/data/index.md", "zh/reference/cli.md"
    old, own = tmp_path / "en/operators/aclnnOld.md", tmp_path / "en/operators/own.md"
    (tmp_path / changed).write_text("changed", encoding="utf-8")
    (tmp_path / gone).unlink()
    old.write_text(files[f"en/operators/{NAME}.md"], encoding="utf-8")
    own.write_text("# Own\n", encoding="utf-8")
    assert stale_pages(files, tmp_path) == [changed, "en/operators/aclnnOld.md", gone]
    write_pages(files, tmp_path)
    assert (stale_pages(files, tmp_path), old.exists(), own.exists()) == ([], False, True)


def test_blocks() -> None:
    """Blocks are joined by blank lines; what markup would change is written so that it does not."""
    text = page("spec/x.json", "T", [heading("H", "h"), bullets(["a"]), table(["A"], [[code("b|c")]]), ""])
    assert text == (
        '---\ntitle: "T"\n---\n'
        "<!-- generated from spec/x.json by aclnn-spec build; do not edit -->\n\n# T\n\n## H {#h}\n\n- a\n\n"
        "| A |\n| --- |\n| <code>b&#124;c</code> |\n"
    )
    assert prose("|a − b| < *c*") == "&#124;a − b&#124; &lt; &#42;c&#42;"


@pytest.mark.parametrize("operator", load_spec().operators)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_kill_table_is_shown(files: dict[str, str], material: Material, lang: str, operator: str) -> None:
    """Every mutant has a row: what it has wrong and its cases by group, or why nothing can condemn it."""
    measured = material.data(f"tests/mutants/kills/{operator}.json")
    rows = {
        line.split(" | ")[0]: line
        for line in files[f"{lang}/strength/mutants-{operator}.md"].splitlines()
        if line.startswith("| ")
    }
    total = measured["totals"]
    linked = f"| [{code(operator)}](mutants-{operator}.md) | {measured['cases']:,} | {total['mutants']} |"
    assert linked in files[f"{lang}/strength/mutants.md"]
    assert len(measured["mutants"]) >= 120
    for mutant in measured["mutants"]:
        row, text = rows[f"| {code(mutant['id'])}"], mutant["text"][lang]
        assert (code(text) if mutant["family"] == "source" else prose(text)) in row
        numbers = [int(cell) for cell in row.strip("| ").split(" | ")[2:] if cell.isdigit()]
        assert sorted(numbers) == sorted(mutant.get("groups", {}).values())
        assert "equivalent" not in mutant or prose(mutant["equivalent"][lang]) in row


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_judges_are_shown_side_by_side(files: dict[str, str], material: Material, lang: str) -> None:
    """Each judge's row has its kills and its false alarms, and ours stands among them without a false alarm."""
    measured = material.data("tests/competition/table.json")
    shown = files[f"{lang}/strength/comparison.md"]
    for judge in measured["judges"]:
        row = next(line for line in shown.splitlines() if line.startswith(f"| {prose(judge['text'][lang])} |"))
        numbers = [int(cell) for cell in row.strip("| ").split(" | ")[1:] if cell.isdigit()]
        assert numbers == [cell[key] for cell in judge["sets"].values() for key in ("kills", "false_alarms")]
    ours = measured["judges"][-1]["sets"]["core-open"]
    assert (ours["kills"], ours["false_alarms"]) == (measured["wrong"], 0)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_right_implementation_is_shown(files: dict[str, str], material: Material, lang: str) -> None:
    """Each has its row, and its verdict is conformant."""
    for one in material.data("tests/right/table.json")["rows"]:
        assert f"| `{one['name']}` | {prose(one['text'][lang])} | " in files[f"{lang}/strength/right.md"]
        assert one["verdict"] == "conformant"

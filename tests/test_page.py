"""Pages are read into typed facts, each with its line, whatever form they are written in."""

from __future__ import annotations

import contextlib
import json
import re
import time
from pathlib import Path

import pytest

from aclnn_spec.page.model import Page
from aclnn_spec.page.parse import parse, read_page
from aclnn_spec.page.source import MOST_BYTES, MOST_LINES, source_from
from aclnn_spec.page.tables import html_table
from aclnn_spec.page.view import page_data
from aclnn_spec.page.vocabulary import Vocabulary, vocabulary_from
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import Spec
from conftest import Command

PAGES = Path(__file__).parent / "pages"
TILT = PAGES / "aclnnTiltBackward.md"
CAP = PAGES / "aclnnCap&aclnnInplaceCap.md"


@pytest.fixture(scope="session")
def vocabulary(spec: Spec) -> Vocabulary:
    """The spelling of everything, from the spec's tables."""
    return vocabulary_from(spec.tables)


@pytest.fixture(scope="session")
def tilt(vocabulary: Vocabulary) -> Page:
    """A page in the official template's form."""
    return read_page(TILT, vocabulary)


@pytest.fixture(scope="session")
def cap(vocabulary: Vocabulary) -> Page:
    """A page of two operators, with lists for tables."""
    return read_page(CAP, vocabulary)


def line_of(path: Path, words: str) -> int:
    """The line on which some words stand first."""
    return next(i for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1) if words in line)


def without_places(value: object) -> object:
    """Parsed data without lines and columns, and without the blanks that line ends leave in words."""
    if isinstance(value, dict):
        return {key: without_places(each) for key, each in value.items() if key not in ("line", "column", "tags")}
    if isinstance(value, list):
        return [without_places(each) for each in value]
    return "".join(value.split()) if isinstance(value, str) else value


def test_products_are_read_with_their_marks(tilt: Page, cap: Page) -> None:
    """Products come by id with yes or no and their line; a list without marks is of supported ones."""
    assert dict(tilt.supported) == {
        "ascend950": True,
        "atlas_a3": True,
        "atlas_a2": True,
        "atlas_200i_500_a2_inference": False,
        "atlas_inference": True,
        "atlas_training": False,
    }
    assert tilt.products[3].line == line_of(TILT, "200I/500 A2")
    assert dict(cap.supported) == {"atlas_a2": True, "atlas_training": True}


def test_prototypes_are_read_from_fences_and_from_code_spans(tilt: Page, cap: Page) -> None:
    """Types lose the blank before their stars; functions keep their order; every parameter has its line."""
    first = tilt.prototypes[0]
    assert [(p.c_type, p.name) for p in first.parameters][:4] == [
        ("const aclTensor*", "gradOutput"),
        ("const aclTensor*", "self"),
        ("double", "limit"),
        ("int64_t", "mode"),
    ]
    assert first.parameters[2].line == line_of(TILT, "double           limit")
    assert [p.name for p in cap.prototypes] == [
        "aclnnCapGetWorkspaceSize",
        "aclnnCap",
        "aclnnInplaceCapGetWorkspaceSize",
        "aclnnInplaceCap",
    ]
    assert cap.operators == ("aclnnCap", "aclnnInplaceCap")


def test_a_parameter_table_is_read(tilt: Page) -> None:
    """Each cell becomes a fact: direction, types, formats, rank, strides; a reference to another row is kept as one."""
    phase = tilt.first_phase("aclnnTiltBackward")
    assert phase is not None
    grad, self, limit, mode, output, *_ = phase.parameters
    assert (grad.c_type, grad.role, [word.name for word in grad.dtypes], grad.formats, grad.rank) == (
        "aclTensor*",
        "input",
        ["FLOAT", "FLOAT16", "BFLOAT16"],
        ("ND",),
        (1, 8),
    )
    assert (self.dtypes, self.dtypes_of) == ((), "gradOutput")
    assert (limit.non_contiguous, grad.non_contiguous, output.non_contiguous) == (None, True, False)
    assert (mode.role, output.role) == ("input", "output")
    assert grad.line == line_of(TILT, "<td>gradOutput") - 1


def test_a_parameter_list_is_read(cap: Page) -> None:
    """Items give what a table gives: wrapped lines, types told product by product, directions in two words."""
    phase, inplace = cap.first_phase("aclnnCap"), cap.first_phase("aclnnInplaceCap")
    assert phase is not None
    assert inplace is not None
    x, top, y, *_ = phase.parameters
    assert ([word.name for word in x.dtypes], x.formats, x.rank, x.non_contiguous) == (
        ["FLOAT16", "FLOAT"],
        ("ND",),
        (2, 4),
        True,
    )
    assert (top.c_type, top.role, top.optional) == ("aclScalar*", "input", True)
    assert ([word.name for word in y.dtypes], y.rank, y.non_contiguous) == (["FLOAT16", "FLOAT"], (0, 8), False)
    assert (inplace.parameters[0].role, inplace.parameters[0].c_type) == ("input_output", "aclTensor*")


def test_errors_are_read_from_tables_lists_and_plain_lines(tilt: Page, cap: Page) -> None:
    """A row under a span has the status of the row above; numbered lines are situations of their own."""
    rows = [(row.name, row.number, row.text) for phase in tilt.phases for row in phase.errors]
    assert rows[2] == ("ACLNN_ERR_PARAM_INVALID", 161002, "gradOutput、self或gradInput的shape超过8维。")
    assert len(rows) == 5
    rows = [(row.number, row.text) for phase in cap.phases for row in phase.errors]
    assert rows == [
        (161001, "x、y是空指针。"),
        (161002, "x的数据类型不在支持的范围之内。"),
        (161002, "x、y的维度超过8维。"),
        (161001, "xRef 是空指针。"),
    ]


def test_notes_are_read_with_their_products(tilt: Page, cap: Page) -> None:
    """What is said of some products only knows which, and the comment it stands in."""
    [note] = tilt.notes
    assert (note.products, note.text, note.tags) == (("atlas_inference",), "数据类型不支持BFLOAT16。", ("310p",))
    assert [note.products for note in cap.notes] == [("atlas_training",), ("atlas_a2",)]


def test_examples_are_read(tilt: Page) -> None:
    """Calls are told from comments, strings and declarations."""
    [example] = tilt.examples
    assert [include.path for include in example.includes] == ["vector", "acl/acl.h", "aclnnop/aclnn_tilt_backward.h"]
    assert [(call.name, len(call.arguments)) for call in example.calls] == [
        ("aclnnTiltBackwardGetWorkspaceSize", 7),
        ("aclnnTiltBackward", 4),
    ]
    assert example.calls[0].arguments[-1] == "&executor"


def test_the_fixtures_are_understood_whole(tilt: Page, cap: Page) -> None:
    """Nothing is left over, and determinism and formulas are found."""
    assert (tilt.unread, cap.unread) == ((), ())
    assert dict(tilt.determinism) == {"aclnnTiltBackward": True}
    assert len(tilt.formulas) == 1
    assert len(cap.formulas) == 1


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("<td>1-8</td>", "<td>随便几维都行</td>", "rank"),
        ("<td>ND</td>", "<td>什么都行</td>", "format"),
        ("## 约束说明", "## 其他", "section"),
        ("<td>输入</td>", "<td>进</td>", "role"),
        ("<td>√</td>", "<td>看情况</td>", "non_contiguous"),
        ("<td>mode（int64_t）</td>", "<td>？</td>", "row"),
        ("- **返回值：**\n\n  出现", "- 关于倾斜的闲话\n\n- **返回值：**\n\n  出现", "paragraph"),
        ("## 函数原型\n", "## 函数原型\n\n```\n待补充\n```\n", "fence"),
        ("- <term>Atlas 训练系列产品</term>：不支持", "- <term>Atlas 某系列产品</term>：支持", "product"),
        ("- **返回值：**\n\n  出现", "- **返回值：**\n\n  | 甲 | 乙 |\n  | - | - |\n  | 1 | 2 |\n\n  出现", "table"),
    ],
)
def test_what_is_not_understood_is_listed(old: str, new: str, what: str, vocabulary: Vocabulary) -> None:
    """A cell, a section, a product or a table that gives nothing is told of with its line, never dropped."""
    text = TILT.read_text(encoding="utf-8")
    assert old in text
    page = parse(source_from(text.replace(old, new, 1).encode(), "x.md"), vocabulary)
    assert [unread.what for unread in page.unread] == [what]


def test_columns_and_tables_of_other_kinds_are_kept(vocabulary: Vocabulary) -> None:
    """A column that no parameter table usually has becomes part of the usage, a table of constraints a remark."""
    text = CAP.read_text(encoding="utf-8")
    text = text.replace(
        "| 参数 | 说明 |\n| --- | --- |\n| xRef |", "| 参数 | 默认值 | 说明 |\n| --- | --- | --- |\n| xRef | 无穷 |"
    )
    text = text.replace("## 约束说明\n", "## 约束说明\n\n| x | y |\n| - | - |\n| 1 | 2 |\n")
    page = parse(source_from(text.encode(), "x.md"), vocabulary)
    phase = page.first_phase("aclnnInplaceCap")
    assert phase is not None
    assert "默认值：无穷" in phase.parameters[0].usage
    assert page.constraints[0].text == "x | y\n1 | 2"


def test_items_in_other_words_are_read(vocabulary: Vocabulary) -> None:
    """Type and direction come in any order, or not at all if the name is a parameter's."""
    text = CAP.read_text(encoding="utf-8").replace("top（aclScalar*，可选计算输入）", "top（可选输入，aclScalar*）", 1)
    text = text.replace("- y（aclTensor*，计算输出）：结果，", "- y：结果，").replace(
        "维度不超过8维", "维度不高于8维", 1
    )
    phase = parse(source_from(text.encode(), "x.md"), vocabulary).first_phase("aclnnCap")
    assert phase is not None
    _, top, y, *_ = phase.parameters
    assert (top.c_type, top.role, top.optional) == ("aclScalar*", "input", True)
    assert (y.c_type, y.role, y.rank) == (None, None, (0, 8))


def flattened(text: str) -> str:
    """A page as some collections have it: one line, with tables as pipes, and without links, spans and comments."""
    text = re.sub(r"<!--.*?-->\n?", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)

    def table(found: re.Match[str]) -> str:
        rows = html_table(found[0].splitlines(), 1, "x").rows
        width = len(rows[0].cells)
        lines = ["| " + " | ".join(" ".join(c.text.split()) for c in rows[0].cells) + " |", "| --- " * width + "|"]
        for row in rows[1:]:
            cells = [" ".join(cell.text.split()) for cell in row.own]
            lines.append("| " + " | ".join([*cells, *["-"] * (width - len(cells))]) + " |")
        return "\n".join(lines)

    text = re.sub(r"<table.*?</table>", table, text, flags=re.DOTALL)
    text = re.sub(r"<[^>\n]*>", "", text)
    return "--- title: a page --- " + " ".join(text.split())


def test_a_flattened_page_gives_the_same_facts(tilt: Page, vocabulary: Vocabulary) -> None:
    """All but links, product comments, angle brackets and the ends of comments in code survives.

    Places are in the one line that there is.
    """
    text = flattened(TILT.read_text(encoding="utf-8"))
    page = parse(source_from(text.encode(), "flat.txt"), vocabulary)
    assert page.source.flattened
    whole, flat = page_data(tilt), page_data(page)
    for part in ("title", "operators", "products", "prototypes", "phases", "determinism"):
        assert without_places(flat[part]) == without_places(whole[part]), part
    calls = [call.arguments for call in page.examples[0].calls]
    assert all(call.arguments in calls for call in tilt.examples[0].calls)
    [product, *_] = flat["products"]
    assert (
        text[product["column"] - 1 :].startswith("| Ascend 950PR")
        or "Ascend 950PR" in text[product["column"] - 1 :][:30]
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(end: str, tilt: Page, vocabulary: Vocabulary) -> None:
    """The ends of Windows and of old Macs give the same facts on the same lines, with a mark of byte order too."""
    data = b"\xef\xbb\xbf" + TILT.read_text(encoding="utf-8").replace("\n", end).encode()
    page = parse(source_from(data, str(TILT)), vocabulary)
    assert page_data(page) == page_data(tilt)


def test_front_matter_keeps_the_lines_of_the_rest(vocabulary: Vocabulary) -> None:
    """A block of settings at the top is no part of the page, and its lines still count."""
    text = "---\ntitle: x\n---\n# aclnnA\n"
    page = parse(source_from(text.encode(), "x.md"), vocabulary)
    assert page.title is not None
    assert page.title.line == 4


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "found nothing, expected a page"),
        (b" \n\n", "found nothing, expected a page"),
        (b"# aclnnA\0", "found the byte 0x00 at 8, expected text"),
        ("# 倾斜".encode("gbk"), "found the byte 0xc7 at 2, expected UTF-8"),
        (b"a" * (MOST_BYTES + 1), "found more than 1,048,576 bytes"),
        (b"# aclnnA\n" * (MOST_LINES + 1), "found 20,002 lines"),
        (b"# A page of something else\n", "found no heading and no prototype of an aclnn function"),
        (b"# aclnnA\n\n" + b"a" * 10_001, "x.md:3: found 10,001 characters in one paragraph or cell"),
        (b"# aclnnA\n\n<table><tr><td>" + b"a" * 10_001, "x.md:3: found 10,001 characters"),
        (b"```c\n" + b"aclnnStatus aclnnA(int a);\n" * 1, None),
    ],
)
def test_what_is_no_page_is_refused(data: bytes, fault: str | None, vocabulary: Vocabulary) -> None:
    """Empty, binary, huge, wrongly encoded and foreign texts each get one clear line."""
    if fault is None:
        assert parse(source_from(data, "x.md"), vocabulary).prototypes
        return
    with pytest.raises(InputError, match=r"x\.md") as error:
        parse(source_from(data, "x.md"), vocabulary)
    assert fault in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "```cpp\n" + "aclnnA( " * 10_000,
        "```cpp\n" + " " * 200_000 + "\n```",
        "## aclnnAGetWorkspaceSize\n\n" + ("a、" * 3000 + "\n\n") * 10,
        "## aclnnAGetWorkspaceSize\n\n" + ("与self、" * 1500 + "\n\n") * 10,
        "".join("  " * i + "- a\n" for i in range(400)),
        "*" * 100_000,
        "<table>" * 20_000,
        "<table>" + '<tr><td rowspan="99999" colspan="99999">a</td></tr>\n' * 3000,
        "x ## y " + "```c x " * 20_000,
        "<!--" * 200_000,
        "<table><tr><td>" + "<!--" * 200_000,
        "|a" * 4000 + "|\n" + "|-" * 4000 + "|\n" + ("|b" * 4000 + "|\n") * 80,
        "".join(f"## aclnn{i}{'a' * 60}\n" for i in range(900))
        + "".join(f"aclnnStatus aclnn{i}{'b' * 60}(int a);\n\n" for i in range(60)),
    ],
    ids=range(13),
)
def test_a_hostile_page_takes_bounded_time(text: str, vocabulary: Vocabulary) -> None:
    """Texts made to be slow are read or refused in no more than a thousand times what an ordinary page takes."""

    def seconds(content: bytes) -> float:
        start = time.process_time()
        with contextlib.suppress(InputError):
            parse(source_from(content, "x.md"), vocabulary)
        return time.process_time() - start

    ordinary = min(seconds(TILT.read_bytes()) for _ in range(3))
    assert seconds(f"# aclnnA\n\n{text}".encode()) < 1000 * ordinary


def test_show_prints_every_fact_with_its_line(main: Command) -> None:
    """Lines for people in either language, and JSON of the same facts."""
    english, chinese = (main("page", "show", str(TILT), "--lang", lang) for lang in ("en", "zh"))
    assert (english.returncode, chinese.returncode) == (0, 0)
    line = line_of(TILT, "<td>gradInput") - 1
    assert f"  {line:>6}  gradInput: output, aclTensor*, FLOAT, FLOAT16, BFLOAT16, ND, rank 1–8" in english.stdout
    assert "没有读懂的" in chinese.stdout
    document = json.loads(main("page", "show", str(TILT), "--json").stdout)
    assert document["phases"][0]["parameters"][4]["line"] == line
    assert document["unread"] == []


def test_shown_json_is_of_its_schema(spec: Spec, vocabulary: Vocabulary, tilt: Page, cap: Page) -> None:
    """Every fixture, and a flattened one, fits the schema that the output names."""
    flat = parse(source_from(flattened(TILT.read_text(encoding="utf-8")).encode(), "flat.txt"), vocabulary)
    odd = (
        TILT.read_text(encoding="utf-8")
        .replace("<td>1-8</td>", "<td>随便</td>")
        .replace("<td>输入</td>", "<td>？</td>")
    )
    for page in (tilt, cap, flat, parse(source_from(odd.encode(), "odd.md"), vocabulary)):
        assert spec.schemas.faults("page", json.loads(json.dumps(page_data(page))), "page") == []


def test_show_goes_on_after_a_bad_page(main: Command, tmp_path: Path) -> None:
    """Every readable page is shown, every other named, and the exit code is that of a wrong call."""
    (tmp_path / "aclnnBad.md").write_bytes(b"\xff")
    ran = main("page", "show", str(tmp_path / "none.md"), str(tmp_path), str(TILT), "--lang", "en")
    assert ran.returncode == 2
    assert "gradInput: output" in ran.stdout
    assert [line.split(": found")[0].rpartition("/")[2] for line in ran.stderr.splitlines()] == [
        "none.md",
        "aclnnBad.md",
    ]

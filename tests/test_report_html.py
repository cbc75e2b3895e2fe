"""Certificates as pages and badges: what they say, what they escape, and that they need nothing from elsewhere."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from aclnn_spec import api
from aclnn_spec.certification.certificate import Certificate
from aclnn_spec.certification.entry import VERDICTS
from aclnn_spec.certification.implementation import from_function
from aclnn_spec.certification.verify import Checked, read_checked
from aclnn_spec.emit.pages.blocks import Code, Heading, Paragraph, Story, Table, markdown_of, visible
from aclnn_spec.emit.pages.certificate import BUILT_IN, certificate_badge, certificate_html, certificate_pages
from aclnn_spec.emit.pages.report import MIXED, NO_TYPE, Report, type_of
from aclnn_spec.emit.pages.svg import GREEN, GREY, RED, histogram
from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import write_atomically
from aclnn_spec.spec.read import Spec, data_root, load_spec
from conftest import NAME, ROOT, Command

HELD = ROOT / "golden" / "certificates"
STRANGE = "<script>alert(1)</script> [x](http://evil.example) {{ figures.cases }} | \u202egpj.exe\x1b[2J"
HAN = re.compile(r"[\u4e00-\u9fff]")
VOID = ("meta", "br")


class Page(HTMLParser):
    """An HTML page taken apart: its tags with their attributes, its text, and whether the tags match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag that has no end."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """End what was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Take note of a text."""
        if "style" not in self.open:
            self.words.append(data)
        if self.open and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += data

    @property
    def names(self) -> set[str]:
        """The tags there are."""
        return {tag for tag, _ in self.tags}

    @property
    def text(self) -> str:
        """All text."""
        return "".join(self.words)


def wrong(gradOutput: Any, self: Any, target: Any, reduction: int) -> Any:
    """Give the right gradient with the wrong sign."""
    grad, one, other = (np.asarray(each, np.float64) for each in (gradOutput, self, target))
    result = np.sign(other - one) * grad
    return result / result.size if reduction == 1 else result


@pytest.fixture(scope="session")
def failed(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of a wrong function with a strange name, one group of whose failures is waived."""
    folder = tmp_path_factory.mktemp("failed")
    waivers = {
        "$schema": "https://aclnn-spec.dev/schema/waivers.json",
        "waivers": [{"cases": f"{NAME}/mean/*", "reason": "<b>known</b>"}],
    }
    (folder / "w.json").write_text(json.dumps(waivers), encoding="utf-8")
    made = from_function(STRANGE, "<i>1</i>", {NAME: wrong}, scope="numerics")
    api.certify(made, golden=small, waivers=folder / "w.json").save(folder / "c.json")
    return folder / "c.json"


@pytest.fixture(scope="session")
def checked(failed: Path, small: Path, spec: Spec) -> Checked:
    """That certificate, verified."""
    return read_checked(failed, spec, small)


@pytest.fixture(scope="session")
def pages(spec: Spec) -> dict[str, str]:
    """The site's pages of the certificates that the project holds."""
    return certificate_pages(spec, HELD)


def texts(svg: str) -> list[str]:
    """The texts of a drawing that is well-formed."""
    return [each.text or "" for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314


def shape(page: str) -> Iterator[str]:
    """What a Markdown page is made of, without its words: headings with anchors, tables, lists, drawings, code."""
    for line in page.splitlines():
        if line.startswith("#"):
            yield f"{line.split()[0]} {''.join(re.findall(r'{#.*}', line))}"
        elif line.startswith("|"):
            yield "|" * line.count("|")
        elif line.startswith(("- ", "```", "<")):
            yield line[:4]


def test_the_pages_of_the_site(pages: dict[str, str]) -> None:
    """One page for each certificate and one that leads to them, in both languages, marked as generated."""
    held = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(HELD.glob("*"))]
    assert [each["verdict"] for each in held] == ["conformant"] * len(BUILT_IN)
    names = ["index", *BUILT_IN]
    assert sorted(pages) == sorted(f"{lang}/certificates/{name}.md" for lang in ("zh", "en") for name in names)
    for path, text in pages.items():
        source = "" if path.endswith("index.md") else f"/{Path(path).stem}.json"
        mark = f"<!-- generated from golden/certificates{source} by aclnn-spec build; do not edit -->"
        front, title, end, *rest = text.splitlines()
        assert (front, end, rest[:2]) == ("---", "---", [mark, ""])
        assert rest[2] == f"# {json.loads(title.removeprefix('title: '))}"
        assert text.endswith("\n")


@pytest.mark.parametrize("name", ["index", *BUILT_IN])
def test_both_languages_have_the_same_structure(pages: dict[str, str], name: str) -> None:
    """Headings, anchors, tables and drawings are the same; the English page holds no Chinese."""
    zh, en = (pages[f"{lang}/certificates/{name}.md"] for lang in ("zh", "en"))
    assert list(shape(zh)) == list(shape(en))
    assert not HAN.search(en)


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_matrix_adds_up(pages: dict[str, str], name: str) -> None:
    """The cells of the matrix are the certificate's own entries, counted anew."""
    entries = json.loads((HELD / f"{name}.json").read_text(encoding="utf-8"))["entries"]
    lines = pages[f"en/certificates/{name}.md"].splitlines()
    heads, rows = ([line for line in lines if line.startswith(start)] for start in ("| Group", "| `basic`"))
    for operator, head, row in zip(load_spec().operators, heads, rows, strict=True):
        cells = [cell.strip() for cell in row.strip("| ").split("|")]
        basic = [each for each in entries if each["id"].startswith(f"{operator}/basic/")]
        assert {each["verdict"] for each in basic} == {"pass"}
        assert int(cells[-1]) == len(basic) == sum(int(cell) for cell in cells[1:-1] if cell != "–")
        plain = [each for each in basic if re.search(r"/FLOAT16-(?!BFLOAT16|FLOAT-)", each["id"])]
        assert int(cells[head.strip("| ").split(" | ").index("`FLOAT16`")]) == len(plain)


def test_the_index_compares_what_was_seen(pages: dict[str, str]) -> None:
    """A clause's row has each implementation's behaviour, and a dash where it was not judged."""
    lines = pages["en/certificates/index.md"].splitlines()
    row = next(line for line in lines if "`grad_nonfinite_at_tie`" in line)
    clause = f"[`grad_nonfinite_at_tie`](../operators/{NAME}.md#grad_nonfinite_at_tie)"
    assert row == f"| `{NAME}` {clause} | `nan` (10) | `nan` (10) | `zero` (10) |"
    assert next(line for line in lines if "`rank_0`" in line).split(" | ")[2] == "–"


def test_a_stale_certificate_is_an_error(spec: Spec, tmp_path: Path) -> None:
    """Pages are not made of a certificate that does not hold; the error says how to make it anew."""
    for name in BUILT_IN:
        document = json.loads((HELD / f"{name}.json").read_text(encoding="utf-8"))
        document["digests"]["judge"] = "0" * 64
        document["entries"] = []
        (tmp_path / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match=r"^numpy.json: digests.judge: .* to make it anew: aclnn-spec certify numpy "):
        certificate_pages(spec, tmp_path)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_strange_name_is_only_text(checked: Checked, lang: str) -> None:
    """Nothing an implementation or a waiver is called becomes markup; letters that hide are shown as escapes."""
    text = certificate_html(checked, lang)
    page = Page(text)
    assert page.open == []
    assert not page.names & {"script", "b", "i", "a", "img", "link", "iframe", "object"}
    assert "<script>alert(1)</script> [x](http://evil.example)" in page.text
    assert "\\u202egpj.exe\\u001b[2J" in page.text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "<b>known</b>" in page.text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_page_stands_alone(checked: Checked, lang: str) -> None:
    """No attribute or style leads anywhere, a policy forbids it too, and the page says its language."""
    text = certificate_html(checked, lang)
    page = Page(text)
    assert {key for _, attributes in page.tags for key in attributes} <= {
        *("lang", "charset", "http-equiv", "content", "name", "class", "id", "scope", "tabindex", "style"),
        *("xmlns", "viewbox", "width", "height", "role", "aria-labelledby", "font-family", "font-size", "fill"),
        *("x", "y", "opacity", "text-anchor", "d", "stroke"),
    }
    assert "url(" not in text
    assert "@import" not in text
    assert ("meta", {"http-equiv": "Content-Security-Policy", "content": page_policy()}) in page.tags
    assert ("html", {"lang": {"zh": "zh-CN", "en": "en"}[lang]}) in page.tags
    assert not any(key.startswith("on") for _, attributes in page.tags for key in attributes)


def page_policy() -> str:
    """What the page may load."""
    return "default-src 'none'; style-src 'unsafe-inline'"


def test_every_failure_is_told(checked: Checked) -> None:
    """Each failed and each waived case has its story, closed; the verdict stands first, the waivers with counts."""
    page = Page(certificate_html(checked, "en"))
    totals = checked.certificate.totals
    assert totals["fail"] > 0
    assert totals["waived"] > 0
    details = [attributes for tag, attributes in page.tags if tag == "details"]
    assert details == [{}] * (totals["fail"] + totals["waived"])
    for entry in checked.certificate.entries:
        if entry.verdict == "fail":
            assert f"{entry.id} [{entry.faults[0].kind}" in page.text
    assert "Verdict: not conformant. Cases: " in page.text
    assert [f"{NAME}/mean/*", str(totals["waived"]), "<b>known</b>"] in page.rows
    assert f"failed cases: {totals['fail']}" in page.text


def test_the_matrix_marks_what_failed(checked: Checked) -> None:
    """A cell with a failure says so in words and has a class of its own."""
    (table,) = [each for each in Report(checked, "en").matrix() if isinstance(each, Table)]
    basic = next(i for i, row in enumerate(table.rows) if row[0] == "basic")
    assert "failed" in str(table.rows[basic][-1])
    assert table.marks[basic][-1] == "fail"
    totals = checked.certificate.totals
    expected = " · ".join(
        f"{totals[each]} {word}"
        for each, word in zip(VERDICTS, ("passed", "failed", "waived", "skipped"), strict=True)
        if totals[each]
    )
    assert table.rows[-1][-1] == expected


def test_the_markdown_of_a_strange_certificate(checked: Checked) -> None:
    """In Markdown, too, no name opens a tag, a link, a cell or a figure mark, and stories have no blank line."""
    for block in Report(checked, "zh").blocks():
        text = block.markdown()
        assert "<script" not in text
        assert "{{" not in text
        assert "](http" not in text
        if isinstance(block, Story):
            assert "\n\n" not in text
        if isinstance(block, Table):
            columns = {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines()}
            assert len(columns) == 1


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("plain 1.5, a-b", "plain 1.5, a-b"),
        ("FLOAT_16 _x_ __init__", "FLOAT_16 &#95;x&#95; &#95;&#95;init&#95;&#95;"),
        ("a|b<c>&d", "a&#124;b&#60;c&#62;&#38;d"),
        ("1. no list", "&#49;. no list"),
        ("- no list", "&#45; no list"),
        ("53 passed", "53 passed"),
        ("x:y: http://z", "x&#58;y: http&#58;//z"),
        ("two\nlines", "two<br>lines"),
        (Code("a_b"), "`a_b`"),
        (Code("a`b|c"), "<code>a&#96;b&#124;c</code>"),
        (Code("{{ x }}"), "<code>&#123;&#123; x &#125;&#125;</code>"),
        (Code(""), "<code></code>"),
        (("a ", Code("b")), "a `b`"),
    ],
)
def test_markdown_keeps_letters_as_they_are(text: Any, markdown: str) -> None:
    """What has a meaning in Markdown becomes an entity; the rest stays readable."""
    assert markdown_of(text) == markdown


def test_visible() -> None:
    """Controls and marks of direction are written out; Chinese, tabs and line ends stay."""
    assert visible("中文\t\n\x00\u2066é") == "中文\t\n\\u0000\\u2066é"


def test_headings_and_paragraphs() -> None:
    """A heading has its anchor in both forms; a mark is for HTML alone."""
    heading = Heading(level=2, text="a < b", anchor="x")
    assert (heading.markdown(), heading.html()) == ("## a &#60; b {#x}", '<h2 id="x">a &lt; b</h2>')
    paragraph = Paragraph(line="a", mark="verdict")
    assert (paragraph.markdown(), paragraph.html()) == ("a", '<p class="verdict">a</p>')


@pytest.mark.parametrize(
    ("case_id", "expected"),
    [
        (f"{NAME}/basic/FLOAT-3x3-none-signs", "FLOAT"),
        (f"{NAME}/deduction/FLOAT-FLOAT16-12-none-mix", MIXED),
        (f"{NAME}/deduction/BFLOAT16.BFLOAT16.FLOAT-BFLOAT16-7-sum-sum", MIXED),
        (f"{NAME}/open/INT32.FLOAT.FLOAT-2x3-none-integer_mix", MIXED),
        (f"{NAME}/status/nullptr-gradOutput-null", NO_TYPE),
        ("unknown", NO_TYPE),
    ],
)
def test_type_of(case_id: str, expected: str, spec: Spec) -> None:
    """A case's type is in its id: of the inputs, and of the output where that differs."""
    assert type_of(case_id, spec.tables.dtypes) == expected


def test_the_types_are_those_of_the_calls(spec: Spec) -> None:
    """For every core case with a single type in its id, all tensors of the call have it; else they differ."""
    golden = Golden(data_root() / "golden" / "core", spec)
    for case_id in golden.case_ids():
        told = type_of(case_id, spec.tables.dtypes)
        arguments = golden.case(case_id).arguments.values()
        found = {str(each.dtype) for each in arguments if hasattr(each, "dtype")}
        assert told == NO_TYPE or found == {told} or (told == MIXED and len(found) > 1), case_id


def test_histogram() -> None:
    """A drawing is well-formed, names itself to those who do not see it, and its highest bar fills it."""
    svg = histogram([("0", 3), ("> <1", 1), ("2", 0)], name="a", title="t & u", told="d", axis="ULP")
    root = ET.fromstring(svg)  # noqa: S314 - our own
    space = "{http://www.w3.org/2000/svg}"
    assert texts(svg) == ["3", "0", "1", "> <1", "0", "2", "ULP"]
    assert [root.findtext(f"{space}{each}") for each in ("title", "desc")] == ["t & u", "d"]
    assert (root.get("role"), root.get("aria-labelledby")) == ("img", "a-title a-desc")
    assert [int(each.get("height", "")) for each in root.iter(f"{space}rect")] == [90, 30]


def test_histograms_count_the_errors(checked: Checked) -> None:
    """A type's bars add up to its measured cases, by the bounds under them."""
    entries = [
        replace(each, ulp=ulp, verdict="pass")
        for each, ulp in zip(float_cases(checked), (0.0, 0.5, 0.6, 3.0, 99.0), strict=False)
    ]
    spoilt = replace(checked, certificate=replace(checked.certificate, entries=tuple(entries)))
    (figure,) = [each for each in Report(spoilt, "en").histograms() if hasattr(each, "svg")]
    expected = ["1", "0", "1", "≤ 0.5", "1", "≤ 1", "0", "≤ 2", "1", "≤ 3", "0", "≤ 4", "0", "≤ 10", "1", "> 10"]
    assert texts(figure.svg) == [*expected, "largest error (ULP)"]


def float_cases(checked: Checked) -> Sequence[Any]:
    """Entries of cases that are FLOAT alone."""
    dtypes = checked.suite.spec.tables.dtypes
    return [each for each in checked.certificate.entries if type_of(each.id, dtypes) == "FLOAT"][:5]


@pytest.mark.parametrize(
    ("changes", "lang", "value", "colour"),
    [
        ({}, "en", "conformant · 1 operator", GREEN),
        ({}, "zh", "符合规范 · 1 个算子", GREEN),
        ({"verdict": "not conformant"}, "en", "not conformant · 1 operator", RED),
        ({"verdict": "incomplete"}, "zh", "不完整 · 1 个算子", GREY),
        ({"operators": ("a", "b")}, "en", "conformant · 2 operators", GREEN),
        ({"policy": "community", "shard": "1/4"}, "en", "conformant · 1 operator · community · shard 1/4", GREEN),
        (
            {"totals": {"pass": 1, "fail": 0, "waived": 2, "skipped": 0}},
            "zh",
            "符合规范 · 1 个算子 · 豁免 2 个",
            GREEN,
        ),
    ],
)
def test_badge(
    small_certificate: Path, spec: Spec, small: Path, changes: dict[str, Any], lang: str, value: str, colour: str
) -> None:
    """The badge says the verdict and all that narrows it, in words and in a colour."""
    certificate: Certificate = replace(read_checked(small_certificate, spec, small).certificate, **changes)
    svg = certificate_badge(certificate, lang)
    assert texts(svg) == ["aclnn-spec", value]
    assert ET.fromstring(svg).get("aria-label") == f"aclnn-spec: {value}"  # noqa: S314 - our own
    assert f'fill="{colour}"' in svg
    assert {each for each in (GREEN, RED, GREY) if each in svg} == {colour}
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_badge_of_a_function(checked: Checked) -> None:
    """A certificate on numerics alone cannot pass for a full one."""
    svg = certificate_badge(replace(checked.certificate, verdict="conformant"), "en")
    assert texts(svg)[1].startswith("conformant · 1 operator · numerics only · ")


def test_the_command_writes_both(main: Command, failed: Path, small: Path, tmp_path: Path) -> None:
    """Page and badge are written, and the paths printed; a verdict against the implementation is no failure."""
    page, badge = tmp_path / "p.html", tmp_path / "b.svg"
    ran = main("report", failed, "--golden", small, "--html", page, "--badge", badge, "--lang", "en")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{page}\n{badge}\n", "")
    assert page.read_text(encoding="utf-8").startswith('<!doctype html>\n<html lang="en">')
    assert texts(badge.read_text(encoding="utf-8"))[0] == "aclnn-spec"


def test_the_command_prints_the_summary(main: Command, small_certificate: Path, small: Path) -> None:
    """Without a file to write it prints what `certify` prints."""
    ran = main("report", small_certificate, "--golden", small, "--lang", "en")
    certified = main("certify", "numpy", "--golden", small, "--lang", "en")
    assert (ran.returncode, ran.stdout) == (0, certified.stdout)


@pytest.mark.parametrize(("lang", "said"), [("en", "does not hold"), ("zh", "证书不成立")])
def test_a_certificate_that_does_not_hold(
    main: Command, failed: Path, small: Path, tmp_path: Path, lang: str, said: str
) -> None:
    """Of a certificate that was changed nothing is written, and what is there stays."""
    document = json.loads(failed.read_text(encoding="utf-8"))
    document["verdict"] = "conformant"
    with write_atomically(tmp_path / "c.json") as file:
        file.write(json.dumps(document).encode())
    (tmp_path / "b.svg").write_text("old", encoding="utf-8")
    options = ["--html", tmp_path / "p.html", "--badge", tmp_path / "b.svg", "--lang", lang]
    ran = main("report", tmp_path / "c.json", "--golden", small, *options)
    assert ran.returncode == 1
    assert "c.json: verdict: found 'conformant', expected 'not conformant'" in ran.stdout
    assert said in ran.stdout.splitlines()[-1]
    assert not (tmp_path / "p.html").exists()
    assert (tmp_path / "b.svg").read_text(encoding="utf-8") == "old"


def test_wrong_calls(main: Command, small_certificate: Path, small: Path, tmp_path: Path) -> None:
    """Places that cannot be written, or that would overwrite the certificate, are refused before anything is done."""
    before = small_certificate.read_bytes()
    rest = [small_certificate, "--golden", small]
    for options, message in (
        (["--html", "no/p.html"], "--html: found no directory no"),
        (["--badge", tmp_path], f"--badge: found the directory {tmp_path}"),
        (["--html", ""], "--html: found the directory ., expected the name of a file"),
        (["--html", small_certificate], "report: found the same file twice"),
        (["--html", tmp_path / "x", "--badge", tmp_path / "x"], "report: found the same file twice"),
    ):
        ran = main("report", *rest, *options)
        assert (ran.returncode, message in ran.stderr) == (2, True)
    assert small_certificate.read_bytes() == before
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_is_not_replaced(main: Command, small_certificate: Path, small: Path, tmp_path: Path) -> None:
    """A pipe, which stands here for a device such as /dev/null, is refused and stays what it is."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ran = main("report", small_certificate, "--golden", small, "--badge", pipe)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert f"--badge: found the special file {pipe}, expected" in ran.stderr
    assert pipe.is_fifo()

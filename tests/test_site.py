"""The pages on disk and the site built from them: two languages alike, nothing foreign, figures and programs true."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

from aclnn_spec import cli
from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.read import Spec
from conftest import NAME, Command
from published import DOCS, LANGUAGES, ROOT, address, mkdocs, pages, published
from web import serving

PAGES = pages("zh")
OPERATORS = sorted(path.stem for path in (ROOT / "spec" / "operators").glob("*.json"))
CODE = DOCS / "assets" / "code"
FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
HAN = re.compile(r"[\u3400-\u9fff\uff01-\uff65\u3001\u3002]")
ENGLISH = re.compile(r"\b[A-Za-z]+(?: [a-z]+){4,}")
"""Five words in a row; names and terms are shorter."""


def text_of(language: str, page: str) -> str:
    """A page without its blocks of code."""
    return FENCE.sub("", (DOCS / language / page).read_text(encoding="utf-8"))


def prose_of(language: str, page: str) -> str:
    """What is left of a page to be read: no code, no addresses, no markup, no name of the other language."""
    text = re.sub(r"^---\n.*?^---\n", "", text_of(language, page), flags=re.MULTILINE | re.DOTALL)
    for pattern in (
        r"<!--.*?-->",
        r"<(code|style|script|pre)\b.*?</\1>",
        r'<(\w+)[^>]*lang="(?:zh|en)"[^>]*>.*?</\1>',
        r"<[^>]*>",
        r"`[^`\n]*`",
        r"\]\([^)]*\)",
        r"\{#[^}]*\}",
        r"\$\$.*?\$\$",
    ):
        text = re.sub(pattern, " · ", text, flags=re.DOTALL)
    return text


def tables_of(text: str) -> list[tuple[int, int]]:
    """Rows and columns of each table, Markdown's first."""
    found = []
    rows: list[int] = []
    for line in [*text.splitlines(), ""]:
        if line.lstrip().startswith("|"):
            rows.append(line.replace(r"\|", "").count("|") - 1)
        elif rows:
            found.append((len(rows), rows[0]))
            assert set(rows) == {rows[0]}, line
            rows = []
    return found + [
        (table.count("<tr"), table.partition("</tr>")[0].count("<th"))
        for table in re.findall(r"<table.*?</table>", text, re.DOTALL)
    ]


def test_both_languages_have_the_same_pages() -> None:
    """A page of one language has its twin in the other."""
    assert pages("en") == PAGES
    assert len(PAGES) > 20


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_have_the_same_structure(page: str) -> None:
    """Headings, their anchors, tables, blocks of code and links agree, page by page."""
    zh, en = (text_of(language, page) for language in LANGUAGES)
    heading = re.compile(r"^(#+) .*?(?:\{#([\w-]+)\})?$", re.MULTILINE)
    assert heading.findall(zh) == heading.findall(en)
    assert all(anchor for level, anchor in heading.findall(zh) if len(level) > 1)
    assert tables_of(zh) == tables_of(en)
    links = re.compile(r"\]\((?!http)([^)]*)\)")
    assert sorted(links.findall(zh)) == sorted(links.findall(en))
    whole = [(DOCS / language / page).read_text(encoding="utf-8") for language in LANGUAGES]
    assert len(FENCE.findall(whole[0])) == len(FENCE.findall(whole[1]))


@pytest.mark.parametrize("page", PAGES)
def test_no_page_speaks_the_other_language(page: str) -> None:
    """Outside code and names there is no Chinese in English pages and no English sentence in Chinese ones."""
    assert HAN.findall(prose_of("en", page)) == []
    assert ENGLISH.findall(prose_of("zh", page)) == []
    assert HAN.search(prose_of("zh", page))


def test_pictures_exist_in_both_languages() -> None:
    """Each picture has its twin, of the same shapes, with a title and a description."""
    folder = DOCS / "assets" / "pictures"
    for path in folder.glob("*.zh.svg"):
        zh, en = path.read_text(encoding="utf-8"), path.with_suffix("").with_suffix(".en.svg").read_text("utf-8")
        shapes = re.compile(r"<(?:rect|path|svg)[^>]*>")
        assert shapes.findall(zh) == shapes.findall(en)
        assert all(f"<{each}" in text for each in ("title", "desc") for text in (zh, en))
        assert not HAN.search(en)
    assert len(list(folder.iterdir())) == 2 * len(list(folder.glob("*.zh.svg")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_on_deduction_quotes_the_table(language: str, spec: Spec) -> None:
    """Every cell of the hand-written extract is the spec's."""
    text = (DOCS / language / "concepts" / "deduction.md").read_text(encoding="utf-8")
    rows = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    columns = rows[0][1:]
    table = json.loads((ROOT / "spec" / "tables" / "deduction.json").read_text(encoding="utf-8"))
    for name, *cells in rows[2:]:
        assert cells == [table["rows"][name][table["dtypes"].index(column)] or "–" for column in columns]
        assert all(each in spec.tables.dtypes for each in (name, *columns))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_on_status_quotes_the_table(language: str) -> None:
    """The numbers and names are the spec's."""
    table = json.loads((ROOT / "spec" / "tables" / "status_codes.json").read_text(encoding="utf-8"))
    text = (DOCS / language / "concepts" / "status.md").read_text(encoding="utf-8")
    known = {(str(each["number"]), each["name"]) for each in table["status_codes"]}
    quoted = set(re.findall(r"^\| (\d+) \| `(\w+)` \|", text, re.MULTILINE))
    assert len(quoted) == 5
    assert quoted <= known


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_on_161002_shows_what_the_command_prints(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The answer on the page is the command's own, letter by letter."""
    text = (DOCS / language / "start" / "diagnose.md").read_text(encoding="utf-8")
    command, _, answer = text.partition("```console\n$ aclnn-spec ")[2].partition("```")[0].partition("\n")
    assert cli.main(shlex.split(command)) == 1
    assert capsys.readouterr().out == answer


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("read_golden_numpy.py", "expected [-0.    0.    0.5   0.75]"),
        ("read_golden_torch.py", "torch.bfloat16"),
        ("validate.py", "ACLNN_ERR_PARAM_INVALID (161002) ['reduction']"),
    ],
)
def test_the_programs_on_the_pages_run(program: str, says: str) -> None:
    """What a page shows in Python does what the page says."""
    if "torch" in program:
        pytest.importorskip("torch", reason="found no PyTorch")
    ran = subprocess.run([sys.executable, CODE / program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert says in ran.stdout


def test_the_cpp_program_runs(tmp_path: Path) -> None:
    """The C++ reader compiles without a warning and reads the page's example."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("found no C++ compiler")
    program = tmp_path / "read_golden"
    subprocess.run(
        [compiler, "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", CODE / "read_golden.cpp", "-o", program],
        check=True,
    )
    ran = subprocess.run([program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1].split() == ["expected", "-0", "0", "0.5", "0.75"]


def test_every_page_is_built_in_its_language_and_knows_its_twin() -> None:
    """`lang`, hreflang and the canonical list of pages are right, and the twin is the same page."""
    site = published()
    for language, page in ((language, page) for language in LANGUAGES for page in PAGES):
        path = site / language / address(page) / "index.html"
        html = path.read_text(encoding="utf-8")
        assert f'<html lang="{language}"' in html
        twins = dict(re.findall(r'<link rel="alternate " href="([^"]*)" hreflang="(\w+)"', html))
        assert sorted(twins.values()) == sorted(LANGUAGES)
        for link, other in twins.items():
            assert (path.parent / link).resolve() == (site / other / address(page)).resolve()
        assert "{{" not in re.sub(r"<(code|script)\b.*?</\1>", "", html, flags=re.DOTALL)


def test_the_site_names_no_other_host_to_load_from() -> None:
    """No page, style or script of the site has a browser ask another host; links are for readers to follow."""
    for path in published().rglob("*"):
        if path.suffix == ".html":
            html = re.sub(r"<a\b[^>]*>", "", path.read_text(encoding="utf-8"))
            assert re.findall(r"""(?:src|href|action|srcset)=["']?(?:https?:)?//[^"' >]*""", html) == [], path
        elif path.suffix == ".css":
            assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", path.read_text(encoding="utf-8")) == [], path


def test_links_between_pages_are_relative() -> None:
    """The site works below any path: no link begins at the root of the host, but on the page for unknown addresses."""
    for path in published().rglob("*.html"):
        if path.name != "404.html":
            assert re.findall(r"""(?:src|href)=["']/[^"']*""", path.read_text(encoding="utf-8")) == [], path


def test_the_downloads_are_the_golden_data() -> None:
    """What the site serves has the sizes and sums of the manifest, and SHA256SUMS says the same."""
    held = published() / "data" / "certificates"
    for path in (ROOT / "golden" / "certificates").iterdir():
        assert (held / path.name).read_bytes() == path.read_bytes()
    folder = published() / "data" / "core"
    lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
        assert (folder / name).read_bytes() == (ROOT / "golden" / "core" / name).read_bytes()
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert {"manifest.json", *(f"{name}.{suffix}" for name in OPERATORS for suffix in ("json", "npz"))} == set(sums)
    assert {entry["name"]: entry["sha256"] for entry in manifest["files"]}.items() <= sums.items()


def words_of(page: str, language: str) -> str:
    """What a reader sees of a built page: its text, with one space between all words."""
    html = (published() / language / address(page) / "index.html").read_text(encoding="utf-8")
    article = re.search(
        r"<article.*</article>", re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL), re.DOTALL
    )
    assert article
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", article[0])).split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_figures_on_the_site_are_those_of_its_sources(language: str) -> None:
    """Counted here anew, by other code than the pages use: from spec, golden data, certificates and faults."""
    operators = [read_json(ROOT / "spec" / "operators" / f"{name}.json") for name in OPERATORS]
    cases = [case for name in OPERATORS for case in read_json(ROOT / "golden" / "core" / f"{name}.json")["cases"]]
    mutants = [
        each
        for name in OPERATORS
        for each in read_json(ROOT / "tests" / "mutants" / "kills" / f"{name}.json")["mutants"]
    ]
    counts = (
        len(operators),
        sum(len(each["clauses"]) for each in operators),
        len(cases),
        sum(len(each["errata"]) for each in operators),
        sum("equivalent" not in mutant for mutant in mutants),
        len(read_json(ROOT / "tests" / "right" / "table.json")["rows"]),
    )
    home = (published() / language / "index.html").read_text(encoding="utf-8")
    listed = re.search(r'<ul class="figures">(.*?)</ul>', home, re.DOTALL)
    assert listed
    assert re.findall(r"<strong>(.*?)</strong>", listed[1]) == [f"{count:,}" for count in counts]
    torch = read_json(ROOT / "golden" / "certificates" / "torch.json")
    verdicts = Counter(entry["verdict"] for entry in torch["entries"])
    report = words_of("certificates/torch.md", language)
    assert all(re.search(rf"\b{number}\b", report.partition(".")[2][:400]) for number in verdicts.values())
    table = words_of("data/cases.md", language)
    for group, count in Counter(case["group"] for case in cases).items():
        assert re.search(rf"\b{group} \d+ \d+ \d+ {count}\b", table)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_figures_of_an_operator_are_those_of_its_sources(language: str, name: str) -> None:
    """The files of its golden data with their sums, the cases that test each clause, the combinations of dtypes."""
    operator = read_json(ROOT / "spec" / "operators" / f"{name}.json")
    cases = read_json(ROOT / "golden" / "core" / f"{name}.json")["cases"]
    page = words_of(f"operators/{name}.md", language)
    html = (published() / language / address(f"operators/{name}.md") / "index.html").read_text(encoding="utf-8")
    files = words_of("data/index.md", language)
    for path in (ROOT / "golden" / "core").glob(f"{name}.*"):
        content = path.read_bytes()
        line = f"{path.name} {len(content):,} {hashlib.sha256(content).hexdigest()}"
        assert line in files
        assert line in page
    for clause in operator["clauses"]:
        tested = sum(clause["id"] in case["clauses"] for case in cases)
        assert not tested or f'cases/?operator={name}&amp;clause={clause["id"]}">{tested}</a>' in html, clause["id"]
    combinations = re.search(r"(?:Combinations|组合数) ✓ .*? (\d+) \? .*? (\d+) ✕ .*? (\d+)", page)
    deduced = any(clause.get("rule", {}).get("kind") == "deducible" for clause in operator["clauses"])
    assert bool(combinations) == deduced
    if combinations:
        types = read_json(ROOT / "spec" / "tables" / "deduction.json")["dtypes"]
        inputs = [each for each in operator["parameters"] if each["role"] == "input"]
        assert sum(map(int, combinations.groups())) == len(types) ** len(inputs)
    if name == NAME:
        assert combinations
        assert combinations[1] == str(3**3)  # FLOAT, FLOAT16 and BFLOAT16 for each of three inputs


def test_fetch_gets_the_core_tier_from_the_site(tmp_path: Path, main: Command, spec: Spec) -> None:
    """From the site as published it arrives verified; damaged on the way nothing is written, and a second try helps."""
    pytest.importorskip("pooch", reason="found no pooch: pip install -e '.[fetch]'")
    core = ROOT / "golden" / "core"
    target = tmp_path / "fetched"
    shutil.copytree(published() / "data", tmp_path / "project" / "data")
    npz = f"{NAME}.npz"
    with serving(tmp_path, "project/data/core") as web:
        published_npz = (web.folder / npz).read_bytes()
        flipped = bytearray(published_npz)
        flipped[len(flipped) // 2] ^= 1
        for damaged, complaint in (
            (bytes(flipped), "as manifest.json says"),
            (published_npz[:-1], f"found {len(published_npz) - 1} bytes, expected {len(published_npz)} bytes"),
            (None, "found 404"),
        ):
            (web.folder / npz).unlink()
            if damaged is not None:
                (web.folder / npz).write_bytes(damaged)
            ran = main("fetch", "--url", web.url, "--output", target)
            assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1)
            assert ran.stderr.startswith(f"aclnn-spec fetch: {web.url}/{npz}: ")
            assert complaint in ran.stderr
            assert not target.exists()
            (web.folder / npz).write_bytes(published_npz)
        web.ill[npz] = "halfway"
        ran = main("fetch", "--url", web.url, "--output", target)
        assert (ran.returncode, target.exists()) == (2, False)
        assert "found the connection closed before the end" in ran.stderr
        web.ill.clear()
        assert main("fetch", "--url", web.url, "--output", target).returncode == 0
    names = {path.name for path in target.iterdir()}
    assert names == {path.name for path in core.iterdir()}
    assert all((target / name).read_bytes() == (core / name).read_bytes() for name in names)
    assert len(Golden(target, spec).case_ids()) > 1000


def test_each_language_has_its_own_search_index() -> None:
    """An index holds all pages of its language and none of the other."""
    for language in LANGUAGES:
        path = published() / language / "search" / "search_index.json"
        docs = json.loads(path.read_text(encoding="utf-8"))["docs"]
        assert {doc["location"].partition("#")[0] for doc in docs} == {address(page) for page in PAGES}


def test_navigation_stays_in_its_language_and_its_order() -> None:
    """Following next from the first page visits every page of the language once."""
    for language in LANGUAGES:
        path = published() / language / "index.html"
        seen = [path]
        while found := re.search(r'<link rel="next" href="([^"]*)"', path.read_text(encoding="utf-8")):
            path = (path.parent / found[1] / "index.html").resolve()
            assert path not in seen
            seen.append(path)
        assert len(seen) == len(PAGES)
        names = [path.relative_to(published() / language).parts[0] for path in seen]
        assert len({name for name, _ in pairwise([*names, ""])}) == sum(
            one != two for one, two in pairwise([*names, ""])
        )


def test_a_fault_in_a_page_fails_the_build(tmp_path: Path) -> None:
    """Broken links, broken anchors and unknown figures do not get published."""
    for language in LANGUAGES:
        (tmp_path / "docs" / language).mkdir(parents=True)
        (tmp_path / "docs" / language / "index.md").write_text("# A page\n", encoding="utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        f"INHERIT: {ROOT / 'mkdocs.yml'}\n"
        f"docs_dir: {tmp_path / 'docs'}\n"
        "watch: []\n"
        f"hooks: [{ROOT / 'tools' / 'site_hook.py'}]\n"
        f"theme: {{custom_dir: {DOCS / 'overrides'}}}\n",
        encoding="utf-8",
    )
    for text, complaints in {
        "": (),
        "[one](no-such-page.md) and [two](index.md#no-such-anchor)": ("no-such-page.md", "no-such-anchor"),
        "{{ figures.none }}": ("found figures.none",),
    }.items():
        (tmp_path / "docs" / "en" / "index.md").write_text(f"# A page\n\n{text}\n", encoding="utf-8")
        ran = mkdocs("build", "--strict", "-f", str(config), "-d", str(tmp_path / "site"))
        assert ran.returncode == bool(complaints), ran.stderr
        assert all(each in ran.stderr for each in complaints)

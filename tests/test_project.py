"""The documents at the top agree with each other, with the package and with what it really prints."""

import ast
import importlib
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution, version
from pathlib import Path

import pytest

from aclnn_spec import cli
from aclnn_spec.certification.certificate import load_certificate
from aclnn_spec.certification.report import summary
from aclnn_spec.golden.case import GROUPS
from aclnn_spec.golden.store import Golden
from aclnn_spec.plugin import _OPTIONS
from aclnn_spec.reference import REFERENCES
from aclnn_spec.reference.oracle import ORACLES
from aclnn_spec.spec.files import canonical_json, read_json
from aclnn_spec.spec.read import load_spec

ROOT = Path(__file__).parents[1]
COMMAND = Path(sys.executable).with_name("aclnn-spec")
READMES = {"en": "README.md", "zh": "README.zh.md"}
PAIRS = (("README.md", "README.zh.md"), ("CONTRIBUTING.md", "CONTRIBUTING.zh.md"))
PAGES = tuple(name for pair in PAIRS for name in pair)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")


def text(name: str) -> str:
    """Read a document."""
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    """Give a document's blocks of code in a language."""
    return [body for found, body in FENCE.findall(text(name)) if found == language]


def prose(name: str) -> str:
    """Give a document without its blocks of code."""
    return FENCE.sub("", text(name))


def shape(name: str) -> list[str]:
    """Give what a document is built of, in order: headings by level, blocks by language, list items, table rows."""
    marks = re.compile(r"^(#+|```\w+|\d+\.|-|\|)", re.MULTILINE)
    outside = FENCE.sub(lambda found: f"```{found[1]}\n", text(name))
    return [found[1] for found in marks.finditer(outside)]


def commands(name: str) -> Iterator[list[str]]:
    """Give each command of a document in words: those of its shell blocks, and of its text where it begins with one."""
    lines = [line for body in blocks(name, "sh") for line in body.splitlines()]
    lines += [body.splitlines()[0].removeprefix("$ ") for body in blocks(name, "console")]
    lines += [code for code in CODE.findall(prose(name)) if re.match(r"(aclnn-spec|pytest|pip|bash) ", code)]
    for line in lines:
        for part in line.split("&&"):
            words = shlex.split(part)
            yield [words[0].removeprefix(".venv/bin/"), *words[1:]]


def holds(shown: list[str], real: list[str]) -> str | None:
    """Find the lines shown in the real ones, in order; give the first that is missing.

    Between two lines nothing may be left out but where `…` stands alone; at a line's end it stands for the rest.
    """
    rest, jump = list(real), False
    for line in shown:
        if line == "…":
            jump = True
            continue
        fits = [one.startswith(line[:-1].rstrip()) if line.endswith("…") else one == line for one in rest]
        at = fits.index(True) if True in fits else None
        if at is None or (at and not jump):
            return line
        rest, jump = rest[at + 1 :], False
    return None


@pytest.mark.parametrize("pair", PAIRS)
def test_both_languages_are_built_alike(pair: tuple[str, str]) -> None:
    """The Chinese page has the English one's headings, blocks, lists and tables, in the same order."""
    english, chinese = map(shape, pair)
    assert english == chinese


@pytest.mark.parametrize("pair", PAIRS)
def test_both_languages_show_the_same_code(pair: tuple[str, str]) -> None:
    """Programs and commands are the same; what is printed is in the page's language."""
    english, chinese = ([block for block in FENCE.findall(text(name)) if block[0] != "console"] for name in pair)
    assert english == chinese


@pytest.mark.parametrize("pair", PAIRS)
def test_both_languages_link_to_each_other(pair: tuple[str, str]) -> None:
    """Each page's third line leads to the other."""
    for here, there in (pair, pair[::-1]):
        assert f"({there})" in text(here).splitlines()[2]


@pytest.mark.parametrize("name", [*PAGES, "CHANGELOG.md"])
def test_links_lead_somewhere(name: str) -> None:
    """Every relative link is a file of the checkout."""
    links = [link for link in re.findall(r"\]\(([^)]+)\)", prose(name)) if "://" not in link]
    missing = [link for link in links if not (ROOT / link).exists()]
    assert missing == []


@pytest.mark.parametrize("name", PAGES)
def test_commands_parse(name: str) -> None:
    """The command line takes every `aclnn-spec` command shown."""
    shown = [words for words in commands(name) if words[0] == "aclnn-spec" and words[1:] != ["certify", "--help"]]
    # A page may show a command with a name left open, as in `show <算子名>`.
    parsed = [cli.parser().parse_args(words[1:]).command for words in shown]
    assert parsed == [words[1] for words in shown]
    assert shown


@pytest.mark.parametrize("name", READMES.values())
def test_pytest_options_exist(name: str) -> None:
    """Every `--aclnn-` option shown is one of the plugin's."""
    known = {f"--aclnn-{option}" for option, _ in _OPTIONS}
    shown = set(re.findall(r"--aclnn-\w+", text(name)))
    assert shown
    assert shown - known == set()


@pytest.mark.parametrize("name", READMES.values())
def test_the_two_commands_come_first(name: str) -> None:
    """A fresh checkout is installed and certified with one line, and tested with another."""
    assert blocks(name, "sh")[:2] == [
        "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/aclnn-spec certify numpy\n",
        ".venv/bin/pip install -e '.[test]' && .venv/bin/pytest -n 2\n",
    ]


def test_examples_shown_are_the_files() -> None:
    """The function, the waivers and the test function stand in the README as in `examples/`."""
    function, decorated, _ = blocks("README.md", "python")
    assert function == text("examples/my_function.py")
    assert blocks("README.md", "json") == [text("examples/waivers.json")]
    body = text("examples/test_my_kernel.py")
    shown, real = ([ast.dump(node) for node in tree(source)] for source in (decorated, body))
    assert sorted(shown) == sorted(real)


def tree(source: str) -> list[ast.stmt]:
    """Give a program's statements without docstrings."""
    parsed = ast.parse(source)
    holders: list[ast.Module | ast.FunctionDef] = [parsed]
    holders += [node for node in parsed.body if isinstance(node, ast.FunctionDef)]
    for node in holders:
        if ast.get_docstring(node) is not None:
            del node.body[0]
    return parsed.body


def test_the_script_shown_runs() -> None:
    """The call without pytest ends in the verdict."""
    script = blocks("README.md", "python")[2]
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=False, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("conformant\n", "")


def test_the_failure_shown_is_real(tmp_path: Path) -> None:
    """The function changed as the text says fails as shown, in the words of either language."""
    (tmp_path / "examples").mkdir()
    changed = text("examples/my_function.py").replace(">", ">=", 1)
    (tmp_path / "examples" / "my_function.py").write_text(changed, encoding="utf-8")
    (command, *english), (translated, *chinese) = (blocks(name, "console")[0].splitlines() for name in READMES.values())
    assert translated == command.replace("--lang en", "--lang zh")
    done = printed(command + " --certificate failed.json", tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert holds(english, done.stdout.splitlines()) is None
    spec = load_spec()
    certificate = load_certificate(tmp_path / "failed.json", spec.schemas)
    golden = Golden(ROOT / "golden" / "core", spec)
    assert holds(chinese, summary(certificate, spec, golden.case, lang="zh").splitlines()) is None


@pytest.mark.parametrize("name", READMES.values(), ids=READMES)
def test_the_diagnosis_shown_is_real(name: str) -> None:
    """The command prints what stands under it."""
    command, *shown = blocks(name, "console")[1].splitlines()
    done = printed(command, ROOT)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == shown


def printed(command: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a page shows it, behind a dollar sign."""
    words = shlex.split(command.removeprefix("$ aclnn-spec "))
    return subprocess.run([COMMAND, *words], capture_output=True, encoding="utf-8", check=False, cwd=directory)


def test_shown_lines_are_held_to_their_order() -> None:
    """The comparison above finds a changed line, a left-out line and a wrong order."""
    real = ["a", "b and more", "c"]
    assert holds(["a", "b …", "c"], real) is None
    assert holds(["…", "c"], real) is None
    assert holds(["a", "c"], real) == "c"
    assert holds(["a", "…", "d"], real) == "d"
    assert holds(["…", "c", "…", "a"], real) == "a"


@pytest.mark.parametrize("name", PAGES)
def test_files_named_exist(name: str) -> None:
    """Every path of the repository named in the text is there."""
    paths = re.findall(r"`((?:spec|tools|tests|examples|golden|\.ci)/[\w./]+)`", prose(name))
    missing = [path for path in paths if not (ROOT / path).exists()]
    assert missing == []


@pytest.mark.parametrize("name", READMES.values())
def test_names_of_the_package_exist(name: str) -> None:
    """What is written as `aclnn_spec.name` is an attribute of the package, a group of entry points or a hook apart."""
    package = importlib.import_module("aclnn_spec")
    used = set(re.findall(r"aclnn_spec\.(\w+)", text(name))) - {"implementations"}
    assert used - set(package.__all__) == set()
    assert {"certify", "check", "load_golden", "load_spec", "parametrize"} <= used


def test_names_in_contributing_exist() -> None:
    """The modules, registries and members that contributors are sent to are there."""
    rules = importlib.import_module("aclnn_spec.spec.rules")
    quick = importlib.import_module("aclnn_spec.spec.quick")
    author = importlib.import_module("aclnn_spec.golden.cases.author")
    members = {member for member in ("holds", "explain", "found", "breaks") if hasattr(rules.Rule, member)}
    assert members == {"holds", "explain", "found", "breaks"}
    assert set(rules._KINDS) == set(rules.RULES.values())
    assert callable(quick._condition)
    assert callable(author.Draft)
    stable = {name for name, operator in load_spec().operators.items() if operator.status == "stable"}
    assert stable <= REFERENCES.keys() & ORACLES.keys()
    modules = {path.stem for path in (ROOT / "tools/aclnn_spec/golden/cases").glob("*.py")}
    assert set(GROUPS) <= modules


@pytest.mark.parametrize("path", sorted((ROOT / "spec").rglob("*.json")), ids=lambda path: path.name)
def test_specification_is_laid_out_in_one_way(path: Path) -> None:
    """As the tools write JSON, so that a change is seen as what it is."""
    assert path.read_bytes() == canonical_json(read_json(path))


@pytest.mark.parametrize("name", PAGES)
def test_counts_that_change_are_not_written_down(name: str) -> None:
    """No page gives a number of cases or clauses, but in output that a test compares with the real one."""
    outside = re.sub(r"^```console\n.*?^```$", "", text(name), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"\d[\d,]* (?:cases|clauses)|\d[\d,]* ?个?(?:用例|条款)", outside) == []


def test_the_version_is_one() -> None:
    """pyproject.toml, the installed package and the changelog name the same version."""
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert version("aclnn-spec") == project["version"]
    assert f"\n## [{project['version']}] - " in text("CHANGELOG.md")


def test_the_changelog_keeps_the_specification_apart() -> None:
    """Each release has the section Specification, then Tools, and no other."""
    sections: dict[str, list[str]] = {}
    for level, title in re.findall(r"^(##|###) (.+)$", text("CHANGELOG.md"), re.MULTILINE):
        if level == "##":
            sections[title] = []
        else:
            sections[list(sections)[-1]].append(title)
    assert sections
    assert all(found == ["Specification", "Tools"] for found in sections.values())


def test_the_changelog_names_the_operators() -> None:
    """An operator and the version of its file stand in the changelog."""
    for operator in load_spec().operators.values():
        assert f"`{operator.name}` {operator.version}" in text("CHANGELOG.md")


def test_the_package_says_what_it_is() -> None:
    """The installed metadata has the extras, the licence, the command and the plugin."""
    found = distribution("aclnn-spec")
    assert {"dev", "docs", "test", "torch"} <= set(found.metadata.get_all("Provides-Extra") or ())
    assert found.metadata["License-Expression"] == "Apache-2.0"
    points = {(point.group, point.name) for point in found.entry_points}
    assert {("console_scripts", "aclnn-spec"), ("pytest11", "aclnn_spec")} <= points
    built_in = {name for group, name in points if group == "aclnn_spec.implementations"}
    assert {"numpy", "torch"} <= built_in


def test_the_licence_is_there() -> None:
    """LICENSE is the text that pyproject.toml names."""
    words = " ".join(text("LICENSE").split())
    assert words.startswith("Apache License Version 2.0, January 2004")


def test_the_source_distribution_is_whole() -> None:
    """Every document and folder that the pages link to goes into the sdist."""
    listed = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    links = {link for name in PAGES for link in re.findall(r"\]\(([^)]+)\)", prose(name)) if "://" not in link}
    missing = [link for link in sorted(links) if not any(f"/{link}/".startswith(f"{one}/") for one in listed)]
    assert missing == []


def test_ci_runs_the_two_commands() -> None:
    """What the README promises, .ci/run tries: the same installations, the same certification, the tests."""
    script = text(".ci/run")
    for line in (
        "pip install -q -e .\n",
        "aclnn-spec certify numpy\n",
        "pip install -q -e '.[test]'\n",
        "\npytest -n 2\n",
    ):
        assert line in script


def test_ci_checks_what_contributing_says() -> None:
    """Each check a contributor is told to run is a line of .ci/run."""
    lines = [line.strip() for line in text(".ci/run").splitlines()]
    checks = next(block for block in blocks("CONTRIBUTING.md", "sh") if "aclnn-spec build --check\n" in block)
    told = [line for line in checks.splitlines() if line]
    assert "mypy" in told
    assert [line for line in told if line not in lines] == []


def test_hooks_use_the_tools_of_the_environment() -> None:
    """pre-commit downloads nothing: each hook is local and runs what the extra `dev` installs."""
    config = text(".pre-commit-config.yaml")
    assert re.findall(r"repo: (\S+)", config) == ["local"]
    assert set(re.findall(r"language: (\S+)", config)) == {"system"}
    assert re.findall(r"entry: (.+)", config) == [
        "ruff check --force-exclude",
        "ruff format --force-exclude",
        "mypy",
        "aclnn-spec build --check",
    ]

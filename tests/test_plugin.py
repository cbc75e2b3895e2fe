"""The pytest door: the same suite as the command's, inside pytest and under its options."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.read import Spec, data_root
from conftest import BACKENDS, NAME, Command

USERS = "def test_mine():\n    pass\n"
LONELY = f"{NAME}::basic/FLOAT-3x1x5-none-plain"


@pytest.fixture
def run(pytester: pytest.Pytester, small: Path) -> Any:
    """Run pytest in this process on the small tier; the first argument is the implementation."""
    pytester.makepyfile(test_users=USERS)

    def start(implementation: str, *options: str | Path) -> pytest.RunResult:
        given = [f"--aclnn-certify={implementation}", f"--aclnn-golden={small}", *map(str, options)]
        return pytester.runpytest_inprocess("-p", "no:randomly", *given)

    return start


@pytest.fixture
def apart(pytester: pytest.Pytester, small: Path) -> Any:
    """Run pytest as a process of its own, for what needs workers."""
    pytester.makepyfile(test_users=USERS)

    def start(implementation: str, *options: str | Path) -> pytest.RunResult:
        given = [f"--aclnn-certify={implementation}", f"--aclnn-golden={small}", *map(str, options)]
        return pytester.runpytest_subprocess(*given, timeout=120)

    return start


def certificate(path: Path) -> Any:
    """A certificate as JSON."""
    return json.loads(path.read_text(encoding="utf-8"))


def verdict(result: pytest.RunResult) -> str:
    """The last line of the summary."""
    return next(line for line in reversed(result.outlines) if line.startswith("Verdict: ")).removeprefix("Verdict: ")


def test_a_run_under_xdist_is_the_commands_run(main: Command, pytester: pytest.Pytester, tmp_path: Path) -> None:
    """`pytest --aclnn-certify numpy -n 2` passes as many cases as the command, with the same verdict and entries."""
    pytester.makepyfile(test_users=USERS)
    target, command = tmp_path / "c.json", tmp_path / "d.json"
    options = ["--aclnn-certify=numpy", "--aclnn-tier=smoke", "-n2", f"--aclnn-certificate={target}"]
    result = pytester.runpytest_subprocess(*options, timeout=300)
    assert main("certify", "numpy", "--tier", "smoke", "--certificate", command).returncode == 0
    ours, theirs = certificate(target), certificate(command)
    result.assert_outcomes(passed=len(theirs["entries"]))
    assert result.ret == 0
    # Everything is the same: the implementation, its details, the platform, each entry, and so the seal.
    assert ours == theirs


def test_it_runs_the_suite_alone(run: Any, small_cases: tuple[Any, ...], tmp_path: Path) -> None:
    """Without paths only the cases run, one item each, and the summary has a line for each group."""
    result = run("numpy", f"--aclnn-certificate={tmp_path / 'c.json'}")
    result.assert_outcomes(passed=len(small_cases))
    assert (result.ret, verdict(result)) == (0, "conformant")
    groups = {case.group for case in small_cases}
    assert groups <= {line.split()[0] for line in result.outlines if re.match(r"\w+ +\d+ +\d+", line)}
    assert f"certificate: {tmp_path / 'c.json'}" in result.outlines


def test_certificate_is_the_commands(run: Any, small_certificate: Path, tmp_path: Path) -> None:
    """The certificate that pytest writes is the one the function writes."""
    run("numpy", f"--aclnn-certificate={tmp_path / 'c.json'}")
    assert certificate(tmp_path / "c.json") == certificate(small_certificate)


def test_paths_run_too(run: Any, small_cases: tuple[Any, ...]) -> None:
    """Paths on the command line are run as well; their failures fail the run, not the certificate."""
    result = run("numpy", "test_users.py")
    result.assert_outcomes(passed=len(small_cases) + 1)
    Path("test_users.py").write_text("def test_mine():\n    assert 1 == 2\n", encoding="utf-8")
    result = run("numpy", "test_users.py")
    result.assert_outcomes(passed=len(small_cases), failed=1)
    assert (result.ret, verdict(result)) == (1, "conformant")


def test_testpaths_are_not_run(run: Any, pytester: pytest.Pytester, small_cases: tuple[Any, ...]) -> None:
    """Neither do the project's own `testpaths` join the certification."""
    pytester.makeini("[pytest]\ntestpaths = .\n")
    run("numpy").assert_outcomes(passed=len(small_cases))


def test_selection_under_xdist(apart: Any, small_cases: tuple[Any, ...]) -> None:
    """The process that draws up the certificate hears from its workers that cases were deselected."""
    result = apart("numpy", "-n2", "-k", "basic")
    result.assert_outcomes(passed=sum(case.group == "basic" for case in small_cases))
    assert (result.ret, verdict(result)) == (0, "incomplete")


def test_selection_is_incomplete(run: Any, small_cases: tuple[Any, ...], tmp_path: Path) -> None:
    """With -k the cases left over must pass for exit code 0, but no certificate says conformant."""
    target = tmp_path / "c.json"
    result = run("numpy", "-k", "nullptr", f"--aclnn-certificate={target}")
    count = sum("nullptr" in case.id for case in small_cases)
    result.assert_outcomes(passed=count, deselected=len(small_cases) - count)
    assert (result.ret, certificate(target)["verdict"], len(certificate(target)["entries"])) == (0, "incomplete", count)


def test_deselecting_one_case_is_incomplete(run: Any, tmp_path: Path) -> None:
    """A single case that was deselected keeps the certificate from being conformant."""
    target = tmp_path / "c.json"
    result = run("numpy", f"--deselect={LONELY}", f"--aclnn-certificate={target}")
    assert (result.ret, certificate(target)["verdict"]) == (0, "incomplete")
    assert LONELY.replace("::", "/") in certificate(target)["notes"][0]["en"]


def test_selection_of_nothing(run: Any) -> None:
    """A selection that leaves no case keeps pytest's own exit code, and is not conformant."""
    result = run("numpy", "-k", "nothing_of_this_name")
    assert (result.ret, verdict(result)) == (pytest.ExitCode.NO_TESTS_COLLECTED, "incomplete")


def test_first_failure_ends_the_run(run: Any) -> None:
    """-x stops at the first failure."""
    result = run(f"{BACKENDS}:WrongSign", "-x")
    result.assert_outcomes(failed=1)
    assert (result.ret, verdict(result)) == (1, "not conformant")


def test_last_failed(run: Any, small_cases: tuple[Any, ...]) -> None:
    """--lf runs again what failed, and deselects the rest."""
    first = run(f"{BACKENDS}:MeanBySelf").parseoutcomes()
    second = run(f"{BACKENDS}:MeanBySelf", "--lf").parseoutcomes()
    assert first["failed"] > 0
    assert (second["failed"], second["deselected"]) == (first["failed"], len(small_cases) - first["failed"])
    right = run("numpy", "--lf")
    assert (right.ret, verdict(right), right.parseoutcomes()["passed"]) == (0, "incomplete", first["failed"])


def test_collect_only_lists_the_cases(run: Any, small_cases: tuple[Any, ...], tmp_path: Path) -> None:
    """--collect-only prints each case's id behind its operator, runs nothing and writes no certificate."""
    result = run("numpy", "--collect-only", "-q", f"--aclnn-certificate={tmp_path / 'c.json'}")
    listed = [line for line in result.outlines if "::" in line]
    assert listed == [case.id.replace("/", "::", 1) for case in small_cases]
    assert (result.ret, (tmp_path / "c.json").exists()) == (0, False)


def test_ids_do_not_change_with_the_root(run: Any, pytester: pytest.Pytester) -> None:
    """Node ids are the same wherever the root directory is."""
    deeper = pytester.mkdir("deeper")
    here = [line for line in run("numpy", "--collect-only", "-q").outlines if "::" in line]
    there = [line for line in run("numpy", "--collect-only", "-q", f"--rootdir={deeper}").outlines if "::" in line]
    assert LONELY in here
    assert there == here


def test_junit_xml(run: Any, small_cases: tuple[Any, ...], tmp_path: Path) -> None:
    """A JUnit report has a test case for each case, named by its id, with the certificate's entry as a property."""
    run(f"{BACKENDS}:MeanBySelf", f"--junitxml={tmp_path / 'j.xml'}", f"--aclnn-certificate={tmp_path / 'c.json'}")
    found = ET.parse(tmp_path / "j.xml").findall(".//testcase")  # noqa: S314  # our own file
    entries = {entry["id"]: entry for entry in certificate(tmp_path / "c.json")["entries"]}
    told = [each.find("properties/property[@name='aclnn_entry']") for each in found]
    read = [json.loads(each.attrib["value"]) for each in told if each is not None]
    assert [f"{each.attrib['classname']}/{each.attrib['name']}" for each in found] == [case.id for case in small_cases]
    assert {each["id"]: each for each in read} == entries
    assert [each.find("failure") is not None for each in found] == [each["verdict"] == "fail" for each in read]


def test_failure_tells_the_whole_story(run: Any) -> None:
    """A failed item shows the clause, the hunt, the elements and the way to repeat it, and no traceback."""
    result = run(f"{BACKENDS}:WrongSign", "-k", "3x1x5-none-plain")
    text = result.stdout.str()
    case_id = LONELY.replace("::", "/")
    assert f'aclnn_spec.check("{BACKENDS}:WrongSign", "{case_id}")' in text
    assert f"FAILED {LONELY}" in text
    assert re.search(r"first \[0, 0, [0-4]\]: gradOutput=", text)
    assert "Traceback" not in text
    assert "pytest_suite.py" not in text


def test_chinese(run: Any) -> None:
    """--aclnn-lang zh tells failures and the summary in Chinese."""
    text = run(f"{BACKENDS}:MeanBySelf", "--aclnn-lang=zh").stdout.str()
    assert ("此例查找的错误：" in text, "结论：不符合规范" in text) == (True, True)


def test_hook_offers_implementations(run: Any, pytester: pytest.Pytester, small_cases: tuple[Any, ...]) -> None:
    """A conftest offers implementations by name through `pytest_aclnn_implementations`."""
    pytester.makeconftest(
        f"import sys\nsys.path.insert(0, {str(BACKENDS.parent)!r})\n"
        "import backends\ndef pytest_aclnn_implementations():\n    return [backends.Right(), backends.function]\n"
    )
    result = run("right")
    result.assert_outcomes(passed=len(small_cases))
    assert (result.ret, verdict(result)) == (0, "conformant")
    outcomes = run("uphill").parseoutcomes()
    assert min(outcomes["failed"], outcomes["skipped"]) > 0


@pytest.mark.parametrize(
    ("returned", "found"), [("3", "found 3"), ("[3]", "found 3"), ("[object]", "found <class 'object'>")]
)
def test_hook_that_offers_something_else(run: Any, pytester: pytest.Pytester, returned: str, found: str) -> None:
    """What the hook gives must be a list of things with names; anything else is a usage error."""
    pytester.makeconftest(f"def pytest_aclnn_implementations():\n    return {returned}\n")
    result = run("numpy")
    assert (result.ret, usage_errors(result)[0].startswith(f"pytest_aclnn_implementations: {found}")) == (4, True)


def usage_errors(result: pytest.RunResult) -> list[str]:
    """The lines of a usage error; nothing else may have been said."""
    lines = [line for line in result.errlines if line]
    assert [line for line in lines if not line.startswith("ERROR: ")] == []
    return [line.removeprefix("ERROR: ") for line in lines]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nobody"], "implementation: found 'nobody', expected one of cann, numpy, torch, module:attribute or "),
        ([f"{BACKENDS}:Nobody"], f"{BACKENDS}:Nobody: {BACKENDS} has no attribute 'Nobody'"),
        (["none.py:Right"], "none.py:Right: found no file none.py"),
        (["numpy", "--aclnn-tier=huge"], "tier: found 'huge', expected one of smoke, core, full"),
        (["numpy", "--aclnn-operator=aclnnAdd"], "operator: found 'aclnnAdd', expected one of "),
        (["numpy", "--aclnn-product=mars"], "product: found 'mars', expected one of "),
        (["numpy", "--aclnn-policy=lax"], "policy: found 'lax', expected one of "),
        (["numpy", "--aclnn-shard=2/1"], "shard: found '2/1', expected i/n"),
        (["numpy", "--aclnn-shard=1/2"], "shard: found 1/2, expected none: only the full tier is divided"),
        (["numpy", "--aclnn-waivers=none.json"], "none.json: found No such file or directory"),
        (["numpy", "--aclnn-golden=nowhere"], "nowhere/manifest.json: found No such file or directory"),
        (["numpy", "--aclnn-certificate=no/c.json"], "--aclnn-certificate: found no directory no"),
        (["numpy", "--aclnn-certificate=."], "--aclnn-certificate: found the directory ., expected the name of a file"),
    ],
)
def test_usage_errors(run: Any, options: list[str], message: str) -> None:
    """A wrong option is a usage error of one line, and nothing runs."""
    result = run(*options)
    errors = usage_errors(result)
    assert (result.ret, len(errors), message in errors[0]) == (pytest.ExitCode.USAGE_ERROR, 1, True)


def test_crash_costs_one_case(apart: Any, small_cases: tuple[Any, ...], tmp_path: Path) -> None:
    """Under xdist a worker that an implementation kills fails the case it had; the others pass."""
    target = tmp_path / "c.json"
    result = apart(f"{BACKENDS}:AbortsOnce", "-n2", f"--aclnn-certificate={target}")
    result.assert_outcomes(passed=len(small_cases) - 1, failed=1)
    document = certificate(target)
    failed = {entry["id"]: entry for entry in document["entries"] if entry["verdict"] == "fail"}
    assert (result.ret, document["verdict"], len(document["entries"])) == (1, "not conformant", len(small_cases))
    assert list(failed) == [LONELY.replace("::", "/")]
    assert [fault["kind"] for fault in failed[LONELY.replace("::", "/")]["faults"]] == ["crashed"]
    assert f"crashed while running '{LONELY}'" in result.stdout.str()


def waivers(path: Path, *patterns: str) -> Path:
    """A waiver file."""
    listed = [{"cases": pattern, "reason": "known, see ticket 7"} for pattern in patterns]
    document = {"$schema": "https://aclnn-spec.dev/schema/waivers.json", "waivers": listed}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_waived_failures_are_expected(run: Any, small_cases: tuple[Any, ...], tmp_path: Path) -> None:
    """A waived failure is an xfail with its reason; the verdict counts it."""
    given = waivers(tmp_path / "w.json", f"{NAME}/mean/*", f"{NAME}/broadcast/*")
    count = sum(case.group == "mean" and "broadcast" in case.clauses for case in small_cases)
    one = run(f"{BACKENDS}:MeanBySelf", f"--aclnn-waivers={waivers(tmp_path / 'v.json', f'{NAME}/mean/*')}", "-rx")
    two = run(f"{BACKENDS}:MeanBySelf", f"--aclnn-waivers={given}")
    assert (one.ret, one.parseoutcomes()["xfailed"]) == (0, count)
    assert verdict(one) == f"conformant, with {count} cases waived"
    assert "known, see ticket 7" in one.stdout.str()
    assert (two.ret, verdict(two).startswith("not conformant")) == (1, True)


def test_stale_waiver_fails_the_run(run: Any, small_cases: tuple[Any, ...], tmp_path: Path) -> None:
    """A waiver that nothing needs fails a run in which every case passes, and is named."""
    result = run("numpy", f"--aclnn-waivers={waivers(tmp_path / 'w.json', f'{NAME}/mean/*')}")
    result.assert_outcomes(passed=len(small_cases))
    assert (result.ret, verdict(result)) == (1, "not conformant")
    assert f"the waiver for {NAME}/mean/* is stale: no failing case matches it" in result.stdout.str()


def test_uniformity_fails_the_run(run: Any, small_cases: tuple[Any, ...]) -> None:
    """Subnormals flushed in one type alone fail no case, and the run all the same."""
    result = run(f"{BACKENDS}:FlushesHalf")
    result.assert_outcomes(passed=len(small_cases))
    assert (result.ret, verdict(result)) == (1, "not conformant")
    assert "clause subnormals must show one behaviour in a run" in result.stdout.str()


def test_spoiled_golden_data_is_nobodys_pass(run: Any, small: Path, pytester: pytest.Pytester) -> None:
    """Data that turns out to be spoiled fails the cases in one line each, and blames no implementation for it."""
    copy = pytester.path / "golden"
    shutil.copytree(small, copy)
    (copy / f"{NAME}.npz").unlink()
    result = run("numpy", f"--aclnn-golden={copy}", "-k", "basic")
    assert (result.ret, set(result.parseoutcomes()), verdict(result)) == (1, {"failed", "deselected"}, "not conformant")
    assert f"{NAME}.npz: found No such file or directory, expected a readable file" in result.stdout.str()
    assert "Traceback" not in result.stdout.str()
    assert "open()" not in result.stdout.str()


def test_open_that_raises_fails_the_cases(run: Any) -> None:
    """What `open()` raises is the fault of each case, not an internal error."""
    result = run(f"{BACKENDS}:CannotOpen", "-k", "basic")
    assert (result.ret, set(result.parseoutcomes())) == (1, {"failed", "deselected"})
    assert "[raised] open() raised RuntimeError: no device 0" in result.stdout.str()


def test_open_and_close_once(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The implementation is opened once and closed once, and not at all when cases are only collected."""
    monkeypatch.setenv("ACLNN_TEST_NOTES", str(tmp_path / "notes"))
    run(f"{BACKENDS}:Opens", "--collect-only")
    assert not (tmp_path / "notes").exists()
    run(f"{BACKENDS}:Opens")
    assert [line.split()[0] for line in (tmp_path / "notes").read_text("utf-8").splitlines()] == ["open", "close"]


def test_a_failure_is_not_run_away(run: Any, pytester: pytest.Pytester, small_cases: tuple[Any, ...]) -> None:
    """Plug-ins that run an item again until it passes do not make a failed case pass."""
    pytester.makeconftest(
        "from _pytest.runner import runtestprotocol\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    for following in (item, nextitem):\n"
        "        for report in runtestprotocol(item, log=False, nextitem=following):\n"
        "            item.ihook.pytest_runtest_logreport(report=report)\n"
        "    return True\n"
    )
    told = run(f"{BACKENDS}:Flaky")
    told.assert_outcomes(passed=2 * len(small_cases) - 1, failed=1)
    assert (told.ret, verdict(told)) == (1, "not conformant")


def test_parametrize(pytester: pytest.Pytester, spec: Spec) -> None:
    """`@aclnn_spec.parametrize` makes one test for each case of the core tier, under the case's own id."""
    pytester.makepyfile(
        "import aclnn_spec\n@aclnn_spec.parametrize('numpy')\ndef test_conformance(case):\n    case.check()\n"
    )
    result = pytester.runpytest_inprocess("-q", "-rA", "-p", "no:cacheprovider", "-k", "ties/")
    core = Golden(data_root() / "golden" / "core", spec)
    expected = [case_id for case_id in core.case_ids() if "/ties/" in case_id]
    assert result.parseoutcomes()["passed"] == len(expected)
    ids = re.findall(r"^PASSED .*::test_conformance\[(.*)\]$", result.stdout.str(), re.MULTILINE)
    assert ids == expected


def test_parametrize_tells_what_is_wrong(pytester: pytest.Pytester) -> None:
    """A failing test of an implementer's own file tells the same story."""
    pytester.makepyfile(
        f"import aclnn_spec\n@aclnn_spec.parametrize({f'{BACKENDS}:WrongSign'!r}, operators=[{NAME!r}])\n"
        "def test_conformance(case):\n    case.check()\n"
    )
    result = pytester.runpytest_inprocess("-k", "basic/FLOAT-3x1x5-none-plain or nullptr-self")
    outcomes = result.parseoutcomes()
    assert (outcomes["failed"], outcomes["passed"] > 0) == (1, True)
    assert "bound.py" not in result.stdout.str()
    assert f'aclnn_spec.check("{BACKENDS}:WrongSign"' in result.stdout.str()


def test_unused_plugin_costs_nothing(pytester: pytest.Pytester) -> None:
    """A pytest run that does not ask for certification imports neither NumPy nor the rest of the package."""
    pytester.makepyfile(
        "import sys\ndef test_imports():\n"
        "    heavy = {'numpy', 'ml_dtypes', 'jsonschema', 'torch', 'aclnn_spec.pytest_suite', 'aclnn_spec.spec'}\n"
        "    assert 'aclnn_spec.plugin' in sys.modules\n    assert heavy & set(sys.modules) == set()\n"
    )
    result = pytester.runpytest_subprocess("-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)


def test_import_time_of_the_plugin(python: Command) -> None:
    """Importing the plugin beside pytest takes less than 10 ms of the processor."""
    line = "import pytest, time; t = time.process_time(); import aclnn_spec.plugin; print(time.process_time() - t)"
    assert min(float(python(line).stdout) for _ in range(3)) < 0.01

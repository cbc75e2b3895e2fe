"""The acceptance list of the issue, each line seen happening with the commands as users type them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import BACKENDS, NAME, Command, Ran

WRONG = {
    "function": ("clause sign:", "[value]", "expected -", "got "),
    "WrongSign": ("clause sign:", "[value]", "sign flipped"),
    "MeanBySelf": ("clause mean:", "[value]", "divided by the size of one of the inputs"),
    "IgnoresStrides": ("clause layout:", "[value]"),
    "InvalidForNull": (
        "clause nullptr:",
        "[status] phase 1 answered ACLNN_ERR_PARAM_INVALID (161002), expected ACLNN_ERR_PARAM_NULLPTR (161001)",
    ),
    "AbortsOnce": ("clause sign: 1 failed", "[crashed] the process was ended by SIGABRT"),
    "FloatStatus": ("[wrong_type] the status of phase 2 is float 0.0, expected int32",),
}
"""A wrong implementation, and what the command must say of it."""

CALL = ("gradOutput=FLOAT16[2,3]", "self=FLOAT[2,3]", "target=null", "reduction=3", "gradInput=INT32[2,3]")


def document(path: Path) -> Any:
    """A certificate as JSON."""
    return json.loads(path.read_text(encoding="utf-8"))


def test_numpy_is_conformant(core_certificate: tuple[Ran, Path]) -> None:
    """`aclnn-spec certify numpy` passes every case of the core tier, prints the summary and exits 0."""
    ran, path = core_certificate
    certificate = document(path)
    assert (ran.returncode, ran.stderr, certificate["verdict"]) == (0, "", "conformant")
    assert ran.stdout.splitlines()[-1] == "Verdict: conformant"
    assert certificate["totals"] == {"pass": len(certificate["entries"]), "fail": 0, "waived": 0, "skipped": 0}


@pytest.mark.parametrize("attribute", WRONG)
def test_wrong_implementations_are_condemned(attribute: str, command: Command, small: Path) -> None:
    """A wrong implementation exits 1, with a message that names its mistake."""
    ran = command("certify", f"{BACKENDS}:{attribute}", "--golden", small, "--lang", "en")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.splitlines()[-1] == "Verdict: not conformant"
    assert [text for text in WRONG[attribute] if text not in ran.stdout] == []


@pytest.mark.parametrize(
    ("attribute", "group"), [("MeanBySelf", "mean"), ("InvalidForNull", "status"), ("AbortsOnce", "basic")]
)
def test_a_mistake_is_found_only_where_it_is(
    attribute: str, group: str, command: Command, small: Path, tmp_path: Path
) -> None:
    """The failures of a wrong implementation lie in the group that its mistake belongs to."""
    target = tmp_path / "c.json"
    command("certify", f"{BACKENDS}:{attribute}", "--golden", small, "--certificate", target)
    failed = {entry["id"].split("/")[1] for entry in document(target)["entries"] if entry["verdict"] == "fail"}
    assert failed == {group}


def test_an_implementation_that_always_aborts(
    command: Command, small_cases: tuple[Any, ...], write_tier: Callable[[Path, tuple[Any, ...]], Path], tmp_path: Path
) -> None:
    """Every case whose phase 2 aborts is failed, those that need no phase 2 are not, and the run ends by itself."""
    chosen = tuple(case for case in small_cases if case.group in ("basic", "status"))[-8:]
    chosen += tuple(case for case in small_cases if case.group == "basic")[:3]
    tier = write_tier(tmp_path / "golden", chosen)
    ran = command("certify", f"{BACKENDS}:Aborts", "--golden", tier, "--certificate", tmp_path / "c.json")
    verdicts = {entry["id"]: entry["verdict"] for entry in document(tmp_path / "c.json")["entries"]}
    assert ran.returncode == 1
    assert "[crashed] the process was ended by SIGABRT" in ran.stdout
    assert verdicts == {case.id: "pass" if case.group == "status" else "fail" for case in chosen}


def test_certificate_verifies(core_certificate: tuple[Ran, Path], command: Command) -> None:
    """A certificate as it was written verifies with exit code 0."""
    _, path = core_certificate
    ran = command("verify", path, "--lang", "en")
    assert (ran.returncode, ran.stdout) == (0, "c.json: the certificate holds, its verdict is conformant\n")


def _verdict(certificate: Any) -> str:
    certificate["entries"][5]["verdict"] = "fail"
    return f"{certificate['entries'][5]['id']}: verdict: found 'fail' with no fault"


def _waived(certificate: Any) -> str:
    certificate["entries"][5]["verdict"] = "waived"
    return f"{certificate['entries'][5]['id']}: verdict: found 'waived' with no fault"


def _digest(certificate: Any) -> str:
    certificate["digests"]["golden"] = "0" * 64
    return f"digests.golden: found {'0' * 64}, expected "


def _deleted(certificate: Any) -> str:
    return f"{certificate['entries'].pop(7)['id']}: found no entry, expected one"


def _ulp(certificate: Any) -> str:
    entry = next(each for each in certificate["entries"] if "none" in each["id"] and "ulp" in each)
    entry["ulp"] = 3
    return f"{entry['id']}: ulp: found 3, expected at most 0"


def _status(certificate: Any) -> str:
    entry = next(each for each in certificate["entries"] if "/status/nullptr" in each["id"])
    entry["statuses"] = [[161002], [161002]]
    return f"{entry['id']}: statuses: found [161002]"


def _observed(certificate: Any) -> str:
    certificate["observed"][NAME]["rank_0"]["value"] += 1
    return f"observed.{NAME}.rank_0.value: found "


def _total(certificate: Any) -> str:
    certificate["totals"]["pass"] -= 1
    return "totals.pass: found "


def _seal(certificate: Any) -> str:
    certificate["seal"] = "f" * 64
    return f"seal: found {'f' * 64}, expected "


def _name(certificate: Any) -> str:
    certificate["implementation"]["name"] = "mine"
    return "seal: found "


def _whole(certificate: Any) -> str:
    certificate["verdict"] = "incomplete"
    return "verdict: found 'incomplete', expected 'conformant'"


@pytest.mark.parametrize(
    "change",
    [_verdict, _waived, _digest, _deleted, _ulp, _status, _observed, _total, _seal, _name, _whole],
    ids=lambda change: change.__name__.strip("_"),
)
def test_changed_certificate_is_found_out(
    change: Callable[[Any], str], core_certificate: tuple[Ran, Path], command: Command, tmp_path: Path
) -> None:
    """After a change to a certificate `verify` exits 1 and says what was changed."""
    certificate = document(core_certificate[1])
    expected = change(certificate)
    (tmp_path / "c.json").write_text(json.dumps(certificate), encoding="utf-8")
    ran = command("verify", tmp_path / "c.json", "--lang", "en")
    lines = ran.stdout.splitlines()
    assert (ran.returncode, ran.stderr) == (1, "")
    assert [line for line in lines if line.startswith(f"c.json: {expected}")] != []
    assert re.fullmatch(r"c\.json: the certificate does not hold, \d+ problems", lines[-1])


def test_resealed_certificate_is_found_out(
    core_certificate: tuple[Ran, Path], command: Command, small: Path, tmp_path: Path
) -> None:
    """A certificate of other golden data has a valid seal of its own, and does not hold for the packaged data."""
    target = tmp_path / "other.json"
    made = command("certify", "numpy", "--golden", small, "--certificate", target)
    here, there = command("verify", target, "--lang", "en"), command("verify", target, "--golden", small)
    swapped = document(core_certificate[1]) | {"seal": document(target)["seal"]}
    target.write_text(json.dumps(swapped), encoding="utf-8")
    third = command("verify", target, "--lang", "en")
    assert (made.returncode, here.returncode, there.returncode, third.returncode) == (0, 1, 0, 1)
    assert "other.json: digests.golden: found " in here.stdout
    assert "other.json: seal: found " in third.stdout
    assert "seal" not in here.stdout


def test_certificate_of_a_failure_holds_but_is_no_pass(command: Command, small: Path, tmp_path: Path) -> None:
    """`verify` of an honest certificate that is not conformant says that it holds, and exits 1."""
    target = tmp_path / "c.json"
    command("certify", f"{BACKENDS}:MeanBySelf", "--golden", small, "--certificate", target)
    ran = command("verify", target, "--golden", small, "--lang", "en")
    assert (ran.returncode, ran.stdout) == (1, "c.json: the certificate holds, its verdict is not conformant\n")


def test_build_check_passes(command: Command) -> None:
    """`aclnn-spec build --check` finds everything generated up to date."""
    ran = command("build", "--check")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith("golden/core: up to date\n")


def test_build_check_names_what_an_edited_number_makes_stale(checkout: Path, command: Command) -> None:
    """After editing one number in a table the manifest is stale, `--check` says so, and a build mends it."""
    table = checkout / "spec" / "tables" / "dtypes.json"
    text = table.read_text(encoding="utf-8")
    edited = re.sub(r'("smallest_normal": |"value": )(\d+)', lambda m: f"{m[1]}{int(m[2]) + 900}", text, count=1)
    assert edited != text
    table.write_text(edited, encoding="utf-8")
    tools = {"PYTHONPATH": str(checkout / "tools")}
    stale = command("build", "--check", **tools)
    refused = command("verify", "nothing.json", **tools)
    certify = command("certify", "numpy", **tools)
    assert (stale.returncode, refused.returncode, certify.returncode) == (1, 2, 2)
    assert f"{checkout / 'golden' / 'core' / 'manifest.json'}: stale; run aclnn-spec build" in stale.stdout.splitlines()
    assert "another spec: tables/dtypes.json, run aclnn-spec build" in certify.stderr


def test_build_check_names_data_that_a_table_changes(checkout: Path, command: Command) -> None:
    """A status code's number decides no data, an accuracy limit does: the part's own file is named too."""
    operator = checkout / "spec" / "operators" / f"{NAME}.json"
    text = operator.read_text(encoding="utf-8")
    edited = text.replace('"ulp": 2', '"ulp": 3')
    assert edited != text
    operator.write_text(edited, encoding="utf-8")
    before = command("build", "--check", PYTHONPATH=str(checkout / "tools"))
    built = command("build", PYTHONPATH=str(checkout / "tools"))
    after = command("build", "--check", PYTHONPATH=str(checkout / "tools"))
    assert (before.returncode, built.returncode, after.returncode) == (1, 0, 0)
    names = [Path(line.partition(":")[0]).name for line in before.stdout.splitlines()]
    assert names == [f"{NAME}.json", "manifest.json"]


def test_diagnose_names_all_broken_clauses(command: Command) -> None:
    """The call of the issue breaks three clauses; all three are named, with the code of the first, in Chinese."""
    ran = command("diagnose", NAME, *CALL, "--lang", "zh")
    lines = ran.stdout.splitlines()
    assert ran.returncode == 1
    assert lines[0].startswith(f"{NAME}: ACLNN_ERR_PARAM_NULLPTR (161001) — ")
    clauses = [line.split(":")[0].strip() for line in lines if re.match(r"  \w+ \(", line)]
    assert clauses == ["nullptr (161001)", "reduction (161002)", "castable (161002)"]
    assert [line.partition(": ")[2] for line in lines if line.startswith("    实际")] == [
        "target为空指针",
        "reduction=3",
        "FLOAT不能转换为INT32",
    ]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_nothing_here_writes_into_the_checkout(checkout: Path, command: Command) -> None:
    """The commands that read leave every file of the checkout as it was."""
    tools = {"PYTHONPATH": str(checkout / "tools"), "PYTHONDONTWRITEBYTECODE": "1"}
    before = {path: path.stat().st_mtime_ns for path in checkout.rglob("*")}
    codes = [command(*words, **tools).returncode for words in (("list",), ("show", NAME), ("build", "--check"))]
    assert codes == [0, 0, 0]
    assert {path: path.stat().st_mtime_ns for path in checkout.rglob("*")} == before

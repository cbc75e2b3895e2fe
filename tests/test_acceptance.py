"""The acceptance list of the issue, each line seen happening with the commands as users type them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aclnn_spec
from conftest import BACKENDS, NAME, Command, Ran

WRONG: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "function": (("clause sign:", "[value]", "expected -", "got "), set()),
    "WrongSign": (("clause sign:", "[value]", "sign flipped"), set()),
    "MeanBySelf": (("clause mean:", "[value]", "divided by the size of one of the inputs"), {"mean"}),
    "IgnoresStrides": (("clause layout:", "[value]"), {"layout"}),
    "InvalidForNull": (
        (
            "clause nullptr:",
            "[status] phase 1 answered ACLNN_ERR_PARAM_INVALID (161002), expected ACLNN_ERR_PARAM_NULLPTR (161001)",
        ),
        {"status"},
    ),
    "AbortsOnce": (("clause sign: 1 failed", "[crashed] the process was ended by SIGABRT"), {"basic"}),
    "FloatStatus": (("[wrong_type] the status of phase 2 is float 0.0, expected int32",), set()),
}
"""A wrong implementation; what the command must say of it; the only groups that may fail, if they are few."""

CALL = ("gradOutput=FLOAT16[2,3]", "self=FLOAT[2,3]", "target=null", "reduction=3", "gradInput=INT32[2,3]")


def document(path: Path) -> Any:
    """A certificate as JSON."""
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def core(command: Command, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    """The command run on an operator's whole core tier with `numpy`, and the certificate; `.ci/run` does it for all."""
    path = tmp_path_factory.mktemp("core") / "c.json"
    return command("certify", "numpy", "--operator", NAME, "-n", "2", "--certificate", path, "--lang", "en"), path


def test_numpy_is_conformant(core: tuple[Ran, Path], command: Command) -> None:
    """`certify numpy` passes every case of the core tier, prints the summary and exits 0; the certificate verifies."""
    ran, path = core
    certificate = document(path)
    assert (ran.returncode, ran.stderr, certificate["verdict"]) == (0, "", "conformant")
    assert ran.stdout.splitlines()[-1] == "Verdict: conformant"
    assert certificate["totals"] == {"pass": len(certificate["entries"]), "fail": 0, "waived": 0, "skipped": 0}
    held = command("verify", path, "--lang", "en")
    assert (held.returncode, held.stdout) == (0, "c.json: the certificate holds, its verdict is conformant\n")


@pytest.mark.parametrize("attribute", WRONG)
def test_wrong_implementations_are_condemned(attribute: str, command: Command, small: Path, tmp_path: Path) -> None:
    """A wrong implementation exits 1, with a message that names its mistake, and fails only where the mistake shows."""
    target = tmp_path / "c.json"
    options = ("--golden", small, "--certificate", target, "--lang", "en")
    ran = command("certify", f"{BACKENDS}:{attribute}", *options)
    said, groups = WRONG[attribute]
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.splitlines()[-1] == "Verdict: not conformant"
    assert [text for text in said if text not in ran.stdout] == []
    failed = {entry["id"].split("/")[1] for entry in document(target)["entries"] if entry["verdict"] == "fail"}
    assert groups in (failed, set())


def test_an_implementation_that_always_aborts(
    command: Command, small_cases: tuple[Any, ...], write_tier: Callable[[Path, tuple[Any, ...]], Path], tmp_path: Path
) -> None:
    """Every case whose phase 2 aborts is failed, those that need no phase 2 are not, and the run ends by itself."""
    groups = [[case for case in small_cases if case.group == group] for group in ("basic", "status")]
    chosen = (*groups[0][:2], *groups[1][:3])
    tier = write_tier(tmp_path / "golden", chosen)
    ran = command("certify", f"{BACKENDS}:Aborts", "--golden", tier, "--certificate", tmp_path / "c.json")
    verdicts = {entry["id"]: entry["verdict"] for entry in document(tmp_path / "c.json")["entries"]}
    assert ran.returncode == 1
    assert "[crashed] the process was ended by SIGABRT" in ran.stdout
    assert verdicts == {case.id: "pass" if case.group == "status" else "fail" for case in chosen}


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


def changed(certificate: Path, change: Callable[[Any], str], target: Path) -> str:
    """Write a certificate with the change, and give what `verify` must say of it."""
    content = document(certificate)
    expected = change(content)
    target.write_text(json.dumps(content), encoding="utf-8")
    return f"{target.name}: {expected}"


def found_out(ran: Ran, expected: str) -> None:
    """Hold what `verify` did against what it should have done."""
    lines = ran.stdout.splitlines()
    assert (ran.returncode, ran.stderr) == (1, "")
    assert [line for line in lines if line.startswith(expected)] != []
    assert re.fullmatch(r"c\.json: the certificate does not hold, \d+ problems", lines[-1])


@pytest.mark.parametrize("change", [_verdict, _digest, _deleted], ids=lambda change: change.__name__.strip("_"))
def test_changed_certificate_is_found_out(
    change: Callable[[Any], str], core: tuple[Ran, Path], command: Command, tmp_path: Path
) -> None:
    """After one changed verdict, one changed digest or one deleted case `verify` exits 1 and says which."""
    expected = changed(core[1], change, tmp_path / "c.json")
    found_out(command("verify", tmp_path / "c.json", "--lang", "en"), expected)


@pytest.mark.parametrize(
    "change",
    [_waived, _ulp, _status, _observed, _total, _seal, _name, _whole],
    ids=lambda change: change.__name__.strip("_"),
)
def test_any_change_is_found_out(
    change: Callable[[Any], str], small_certificate: Path, small: Path, main: Command, tmp_path: Path
) -> None:
    """Whatever else is changed in a certificate, `verify` exits 1 and says what it was."""
    expected = changed(small_certificate, change, tmp_path / "c.json")
    found_out(main("verify", tmp_path / "c.json", "--golden", small, "--lang", "en"), expected)


def test_resealed_certificate_is_found_out(
    core: tuple[Ran, Path], small_certificate: Path, small: Path, main: Command, tmp_path: Path
) -> None:
    """A certificate of other golden data has a valid seal of its own, and does not hold for the packaged data."""
    here = main("verify", small_certificate, "--lang", "en")
    there = main("verify", small_certificate, "--golden", small)
    swapped = document(core[1]) | {"seal": document(small_certificate)["seal"]}
    (tmp_path / "swapped.json").write_text(json.dumps(swapped), encoding="utf-8")
    third = main("verify", tmp_path / "swapped.json", "--lang", "en")
    assert (here.returncode, there.returncode, third.returncode) == (1, 0, 1)
    assert "c.json: digests.golden: found " in here.stdout
    assert "swapped.json: seal: found " in third.stdout
    assert "seal" not in here.stdout


def test_certificate_of_a_failure_holds_but_is_no_pass(main: Command, small: Path, tmp_path: Path) -> None:
    """`verify` of an honest certificate that is not conformant says that it holds, and exits 1."""
    target = tmp_path / "c.json"
    aclnn_spec.certify(f"{BACKENDS}:MeanBySelf", golden=small).save(target)
    ran = main("verify", target, "--golden", small, "--lang", "en")
    assert (ran.returncode, ran.stdout) == (1, "c.json: the certificate holds, its verdict is not conformant\n")


def test_build_check_names_what_an_edited_number_makes_stale(checkout: Path, command: Command) -> None:
    """After editing one number in a table `--check` exits 1 naming the stale files, and nothing uses the old data."""
    tools = {"PYTHONPATH": str(checkout / "tools")}
    for path in (checkout / "spec" / "operators").iterdir():
        if path.stem != NAME:  # one operator is enough, and sooner built
            path.unlink()
    command("build", **tools)
    table = checkout / "spec" / "tables" / "dtypes.json"
    text = table.read_text(encoding="utf-8")
    edited = re.sub(r'("name": "UINT1",\s+"number": )\d+', r"\g<1>99", text)
    assert edited != text
    table.write_text(edited, encoding="utf-8")
    check, certify = command("build", "--check", **tools), command("certify", "numpy", **tools)
    assert (check.returncode, certify.returncode) == (1, 2)
    assert f"{checkout / 'golden' / 'core' / 'manifest.json'}: stale; run aclnn-spec build" in check.stdout.splitlines()
    assert "another spec: tables/dtypes.json, run aclnn-spec build" in certify.stderr


def test_diagnose_names_all_broken_clauses(command: Command) -> None:
    """The call of the issue breaks three clauses; all three are named, with the code of the first, in Chinese."""
    ran = command("diagnose", NAME, *CALL, "--lang", "zh")
    lines = ran.stdout.splitlines()
    assert ran.returncode == 1
    assert lines[0].startswith(f"{NAME}: ACLNN_ERR_PARAM_NULLPTR (161001) — ")
    clauses = [line.split(":")[0].strip() for line in lines if re.match(r"  \w+ \(", line)]
    assert clauses == ["nullptr (161001)", "reduction (161002)", "castable (161002)"]
    found = [line.partition(": ")[2].replace(" ", "") for line in lines if line.startswith("    实际")]
    assert found == [
        "target为空指针",
        "reduction=3",
        "FLOAT不能转换为INT32",
    ]


def test_nothing_here_writes_into_the_checkout(checkout: Path, command: Command) -> None:
    """The commands that read leave every file of the checkout as it was."""
    tools = {"PYTHONPATH": str(checkout / "tools"), "PYTHONDONTWRITEBYTECODE": "1"}
    before = {path: path.stat().st_mtime_ns for path in checkout.rglob("*")}
    codes = [command(*words, **tools).returncode for words in (("list",), ("show", NAME))]
    assert codes == [0, 0]
    assert {path: path.stat().st_mtime_ns for path in checkout.rglob("*")} == before

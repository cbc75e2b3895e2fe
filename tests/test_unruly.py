"""The judge judged: nothing an implementation, a conftest or the machine does makes a run conformant that is not."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec import api
from aclnn_spec.certification import workers
from aclnn_spec.certification.certificate import Certificate, load_certificate
from aclnn_spec.certification.session import Options, open_suite
from aclnn_spec.certification.verify import verify
from aclnn_spec.certification.workers import run_isolated
from aclnn_spec.spec.read import Spec
from conftest import BACKENDS, NAME, Command

UNRULY = BACKENDS.with_name("unruly.py")
LONELY = f"{NAME}/basic/FLOAT-3x1x5-none-plain"


def failures(certificate: Certificate) -> list[tuple[str, str, str]]:
    """The id of each failed case with the kind and the text of its first fault."""
    failed = [entry for entry in certificate.entries if entry.verdict == "fail"]
    return [(each.id, each.faults[0].kind, each.faults[0].message.en) for each in failed]


def truthful(certificate: Certificate, golden: Path, spec: Spec) -> bool:
    """Whether the certificate holds, recomputed from its own evidence."""
    suite = open_suite(Options(golden=golden), (NAME,), "any", spec)
    return verify(certificate, spec, suite.golden.digest, map(suite.golden.case, suite.ids)) == []


@pytest.mark.parametrize(
    ("attribute", "kind", "message"),
    [
        ("RaisesInPhaseOne", "raised", "phase 1 raised RuntimeError: no tiling for 0 ("),
        ("RaisesInPhaseTwo", "raised", "phase 2 raised RuntimeError: no kernel for 5 arguments ("),
        ("RaisesAtLength", "raised", "phase 2 raised RuntimeError: 5?xxx"),
        ("RaisesTheUnspeakable", "raised", "phase 2 raised "),
        ("RaisesBeneath", "raised", "phase 2 raised "),
        ("Skips", "raised", "phase 2 raised Skipped: no kernel for 5 arguments ("),
        ("ExpectsToFail", "raised", "phase 2 raised "),
        ("Exits", "raised", "phase 2 raised SystemExit: 0 ("),
        ("OddStatus", "wrong_type", "the status of phase 2 is _Odd (repr: ValueError), expected int32"),
        ("FloatStatus", "wrong_type", "the status of phase 2 is float 0.0, expected int32"),
        ("NothingAtAll", "wrong_type", "the answer of phase 1 is NoneType None, expected PhaseOne"),
        ("FinishesLater", "value", "15 of 15 elements are wrong"),
    ],
)
def test_one_misdeed_costs_one_case(
    attribute: str, kind: str, message: str, small: Path, small_cases: tuple[Any, ...], spec: Spec, tmp_path: Path
) -> None:
    """A call that ends in no proper answer fails its case; all others pass, and the certificate can be written."""
    certificate = api.certify(f"{UNRULY}:{attribute}", golden=small)
    ((case_id, found, text),) = failures(certificate)
    assert (certificate.verdict, case_id, found, text[: len(message)]) == ("not conformant", LONELY, kind, message)
    assert len(certificate.entries) == len(small_cases)
    certificate.save(tmp_path / "c.json")
    assert truthful(load_certificate(tmp_path / "c.json", spec.schemas), small, spec)


@pytest.fixture(scope="module")
def plainly_wrong(small: Path) -> Certificate:
    """The certificate of an implementation with one mistake and good manners."""
    return api.certify(f"{BACKENDS}:MeanBySelf", golden=small)


@pytest.mark.parametrize(
    "attribute", ["WrongPrints", "WrongLosesStreams", "WrongMoves", "WrongTightens", "WrongThreads"]
)
def test_bad_manners_hide_no_mistake(
    attribute: str,
    small: Path,
    plainly_wrong: Certificate,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Megabytes printed, streams lost, a directory or an error state changed, threads: the entries are the same."""
    monkeypatch.setattr(workers, "END_SECONDS", 0.2)
    monkeypatch.chdir(small.parent)
    done = run_isolated(f"{UNRULY}:{attribute}", Options(golden=Path(small.name)))
    certificate = done.suite.certificate(done.entries, done.description)
    assert certificate.verdict == plainly_wrong.verdict == "not conformant"
    assert certificate.entries == plainly_wrong.entries
    assert (len(capfd.readouterr().out) > 2**20) == (attribute == "WrongPrints")


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("Vanishes", "the process ended with exit code 0"),
        ("Interrupts", "the process ended with exit code 1"),
        ("ClosesEverything", "the process ended with exit code 1"),
        ("WritesIntoEverything", "the process sent something that is no answer"),
    ],
)
def test_a_worker_that_is_lost(
    attribute: str, message: str, small: Path, small_cases: tuple[Any, ...], spec: Spec
) -> None:
    """A worker that leaves with the code of success, or spoils its connection, fails the case it had and no other."""
    done = run_isolated(f"{UNRULY}:{attribute}", Options(golden=small), timeout=20)
    certificate = done.suite.certificate(done.entries, done.description)
    assert (certificate.verdict, len(certificate.entries)) == ("not conformant", len(small_cases))
    assert failures(certificate) == [(LONELY, "crashed", message)]
    assert truthful(certificate, small, spec)


def test_two_answers_for_one_case(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that goes on in two processes is not conformant, though each of them is right."""
    monkeypatch.setattr(workers, "END_SECONDS", 0.2)
    done = run_isolated(f"{UNRULY}:Forks", Options(golden=small), timeout=20)
    assert done.suite.certificate(done.entries, done.description).verdict == "not conformant"


def test_a_worker_that_does_not_end(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that hangs when it is closed is ended; what it answered before stands."""
    monkeypatch.setattr(workers, "END_SECONDS", 0.2)
    start = time.monotonic()
    done = run_isolated(f"{UNRULY}:HangsOnClose", Options(golden=small))
    assert {entry.verdict for entry in done.entries} == {"pass"}
    assert time.monotonic() - start < 60


@pytest.fixture
def run(pytester: pytest.Pytester, small: Path) -> Any:
    """Run pytest on the small tier, in this process or its own; gives the run and the certificate it wrote."""

    def start(implementation: str, *options: str, apart: bool = False, **settings: Any) -> tuple[pytest.RunResult, Any]:
        target = pytester.path / "c.json"
        given = [f"--aclnn-certify={implementation}", f"--aclnn-golden={small}", f"--aclnn-certificate={target}"]
        method = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        result = method("-p", "no:cacheprovider", "-p", "no:randomly", *given, *options, **settings)
        return result, json.loads(target.read_text(encoding="utf-8"))

    return start


HALF = "def pytest_collection_modifyitems(items, config):\n    {tell}\n    items[:] = items[::2]\n"


@pytest.mark.parametrize(
    ("tell", "code"),
    [("pass", 1), ("config.hook.pytest_deselected(items=items[1::2])", 0)],
    ids=["in silence", "and says so"],
)
@pytest.mark.parametrize("options", [[], ["-n1"]], ids=["alone", "xdist"])
def test_conftest_that_deselects_half(
    tell: str, code: int, options: list[str], run: Any, pytester: pytest.Pytester, small_cases: tuple[Any, ...]
) -> None:
    """A conftest that drops half the suite leaves an incomplete run; only an open selection exits with 0."""
    pytester.makeconftest(HALF.format(tell=tell))
    result, certificate = run("numpy", *options, apart=bool(options))
    half = (len(small_cases) + 1) // 2
    assert (result.ret, certificate["verdict"], len(certificate["entries"])) == (code, "incomplete", half)
    assert certificate["totals"]["pass"] == half


def test_conftest_that_calls_everything_passed(run: Any, pytester: pytest.Pytester) -> None:
    """A conftest that turns each failed report into a passed one changes neither entries nor exit code."""
    pytester.makeconftest(
        "import pytest\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_makereport():\n"
        "    report = yield\n    report.outcome = 'passed'\n    return report\n"
    )
    result, certificate = run(f"{BACKENDS}:WrongSign")
    assert result.parseoutcomes().keys() == {"passed"}
    assert (result.ret, certificate["verdict"], certificate["totals"]["fail"] > 0) == (1, "not conformant", True)


def test_conftest_that_runs_nothing(run: Any, pytester: pytest.Pytester) -> None:
    """A conftest that takes the run of every item upon itself, and does nothing, leaves an incomplete run."""
    pytester.makeconftest("def pytest_runtest_protocol():\n    return True\n")
    result, certificate = run("numpy")
    assert (result.ret, certificate["verdict"], certificate["entries"]) == (1, "incomplete", [])


def test_a_run_that_stops_early(run: Any) -> None:
    """What failed before pytest stopped stands in the certificate, and what did not run is missing."""
    result, certificate = run(f"{BACKENDS}:WrongSign", "--maxfail=2")
    assert (result.ret, certificate["verdict"]) == (1, "not conformant")
    assert result.parseoutcomes()["failed"] == certificate["totals"]["fail"] == 2
    assert "cases without an entry: " in certificate["notes"][1]["en"]


def test_an_interrupted_pytest_run(run: Any) -> None:
    """Ctrl-C ends pytest's run with its own code and an incomplete certificate of what had run."""
    result, certificate = run(f"{UNRULY}:Interrupts", apart=True)
    assert (result.ret, certificate["verdict"]) == (pytest.ExitCode.INTERRUPTED, "incomplete")
    assert {entry["verdict"] for entry in certificate["entries"]} == {"pass"}


def test_a_pytest_that_vanishes(run: Any, pytester: pytest.Pytester) -> None:
    """After `os._exit(0)` the file at the certificate's place speaks of this run, and says that it is incomplete."""
    (pytester.path / "c.json").write_text('{"verdict": "conformant"}', encoding="utf-8")
    result, certificate = run(f"{UNRULY}:Vanishes", apart=True)
    assert "Verdict" not in result.stdout.str()
    assert (certificate["verdict"], certificate["implementation"]["name"]) == ("incomplete", "right")


def limited(command: list[str | Path], cwd: Path, size: int) -> subprocess.CompletedProcess[str]:
    """Run a command that can write no file beyond a size in bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    # Neither compiled modules nor what measures coverage can be written there.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    environment = inherited | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        preexec_fn=limit,  # one thread, nothing held
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


COMMAND = [sys.executable, "-m", "aclnn_spec"]


def test_a_full_disk(small: Path, small_certificate: Path, tmp_path: Path) -> None:
    """A certificate for which there is no room is one line and exit code 2; the file of an earlier run stays whole."""
    target = tmp_path / "c.json"
    shutil.copy(small_certificate, target)
    ran = limited([*COMMAND, "certify", "numpy", "--golden", small, "--certificate", target], tmp_path, 4096)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"aclnn-spec certify: {target}: File too large\n"
    assert target.read_bytes() == small_certificate.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]


def test_a_full_disk_under_pytest(small: Path, tmp_path: Path) -> None:
    """Under pytest the run fails and says so; what little there is room for says that the run is incomplete."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--aclnn-certify=numpy"]
    ran = limited([*command, f"--aclnn-golden={small}", "--aclnn-certificate=c.json"], tmp_path, 4096)
    assert (ran.returncode, "certificate: c.json: not written: File too large" in ran.stdout) == (1, True)
    assert "Traceback" not in ran.stdout + ran.stderr
    assert json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["verdict"] == "incomplete"
    ran = limited([*command, f"--aclnn-golden={small}", "--aclnn-certificate=d.json"], tmp_path, 100)
    assert (ran.returncode, "--aclnn-certificate: d.json: File too large" in ran.stderr) == (4, True)
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]


def test_golden_data_on_a_full_disk(tmp_path: Path) -> None:
    """A build for which there is no room is one line that names the file, and leaves none."""
    (tmp_path / "golden").mkdir()
    ran = limited([*COMMAND, "build", "--output", tmp_path / "golden"], tmp_path, 2**16)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert re.search(r"golden/\.?aclnn\w+\.json: File too large\n$", ran.stderr)
    assert list((tmp_path / "golden").iterdir()) == []


def test_output_that_nobody_can_read(small: Path, tmp_path: Path) -> None:
    """A summary that cannot be written is no success."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ran = subprocess.run(
            [*COMMAND, "certify", "numpy", "--golden", small],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
    assert (ran.returncode, ran.stderr) == (2, "aclnn-spec certify: input/output: No space left on device\n")


def test_a_special_file_is_not_replaced(main: Command, small: Path, tmp_path: Path) -> None:
    """A certificate is not put in the place of a device or a pipe."""
    os.mkfifo(tmp_path / "pipe")
    ran = main("certify", "numpy", "--golden", small, "--certificate", tmp_path / "pipe")
    expected = f"--certificate: found the special file {tmp_path / 'pipe'}, expected the name of a file"
    assert (ran.returncode, ran.stderr) == (2, f"aclnn-spec certify: {expected}\n")
    assert (tmp_path / "pipe").is_fifo()


def test_an_interrupted_command(small: Path, tmp_path: Path) -> None:
    """Ctrl-C ends the command with 130 and one line, leaves no certificate, and ends its workers."""
    command = [*COMMAND, "certify", f"{UNRULY}:NotesAndHangs", "--golden", small, "--certificate", "c.json"]
    notes = tmp_path / "notes"
    environment = os.environ | {"ACLNN_TEST_NOTES": str(notes)}

    def attend() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a worker of xdist ignores it, and so would what it starts

    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        preexec_fn=attend,  # noqa: PLW1509  # nothing is held
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    ) as started:
        deadline = time.monotonic() + 60
        while not notes.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(started.pid, signal.SIGINT)  # as a terminal does
        _, said = started.communicate(timeout=60)
    worker = notes.read_text(encoding="utf-8").split()[1]
    assert (started.returncode, said) == (130, "aclnn-spec certify: interrupted\n")
    assert (Path("/proc", worker).exists(), [path.name for path in tmp_path.iterdir()]) == (False, ["notes"])


def test_two_runs_write_one_certificate(
    small_certificate: Path, plainly_wrong: Certificate, small: Path, spec: Spec, tmp_path: Path
) -> None:
    """Of two runs that write to one place again and again, a reader always sees one whole certificate."""
    target = tmp_path / "c.json"
    both = [load_certificate(small_certificate, spec.schemas), plainly_wrong]
    both[0].save(target)
    writers = [threading.Thread(target=lambda one=one: [one.save(target) for _ in range(20)]) for one in both]
    for writer in writers:
        writer.start()
    seen = []
    while any(writer.is_alive() for writer in writers):
        seen.append(load_certificate(target, spec.schemas))
    for writer in writers:
        writer.join()
    seals = {one.seal: one.verdict for one in both}
    assert {one.seal: one.verdict for one in seen}.items() <= seals.items()
    assert all(truthful(one, small, spec) for one in {one.seal: one for one in seen}.values())
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]

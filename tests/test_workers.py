"""Processes of their own: what a crash, a hang or a refusal costs, and what the user is told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec.certification import workers
from aclnn_spec.certification.session import Options
from aclnn_spec.certification.workers import Isolated, run_isolated
from aclnn_spec.spec.errors import InputError
from conftest import BACKENDS, NAME

LONELY = f"{NAME}/basic/FLOAT-3x1x5-none-plain"


def run(attribute: str, small: Path, **settings: Any) -> Isolated:
    """Run a backend of the file on the small tier."""
    given = attribute if ":" in attribute else f"{BACKENDS}:{attribute}"
    return run_isolated(given, Options(golden=small), **settings)


@pytest.mark.parametrize(
    ("attribute", "timeout", "kind", "message"),
    [
        ("Hangs", 5, "timed_out", "did not end within 5 seconds"),
        ("ExitsInPhaseOne", 60, "crashed", "the process ended with exit code 7"),
    ],
)
def test_a_lost_worker_costs_its_case(
    attribute: str, timeout: float, kind: str, message: str, small: Path, small_cases: tuple[Any, ...]
) -> None:
    """A worker that hangs or leaves fails the case it had; another runs the rest, and every case has one entry."""
    done = run(attribute, small, timeout=timeout)
    failed = [entry for entry in done.entries if entry.verdict == "fail"]
    assert sorted(entry.id for entry in done.entries) == sorted(case.id for case in small_cases)
    assert [(each.id, [(one.kind, one.message.en) for one in each.faults]) for each in failed] == [
        (LONELY, [(kind, message)])
    ]
    assert done.suite.certificate(done.entries, done.description).verdict == "not conformant"


def test_several_workers_share_the_cases(
    small: Path, small_cases: tuple[Any, ...], tmp_path: Path, monkeypatch: Any
) -> None:
    """Two workers run each case once, open and close their implementation each, and progress counts to the end."""
    monkeypatch.setenv("ACLNN_TEST_NOTES", str(tmp_path / "notes"))
    seen: list[tuple[int, int]] = []
    done = run("Opens", small, workers=2, progress=lambda *count: seen.append(count))
    notes = [line.split() for line in (tmp_path / "notes").read_text(encoding="utf-8").splitlines()]
    assert sorted(entry.id for entry in done.entries) == sorted(case.id for case in small_cases)
    assert seen == [(i + 1, len(small_cases)) for i in range(len(small_cases))]
    assert sorted(what for what, _ in notes) == ["close", "close", "open", "open"]
    assert len({process for _, process in notes} - {str(os.getpid())}) == 2
    assert done.description["given"] == f"{BACKENDS}:Opens"


def test_a_run_is_given_up(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many lost workers the rest gets no entry; the run is not conformant and says what is missing."""
    monkeypatch.setattr(workers, "CRASHES", 2)
    done = run("Aborts", small)
    certificate = done.suite.certificate(done.entries, done.description)
    assert [entry.verdict for entry in done.entries] == ["fail", "fail"]
    assert certificate.verdict == "not conformant"
    assert f"cases without an entry: {len(done.suite.ids) - 2}" in certificate.notes[1].en


def test_only_some_cases(small: Path) -> None:
    """Cases that are asked for run once each, and the run is incomplete."""
    options = Options(golden=small, cases=(LONELY, LONELY))
    done = run_isolated("numpy", options)
    assert [(entry.id, entry.verdict) for entry in done.entries] == [(LONELY, "pass")]
    assert done.suite.certificate(done.entries, done.description).verdict == "incomplete"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (f"{BACKENDS}:CannotOpen", f"{BACKENDS}:CannotOpen: open() raised RuntimeError: no device 0 ({BACKENDS}:"),
        (f"{BACKENDS.parent}/aborts_at_import.py:x", "while it was loaded, the process was ended by SIGABRT"),
        (f"{BACKENDS.parent}/raises_at_import.py:x", "running raises_at_import.py failed: OSError: libnothing.so: "),
    ],
)
def test_what_cannot_be_loaded(given: str, message: str, small: Path) -> None:
    """An implementation that cannot be loaded or opened, whatever way, is an InputError of one line."""
    with pytest.raises(InputError) as caught:
        run(given, small)
    assert (len(caught.value.faults), len(str(caught.value).splitlines())) == (1, 1)
    assert message in str(caught.value)


def test_a_slow_load_is_given_up(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that never gets ready is ended, and the message says how long it had."""
    monkeypatch.setattr(workers, "START_SECONDS", 0.05)
    with pytest.raises(InputError) as caught:
        run("Right", small)
    assert str(caught.value) == f"{BACKENDS}:Right: was not loaded within 0.05 seconds"

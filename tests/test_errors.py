"""Errors that people read: each fault is one line, of a length that can be read, and there are not too many."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

from aclnn_spec.spec.errors import LONGEST, InputError
from conftest import Command


def test_a_fault_is_one_line() -> None:
    """What would break the line or command the terminal is escaped; Chinese and what prints stay."""
    error = InputError("w.json: found 'a\nb\x1b[2J\ud800', 应为 ×")
    assert str(error) == r"w.json: found 'a\nb\x1b[2J\ud800', 应为 ×"


def test_a_long_fault_keeps_its_ends() -> None:
    """Where and what was expected stay; of what was found the middle is left out."""
    (fault,) = InputError(f"w.json: found {'x' * 5000}, expected less").faults
    assert (len(fault), fault[:15], fault[-15:]) == (LONGEST, "w.json: found x", "x, expected less"[1:])


def test_faults_survive_a_pipe() -> None:
    """An error is the same when another process gets it."""
    error = pickle.loads(pickle.dumps(InputError("one", "two")))  # noqa: S301  # our own
    assert (error.faults, str(error)) == (("one", "two"), "one\ntwo")


def test_a_thousand_faults_are_not_told_one_by_one(main: Command, small: Path, tmp_path: Path) -> None:
    """A command says fifty, and how many more there are."""
    document = {"$schema": "https://aclnn-spec.dev/schema/waivers.json", "waivers": [0] * 1000}
    (tmp_path / "w.json").write_text(json.dumps(document), encoding="utf-8")
    ran = main("certify", "numpy", "--golden", small, "--waivers", tmp_path / "w.json")
    lines = ran.stderr.splitlines()
    assert (ran.returncode, len(lines), lines[-1]) == (2, 51, "aclnn-spec certify: … and 950 more")

"""Waiver files: what they may say, and what they do to a run."""

import json
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec.certification.entry import Entry
from aclnn_spec.certification.fault import fault
from aclnn_spec.certification.waivers import Waiver, load_waivers, waive
from aclnn_spec.spec.errors import InputError
from miniatures import SPEC

SCHEMA = "https://aclnn-spec.dev/schema/waivers.json"


def written(folder: Path, waivers: Any, **more: Any) -> Path:
    """A waiver file with these waivers."""
    path = folder / "waivers.json"
    path.write_text(json.dumps({"$schema": SCHEMA, "waivers": waivers, **more}), encoding="utf-8")
    return path


def test_load(tmp_path: Path) -> None:
    """A waiver file gives its patterns and reasons, in order."""
    listed = [{"cases": "op/mean/*", "reason": "known"}, {"cases": "op/open/a", "reason": "later"}]
    expected = tuple(Waiver(**each) for each in listed)
    assert load_waivers(written(tmp_path, listed), SPEC.schemas) == expected
    assert load_waivers(str(written(tmp_path, [])), SPEC.schemas) == ()
    assert [each.to_json() for each in expected] == listed


@pytest.mark.parametrize(
    ("waivers", "message"),
    [
        ([{"cases": "a"}], "waivers.json: waivers[0]: 'reason' is missing"),
        ([{"cases": "a", "reason": ""}], "waivers.json: waivers[0].reason: "),
        ([{"cases": "a", "reason": " \n"}], "waivers.json: waivers[0].reason: "),
        ([{"cases": "", "reason": "b"}], "waivers.json: waivers[0].cases: "),
        ([{"cases": "a", "reason": "b", "until": "c"}], "waivers.json: waivers[0]: unknown key until"),
        ([{"cases": 3, "reason": "b"}], "waivers.json: waivers[0].cases: found 3, expected string"),
        ({"a": "b"}, "waivers.json: waivers: found {'a': 'b'}, expected array"),
        (
            [{"cases": "a", "reason": "b"}, {"cases": "a", "reason": "c"}],
            "waivers.json: waivers[1].cases: found 'a' a second time, expected each pattern once",
        ),
    ],
)
def test_faults_name_their_place(tmp_path: Path, waivers: Any, message: str) -> None:
    """A fault in a waiver file is one line with its path in the file."""
    with pytest.raises(InputError) as caught:
        load_waivers(written(tmp_path, waivers), SPEC.schemas)
    assert str(caught.value).startswith(message)
    assert len(caught.value.faults) == 1


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there is an InputError."""
    with pytest.raises(InputError, match=r"none\.json: found No such file"):
        load_waivers(tmp_path / "none.json", SPEC.schemas)


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [("op/mean/a", 1), ("op/mean/*", 1), ("op/*", 1), ("*/a", 1), ("op/mean", 0), ("OP/mean/a", 0)],
)
def test_patterns(pattern: str, covered: int) -> None:
    """A pattern matches whole ids, with the case of letters."""
    assert Waiver(cases=pattern, reason="r").covers("op/mean/a") == covered


def test_an_id_with_brackets_matches_itself() -> None:
    """A pattern equal to the id covers it, whatever its letters mean in a pattern."""
    assert Waiver(cases="op/a[1]", reason="r").covers("op/a[1]")


def test_waive_turns_failures_alone() -> None:
    """Only failed entries are waived, by the first waiver that covers them; the evidence stays."""
    wrong = (fault("value", zh="错", en="wrong"),)
    entries = [
        Entry(id="op/mean/a", verdict="fail", faults=wrong),
        Entry(id="op/mean/b", verdict="pass"),
        Entry(id="op/open/c", verdict="fail", faults=wrong),
        Entry(id="op/mean/d", verdict="skipped"),
    ]
    waivers = [Waiver(cases="op/mean/*", reason="first"), Waiver(cases="op/*/a", reason="second")]
    found = waive(entries, waivers)
    assert [each.verdict for each in found] == ["waived", "pass", "fail", "skipped"]
    assert [each.waiver for each in found] == ["first", None, None, None]
    assert found[0].faults == wrong

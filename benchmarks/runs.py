"""Whole runs, as processes: the core tier against empty tests, the full tier, and a case of 2 GiB."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from aclnn_spec.golden.build import parts_of
from aclnn_spec.spec.read import data_root, load_spec

from .row import Row
from .timing import Ran, run

CORE = "The core tier, processor time"
FULL = "The full tier"
HUGE = "One large case"
EMPTY = "import pytest\n@pytest.mark.parametrize('case', range({count}))\ndef test_empty(case):\n    pass\n"
COMMAND = (sys.executable, "-m", "aclnn_spec")


def core(*, repeats: int) -> Iterator[Row]:
    """Both doors against collecting and running as many empty tests with pytest."""
    manifest = json.loads((data_root() / "golden" / "core" / "manifest.json").read_text(encoding="utf-8"))
    count = sum(file.get("cases", 0) for file in manifest["files"])
    with TemporaryDirectory() as temporary:
        test = Path(temporary, "test_empty.py")
        test.write_text(EMPTY.format(count=count), encoding="utf-8")
        pytest = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={temporary}")
        doors = {
            "certify numpy": (*COMMAND, "certify", "numpy"),
            "pytest --aclnn-certify numpy": (*pytest, "--aclnn-certify=numpy"),
        }
        runs = [(run((*pytest, test)), {what: run(command) for what, command in doors.items()}) for _ in range(repeats)]
    for what in doors:
        pairs = [(each[what].processor, empty.processor) for empty, each in runs]
        yield Row(
            part=CORE,
            what=what,
            size=count,
            seconds=median(ours for ours, _ in pairs),
            peer="as many empty tests",
            peer_seconds=median(theirs for _, theirs in pairs),
            ratio=median(ours / theirs for ours, theirs in pairs),
            mebibytes=max(each[what].mebibytes for _, each in runs),
            why="cases",
        )


def full(*, quick: bool) -> Iterator[Row]:
    """Build the tier in one process and in two, certify with one worker and with two; a share of it if quick."""
    parts = len(parts_of(load_spec(), "full"))
    of = parts // 2 if quick else 1
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        build = (*COMMAND, "build", "--tier", "full")
        shards = [f"--shard=1/{of}"] if quick else []
        once = run((*build, *shards, "--output", folder / "one"))
        halves = [(*build, f"--shard={i}/{2 * of}", "--output", folder / f"half-{i}") for i in (1, of + 1)]
        twice = run(*halves)
        manifest = json.loads((folder / "one" / "manifest.json").read_text(encoding="utf-8"))
        count = sum(file.get("cases", 0) for file in manifest["files"])
        certify = (*COMMAND, "certify", "numpy", "--tier", "full", "--golden", folder / "one", *shards)
        runs = {"build": (once, twice), "certify": (run(certify), run((*certify, "-n", "2")))}
    for what, (alone, together) in runs.items():
        row = partial(_rate, count)
        yield row(f"{what}, 1 process", alone, None)
        yield row(f"{what}, 2 processes", together, alone)


def _rate(count: int, what: str, ran: Ran, alone: Ran | None) -> Row:
    return Row(
        part=FULL,
        what=what,
        size=count,
        seconds=ran.seconds,
        peer=alone and "1 process",
        peer_seconds=alone and alone.seconds,
        ratio=alone and ran.seconds / alone.seconds,
        mebibytes=ran.mebibytes,
        per_second=count / ran.seconds,
    )


def huge(*, elements: int) -> Iterator[Row]:
    """Generate a case whose four tensors take 16 bytes an element, certify it, and take its memory."""
    with TemporaryDirectory() as temporary:
        for what, command in (
            (
                "generated, with its expected result",
                (sys.executable, "-m", "benchmarks.huge", str(elements), temporary),
            ),
            ("certified: two calls, each judged", (*COMMAND, "certify", "numpy", "--golden", temporary)),
        ):
            ran = run(command)
            yield Row(
                part=HUGE,
                what=what,
                size=elements,
                seconds=ran.seconds,
                mebibytes=ran.mebibytes,
                times_case=ran.mebibytes * 2**20 / (16 * elements),
            )

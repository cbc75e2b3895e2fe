"""Whatever is in a file or on the command line, a reader accepts it or says in a line what is wrong with it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import Spec
from conftest import NAME

from .readers import Reader, readers
from .run import SECONDS, Tally, apart, limited, run
from .tape import LENGTH, Tape

INPUTS = int(os.environ.get("ACLNN_FUZZ_INPUTS", "2000"))
"""How many, of all readers together; `python -m tests.fuzz` runs far more, and faster."""

SHARES = {
    "npz": 27,
    "waivers": 17,
    "certificate": 15,
    "golden cases": 15,
    "golden arrays": 10,
    "manifest": 5,
    "diagnose": 10,
    "spec": 1,
}


@pytest.fixture(scope="module")
def all_readers() -> Iterator[dict[str, Reader]]:
    """The readers, with a directory of theirs."""
    with readers() as found:
        yield found


def test_every_reader_has_its_share(all_readers: dict[str, Reader]) -> None:
    """Each reader is given its share of a hundred inputs."""
    assert {name: one.share for name, one in all_readers.items()} == SHARES
    assert sum(SHARES.values()) == 100


@pytest.mark.parametrize("name", SHARES)
def test_spoilt_input(name: str, all_readers: dict[str, Reader]) -> None:
    """A reader of spoilt input ends in an answer or a refusal, in time."""
    reader, seen = all_readers[name], set()

    @settings(
        max_examples=INPUTS * SHARES[name] // 100,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(st.integers(0, 2**32 - 1), min_size=LENGTH, max_size=LENGTH))
    def check(numbers: list[int]) -> None:
        with limited(SECONDS):
            seen.add(reader.accepts(reader.make(Tape(numbers))))

    check()
    assert False in seen


def _endless(_given: object) -> None:
    while True:
        time.sleep(0.01)


def _refuses_in_silence(_given: object) -> None:
    raise InputError("")


@pytest.mark.parametrize("read", [_endless, _refuses_in_silence, len])
def test_what_counts_as_a_fault(read: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a reader that does not end, refuses without a word or raises anything else, each input is kept."""
    monkeypatch.setattr("fuzz.run.SECONDS", 1)
    bad = Reader(name="bad", share=0, make=lambda tape: tape.below(2), read=read)  # type: ignore[arg-type,return-value]
    tally = Tally()
    found = list(run(bad, iter(["one"]), tally))
    assert ([each.seed for each in found], tally.inputs, tally.accepted) == (["one"], 1, 0)
    assert found[0].told.startswith("Traceback")


def test_a_schema_that_is_nested_deep(all_readers: dict[str, Reader]) -> None:
    """A schema that is none is refused, also where saying what it holds would take too deep a recursion."""
    deep = b'{"a":' * 900 + b"1" + b"}" * 900
    assert not all_readers["spec"].accepts(("schema/manifest.json", b'{"$id": ' + deep + b"}"))


def test_a_long_run_in_short() -> None:
    """A reader in a process of its own, with little memory, is given as many inputs as are asked for."""
    tally, faults = apart("waivers", "seed", 20)
    assert (tally.inputs, faults) == (20, [])


@pytest.mark.parametrize("size", [10**9, 2**31])
def test_a_shape_takes_no_memory(size: int, small: Path, spec: Spec, tmp_path: Path) -> None:
    """What a call that must fail has in its inputs is stored nowhere: reading a huge one costs nothing."""
    shutil.copytree(small, tmp_path / "golden")
    path = tmp_path / "golden" / f"{NAME}.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    chosen = next(
        case for case in document["cases"] if case["outcome"]["kind"] == "error" and case["arguments"]["self"]
    )
    chosen["arguments"]["self"] = {"dtype": "INT8", "shape": [size]}
    path.write_text(json.dumps(document), encoding="utf-8")
    golden = Golden(forged(tmp_path / "golden"), spec)
    tracemalloc.start()
    case = golden.case(chosen["id"])
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert (case.arguments["self"].storage.size, held < 2**24) == (size, True)


def forged(tier: Path) -> Path:
    """The tier with a manifest that agrees with its files."""
    manifest = json.loads((tier / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        data = (tier / entry["name"]).read_bytes()
        entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (tier / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return tier

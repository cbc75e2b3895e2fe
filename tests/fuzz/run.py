"""Run one reader on many inputs, and keep what is found."""

from __future__ import annotations

import multiprocessing
import resource
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

from .readers import Fault, Input, Reader, readers
from .tape import Tape, numbers

SECONDS = 20
"""Time an input may take, on a busy machine."""

MEMORY = 2**30
"""Bytes that a process may take beyond what it needs to begin."""

MOST = 20
"""Faults of one reader after which it is given no more."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """An input that showed a fault, the seed that makes it again, and what became of it."""

    seed: str
    given: Input
    told: str


@dataclass(kw_only=True)
class Tally:
    """What became of a reader's inputs."""

    inputs: int = 0
    accepted: int = 0
    slowest: float = 0.0
    seconds: float = 0.0
    mebibytes: float = 0.0
    """By how much the process grew meanwhile."""


def run(reader: Reader, seeds: Iterator[str], tally: Tally) -> Iterator[Found]:
    """Read an input for each seed; give those that show a fault."""
    before = _peak()
    for seed in seeds:
        given = reader.make(Tape(numbers(seed)))
        start = perf_counter()
        try:
            with limited(SECONDS):
                tally.accepted += reader.accepts(given)
        except Exception:  # noqa: BLE001  # whatever it is, it is what was looked for
            yield Found(seed=seed, given=given, told=traceback.format_exc())
        took = perf_counter() - start
        tally.inputs += 1
        tally.seconds += took
        tally.slowest = max(tally.slowest, took)
        tally.mebibytes = _peak() - before


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise a Fault in a block that takes longer."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise Fault(f"found no end after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _peak() -> float:
    """The most memory that this process has held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(name: str, seed: str, number: int) -> tuple[Tally, list[Found]]:
    """Run a reader in a process of its own, whose memory is limited; a process that dies is a fault."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, name, seed, number))
    process.start()
    theirs.close()
    tally, faults = Tally(), []
    try:
        while isinstance(message := ours.recv(), Found):
            faults.append(message)
        tally = Tally(**message)
    except EOFError:
        process.join()
        faults.append(Found(seed=seed, given=b"", told=f"the process ended with code {process.exitcode}"))
    process.join()
    return tally, faults


def _work(connection: Any, name: str, seed: str, number: int) -> None:
    with readers() as all_of_them:
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        tally = Tally()
        seeds = iter([seed]) if "." in seed else (f"{seed}.{i}" for i in range(number))
        for each in islice(run(all_of_them[name], seeds, tally), MOST):
            connection.send(each)
        connection.send(asdict(tally))

"""Time two calls by turns, and watch processes."""

from __future__ import annotations

import resource
import subprocess
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

_SAMPLE = 0.005
"""Seconds that a sample takes at least; a quick call is made several times for it."""

_MOST = 31


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The medians of two calls' times in seconds, and the median of the ratios of each two that stood together."""

    ours: float
    theirs: float
    ratio: float


def by_turns(ours: Callable[[], object], theirs: Callable[[], object], *, seconds: float, least: int = 3) -> Pair:
    """Call both alternately for so many seconds, at least so often; who begins changes each time.

    Whatever else the machine does meanwhile slows the two down alike.
    """
    number = max(_number(ours), _number(theirs))
    times: list[tuple[float, float]] = []
    end = time.perf_counter() + seconds
    while len(times) < least or (time.perf_counter() < end and len(times) < _MOST):
        if len(times) % 2:
            second, first = _sample(theirs, number), _sample(ours, number)
        else:
            first, second = _sample(ours, number), _sample(theirs, number)
        times.append((first, second))
    return Pair(
        ours=median(one for one, _ in times),
        theirs=median(other for _, other in times),
        ratio=median(one / other for one, other in times),
    )


def _number(call: Callable[[], object]) -> int:
    """How often a call is to be made for one sample; the first one, which warms up, does not count."""
    call()
    number = 1
    while (took := _sample(call, number) * number) < _SAMPLE:
        number *= min(10, max(2, int(_SAMPLE / max(took, 1e-9))))
    return number


def _sample(call: Callable[[], object], number: int) -> float:
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number


def held(call: Callable[[], object]) -> float:
    """The most memory that Python and NumPy held during a call, in MiB, beyond what they held before."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (peak - before) / 2**20


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A command that has ended: how long it took, how much of the processors, and the most memory of all its tree."""

    seconds: float
    processor: float
    mebibytes: float
    output: str


def run(*commands: Sequence[str | Path], accepted: tuple[int, ...] = (0,)) -> Ran:
    """Run commands side by side; SystemExit if one ends with another code than those accepted."""
    before, start = _spent(), time.perf_counter()
    started = [subprocess.Popen(each, stdout=subprocess.PIPE, text=True) for each in commands]  # noqa: S603  # our own
    peak, over = [0.0], threading.Event()
    watcher = threading.Thread(target=_watch, args=([each.pid for each in started], peak, over))
    watcher.start()
    outputs = [each.communicate()[0] for each in started]
    over.set()
    watcher.join()
    for each, command in zip(started, commands, strict=True):
        if each.returncode not in accepted:
            raise SystemExit(f"{' '.join(map(str, command))}: ended with {each.returncode}")
    return Ran(
        seconds=time.perf_counter() - start,
        processor=_spent() - before,
        mebibytes=peak[0],
        output="".join(outputs),
    )


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(roots: list[int], peak: list[float], over: threading.Event) -> None:
    """Keep the most memory of some processes and all below them, shared pages counted once."""
    while not over.wait(0.05):
        peak[0] = max(peak[0], sum(_share(each) for each in _tree(roots)))


def _tree(roots: list[int]) -> Iterator[int]:
    for each in roots:
        yield each
        try:
            below = Path(f"/proc/{each}/task/{each}/children").read_text(encoding="utf-8")
        except OSError:
            continue
        yield from _tree([int(one) for one in below.split()])


def _share(process: int) -> float:
    """A process's own share of memory in MiB; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)

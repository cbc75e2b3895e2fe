"""Run a suite in processes of its own, so that an implementation that crashes or hangs costs one case.

The parent hands out one case id at a time and never loads the implementation itself. A worker that dies or runs
out of time fails the case it had, and another takes its place.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any

from aclnn_spec.certification.certificate import describe
from aclnn_spec.certification.entry import Entry
from aclnn_spec.certification.implementation import WORKER, last_line
from aclnn_spec.certification.resolve import resolve
from aclnn_spec.certification.session import Options, Suite, lost, open_suite, opened, settled
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import Spec

CRASHES = 100
"""Workers lost before a run is given up; what is left of the suite then has no entry."""

HANGS = 25
"""Likewise of workers that ran out of time."""

SECONDS = 60.0
"""Time a case may take, unless the user says otherwise."""

START_SECONDS = 600.0
"""Time a worker has to load the implementation and the data."""

END_SECONDS = 30.0
"""Time a worker has to close the implementation when all is done."""

Progress = Callable[[int, int], None]


@dataclass(kw_only=True)
class _Worker:
    process: Any
    connection: Connection
    number: int
    case_id: str | None = None
    deadline: float = field(default_factory=lambda: monotonic() + START_SECONDS)
    ready: bool = False


@dataclass(frozen=True, kw_only=True)
class Isolated:
    """A finished run: the entries, and what the workers said of the implementation."""

    suite: Suite
    entries: tuple[Entry, ...]
    description: dict[str, Any]


def run_isolated(
    given: str,
    options: Options,
    *,
    workers: int = 1,
    timeout: float = SECONDS,
    progress: Progress = lambda _a, _b: None,
    spec: Spec | None = None,
) -> Isolated:
    """Certify the implementation that `given` names; `timeout` is in seconds for each case.

    `spec` spares this process reading it again; workers read their own.

    InputError for bad options and for an implementation that cannot be loaded, whatever way it fails.
    """
    run = _Run(given=given, options=options, timeout=timeout, progress=progress, spec=spec)
    try:
        return run.finish(workers)
    finally:
        run.stop()


@dataclass(kw_only=True)
class _Run:
    given: str
    options: Options
    timeout: float
    progress: Progress
    spec: Spec | None
    live: list[_Worker] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    todo: deque[str] = field(default_factory=deque)
    suite: Suite | None = None
    description: dict[str, Any] = field(default_factory=dict)
    crashes: int = 0
    hangs: int = 0

    @property
    def given_up(self) -> bool:
        """Whether too many workers were lost."""
        return self.crashes >= CRASHES or self.hangs >= HANGS

    def finish(self, workers: int) -> Isolated:
        self.start()
        while self.live:
            self.serve(workers)
        if self.suite is None:
            raise InputError(f"{self.given}: no worker answered")
        return Isolated(suite=self.suite, entries=tuple(self.entries), description=self.description)

    def start(self) -> None:
        """Start a worker."""
        # Fresh processes: whatever libraries this process has loaded, an implementation's do not meet them half forked.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        taken = {worker.number for worker in self.live}
        number = next(i for i in count() if i not in taken)
        process = context.Process(target=serve, args=(theirs, self.given, self.options, number), daemon=True)
        process.start()
        theirs.close()
        self.live.append(_Worker(process=process, connection=ours, number=number))

    def serve(self, workers: int) -> None:
        """Wait for whatever comes first: an answer, a death, or the end of somebody's time."""
        soonest = min(worker.deadline for worker in self.live)
        ready = wait([worker.connection for worker in self.live], max(0.0, soonest - monotonic()))
        for worker in list(self.live):
            if worker.connection in ready:
                self.heard(worker, workers)
            elif monotonic() >= worker.deadline and not worker.connection.poll():
                # Its answer may have come while this process waited for another worker to end. One that is dead has a
                # child that keeps the connection open.
                if worker.process.is_alive():
                    self.timed_out(worker)
                else:
                    self.died(worker)

    def heard(self, worker: _Worker, workers: int) -> None:
        """Read what a worker has sent; an implementation can write into the connection as into any file."""
        try:
            kind, content = worker.connection.recv()
        except (EOFError, OSError):
            self.died(worker)
        except Exception:  # noqa: BLE001 - what the bytes stand for is anybody's guess
            self.crashes += 1
            self.gone(worker, "crashed", "进程发来的不是应答", "the process sent something that is no answer")
        else:
            self.answered(worker, kind, content, workers)

    def answered(self, worker: _Worker, kind: str, content: Any, workers: int) -> None:
        """Take a worker's message, and give it the next case."""
        if kind == "error":
            if not worker.ready and self.crashes + self.hangs:  # a crash can leave a device that does not open at once
                self.died(worker)
                return
            raise InputError(*content)
        if kind == "entry":
            self.entries.append(content)
            self.progress(len(self.entries), len(self.suite.selected) if self.suite else 0)
        if kind == "ready":
            worker.ready = True
            if self.suite is None:
                offered, name, product, self.description = content
                options = replace(self.options, product=self.options.product or product)
                self.suite = open_suite(options, offered, name, self.spec)
                self.todo.extend(self.suite.selected)
                for _ in range(min(workers, len(self.todo)) - 1):
                    self.start()
        self.next_case(worker)

    def next_case(self, worker: _Worker) -> None:
        """Hand out a case, or let the worker go when there is none."""
        if not self.todo or self.given_up:
            worker.case_id = None
            self.dismiss(worker)
            return
        worker.case_id = self.todo.popleft()
        worker.deadline = monotonic() + self.timeout
        try:
            worker.connection.send(worker.case_id)
        except (BrokenPipeError, OSError):  # it died between two cases
            self.died(worker)

    def died(self, worker: _Worker) -> None:
        """Fail the case of a worker that is no more."""
        worker.process.join(5)
        code = worker.process.exitcode
        zh, en = _ended(code)
        self.crashes += 1
        self.gone(worker, "crashed", f"进程{zh}", f"the process {en}")

    def timed_out(self, worker: _Worker) -> None:
        """Fail the case of a worker that takes too long, and end it."""
        if not worker.ready and self.suite is None:
            raise InputError(f"{self.given}: was not loaded within {START_SECONDS:g} seconds")
        seconds = f"{self.timeout:g}"
        self.hangs += 1
        self.gone(worker, "timed_out", f"{seconds} 秒内没有结束", f"did not end within {seconds} seconds")

    def gone(self, worker: _Worker, kind: str, zh: str, en: str) -> None:
        self.end(worker)
        if worker.case_id is not None:
            self.entries.append(lost(worker.case_id, kind, zh, en))
        elif not worker.ready and self.suite is None:
            raise InputError(f"{self.given}: while it was loaded, {en}")
        elif not self.todo:
            return
        if self.todo and not self.given_up:
            self.start()

    def dismiss(self, worker: _Worker) -> None:
        """Let a worker close its implementation and end in peace."""
        try:
            worker.connection.send(None)
            worker.process.join(END_SECONDS)
        except (BrokenPipeError, OSError):
            pass
        self.end(worker)

    def end(self, worker: _Worker) -> None:
        self.live.remove(worker)
        worker.connection.close()
        if worker.process.is_alive():
            worker.process.kill()
        worker.process.join()

    def stop(self) -> None:
        """End every worker that is left."""
        for worker in list(self.live):
            self.end(worker)


def _ended(code: int | None) -> tuple[str, str]:
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"被信号 {name} 终止", f"was ended by {name}"
    return f"以退出码 {code} 结束", f"ended with exit code {code}"


def serve(connection: Connection, given: str, options: Options, number: int) -> None:
    """Be a worker: load the implementation, then answer case ids with entries until there are none."""
    # Ctrl-C reaches the whole group; the parent decides what becomes of the run.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ[WORKER] = str(number)
    with ExitStack() as stack:
        try:
            implementation = resolve(given)
            try:
                stack.enter_context(opened(implementation))
            except InputError:
                raise
            except Exception as error:  # whatever opening raises is the implementation's
                raise InputError(f"{given}: open() raised {last_line(error)}") from error
            offered, name = tuple(implementation.operators), implementation.name
            suite = settled(open_suite(options, offered, name), implementation)
        except InputError as error:
            connection.send(("error", error.faults))
            return
        connection.send(("ready", (offered, name, suite.options.product, describe(implementation, given))))
        try:
            for case_id in _ids(connection):
                connection.send(("entry", suite.run(case_id, implementation)))
        except InputError as error:  # golden data is read as it is needed; what is wrong with it is nobody's crash
            connection.send(("error", error.faults))


def _ids(connection: Connection) -> Iterator[str]:
    while True:
        try:
            case_id = connection.recv()
        except EOFError:
            return
        if case_id is None:
            return
        yield case_id


__all__: Sequence[str] = ("CRASHES", "HANGS", "SECONDS", "Isolated", "run_isolated", "serve")

"""Backends that compute rightly and misbehave towards the process they run in; commands load this file.

All but a few stumble in calls of one shape alone, so that the rest of a run shows what their misdeed spoils.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from backends import LONELY, Hangs, MeanBySelf, Opens, Right

from aclnn_spec import PhaseOne


class Stumbles(Right):
    """Does something of its own in phase 1 or phase 2 of the calls of one shape."""

    def get_workspace_size(self, operator: str, arguments: Mapping[str, Any]) -> PhaseOne:
        found = super().get_workspace_size(operator, arguments)
        if found.status == 0 and arguments["gradInput"].shape == LONELY:
            return self.first(found)
        return found

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        arguments: Any = phase_one.executor
        lonely = arguments["gradInput"].shape == LONELY
        if lonely:
            self.before(arguments)
        status = super().execute(operator, phase_one)
        return self.second(status) if lonely else status

    def first(self, found: PhaseOne) -> Any:
        """What phase 1 answers."""
        return found

    def before(self, arguments: Mapping[str, Any]) -> None:
        """What phase 2 does first."""

    def second(self, status: int) -> Any:
        """What phase 2 answers."""
        return status


class RaisesInPhaseOne(Stumbles):
    """Raises where it should check."""

    def first(self, found: PhaseOne) -> Any:
        raise RuntimeError(f"no tiling for {found.status}")


class RaisesInPhaseTwo(Stumbles):
    """Raises where it should compute."""

    def before(self, arguments: Mapping[str, Any]) -> None:
        raise RuntimeError(f"no kernel for {len(arguments)} arguments")


class RaisesAtLength(Stumbles):
    """Raises an exception with megabytes to say, half a character among them."""

    def before(self, arguments: Mapping[str, Any]) -> None:
        raise RuntimeError(f"{len(arguments)}\ud800" + "x" * 2**22)


class _MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no message for the message")


class RaisesTheUnspeakable(Stumbles):
    """Raises an exception whose text raises."""

    def before(self, arguments: Mapping[str, Any]) -> None:
        raise _MuteError(len(arguments))


class _QuietExit(BaseException):  # as the frameworks name theirs
    pass


class RaisesBeneath(Stumbles):
    """Raises what `except Exception` lets through."""

    def before(self, arguments: Mapping[str, Any]) -> None:
        raise _QuietExit(len(arguments))


class Interrupts(Stumbles):
    """Raises what Ctrl-C does."""

    def before(self, arguments: Mapping[str, Any]) -> None:
        raise KeyboardInterrupt(len(arguments))


class Skips(Stumbles):
    """Tells pytest to skip what it cannot do."""

    def before(self, arguments: Mapping[str, Any]) -> None:
        pytest.skip(f"no kernel for {len(arguments)} arguments")


class ExpectsToFail(Stumbles):
    """Tells pytest that what it cannot do is expected to fail."""

    def before(self, arguments: Mapping[str, Any]) -> None:
        pytest.xfail(f"no kernel for {len(arguments)} arguments")


class _Odd:
    def __index__(self) -> int:
        raise ValueError("not a number today")

    def __repr__(self) -> str:
        raise ValueError("nor a text")


class OddStatus(Stumbles):
    """Answers with what cannot even be looked at."""

    def second(self, status: int) -> Any:
        return _Odd() if status == 0 else status


class FloatStatus(Stumbles):
    """Reports success as 0.0."""

    def second(self, status: int) -> Any:
        return float(status)


class NothingAtAll(Stumbles):
    """Answers phase 1 with nothing."""

    def first(self, found: PhaseOne) -> Any:  # noqa: ARG002
        return None


class Exits(Stumbles):
    """Leaves by the front door, with the code of success."""

    def before(self, arguments: Mapping[str, Any]) -> None:  # noqa: ARG002
        sys.exit(0)


class Vanishes(Stumbles):
    """Leaves the process at once, with the code of success."""

    def before(self, arguments: Mapping[str, Any]) -> None:  # noqa: ARG002
        os._exit(0)


class Forks(Stumbles):
    """Goes on in two processes."""

    def before(self, arguments: Mapping[str, Any]) -> None:  # noqa: ARG002
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.fork()


class ClosesEverything(Stumbles):
    """Closes every file there is but the three standard ones."""

    def before(self, arguments: Mapping[str, Any]) -> None:  # noqa: ARG002
        os.closerange(3, 256)


class WritesIntoEverything(Stumbles):
    """Writes into whatever file is open."""

    def before(self, arguments: Mapping[str, Any]) -> None:  # noqa: ARG002
        for number in range(3, 64):
            try:
                os.write(number, b"\x00\x00\x00\x08garbage!")
            except OSError:
                continue


class Prints(Right):
    """Prints a megabyte in every call, in both streams."""

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        sys.stdout.write("loud" * 2**18)
        sys.stderr.write("\ud800" + "louder" * 2**16)
        os.write(1, b"\xff\xfe not UTF-8\n")
        return super().execute(operator, phase_one)


class LosesStreams(Right):
    """Replaces both streams by nothing."""

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        sys.stdout = sys.stderr = None
        return super().execute(operator, phase_one)


class Moves(Right):
    """Changes the working directory."""

    def open(self) -> None:
        """Leave at once."""
        os.chdir("/")

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        os.chdir("/")
        return super().execute(operator, phase_one)


class Tightens(Right):
    """Makes NumPy raise wherever it would warn, and Python wherever it would."""

    def get_workspace_size(self, operator: str, arguments: Mapping[str, Any]) -> PhaseOne:
        self.tighten()
        return super().get_workspace_size(operator, arguments)

    def open(self) -> None:
        """Tighten once more, where no call's own settings are put back."""
        self.tighten()

    def tighten(self) -> None:
        """Do it."""
        np.seterr(all="raise")
        warnings.simplefilter("error")


class _Endless(threading.Thread):
    def run(self) -> None:
        while True:
            time.sleep(1)


class Threads(Right):
    """Leaves a thread behind in every call, and one that keeps the process from ending."""

    def open(self) -> None:
        """Start the one that stays."""
        _Endless().start()

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        _Endless(daemon=True).start()
        return super().execute(operator, phase_one)


class FinishesLater(Stumbles):
    """Answers before the work is done, which a thread finishes."""

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        arguments: Any = phase_one.executor
        if arguments["gradInput"].shape != LONELY:
            return super().execute(operator, phase_one)
        threading.Timer(0.5, super().execute, (operator, phase_one)).start()
        return 0


class CannotClose(Right):
    """Raises when it is closed."""

    def close(self) -> None:
        """Fail."""
        raise RuntimeError("device is busy")


class HangsOnClose(Right):
    """Does not come back from being closed."""

    def close(self) -> None:
        """Wait."""
        time.sleep(600)


class NotesAndHangs(Opens, Hangs):
    """Says in which process it hangs."""


class WrongPrints(Prints, MeanBySelf):
    """Prints, and divides by the wrong number."""


class WrongLosesStreams(LosesStreams, MeanBySelf):
    """Replaces both streams, and divides by the wrong number."""


class WrongMoves(Moves, MeanBySelf):
    """Changes the working directory, and divides by the wrong number."""


class WrongTightens(Tightens, MeanBySelf):
    """Makes warnings errors, and divides by the wrong number."""


class WrongThreads(Threads, MeanBySelf):
    """Leaves threads behind, and divides by the wrong number."""

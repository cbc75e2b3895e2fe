"""Put an implementation before all judges at once: it runs once for them, and until each has condemned it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from aclnn_spec.certification.conclude import broken_rules
from aclnn_spec.certification.entry import Entry
from aclnn_spec.certification.implementation import Implementation
from aclnn_spec.certification.judge import Judge as Certifier
from aclnn_spec.certification.memory import fresh
from aclnn_spec.certification.runner import run_case
from aclnn_spec.golden.case import Case
from aclnn_spec.golden.tensor import Array, Tensor
from aclnn_spec.spec.operator import Operator

from .judges import FULL, JUDGES, STRICT
from .result import Result

SETS = ("core", "core-open", "random")
"""The core tier with one expected array for each case; the same with all that the spec accepts; random cases."""

FIRST = ("status", "lifecycle", "open", "empty", "layout")
"""The groups that most often condemn what no judge of values does; they are run first to save time."""

LARGE = 2**20
"""Cases with more elements are run last, so that only those see them whom nothing else condemns."""

SECONDS = 5
"""So long may a case take."""

Condemned = tuple[str, str]
"""A judge and a set of cases."""

REFUSED = "refused"
IGNORED = "ignored"


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The cases of the core tier and the random ones, and what they are of."""

    operator: Operator
    core: Sequence[Case]
    random: Sequence[Case]

    def condemned(
        self, make: Callable[[], Any], product: str | None = None, *, phase_one: bool = False
    ) -> set[Condemned]:
        """Give all that condemn an implementation; it is made anew for each set, as it may remember.

        `phase_one`: its phase 2 is known to write what is expected, and is not run for the judges of values.
        """
        found: set[Condemned] = set()
        for cases, sets in ((self.core, SETS[:2]), (self.random, SETS[2:])):
            by_values = self._by_values(cases, sets, make(), product, phase_one=phase_one)
            # Who is condemned by the values alone is condemned; the rest of the suite need not be run.
            if (STRICT.id, sets[-1]) in by_values or self._in_full(cases, make(), product):
                by_values |= {(FULL.id, sets[-1])}
            found |= by_values
        return found

    def _by_values(
        self, cases: Sequence[Case], sets: Sequence[str], made: Implementation, product: str | None, *, phase_one: bool
    ) -> set[Condemned]:
        found: set[Condemned] = set()
        for case in sorted(cases, key=_size):
            if case.expected is None or len(found) == len(JUDGES) * len(sets):
                continue
            got = self._answer(case, made, product, phase_one=phase_one)
            if isinstance(got, str):
                found |= {(judge.id, each) for judge in JUDGES for each in sets if got == REFUSED}
                continue
            alternatives = [each.values.array for each in case.alternatives]
            for each in sets:
                references = [case.expected.array, *(alternatives if each != "core" else ())]
                result = Result(
                    got=got, references=references, dtype=str(case.expected.dtype), tolerance=case.tolerance
                )
                if not result.equal:
                    found |= {
                        (judge.id, each)
                        for judge in JUDGES
                        if (judge.id, each) not in found and not judge.accepts(result)
                    }
        return found

    def _answer(self, case: Case, made: Implementation, product: str | None, *, phase_one: bool) -> Array | str:
        """Make the call once and give what it wrote; REFUSED or IGNORED where there is nothing to look at.

        A call that may be refused tells nothing of values when it is.
        """
        may = len(Certifier(case=case, operator=self.operator, product=product, policy="strict").codes) > 1
        arguments = case.arguments if phase_one else fresh(case, self.operator).arguments
        try:
            with np.errstate(all="ignore"), limited():
                first = made.get_workspace_size(self.operator.name, dict(arguments))
                if phase_one and not first.status:
                    return IGNORED
                refused = bool(first.status) or bool(made.execute(self.operator.name, first))
        except (Exception, SystemExit):  # noqa: BLE001 - whatever it is, there is no result
            return REFUSED
        if refused:
            return IGNORED if may else REFUSED
        result: Array = arguments[self.operator.output.name].array
        return result

    def _in_full(self, cases: Sequence[Case], made: Implementation, product: str | None) -> bool:
        """Whether the suite condemns it; entries are made until one fails."""
        entries: list[Entry] = []
        for entry in self._entries(cases, made, product):
            if entry.verdict == "fail":
                return True
            entries.append(entry)
        return bool(broken_rules({self.operator.name: self.operator}, entries))

    def _entries(self, cases: Sequence[Case], made: Implementation, product: str | None) -> Iterator[Entry]:
        known = {case.id: case for case in cases}
        for case in sorted(cases, key=lambda case: (_size(case), case.group not in FIRST)):
            with limited():
                yield run_case(
                    case, made, operator=self.operator, product=product, partner=known.get(case.partner or "")
                )


class HangError(Exception):
    """A call that takes too long."""


@contextmanager
def limited() -> Iterator[None]:
    """Raise HangError in what takes too long; in the main thread of a process alone."""

    def ring(*_: Any) -> None:
        raise HangError(f"longer than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _size(case: Case) -> bool:
    """Whether a case is one of the very large."""
    output = case.arguments.get("gradInput")
    return isinstance(output, Tensor) and output.size > LARGE

"""Run mutants over cases: only where one does anything else than the right kernel is there something to judge."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.certification.conclude import broken_rules
from aclnn_spec.certification.entry import Entry
from aclnn_spec.certification.implementation import Implementation, PhaseOne
from aclnn_spec.certification.memory import Memory, fresh
from aclnn_spec.certification.runner import run_case
from aclnn_spec.golden.case import Case
from aclnn_spec.spec.operator import Operator

from .kernel import Kernel, Running
from .mutant import Mutant

LARGE = 2**20
"""Cases of more elements are run only for mutants that no other case condemns."""

MANY = 25
"""Failed cases of a group after which no more of it are run, unless the mutant remembers."""

SECONDS = 10
"""As long as this a case may take."""


class HangError(Exception):
    """A case that takes too long."""


@dataclass(kw_only=True)
class _Known:
    """What the right kernel does in a case, to hold a mutant's doings against."""

    case: Case
    operator: Operator
    right: Implementation
    entry: Entry
    memory: Memory = field(init=False)
    said: Any = field(init=False)
    before: Mapping[str, NDArray[np.uint8]] = field(init=False)
    behind: Mapping[str, bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.memory = fresh(self.case, self.operator)
        self.before = {name: buffer.copy() for name, buffer in self.memory.buffers.items()}
        self.said = self._call(self.right)
        self.behind = {name: buffer.tobytes() for name, buffer in self.memory.buffers.items()}
        self._restore()

    def matches(self, implementation: Implementation, *, early: bool) -> bool:
        """Whether an implementation answers and writes the same, byte for byte; after phase 1 if `early` says so."""
        if early:
            try:
                first = implementation.get_workspace_size(self.operator.name, dict(self.memory.arguments))
            except Exception:  # noqa: BLE001 - likewise
                return False
            return bool(first.status == self.said[0][1])
        said = self._call(implementation)
        same = said == self.said and all(
            self.memory.buffers[name].tobytes() == expected for name, expected in self.behind.items()
        )
        self._restore()
        return same

    def _restore(self) -> None:
        for name, original in self.before.items():
            self.memory.buffers[name][...] = original

    def _call(self, implementation: Implementation) -> Any:
        """The answers of both phases, with their types; None if one raised."""
        name, buffers = self.operator.name, self.memory.buffers
        try:
            with np.errstate(all="ignore"):
                first = implementation.get_workspace_size(name, dict(self.memory.arguments))
                if type(first) is not PhaseOne:
                    return None
                said = [first.status, first.workspace_size]
                # What phase 1 writes is a fault of its own, whatever phase 2 makes of it.
                output = self.operator.output.name
                said.append(output not in buffers or np.array_equal(buffers[output], self.before[output]))
                if first.status == 0:
                    said.append(implementation.execute(name, first))
        except Exception:  # noqa: BLE001 - the judge says what it is
            return None
        return [(type(each), each) for each in said]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a mutant: the entries that differ from the right kernel's, and whether it is condemned."""

    mutant: Mutant
    condemned: bool
    failed: tuple[str, ...]
    odd: Mapping[str, Entry]
    """The entries of cases that failed, or showed another behaviour than the right kernel, by id."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the cases that condemn it: those that fail, or the odd ones if a rule on the whole run does."""
        names = self.failed or tuple(self.odd) if self.condemned else ()
        return tuple(dict.fromkeys(name.split("/")[1] for name in names))


class Bench:
    """The cases of one operator, run once by the right kernel."""

    def __init__(self, operator: Operator, cases: Iterable[Case]) -> None:
        self.operator = operator
        self.cases = {case.id: case for case in cases if case.operator == operator.name}
        self.right = Running(name="right", operator=operator, kernel=Kernel())
        self._known: dict[str, _Known] = {}
        self.entries = {case_id: self.judged(case_id, self.right, once=True) for case_id in self.cases}
        wrong = [entry.id for entry in self.entries.values() if entry.verdict != "pass"]
        if wrong:
            raise AssertionError(f"the right kernel fails {wrong}")

    def large(self, case_id: str) -> bool:
        """Whether a case has very many elements."""
        output = self.cases[case_id].arguments[self.operator.output.name]
        return output is not None and output.size > LARGE

    def judged(self, case_id: str, implementation: Implementation, *, once: bool) -> Entry:
        """Run a case by the certification's judge; `once`: one call where the case repeats it on fresh memory."""
        case = self.cases[case_id]
        if once and case.order == "twice":
            case = replace(case, order="once")
        partner = self.cases[case.partner] if case.partner else None
        with _limited():
            return run_case(case, implementation, operator=self.operator, partner=partner)

    def known(self, case_id: str) -> _Known:
        """What the right kernel does in a case."""
        if case_id not in self._known:
            self._known[case_id] = _Known(
                case=self.cases[case_id], operator=self.operator, right=self.right, entry=self.entries[case_id]
            )
        return self._known[case_id]

    def entry(self, case_id: str, mutant: Mutant, implementation: Implementation) -> Entry:
        """The entry of a mutant's case; the right kernel's where they do the same."""
        if not mutant.remembers and not self.large(case_id):
            partner = self.cases[case_id].partner
            if all(self.known(each).matches(implementation, early=mutant.early) for each in (case_id, partner) if each):
                return self.entries[case_id]
        return self.judged(case_id, implementation, once=not mutant.remembers)

    def run(self, mutant: Mutant, chosen: Sequence[str] | None = None) -> Outcome:
        """Run a mutant over the chosen cases, or over all: over the very large ones if no other condemns it."""
        implementation = mutant.make()
        ids = [i for i in chosen or self.cases if not mutant.late or self.cases[i].outcome.kind != "error"]
        entries = dict(self.entries) if chosen is None else {i: self.entries[i] for i in chosen}
        for some in ([i for i in ids if not self.large(i)], [i for i in ids if self.large(i)]):
            entries |= self._entries(some, mutant, implementation)
            if mutant.equivalent or self.condemned(entries.values()):
                break
        odd = {i: e for i, e in entries.items() if e.faults or e.observed != self.entries[i].observed}
        failed = tuple(case_id for case_id, entry in odd.items() if entry.faults)
        return Outcome(mutant=mutant, condemned=self.condemned(entries.values()), failed=failed, odd=odd)

    def _entries(self, ids: Iterable[str], mutant: Mutant, implementation: Implementation) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        failed: Counter[str] = Counter()
        for case_id in ids:
            group = self.cases[case_id].group
            if failed[group] < MANY or mutant.remembers:
                found[case_id] = self.entry(case_id, mutant, implementation)
                failed[group] += bool(found[case_id].faults)
        return found

    def condemned(self, entries: Iterable[Entry]) -> bool:
        """Whether a certificate of these entries would say that the implementation is not conformant."""
        listed = list(entries)
        if any(entry.faults for entry in listed):
            return True
        return bool(broken_rules({self.operator.name: self.operator}, listed))


@contextmanager
def _limited() -> Iterator[None]:
    """Raise HangError in what takes too long."""

    def ring(*_: Any) -> None:
        raise HangError(f"longer than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

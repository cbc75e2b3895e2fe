"""Cases bound to an implementation, for test files of the implementer's own."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from aclnn_spec.api import made, told
from aclnn_spec.certification.conclude import broken_rules
from aclnn_spec.certification.entry import Entry
from aclnn_spec.certification.implementation import Implementation, scope_of
from aclnn_spec.certification.runner import in_scope
from aclnn_spec.certification.session import Options, Suite, open_suite, opened, settled


@dataclass(kw_only=True)
class _Run:
    """What the cases of one implementation share."""

    suite: Suite
    implementation: Implementation
    given: str
    entries: list[Entry] = field(default_factory=list)
    stack: ExitStack = field(default_factory=ExitStack)
    open: bool = False

    def entry(self, case_id: str) -> Entry:
        if not self.open:
            self.stack.enter_context(opened(self.implementation))
            atexit.register(self.stack.close)
            self.suite = settled(self.suite, self.implementation)
            self.open = True
        return self.suite.run(case_id, self.implementation)


@dataclass(frozen=True, kw_only=True)
class BoundCase:
    """One case to be checked on one implementation."""

    id: str
    _run: _Run

    def check(self) -> None:
        """Run the case; AssertionError says what is wrong, by itself or together with the cases checked before."""
        __tracebackhide__ = True  # pytest then shows the line of the test, not this module
        entry = self._run.entry(self.id)
        if entry.verdict == "fail":
            raise AssertionError(told(self._run.suite, entry, self._run.given))
        operators = self._run.suite.spec.operators
        if any(operators[entry.operator].clause(clause).uniform for clause in entry.observed):
            before = {note.en for note in broken_rules(operators, self._run.entries)}
            notes = [note.en for note in broken_rules(operators, [*self._run.entries, entry]) if note.en not in before]
            if notes:
                raise AssertionError("\n".join(notes))
        self._run.entries.append(entry)

    def __repr__(self) -> str:
        return self.id


def bound_cases(
    implementation: Implementation | str, *, tier: str, operators: Sequence[str], product: str | None
) -> list[BoundCase]:
    """The cases that judge an implementation, in order; those outside its scope are left out."""
    one, given = made(implementation)
    options = Options(tier=tier, operators=tuple(operators), product=product)
    suite = open_suite(options, tuple(one.operators), one.name)
    run = _Run(suite=suite, implementation=one, given=given)
    scope = scope_of(one)
    ids = suite.ids if scope == "full" else [i for i in suite.ids if in_scope(suite.golden.case(i), scope)]
    return [BoundCase(id=case_id, _run=run) for case_id in ids]

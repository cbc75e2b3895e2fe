"""Run one case on an implementation, in the case's order, and give the entry for the certificate."""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aclnn_spec.certification.entry import Entry, explain
from aclnn_spec.certification.fault import Fault, FaultError, fault
from aclnn_spec.certification.implementation import Implementation, PhaseOne, ResultError, last_line, scope_of
from aclnn_spec.certification.judge import Answer, Judge, Judgement
from aclnn_spec.certification.memory import Memory, fresh
from aclnn_spec.golden.case import Case
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator

_STATUSES = range(-(2**31), 2**31)
"""aclnnStatus is an int32."""

__all__ = ["Entry", "explain", "in_scope", "run_case"]


def in_scope(case: Case, scope: str) -> bool:
    """Whether a scope judges the case: `numerics` only the values of calls that must succeed, one at a time."""
    return scope == "full" or (case.outcome.kind == "value" and case.partner is None)


def run_case(
    case: Case,
    implementation: Implementation,
    *,
    operator: Operator,
    product: str | None = None,
    policy: str = "strict",
    partner: Case | None = None,
) -> Entry:
    """Run a case, in its order, and judge every call; what the implementation raises becomes a fault.

    `partner` is the case that `case.partner` names, with which the lifecycle orders interleave this one.
    """
    if not in_scope(case, scope_of(implementation)):
        return Entry(id=case.id, verdict="skipped")
    if (case.partner is not None) != (partner is not None):
        raise InputError(f"{case.id}: found partner {partner and partner.id}, expected {case.partner}")
    run = _Run(implementation=implementation, operator=operator)
    judge = Judge(case=case, operator=operator, product=product, policy=policy)
    ended = run.together(judge, replace(judge, case=partner)) if partner else run.alone(judge)
    own = [each for each in ended if each.judge is judge]
    faults = [each for one in own for each in one.judgement.faults]
    faults += [_of(each, one.judge.case) for one in ended if one.judge is not judge for each in one.judgement.faults]
    faults += _repetition(own)
    observed: dict[str, tuple[str, ...]] = {}
    for one in own:
        for clause, labels in one.judgement.observed.items():
            observed[clause] = tuple(dict.fromkeys((*observed.get(clause, ()), *labels)))
    errors = [one.judgement.ulp for one in own if one.judgement.ulp is not None]
    return Entry(
        id=case.id,
        verdict="fail" if faults else "pass",
        statuses=tuple(one.answer.statuses for one in own),
        ulp=max(errors, default=None),
        faults=tuple(dict.fromkeys(faults)),
        observed=observed,
    )


@dataclass(frozen=True, kw_only=True)
class _Started:
    """A call whose phase 1 has answered; `early` says what was written to its output before its phase 2."""

    judge: Judge
    memory: Memory
    answer: Answer
    phase_one: PhaseOne | None
    early: tuple[Fault, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Ended:
    """A call that is over.

    `result` holds the bytes of its output's storage, if it succeeded and they are asked for, and `differs` the first
    element that is not that of an earlier result. Nothing holds the memory: two calls on large tensors take no more.
    """

    judge: Judge
    answer: Answer
    judgement: Judgement
    result: Any = None
    differs: int | None = None


@dataclass(frozen=True, kw_only=True)
class _Run:
    """An implementation at work on one operator."""

    implementation: Implementation
    operator: Operator

    def alone(self, judge: Judge) -> list[_Ended]:
        """Make the case's one call, or its two."""
        order = judge.case.order
        memory = fresh(judge.case, self.operator)
        first = self.finish(self.start(judge, memory), keep=order != "once")
        if order == "once" or first.judgement.faults:
            return [first]
        if order == "again":  # the output holds the first result
            started = replace(self.start(judge, memory), early=())
        else:
            del memory
            started = self.start(judge, fresh(judge.case, self.operator))
        return [first, self.finish(started, earlier=first.result)]

    def together(self, judge: Judge, partner: Judge) -> list[_Ended]:
        """Interleave the calls of a case and its partner in the case's order."""
        if judge.case.order == "after":
            before = self.finish(self.start(partner, fresh(partner.case, self.operator)))
            return [before, self.finish(self.start(judge, fresh(judge.case, self.operator)))]
        started = [self.start(each, fresh(each.case, self.operator)) for each in (judge, partner)]
        if judge.case.order == "nested":
            started.reverse()
        # A call is judged when both are over: the second phase 2 must leave the first one's memory alone.
        answered = [self.second_phase(started[0])]
        started[1] = self.watched(started[1], "另一个执行器的第二段", "phase 2 of the other executor")
        answered.append(self.second_phase(started[1]))
        return [self.judged(each, answer) for each, answer in zip(started, answered, strict=True)]

    def watched(self, started: _Started, zh: str, en: str) -> _Started:
        """The call, with a fault if its output is written before its phase 2, by what the texts name."""
        if started.early or started.memory.untouched():
            return started
        name = self.operator.output.name
        return replace(started, early=(fault("stray_write", zh=f"{zh}写了 {name}", en=f"{en} wrote {name}"),))

    def start(self, judge: Judge, memory: Memory) -> _Started:
        """Run phase 1 and take its answer apart."""
        faults: list[Fault] = []
        given = dict(memory.arguments)
        found = _guarded(lambda: self.implementation.get_workspace_size(self.operator.name, given), faults, "一", "1")
        if found is None and faults:
            return _Started(judge=judge, memory=memory, answer=Answer(faults=tuple(faults)), phase_one=None)
        if not isinstance(found, PhaseOne):
            faults.append(_type_fault("第一段的结果", "the answer of phase 1", found, "PhaseOne"))
            return _Started(judge=judge, memory=memory, answer=Answer(faults=tuple(faults)), phase_one=None)
        status = _integer(found.status, faults, "第一段的状态码", "the status of phase 1")
        size = None
        if status == 0:
            size = _integer(found.workspace_size, faults, "workspace 大小", "the workspace size", None)
        answer = Answer(
            statuses=() if status is None else (status,),
            workspace_size=size,
            faults=tuple(faults),
            said=self.said(status),
        )
        started = _Started(judge=judge, memory=memory, answer=answer, phase_one=found)
        return self.watched(started, "第一段就", "phase 1")

    def finish(self, started: _Started, *, keep: bool = False, earlier: Any = None) -> _Ended:
        """Run phase 2 and judge the call."""
        return self.judged(started, self.second_phase(started), keep=keep, earlier=earlier)

    def second_phase(self, started: _Started) -> Answer:
        """Run phase 2 where phase 1 succeeded; a call that had to be refused goes no further."""
        answer, phase_one = started.answer, started.phase_one
        if phase_one is None or answer.faults or answer.statuses != (0,):
            return answer
        if started.judge.case.outcome.kind == "error":
            return answer
        faults: list[Fault] = []
        found = _guarded(lambda: self.implementation.execute(self.operator.name, phase_one), faults, "二", "2")
        status = None
        if found is not None or not faults:
            status = _integer(found, faults, "第二段的状态码", "the status of phase 2")
        statuses = answer.statuses if status is None else (*answer.statuses, status)
        return replace(answer, statuses=statuses, faults=tuple(faults), said=self.said(status))

    def said(self, status: int | None) -> str:
        """What the implementation says of a status that is not 0."""
        tell = getattr(self.implementation, "recent_error", None)
        if not status or not callable(tell):
            return ""
        try:
            return str(tell())
        except Exception as error:  # noqa: BLE001 - a courtesy that must not end the run
            return last_line(error)

    def judged(self, started: _Started, answer: Answer, *, keep: bool = False, earlier: Any = None) -> _Ended:
        """Judge a call that is over, keeping its result's bytes if asked to, or holding them against earlier ones."""
        judgement = started.judge.judge(answer, started.memory)
        judgement = replace(judgement, faults=(*started.early, *judgement.faults))
        return _Ended(
            judge=started.judge,
            answer=answer,
            judgement=judgement,
            result=started.memory.result_bytes() if keep and answer.succeeded else None,
            differs=started.memory.differs(earlier) if earlier is not None and answer.succeeded else None,
        )


def _repetition(calls: list[_Ended]) -> list[Fault]:
    """What differs between the two calls of a case."""
    if len(calls) < 2:  # noqa: PLR2004 - a case repeats its call once
        return []
    first, second = calls
    if second.answer.faults:
        return []
    if first.answer.statuses != second.answer.statuses:
        shown = [" / ".join(first.judge.status_text(status) for status in each.answer.statuses) for each in calls]
        return [
            fault(
                "inconsistent",
                zh=f"同样的调用第一次返回 {shown[0]}，第二次返回 {shown[1]}",
                en=f"the same call answered {shown[0]}, then {shown[1]}",
            )
        ]
    place = second.differs
    if place is None:
        return []
    return [
        fault(
            "not_repeatable",
            zh=f"同样的调用两次结果逐位不同，首个不同处是输出存储的第 {place} 个元素",
            en=f"the same call gave other bits the second time, first at element {place} of the output's storage",
        )
    ]


def _guarded(call: Callable[[], Any], faults: list[Fault], zh: str, en: str) -> Any:
    """Make a call of the implementation's; an exception becomes a fault. Floating-point warnings are none."""
    try:
        with np.errstate(all="ignore"):
            return call()
    except FaultError as error:
        faults.append(error.fault)
        return error.answer
    except ResultError as error:
        faults.append(fault("wrong_type", zh=f"第{zh}段：{error}", en=f"phase {en}: {error}"))
    except KeyboardInterrupt:  # the user's
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the implementation's fault
        line = last_line(error)
        faults.append(fault("raised", zh=f"第{zh}段抛出异常 {line}", en=f"phase {en} raised {line}"))
    return None


def _integer(value: Any, faults: list[Fault], zh: str, en: str, within: range | None = _STATUSES) -> int | None:
    """A status or size as an int; NumPy's integers are fine, bool and float are not."""
    number = None
    if not isinstance(value, bool | np.bool):
        with suppress(Exception):  # TypeError of what is no integer, anything of what only looks like one
            number = python.index(value)
    if number is not None and (within is None or number in within):
        return number
    faults.append(_type_fault(zh, en, value, "int32" if within else "int"))
    return None


def _type_fault(zh: str, en: str, value: Any, expected: str) -> Fault:
    try:
        text = repr(value)[:80]
    except Exception as error:  # noqa: BLE001 - a broken repr must not end the run
        text = f"(repr: {type(error).__name__})"
    found = f"{type(value).__name__} {text}"
    return fault("wrong_type", zh=f"{zh}为 {found}，应为 {expected}", en=f"{en} is {found}, expected {expected}")


def _of(each: Fault, case: Case) -> Fault:
    """A fault of the partner's call, with the partner's id."""
    message = Text(zh=f"同伴用例 {case.id}：{each.message.zh}", en=f"partner {case.id}: {each.message.en}")
    return replace(each, message=message)

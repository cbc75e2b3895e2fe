"""Judge one finished call against its case: statuses, values, and every byte that was not to change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from aclnn_spec.certification.compare import Comparison, compare, compare_community
from aclnn_spec.certification.fault import Fault, fault
from aclnn_spec.certification.memory import Memory
from aclnn_spec.golden.case import SUCCESS, Case
from aclnn_spec.golden.tensor import CANARY, Tensor
from aclnn_spec.spec.model import Clause, Policy
from aclnn_spec.spec.operator import Operator

ANY_ERROR = "any_error"
VALUE = "value"

WORKSPACE_LIMIT = 2**30
"""A workspace may hold this many bytes, and `_WORKSPACE_FACTOR` bytes more for every byte of the tensors."""

_WORKSPACE_FACTOR = 64


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back from a call: the statuses of phase 1 and, where it ran, of phase 2; and what went wrong."""

    statuses: tuple[int, ...] = ()
    workspace_size: int | None = None
    faults: tuple[Fault, ...] = ()
    said: str = ""
    """What the implementation says of the status that is not 0."""

    @property
    def succeeded(self) -> bool:
        """Whether both phases ran and reported success."""
        return not self.faults and self.statuses == (0, 0)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The faults of a call, its largest error among right elements in ULP, and what it showed: clause → labels."""

    faults: tuple[Fault, ...]
    ulp: float | None = None
    observed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Judge:
    """A case, and what it is judged by."""

    case: Case
    operator: Operator
    product: str | None
    policy: str

    @cached_property
    def open_here(self) -> tuple[Clause, ...]:
        """The unspecified clauses that this product leaves open for the call, and others do not."""
        return tuple(
            clause for clause in self.operator.open_clauses(self.case.arguments, self.product) if clause.products
        )

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The names of the accepted status codes, `any_error` among them; the product's freedom included."""
        outcome = self.case.outcome
        more = [SUCCESS if label == VALUE else label for clause in self.open_here for label in clause.accepts]
        if outcome.kind == "error":
            more = [name for name in more if name != SUCCESS]
        return tuple(dict.fromkeys((*outcome.codes, *more)))

    def accepts(self, status: int) -> bool:
        """Whether the call may end with this status."""
        if status and ANY_ERROR in self.codes:
            return True
        known = self.operator.tables.status_codes
        return any(known[name] == status for name in self.codes if name in known)

    def status_faults(self, answer: Answer) -> Iterator[Fault]:
        """What is wrong with the statuses of a call whose phases both answered as far as they ran."""
        statuses = answer.statuses
        said_zh, said_en = (f"；实现的说明：{answer.said}", f"; it says: {answer.said}") if answer.said else ("", "")
        late = len(statuses) > 1 and statuses[1] != 0
        if not self.accepts(statuses[-1]):
            phase, found = len(statuses), self.status_text(statuses[-1])
            expected = " or ".join(self._code_text(name) for name in self.codes)
            yield fault(
                "status",
                zh=f"第{'一二'[phase - 1]}段返回 {found}，应为 {expected.replace(' or ', ' 或 ')}{said_zh}",
                en=f"phase {phase} answered {found}, expected {expected}{said_en}",
            )
        elif late and self.case.outcome.kind == "error":
            yield fault(
                "status",
                zh=f"第二段才返回 {self.status_text(statuses[-1])}，应在第一段就拒绝{said_zh}",
                en=f"phase 2 answered {self.status_text(statuses[-1])}, which phase 1 should have{said_en}",
            )

    def judge(self, answer: Answer, memory: Memory) -> Judgement:
        """Judge a call that has ended."""
        faults = list(answer.faults)
        if answer.statuses:
            faults += self.status_faults(answer)
        if answer.workspace_size is not None:
            faults += self._workspace_faults(answer.workspace_size)
        faults += memory.faults()
        if not answer.succeeded or any(each.kind == "status" for each in faults):
            seen = self._refusal(answer) if not faults else {}
            return Judgement(faults=tuple(faults), observed=seen)
        result = memory.arguments[self.operator.output.name]
        comparison = self._compare(result)
        if comparison is None:
            return Judgement(faults=tuple(faults))
        if comparison.wrong:
            faults.append(self._value_fault(result, comparison))
            return Judgement(faults=tuple(faults))
        ulp = comparison.distance if math.isfinite(comparison.distance) else None
        return Judgement(faults=tuple(faults), ulp=ulp, observed=self._shown(comparison))

    def status_text(self, status: int) -> str:
        """A status as its name and number."""
        return str(self.operator.tables.status(status) or status)

    def _code_text(self, name: str) -> str:
        known = self.operator.tables.status_codes
        return str(known[name]) if name in known else "any error code"

    def _workspace_faults(self, size: int) -> Iterator[Fault]:
        tensors = [value for value in self.case.arguments.values() if isinstance(value, Tensor)]
        limit = WORKSPACE_LIMIT + _WORKSPACE_FACTOR * sum(tensor.storage.nbytes for tensor in tensors)
        inputs = [self.case.arguments.get(parameter.name) for parameter in self.operator.inputs]
        if any(isinstance(each, Tensor) and each.size == 0 for each in inputs) and size:
            yield fault(
                "workspace",
                zh=f"空张量的 workspace 大小为 {size}，应为 0",
                en=f"the workspace of an empty call is {size} bytes, expected 0",
            )
        elif not 0 <= size <= limit:
            yield fault(
                "workspace",
                zh=f"workspace 大小为 {size} 字节，应在 0 到 {limit} 之间",
                en=f"the workspace is {size} bytes, expected 0 to {limit}",
            )

    def _compare(self, result: Tensor) -> Comparison | None:
        case = self.case
        if case.expected is None:
            return None
        arrays = (result.array, case.expected.array, [each.values.array for each in case.alternatives])
        dtype, tolerance = str(result.dtype), case.tolerance
        policy = self._policy
        if dtype in policy.dtypes:
            # What was computed in a coarser type than it is stored in is judged by that.
            types = [dtype, tolerance.common] if tolerance else [dtype]
            figures = max(
                (policy.dtypes[each] for each in types if each in policy.dtypes), key=lambda each: each["rtol"]
            )
            return compare_community(
                *arrays,
                dtype=dtype,
                rtol=figures["rtol"],
                atol=figures["atol"],
                limit=figures["limit"],
                share=policy.share,
                max_ulp=policy.max_ulp,
            )
        if tolerance is None:
            return compare(*arrays, dtype=dtype, common=dtype, ulp=0)
        return compare(*arrays, dtype=tolerance.dtype, common=tolerance.common, ulp=tolerance.ulp)

    @property
    def _policy(self) -> Policy:
        return self.operator.tables.policies[self.policy]

    def _refusal(self, answer: Answer) -> dict[str, tuple[str, ...]]:
        """The code of a refusal, under the clause that leaves it open.

        Of several nobody can tell which one it was for, and a call that must be refused tells of none.
        """
        if self.case.outcome.kind == "error":
            return {}
        code = self.operator.tables.status(answer.statuses[-1])
        name = code.name if code is not None else str(answer.statuses[-1])
        able = [clause.id for clause in self._touched() if name in clause.accepts or ANY_ERROR in clause.accepts]
        return {able[0]: (name,)} if len(able) == 1 else {}

    def _shown(self, comparison: Comparison) -> dict[str, tuple[str, ...]]:
        """The labels that a right result showed, in the order of each clause's own list."""
        shown: dict[str, set[str]] = {clause.id: {VALUE} for clause in self._touched()}
        for i, alternative in enumerate(self.case.alternatives):
            clause = self.operator.clause(alternative.clause)
            if comparison.seen[i]:
                shown.setdefault(clause.id, set()).add(alternative.label)
            if comparison.base_seen[i]:
                shown.setdefault(clause.id, set()).add(clause.accepts[0])
        return {
            clause.id: tuple(label for label in clause.accepts if label in shown[clause.id])
            for clause in self.operator.clauses
            if shown.get(clause.id)
        }

    def _touched(self) -> list[Clause]:
        """The unspecified clauses that the call touches by its arguments."""
        own = [self.operator.clause(name) for name in self.case.clauses]
        touched = [clause for clause in own if clause.outcome == "unspecified" and clause.rule is not None]
        here = {clause.id for clause in self.open_here}
        return [c for c in touched if not c.products or c.id in here] + [c for c in self.open_here if c not in touched]

    def _value_fault(self, result: Tensor, comparison: Comparison) -> Fault:
        count = f"{comparison.wrong} / {result.size}"
        lines_zh = [f"{count} 个元素错误"]
        verb = "is" if comparison.wrong == 1 else "are"
        lines_en = [f"{comparison.wrong} of {result.size} elements {verb} wrong"]
        places = [("首个", "first", comparison.first)]
        if comparison.worst != comparison.first:
            places.append(("最差", "worst", comparison.worst))
        for zh, en, place in places:
            if place is not None:
                text_zh, text_en = self._place(result, place)
                lines_zh.append(f"{zh} {text_zh}")
                lines_en.append(f"{en} {text_en}")
        return fault("value", zh="\n".join(lines_zh), en="\n".join(lines_en))

    def _place(self, result: Tensor, flat: int) -> tuple[str, str]:
        index = tuple(int(i) for i in np.unravel_index(flat, result.shape))
        where = "[" + ", ".join(map(str, index)) + "]"
        inputs = []
        for parameter in self.operator.inputs:
            tensor = self.case.arguments[parameter.name]
            value = np.broadcast_to(tensor.array, result.shape)[index]
            inputs.append(f"{parameter.name}={_number(value)}")
        inputs += [
            f"{parameter.name}={self.case.arguments[parameter.name]}"
            for parameter in self.operator.parameters
            if parameter.role == "attribute"
        ]
        expected = self.case.expected.array[index]  # type: ignore[union-attr]  # there is one where values are wrong
        others = dict.fromkeys(_number(each.values.array[index]) for each in self.case.alternatives)
        others.pop(_number(expected), None)
        found = result.array[index]
        distance = self._distance(found, expected, str(result.dtype))
        got, right, given = _number(found), _number(expected), ", ".join(inputs)
        untouched = set(found.tobytes()) == {CANARY}
        got_zh, got_en = (f"{got}（没有写过）", f"{got} (never written)") if untouched else (got, got)
        also_zh = f"（或 {'、'.join(others)}）" if others else ""
        also_en = f" (or {', '.join(others)})" if others else ""
        return (
            f"{where}：{given} → 应为 {right}{also_zh}，得到 {got_zh}，相差 {distance} ULP，{self._allowed()[0]}",
            f"{where}: {given} -> expected {right}{also_en}, got {got_en}, {distance} ULP off, {self._allowed()[1]}",
        )

    def _distance(self, got: Any, expected: Any, dtype: str) -> str:
        comparison = compare(np.asarray(got), np.asarray(expected), dtype=dtype, common=dtype, ulp=0)
        distance = comparison.worst_distance if comparison.wrong else comparison.distance
        return f"{distance:.0f}" if math.isfinite(distance) else "∞"

    def _allowed(self) -> tuple[str, str]:
        if self._policy.dtypes:
            return f"策略 {self.policy}", f"policy {self.policy}"
        tolerance = self.case.tolerance
        if tolerance is None or tolerance.ulp == 0:
            return "允许 0 ULP", "0 ULP allowed"
        unit = tolerance.dtype if tolerance.dtype == tolerance.common else f"{tolerance.dtype}/{tolerance.common}"
        return f"允许 {tolerance.ulp} ULP（{unit}）", f"{tolerance.ulp} ULP of {unit} allowed"


def _number(value: Any) -> str:
    """A NumPy scalar as people write it."""
    if isinstance(value, np.void) and value.dtype.names:
        return f"{value['real']!s}{float(value['imag']):+}j"
    return str(value)

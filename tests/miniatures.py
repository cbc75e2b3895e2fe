"""Small cases made by hand, and small implementations: wrong ones the judge must condemn, right ones it must not."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclnn_spec.certification.implementation import PhaseOne
from aclnn_spec.golden.case import Alternative, Case, Outcome, Tolerance
from aclnn_spec.golden.tensor import CANARY, Array, Tensor, blank, numpy_dtype, with_storage
from aclnn_spec.spec.model import TensorDesc, Text, contiguous_strides
from aclnn_spec.spec.read import load_spec

SPEC = load_spec()
NAME = "aclnnL1LossBackward"
OPERATOR = SPEC.operators[NAME]
TINY = float(np.finfo(np.float32).smallest_normal)


def tensor(values: Any, dtype: str = "FLOAT", gap: int = 1, offset: int = 0) -> Tensor:
    """A tensor of these values whose elements lie `gap` apart, the rest of its storage being canary."""
    kind = numpy_dtype(SPEC.tables.dtypes[dtype])
    array = np.asarray(values).astype(kind)
    strides = tuple(stride * gap for stride in contiguous_strides(array.shape))
    count = offset + max(array.size, 1) * gap
    desc = TensorDesc(dtype=dtype, shape=array.shape, strides=strides, offset=offset, storage_shape=(count,))
    made = with_storage(desc, np.full(count * kind.itemsize, CANARY, np.uint8).view(kind))
    if array.size:
        made.array[...] = array
    return made


def output(shape: tuple[int, ...], dtype: str = "FLOAT", gap: int = 1, offset: int = 0) -> Tensor:
    """An output of this shape, all canary."""
    made = tensor(np.zeros(shape), dtype, gap, offset)
    return blank(made, SPEC.tables.dtypes[dtype])


def case(name: str, arguments: dict[str, Any], expected: Any = None, **fields: Any) -> Case:
    """A case of the operator; with `expected` it must succeed, unless the fields say otherwise."""
    given = {
        "group": name.split("/", maxsplit=1)[0],
        "clauses": ("sign",),
        "reason": Text(zh="手工用例", en="made by hand"),
        "outcome": Outcome(kind="value", codes=("ACLNN_SUCCESS",)),
    }
    if expected is not None:
        result = arguments["gradInput"]
        given["expected"] = tensor(np.broadcast_to(np.asarray(expected), result.shape), result.dtype)
        given["tolerance"] = Tolerance(ulp=0, dtype=result.dtype, common=result.dtype)
    return Case(id=f"{NAME}/{name}", operator=NAME, arguments=arguments, **{**given, **fields})


def call(grad: Any, one: Any, other: Any, reduction: int = 2, **changes: Any) -> dict[str, Any]:
    """The arguments of a call on these values, with a fresh dense output."""
    shape = np.broadcast_shapes(np.shape(grad), np.shape(one), np.shape(other))
    arguments = {
        "gradOutput": tensor(grad),
        "self": tensor(one),
        "target": tensor(other),
        "reduction": reduction,
        "gradInput": output(shape),
    }
    return arguments | changes


def refused(name: str, clause: str, code: str, arguments: dict[str, Any]) -> Case:
    """A case that must fail with this code."""
    return case(name, arguments, clauses=(clause,), outcome=Outcome(kind="error", codes=(code,)))


GRAD = [1.5, -2.25, 3.0, 4.0]
SELF = [1.0, 2.0, 3.0, 4.0]
TARGET = [2.0, 1.0, 3.0, 0.0]
RIGHT = [-1.5, -2.25, 0.0, 4.0]

BASIC = case("basic/small", call(GRAD, SELF, TARGET), RIGHT)
OTHER = case("basic/other", call([7.0, 8.0], [1.0, 2.0], [3.0, 1.0]), [-7.0, 8.0])
MEAN = case(
    "mean/broadcast",
    call(np.full((3, 2), 5.0), np.ones((3, 1)), np.zeros((1, 2)), 1),
    np.float32(5.0) / np.float32(6),
    clauses=("mean", "broadcast"),
    tolerance=Tolerance(ulp=4, dtype="FLOAT", common="FLOAT"),
)
LAYOUT = case(
    "layout/gaps",
    call(GRAD, SELF, TARGET)
    | {
        "gradOutput": tensor(GRAD, gap=3, offset=2),
        "self": tensor(SELF, gap=2),
        "target": tensor(TARGET, gap=1, offset=5),
        "gradInput": output((4,), gap=2, offset=1),
    },
    RIGHT,
    clauses=("layout",),
)
AGAIN = case("lifecycle/again", call(GRAD, SELF, TARGET), RIGHT, clauses=("determinism",), order="again")
CROSSED = case(
    "lifecycle/crossed",
    call(GRAD, SELF, TARGET),
    RIGHT,
    clauses=("executors",),
    order="crossed",
    partner=OTHER.id,
)
EMPTY = case("empty/none", call(np.ones((0, 2)), np.ones((0, 2)), np.ones(2)), np.ones((0, 2)), clauses=("empty",))
NULL = refused("status/null", "nullptr", "ACLNN_ERR_PARAM_NULLPTR", call(GRAD, SELF, TARGET, self=None))
REDUCTION = refused("status/reduction", "reduction", "ACLNN_ERR_PARAM_INVALID", call(GRAD, SELF, TARGET, 3))

#: 2^-127 is subnormal: the certain result, and the one on the way (an operand that is subnormal).
SUBNORMAL = case(
    "special/subnormal",
    call([TINY / 2, 1.0], [1.0, 1.0], [0.0, 0.0]),
    [TINY / 2, 1.0],
    clauses=("subnormals",),
    alternatives=(Alternative(clause="subnormals", label="flush", values=tensor([0.0, 1.0])),),
)
ON_THE_WAY = case(
    "special/on-the-way",
    call([3.0, 1.0], [TINY / 2, 1.0], [0.0, 0.0]),
    [3.0, 1.0],
    clauses=("subnormals_on_the_way",),
    alternatives=(Alternative(clause="subnormals_on_the_way", label="flush", values=tensor([0.0, 1.0])),),
)
RANK_0 = case(
    "open/rank-0",
    call(2.0, 1.0, 3.0),
    -2.0,
    clauses=("rank_0",),
    outcome=Outcome(kind="unspecified", codes=("ACLNN_SUCCESS", "ACLNN_ERR_PARAM_INVALID")),
)

CASES = (
    BASIC,
    OTHER,
    MEAN,
    LAYOUT,
    AGAIN,
    CROSSED,
    EMPTY,
    NULL,
    REDUCTION,
    SUBNORMAL,
    ON_THE_WAY,
    RANK_0,
)


def partner_of(one: Case) -> Case | None:
    """The case that a case is run together with."""
    return next((each for each in CASES if each.id == one.partner), None)


class Right:
    """The operator in a few lines of NumPy, for FLOAT."""

    name = "right"
    version = "1.0"
    operators = (NAME,)

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        """Check the call by the spec's rules."""
        status = int(OPERATOR.validate(arguments).status)
        assert operator == NAME
        return PhaseOne(status, 0, arguments)

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        """Compute and store."""
        assert operator == NAME
        arguments: Any = phase_one.executor
        self.store(arguments["gradInput"], self.compute(arguments))
        return 0

    def store(self, result: Tensor, values: Array) -> None:
        """Write the values into the view."""
        result.array[...] = values

    def compute(self, arguments: Any) -> Array:
        """The formula on the call's views."""
        grad, one, other = (arguments[name].array for name in ("gradOutput", "self", "target"))
        return self.formula(grad, one, other, arguments["reduction"])

    def formula(self, grad: Array, one: Array, other: Array, reduction: int) -> Array:
        """The formula on arrays."""
        values = np.sign(one - other) * grad
        return values / np.float32(values.size) if reduction == 1 else values


class ScaleFirst(Right):
    """Multiplies by 1/N in FLOAT: right, though not to the last bit."""

    def formula(self, grad: Array, one: Array, other: Array, reduction: int) -> Array:
        values = np.sign(one - other) * grad
        return values * (np.float32(1) / np.float32(values.size)) if reduction == 1 else values


class Flushing(Right):
    """Has no subnormals, in operands, differences and results alike."""

    def formula(self, grad: Array, one: Array, other: Array, reduction: int) -> Array:
        def flush(values: Array) -> Array:
            return np.where(np.abs(values) < TINY, np.float32(0), values)

        sign = np.sign(flush(flush(one) - flush(other)))
        return flush(Right.formula(self, flush(grad), sign, np.zeros_like(sign), reduction))


class RefusesRank0(Right):
    """Follows the page to the letter where ranks are concerned."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        scalar = any(isinstance(each, Tensor) and each.shape == () for each in arguments.values())
        return PhaseOne(161002, 0, None) if scalar and not found.status else found


RIGHT_ONES = (Right, ScaleFirst, Flushing, RefusesRank0)


class WrongSign(Right):
    """Descends uphill."""

    def formula(self, grad: Array, one: Array, other: Array, reduction: int) -> Array:
        return super().formula(grad, other, one, reduction)


class MeanBySelf(Right):
    """Divides by the number of self's elements."""

    def formula(self, grad: Array, one: Array, other: Array, reduction: int) -> Array:
        values = np.sign(one - other) * grad
        return values / np.float32(one.size) if reduction == 1 else values


class IgnoresStrides(Right):
    """Takes every tensor for a dense one."""

    def compute(self, arguments: Any) -> Array:
        tensors = [arguments[name] for name in ("gradOutput", "self", "target")]
        dense = [each.storage[: each.size].reshape(each.shape) for each in tensors]
        return self.formula(*dense, arguments["reduction"])


class WritesGaps(Right):
    """Overwrites the output's whole storage."""

    def store(self, result: Tensor, values: Array) -> None:
        result.storage[...] = 0
        super().store(result, values)


class WritesBehind(Right):
    """Rounds its writes up to a block, beyond the end of the storage."""

    def store(self, result: Tensor, values: Array) -> None:
        np.lib.stride_tricks.as_strided(result.storage, (result.storage.size + 2,))[-2:] = 0
        super().store(result, values)


class ChangesInput(Right):
    """Works in gradOutput's memory."""

    def formula(self, grad: Array, one: Array, other: Array, reduction: int) -> Array:
        values = super().formula(grad, one, other, reduction)
        if grad.size:
            grad[...] = 0
        return values


class InvalidForNull(Right):
    """Answers 161002 to a null pointer."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        if None in arguments.values():
            return PhaseOne(161002, 0, None)
        return super().get_workspace_size(operator, arguments)


class AnyReduction(Right):
    """Takes every reduction for none."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        known = arguments["reduction"] in (0, 1, 2)
        return super().get_workspace_size(operator, arguments if known else {**arguments, "reduction": 0})


class RefusesLate(Right):
    """Finds a bad reduction out in phase 2 alone."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        return PhaseOne(0, 0, arguments) if found.status == 161002 else found


class FloatStatus(Right):
    """Reports success as 0.0."""

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        return float(super().execute(operator, phase_one))


class BoolStatus(Right):
    """Reports success as False."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        return PhaseOne(bool(found.status), 0, found.executor)


class PlainTuple(Right):
    """Answers phase 1 with a tuple."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        return found.status, found.workspace_size, found.executor


class Raises(Right):
    """Raises where it should compute."""

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        raise RuntimeError(f"no kernel for {operator} with {phase_one.status}")


class Exits(Right):
    """Leaves the process."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        super().get_workspace_size(operator, arguments)
        raise SystemExit(3)


class Drifts(Right):
    """Gives other bits, within the tolerance, every time."""

    def __init__(self) -> None:
        self.calls = 0

    def formula(self, grad: Array, one: Array, other: Array, reduction: int) -> Array:
        self.calls += 1
        values = super().formula(grad, one, other, reduction)
        for _ in range(self.calls % 2 if reduction == 1 else 0):
            values = np.nextafter(values, np.float32(np.inf))
        return values


class HugeWorkspace(Right):
    """Asks for half of all memory there can be."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        return PhaseOne(found.status, 2**63, found.executor)


class WorkspaceForNothing(Right):
    """Asks for a workspace whatever the size."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        return PhaseOne(found.status, 32, found.executor)


class LastCallOnly(Right):
    """Keeps one call for all executors: the last one."""

    last: Any = None

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        self.last = found.executor
        return found

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        return super().execute(operator, PhaseOne(phase_one.status, 0, self.last))


class Moody(RefusesRank0):
    """Refuses rank 0 every other time."""

    def __init__(self) -> None:
        self.calls = 0

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        self.calls += 1
        return (Right if self.calls % 2 else RefusesRank0).get_workspace_size(self, operator, arguments)


class Accumulates(Right):
    """Adds to what the output holds, unless that is canary."""

    def store(self, result: Tensor, values: Array) -> None:
        fresh = result.array.tobytes()[:1] in (b"", bytes([CANARY]))
        result.array[...] = values if fresh else result.array + values


#: A wrong implementation, and the kind of fault it must be condemned for.
WRONG_ONES = (
    (WrongSign, "value"),
    (MeanBySelf, "value"),
    (IgnoresStrides, "value"),
    (WritesGaps, "stray_write"),
    (WritesBehind, "stray_write"),
    (ChangesInput, "input_changed"),
    (InvalidForNull, "status"),
    (AnyReduction, "status"),
    (RefusesLate, "status"),
    (FloatStatus, "wrong_type"),
    (BoolStatus, "wrong_type"),
    (PlainTuple, "wrong_type"),
    (Raises, "raised"),
    (Exits, "raised"),
    (Drifts, "not_repeatable"),
    (HugeWorkspace, "workspace"),
    (WorkspaceForNothing, "workspace"),
    (LastCallOnly, "value"),
    (Moody, "inconsistent"),
    (Accumulates, "value"),
)

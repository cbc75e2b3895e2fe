"""A right kernel taken apart into steps. A mutant is the same kernel with one step, or a few, done wrongly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.certification.implementation import PhaseOne
from aclnn_spec.golden.tensor import Array, Tensor, bits
from aclnn_spec.reference import REFERENCES, Common
from aclnn_spec.reference.floats import FORMATS, decode, divide, encode, from_integers, round_to
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.tables import Shape, broadcast

Arguments: TypeAlias = Mapping[str, Any]
State: TypeAlias = dict[str, Any]
"""What an implementation remembers from call to call; the right one remembers nothing but how many there were."""

Single: TypeAlias = NDArray[np.float32]
FLOATS = tuple(FORMATS)


@dataclass(kw_only=True)
class Call:
    """A call in phase 2. What is not frozen here a mutant's `plan` may change before the work begins."""

    operator: Operator
    arguments: Arguments
    state: State
    common: str = ""
    count: float = 0
    reduction: int = 0

    def __post_init__(self) -> None:
        tables = self.operator.tables
        self.common = str(tables.deduce(self.types))
        self.count = prod(self.shape)
        self.reduction = self.arguments["reduction"]

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The input tensors' names."""
        return tuple(p.name for p in self.operator.inputs)

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The input tensors' types."""
        return tuple(str(self.arguments[name].dtype) for name in self.inputs)

    @cached_property
    def shape(self) -> Shape:
        """The broadcast shape."""
        return broadcast(self.arguments[name].shape for name in self.inputs) or ()

    @cached_property
    def output(self) -> Tensor:
        """The output tensor."""
        tensor: Tensor = self.arguments[self.operator.output.name]
        return tensor

    @property
    def out(self) -> str:
        """The output's type."""
        return str(self.output.dtype)

    @property
    def mode(self) -> str:
        """The reduction's name."""
        values = self.operator.parameter("reduction").values
        return next(name for name, number in values.items() if number == self.reduction)

    @property
    def mixed(self) -> bool:
        """Whether the inputs' types differ."""
        return len(set(self.types)) > 1

    @property
    def spreads(self) -> bool:
        """Whether an input is broadcast."""
        return any(self.arguments[name].shape != self.shape for name in self.inputs)

    @property
    def dense(self) -> bool:
        """Whether the output lies in its storage without gaps, in order."""
        return is_dense(self.output)

    def size(self, *names: str) -> int:
        """The number of elements that these tensors broadcast to."""
        return prod(broadcast(self.arguments[name].shape for name in names) or ())


def is_dense(tensor: Tensor) -> bool:
    """Whether a tensor lies in its storage in order, without gaps."""
    steps = [stride for stride, size in zip(tensor.strides, tensor.shape, strict=True) if size > 1]
    sizes = [size for size in tensor.shape if size > 1]
    return steps == [prod(sizes[i + 1 :]) for i in range(len(sizes))]


def check(operator: Operator, arguments: Arguments, _: State) -> int:
    """Phase 1: the status the spec asks for."""
    return int(operator.validate(arguments).status)


def workspace(operator: Operator, arguments: Arguments, state: State) -> Any:  # noqa: ARG001
    """Phase 1: the size of the workspace."""
    return 0


def keep(arguments: Arguments, _: State) -> Any:
    """Phase 1: what the executor holds."""
    return dict(arguments)


def answer(given: PhaseOne, arguments: Arguments, state: State) -> Any:  # noqa: ARG001
    """Phase 1: its answer."""
    return given


def recall(executor: Any, _: State) -> Arguments:
    """Phase 2: the call that an executor holds."""
    arguments: Arguments = executor
    return arguments


def is_empty(call: Call) -> bool:
    """Phase 2: whether there is nothing to do."""
    return any(prod(call.arguments[name].shape) == 0 for name in call.inputs)


def nothing(call: Call) -> Any:  # noqa: ARG001
    """What an empty call does."""
    return 0


def plan(call: Call) -> None:
    """Settle what the work goes by: common type, count, reduction."""


def view(call: Call, name: str) -> Array:
    """An input's elements in its own shape and type, where they lie."""
    tensor: Tensor = call.arguments[name]
    return tensor.array


def spread(call: Call, name: str, array: Array) -> Array:  # noqa: ARG001
    """An input's elements in the broadcast shape."""
    return np.broadcast_to(array, call.shape)


def load(call: Call, name: str, array: Array) -> Single:
    """An input's values in the common type."""
    dtype, common = str(call.arguments[name].dtype), FORMATS[call.common]
    if dtype not in FORMATS:
        return from_integers(array, common)
    values = decode(bits(array), FORMATS[dtype])
    return values if dtype == call.common else round_to(values, common)


def formula(call: Call, operands: Mapping[str, Single]) -> Array:
    """The operator's values before mean divides them."""
    setting = Common(format=FORMATS[call.common], count=1)
    none = call.operator.parameter("reduction").values["none"]
    return REFERENCES[call.operator.name].function(**operands, reduction=none, common=setting)


def divides(call: Call) -> bool:
    """Whether to divide."""
    return call.mode == "mean"


def scale(call: Call, values: Single) -> Array:
    """The values over the count, still to be rounded."""
    return divide(values, int(call.count), FORMATS[call.common])


def settle(call: Call, values: Array) -> Single:
    """Round to the common type."""
    return round_to(values, FORMATS[call.common])


def narrow(call: Call, values: Single) -> Single:
    """Round to the output's type, which is not the common one."""
    target = "FLOAT16" if call.out == "COMPLEX32" else call.out
    return round_to(values, FORMATS[target]) if target in FORMATS else values


def place(call: Call) -> Array:
    """Where the output's elements lie, in its shape."""
    return call.output.array


def write(call: Call, where: Array, values: Single) -> None:
    """Store the values in the output's type."""
    if call.out in FORMATS:
        bits(where)[...] = encode(values, FORMATS[call.out])
    elif where.dtype.names:
        where["real"] = values
        where["imag"] = 0
    else:
        where[...] = values


def after(call: Call) -> None:
    """What is done when the result is stored."""


def finish(call: Call) -> Any:  # noqa: ARG001
    """The status of phase 2."""
    return 0


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """The steps of a two-phase call, each as a function; those of this module are right."""

    check: Callable[[Operator, Arguments, State], int] = check
    workspace: Callable[[Operator, Arguments, State], Any] = workspace
    keep: Callable[[Arguments, State], Any] = keep
    answer: Callable[[PhaseOne, Arguments, State], Any] = answer
    recall: Callable[[Any, State], Arguments] = recall
    is_empty: Callable[[Call], bool] = is_empty
    nothing: Callable[[Call], Any] = nothing
    plan: Callable[[Call], Any] = plan
    view: Callable[[Call, str], Array] = view
    spread: Callable[[Call, str, Array], Array] = spread
    load: Callable[[Call, str, Array], Array] = load
    formula: Callable[[Call, Mapping[str, Single]], Array] = formula
    divides: Callable[[Call], bool] = divides
    scale: Callable[[Call, Single], Array] = scale
    settle: Callable[[Call, Array], Array] = settle
    narrow: Callable[[Call, Single], Array] = narrow
    place: Callable[[Call], Array] = place
    write: Callable[[Call, Array, Single], None] = write
    after: Callable[[Call], Any] = after
    finish: Callable[[Call], Any] = finish

    def run(self, call: Call) -> Any:
        """Phase 2."""
        self.plan(call)
        if self.is_empty(call):
            return self.nothing(call)
        views = [self.spread(call, name, self.view(call, name)) for name in call.inputs]
        # Axes along which nothing moves are computed once: the largest cases are made of these.
        still = [all(one.strides[axis] == 0 for one in views) for axis in range(len(call.shape))]
        index = tuple(slice(0, 1) if each else slice(None) for each in still)
        operands = {name: self.load(call, name, one[index]) for name, one in zip(call.inputs, views, strict=True)}
        values = self.formula(call, operands)
        if self.divides(call):
            values = self.scale(call, values)
        values = self.settle(call, values)
        if call.out != call.common:
            values = self.narrow(call, values)
        self.write(call, self.place(call), values)
        self.after(call)
        return self.finish(call)


@dataclass(kw_only=True)
class Running:
    """A kernel as the certification calls it."""

    name: str
    operator: Operator
    kernel: Kernel
    version: str = "1"
    state: State = field(default_factory=lambda: {"calls": 0})

    @property
    def operators(self) -> tuple[str, ...]:
        """The one operator."""
        return (self.operator.name,)

    def get_workspace_size(self, operator: str, arguments: Arguments) -> Any:  # noqa: ARG002
        """Phase 1."""
        status = self.kernel.check(self.operator, arguments, self.state)
        if status:
            return self.kernel.answer(PhaseOne(status, 0, None), arguments, self.state)
        size = self.kernel.workspace(self.operator, arguments, self.state)
        return self.kernel.answer(PhaseOne(0, size, self.kernel.keep(arguments, self.state)), arguments, self.state)

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:  # noqa: ARG002
        """Phase 2."""
        self.state["calls"] += 1
        arguments = self.kernel.recall(phase_one.executor, self.state)
        return self.kernel.run(Call(operator=self.operator, arguments=arguments, state=self.state))

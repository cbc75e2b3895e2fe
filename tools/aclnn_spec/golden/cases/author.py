"""How a case is written: shapes, types and layouts in, a complete Case with data and expected result out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeAlias

import numpy as np

from aclnn_spec.golden.case import SUCCESS, Case, Outcome, Tolerance
from aclnn_spec.golden.expected import common_dtype, result_of
from aclnn_spec.golden.generator import integers, uniform
from aclnn_spec.golden.tensor import Array, Tensor, numpy_dtype, unwritten, with_storage
from aclnn_spec.reference.floats import FORMATS, encode, round_to
from aclnn_spec.spec.model import DType, TensorDesc, Text, contiguous_strides
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.tables import Shape, broadcast

FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")
REDUCTIONS = ("none", "mean", "sum")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A way to lay a shape out in a storage: gives strides, offset and storage shape, in elements."""

    name: str
    text: Text
    make: Callable[[Shape], tuple[Shape, int, Shape]]


CONTIGUOUS = Layout(
    name="contiguous",
    text=Text(zh="连续", en="contiguous"),
    make=lambda shape: (contiguous_strides(shape), 0, shape),
)

Values: TypeAlias = Array | Sequence[float]
"""float64 values to be rounded to the tensor's type, or an array already in its NumPy type; any shape that fits."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What an author says of a case; what is left out is filled in.

    shapes, dtypes and layouts are given by parameter name, or once for all inputs (dtypes and layouts: the output
    too). The output's shape is the broadcast shape unless it is among the shapes.
    """

    group: str
    what: str
    """The last part of the id."""
    reason: Text
    clauses: tuple[str, ...]
    shapes: Shape | Mapping[str, Shape]
    dtypes: str | Mapping[str, str] = "FLOAT"
    reduction: str | int = "none"
    layouts: Layout | Mapping[str, Layout] = CONTIGUOUS
    formats: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, Values] = field(default_factory=dict)
    alias: Mapping[str, str] = field(default_factory=dict)
    order: str = "twice"
    partner: str | None = None


@dataclass(frozen=True, kw_only=True)
class Author:
    """Writes the cases of one operator."""

    operator: Operator

    @property
    def inputs(self) -> tuple[str, ...]:
        """The input tensors' names; self and target are what is compared, the other one is the gradient."""
        return tuple(p.name for p in self.operator.inputs)

    @property
    def gradient(self) -> str:
        """The name of the incoming gradient."""
        return next(name for name in self.inputs if name not in ("self", "target"))

    @property
    def output(self) -> str:
        """The output tensor's name."""
        return self.operator.output.name

    @property
    def tensors(self) -> tuple[str, ...]:
        """The inputs, then the output."""
        return (*self.inputs, self.output)

    def per_tensor(self, *values: Any) -> dict[str, Any]:
        """Values in the order gradient, self, target and, if given, output, by parameter name."""
        names = (self.gradient, "self", "target", self.output)
        return dict(zip(names, values, strict=False))

    def good(self, draft: Draft) -> Case:
        """The case of a call that breaks nothing; touching an unspecified clause makes its outcome unspecified."""
        descs = self._descs(draft)
        case_id = self._id(draft, descs)
        arguments = self._fill(case_id, descs, draft)
        diagnosis = self.operator.validate(arguments)
        if diagnosis.broken:
            raise ValueError(f"{case_id}: breaks {[clause.id for clause in diagnosis.broken]}")
        touched = self.operator.open_clauses(arguments)
        ulp = self.operator.ulp(arguments)
        result = result_of(self.operator, arguments, ulp)
        codes = {SUCCESS: None} | {
            label: None for c in touched for label in c.accepts if label.isupper() or label == "any_error"
        }
        found = [*draft.clauses, *(c.id for c in touched), *(a.clause for a in result.alternatives)]
        return Case(
            id=case_id,
            operator=self.operator.name,
            group=draft.group,
            clauses=tuple(dict.fromkeys(found)),
            reason=draft.reason,
            arguments=arguments,
            outcome=Outcome(kind="unspecified" if touched else "value", codes=tuple(codes)),
            expected=result.expected,
            alternatives=result.alternatives,
            tolerance=Tolerance(
                ulp=ulp, dtype=result.expected.dtype, common=str(common_dtype(self.operator, arguments))
            ),
            alias=draft.alias,
            order=draft.order,
            partner=draft.partner,
        )

    def bad(self, draft: Draft, call: Mapping[str, Any], slug: str) -> Case:
        """The case of a call that breaks the draft's clauses; `slug` ends its id."""
        case_id = f"{self.operator.name}/{draft.group}/{slug}"
        descs = {name: argument for name, argument in call.items() if isinstance(argument, TensorDesc)}
        # Nobody is to read the inputs of a call that must fail: they are all canary, as outputs are.
        arguments = dict(call) | {
            name: unwritten(desc, self.operator.tables.dtypes[desc.dtype]) for name, desc in descs.items()
        }
        broken = self.operator.validate(arguments).broken
        missing = set(draft.clauses) - {c.id for c in broken} - {"precedence", "empty"}
        if not broken or missing:
            raise ValueError(f"{case_id}: breaks {[clause.id for clause in broken]}, not {missing}")
        return Case(
            id=case_id,
            operator=self.operator.name,
            group=draft.group,
            clauses=draft.clauses,
            reason=draft.reason,
            arguments=arguments,
            outcome=Outcome(kind="error", codes=tuple(dict.fromkeys(code for c in broken for code in c.accepts))),
            order=draft.order,
            partner=draft.partner,
        )

    def call(self, draft: Draft) -> dict[str, Any]:
        """The draft's call as descriptions, with the reduction's number."""
        descs: dict[str, Any] = dict(self._descs(draft))
        attributes = {p.name: self._reduction(draft) for p in self.operator.parameters if p.role == "attribute"}
        return {p.name: descs.get(p.name, attributes.get(p.name)) for p in self.operator.parameters}

    def _reduction(self, draft: Draft) -> int:
        value = draft.reduction
        return value if isinstance(value, int) else self.operator.parameter("reduction").values[value]

    def _descs(self, draft: Draft) -> dict[str, TensorDesc]:
        shapes = dict(draft.shapes) if isinstance(draft.shapes, Mapping) else dict.fromkeys(self.inputs, draft.shapes)
        if self.output not in shapes:
            shape = broadcast(shapes[name] for name in self.inputs)
            if shape is None:
                raise ValueError(f"{draft.what}: {shapes} do not broadcast")
            shapes[self.output] = shape
        descs = {}
        for name in self.tensors:
            dtype = draft.dtypes if isinstance(draft.dtypes, str) else draft.dtypes[name]
            layout = draft.layouts if isinstance(draft.layouts, Layout) else draft.layouts.get(name, CONTIGUOUS)
            strides, offset, storage_shape = layout.make(shapes[name])
            descs[name] = TensorDesc(
                dtype=self.operator.tables.dtypes[dtype],
                shape=shapes[name],
                strides=strides,
                offset=offset,
                storage_shape=storage_shape,
                format=draft.formats.get(name, "ND"),
            )
        return descs

    def _id(self, draft: Draft, descs: Mapping[str, TensorDesc]) -> str:
        types = [str(descs[name].dtype) for name in self.inputs]
        output = str(descs[self.output].dtype)
        tag = types[0] if len(set(types)) == 1 else ".".join(types)
        tag += "" if {*types} == {output} else f"-{output}"
        shapes = ["x".join(map(str, descs[name].shape)) or "scalar" for name in self.inputs]
        size = shapes[0] if len(set(shapes)) == 1 else ".".join(shapes)
        middle = "" if draft.group == "mean" else f"-{draft.reduction}"
        return f"{self.operator.name}/{draft.group}/{tag}-{size}{middle}-{draft.what}"

    def _fill(self, case_id: str, descs: Mapping[str, TensorDesc], draft: Draft) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        for p in self.operator.parameters:
            desc = descs.get(p.name)
            if p.role == "input" and desc is not None:
                arguments[p.name] = self._tensor(f"{case_id}/{p.name}", p.name, desc, draft.data.get(p.name))
            elif p.role == "output" and desc is not None:
                arguments[p.name] = unwritten(desc, self.operator.tables.dtypes[desc.dtype])
            elif p.role == "attribute":
                arguments[p.name] = self._reduction(draft)
        for name, other in draft.alias.items():
            arguments[name] = replace(arguments[other])
        return arguments

    def _tensor(self, key: str, name: str, desc: TensorDesc, values: Values | None) -> Tensor:
        dtype = self.operator.tables.dtypes[desc.dtype]
        size = prod(desc.storage_shape)
        if (desc.strides, desc.offset, size) == (contiguous_strides(desc.shape), 0, desc.size):
            tensor = with_storage(desc, np.empty(size, numpy_dtype(dtype)))
        else:  # The storage around the view holds values of the same sort: what is read from there looks right.
            tensor = with_storage(desc, stored(self.spread(f"{key}/noise", name, size), dtype))
        view = tensor.array[(*(slice(0, 1) if stride == 0 else slice(None) for stride in desc.strides), ...)]
        if values is None:
            values = self.spread(key, name, view.size).reshape(view.shape)
        given = np.asarray(values)
        fitting = given if given.dtype == view.dtype else stored(given.astype(np.float64), dtype)
        view[...] = fitting.reshape(view.shape) if fitting.size == view.size else fitting
        return tensor

    def spread(self, key: str, name: str, count: int) -> Array:
        """Plain data: a gradient in [-5, 5] without zeros; operands on a grid of halves, so that one in 21 ties."""
        if name in ("self", "target"):
            return integers(key, count, -10, 10) * 0.5
        values = uniform(key, count, -5, 5)
        return np.where(values == 0, 1.0, values)


def stored(values: Array, dtype: DType) -> Array:
    """float64 values rounded once, to nearest even, into a fresh array of the type; integers are cut to its range."""
    if dtype in FORMATS:
        target = FORMATS[dtype]
        flat = np.ascontiguousarray(values, np.float64)
        with np.errstate(all="ignore"):
            kept = encode(round_to(flat, target), target)
        return np.array(kept).view(numpy_dtype(dtype))
    kind = numpy_dtype(dtype)
    if kind.names:
        array = np.zeros(values.shape, kind)
        array["real"] = values
        return array
    if kind.kind == "u":
        return np.abs(np.trunc(values)).astype(kind)
    return (np.trunc(values) if kind.kind in "bi" else values).astype(kind)


def pick(options: Sequence[Any], index: int) -> Any:
    """The options in turn."""
    return options[index % len(options)]

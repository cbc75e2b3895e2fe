"""How a case is written: shapes, types and layouts in, a complete Case with data and expected result out.

The operators compare `self` with `target`; some of them under a gradient, some reduce what comes of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from aclnn_spec.golden.case import SUCCESS, Case, Outcome, Tolerance
from aclnn_spec.golden.cases.draft import CONTIGUOUS, Draft, Layout, Values
from aclnn_spec.golden.expected import common_dtype, result_of
from aclnn_spec.golden.generator import integers, uniform
from aclnn_spec.golden.tensor import Array, Tensor, numpy_dtype, unwritten, with_storage
from aclnn_spec.reference.floats import FORMATS, encode, round_to
from aclnn_spec.spec.attributes import c_float
from aclnn_spec.spec.model import DType, TensorDesc, Text, contiguous_strides
from aclnn_spec.spec.operator import Operator

__all__ = ["CONTIGUOUS", "FLOATS", "REDUCTIONS", "Author", "Draft", "Layout", "Values", "pick", "stored"]

FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")
REDUCTIONS = ("none", "mean", "sum")
_TYPE_RULES = ("dtype_in", "same_dtype", "not_both")
"""Kinds of rule that exclude mixes of types, and with them cases that other operators have."""


@dataclass(frozen=True, kw_only=True)
class Author:
    """Writes the cases of one operator."""

    operator: Operator

    @property
    def inputs(self) -> tuple[str, ...]:
        """The input tensors' names; self and target are what is compared, the other one is the gradient."""
        return tuple(p.name for p in self.operator.inputs)

    @property
    def gradient(self) -> str | None:
        """The name of the incoming gradient, if there is one."""
        return next((name for name in self.inputs if name not in ("self", "target")), None)

    @property
    def output(self) -> str:
        """The output tensor's name."""
        return self.operator.output.name

    @property
    def tensors(self) -> tuple[str, ...]:
        """The inputs, then the output."""
        return (*self.inputs, self.output)

    def per_tensor(self, *values: Any) -> dict[str, Any]:
        """Values in the order gradient, self, target and, if given, output, by parameter name.

        An operator without a gradient leaves out the first.
        """
        names = (self.gradient, "self", "target", self.output)
        return {name: value for name, value in zip(names, values, strict=False) if name is not None}

    def unusual(self, arguments: Mapping[str, Any]) -> dict[str, float]:
        """Those of a call's float attributes that do not have their plainest value."""
        given = {p.name: (arguments[p.name], p.samples[0]) for p in self.operator.parameters if p.samples}
        return {name: value for name, (value, plain) in given.items() if float(value) != plain}

    def carried(self, values: Values, *operands: Values) -> dict[str, Any]:
        """Data that the result is made of: gradients, over these operands if given; else operands beside zero."""
        if self.gradient is not None:
            return self.per_tensor(values, *operands)
        return {"self": values, "target": np.zeros(np.shape(values))}

    def carrier(self, types: Sequence[str]) -> str:
        """Of the types of gradient, self, target and so on, that of the data the result is made of."""
        return types[0 if self.gradient is not None else 1]

    def reduces(self, reduction: str | int) -> bool:
        """Whether the operator gives one element for all with this reduction."""
        return self.operator.reduces(self._attributes(Draft(**_NOTHING, reduction=reduction)))

    @property
    def exact(self) -> bool:
        """Whether nothing is rounded without mean, so that the operator's cases show every wrong bit.

        How memory is addressed and types are converted is a library's own rather than an operator's. Operators whose
        results are exact tell of it in full; the others take types and reductions in turn, which keeps the tier small.
        """
        return self.operator.ulp(self.call(Draft(**{**_NOTHING, "shapes": (1,)}))) == 0

    @property
    def mixes(self) -> bool:
        """Whether the inputs may differ in type."""
        return all(clause.rule is None or clause.rule.core.kind != "same_dtype" for clause in self.operator.checks)

    def worded(self, backward: Text, forward: Text) -> Text:
        """The text that fits an operator with a gradient, or one without."""
        return forward if self.gradient is None else backward

    def fitting(self, draft: Draft) -> Iterator[Case]:
        """The draft's case; none where the operator's rules on types exclude its mix of types."""
        broken = self.operator.validate(self.call(draft)).broken
        if not broken or any(clause.rule is None or clause.rule.core.kind not in _TYPE_RULES for clause in broken):
            yield self.good(draft)

    def known(self, clauses: Sequence[str]) -> tuple[str, ...]:
        """The clauses, the operator's first one in the place of those it does not have."""
        own = [clause.id for clause in self.operator.clauses]
        return tuple(dict.fromkeys(each if each in own else own[0] for each in clauses))

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
        codes = dict.fromkeys([SUCCESS, *(code for clause in touched for code in clause.codes)])
        found = [*self.known(draft.clauses), *(c.id for c in touched), *(a.clause for a in result.alternatives)]
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
        given = dict(self._descs(draft)) | self._attributes(draft)
        return {p.name: given.get(p.name) for p in self.operator.parameters}

    def _attributes(self, draft: Draft) -> dict[str, Any]:
        """The attributes' values, a C float's rounded as C rounds it."""
        values: dict[str, Any] = {}
        for p in self.operator.parameters:
            if p.samples:
                values[p.name] = c_float(draft.attributes.get(p.name, p.samples[0]))
            elif p.role == "attribute":
                value = draft.reduction
                values[p.name] = value if isinstance(value, int) else p.values[value]
        return values

    def _descs(self, draft: Draft) -> dict[str, TensorDesc]:
        shapes = dict(draft.shapes) if isinstance(draft.shapes, Mapping) else dict.fromkeys(self.inputs, draft.shapes)
        if self.output not in shapes:
            inputs = {name: TensorDesc(dtype="FLOAT", shape=shapes[name]) for name in self.inputs}
            shape = self.operator.output_shape({**inputs, **self._attributes(draft)})
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
        middle += "".join(f"-{name}{value:g}" for name, value in draft.attributes.items())
        return f"{self.operator.name}/{draft.group}/{tag}-{size}{middle}-{draft.what}"

    def _fill(self, case_id: str, descs: Mapping[str, TensorDesc], draft: Draft) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        attributes = self._attributes(draft)
        for p in self.operator.parameters:
            desc = descs.get(p.name)
            if p.role == "input" and desc is not None:
                arguments[p.name] = self._tensor(f"{case_id}/{p.name}", p.name, desc, draft.data.get(p.name))
            elif p.role == "output" and desc is not None:
                arguments[p.name] = unwritten(desc, self.operator.tables.dtypes[desc.dtype])
            elif p.role == "attribute":
                arguments[p.name] = attributes[p.name]
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


_NOTHING: Mapping[str, Any] = MappingProxyType(
    {"group": "", "what": "", "reason": Text(zh="", en=""), "clauses": (), "shapes": ()}
)


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

"""An operator of the spec: its clauses, and the answer to "what does this call break?"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from aclnn_spec.spec.attributes import fits
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.facts import Facts
from aclnn_spec.spec.model import (
    Accuracy,
    Arguments,
    Clause,
    DType,
    Erratum,
    Parameter,
    Prototype,
    Source,
    StatusCode,
    Text,
)
from aclnn_spec.spec.quick import Quick, quick_check
from aclnn_spec.spec.tables import Shape, Tables, broadcast

SUCCESS = "ACLNN_SUCCESS"
PHASE_ONE_OUTPUTS = ("workspaceSize", "executor")
"""Pointers that phase 1 fills; they are among the arguments only of a call that passes them as null."""
_NOUNS = {"int64": "a 64-bit integer", "float": "a number"}


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """The verdict on a call: the status it must get, and every error clause it breaks."""

    status: StatusCode
    broken: tuple[Clause, ...]


@dataclass(frozen=True, kw_only=True)
class Operator:
    """One operator as its JSON file states it."""

    name: str
    status: str
    version: str
    cann: str
    title: Text
    summary: Text
    formula: str
    header: str
    products: Mapping[str, bool]
    deterministic: bool
    get_workspace_size: Prototype
    execute: Prototype
    parameters: tuple[Parameter, ...]
    clauses: tuple[Clause, ...]
    accuracy: tuple[Accuracy, ...]
    errata: tuple[Erratum, ...]
    example: Mapping[str, Any]
    example_text: Text
    example_sources: tuple[Source, ...]
    tables: Tables
    checks: tuple[Clause, ...] = field(init=False, repr=False)
    """The clauses that a call can break, in the order in which the open host code tests them."""
    _listed: Mapping[str, tuple[DType, ...]] = field(init=False, repr=False)
    _attributes: Mapping[str, str] = field(init=False, repr=False)
    _quick: Quick = field(init=False, repr=False)
    _good: Diagnosis = field(init=False, repr=False)

    def __post_init__(self) -> None:
        order = next((clause.order for clause in self.clauses if clause.order), ())
        errors = [clause for clause in self.clauses if clause.outcome == "error" and clause.rule]
        errors.sort(key=lambda clause: order.index(clause.id) if clause.id in order else len(order))
        object.__setattr__(self, "checks", tuple(errors))
        object.__setattr__(self, "_listed", {p.name: p.dtypes for p in self.parameters})
        object.__setattr__(self, "_attributes", {p.name: p.kind for p in self.parameters if p.role == "attribute"})
        tensors = [p.name for p in self.parameters if p.kind == "tensor"]
        rules = [clause.rule for clause in errors if clause.rule]
        object.__setattr__(self, "_quick", quick_check(tensors, self._attributes, rules, self.tables))
        object.__setattr__(self, "_good", Diagnosis(status=self.tables.status_codes[SUCCESS], broken=()))

    def parameter(self, name: str) -> Parameter:
        """The parameter of this name; KeyError when there is none."""
        return next(p for p in self.parameters if p.name == name)

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """The input tensors, in the prototype's order."""
        return tuple(p for p in self.parameters if p.role == "input")

    @property
    def output(self) -> Parameter:
        """The output tensor."""
        return next(p for p in self.parameters if p.role == "output")

    def clause(self, clause_id: str) -> Clause:
        """The clause with this id; KeyError when there is none."""
        for clause in self.clauses:
            if clause.id == clause_id:
                return clause
        raise KeyError(clause_id)

    def facts(self, arguments: Arguments) -> Facts:
        """What the rules look at for this call."""
        return Facts(arguments, self.tables, self._listed)

    def validate(self, arguments: Arguments) -> Diagnosis:
        """Check a call: parameter name → TensorDesc or Tensor, number, or None for a null pointer.

        `workspaceSize` and `executor` may be given as None. The status is that of the first broken clause in the
        order of the open host code. InputError when the mapping is no call of this operator at all.
        """
        if self._quick(arguments):
            return self._good
        facts = Facts(arguments, self.tables, self._listed)
        try:
            for name, kind in self._attributes.items():
                if not fits(kind, arguments[name]):
                    self._check_arguments(arguments)
            broken = tuple([clause for clause in self.checks if not clause.rule.holds(facts)])  # type: ignore[union-attr]
        except (KeyError, AttributeError, TypeError):
            self._check_arguments(arguments)
            raise
        self._check_arguments(arguments)
        name = broken[0].accepts[0] if broken else SUCCESS
        return Diagnosis(status=self.tables.status_codes[name], broken=broken)

    def open_clauses(self, arguments: Arguments, product: str | None = None) -> tuple[Clause, ...]:
        """The unspecified clauses a call touches by its arguments alone on a product; None: those open on every one."""
        facts = self.facts(arguments)
        return tuple(
            clause
            for clause in self.clauses
            if clause.outcome == "unspecified"
            and clause.rule is not None
            and (not clause.products or product in clause.products)
            and not clause.rule.holds(facts)
        )

    def reduces(self, arguments: Arguments) -> bool:
        """Whether the call reduces all elements of the broadcast shape to one."""
        reduced = self.output.reduced
        return reduced is not None and all(arguments[name] in numbers for name, numbers in reduced.when.items())

    def output_shape(self, arguments: Arguments) -> Shape | None:
        """The shape that the output of this call should have; None where the inputs do not broadcast."""
        if self.output.reduced is not None and self.reduces(arguments):
            return self.output.reduced.shape
        return broadcast(arguments[p.name].shape for p in self.inputs)

    def ulp(self, arguments: Arguments) -> int:
        """The strict tolerance of a good call's result, in ULP of the coarser of deduced type and output type."""
        facts = self.facts(arguments)
        names = tuple(p.name for p in self.inputs)
        (common,) = facts.deduced(names)
        shape, _ = facts.broadcast(names)
        if common is None or shape is None:
            raise ValueError(f"{self.name}: no result, so no tolerance: {arguments}")
        coarser = min((common, self.tables.dtypes[arguments[self.output.name].dtype]), key=component_bits)
        if coarser.kind == "complex":  # its parts are of the first real type of that size in the table
            bits = component_bits(coarser)
            coarser = next(d for d in self.tables.dtypes.values() if d.kind == "float" and d.bits == bits)
        for accuracy in self.accuracy:
            if (not accuracy.dtype or coarser in accuracy.dtype) and all(
                arguments[name] in [self.parameter(name).values[word] for word in words]
                for name, words in accuracy.when.items()
            ):
                return accuracy.limit(len(shape), prod(shape))
        given = ", ".join(f"{name}={arguments[name]}" for name in self._attributes)
        raise LookupError(f"{self.name}: accuracy says nothing of {given} with {coarser}")

    def _check_arguments(self, arguments: Arguments) -> None:
        if not isinstance(arguments, Mapping):
            raise InputError(f"{self.name}: found {arguments!r}, expected a mapping from parameter names to arguments")
        known = {p.name for p in self.parameters}
        faults = [f"{self.name}: {name}: not given" for name in known - arguments.keys()]
        for name, value in arguments.items():
            where = f"{self.name}: {name}"
            if name in PHASE_ONE_OUTPUTS:
                if value is not None:
                    faults.append(f"{where}: found {value!r}, expected null, or the argument left out")
            elif name not in known:
                faults.append(f"{where}: no such parameter; expected {', '.join(p.name for p in self.parameters)}")
            elif self.parameter(name).kind == "tensor":
                faults += self._check_tensor(where, value)
            elif not fits(kind := self.parameter(name).kind, value):
                faults.append(f"{where}: found {value!r}, expected {_NOUNS[kind]}")
        if faults:
            raise InputError(*sorted(faults))

    def _check_tensor(self, where: str, value: Any) -> list[str]:
        if value is None:
            return []
        try:
            dtype, shape, layout = value.dtype, value.shape, value.format
        except AttributeError:
            return [f"{where}: found {value!r}, expected a tensor or null"]
        faults = []
        if not isinstance(dtype, str) or dtype not in self.tables.dtypes:
            meant = self.tables.spellings.get(dtype) if isinstance(dtype, str) else None
            hint = f"{meant} (its API name)" if meant else f"one of {', '.join(self.tables.dtypes)}"
            faults.append(f"{where}: found type {dtype}, expected {hint}")
        if not isinstance(layout, str) or layout not in self.tables.formats:
            faults.append(f"{where}: found format {layout}, expected one of {', '.join(self.tables.formats)}")
        if type(shape) is not tuple:
            faults.append(f"{where}: found shape {shape!r}, expected a tuple")
        return faults


def component_bits(dtype: DType) -> int:
    """The size of a real number of this type, or of one component of a complex one, in bits."""
    bits = dtype.bits or 0
    return bits // 2 if dtype.kind == "complex" else bits

"""One part of a tier, read: a JSON file of cases and the npz file of their arrays, neither believed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from aclnn_spec.golden import npz
from aclnn_spec.golden.case import SUCCESS, Alternative, Case, Outcome, Tolerance
from aclnn_spec.golden.tensor import Array, Tensor, numpy_dtype, unwritten, with_storage
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import parse_json
from aclnn_spec.spec.model import DType, TensorDesc, Text, contiguous_strides
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import Schemas, Spec

SCHEMA = "https://aclnn-spec.dev/schema"
ReadFile = Callable[[str], bytes]
"""Gives the bytes of a file of the tier, once they are what the manifest says."""

_MAX_BYTES = 2**32  # of an output's storage; the others are bounded by the files they come from
_MAX_ELEMENTS = 2**59  # beyond it NumPy cannot count the bytes of the largest type


def header_of(operator: str, tier: str, part: str) -> dict[str, str]:
    """The fields every part's JSON file begins with."""
    source = f"spec/operators/{operator}.json"
    return {"operator": operator, "tier": tier, "part": part, "generated_from": source}


def is_stored(name: str, operator: Operator, kind: str, alias: Collection[str] = ()) -> bool:
    """Whether a tensor's storage is in the npz file.

    Outputs are all canary before a call, and so are the inputs of a call that must fail: nobody is to read them.
    """
    return name != operator.output.name and kind != "error" and name not in alias


class Part:
    """One part: its JSON parsed; its arrays read when first asked for, and left where they lie."""

    def __init__(self, where: Path, *, spec: Spec, operator: str, tier: str, count: int, file: ReadFile) -> None:
        """Open the part whose JSON file is `where`; `count` is the number of cases the manifest promises."""
        self.name, self.where = where.stem, where
        self._spec, self._file, schemas = spec, file, spec.schemas
        with _at(self.where):
            self._operator = spec.operator(operator)
        document = parse_json(file(self.where.name), self.where)
        cases: Any = document.get("cases") if isinstance(document, dict) else None
        frame = {**document, "cases": []} if isinstance(cases, list) else document
        refuse(schemas.faults("golden", frame, str(self.where)))
        header = {**header_of(self._operator.name, tier, self.name), "cases": count}
        for key, found in {**document, "cases": len(cases)}.items():
            if found != header.get(key, found):
                raise InputError(f"{self.where}: {key}: found {found!r}, expected {header[key]!r}")
        # A case is held against the schema when it is read, so that a large part opens quickly.
        case_schema = {"$ref": f"{SCHEMA}/golden.json#/$defs/case"}
        self._schemas = Schemas(documents={"case": case_schema}, registry=schemas.registry)
        self.records: dict[str, dict[str, Any]] = {}
        for i, record in enumerate(cases):
            case_id = record.get("id") if isinstance(record, dict) else None
            if not isinstance(case_id, str) or case_id in self.records:
                raise InputError(f"{self.where}: cases[{i}]: found the id {case_id!r}, expected one of its own")
            self.records[case_id] = record

    @cached_property
    def _arrays(self) -> Mapping[str, Mapping[str, Callable[[], Array]]]:
        """By case id and name, what gives the array."""
        path = self.where.with_suffix(".npz")
        arrays = npz.read(self._file(path.name), str(path))
        found: dict[str, dict[str, Callable[[], Array]]] = {case_id: {} for case_id in self.records}
        for member in arrays:
            case_id, _, name = member.rpartition("/")
            if case_id not in found:
                raise InputError(f"{path}: member {member!r}: found no case {case_id!r}, expected its id")
            found[case_id][name] = partial(arrays.__getitem__, member)
        return found

    def case(self, case_id: str) -> Case:
        """Read the case of this id, held against everything it speaks of."""
        record, where = self.records[case_id], f"{self.where}: {case_id}"
        refuse(self._schemas.faults("case", record, where))
        arrays = self._arrays[case_id]  # a fault of the archive is not this case's
        with _at(where):
            return self._build(record, arrays)

    def _build(self, record: Mapping[str, Any], arrays: Mapping[str, Any]) -> Case:
        operator, tables, outcome = self._operator, self._spec.tables, record["outcome"]
        tolerance, alternatives = record.get("tolerance"), record.get("alternatives", [])
        open_labels = [(c.id, label) for c in operator.clauses if c.outcome == "unspecified" for label in c.accepts]
        dtypes = [tolerance["dtype"], tolerance["common"]] if tolerance else []
        refuse(
            [
                *_unknown("id", [record["id"].split("/")[0]], [operator.name]),
                *_unknown("clauses", record["clauses"], [clause.id for clause in operator.clauses]),
                *_unknown("outcome.codes", outcome["codes"], ["any_error", *tables.status_codes]),
                *_unknown(
                    "alternatives",
                    [f"{a['clause']}/{a['label']}" for a in alternatives],
                    map("/".join, open_labels),
                ),
                *_unknown("tolerance", dtypes, tables.dtypes),
            ]
        )
        arguments = self._arguments(record)
        results = {"expected": record["expected"]} if "expected" in record else {}
        results |= {f"alternative.{i}": alternative for i, alternative in enumerate(alternatives)}
        tensors = {name for name, value in arguments.items() if isinstance(value, Tensor)}
        wanted = {
            *results,
            *(name for name in tensors if is_stored(name, operator, outcome["kind"], record.get("alias", ()))),
        }
        refuse(_unknown("npz file", arrays, sorted(wanted)))
        if SUCCESS in outcome["codes"] and "expected" not in record:
            raise InputError("expected: found none, expected the values of a call that may succeed")
        output = arguments[operator.output.name]
        values = [self._values(record["id"], name, layout, output) for name, layout in results.items()]
        return Case(
            id=record["id"],
            operator=operator.name,
            group=record["group"],
            clauses=tuple(record["clauses"]),
            reason=Text(**record["reason"]),
            arguments=arguments,
            outcome=Outcome(kind=outcome["kind"], codes=tuple(outcome["codes"])),
            expected=values[0] if values else None,
            alternatives=tuple(
                Alternative(clause=a["clause"], label=a["label"], values=tensor)
                for a, tensor in zip(alternatives, values[1:], strict=True)
            ),
            tolerance=tolerance
            and Tolerance(ulp=int(tolerance["ulp"]), dtype=tables.dtypes[dtypes[0]], common=tables.dtypes[dtypes[1]]),
            alias=record.get("alias", {}),
            order=record.get("order", "twice"),
            partner=record.get("partner"),
        )

    def _arguments(self, record: Mapping[str, Any]) -> dict[str, Any]:
        arguments = {
            name: self._desc(f"arguments.{name}", value) if isinstance(value, dict) else value
            for name, value in record["arguments"].items()
        }
        self._operator.validate(arguments)
        alias: Mapping[str, str] = record.get("alias", {})
        for name, desc in arguments.items():
            if isinstance(desc, TensorDesc) and name not in alias:
                with _at(f"arguments.{name}"):
                    arguments[name] = self._tensor(record, name, desc)
        for name, other in alias.items():
            desc, shared = arguments.get(name), arguments.get(other)
            if not isinstance(desc, TensorDesc) or not isinstance(shared, Tensor) or other in alias:
                raise InputError(f"alias: found {name} on {other}, expected two tensors, one with a storage")
            if (desc.dtype, prod(desc.storage_shape)) != (shared.dtype, shared.storage.size):
                raise InputError(f"alias: found {desc} on {shared}, expected one type and size of storage")
            with _at(f"arguments.{name}"):
                arguments[name] = with_storage(desc, shared.storage)
        return arguments

    def _desc(self, where: str, fields: Mapping[str, Any]) -> TensorDesc:
        tables, layout = self._spec.tables, fields.get("format", "ND")
        dtypes = [name for name, dtype in tables.dtypes.items() if dtype.storage]
        unknown = [
            *_unknown("dtype", [fields["dtype"]], dtypes),
            *_unknown("format", [layout], tables.formats),
        ]
        with _at(where):
            refuse(unknown)
            desc = TensorDesc(
                dtype=tables.dtypes[fields["dtype"]],
                format=tables.formats[layout],
                offset=int(fields.get("offset", 0)),
                **{key: _sizes(fields[key]) for key in ("shape", "strides", "storage_shape") if key in fields},
            )
            if max(prod(size or 1 for size in desc.shape), desc.offset, *desc.strides) >= _MAX_ELEMENTS:
                raise InputError(f"found {desc}, expected a tensor that memory can address")
        return desc

    def _tensor(self, record: Mapping[str, Any], name: str, desc: TensorDesc) -> Tensor:
        dtype, size = self._spec.tables.dtypes[desc.dtype], prod(desc.storage_shape)
        if is_stored(name, self._operator, record["outcome"]["kind"]):
            return with_storage(desc, self._storage(record["id"], name, dtype, size))
        if size * numpy_dtype(dtype).itemsize > _MAX_BYTES:
            raise InputError(f"found a storage of {size} elements, expected at most {_MAX_BYTES} bytes")
        return unwritten(desc, dtype)

    def _values(self, case_id: str, name: str, layout: Mapping[str, Any], output: Any) -> Tensor:
        with _at(name):
            if not isinstance(output, Tensor):
                raise InputError("found values for a null output, expected a tensor")
            strides = _sizes(layout["strides"]) if "strides" in layout else contiguous_strides(output.shape)
            desc = TensorDesc(dtype=output.dtype, shape=output.shape, strides=strides)
            storage = self._storage(case_id, name, self._spec.tables.dtypes[desc.dtype], desc.end)
            return with_storage(replace(desc, storage_shape=storage.shape), storage)

    def _storage(self, case_id: str, name: str, dtype: DType, size: int) -> Array:
        read = self._arrays[case_id].get(name)
        if read is None:
            raise InputError(f"found no array of it in {self.name}.npz, expected {case_id}/{name}")
        array = read()
        if array.dtype != np.dtype(dtype.storage) or array.shape != (size,):
            found = f"{array.dtype} array of shape {array.shape}"
            raise InputError(f"found a {found}, expected {np.dtype(dtype.storage)} and ({size},)")
        return array.view(numpy_dtype(dtype))


def _sizes(values: Iterable[Any]) -> tuple[int, ...]:
    return tuple(map(int, values))  # 2.0 is an integer in JSON, too


def _unknown(where: str, names: Iterable[str], known: Iterable[str]) -> list[str]:
    expected = dict.fromkeys(known)
    return [f"{where}: found {n!r}, expected one of {', '.join(expected)}" for n in names if n not in expected]


def refuse(faults: Iterable[str]) -> None:
    """Raise an InputError of these faults, if there are any."""
    lines = tuple(faults)
    if lines:
        raise InputError(*lines)


@contextmanager
def _at(where: str | Path) -> Iterator[None]:
    """Put the place in front of every fault found within."""
    try:
        yield
    except InputError as error:
        raise InputError(*(f"{where}: {fault}" for fault in error.faults)) from None
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None

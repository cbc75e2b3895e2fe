"""Golden data on disk: a directory for each tier, with a JSON and an npz file for each part, and a manifest.

`spec/schema/golden.json` and `manifest.json` document the files field by field. The smoke and core tiers have
one part per operator, the full tier numbered ones. A reader believes nothing: each file is held against the manifest,
each case against the schema, the operator and its arrays. Faults are InputErrors.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from aclnn_spec.golden import npz
from aclnn_spec.golden.case import Case
from aclnn_spec.golden.part import SCHEMA, Part, header_of, is_stored, refuse
from aclnn_spec.golden.tensor import CANARY, Array, Tensor, bits, blank, with_storage
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import canonical_json, parse_json, read_bytes, replace_all, sha256
from aclnn_spec.spec.model import TensorDesc, contiguous_strides
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import Spec, load_spec

MANIFEST = "manifest.json"
Item = TypeVar("Item")
_SUFFIXES = (".json", ".npz")


@dataclass(frozen=True, kw_only=True)
class GoldenFile:
    """A file's entry in the manifest; `cases` is their number, of a JSON file only."""

    name: str
    bytes: int
    sha256: str
    cases: int | None = None


def part_files(
    operator: Operator, tier: str, part: str, cases: Sequence[Case]
) -> tuple[bytes, Callable[[BinaryIO], None]]:
    """Give the bytes of a part's JSON file, and a function that writes its npz file."""
    records = [_record(case) for case in cases]
    document = {"$schema": f"{SCHEMA}/golden.json", **header_of(operator.name, tier, part)}

    def write(file: BinaryIO) -> None:
        npz.write(file, chain.from_iterable(_members(case, operator) for case in cases))

    # A case's fields stand on a line each: a diff of two editions shows what changed in which.
    return canonical_json({**document, "canary": CANARY, "cases": records}, depth=3), write


def write_part(
    directory: Path, operator: Operator, tier: str, part: str, cases: Sequence[Case]
) -> tuple[GoldenFile, GoldenFile]:
    """Write both files of a part, whole or not at all, and give their entries for the manifest."""
    text, write_arrays = part_files(operator, tier, part, cases)
    document, arrays = directory / f"{part}.json", directory / f"{part}.npz"
    replace_all({document: lambda file: file.write(text), arrays: write_arrays})
    return (
        GoldenFile(name=document.name, bytes=len(text), sha256=sha256(document), cases=len(cases)),
        GoldenFile(name=arrays.name, bytes=arrays.stat().st_size, sha256=sha256(arrays)),
    )


def manifest_bytes(tier: str, spec: Mapping[str, str], files: Iterable[GoldenFile], shard: str | None = None) -> bytes:
    """Give a manifest as bytes; `spec` is a Spec's files, `shard` (`i/n`) marks a partial tier."""
    entries = [{key: value for key, value in vars(file).items() if value is not None} for file in files]
    document = {"$schema": f"{SCHEMA}/manifest.json", "generated_from": "spec/", "tier": tier}
    return canonical_json({**document, "spec": spec, "files": entries, **({} if shard is None else {"shard": shard})})


def _record(case: Case) -> dict[str, Any]:
    tolerance, alternatives = case.tolerance, case.alternatives
    record = {
        "id": case.id,
        "group": case.group,
        "clauses": case.clauses,
        "reason": {"zh": case.reason.zh, "en": case.reason.en},
        "arguments": {
            name: _described(value) if isinstance(value, TensorDesc) else value
            for name, value in case.arguments.items()
        },
        "alias": case.alias or None,
        "outcome": {"kind": case.outcome.kind, "codes": case.outcome.codes},
        "expected": None if case.expected is None else _strides(case.expected),
        "alternatives": [{"clause": a.clause, "label": a.label, **_strides(a.values)} for a in alternatives] or None,
        "tolerance": tolerance and {"ulp": tolerance.ulp, "dtype": tolerance.dtype, "common": tolerance.common},
        "order": None if case.order == "twice" else case.order,
        "partner": case.partner,
    }
    return {key: value for key, value in record.items() if value is not None}


def _described(desc: TensorDesc) -> dict[str, Any]:
    fields = {"dtype": desc.dtype, "shape": desc.shape, **_strides(desc)}
    fields |= {"offset": desc.offset} if desc.offset else {}
    fields |= {"format": desc.format} if desc.format != "ND" else {}
    return fields | ({"storage_shape": desc.storage_shape} if desc.storage_shape != desc.shape else {})


def _strides(desc: TensorDesc) -> dict[str, Any]:
    return {} if desc.strides == contiguous_strides(desc.shape) else {"strides": desc.strides}


def _members(case: Case, operator: Operator) -> Iterator[tuple[str, Array]]:
    for name, value in case.arguments.items():
        if not isinstance(value, Tensor) or name in case.alias:
            continue
        if is_stored(name, operator, case.outcome.kind):
            yield f"{case.id}/{name}", bits(value.storage)
            continue
        raw = (value.storage[:1] if value.repeats else value.storage).view(np.uint8)
        if raw.size and not raw.min() == raw.max() == CANARY:
            raise ValueError(f"{case.id}: {name}: found other bytes, expected the canary: they are not stored")
    if case.expected is not None:
        yield f"{case.id}/expected", bits(case.expected.storage)
    for i, alternative in enumerate(case.alternatives):
        yield f"{case.id}/alternative.{i}", bits(alternative.values.storage)


def shard_of(items: Sequence[Item], shard: str) -> Sequence[Item]:
    """Give the items of a shard `i/n`: every n-th from the i-th on, counted from 1."""
    found = re.fullmatch(r"([1-9]\d{0,8})/([1-9]\d{0,8})", shard, re.ASCII)
    if found is None or int(found[1]) > int(found[2]):
        raise InputError(f"shard: found {shard!r}, expected i/n with i from 1 to n, as in 1/4")
    return items[int(found[1]) - 1 :: int(found[2])]


def load_golden(path: str | Path, spec: Spec | None = None) -> list[Case]:
    """Read the cases of one part, named by either of its two files; the manifest must stand beside them.

    Storages are read-only views of the file's bytes in their true types (BFLOAT16 as ml_dtypes', COMPLEX32 as
    two halves), outputs fresh ones full of the canary. `spec` is the packaged one if left out.
    """
    path = Path(path)
    spec = spec or load_spec()
    golden = Golden(path.parent, spec)
    if path.stem not in golden.parts or path.suffix not in _SUFFIXES:
        raise InputError(f"{path}: found no such part in {MANIFEST}, expected one of {', '.join(golden.parts)}")
    return [_writable(case, spec) for case in golden.part_cases(path.stem)]


def _writable(case: Case, spec: Spec) -> Case:
    """The case with memory of its own for what is not stored."""
    arguments = {
        name: blank(value, spec.tables.dtypes[value.dtype]) if isinstance(value, Tensor) and value.repeats else value
        for name, value in case.arguments.items()
    }
    shared = {name: with_storage(arguments[name], arguments[other].storage) for name, other in case.alias.items()}
    return replace(case, arguments=arguments | shared)


class Golden:
    """A tier on disk, read part by part; one part is held at a time, and longer only by the cases given out.

    `directory` holds the manifest. InputError names the files of the spec that differ from those the data was built
    from.
    """

    def __init__(self, directory: str | Path, spec: Spec) -> None:
        self.directory, self.spec = Path(directory), spec
        where = self.directory / MANIFEST
        data = read_bytes(where)
        manifest = parse_json(data, where)
        refuse(spec.schemas.faults("manifest", manifest, str(where)))
        other = [name for name, _ in sorted(manifest["spec"].items() ^ spec.files.items())]
        if other:
            listed = ", ".join(dict.fromkeys(other))
            raise InputError(f"{where}: golden data was built from another spec: {listed}, run aclnn-spec build")
        self.digest = hashlib.sha256(data).hexdigest()
        self.tier: str = manifest["tier"]
        self.shard: str | None = manifest.get("shard")
        self.files: Mapping[str, Any] = {entry["name"]: entry for entry in manifest["files"]}
        self.parts = tuple(name[:-5] for name in self.files if name.endswith(".json"))
        names = [entry["name"] for entry in manifest["files"]]
        if sorted(names) != sorted(f"{part}{suffix}" for part in self.parts for suffix in _SUFFIXES):
            raise InputError(f"{where}: files: found {', '.join(names)}, expected each part's .json and .npz once")
        self.operators = tuple(dict.fromkeys(map(self.operator_of, self.parts)))
        self._open: Part | None = None

    def operator_of(self, part: str) -> str:
        """Give the name of the operator whose cases a part holds."""
        return part.rpartition("-")[0] if self.tier == "full" else part

    def case_ids(self) -> tuple[str, ...]:
        """Give the ids of all cases, in order."""
        return tuple(self._index)

    def ids(self, shard: str | None = None) -> tuple[str, ...]:
        """Give the ids of all cases, or of those in a shard `i/n`; a partial tier has its own shard alone."""
        if shard in (None, self.shard):
            return self.case_ids()
        chosen = shard_of(self.parts, str(shard))
        if self.shard is not None:
            raise InputError(f"shard: found {shard}, expected {self.shard}: there is no more in {self.directory}")
        if self.tier != "full":
            raise InputError(f"shard: found {shard}, expected none: only the full tier is divided")
        return tuple(case_id for part in chosen for case_id in self._part(part).records)

    def case(self, case_id: str) -> Case:
        """Read the case of this id; its part stays open for the next call."""
        if case_id not in self._index:
            raise InputError(f"{self.directory}: found no case {case_id!r}, expected an id of the {self.tier} tier")
        return self._case(self._index[case_id], case_id)

    def cases(self, shard: str | None = None) -> Iterator[Case]:
        """Read all cases in order, or those in a shard `i/n`."""
        return map(self.case, self.ids(shard))

    def part_cases(self, part: str) -> Iterator[Case]:
        """Read the cases of one part, in order."""
        return (self._case(part, case_id) for case_id in self._part(part).records)

    def file(self, name: str) -> bytes:
        """Read a file of the tier, which must have the size and the SHA-256 that the manifest states."""
        path, entry = self.directory / name, self.files[name]
        data = read_bytes(path)
        for found, expected in (
            (f"{len(data)} bytes", f"{entry['bytes']} bytes"),
            (hashlib.sha256(data).hexdigest(), entry["sha256"]),
        ):
            if found != expected:
                raise InputError(f"{path}: found {found}, expected {expected} as {MANIFEST} says, run aclnn-spec build")
        return data

    @cached_property
    def _index(self) -> Mapping[str, str]:
        index: dict[str, str] = {}
        for part in self.parts:
            for case_id in self._part(part).records:
                if case_id in index:
                    raise InputError(
                        f"{self.directory}: {case_id}: found in {index[case_id]} and {part}, expected once"
                    )
                index[case_id] = part
        return index

    def _part(self, name: str) -> Part:
        if self._open is None or self._open.name != name:
            self._open = None  # its memory may be needed for the next
            entry = self.files[f"{name}.json"]
            self._open = Part(
                self.directory / f"{name}.json",
                spec=self.spec,
                operator=self.operator_of(name),
                tier=self.tier,
                count=entry["cases"],
                file=self.file,
            )
        return self._open

    def _case(self, part: str, case_id: str) -> Case:
        opened = self._part(part)
        case = opened.case(case_id)
        if case.partner is not None and case.partner not in opened.records and case.partner not in self._index:
            raise InputError(f"{opened.where}: {case_id}: partner: found no case {case.partner!r}, expected its id")
        return case

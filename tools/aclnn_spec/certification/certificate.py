"""The certificate: who was judged, by what, on what, the evidence case by case, and the verdict, under a seal."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aclnn_spec.certification.conclude import Observed, conclude
from aclnn_spec.certification.entry import Entry
from aclnn_spec.certification.fault import printable
from aclnn_spec.certification.implementation import Implementation, last_line, scope_of
from aclnn_spec.certification.waivers import Waiver, waive
from aclnn_spec.spec.attributes import INT64
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import canonical_json, read_json, write_atomically
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.read import Schemas, Spec

FORMAT = 1
SCHEMA = "https://aclnn-spec.dev/schema/certificate.json"
_JUDGE = ("spec", "golden", Path(__file__).resolve().parent.name)


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A certificate; the schema `certificate.json` says what each field holds."""

    digests: Mapping[str, str]
    implementation: Mapping[str, Any]
    platform: Mapping[str, str]
    product: str | None
    policy: str
    tier: str
    shard: str | None
    operators: tuple[str, ...]
    verdict: str
    notes: tuple[Text, ...]
    totals: Mapping[str, int]
    observed: Observed
    waivers: tuple[Waiver, ...]
    entries: tuple[Entry, ...]
    format: int = FORMAT
    seal: str = ""

    @property
    def scope(self) -> str:
        """What was judged: full or numerics."""
        scope: str = self.implementation["scope"]
        return scope

    @property
    def computed_seal(self) -> str:
        """SHA-256 over the canonical JSON of everything but the seal."""
        content = {key: value for key, value in self.to_json().items() if key != "seal"}
        return hashlib.sha256(canonical_json(content)).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The document, keys in the schema's order."""
        return {
            "$schema": SCHEMA,
            "format": self.format,
            "verdict": self.verdict,
            "notes": [{"zh": note.zh, "en": note.en} for note in self.notes],
            "totals": dict(self.totals),
            "implementation": dict(self.implementation),
            "platform": dict(self.platform),
            "product": self.product,
            "policy": self.policy,
            "tier": self.tier,
            "shard": self.shard,
            "operators": list(self.operators),
            "digests": dict(self.digests),
            "observed": {
                name: {clause: dict(labels) for clause, labels in clauses.items()}
                for name, clauses in self.observed.items()
            },
            "waivers": [waiver.to_json() for waiver in self.waivers],
            "entries": [entry.to_json() for entry in self.entries],
            "seal": self.seal,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Certificate:
        """The certificate of a document that passed its schema."""
        return cls(
            format=data["format"],
            digests=data["digests"],
            implementation=data["implementation"],
            platform=data["platform"],
            product=data["product"],
            policy=data["policy"],
            tier=data["tier"],
            shard=data["shard"],
            operators=tuple(data["operators"]),
            verdict=data["verdict"],
            notes=tuple(Text(**note) for note in data["notes"]),
            totals=data["totals"],
            observed=data["observed"],
            waivers=tuple(Waiver(**waiver) for waiver in data["waivers"]),
            entries=tuple(Entry.from_json(entry) for entry in data["entries"]),
            seal=data["seal"],
        )

    def save(self, path: str | Path) -> None:
        """Write the certificate; the path holds the old file or the whole new one, whatever happens."""
        with write_atomically(Path(path)) as file:
            file.write(canonical_json(self.to_json()))


def load_certificate(path: str | Path, schemas: Schemas) -> Certificate:
    """Read a certificate; InputError lists what its schema does not allow. Whether it is true, `verify` says."""
    where = Path(path)
    document = read_json(where)
    faults = schemas.faults("certificate", document, where.name)
    if faults:
        raise InputError(*faults)
    return Certificate.from_json(document)


def assemble(
    entries: Iterable[Entry],
    *,
    spec: Spec,
    golden_digest: str,
    implementation: Mapping[str, Any],
    expected: Iterable[str],
    operators: Iterable[str],
    tier: str,
    product: str | None = None,
    policy: str = "strict",
    shard: str | None = None,
    waivers: Iterable[Waiver] = (),
) -> Certificate:
    """Make a sealed certificate of a run's entries.

    `implementation` comes from `describe`; `expected` are the ids the run had to cover, in order.
    """
    order = {case_id: i for i, case_id in enumerate(expected)}
    given = tuple(waivers)
    listed = sorted(waive(entries, given), key=lambda entry: order.get(entry.id, len(order)))
    conclusion = conclude(listed, expected=order, operators=spec.operators, waivers=given)
    certificate = Certificate(
        digests={"spec": spec.digest, "golden": golden_digest, "judge": judge_digest()},
        implementation=implementation,
        platform=platform_now(),
        product=product,
        policy=policy,
        tier=tier,
        shard=shard,
        operators=tuple(operators),
        verdict=conclusion.verdict,
        notes=conclusion.notes,
        totals=conclusion.totals,
        observed=conclusion.observed,
        waivers=given,
        entries=tuple(listed),
    )
    return replace(certificate, seal=certificate.computed_seal)


def describe(implementation: Implementation, given: str) -> dict[str, Any]:
    """What a certificate says of an implementation; `given` is the text that named it.

    `details` that are no texts, numbers or truth values are written as text; an exception from `details()` is itself
    the detail.
    """
    details: Mapping[Any, Any] = {}
    if callable(getattr(implementation, "details", None)):
        try:
            details = dict(implementation.details())  # type: ignore[attr-defined]  # an optional member
        except Exception as error:  # noqa: BLE001 - details are a courtesy and must not end the run
            details = {"error": last_line(error)}
    return {
        "name": printable(implementation.name),
        "version": printable(implementation.version),
        "given": printable(given),
        "scope": scope_of(implementation),
        "details": {printable(str(key)): _plain(value) for key, value in details.items()},
    }


def judge_digest() -> str:
    """SHA-256 over the names and sources of the packages that decide: spec, golden and this one."""
    root = Path(__file__).resolve().parents[1]
    total = hashlib.sha256()
    for package in _JUDGE:
        for path in sorted((root / package).rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
            source = path.read_bytes().replace(b"\r\n", b"\n")
            line = f"{path.relative_to(root).as_posix()} {hashlib.sha256(source).hexdigest()}\n"
            total.update(line.encode())
    return total.hexdigest()


def platform_now() -> dict[str, str]:
    """Where this process runs."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
    }


def _plain(value: Any) -> str | int | float | bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and value in INT64:
        return int(value)
    if isinstance(value, float) and np.isfinite(value):
        return float(value)
    return printable(str(value))

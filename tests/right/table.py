"""What became of the right implementations: certified over the core tier, and written down."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from aclnn_spec import Certificate, certify
from aclnn_spec.golden.store import MANIFEST
from aclnn_spec.spec.read import CHECKOUT, data_root

from . import RIGHT, Kernel, Library
from .base import NAME

HERE = Path(__file__).resolve().parent
TABLE = HERE / "table.json"
JUDGE = ("compare", "conclude", "judge", "memory", "runner", "ulp")
"""The modules of the certification that condemn."""

Row = dict[str, Any]


def digest() -> str:
    """SHA-256 over all the table is made from: golden data, which names the spec, judge, and these implementations."""
    paths = [
        data_root() / "golden" / "core" / MANIFEST,
        *(CHECKOUT / "tools" / "aclnn_spec" / "certification" / f"{name}.py" for name in JUDGE),
        *sorted(HERE.glob("*.py")),
    ]
    return hashlib.sha256("\0".join(path.read_text(encoding="utf-8") for path in paths).encode()).hexdigest()


def observed(certificate: Certificate) -> Mapping[str, tuple[str, ...]]:
    """What a certificate shows: clause → labels."""
    return {clause: tuple(labels) for clause, labels in certificate.observed.get(NAME, {}).items()}


def row(name: str) -> Row:
    """Certify one implementation and give its row; `faults` lists what of it is not as it should be."""
    one = next(each for each in RIGHT if each.name == name)
    certificate = certify(one.make(), product=one.product)
    seen = observed(certificate)
    faults = [note.en for note in certificate.notes]
    faults += [f"{entry.id}: {fault.message.en}" for entry in certificate.entries for fault in entry.faults]
    faults += [
        f"{clause}: found {seen.get(clause, ())}, expected {one.expected.get(clause, ())}"
        for clause in {**one.expected, **seen}
        if seen.get(clause) != one.expected.get(clause)
    ]
    errors = [entry.ulp for entry in certificate.entries if entry.ulp is not None]
    return {
        "name": name,
        "text": {"zh": one.text.zh, "en": one.text.en},
        "version": certificate.implementation["version"],
        "scope": certificate.scope,
        "product": one.product,
        "verdict": certificate.verdict,
        "passed": certificate.totals["pass"],
        "largest_ulp": max(errors, default=None),
        "observed": {clause: list(labels) for clause, labels in seen.items()},
        "faults": faults,
    }


def rows(chosen: Iterable[Kernel | Library], workers: int, say: Callable[[str], object]) -> Iterator[Row]:
    """Certify those that can run here, in processes of their own, and say which cannot."""
    present = []
    for one in chosen:
        if one.missing:
            say(f"{one.name}: skipped: {one.missing}")
        else:
            present.append(one.name)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(row, present)


def document(made: Iterable[Row]) -> dict[str, Any]:
    """The table as it is committed; it holds no faults, as a right implementation has none."""
    return {
        "generated_from": "tests/right, spec and golden/core, by python -m tests.right",
        "digest": digest(),
        "rows": [{key: value for key, value in each.items() if key != "faults"} for each in made],
    }

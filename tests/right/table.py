"""What became of the right implementations: certified over the core tier, and written down."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from aclnn_spec import Certificate
from aclnn_spec.certification.certificate import describe
from aclnn_spec.certification.session import Options, Suite, open_suite, opened
from aclnn_spec.golden.store import MANIFEST
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.read import CHECKOUT, data_root

from . import RIGHT, Library, Steps

HERE = Path(__file__).resolve().parent
TABLE = HERE / "table.json"
JUDGE = ("compare", "conclude", "judge", "memory", "runner", "ulp")
"""The modules of the certification that condemn."""

Row = dict[str, Any]


def digest() -> str:
    """SHA-256 over all the table is made from: golden data and spec, judge, and these implementations."""
    manifest = read_json(data_root() / "golden" / "core" / MANIFEST)
    golden = [entry["sha256"] for entry in manifest["files"]]
    spec = [text for name, text in manifest["spec"].items() if not name.startswith("schema/")]
    paths = [
        *(CHECKOUT / "tools" / "aclnn_spec" / "certification" / f"{name}.py" for name in JUDGE),
        *sorted(HERE.glob("*.py")),
    ]
    texts = [*golden, *spec, *(path.read_text(encoding="utf-8") for path in paths)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def observed(certificate: Certificate, operator: str) -> Mapping[str, tuple[str, ...]]:
    """What a certificate shows of an operator: clause → labels."""
    return {clause: tuple(labels) for clause, labels in certificate.observed.get(operator, {}).items()}


@cache
def suite_of(operator: str, product: str | None) -> Suite:
    """Read an operator's core tier, once in each process."""
    return open_suite(Options(product=product), (operator,), "right")


def certified(one: Steps | Library, suite: Suite, ids: Iterable[str]) -> Certificate:
    """Certify an implementation by these cases of a suite."""
    implementation = one.make()
    with opened(implementation):
        entries = [suite.run(case_id, implementation) for case_id in ids]
        return suite.certificate(entries, describe(implementation, one.name))


def row(key: str) -> Row:
    """Certify one implementation and give its row; `faults` lists what of it is not as it should be."""
    one = next(each for each in RIGHT if each.key == key)
    suite = suite_of(one.operator, one.product)
    certificate = certified(one, suite, suite.ids)
    seen = observed(certificate, one.operator)
    faults = [note.en for note in certificate.notes]
    faults += [f"{entry.id}: {fault.message.en}" for entry in certificate.entries for fault in entry.faults]
    faults += [
        f"{clause}: found {seen.get(clause, ())}, expected {one.expected.get(clause, ())}"
        for clause in {**one.expected, **seen}
        if seen.get(clause) != one.expected.get(clause)
    ]
    errors = [entry.ulp for entry in certificate.entries if entry.ulp is not None]
    return {
        "operator": one.operator,
        "name": one.name,
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


def rows(chosen: Iterable[Steps | Library], workers: int, say: Callable[[str], object]) -> Iterator[Row]:
    """Certify those that can run here, in processes of their own, and say which cannot."""
    present = []
    for one in chosen:
        if one.missing:
            say(f"{one.key}: skipped: {one.missing}")
        else:
            present.append(one.key)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(row, present)


def document(made: Iterable[Row]) -> dict[str, Any]:
    """The table as it is committed; it holds no faults, as a right implementation has none."""
    return {
        "generated_from": "tests/right, spec and golden/core, by python -m tests.right",
        "digest": digest(),
        "rows": [{key: value for key, value in each.items() if key != "faults"} for each in made],
    }

"""The smoke tier: the few cases of the core tier that together condemn every plain mistake of `tests/mutants`.

`golden/smoke.json` lists them by operator; `python -m tests.mutants` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import canonical_json, read_json
from aclnn_spec.spec.read import Spec

SMOKE = "smoke"
LIST = "smoke.json"
SCHEMA = "https://aclnn-spec.dev/schema/smoke.json"


def chosen(path: Path, spec: Spec) -> Mapping[str, tuple[str, ...]]:
    """The ids of the smoke tier's cases by operator, as the file lists them."""
    document: Any = read_json(path)
    faults = spec.schemas.faults("smoke", document, str(path))
    if faults:
        raise InputError(*faults)
    return {operator: tuple(ids) for operator, ids in document["cases"].items()}


def listed(cases: Mapping[str, tuple[str, ...]]) -> bytes:
    """The bytes of the file that lists these cases."""
    return canonical_json({"$schema": SCHEMA, "generated_from": "tests/mutants", "cases": cases})


def smoke_cases(golden: Golden, ids: tuple[str, ...], where: Path) -> list[Case]:
    """Read the listed cases from the core tier, in its order; a case's partner must be listed as well."""
    known = frozenset(golden.case_ids())
    missing = [case_id for case_id in ids if case_id not in known]
    if missing:
        raise InputError(*(f"{where}: found {case_id!r}, expected the id of a core case" for case_id in missing))
    cases = [golden.case(case_id) for case_id in golden.case_ids() if case_id in ids]
    lonely = [case for case in cases if case.partner and case.partner not in ids]
    if lonely:
        raise InputError(*(f"{where}: found {case.id} without its partner {case.partner}" for case in lonely))
    return cases

"""Right implementations are certified, however they compute, and certificates say what is true of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from aclnn_spec.certification.certificate import describe
from aclnn_spec.certification.session import Options, Suite, open_suite, opened
from aclnn_spec.spec.files import canonical_json, read_json
from aclnn_spec.spec.read import Spec
from conftest import NAME
from right import RIGHT, Kernel, Library
from right.table import TABLE, digest, observed

QUICK = [one for one in RIGHT if not one.slow]
ROUNDING = [one for one in RIGHT if one.name in ("native-half", "float-to-output", "toward-zero", "vector-core")]


@pytest.fixture(scope="module")
def suites(small: Path, spec: Spec) -> Callable[[str | None], Suite]:
    """Open the small tier once for each product."""
    return cache(lambda product: open_suite(Options(golden=small, product=product), (NAME,), "right", spec))


@pytest.mark.parametrize("one", QUICK, ids=lambda one: one.name)
def test_right_ones_are_conformant(one: Kernel | Library, suites: Callable[[str | None], Suite]) -> None:
    """A few cases of every sort pass, and show nothing but what is true of the implementation.

    Over the whole core tier `python -m tests.right` says the same, for the others, too.
    """
    if one.missing:
        pytest.skip(one.missing)
    suite, implementation = suites(one.product), one.make()
    with opened(implementation):
        entries = [suite.run(case_id, implementation) for case_id in suite.ids]
    assert [fault.message.en for entry in entries for fault in entry.faults] == []
    certificate = suite.certificate(entries, describe(implementation, one.name))
    assert (certificate.verdict, certificate.notes) == ("conformant", ())
    untrue = {
        (clause, label)
        for clause, labels in observed(certificate).items()
        for label in labels
        if label not in one.expected.get(clause, ())
    }
    assert untrue == set()
    assert len(observed(certificate)) >= 3


@pytest.mark.parametrize("one", ROUNDING, ids=lambda one: one.name)
def test_looser_policy_condemns_no_more(one: Kernel | Library, spec: Spec) -> None:
    """What is computed in a half and stored as FLOAT is judged as a half under the community's policy, too."""
    suite = open_suite(Options(policy="community"), (NAME,), "right", spec)
    cases = [case_id for case_id in suite.ids if "/deduction/" in case_id and "-mean-mix" in case_id]
    implementation = one.make()
    assert [entry.id for entry in (suite.run(each, implementation) for each in cases) if entry.verdict != "pass"] == []


def test_they_differ(spec: Spec) -> None:
    """No two have one name, and the unspecified clauses are seen in every way that a right one can show."""
    names = [one.name for one in RIGHT]
    assert len(set(names)) == len(names) >= 25
    shown = {(clause, label) for one in RIGHT for clause, labels in one.expected.items() for label in labels}
    accepted = {
        (clause.id, label)
        for clause in spec.operators[NAME].clauses
        if clause.outcome == "unspecified"
        for label in clause.accepts
    }
    # Who refuses an alias is recorded with its own code.
    assert accepted - shown == {("aliasing", "any_error")}


def test_table_says_all_are_conformant() -> None:
    """The committed table has a row for each, conformant over the core tier, with the true behaviours."""
    table = read_json(TABLE)
    assert TABLE.read_bytes() == canonical_json(table)
    rows = {row["name"]: (row["verdict"], row["observed"]) for row in table["rows"]}
    expected = {one.name: {clause: list(labels) for clause, labels in one.expected.items()} for one in RIGHT}
    assert rows == {name: ("conformant", labels) for name, labels in expected.items()}


def test_table_is_up_to_date() -> None:
    """Spec, golden data, judge and implementations are those that the table was made from; else run the command."""
    assert read_json(TABLE)["digest"] == digest(), "python -m tests.right"

"""Right implementations are certified, however they compute, and certificates say what is true of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from aclnn_spec.certification.session import Options, Suite, open_suite
from aclnn_spec.spec.files import canonical_json, read_json
from aclnn_spec.spec.read import Spec, load_spec
from conftest import NAME
from right import RIGHT, Library, Steps
from right.table import TABLE, certified, digest, observed

QUICK = [one for one in RIGHT if not one.slow]
EVERY = 19
ROUNDING = [
    one
    for one in RIGHT
    if one.operator == NAME and one.name in ("native-half", "float-to-output", "toward-zero", "vector-core")
]


@pytest.fixture(scope="module")
def suites(small: Path, spec: Spec) -> Callable[[str, str | None], Suite]:
    """Open a suite once for each operator and product: the small tier, or the core's if that does not hold them."""

    def made(operator: str, product: str | None) -> Suite:
        options = Options(golden=small if operator == NAME else None, product=product)
        return open_suite(options, (operator,), "right", spec)

    return cache(made)


@pytest.mark.parametrize("one", QUICK, ids=lambda one: one.key)
def test_right_ones_are_conformant(one: Steps | Library, suites: Callable[[str, str | None], Suite]) -> None:
    """A few cases, of the first operator some of every sort, pass and show nothing but what is true.

    Over the whole core tier `python -m tests.right` says the same, for the others, too.
    """
    if one.missing:
        pytest.skip(one.missing)
    suite = suites(one.operator, one.product)
    whole = one.operator == NAME
    certificate = certified(one, suite, suite.ids if whole else suite.ids[2::EVERY])
    assert [fault.message.en for entry in certificate.entries for fault in entry.faults] == []
    assert certificate.verdict == ("conformant" if whole else "incomplete")
    seen = observed(certificate, one.operator)
    untrue = {
        (clause, label)
        for clause, labels in seen.items()
        for label in labels
        if label not in one.expected.get(clause, ())
    }
    assert untrue == set()
    assert len(seen) >= (3 if whole else 1)


@pytest.mark.parametrize("one", ROUNDING, ids=lambda one: one.name)
def test_looser_policy_condemns_no_more(one: Steps | Library, spec: Spec) -> None:
    """What is computed in a half and stored as FLOAT is judged as a half under the community's policy, too."""
    suite = open_suite(Options(policy="community"), (NAME,), "right", spec)
    cases = [case_id for case_id in suite.ids if "/deduction/" in case_id and "-mean-mix" in case_id]
    implementation = one.make()
    assert [entry.id for entry in (suite.run(each, implementation) for each in cases) if entry.verdict != "pass"] == []


@pytest.mark.parametrize("name", list(load_spec().operators))
def test_they_differ(name: str, spec: Spec) -> None:
    """No two have one name, and the unspecified clauses are seen in every way that a right one can show.

    Kernels that pass NaN on, or refuse what is not in a table, are right for each operator in the same way: what is
    open for all of them is shown in full of the first.
    """
    ones = [one for one in RIGHT if one.operator == name]
    assert len({one.key for one in ones}) == len(ones) >= (25 if name == NAME else 18)
    shown = {(clause, label) for one in ones for clause, labels in one.expected.items() for label in labels}
    accepted = {
        (clause.id, label)
        for clause in spec.operators[name].clauses
        if clause.outcome == "unspecified"
        for label in clause.accepts
    }
    assert {clause for clause, _ in accepted} == {clause for clause, _ in shown}
    if name == NAME:
        # Who refuses an alias is recorded with its own code.
        assert accepted - shown == {("aliasing", "any_error")}


def test_table_says_all_are_conformant() -> None:
    """The committed table has a row for each, conformant over the core tier, with the true behaviours."""
    table = read_json(TABLE)
    assert TABLE.read_bytes() == canonical_json(table)
    rows = {f"{row['operator']}/{row['name']}": (row["verdict"], row["observed"]) for row in table["rows"]}
    expected = {one.key: {clause: list(labels) for clause, labels in one.expected.items()} for one in RIGHT}
    assert rows == {key: ("conformant", labels) for key, labels in expected.items()}


def test_table_is_up_to_date() -> None:
    """Spec, golden data, judge and implementations are those that the table was made from; else run the command."""
    assert read_json(TABLE)["digest"] == digest(), "python -m tests.right"

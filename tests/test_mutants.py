"""The cases condemn every wrong implementation we could think of, and the few of the smoke tier do so as well."""

from __future__ import annotations

import fnmatch

import pytest

from aclnn_spec.golden.cases.author import Author
from aclnn_spec.golden.smoke import LIST, SMOKE, chosen
from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import data_root, load_spec
from mutants.equivalent import arguments
from mutants.families import FAMILIES, mutants
from mutants.narrow import NARROW
from mutants.run import Bench
from mutants.table import MOST, TABLES, kill_table, made_from

SPEC = load_spec()
SMOKE_TIER = Golden(data_root() / "golden" / SMOKE, SPEC)
OPERATORS = [SPEC.operators[name] for name in SMOKE_TIER.operators]


@pytest.fixture(scope="module", params=OPERATORS, ids=lambda operator: operator.name)
def operator(request: pytest.FixtureRequest) -> Operator:
    """Each operator of the smoke tier."""
    found: Operator = request.param
    return found


@pytest.fixture(scope="module")
def bench(operator: Operator) -> Bench:
    """The smoke tier's cases of the operator, run by the right kernel."""
    return Bench(operator, SMOKE_TIER.cases())


def test_every_operator_has_a_smoke_tier() -> None:
    """There is a kill table and a list of smoke cases for each stable operator."""
    stable = {name for name, operator in SPEC.operators.items() if operator.status == "stable"}
    listed = chosen(data_root() / "golden" / LIST, SPEC)
    assert ({*listed}, {path.stem for path in TABLES.glob("*.json")}) == (stable, stable)


def test_the_table_is_up_to_date(operator: Operator) -> None:
    """The kill table was made from these cases, mutants, reference and judge: else run python -m tests.mutants."""
    assert kill_table(operator.name)["digest"] == made_from(operator.name)


def test_the_table_tells_of_every_mutant(operator: Operator) -> None:
    """The table has every mutant once, each condemned by a group that is about its mistake, or argued to be none."""
    rows = kill_table(operator.name)["mutants"]
    every = mutants(operator)
    assert [row["id"] for row in rows] == [mutant.id for mutant in every]
    assert len({mutant.id for mutant in every}) == len(every)
    wrong = [
        mutant.id
        for mutant, row in zip(every, rows, strict=True)
        if ("equivalent" in row) != bool(mutant.equivalent)
        or ("groups" in row and not {*row["groups"]} & {*mutant.groups})
    ]
    assert wrong == []


def test_there_are_enough_by_hand(operator: Operator) -> None:
    """At least 120 mutants are written by hand, many more come from the source, and few are equivalent.

    Of the operator whose results are exact also those of the rounding are made, which tell of every bit.
    """
    every = mutants(operator)
    by_hand = [mutant for mutant in every if mutant.family in FAMILIES]
    assert len(by_hand) >= 120
    assert len(every) - len(by_hand) >= (100 if Author(operator=operator).exact else 35)
    assert sum(bool(mutant.equivalent) for mutant in by_hand) <= len(by_hand) // 50


def test_every_argument_is_used() -> None:
    """No argument of equivalence stands there for a mutant that is gone."""
    used = {mutant.equivalent.en for operator in OPERATORS for mutant in mutants(operator) if mutant.equivalent}
    assert {text.en for operator in OPERATORS for text in arguments(operator).values()} == used


def test_texts_are_told_apart(operator: Operator) -> None:
    """No two mutants written by hand have the same description, in either language."""
    texts = [mutant.text for mutant in mutants(operator) if mutant.family in FAMILIES]
    for language in ("zh", "en"):
        told = [text[language] for text in texts]
        assert sorted({text for text in told if told.count(text) > 1}) == []


def test_the_smoke_tier_is_part_of_the_core(operator: Operator) -> None:
    """The smoke tier holds cases of the core tier as they are, in their order, and no more than it may."""
    core = Golden(data_root() / "golden" / "core", SPEC)
    ids = [case_id for case_id in SMOKE_TIER.case_ids() if case_id.startswith(f"{operator.name}/")]
    assert ids == [case_id for case_id in core.case_ids() if case_id in {*ids}]
    assert len(ids) <= MOST
    for case_id in ids:
        here, there = SMOKE_TIER.case(case_id), core.case(case_id)
        assert (here.outcome, here.clauses, here.order, here.partner) == (
            there.outcome, there.clauses, there.order, there.partner
        )  # fmt: skip
        if there.expected is not None:
            assert here.expected is not None
            assert here.expected.storage.tobytes() == there.expected.storage.tobytes()


def test_the_smoke_tier_condemns_every_plain_mistake(operator: Operator, bench: Bench) -> None:
    """Each mutant is condemned by the smoke cases that the table names; there are some for all but narrow mistakes."""
    survivors = []
    for mutant, row in zip(mutants(operator), kill_table(operator.name)["mutants"], strict=True):
        if mutant.equivalent or (mutant.narrow and not row["smoke"]):
            continue
        outcome = bench.run(mutant, None if mutant.remembers else row["smoke"])
        survivors += [] if outcome.condemned and row["smoke"] else [mutant.id]
    assert survivors == []


def test_narrow_mistakes_are_the_fewer(operator: Operator) -> None:
    """Most mutants are plain, and at least 120 of those are written by hand; the smoke tier finds most narrow ones."""
    every = [mutant for mutant in mutants(operator) if not mutant.equivalent]
    plain = [mutant for mutant in every if not mutant.narrow]
    rows = [row for row in kill_table(operator.name)["mutants"] if row.get("narrow")]
    assert len(plain) > len(every) / 2
    assert sum(mutant.family in FAMILIES for mutant in plain) >= 120
    assert sum(bool(row["smoke"]) for row in rows) > len(rows) / 2


def test_every_pattern_of_narrow_mistakes_is_used() -> None:
    """No pattern stands there for mutants that are gone."""
    ids = [mutant.id for operator in OPERATORS for mutant in mutants(operator)]
    assert [pattern for pattern in NARROW if not fnmatch.filter(ids, pattern)] == []

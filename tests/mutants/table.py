"""The kill table: every mutant, the groups that condemn it, and by which cases of the smoke tier it is condemned."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from aclnn_spec.golden.store import MANIFEST
from aclnn_spec.spec.files import canonical_json, read_json
from aclnn_spec.spec.read import CHECKOUT, data_root

from .cover import cover, ways
from .families import FAMILIES
from .mutant import Mutant
from .run import Bench, Outcome

HERE = Path(__file__).parent
TABLES = HERE / "kills"
_JUDGE = ("compare", "conclude", "judge", "memory", "runner", "ulp")
"""The modules of the certification that condemn."""

Progress = Callable[[int, int], None]


def made_from() -> str:
    """SHA-256 over what a table follows from: the core tier, these mutants, the reference and the judge."""
    package = CHECKOUT / "tools" / "aclnn_spec"
    sources = [
        data_root() / "golden" / "core" / MANIFEST,
        *sorted(HERE.glob("*.py")),
        *sorted((package / "reference").glob("*.py")),
        *(package / "certification" / f"{name}.py" for name in _JUDGE),
    ]
    lines = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in sources]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


class LackingError(Exception):
    """Mutants that are not condemned and should be, or the other way round; one line for each."""


def measured(bench: Bench, mutants: list[Mutant], progress: Progress) -> tuple[dict[str, Any], list[str]]:
    """Run every mutant over the core tier; give the table, and the cases of the smoke tier.

    LackingError names the mutants that survive, those condemned by none of the groups they should be, and those that
    are condemned against the argument that they cannot be.
    """
    outcomes: list[Outcome] = []
    for done, mutant in enumerate(mutants):
        progress(done, len(mutants))
        outcomes.append(bench.run(mutant))
    progress(len(mutants), len(mutants))
    lacking = [line for outcome in outcomes for line in lacks(outcome)]
    if lacking:
        raise LackingError("\n".join(lacking))
    needs = {each.mutant.id: ways(bench, each) for each in outcomes if each.condemned}
    lonely = [
        f"{name}: found no case or two that condemn it by themselves" for name, found in needs.items() if not found
    ]
    if lonely:
        raise LackingError("\n".join(lonely))
    smoke = cover(bench, needs)
    evidence = {name: next(sorted(way) for way in found if way <= {*smoke}) for name, found in needs.items()}
    return document(bench, outcomes, smoke, evidence), smoke


def lacks(outcome: Outcome) -> list[str]:
    """What is wrong with an outcome."""
    mutant = outcome.mutant
    if mutant.equivalent:
        return (
            [f"{mutant.id}: condemned by {outcome.failed[:3]}, though said to be equivalent"]
            if outcome.condemned
            else []
        )
    if not outcome.condemned:
        return [f"{mutant.id}: survives; {mutant.text.en}"]
    if not {*outcome.groups} & {*mutant.groups}:
        return [f"{mutant.id}: condemned by {', '.join(outcome.groups)}, expected one of {', '.join(mutant.groups)}"]
    return []


def document(
    bench: Bench, outcomes: list[Outcome], smoke: list[str], evidence: Mapping[str, list[str]]
) -> dict[str, Any]:
    """The table as it is stored."""
    condemned = [each for each in outcomes if each.condemned]
    return {
        "generated_from": "tests/mutants and golden/core, by python -m tests.mutants",
        "digest": made_from(),
        "operator": bench.operator.name,
        "cases": len(bench.cases),
        "totals": {
            "mutants": len(outcomes),
            "condemned": len(condemned),
            "equivalent": len(outcomes) - len(condemned),
            "smoke": len(smoke),
        },
        "families": {name: {"zh": each.text.zh, "en": each.text.en} for name, each in FAMILIES.items()},
        "mutants": [_row(each, evidence.get(each.mutant.id, [])) for each in outcomes],
    }


def _row(outcome: Outcome, evidence: list[str]) -> dict[str, Any]:
    mutant = outcome.mutant
    text = {"zh": mutant.text.zh, "en": mutant.text.en}
    if mutant.equivalent:
        argument = {"zh": mutant.equivalent.zh, "en": mutant.equivalent.en}
        return {"id": mutant.id, "family": mutant.family, "text": text, "equivalent": argument}
    # What only a rule on the whole run condemns has no case that fails: the cases counted are those that show it.
    counts = Counter(case_id.split("/")[1] for case_id in outcome.failed or outcome.odd)
    return {
        "id": mutant.id,
        "family": mutant.family,
        "text": text,
        "groups": dict(counts),
        "cases": counts.total(),
        "whole_run": not outcome.failed,
        "smoke": evidence,
    }


def path_of(operator: str) -> Path:
    """Where an operator's table is stored."""
    return TABLES / f"{operator}.json"


def write(table: Mapping[str, Any]) -> None:
    """Store a table."""
    TABLES.mkdir(exist_ok=True)
    path_of(table["operator"]).write_bytes(canonical_json(table, depth=3))


def kill_table(operator: str) -> Mapping[str, Any]:
    """The stored table of an operator as data, for pages and tests.

    `mutants` has a row for each: id, family, text in both languages, and either `groups` (group → number of cases
    that condemn it), `cases` (their sum), `whole_run` (whether only a rule on the whole run condemns it) and `smoke`
    (cases of the smoke tier that do by themselves), or `equivalent`, the argument that it cannot be condemned.
    """
    table: Mapping[str, Any] = read_json(path_of(operator))
    return table

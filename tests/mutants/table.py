"""The kill table: every mutant, the groups that condemn it, and by which cases of the smoke tier it is condemned."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.files import canonical_json, read_json
from aclnn_spec.spec.read import CHECKOUT, data_root, load_spec

from .cover import cover, ways
from .families import FAMILIES, mutants
from .run import Bench, Outcome

HERE = Path(__file__).parent
TABLES = HERE / "kills"
TOTALS = data_root() / "golden" / "kills.json"
_JUDGE = ("compare", "conclude", "judge", "memory", "runner", "ulp")
"""The modules of the certification that condemn."""

MOST = 60
"""Cases of an operator that the smoke tier may hold."""


def made_from(operator: str) -> str:
    """SHA-256 over what a table follows from: an operator's core tier and spec, mutants, reference and judge."""
    package = CHECKOUT / "tools" / "aclnn_spec"
    root = data_root()
    sources = [
        *(root / "golden" / "core" / f"{operator}{suffix}" for suffix in (".json", ".npz")),
        root / "spec" / "operators" / f"{operator}.json",
        *sorted((root / "spec" / "tables").glob("*.json")),
        *sorted(HERE.glob("*.py")),
        *sorted((package / "reference").glob("*.py")),
        *(package / "certification" / f"{name}.py" for name in _JUDGE),
    ]
    lines = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in sources]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


class LackingError(Exception):
    """Mutants that are not condemned and should be, or the other way round; one line for each."""


def bench_of(operator: str) -> Bench:
    """An operator's core tier, run by the right kernel."""
    spec = load_spec()
    return Bench(spec.operators[operator], Golden(data_root() / "golden" / "core", spec).part_cases(operator))


def measured(operator: str) -> tuple[dict[str, Any], list[str]]:
    """Run every mutant of an operator over the core tier; give the table, and the cases of the smoke tier.

    LackingError names the mutants that survive, those condemned by none of the groups they should be, and those that
    are condemned against the argument that they cannot be; or says that the smoke tier is too large.
    """
    bench = bench_of(operator)
    outcomes = [bench.run(mutant) for mutant in mutants(bench.operator)]
    lacking = [line for outcome in outcomes for line in lacks(outcome)]
    if lacking:
        raise LackingError("\n".join(lacking))
    condemned = {each.mutant.id for each in outcomes if each.condemned}
    needs = {each.mutant.id: found for each in outcomes if each.condemned and (found := ways(bench, each))}
    plain = {each.mutant.id for each in outcomes if not each.mutant.narrow}
    smoke = cover(
        bench,
        {name: found for name, found in needs.items() if name in plain},
        {name: found for name, found in needs.items() if name not in plain},
        MOST,
    )
    if len(smoke) > MOST:
        raise LackingError(f"{operator}: the plain mistakes take {len(smoke)} cases, expected at most {MOST}")
    evidence = {
        name: sorted(way) for name, found in needs.items() if (way := next((w for w in found if w <= {*smoke}), None))
    }
    # What a mutant that remembers does in one case or two it may not do in all, and the other way round.
    for outcome in outcomes:
        mutant = outcome.mutant
        if outcome.condemned and mutant.remembers:
            found = bench.run(mutant, smoke)
            evidence |= {mutant.id: list(found.failed or found.odd)[:2]} if found.condemned else {}
            if not found.condemned:
                evidence.pop(mutant.id, None)
    lacking = [f"{name}: survives the smoke tier" for name in plain if name in condemned and name not in evidence]
    if lacking:
        raise LackingError("\n".join(sorted(lacking)))
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
        "digest": made_from(bench.operator.name),
        "operator": bench.operator.name,
        "cases": len(bench.cases),
        "totals": {
            "mutants": len(outcomes),
            "condemned": len(condemned),
            "equivalent": len(outcomes) - len(condemned),
            "narrow": sum(each.mutant.narrow for each in condemned),
            "smoke_cases": len(smoke),
            "smoke_condemns": len(evidence),
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
        "narrow": mutant.narrow,
        "smoke": evidence,
    }


def path_of(operator: str) -> Path:
    """Where an operator's table is stored."""
    return TABLES / f"{operator}.json"


def write(table: Mapping[str, Any]) -> None:
    """Store a table, and the totals of all tables where the package has them."""
    TABLES.mkdir(exist_ok=True)
    path_of(table["operator"]).write_bytes(canonical_json(table, depth=3))
    TOTALS.write_bytes(canonical_json(all_totals()))


def all_totals() -> dict[str, Any]:
    """How many mutants there are of each operator that has a table, and how many of them the core tier condemns."""
    names = ("mutants", "condemned", "equivalent")
    totals = {path.stem: read_json(path)["totals"] for path in sorted(TABLES.glob("*.json"))}
    kills = {operator: {name: found[name] for name in names} for operator, found in totals.items()}
    return {"generated_from": "tests/mutants/kills", "kills": kills}


def kill_table(operator: str) -> Mapping[str, Any]:
    """The stored table of an operator as data, for pages and tests.

    `mutants` has a row for each: id, family, text in both languages, and either `equivalent`, the argument that it
    cannot be condemned, or

    - `groups`: group → number of cases that condemn it, where 25 may stand for more, and `cases`, their sum;
    - `whole_run`: whether no case does, but a rule on the whole run; the cases counted are those that show it;
    - `narrow`: whether the mistake is made in one circumstance alone;
    - `smoke`: cases of the smoke tier that condemn it; none if that tier does not, which only a narrow one may show.
    """
    table: Mapping[str, Any] = read_json(path_of(operator))
    return table

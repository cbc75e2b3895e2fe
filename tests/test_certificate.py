"""Certificates: how a verdict comes about, and that none can be changed unnoticed."""

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec.certification.certificate import Certificate, assemble, describe, judge_digest, load_certificate
from aclnn_spec.certification.conclude import broken_rules
from aclnn_spec.certification.entry import VERDICTS, Entry
from aclnn_spec.certification.implementation import from_function
from aclnn_spec.certification.runner import run_case
from aclnn_spec.certification.verify import verify
from aclnn_spec.certification.waivers import Waiver
from aclnn_spec.golden.case import Alternative, Case
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import canonical_json
from miniatures import (
    BASIC,
    CASES,
    MEAN,
    NAME,
    ON_THE_WAY,
    OPERATOR,
    RANK_0,
    SPEC,
    SUBNORMAL,
    Flushing,
    Right,
    WrongSign,
    call,
    case,
    partner_of,
    tensor,
)

GOLDEN = "ab" * 32
NOT_FOLLOWED = (
    f"{NAME}: clause subnormals_on_the_way showed flush ({NAME}/special/a) but subnormals only keep ({NAME}/special/a)"
)
EVERY = Waiver(cases="*", reason="the sign is being repaired")


def run(made: Any, cases: Iterable[Case] = CASES) -> list[Entry]:
    """The entries of an implementation."""
    return [run_case(one, made, operator=OPERATOR, partner=partner_of(one)) for one in cases]


def certificate(entries: Iterable[Entry], made: Any = None, cases: Iterable[Case] = CASES, **more: Any) -> Certificate:
    """A certificate of these entries."""
    return assemble(
        entries,
        spec=SPEC,
        golden_digest=GOLDEN,
        implementation=describe(made or Right(), "miniatures:Right"),
        expected=[one.id for one in cases],
        operators=[NAME],
        tier="core",
        **more,
    )


def problems(one: Certificate, cases: Iterable[Case] = CASES, golden: str = GOLDEN) -> list[str]:
    """What verify says."""
    return verify(one, SPEC, golden, cases)


RIGHT_ENTRIES = tuple(run(Right()))
CONFORMANT = certificate(RIGHT_ENTRIES)


def notes(one: Certificate) -> list[str]:
    """The notes in English."""
    return [note.en for note in one.notes]


def test_conformant() -> None:
    """A run in which every case passed is conformant, and its certificate holds."""
    assert (CONFORMANT.verdict, CONFORMANT.notes, dict(CONFORMANT.totals)) == (
        "conformant",
        (),
        {"pass": len(CASES), "fail": 0, "waived": 0, "skipped": 0},
    )
    assert problems(CONFORMANT) == []


def test_observed_behaviour_is_counted() -> None:
    """The certificate counts what was seen of every unspecified clause."""
    expected = {"rank_0": {"value": 1}, "subnormals": {"keep": 1}, "subnormals_on_the_way": {"keep": 1}}
    assert CONFORMANT.observed == {NAME: expected}


def test_entries_stand_in_the_expected_order() -> None:
    """Whatever order the entries arrive in, the certificate is the same."""
    assert certificate(reversed(RIGHT_ENTRIES)) == CONFORMANT


def test_failure_is_not_conformant() -> None:
    """One failed case suffices."""
    one = certificate(run(WrongSign()))
    assert one.verdict == "not conformant"
    assert notes(one) == [f"failed cases: {one.totals['fail']}"]
    assert problems(one) == []


def test_missing_case_is_incomplete() -> None:
    """A missing case makes a run incomplete if nothing failed, and not conformant if something did."""
    one = certificate(RIGHT_ENTRIES[1:])
    assert (one.verdict, notes(one)) == ("incomplete", [f"cases without an entry: 1, the first is {BASIC.id}"])
    assert certificate(run(WrongSign())[1:]).verdict == "not conformant"


def test_repeated_entry_is_not_conformant() -> None:
    """A case with two entries cannot be relied on."""
    one = certificate([*RIGHT_ENTRIES, RIGHT_ENTRIES[0]])
    assert (one.verdict, notes(one)) == ("not conformant", [f"{BASIC.id} has 2 entries"])


def test_unexpected_entry_is_not_conformant() -> None:
    """A case that is none of the expected ones is said so."""
    one = certificate([*RIGHT_ENTRIES, Entry(id=f"{NAME}/basic/odd", verdict="pass")])
    assert (one.verdict, notes(one)) == ("not conformant", [f"{NAME}/basic/odd is none of the expected cases"])


@pytest.mark.parametrize("entries", [(), (Entry(id=BASIC.id, verdict="skipped"),)])
def test_nothing_passed_is_not_conformant(entries: tuple[Entry, ...]) -> None:
    """A run in which no case passed can never be conformant, an empty one included."""
    one = certificate(entries, cases=[BASIC] if entries else [])
    assert (one.verdict, notes(one)) == ("not conformant", ["no case passed"])


def test_uniform_clause_with_two_labels() -> None:
    """An implementation that flushes here and keeps there is not conformant; the note names a case of each."""
    flushed = replace(SUBNORMAL, id=f"{NAME}/special/second")
    entries = [*RIGHT_ENTRIES, *run(Flushing(), [flushed])]
    one = certificate(entries, cases=[*CASES, flushed])
    assert one.verdict == "not conformant"
    (note,) = notes(one)
    assert note == (
        f"{NAME}: clause subnormals must show one behaviour in a run, found keep ({SUBNORMAL.id}), flush ({flushed.id})"
    )
    assert problems(one, [*CASES, flushed]) == []


def test_two_labels_in_one_case_break_uniformity() -> None:
    """A single case can show both behaviours at once."""
    entry = Entry(id=SUBNORMAL.id, verdict="pass", observed={"subnormals": ("keep", "flush")})
    assert len(broken_rules(SPEC.operators, [entry])) == 1


@pytest.mark.parametrize(
    ("followed", "following", "expected"),
    [
        ((), "flush", []),
        (("keep",), "keep", []),
        (("keep",), "flush", [NOT_FOLLOWED]),
        (("flush",), "flush", []),
        (("flush",), "keep", []),
    ],
)
def test_following_clause(followed: tuple[str, ...], following: str, expected: list[str]) -> None:
    """Flushing on the way needs flushed results, unless none were seen at all."""
    seen = {"subnormals_on_the_way": (following,)} | ({"subnormals": followed} if followed else {})
    found = broken_rules(SPEC.operators, [Entry(id=f"{NAME}/special/a", verdict="pass", observed=seen)])
    assert [note.en for note in found] == expected


def test_waived_run_is_conformant() -> None:
    """A run whose only failures are waived is conformant, and says which cases and why."""
    one = certificate(run(WrongSign()), waivers=[EVERY])
    waived = [entry for entry in one.entries if entry.verdict == "waived"]
    assert (one.verdict, one.totals["fail"], one.totals["waived"]) == ("conformant", 0, len(waived))
    assert {entry.waiver for entry in waived} == {EVERY.reason}
    assert problems(one) == []


def test_stale_waiver_is_not_conformant() -> None:
    """A waiver for nothing that fails must go."""
    one = certificate(RIGHT_ENTRIES, waivers=[EVERY])
    assert (one.verdict, notes(one)) == ("not conformant", ["the waiver for * is stale: no failing case matches it"])
    assert problems(one) == []


def test_json_round_trip(tmp_path: Path) -> None:
    """A saved certificate fits its schema and is read back the same, seal and all."""
    one = certificate(run(WrongSign()), waivers=[EVERY], product="atlas_a2", shard="1/4")
    path = tmp_path / "certificate.json"
    one.save(path)
    assert load_certificate(path, SPEC.schemas) == one
    assert one.seal == one.computed_seal
    assert [entry.name for entry in os.scandir(tmp_path)] == ["certificate.json"]


def test_saving_is_all_or_nothing(tmp_path: Path) -> None:
    """A certificate that cannot be written leaves the old file as it was."""
    path = tmp_path / "certificate.json"
    CONFORMANT.save(path)
    before = path.read_bytes()
    broken = replace(CONFORMANT, implementation={**CONFORMANT.implementation, "details": {"x": float("nan")}})
    with pytest.raises(ValueError, match="JSON"):
        broken.save(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "fine"}, "certificate.json: verdict: 'fine' is not one of conformant, not conformant, incomplete"),
        ({"seal": "x"}, "certificate.json: seal: "),
        ({"more": 1}, "certificate.json: (whole file): unknown key more"),
        ({"entries": [{"id": "a"}]}, "certificate.json: entries[0]: 'verdict' is missing"),
        ({"totals": {}}, "certificate.json: totals: "),
        ({"shard": "one"}, "certificate.json: shard: "),
    ],
)
def test_schema_faults(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """What the schema does not allow is an InputError with its path in the file."""
    path = tmp_path / "certificate.json"
    path.write_bytes(canonical_json({**CONFORMANT.to_json(), **change}))
    with pytest.raises(InputError) as caught:
        load_certificate(path, SPEC.schemas)
    assert str(caught.value).startswith(message)


def test_schema_lists_what_the_code_does() -> None:
    """Verdicts and required fields of schema and code agree."""
    schema = SPEC.schemas.documents["certificate"]
    assert tuple(schema["$defs"]["entry"]["properties"]["verdict"]["enum"]) == VERDICTS
    assert list(schema["properties"]) == list(CONFORMANT.to_json())
    assert schema["required"] == list(schema["properties"])


def resealed(one: Certificate, **changes: Any) -> Certificate:
    """A forger's certificate: changed, with a seal that fits again."""
    changed = replace(one, **changes)
    return replace(changed, seal=changed.computed_seal)


def with_entry(one: Certificate, case_id: str, **changes: Any) -> Certificate:
    """A certificate with one entry changed, resealed."""
    return resealed(one, entries=tuple(replace(e, **changes) if e.id == case_id else e for e in one.entries))


FAILED = certificate(run(WrongSign()))


@pytest.mark.parametrize("name", ["spec", "golden", "judge"])
def test_verify_names_a_wrong_digest(name: str) -> None:
    """A changed digest is named."""
    one = resealed(CONFORMANT, digests={**CONFORMANT.digests, name: "0" * 64})
    assert [line.split(":")[0] for line in problems(one)] == [f"digests.{name}"]


def test_verify_checks_the_golden_data_given() -> None:
    """A certificate of other golden data does not hold."""
    assert [line.split(":")[0] for line in problems(CONFORMANT, golden="cd" * 32)] == ["digests.golden"]


def test_verify_names_a_changed_verdict() -> None:
    """A failure turned into a pass is named by its case, as are the totals that no longer fit."""
    found = problems(with_entry(FAILED, BASIC.id, verdict="pass"))
    assert f"{BASIC.id}: verdict: found 'pass' with faults value" in found
    passed = FAILED.totals["pass"]
    assert f"totals.pass: found {passed}, expected {passed + 1}" in found


def test_verify_names_a_removed_fault() -> None:
    """A failure whose faults were removed too lacks the calls that a pass has."""
    found = problems(with_entry(FAILED, BASIC.id, verdict="pass", faults=()))
    assert f"{BASIC.id}: statuses: found 1 calls, expected 2 of a case run 'twice'" in found


def test_verify_names_a_deleted_and_an_added_case() -> None:
    """Missing, unknown and repeated cases are named."""
    deleted = resealed(CONFORMANT, entries=CONFORMANT.entries[1:])
    assert f"{BASIC.id}: found no entry, expected one" in problems(deleted)
    odd = Entry(id=f"{NAME}/basic/odd", verdict="pass")
    added = resealed(CONFORMANT, entries=(*CONFORMANT.entries, odd))
    assert f"{odd.id}: found an entry, expected none: there is no such case" in problems(added)
    twice = resealed(CONFORMANT, entries=(*CONFORMANT.entries, CONFORMANT.entries[0]))
    assert f"{BASIC.id}: found more than one entry, expected one" in problems(twice)


@pytest.mark.parametrize(
    ("case_id", "changes", "line"),
    [
        (BASIC.id, {"statuses": ((0, 0), (0, 161002))}, "statuses: found [0, 161002], phase 2 answered"),
        (BASIC.id, {"statuses": ((0,), (0, 0))}, "statuses: found [0], expected both phases of a call, or a refusal"),
        (BASIC.id, {"statuses": ((161002, 0), (0, 0))}, "statuses: found [161002, 0], expected both phases"),
        (RANK_0.id, {"statuses": ((161001,), (161001,))}, "statuses: found [161001], phase 1 answered"),
        (MEAN.id, {"ulp": 5.0}, "ulp: found 5, expected at most 4 of a case without a value fault"),
        (MEAN.id, {"ulp": None}, "ulp: found none, expected the largest error"),
        (MEAN.id, {"verdict": "fail"}, "verdict: found 'fail' with no fault"),
        (MEAN.id, {"verdict": "waived", "waiver": "w"}, "waiver: found a waived case, expected a waiver"),
        (MEAN.id, {"waiver": "w"}, "waiver: found a reason in a case with verdict 'pass', expected none"),
        (MEAN.id, {"verdict": "skipped"}, "verdict: found 'skipped', which does not fit a case within the scope"),
        (MEAN.id, {"observed": {"nan_operand": ("zero",)}}, "observed.nan_operand: found zero, expected nothing"),
        (RANK_0.id, {"observed": {"rank_0": ("zero",)}}, "observed.rank_0: found 'zero', expected one of value"),
    ],
)
def test_verify_recomputes_each_entry(case_id: str, changes: dict[str, Any], line: str) -> None:
    """An entry that contradicts its own evidence is named with the field that does."""
    found = problems(with_entry(CONFORMANT, case_id, **changes))
    assert any(each.startswith(f"{case_id}: {line}") for each in found)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"totals": {**CONFORMANT.totals, "pass": 99}}, f"totals.pass: found 99, expected {len(CASES)}"),
        (
            {"observed": {NAME: {"rank_0": {"value": 2}}}},
            f"observed.{NAME}.rank_0.value: found 2, expected 1",
        ),
        ({"verdict": "incomplete"}, "verdict: found 'incomplete', expected 'conformant'"),
        ({"format": 2}, "format: found 2, expected 1"),
        ({"policy": "lenient"}, "policy: found 'lenient', expected one of strict, community"),
        ({"product": "abacus"}, "product: found 'abacus', expected one of "),
        ({"operators": ("aclnnAdd",)}, f"operators: found 'aclnnAdd', expected only {', '.join(SPEC.operators)}"),
        ({"notes": FAILED.notes}, "notes: found 1, expected these: none"),
    ],
)
def test_verify_recomputes_the_head(changes: dict[str, Any], line: str) -> None:
    """A field that does not follow from the entries, or that the spec does not know, is named."""
    assert any(each.startswith(line) for each in problems(resealed(CONFORMANT, **changes)))


def test_verify_names_a_broken_seal() -> None:
    """Any change that was not sealed again is noticed."""
    one = replace(CONFORMANT, platform={**CONFORMANT.platform, "python": "2.7"})
    assert [line.split(":")[0] for line in problems(one)] == ["seal"]


def test_verify_unwaived_failure() -> None:
    """A failure that a waiver covers must stand as waived."""
    one = resealed(FAILED, waivers=(EVERY,))
    assert f"{BASIC.id}: verdict: found 'fail', expected 'waived' by *" in problems(one)


def test_verify_uniformity() -> None:
    """A forged verdict over a broken uniform clause is refused."""
    entries = [*run(Right(), [SUBNORMAL]), *run(Flushing(), [ON_THE_WAY])]
    cases = [SUBNORMAL, ON_THE_WAY]
    one = certificate(entries, cases=cases)
    assert one.verdict == "not conformant"
    forged = resealed(one, verdict="conformant", notes=())
    assert [line.split(":")[0] for line in problems(forged, cases)] == ["notes", "verdict"]


def test_numerics_certificate_holds() -> None:
    """A function's certificate, with most cases skipped, is conformant and says its scope."""

    def f(**given: Any) -> Any:
        return Right().formula(given["gradOutput"], given["self"], given["target"], given["reduction"])

    made = from_function("f", "1", {NAME: f})
    one = certificate(run(made), made)
    assert (one.verdict, one.scope, problems(one)) == ("conformant", "numerics", [])
    assert one.totals["skipped"] == len([each for each in CASES if each.outcome.kind != "value" or each.partner])
    forged = with_entry(one, RANK_0.id, verdict="pass", statuses=((0, 0), (0, 0)), ulp=0.0)
    assert any("which does not fit a case outside the scope 'numerics'" in line for line in problems(forged))


def test_community_certificate_holds() -> None:
    """Under the community policy the error in ULP is no evidence against an entry."""
    off = replace(MEAN, expected=tensor([[0.8334] * 2] * 3))
    entry = run_case(off, Right(), operator=OPERATOR, policy="community")
    one = certificate([entry], cases=[off], policy="community")
    assert (one.verdict, problems(one, [off])) == ("conformant", [])


def test_product_is_part_of_the_verdict() -> None:
    """A refusal that only one product may give holds for that product alone."""

    class Refuses(Right):
        def get_workspace_size(self, operator: str, arguments: Any) -> Any:
            return replace(super().get_workspace_size(operator, arguments), status=161002)

    given = {n: tensor(v.array, "BFLOAT16") for n, v in BASIC.arguments.items() if hasattr(v, "array")}
    refused = case("basic/refused", BASIC.arguments | given, [-1.5, -2.25, 0, 4])
    allowed = case("basic/allowed", call([1.0], [2.0], [1.0]), [1.0])
    entries = [
        run_case(refused, Refuses(), operator=OPERATOR, product="atlas_training"),
        run_case(allowed, Right(), operator=OPERATOR, product="atlas_training"),
    ]
    one = certificate(entries, cases=[refused, allowed], product="atlas_training")
    assert (one.verdict, problems(one, [refused, allowed])) == ("conformant", [])
    elsewhere = resealed(one, product="atlas_a2")
    assert any(line.startswith(f"{refused.id}: statuses: ") for line in problems(elsewhere, [refused, allowed]))


def test_describe_takes_details() -> None:
    """Details of any kind become plain values; an exception becomes a detail itself."""

    class Detailed(Right):
        def details(self) -> Any:
            return {"path": Path("/lib"), "device": 0, "sha256": None, "ratio": float("inf"), "odd": "\udc80"}

    class Broken(Right):
        def details(self) -> Any:
            raise OSError("no driver")

    expected = {"path": "/lib", "device": 0, "sha256": None, "ratio": "inf", "odd": "?"}
    assert describe(Detailed(), "x") == {
        "name": "right",
        "version": "1.0",
        "given": "x",
        "scope": "full",
        "details": expected,
    }
    assert describe(Broken(), "x")["details"]["error"].startswith("OSError: no driver (")


def test_alternative_labels_are_verified() -> None:
    """A label is accepted only of a clause that the case's alternatives or clauses touch."""
    shown = replace(BASIC, alternatives=(Alternative(clause="nan_operand", label="nan", values=tensor([0.0] * 4)),))
    one = certificate(run(Right(), [shown]), cases=[shown])
    forged = with_entry(one, BASIC.id, observed={"nan_operand": ("nan",)})
    assert not any(line.startswith(BASIC.id) for line in problems(forged, [shown]))


def test_judge_digest_is_of_sources() -> None:
    """The judge's digest is a SHA-256 and the same every time."""
    assert (len(judge_digest()), judge_digest()) == (64, CONFORMANT.digests["judge"])


def test_certificate_is_plain_json() -> None:
    """The certificate survives any JSON reader."""
    assert json.loads(canonical_json(CONFORMANT.to_json())) == CONFORMANT.to_json()

"""The smoke tier: what its list may say, and how truthfully the doors speak of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import aclnn_spec
from aclnn_spec.bound import bound_cases
from aclnn_spec.golden.smoke import LIST, SCHEMA, SMOKE, chosen, listed, smoke_cases
from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import data_root, load_spec

SPEC = load_spec()
NAME = "aclnnL1LossBackward"
GOLDEN = data_root() / "golden"
CORE, TIER = Golden(GOLDEN / "core", SPEC), Golden(GOLDEN / SMOKE, SPEC)
WHERE = Path(LIST)
ALONE = next(case_id for case_id in CORE.case_ids() if CORE.case(case_id).partner)
"""A case with a partner."""


def test_the_list_reads_back(tmp_path: Path) -> None:
    """What is written as the list is read as such."""
    path = tmp_path / LIST
    path.write_bytes(listed({NAME: ("a", "b")}))
    assert chosen(path, SPEC) == {NAME: ("a", "b")}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"cases": {NAME: []}}, f"cases.{NAME}: "),
        ({"cases": {NAME: ["a", "a"]}}, f"cases.{NAME}: "),
        ({"cases": {NAME: [1]}}, f"cases.{NAME}[0]: "),
        ({"more": 1}, "more"),
        ({"generated_from": "x"}, "generated_from: "),
    ],
)
def test_faults_of_the_list_are_named(change: Mapping[str, Any], fault: str, tmp_path: Path) -> None:
    """A list that breaks its schema is refused with the file and the place."""
    path = tmp_path / LIST
    document = {"$schema": SCHEMA, "generated_from": "tests/mutants", "cases": {NAME: ["a"]}}
    path.write_text(json.dumps({**document, **change}), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        chosen(path, SPEC)
    assert [line for line in caught.value.faults if str(path) in line and fault in line] != []


def test_cases_come_in_the_order_of_the_core() -> None:
    """Whatever order the list has, the cases keep the core's."""
    ids = CORE.case_ids()[:3]
    assert [case.id for case in smoke_cases(CORE, ids[::-1], WHERE)] == list(ids)


def test_an_id_that_is_gone() -> None:
    """An id that the core tier has not is named."""
    with pytest.raises(InputError, match=r"smoke\.json: found 'x/y/z', expected the id of a core case"):
        smoke_cases(CORE, ("x/y/z",), WHERE)


def test_a_partner_that_is_missing() -> None:
    """A case without its partner is named, with the partner."""
    with pytest.raises(InputError, match=f"found {ALONE} without its partner"):
        smoke_cases(CORE, (ALONE,), WHERE)


def test_the_certificate_says_so(tmp_path: Path, main: Callable[..., Any]) -> None:
    """A certificate of the smoke tier names it, covers its cases and no more, and verifies by its own data."""
    certificate = aclnn_spec.certify("numpy", tier=SMOKE)
    path = tmp_path / "c.json"
    certificate.save(path)
    assert (certificate.verdict, certificate.tier) == ("conformant", SMOKE)
    assert tuple(entry.id for entry in certificate.entries) == TIER.case_ids()
    assert certificate.digests["golden"] == TIER.digest != CORE.digest
    assert main("verify", path, "--lang", "en").stdout == "c.json: the certificate holds, its verdict is conformant\n"


def test_it_cannot_pass_for_the_core(tmp_path: Path, main: Callable[..., Any]) -> None:
    """A certificate of the smoke tier that claims to be of the core is found out."""
    path = tmp_path / "c.json"
    aclnn_spec.certify("numpy", tier=SMOKE).save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(content | {"tier": "core"}), encoding="utf-8")
    ran = main("verify", path, "--lang", "en")
    assert ran.returncode == 1
    assert f"digests.golden: found {TIER.digest}, expected {CORE.digest}" in ran.stdout
    assert "found no entry, expected one" in ran.stdout


@pytest.mark.parametrize(
    ("lang", "verdict"),
    [
        ("en", "Verdict: conformant (smoke tier only, a selection of core)"),
        ("zh", "结论：符合规范（仅限 smoke，即 core 的一小部分）"),
    ],
)
def test_the_summary_says_so(lang: str, verdict: str, main: Callable[..., Any]) -> None:
    """The command's last line never leaves the verdict without the tier."""
    ran = main("certify", "numpy", "--tier", SMOKE, "--lang", lang)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, verdict)


def test_cases_are_bound() -> None:
    """`parametrize` binds the cases of the tier."""
    cases = bound_cases("numpy", tier=SMOKE, operators=(), product=None)
    assert tuple(case.id for case in cases) == TIER.case_ids()


def test_it_has_no_shards(main: Callable[..., Any]) -> None:
    """The tier is small: it is not divided."""
    ran = main("certify", "numpy", "--tier", SMOKE, "--shard", "1/2")
    assert (ran.returncode, ran.stderr) == (
        2,
        "aclnn-spec certify: shard: found 1/2, expected none: only the full tier is divided\n",
    )

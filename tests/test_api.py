"""The function door: certify, check, and cases bound to an implementation."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

import aclnn_spec
from aclnn_spec import InputError
from aclnn_spec.bound import BoundCase, bound_cases
from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.read import Spec, data_root
from conftest import BACKENDS, NAME

LONELY = f"{NAME}/basic/FLOAT-3x1x5-none-plain"


@pytest.fixture(scope="module")
def backends() -> Any:
    """The module of the backends."""
    sys.path.insert(0, str(BACKENDS.parent))
    yield importlib.import_module("backends")
    sys.path.remove(str(BACKENDS.parent))


def test_every_public_name_is_there() -> None:
    """Each name in `__all__` can be had, and no other is offered in its place."""
    assert [name for name in aclnn_spec.__all__ if getattr(aclnn_spec, name).__name__ != name] == []
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        aclnn_spec.nothing  # noqa: B018  # the look-up is the test


def test_certify_stays_a_function() -> None:
    """Importing everything of the package does not put a module in the function's place."""
    for name in ("certification.workers", "pytest_suite", "cli", "bound", "api"):
        importlib.import_module(f"aclnn_spec.{name}")
    assert (callable(aclnn_spec.certify), callable(aclnn_spec.check)) == (True, True)


def test_certify_an_object(backends: Any, small: Path, small_cases: tuple[Any, ...]) -> None:
    """An object is certified in this process; the certificate has an entry for each case, in order."""
    certificate = aclnn_spec.certify(backends.Right(), golden=small)
    assert (certificate.verdict, certificate.scope) == ("conformant", "full")
    assert [entry.id for entry in certificate.entries] == [case.id for case in small_cases]


def test_certify_a_text_is_the_command(small_certificate: Path, small: Path, tmp_path: Path) -> None:
    """The same implementation named by a text gives the same certificate every time."""
    aclnn_spec.certify("numpy", golden=str(small)).save(tmp_path / "c.json")
    assert (tmp_path / "c.json").read_bytes() == small_certificate.read_bytes()


def test_certify_a_function(small: Path) -> None:
    """A plain function's certificate says that only numerics were judged; the other cases are skipped."""

    def backward(**given: Any) -> Any:
        grad, one, other = (given[name].astype("float64") for name in ("gradOutput", "self", "target"))
        values = ((one > other) * 1.0 - (one < other)) * grad
        return values / max(values.size, 1) if given["reduction"] == 1 else values

    one: Any = aclnn_spec.from_function("mine", "0.1", {NAME: backward})
    certificate = aclnn_spec.certify(one, golden=small)
    skipped = {entry.group for entry in certificate.entries if entry.verdict == "skipped"}
    assert (certificate.verdict, certificate.scope) == ("conformant", "numerics")
    assert "status" in skipped
    assert certificate.totals["pass"] + certificate.totals["skipped"] == len(certificate.entries)


@pytest.mark.parametrize(
    ("attribute", "verdict", "seen"),
    [("FlushesAll", "conformant", {"flush"}), ("FlushesHalf", "not conformant", {"keep", "flush"})],
)
def test_subnormals_are_all_or_none(backends: Any, attribute: str, verdict: str, seen: set[str], small: Path) -> None:
    """Flushing every subnormal is conformant, flushing those of one type is not, though each case passes."""
    certificate = aclnn_spec.certify(getattr(backends, attribute)(), golden=small)
    assert (certificate.verdict, certificate.totals["fail"]) == (verdict, 0)
    assert set(certificate.observed[NAME]["subnormals"]) == seen
    assert [note.en.split(",")[0] for note in certificate.notes] == (
        [f"{NAME}: clause subnormals must show one behaviour in a run"] if len(seen) > 1 else []
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tier": "huge"}, "tier: found 'huge', expected one of smoke, core, full"),
        ({"operators": ["aclnnAdd"]}, "operator: found 'aclnnAdd', expected one of "),
        ({"product": "mars"}, "product: found 'mars', expected one of "),
        ({"policy": "lax"}, "policy: found 'lax', expected one of strict, community"),
        ({"shard": "1/2"}, "shard: found 1/2, expected none: only the full tier is divided"),
        ({"golden": "nowhere"}, "nowhere/manifest.json: found No such file or directory"),
        ({"waivers": "none.json"}, "none.json: found No such file or directory"),
    ],
)
def test_options_that_do_not_exist(options: dict[str, Any], message: str) -> None:
    """An option without a meaning is an InputError that names what there is."""
    with pytest.raises(InputError) as caught:
        aclnn_spec.certify("numpy", **options)
    assert message in str(caught.value)


def test_without_names_those_count_that_the_product_supports(spec: Spec) -> None:
    """A product leaves out operators that nobody asked for; one that was asked for is refused."""
    supported = tuple(name for name, each in spec.operators.items() if each.products["atlas_training"])
    left = next(name for name in spec.operators if name not in supported)
    certificate = aclnn_spec.certify("numpy", tier="smoke", product="atlas_training")
    assert (certificate.operators, certificate.verdict) == (supported, "conformant")
    with pytest.raises(InputError, match=f"^product: {left} is not supported on atlas_training "):
        aclnn_spec.certify("numpy", tier="smoke", product="atlas_training", operators=[left])


def test_nothing_is_said_of_operators_without_cases(small: Path) -> None:
    """Data of some operators certifies these alone; who asks for another is told."""
    assert aclnn_spec.certify("numpy", golden=small).operators == (NAME,)
    with pytest.raises(InputError, match=f": found cases of {NAME}, none of aclnnMseLoss$"):
        aclnn_spec.certify("numpy", golden=small, operators=["aclnnMseLoss"])


def test_certify_a_class(backends: Any) -> None:
    """A class where an implementation is expected is refused, before it fails every case."""
    with pytest.raises(InputError, match=r"found the class Right, expected one made of it, as in Right\(\)"):
        aclnn_spec.certify(backends.Right)


def test_certify_what_is_none() -> None:
    """An object that lacks a member is refused by the member's name."""
    with pytest.raises(InputError, match="found a value of type int without 'name'"):
        aclnn_spec.certify(3)  # type: ignore[arg-type]  # what is tested


def test_an_operator_nobody_specified(backends: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An implementation of nothing the spec has is refused, not passed."""
    monkeypatch.setattr(backends.Right, "operators", ("aclnnAdd",))
    with pytest.raises(InputError, match=f"operators: right offers aclnnAdd, expected one of .*{NAME}"):
        aclnn_spec.certify(backends.Right())


def test_check_passes_in_silence() -> None:
    """`check` of a case that passes returns."""
    aclnn_spec.check("numpy", LONELY)


@pytest.mark.parametrize(("lang", "words"), [("en", "hunts: a plain call"), ("zh", "此例查找的错误：")])
def test_check_tells_a_failure(lang: str, words: str) -> None:
    """`check` of a case that fails raises with the whole story, in the language asked for."""
    with pytest.raises(AssertionError) as caught:
        aclnn_spec.check(f"{BACKENDS}:WrongSign", LONELY, lang=lang)
    text = str(caught.value)
    assert (text.splitlines()[0], words in text) == (LONELY, True)
    assert f'aclnn_spec.check("{BACKENDS}:WrongSign", "{LONELY}")' in text


def test_check_of_no_case() -> None:
    """An id that does not exist is an InputError."""
    with pytest.raises(InputError, match="case: found 'x', expected an id of the core tier"):
        aclnn_spec.check("numpy", "x")


def test_open_and_close(backends: Any, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`certify` opens an implementation before the first case and closes it after the last."""
    monkeypatch.setenv("ACLNN_TEST_NOTES", str(tmp_path / "notes"))
    aclnn_spec.certify(backends.Opens(), golden=small)
    assert [line.split()[0] for line in (tmp_path / "notes").read_text("utf-8").splitlines()] == ["open", "close"]


def chosen(implementation: Any, part: str) -> list[BoundCase]:
    """The cases bound to an implementation whose ids contain a text."""
    cases = bound_cases(implementation, tier="core", operators=(), product=None)
    return [case for case in cases if part in case.id]


def test_bound_cases_are_the_suite(spec: Spec) -> None:
    """A full implementation is bound to all cases, a function only to those of its scope."""
    every = bound_cases("numpy", tier="core", operators=(), product=None)
    ids = list(Golden(data_root() / "golden" / "core", spec).case_ids())
    numerics = bound_cases(f"{BACKENDS}:function", tier="core", operators=[NAME], product=None)
    assert [case.id for case in every] == ids
    assert [repr(case) for case in every] == ids
    left_out = set(ids) - {case.id for case in numerics}
    assert {case_id for case_id in ids if "/status/" in case_id} <= left_out
    assert 0 < len(numerics) < len(every)


def test_bound_case_departs_from_the_others(backends: Any) -> None:
    """A case that shows another behaviour than those before fails by itself, and names the one it departs from."""
    cases = chosen(backends.FlushesHalf(), "none-grad-subnormal")
    by_type = {case.id.split("/")[2].split("-")[0]: case for case in cases}
    by_type["FLOAT"].check()
    by_type["BFLOAT16"].check()
    with pytest.raises(AssertionError, match="clause subnormals must show one behaviour in a run") as caught:
        by_type["FLOAT16"].check()
    assert by_type["FLOAT"].id in str(caught.value)
    assert by_type["FLOAT16"].id in str(caught.value)
    by_type["FLOAT"].check()


def test_bound_cases_of_a_uniform_implementation(backends: Any) -> None:
    """An implementation that flushes all subnormals passes them all."""
    cases = chosen(backends.FlushesAll(), "subnormal")
    for case in cases:
        case.check()
    assert len(cases) > 10

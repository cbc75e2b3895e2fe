"""The judges of others are what they are said to be, and the table of what they find is up to date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclnn_spec.golden.case import Tolerance
from aclnn_spec.spec.files import canonical_json, read_json
from aclnn_spec.spec.read import Spec
from competition.cases import COUNT, random_cases
from competition.judges import FULL, JUDGES, STRICT, Judge
from competition.measure import SETS, Bench
from competition.result import Result
from competition.table import TABLE, digest
from conftest import NAME
from right import RIGHT, Kernel

KINDS = {"FLOAT": np.float32, "FLOAT16": np.float16, "BFLOAT16": ml_dtypes.bfloat16, "COMPLEX64": np.complex64}
BY_ID = {judge.id: judge for judge in JUDGES}
ONES = [1.0] * 20000


def result(got: Sequence[Any], expected: Sequence[Any], dtype: str = "FLOAT", common: str = "", ulp: int = 0) -> Result:
    """Put values beside what is expected of them."""
    arrays = [np.asarray(each).astype(KINDS[dtype]) for each in (got, expected)]
    tolerance = Tolerance(ulp=ulp, dtype=dtype, common=common or dtype)
    return Result(got=arrays[0], references=[arrays[1]], dtype=dtype, tolerance=tolerance)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.id)
@pytest.mark.parametrize("dtype", KINDS)
def test_what_is_expected_is_right(judge: Judge, dtype: str) -> None:
    """Equal values pass, and so do NaN for NaN, infinities for themselves and either zero for the other."""
    found = result([1.0, -2.5, np.nan, np.inf, -np.inf, 0.0], [1.0, -2.5, np.nan, np.inf, -np.inf, -0.0], dtype)
    assert not found.equal
    assert judge.accepts(found)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.id)
@pytest.mark.parametrize(
    ("got", "expected"), [(2.0, 1.0), (np.inf, 1.0), (1.0, np.nan), (np.nan, 1.0), (np.inf, -np.inf), (1.0, np.inf)]
)
def test_what_is_far_off_is_wrong(judge: Judge, got: float, expected: float) -> None:
    """Twice the value, and infinity or NaN in the wrong place, are condemned by all."""
    assert not judge.accepts(result([got, 1.0], [expected, 1.0]))


@pytest.mark.parametrize(
    ("judge", "dtype", "expected", "passes", "fails"),
    [
        ("fixed-tolerance", "FLOAT", 1.0, 1.0 + 0.9e-3, 1.0 + 1.1e-3),
        ("fixed-tolerance", "FLOAT", 0.0, 0.9e-7, 1.1e-7),
        ("assert-close", "FLOAT", 0.0, 0.9e-5, 1.1e-5),
        ("assert-close", "FLOAT", 1000.0, 1000.0012, 1000.0015),
        ("assert-close", "FLOAT16", 1000.0, 1001.0, 1002.0),
        ("assert-close", "BFLOAT16", 1.0, 1.0156, 1.0234),
        ("share", "FLOAT", 0.0, 0.9e-4, 1.1e-4),
        ("share", "FLOAT", 10.0, 10.0009, 10.0011),
        ("share", "FLOAT16", 4.0, 4.0039, 4.0078),
        ("relative-errors", "FLOAT", 1.0, 1 + 0.9 * 2**-13, 1 + 1.1 * 2**-13),
        ("relative-errors", "BFLOAT16", 1.0, 1.0, 1.015625),
        ("community", "FLOAT", 0.0, 2**-16, 0.011),
        ("strict-values", "FLOAT", 1.0, 1.0, 1 + 2**-23),
    ],
)
def test_limits(judge: str, dtype: str, expected: float, passes: float, fails: float) -> None:
    """Each judge draws the line where its rule does."""
    assert BY_ID[judge].accepts(result([passes], [expected], dtype))
    assert not BY_ID[judge].accepts(result([fails], [expected], dtype))


@pytest.mark.parametrize(("count", "passes"), [(2, True), (3, False)])
def test_share_of_elements(count: int, passes: bool) -> None:  # noqa: FBT001
    """Of 20 000 elements of FLOAT two may be as wrong as they like."""
    assert BY_ID["share"].accepts(result([*([7.0] * count), *ONES[count:]], ONES)) is passes


@pytest.mark.parametrize(("error", "passes"), [(0.9, True), (1.1, False)])
def test_largest_relative_error(error: float, passes: bool) -> None:  # noqa: FBT001
    """One element may be off by ten times what the mean may."""
    assert BY_ID["relative-errors"].accepts(result([1 + error * 10 * 2**-13, *ONES[1:]], ONES)) is passes


def test_tolerance_is_that_of_the_coarser_type() -> None:
    """What was computed as BFLOAT16 and stored as FLOAT is not judged as FLOAT."""
    for name in ("assert-close", "share", "relative-errors", "community"):
        found = [result([1.0, 1 + 2**-8], [1.0, 1.0], "FLOAT", common) for common in ("FLOAT", "BFLOAT16")]
        assert [BY_ID[name].accepts(each) for each in found] == [False, True]


def test_nearest_reference_counts() -> None:
    """Of several accepted values an element is held against the nearest."""
    got, zero, one = (np.array(values, np.float32) for values in ([0.0, 1.0, np.nan], [0.0] * 3, [1.0, 1.0, np.nan]))
    for judge in JUDGES:
        both = Result(got=got, references=[zero, one], dtype="FLOAT", tolerance=None)
        assert judge.accepts(both)
        assert not judge.accepts(Result(got=got, references=[zero], dtype="FLOAT", tolerance=None))


def test_random_cases_are_what_they_are_said_to_be(spec: Spec) -> None:
    """Dense tensors of one shape and type, of all ranks, types and reductions, with values in [−5, 5]."""
    cases = list(random_cases(spec.operators[NAME]))
    assert len({case.id for case in cases}) == COUNT
    seen = set()
    for case in cases:
        tensors = [case.arguments[name] for name in ("gradOutput", "self", "target", "gradInput")]
        assert len({(tensor.shape, tensor.strides, str(tensor.dtype), tensor.offset) for tensor in tensors}) == 1
        assert max(abs(tensor.array.astype(np.float64)).max() for tensor in tensors[:3]) <= 5
        seen.add((str(tensors[0].dtype), case.arguments["reduction"], len(tensors[0].shape)))
    assert seen == {(d, r, n) for d in ("FLOAT", "FLOAT16", "BFLOAT16") for r in range(3) for n in range(1, 9)}


def test_bench_sees_what_each_can_see(spec: Spec, small_cases: Any) -> None:
    """A flipped sign is seen by all; a wrong status code by this suite alone; a right one by none."""
    operator = spec.operators[NAME]
    bench = Bench(operator=operator, core=small_cases, random=list(random_cases(operator))[9:18])
    right = next(one for one in RIGHT if one.name == "divide")
    assert isinstance(right, Kernel)
    assert bench.condemned(right.make) == set()
    flipped = Kernel(name="flipped", text=right.text, sign=lambda one, other, _: np.sign(other - one))
    assert bench.condemned(flipped.make) == {(judge.id, each) for judge in (*JUDGES, FULL) for each in SETS} - {
        (FULL.id, "core")
    }
    other_code = Kernel(name="other-code", text=right.text, refuses={"rank_0": 161001})
    assert bench.condemned(other_code.make) == {(FULL.id, "core-open")}
    refuses_all = Kernel(name="refuses", text=right.text, refuses={"integer_mix": 161002, "rank_0": 161002})
    assert bench.condemned(refuses_all.make) == set()


def test_table_keeps_its_promises() -> None:
    """This suite catches every wrong implementation and no right one; no other judge of values catches more."""
    table = read_json(TABLE)
    assert TABLE.read_bytes() == canonical_json(table)
    ours = next(judge for judge in table["judges"] if judge["id"] == FULL.id)["sets"]["core-open"]
    assert (ours["kills"], ours["false_alarms"]) == (table["wrong"], 0)
    values = next(judge for judge in table["judges"] if judge["id"] == STRICT.id)["sets"]["core-open"]
    assert (values["kills"], values["false_alarms"]) == (table["wrong"] - table["beyond_values"], 0)
    for judge in table["judges"]:
        for each in judge["sets"].values():
            assert each["kills"] == sum(each["kills_by_family"].values()) <= table["wrong"]
            assert each["false_alarms"] == len(each["alarmed_by"]) <= table["right"]


def test_table_is_up_to_date() -> None:
    """Spec, golden data, judge and implementations are those that the table was made from; else run the command."""
    assert read_json(TABLE)["digest"] == digest(), "python -m tests.competition"

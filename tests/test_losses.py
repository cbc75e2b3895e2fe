"""The losses' references and oracles agree, element by element and in their sums, and are right where it is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aclnn_spec.reference import REFERENCES, evaluate, oracle
from aclnn_spec.reference.exact import Terms, Total, quotients
from aclnn_spec.spec.attributes import c_float, parse_number, spelt, ulp_of
from aclnn_spec.spec.read import load_spec

SPEC = load_spec()
STORAGE = {"FLOAT": "f4", "FLOAT16": "f2", "BFLOAT16": "u2", "DOUBLE": "f8", "INT64": "i8", "INT32": "i4"}
FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")
BETAS = (0.0, 1.0, 0.5, 0.1, 2.0, 1e-3, 100.0, 1e30, 3e-39, math.inf, math.nan)
COUNTS = (1, 3, 7, 1000, 65537, 2**24 + 2)
LOSSES = [name for name in SPEC.operators if name in REFERENCES]

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

Operands = Mapping[str, tuple[list[int], str]]


def both(
    name: str, operands: Operands, output: str, attributes: Mapping[str, float], count: int
) -> tuple[list[Any], list[Any]]:
    """The values that the reference and the oracle give; a sum is a list of one."""
    operator = SPEC.operator(name)
    reduces = operator.reduces(attributes)
    common = str(SPEC.tables.deduce(dtype for _, dtype in operands.values()))
    size = len(operands["self"][0])
    result = np.zeros(1 if reduces else size, STORAGE[output])
    arrays = {
        key: (np.array(words, "i8" if dtype == "INT64" else f"u{np.dtype(STORAGE[dtype]).itemsize}"), dtype)
        for key, (words, dtype) in operands.items()
    }
    evaluate(
        REFERENCES[name].function,
        {key: (array.view(STORAGE[dtype]), dtype) for key, (array, dtype) in arrays.items()},
        common=common,
        output=(result, output),
        attributes=attributes,
        count=None if reduces else count,
        reduces=reduces,
    )
    rows = [{key: (words[i], dtype) for key, (words, dtype) in operands.items()} for i in range(size)]
    given: dict[str, Any] = {"common": common, "output": output, "attributes": attributes}
    if reduces:
        exact = [oracle.compute_sum(name, rows, **given)]
    else:
        exact = [oracle.compute(name, row, **given, count=count) for row in rows]
    if output.startswith("INT"):
        return result.tolist(), exact
    words = result.view(f"u{result.dtype.itemsize}").tolist()
    return [value_of(each, output) for each in words], [value_of(each, output) for each in exact]


def value_of(word: int, dtype: str) -> Any:
    """The number that bits stand for, `nan` for any NaN; the two zeros are one."""
    number = oracle.decode(word, dtype).number
    return "nan" if isinstance(number, float) and math.isnan(number) else number


@st.composite
def calls(draw: st.DrawFn, name: str) -> tuple[Operands, str, dict[str, float], int]:
    """A call on a few elements: any bits, numbers near 1, and operands that are neighbours."""
    operator = SPEC.operator(name)
    names = [p.name for p in operator.inputs]
    dtypes = (
        [draw(st.sampled_from(FLOATS)) for _ in names]
        if draw(st.booleans())
        else [draw(st.sampled_from(FLOATS))] * len(names)
    )
    size = draw(st.sampled_from([1, 2, 5, 17]))
    operands = {key: (draw(words_of(dtype, size)), dtype) for key, dtype in zip(names, dtypes, strict=True)}
    if dtypes[-1] == dtypes[-2] and draw(st.booleans()):
        operands["target"] = ([word ^ draw(st.integers(0, 3)) for word in operands["self"][0]], dtypes[-1])
    attributes: dict[str, float] = {"reduction": draw(st.integers(0, 2))}
    attributes |= {p.name: draw(st.sampled_from(BETAS)) for p in operator.parameters if p.kind == "float"}
    return operands, draw(st.sampled_from((*FLOATS, "DOUBLE"))), attributes, draw(st.sampled_from(COUNTS))


def words_of(dtype: str, size: int) -> st.SearchStrategy[list[int]]:
    """Bits of numbers: any at all, or about one."""
    width = 8 * np.dtype(STORAGE[dtype]).itemsize
    one = {"FLOAT": 0x3F800000, "FLOAT16": 0x3C00, "BFLOAT16": 0x3F80}[dtype]
    step = {"FLOAT": 2**23, "FLOAT16": 2**10, "BFLOAT16": 2**7}[dtype]
    near = st.builds(
        lambda word, sign: word | sign << width - 1, st.integers(one - 3 * step, one + 3 * step), st.integers(0, 1)
    )
    return st.lists(st.one_of(near, near, st.integers(0, 2**width - 1)), min_size=size, max_size=size)


@pytest.mark.parametrize("name", LOSSES)
@quick
@given(data=st.data())
def test_reference_and_oracle_agree(name: str, data: st.DataObject) -> None:
    """Every element and every sum is the exact number, rounded once to the common type and cast."""
    found, exact = both(name, *data.draw(calls(name)))
    assert found == exact


INTEGERS = st.integers(-(2**61), 2**61)


@quick
@given(
    pairs=st.lists(st.tuples(INTEGERS, INTEGERS), min_size=1, max_size=3),
    output=st.sampled_from(("INT64", *FLOATS, "DOUBLE")),
    reduction=st.sampled_from((0, 2)),
)
def test_integers_are_computed_as_integers(pairs: list[tuple[int, int]], output: str, reduction: int) -> None:
    """Where the common type is INT64 no digit is lost before the cast, whatever the size of the numbers."""
    operands = {"self": ([a for a, _ in pairs], "INT64"), "target": ([b for _, b in pairs], "INT64")}
    distances = [abs(a - b) for a, b in pairs]
    if reduction == 2 and sum(distances) >= 2**63:
        return
    found, exact = both("aclnnL1Loss", operands, output, {"reduction": reduction}, 1)
    assert found == exact
    if output == "INT64":
        assert found == ([sum(distances)] if reduction else distances)


def single(value: float) -> int:
    """The bits of a float32."""
    return int(np.float32(value).view(np.uint32))


KNOWN = [
    ("aclnnSmoothL1LossBackward", (3.0, 1.25, 1.0), {"reduction": 0, "beta": 0.5}, 1.5),
    ("aclnnSmoothL1LossBackward", (3.0, 1.5, 1.0), {"reduction": 0, "beta": 0.5}, 3.0),
    ("aclnnSmoothL1LossBackward", (3.0, 1.0, 1.0), {"reduction": 0, "beta": 0.0}, 0.0),
    ("aclnnSmoothL1LossBackward", (3.0, -3.4e38, 3.4e38), {"reduction": 0, "beta": 1.0}, -3.0),
    ("aclnnSmoothL1LossBackward", (3.0, 7.0, 1.0), {"reduction": 0, "beta": math.inf}, 0.0),
    ("aclnnSmoothL1LossBackward", (3.0, 7.0, 1.0), {"reduction": 0, "beta": math.nan}, 3.0),
    ("aclnnMseLossBackward", (3.0, 1.5, 1.0), {"reduction": 0}, 3.0),
    ("aclnnMseLossBackward", (3.0, 1.0, 1.5), {"reduction": 1}, -0.75),
    ("aclnnL1Loss", (1.5, 4.0), {"reduction": 1}, 2.5),
    ("aclnnMseLoss", (1.5, 4.0), {"reduction": 2}, 6.25),
    ("aclnnSmoothL1Loss", (1.5, 1.0), {"reduction": 0, "beta": 1.0}, 0.125),
    ("aclnnSmoothL1Loss", (4.0, 1.0), {"reduction": 1, "beta": 2.0}, 2.0),
    ("aclnnSmoothL1Loss", (4.0, 1.0), {"reduction": 0, "beta": 0.0}, 3.0),
]


@pytest.mark.parametrize(("name", "values", "attributes", "expected"), KNOWN)
def test_values_worked_out_by_hand(
    name: str, values: tuple[float, ...], attributes: dict[str, float], expected: float
) -> None:
    """Both sides of every branch, each factor once, and the divisor."""
    names = [p.name for p in SPEC.operator(name).inputs]
    operands = {key: ([single(value)], "FLOAT") for key, value in zip(names, values, strict=True)}
    count = 4 if name.endswith("Backward") and attributes["reduction"] == 1 else 1
    assert both(name, operands, "FLOAT", attributes, count) == ([expected], [expected])


@pytest.mark.parametrize("name", [each for each in LOSSES if SPEC.operator(each).output.reduced is not None])
def test_of_no_elements_the_sum_is_zero_and_the_mean_nan(name: str) -> None:
    """Nothing adds up to 0, and over no elements it is 0/0."""
    operands: Operands = {"self": ([], "FLOAT16"), "target": ([], "FLOAT16")}
    more = {p.name: 1.0 for p in SPEC.operator(name).parameters if p.kind == "float"}
    assert both(name, operands, "FLOAT", {"reduction": 2, **more}, 1) == ([0], [0])
    assert both(name, operands, "FLOAT", {"reduction": 1, **more}, 1) == (["nan"], ["nan"])


def test_a_sum_is_exact_whatever_its_order_and_size() -> None:
    """Terms 120 binades apart, among them some that cancel, leave what is small; repeating counts every time."""
    parts, huge = np.array([1e30, 1.0, 2.0**-20, -1e30]), np.array([3e38])
    total = Total()
    for block in (huge, parts, parts[::-1], -huge):
        total.add(Terms(parts=(block,), plain=block))
    assert total.value(1, 3)[0] == 6 * (1 + 2.0**-20)


def test_a_quotient_is_rounded_to_odd() -> None:
    """The last bit says on which side of a float64 the exact value lies, also where the parts alone tell."""
    one = np.array([1.0])
    exact = quotients(Terms(parts=(one,), plain=one), 1)
    above = quotients(Terms(parts=(one, one * 2.0**-80), plain=one), 1)
    below = quotients(Terms(parts=(one, one * -(2.0**-80)), plain=one), 1)
    assert (exact[0], above[0], below[0]) == (1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0))


@pytest.mark.parametrize(
    ("formula", "rank", "count", "expected"),
    [
        (3, 8, 10**6, 3),
        ("rank + 2", 4, 10, 6),
        ("6 * sqrt(count) + 4", 1, 100, 64),
        ("6 * sqrt(count) + 4", 1, 2, 13),
        ("6 * sqrt(count) + 4", 2, 0, 4),
    ],
)
def test_tolerances_grow_as_they_say(formula: int | str, rank: int, count: int, expected: int) -> None:
    """A number stands for itself, a rank is added, a root is rounded up."""
    assert ulp_of(formula, rank=rank, count=count) == expected


def test_a_tolerance_of_no_form_is_refused() -> None:
    """Only the forms of the schema are read."""
    with pytest.raises(ValueError, match=r"^found the tolerance 'count', expected a number"):
        ulp_of("count", rank=1, count=1)


def test_a_c_float_is_what_c_makes_of_a_number() -> None:
    """Rounded to nearest, subnormal where it must be, infinite beyond the range."""
    numbers = (0.1, 1, 1e39, -(10**400), 1e-50, 2.0**-149)
    assert [c_float(each) for each in numbers] == [float(np.float32(0.1)), 1.0, math.inf, -math.inf, 0.0, 2.0**-149]
    assert math.copysign(1, c_float(-1e-50)) == -1


@pytest.mark.parametrize(
    ("text", "number"), [("3", 3), ("-7", -7), ("0.5", 0.5), ("1e-3", 1e-3), ("inf", math.inf), ("-inf", -math.inf)]
)
def test_numbers_are_read_as_they_are_written(text: str, number: float) -> None:
    """What JSON and the command line hold of a number is read back as it."""
    assert parse_number(text) == number
    assert parse_number(str(spelt(number))) == number


@pytest.mark.parametrize("text", ["", "one", "1.5.2", "0x10", "infinity", "1e99999"])
def test_other_words_are_no_numbers(text: str) -> None:
    """What is no number is not made one."""
    assert parse_number(text) is None


def test_nan_is_written_as_a_text() -> None:
    """JSON has no NaN."""
    assert (spelt(math.nan), str(parse_number("nan"))) == ("nan", "nan")

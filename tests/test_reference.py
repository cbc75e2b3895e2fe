"""The reference and the oracle agree bit for bit, and each is right where the answer is known by hand."""

import itertools
import math
import tracemalloc
import warnings
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from aclnn_spec.reference import REFERENCES, Common, evaluate, oracle
from aclnn_spec.reference.evaluate import BlockFunction
from aclnn_spec.reference.floats import BFLOAT16, FLOAT, FLOAT16, FORMATS, Format, divide, round_to
from aclnn_spec.spec.errors import InputError

OPERATOR = "aclnnL1LossBackward"
NAMES = ("gradOutput", "self", "target")
FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")
WIDE = ("DOUBLE", "COMPLEX32", "COMPLEX64", "COMPLEX128")
INTEGERS = ("BOOL", "INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64")
NONE, MEAN, SUM = 0, 1, 2

COMPLEX32 = np.dtype([("real", "<f2"), ("imag", "<f2")])
STORAGE = {
    "FLOAT": np.dtype("f4"),
    "FLOAT16": np.dtype("f2"),
    "BFLOAT16": np.dtype("u2"),
    "DOUBLE": np.dtype("f8"),
    "COMPLEX32": COMPLEX32,
    "COMPLEX64": np.dtype("c8"),
    "COMPLEX128": np.dtype("c16"),
    "BOOL": np.dtype("?"),
    **{name: np.dtype(name.lower()) for name in INTEGERS if name != "BOOL"},
}
#: Part of a complex number, as (dtype, bits).
HALF = {"COMPLEX32": ("FLOAT16", 16), "COMPLEX64": ("FLOAT", 32), "COMPLEX128": ("DOUBLE", 64)}

quick = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def common_of(dtypes: tuple[str, ...]) -> str:
    """Deduce the common type of operands of which at least one is a float (FACTS section 2)."""
    floats = {dtype for dtype in dtypes if dtype in FLOATS}
    return floats.pop() if len(floats) == 1 else "FLOAT"


def as_array(elements: list[int], dtype: str) -> NDArray[Any]:
    """Make an array of the dtype from bits, or from integers that stand for themselves."""
    storage = STORAGE[dtype]
    if dtype in FLOATS:
        return np.array(elements, f"u{storage.itemsize}").view(storage)
    return np.array(elements, storage)


def bits_of(array: NDArray[Any], dtype: str) -> list[int]:
    """Read an output's bits, every NaN as the oracle writes it."""
    part, width = HALF.get(dtype, (dtype, 8 * array.dtype.itemsize))
    halves = np.ascontiguousarray(array).view(f"u{width // 8}").ravel().tolist()
    halves = [nan_as_oracle(bits, part) for bits in halves]
    if dtype not in HALF:
        return halves
    return [real | imag << width for real, imag in zip(halves[::2], halves[1::2], strict=True)]


def nan_as_oracle(bits: int, dtype: str) -> int:
    """Leave bits as they are unless they are a NaN's."""
    value = oracle.decode(bits, dtype)
    return oracle.encode(value, dtype) if value.magnitude != value.magnitude else bits


def by_reference(operands: Mapping[str, tuple[list[int], str]], output: str, reduction: int, count: int) -> list[int]:
    """Evaluate the reference over elements and give the bits of its output."""
    arrays = {name: (as_array(elements, dtype), dtype) for name, (elements, dtype) in operands.items()}
    result = np.full(len(operands["self"][0]), 7, STORAGE[output] if output != "COMPLEX32" else "u4")
    result = result.view(STORAGE[output])
    evaluate(
        REFERENCES[OPERATOR].function,
        arrays,
        common=common_of(tuple(dtype for _, dtype in operands.values())),
        output=(result, output),
        attributes={"reduction": reduction},
        count=count,
    )
    return bits_of(result, output)


def by_oracle(operands: Mapping[str, tuple[list[int], str]], output: str, reduction: int, count: int) -> list[int]:
    """Compute the same with the oracle."""
    dtypes = tuple(dtype for _, dtype in operands.values())
    rows = zip(*(elements for elements, _ in operands.values()), strict=True)
    return [
        oracle.compute(
            OPERATOR,
            {name: (bits, dtype) for name, bits, dtype in zip(operands, row, dtypes, strict=True)},
            common=common_of(dtypes),
            output=output,
            attributes={"reduction": reduction},
            count=count,
        )
        for row in rows
    ]


def near_ties(odd: int, power: int) -> tuple[int, int]:
    """Find a significand and a count whose quotient is 1/count of the tie's last bit away from a tie.

    `odd` is the tie: an odd number with one bit more than the format has. The equation is
    significand * 2**power = odd * count ± 1.
    """
    inverse = pow(2**power, -1, odd)
    significand, rest = min((inverse, -1), (odd - inverse, 1))
    return significand, (significand * 2**power + rest) // odd


SPECIAL = {
    name: [0, inf, inf + 1, inf | 1 << p - 2, inf - 1, 1, 2, (1 << p - 1) - 1, 1 << p - 1, one, one + 1]
    for name, p, inf, one in (
        ("FLOAT", 24, 0x7F800000, 0x3F800000),
        ("FLOAT16", 11, 0x7C00, 0x3C00),
        ("BFLOAT16", 8, 0x7F80, 0x3F80),
    )
}


def elements_of(dtype: str) -> st.SearchStrategy[int]:
    """Draw bits of a float (one in three special), or an integer (often near the edges of some width)."""
    if dtype == "BOOL":
        return st.integers(0, 1)
    storage = STORAGE[dtype]
    width = 8 * storage.itemsize
    if dtype in FLOATS:
        special = st.sampled_from([each | sign << width - 1 for each in SPECIAL[dtype] for sign in (0, 1)])
        anything = st.integers(0, 2**width - 1)
        return st.one_of(anything, anything, special)
    low, high = (int(edge) for edge in (np.iinfo(storage).min, np.iinfo(storage).max))
    edges = st.builds(
        lambda sign, power, more: min(max(sign * (2**power + more), low), high),
        st.sampled_from([-1, 1]),
        st.integers(0, width),
        st.integers(-3, 3),
    )
    return st.one_of(st.integers(low, high), edges)


@st.composite
def counts(draw: st.DrawFn) -> int:
    """Draw a count from 1 to 2**50, all lengths alike, often just too long for a float type."""
    exponent = draw(st.integers(0, 49))
    return draw(
        st.one_of(
            st.integers(1, 2**50),
            st.integers(2**exponent, 2 ** (exponent + 1)),
            st.sampled_from([1, 65504, 65536, 2**24, 2**24 + 1, 2**29 - 1, 2**29 + 1, 2**40 + 1, 2**50]),
        )
    )


@st.composite
def calls(draw: st.DrawFn, dtypes: tuple[str, ...]) -> tuple[dict[str, tuple[list[int], str]], int]:
    """Draw operands with ties and neighbours in self and target, and quotients beside ties of rounding."""
    size = 6
    grad, one, other = (draw(st.lists(elements_of(each), min_size=size, max_size=size)) for each in dtypes)
    if dtypes[2] in FLOATS:
        for index in range(0, size, 2):
            copy = oracle.encode(oracle.decode(one[index], dtypes[1]), dtypes[2])
            neighbour = copy + draw(st.integers(-1, 1))
            other[index] = max(0, min(neighbour, 2 ** (8 * STORAGE[dtypes[2]].itemsize) - 1))
    count = draw(counts())
    if dtypes[0] in FLOATS and draw(st.booleans()):
        form = FORMATS[dtypes[0]]
        odd = 2 * draw(st.integers(2 ** (form.precision - 1), 2**form.precision - 1)) + 1
        significand, count = near_ties(odd, draw(st.integers(form.precision + 4, 50)))
        scale = Fraction(2) ** draw(st.integers(form.emin - form.precision + 1, form.emax - form.precision))
        for index in range(1, size, 2):
            value = oracle.Value(negative=draw(st.booleans()), magnitude=significand * scale)
            grad[index] = oracle.encode(value, dtypes[0])
    return dict(zip(NAMES, zip((grad, one, other), dtypes, strict=True), strict=True)), count


@pytest.mark.parametrize("dtypes", list(itertools.product(FLOATS, repeat=3)), ids="-".join)
@quick
@given(data=st.data())
def test_reference_and_oracle_agree_on_every_mix_of_floats(dtypes: tuple[str, ...], data: st.DataObject) -> None:
    """Each of the 27 mixes gives the oracle's bits for each output type and each reduction."""
    operands, count = data.draw(calls(dtypes))
    for output, reduction in itertools.product(FLOATS, (NONE, MEAN, SUM)):
        actual = by_reference(operands, output, reduction, count)
        assert actual == by_oracle(operands, output, reduction, count), (output, reduction)


@pytest.mark.parametrize("integer", INTEGERS)
@quick
@given(data=st.data())
def test_reference_and_oracle_agree_on_integers_mixed_with_a_float(integer: str, data: st.DataObject) -> None:
    """Integers of every width are rounded to the common type once, wherever they stand."""
    dtypes = data.draw(
        st.permutations([integer, data.draw(st.sampled_from(FLOATS)), data.draw(st.sampled_from(FLOATS))])
    )
    operands, count = data.draw(calls(tuple(dtypes)))
    for output, reduction in itertools.product(FLOATS, (NONE, MEAN)):
        actual = by_reference(operands, output, reduction, count)
        assert actual == by_oracle(operands, output, reduction, count), (output, reduction)


@pytest.mark.parametrize("output", WIDE)
@quick
@given(data=st.data())
def test_reference_and_oracle_agree_on_wide_outputs(output: str, data: st.DataObject) -> None:
    """DOUBLE and complex outputs hold the common type's value, and an imaginary part of +0."""
    dtypes = tuple(data.draw(st.sampled_from(FLOATS)) for _ in NAMES)
    operands, count = data.draw(calls(dtypes))
    for reduction in (NONE, MEAN, SUM):
        actual = by_reference(operands, output, reduction, count)
        assert actual == by_oracle(operands, output, reduction, count), reduction


@settings(max_examples=150, deadline=None)
@given(
    form=st.sampled_from([FLOAT, FLOAT16, BFLOAT16]),
    value=st.one_of(
        st.floats(),
        st.builds(math.ldexp, st.integers(-(2**26), 2**26), st.integers(-190, 110)),
    ),
    as_single=st.booleans(),
)
def test_round_to_agrees_with_the_oracle(form: Format, value: float, as_single: bool) -> None:  # noqa: FBT001
    """float32 and float64 values are rounded to each format as the oracle does it, subnormals included."""
    with np.errstate(all="ignore"):
        start = np.array([value], np.float32 if as_single else np.float64)
        actual = round_to(start, form)
    exact = oracle.decode(int(start.astype(np.float64).view(np.uint64)[0]), "DOUBLE")
    expected = oracle.decode(oracle.encode(exact, form.name), form.name)
    seen = oracle.decode(int(actual.view(np.uint32)[0]), "FLOAT")
    assert str(seen.magnitude) == str(expected.magnitude)
    assert seen.negative == expected.negative or math.isnan(value)


@settings(max_examples=150, deadline=None)
@given(
    count=st.one_of(counts(), st.integers(2**50, 2**63 - 1)),
    significand=st.integers(1, 2**24 - 1),
    exponent=st.integers(-149, 100),
)
def test_divide_is_rounded_once_for_any_count(count: int, significand: int, exponent: int) -> None:
    """A FLOAT over any count below 2**63 is the quotient's nearest FLOAT."""
    values = np.ldexp(np.array([significand], np.float32), exponent)
    with np.errstate(all="ignore"):
        actual = round_to(divide(values, count, FLOAT), FLOAT)
    exact = significand * Fraction(2) ** exponent / count
    expected = oracle.encode(oracle.Value(negative=False, magnitude=exact), "FLOAT")
    assert bits_of(actual, "FLOAT") == [expected]


def test_near_ties_catch_a_division_that_is_rounded_twice() -> None:
    """Counts over 2**29 exist for which float64 and then FLOAT is wrong, and the property test draws them."""
    wrong = 0
    for step, power in itertools.product(range(1, 200), (31, 34, 40)):
        significand, count = near_ties(2**24 + 2 * step + 1, power)
        exact = oracle.Value(negative=False, magnitude=Fraction(significand, count))
        expected = oracle.encode(exact, "FLOAT")
        value = np.array([significand], np.float32)
        wrong += bits_of((value / np.float64(count)).astype(np.float32), "FLOAT") != [expected]
        assert bits_of(round_to(divide(value, count, FLOAT), FLOAT), "FLOAT") == [expected]
    assert wrong > 100


@pytest.mark.parametrize(
    ("dtype", "significand", "count", "bits", "twice"),
    [
        ("FLOAT", 5446277, 697122251, 0x3C00000F, 0x3C00000E),
        ("FLOAT", 1862315, 1907010219, 0x3A800001, 0x3A800002),
        ("BFLOAT16", 82, 88432751303731, 0x2B83, 0x2B82),
    ],
)
def test_a_quotient_beside_a_tie_is_rounded_to_its_own_side(
    dtype: str, significand: int, count: int, bits: int, twice: int
) -> None:
    """Quotients that float64 turns into ties: the right bits, and the wrong ones of two roundings."""
    start = oracle.encode(oracle.Value(negative=False, magnitude=Fraction(significand)), dtype)
    zero, one = 0, oracle.encode(oracle.Value(negative=False, magnitude=Fraction(1)), dtype)
    operands = {"gradOutput": ([start], dtype), "self": ([one], dtype), "target": ([zero], dtype)}
    through_float64 = oracle.Value(negative=False, magnitude=Fraction(significand / count))
    assert by_reference(operands, dtype, MEAN, count) == [bits]
    assert by_oracle(operands, dtype, MEAN, count) == [bits]
    assert oracle.encode(through_float64, dtype) == twice


def single(gradOutput: float, self: float, target: float, *, reduction: int = NONE, count: int = 1) -> float:
    """Evaluate the reference on one FLOAT of each."""
    result = np.empty((), np.float32)
    operands = {
        name: (np.array(value, np.float32), "FLOAT")
        for name, value in zip(NAMES, (gradOutput, self, target), strict=True)
    }
    run(REFERENCES[OPERATOR].function, operands, (result, "FLOAT"), reduction=reduction, count=count)
    return float(result)


def run(
    function: BlockFunction,
    operands: Mapping[str, tuple[NDArray[Any], str]],
    output: tuple[NDArray[Any], str],
    *,
    reduction: int = NONE,
    count: int | None = None,
) -> None:
    """Evaluate with the common type that the operands deduce to."""
    common = common_of(tuple(dtype for _, dtype in operands.values()))
    attributes = {"reduction": reduction}
    evaluate(function, operands, common=common, output=output, attributes=attributes, count=count)


def test_the_page_s_own_example() -> None:
    """{0,1,2,3} against ones, mean over 2 x 2: {-0, 0, 0.5, 0.75}."""
    grad = np.arange(4, dtype=np.float32).reshape(2, 2)
    ones = np.ones((2, 2), np.float32)
    result = np.empty((2, 2), np.float32)
    operands = {"gradOutput": (grad, "FLOAT"), "self": (grad, "FLOAT"), "target": (ones, "FLOAT")}
    run(REFERENCES[OPERATOR].function, operands, (result, "FLOAT"), reduction=MEAN)
    assert bits_of(result, "FLOAT") == [0x80000000, 0, 0x3F000000, 0x3F400000]


MAX = float(np.finfo(np.float32).max)
TINY = 2.0**-149


@pytest.mark.parametrize(
    ("gradOutput", "self", "target", "expected"),
    [
        (3.0, MAX, -MAX, "3.0"),
        (3.0, -MAX, MAX, "-3.0"),
        (3.0, TINY, 0.0, "3.0"),
        (3.0, 0.0, -0.0, "0.0"),
        (-3.0, 1.0, 1.0, "-0.0"),
        (-0.0, 2.0, 1.0, "-0.0"),
        (-0.0, 1.0, 2.0, "0.0"),
        (3.0, math.inf, math.inf, "0.0"),
        (3.0, math.nan, 1.0, "0.0"),
        (-3.0, 1.0, math.nan, "-0.0"),
        (math.inf, 1.0, 1.0, "nan"),
        (math.inf, math.nan, 1.0, "nan"),
        (math.inf, 1.0, 2.0, "-inf"),
        (math.nan, 1.0, 2.0, "nan"),
    ],
)
def test_special_values(gradOutput: float, self: float, target: float, expected: str) -> None:
    """Signs where a subtraction overflows or underflows, zeros with their signs, infinities and NaN."""
    assert str(single(gradOutput, self, target)) == expected


def test_values_that_differ_only_in_the_wider_type_differ() -> None:
    """FLOAT16 1 and BFLOAT16 1 meet FLOAT 1 + 2**-23 in FLOAT, where they are smaller."""
    just_above = 0x3F800001
    for dtype, one in (("FLOAT16", 0x3C00), ("BFLOAT16", 0x3F80)):
        operands = {
            "gradOutput": ([one], dtype),
            "self": ([one], dtype),
            "target": ([just_above], "FLOAT"),
        }
        assert by_reference(operands, "FLOAT", NONE, 1) == [0xBF800000]


def test_a_result_beyond_the_output_s_range_is_infinite() -> None:
    """65520 in FLOAT is the least that becomes infinite in FLOAT16 and COMPLEX32."""
    for value, bits in ((65519.0, 0x7BFF), (65520.0, 0x7C00)):
        operands = {
            "gradOutput": (bits_of(np.array([value], np.float32), "FLOAT"), "FLOAT"),
            "self": ([0x3F800000], "FLOAT"),
            "target": ([0], "FLOAT"),
        }
        assert by_reference(operands, "FLOAT16", NONE, 1) == [bits]
        assert by_reference(operands, "COMPLEX32", NONE, 1) == [bits]


def test_an_int64_beyond_53_bits_is_rounded_once() -> None:
    """2**62 + 2**38 + 1 lies just above a tie of FLOAT that float64 would round it to."""
    operands = {
        "gradOutput": ([2**62 + 2**38 + 1, -(2**62) - 2**38 - 1, 2**62 + 2**38], "INT64"),
        "self": ([0x3F800000] * 3, "FLOAT"),
        "target": ([0] * 3, "FLOAT"),
    }
    assert by_reference(operands, "FLOAT", NONE, 1) == [0x5E800001, 0xDE800001, 0x5E800000]


LAYOUTS = ("plain", "transposed", "sliced", "reversed", "expanded", "scalar")


def laid_out(shape: tuple[int, ...], dtype: str, layout: str, numbers: np.random.Generator) -> NDArray[Any]:
    """Make an array that broadcasts to the shape, with small values and many ties, in a layout of memory."""
    if layout == "scalar":
        shape = ()
    full = shape[::-1] if layout == "transposed" else shape
    if layout == "sliced":
        full = tuple(2 * each for each in shape)
    array: NDArray[Any] = np.asarray(numbers.integers(-3, 4, full), np.float32)
    if dtype == "BFLOAT16":
        array = np.right_shift(array.view(np.uint32), 16, out=np.empty(full, np.uint32))
    array = array.astype(STORAGE[dtype])
    if layout == "transposed":
        return array.T
    if layout == "sliced":
        return array[(*(slice(1, None, 2) for _ in shape), ...)]
    if layout == "reversed":
        return array[(*(slice(None, None, -1) for _ in shape), ...)]
    if layout == "expanded":
        return array[(*(slice(0, 1) if axis % 2 else slice(None) for axis in range(len(shape))), ...)]
    return array


@settings(max_examples=120, deadline=None)
@given(
    shape=st.one_of(
        st.lists(st.integers(0, 4), max_size=4),
        st.just([1, 2, 1, 3, 2, 1, 2, 2]),
        st.just([2, 1, 2, 1, 2, 1, 2, 1, 2]),
        st.just([70_000]),
        st.just([3, 40_000]),
    ).map(tuple),
    layouts=st.tuples(*[st.sampled_from(LAYOUTS)] * 3),
    dtypes=st.tuples(*[st.sampled_from(FLOATS)] * 3),
    output_layout=st.sampled_from(LAYOUTS[:4]),
    reduction=st.sampled_from([NONE, MEAN, SUM]),
    seed=st.integers(0, 2**32 - 1),
)
def test_views_give_what_their_flat_copies_give(
    shape: tuple[int, ...],
    layouts: tuple[str, ...],
    dtypes: tuple[str, ...],
    output_layout: str,
    reduction: int,
    seed: int,
) -> None:
    """Ranks 0 to 9, empty or of several blocks, any strides: as if every operand were copied out and flat."""
    numbers = np.random.default_rng(seed)
    views = [laid_out(shape, dtype, layout, numbers) for dtype, layout in zip(dtypes, layouts, strict=True)]
    result = laid_out(shape, "FLOAT", output_layout, numbers)
    operands = dict(zip(NAMES, zip(views, dtypes, strict=True), strict=True))
    before = [view.tobytes() for view in views]
    run(REFERENCES[OPERATOR].function, operands, (result, "FLOAT"), reduction=reduction)
    flat = {name: (np.broadcast_to(view, shape).ravel(), dtype) for name, (view, dtype) in operands.items()}
    size = math.prod(shape)
    expected, unreduced = np.empty((2, size), np.float32)
    run(REFERENCES[OPERATOR].function, flat, (expected, "FLOAT"), reduction=reduction, count=max(size, 1))
    run(REFERENCES[OPERATOR].function, flat, (unreduced, "FLOAT"), reduction=NONE)
    values = {name: decoded(*each) for name, each in flat.items()}
    by_hand = np.sign(values["self"] - values["target"]) * values["gradOutput"]
    assert result.ravel().tobytes() == expected.tobytes()
    assert np.array_equal(unreduced, by_hand)
    assert [view.tobytes() for view in views] == before


def decoded(array: NDArray[Any], dtype: str) -> NDArray[np.float64]:
    """Read an array of small whole numbers as float64."""
    if dtype == "BFLOAT16":
        array = (array.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return array.astype(np.float64)


def test_elements_outside_the_output_s_view_keep_their_bits() -> None:
    """A gap of one element around and between the output's elements is left alone."""
    storage = np.full((5, 7), 9, np.float32)
    ones = np.ones((2, 3), np.float32)
    operands = {"gradOutput": (ones, "FLOAT"), "self": (ones, "FLOAT"), "target": (-ones, "FLOAT")}
    run(REFERENCES[OPERATOR].function, operands, (storage[1::2, 1::2], "FLOAT"))
    expected = np.full((5, 7), 9, np.float32)
    expected[1::2, 1::2] = 1
    assert np.array_equal(storage, expected)


def test_the_output_may_be_an_operand() -> None:
    """An output that is one of the operands, element for element, gets the right value in every block."""
    numbers = np.random.default_rng(0)
    for name in NAMES:
        arrays = {each: numbers.integers(-3, 4, 200_000).astype(np.float32) for each in NAMES}
        expected = np.sign(arrays["self"] - arrays["target"]) * arrays["gradOutput"]
        operands = {each: (array, "FLOAT") for each, array in arrays.items()}
        run(REFERENCES[OPERATOR].function, operands, (arrays[name], "FLOAT"))
        assert np.array_equal(arrays[name], expected), name


def test_axes_along_which_nothing_moves_cost_nothing() -> None:
    """2**48 elements in one place of memory take one step, and mean divides by all of them."""
    shape = (2**12,) * 4
    one, zero, cell = (np.full((), value, np.float32) for value in (1, 0, 7))
    result = np.lib.stride_tricks.as_strided(cell, shape, (0,) * 4)
    operands = {"gradOutput": (one, "FLOAT"), "self": (one, "FLOAT"), "target": (zero, "FLOAT")}
    run(REFERENCES[OPERATOR].function, operands, (result, "FLOAT"), reduction=MEAN)
    assert float(cell) == 2.0**-48


@pytest.mark.parametrize("output", ["FLOAT", "COMPLEX128"])
@pytest.mark.parametrize("count", [None, 2**29 + 1])
def test_extra_memory_stays_under_64_mib(output: str, count: int | None) -> None:
    """2**24 elements of mixed types, transposed against one another, need blocks only."""
    side = 2**12
    operands = {
        "gradOutput": (np.zeros((side, side), np.float16), "FLOAT16"),
        "self": (np.zeros((side, side), np.int64).T, "INT64"),
        "target": (np.zeros((side, 1), np.uint16), "BFLOAT16"),
    }
    result = np.empty((side, side), STORAGE[output])
    tracemalloc.start()
    try:
        run(REFERENCES[OPERATOR].function, operands, (result, output), reduction=MEAN, count=count)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 64 * 2**20
    assert not result.any()


def test_no_numpy_warning_and_no_changed_error_state() -> None:
    """Overflow, NaN and underflow pass in silence, also where the caller has NumPy raise on them."""
    bits = [each | sign << 31 for each in SPECIAL["FLOAT"] for sign in (0, 1)]
    rows = list(zip(*itertools.product(bits, repeat=3), strict=True))
    operands = {name: (list(row), "FLOAT") for name, row in zip(NAMES, rows, strict=True)}
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        state = np.geterr()
        for output, count in itertools.product(("FLOAT16", "BFLOAT16", "COMPLEX32", "COMPLEX64"), (3, 2**29 + 1)):
            by_reference(operands, output, MEAN, count)
        assert np.geterr() == state


def labelled(clause: str, call: tuple[float, float, float], common: Format = FLOAT) -> list[tuple[str, str]]:
    """Give the values that a clause's readings have for one element, for none."""
    gradOutput, self, target = (np.array([each], np.float32) for each in call)
    setting = Common(format=common, count=1)
    with np.errstate(all="ignore"):
        return [
            (
                reading.label,
                str(float(reading.function(gradOutput, self, target, reduction=NONE, common=setting)[0])),
            )
            for reading in REFERENCES[OPERATOR].readings
            if reading.clause == clause
        ]


@pytest.mark.parametrize(
    ("clause", "call", "expected"),
    [
        (
            "nan_operand",
            (3.0, math.nan, 1.0),
            [("zero", "0.0"), ("nan", "nan"), ("plus_minus_grad", "3.0"), ("plus_minus_grad", "-3.0")],
        ),
        ("grad_nonfinite_at_tie", (math.inf, 1.0, 1.0), [("nan", "nan"), ("zero", "0.0")]),
        ("grad_nonfinite_at_tie", (math.nan, 1.0, 1.0), [("nan", "nan"), ("zero", "0.0")]),
        ("equal_infinities", (3.0, -math.inf, -math.inf), [("zero", "0.0"), ("nan", "nan")]),
        ("subnormals_on_the_way", (3.0, 2.0**-126, 1.5 * 2.0**-126), [("flush", "0.0"), ("flush", "0.0")]),
        ("subnormals_on_the_way", (3.0, 0.75 * 2.0**-126, -0.75 * 2.0**-126), [("flush", "0.0")] * 2),
        ("subnormals_on_the_way", (math.inf, TINY, 0.0), [("flush", "0.0"), ("flush", "nan")]),
    ],
)
def test_readings_of_unspecified_clauses(
    clause: str, call: tuple[float, float, float], expected: list[tuple[str, str]]
) -> None:
    """Each accepted value of a clause is there under its label."""
    assert labelled(clause, call) == expected


def test_readings_flush_by_the_common_type_s_own_smallest_normal() -> None:
    """A difference of 2**-15 is subnormal in FLOAT16 alone."""
    call = (3.0, 2.0**-15, 0.0)
    assert labelled("subnormals_on_the_way", call, FLOAT16) == [("flush", "0.0"), ("flush", "0.0")]
    assert labelled("subnormals_on_the_way", call, BFLOAT16) == [("flush", "3.0"), ("flush", "3.0")]


def test_readings_divide_for_mean() -> None:
    """The gradient that a NaN operand lets through is divided by the count."""
    gradOutput, self, target = (np.array([each], np.float32) for each in (3.0, math.nan, 1.0))
    setting = Common(format=FLOAT, count=4)
    seen = {
        float(reading.function(gradOutput, self, target, reduction=MEAN, common=setting)[0])
        for reading in REFERENCES[OPERATOR].readings
        if reading.label == "plus_minus_grad"
    }
    assert seen == {0.75, -0.75}


@settings(max_examples=60, deadline=None)
@given(data=st.data(), reduction=st.sampled_from([NONE, MEAN, SUM]))
def test_readings_keep_the_usual_value_elsewhere(data: st.DataObject, reduction: int) -> None:
    """Operands that no unspecified clause is about get the same bits from every reading."""
    normal = st.floats(0.5, 100, width=32)
    grads, low, gaps = (data.draw(st.lists(normal, min_size=4, max_size=4)) for _ in NAMES)
    gradOutput, self, target = (np.array(each, np.float32) for each in (grads, low, np.add(low, gaps)))
    setting = Common(format=FLOAT, count=7)
    usual = REFERENCES[OPERATOR].function(gradOutput, self, target, reduction=reduction, common=setting)
    for reading in REFERENCES[OPERATOR].readings:
        actual = reading.function(gradOutput, self, target, reduction=reduction, common=setting)
        assert actual.tobytes() == usual.tobytes(), reading


GOOD = {name: (np.zeros(3, np.float32), "FLOAT") for name in NAMES}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"common": "DOUBLE"}, "common: found DOUBLE, expected FLOAT, FLOAT16, BFLOAT16, INT64"),
        (
            {"operands": {**GOOD, "self": (np.zeros(3), "FLOAT")}},
            "self: found FLOAT in an array of float64, expected float32",
        ),
        (
            {"operands": {**GOOD, "target": (np.zeros(3), "DOUBLE")}},
            "target: found DOUBLE in an array of float64, expected one of NumPy's kinds biu",
        ),
        (
            {"output": (np.zeros(3, np.int32), "INT32")},
            "output: found INT32 in an array of int32, expected one of NumPy's kinds fcV",
        ),
        (
            {"output": (np.zeros(4, np.float32), "FLOAT")},
            "gradOutput: found shape (3,), expected one that broadcasts to (4,)",
        ),
        ({"count": 0}, f"count: found 0, expected 1 to {2**63 - 1}"),
        ({"count": 2**63}, f"count: found {2**63}, expected 1 to {2**63 - 1}"),
    ],
)
def test_arrays_that_do_not_fit_are_named(change: dict[str, Any], message: str) -> None:
    """Each misfit says where it is, what was found and what was expected."""
    call = {
        "operands": GOOD,
        "common": "FLOAT",
        "output": (np.zeros(3, np.float32), "FLOAT"),
        "attributes": {"reduction": MEAN},
        **change,
    }
    with pytest.raises(InputError) as caught:
        evaluate(REFERENCES[OPERATOR].function, **call)
    assert str(caught.value) == message


def test_the_oracle_reads_and_writes_every_16_bit_pattern() -> None:
    """All FLOAT16 and BFLOAT16 patterns have NumPy's value, and come back as they were but for NaN."""
    bits = np.arange(2**16, dtype=np.uint16)
    with np.errstate(all="ignore"):
        values = {
            "FLOAT16": bits.view(np.float16).astype(np.float64),
            "BFLOAT16": (bits.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64),
        }
    for dtype, expected in values.items():
        exact = [oracle.decode(each, dtype) for each in range(2**16)]
        actual = np.array([math.copysign(each.magnitude, -1 if each.negative else 1) for each in exact])
        assert np.array_equal(actual, expected, equal_nan=True)
        assert np.array_equal(np.signbit(actual), bits >= 2**15)
        back = np.array([oracle.encode(each, dtype) for each in exact])
        assert np.array_equal(back[~np.isnan(actual)], bits[~np.isnan(actual)])


def test_the_oracle_has_one_nan() -> None:
    """Whatever its sign and payload, a NaN is written positive, quiet, and otherwise empty."""
    seen = {dtype: oracle.encode(oracle.Value(negative=True, magnitude=math.nan), dtype) for dtype in (*FLOATS, *WIDE)}
    assert seen == {
        "FLOAT": 0x7FC00000,
        "FLOAT16": 0x7E00,
        "BFLOAT16": 0x7FC0,
        "DOUBLE": 0x7FF8000000000000,
        "COMPLEX32": 0x7E00,
        "COMPLEX64": 0x7FC00000,
        "COMPLEX128": 0x7FF8000000000000,
    }


def test_every_reference_has_an_oracle() -> None:
    """The two registries name the same operators, and neither can be changed."""
    assert list(REFERENCES) == list(oracle.ORACLES)
    for registry in (REFERENCES, oracle.ORACLES, FORMATS):
        with pytest.raises(TypeError):
            registry["x"] = None  # type: ignore[index]

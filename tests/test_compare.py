"""The comparison of arrays agrees with a slow one, element by element in exact arithmetic, and with hand-made cases."""

import math
import tracemalloc
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from aclnn_spec.certification.compare import Comparison, compare, compare_community
from aclnn_spec.certification.ulp import BINARIES
from aclnn_spec.spec.errors import InputError
from test_ulp import PARAMETERS, Value, distance_of, rounded, special, value_of

COMPLEX32 = np.dtype([("real", "<f2"), ("imag", "<f2")])
STORAGE: dict[str, np.dtype[Any]] = {
    "FLOAT": np.dtype("f4"),
    "FLOAT16": np.dtype("f2"),
    "BFLOAT16": np.dtype("u2"),
    "DOUBLE": np.dtype("f8"),
    "COMPLEX32": COMPLEX32,
    "COMPLEX64": np.dtype("c8"),
    "COMPLEX128": np.dtype("c16"),
}
PART = {"COMPLEX32": "FLOAT16", "COMPLEX64": "FLOAT", "COMPLEX128": "DOUBLE"}
BLOCK = 1 << 16

exact = partial(compare, dtype="FLOAT", common="FLOAT", ulp=0)
within_4 = partial(compare, dtype="FLOAT", common="FLOAT", ulp=4)
policy = partial(compare_community, dtype="FLOAT", rtol=2**-10, atol=2**-16, share=0.99, limit=0.01, max_ulp=32)

Element = Sequence[Value]
"""The parts of an element: one, or two of a complex number."""


def floats(*values: float) -> NDArray[np.float32]:
    """Make a FLOAT array."""
    return np.array(values, np.float32)


def moved(array: NDArray[np.float32], places: int) -> NDArray[np.float32]:
    """Move positive numbers by some places."""
    return (array.view(np.int32) + np.int32(places)).view(np.float32)


def agreed(**changes: Any) -> Comparison:
    """Make the outcome of a comparison without a difference, but for some fields."""
    usual: dict[str, Any] = {"wrong": 0, "first": None, "worst": None, "worst_distance": 0.0, "distance": 0.0}
    return Comparison(**{**usual, "seen": (), "base_seen": (), **changes})


def parts(array: NDArray[Any], dtype: str) -> list[Element]:
    """Read a one-dimensional array exactly."""
    part = PART.get(dtype, dtype)
    bits = array.view(BINARIES[part].unsigned).reshape(array.size, -1).tolist()
    return [[value_of(each, part) for each in element] for element in bits]


def conclude(
    apart: Sequence[Sequence[float]], right: Sequence[Sequence[bool]], same: Sequence[Sequence[bool]], faulty: list[int]
) -> Comparison:
    """Put a comparison together from one row per reference: distances, matches, and which equal the first one."""
    best = [min(column) for column in zip(*apart, strict=True)]
    worst = max(faulty, key=lambda i: (best[i], -i)) if faulty else None
    base, *others = right
    return Comparison(
        wrong=len(faulty),
        first=faulty[0] if faulty else None,
        worst=worst,
        worst_distance=float(best[worst]) if worst is not None else 0.0,
        distance=float(max((each for i, each in enumerate(best) if i not in faulty), default=0)),
        seen=tuple(any(m and not b for m, b in zip(match, base, strict=True)) for match in others),
        base_seen=tuple(
            any(b and not m and not s for m, b, s in zip(match, base, equal, strict=True))
            for match, equal in zip(others, same, strict=True)
        ),
    )


def slow_compare(got: NDArray[Any], references: list[NDArray[Any]], *, dtype: str, common: str, ulp: int) -> Comparison:
    """Compare as the docstring of `compare` defines it."""
    part, narrow = PART.get(dtype, dtype), PART.get(common, common)

    def apart_by(a: float, b: float) -> float:
        plain = distance_of(a, b, part)
        if not ulp or plain == math.inf:
            return plain
        ends = rounded(a, narrow), rounded(b, narrow)
        if all(each in (math.inf, -math.inf) for each in ends) and isinstance(a, Fraction) and isinstance(b, Fraction):
            unit = Fraction(2) ** (max(abs(a), abs(b)).__floor__().bit_length() - 1)
            ends = rounded(a / unit, narrow), rounded(b / unit, narrow)
        return min(plain, distance_of(*ends, narrow))

    def measure(one: Element, other: Element) -> float:
        return max(apart_by(a, b) for a, b in zip(one, other, strict=True))

    result, values = parts(got, dtype), [parts(each, dtype) for each in references]
    apart = [[measure(a, b) for a, b in zip(result, each, strict=True)] for each in values]
    right = [[distance <= ulp for distance in row] for row in apart]
    same = [[[*map(repr, a)] == [*map(repr, b)] for a, b in zip(values[0], each, strict=True)] for each in values[1:]]
    faulty = [i for i, column in enumerate(zip(*right, strict=True)) if not any(column)]
    return conclude(apart, right, same, faulty)


def slow_community(
    got: NDArray[Any],
    references: list[NDArray[Any]],
    *,
    dtype: str,
    rtol: float,
    atol: float,
    share: float,
    limit: float,
    max_ulp: int,
) -> Comparison:
    """Compare as the docstring of `compare_community` defines it."""
    part = PART.get(dtype, dtype)

    def near(a: Value, g: Value, most: Callable[[Fraction], Fraction]) -> bool:
        if isinstance(a, Fraction) and isinstance(g, Fraction):
            return abs(a - g) <= most(abs(g))
        return distance_of(a, g, part) == 0

    def rows(test: Callable[[Value, Value], Any], join: Callable[[Any], Any]) -> list[list[Any]]:
        return [
            [join([test(*pair) for pair in zip(a, b, strict=True)]) for a, b in zip(result, each, strict=True)]
            for each in values
        ]

    result, values = parts(got, dtype), [parts(each, dtype) for each in references]
    apart = rows(lambda a, g: distance_of(a, g, part), max)
    close = rows(lambda a, g: near(a, g, lambda size: Fraction(atol) + Fraction(rtol) * size), all)
    within = rows(lambda a, g: near(a, g, lambda _: Fraction(limit)) or distance_of(a, g, part) <= max_ulp, all)
    same = [[[*map(repr, a)] == [*map(repr, b)] for a, b in zip(values[0], each, strict=True)] for each in values[1:]]
    not_close, beyond = (
        [i for i, column in enumerate(zip(*each, strict=True)) if not any(column)] for each in (close, within)
    )
    enough = len(result) - len(not_close) >= share * len(result)
    return conclude(apart, close, same, beyond if enough else not_close)


def random_arrays(numbers: np.random.Generator, dtype: str, common: str, count: int, size: int) -> list[NDArray[Any]]:
    """Make arrays that often agree or nearly do: corners of both formats and numbers a few places from them."""
    part = PART.get(dtype, dtype)
    binary, pool = BINARIES[part], special(part)
    for each in special(PART.get(common, common)):
        value = value_of(each, PART.get(common, common))
        if isinstance(value, Fraction) and isinstance(rounded(value, part), Fraction):
            as_double = np.array([float(rounded(value, part))])
            pool += from_value(as_double, part).tolist()
    shape = size * (2 if dtype in PART else 1)
    base = numbers.choice(np.array(pool, np.uint64), shape)
    arrays = []
    for _ in range(count):
        step = numbers.choice(
            [0, 0, 0, 1, 2, 5, 1 << max(binary.fraction - 9, 0), 3 << max(binary.fraction - 8, 0)], shape
        )
        changed = np.where(numbers.random(shape) < 0.2, numbers.choice(np.array(pool, np.uint64), shape), base)
        bits = (changed ^ step.astype(np.uint64)).astype(binary.unsigned)
        arrays.append(bits.view(STORAGE[dtype]))
    return arrays


def from_value(values: NDArray[np.float64], dtype: str) -> NDArray[np.unsignedinteger[Any]]:
    """Give the bits of values that the format holds."""
    if dtype == "BFLOAT16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    bits: NDArray[np.unsignedinteger[Any]] = values.astype(STORAGE[dtype]).view(BINARIES[dtype].unsigned)
    return bits


@pytest.mark.parametrize("ulp", [0, 1, 3])
@pytest.mark.parametrize("common", ["FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE"])
@pytest.mark.parametrize("dtype", STORAGE)
def test_compare_agrees_with_the_slow_definition(dtype: str, common: str, ulp: int) -> None:
    """Every field is that of exact arithmetic, for corners, near misses and alternatives of every type."""
    numbers = np.random.default_rng([ulp, *dtype.encode(), *common.encode()])
    for size in (1, 2, 3, 20) * 4:
        got, expected, *others = random_arrays(numbers, dtype, common, 4, size)
        for alternatives in ([], others):
            slow = slow_compare(got, [expected, *alternatives], dtype=dtype, common=common, ulp=ulp)
            assert compare(got, expected, alternatives, dtype=dtype, common=common, ulp=ulp) == slow


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("dtype", STORAGE)
def test_community_agrees_with_the_slow_definition(dtype: str, share: float) -> None:
    """Every field is that of exact arithmetic, for corners, near misses and alternatives of every type."""
    numbers = np.random.default_rng([int(share * 10), *dtype.encode()])
    figures: dict[str, Any] = {"rtol": 2.0**-6, "atol": 2.0**-9, "limit": 0.125, "max_ulp": 2, "share": share}
    for size in (1, 2, 3, 20, 20) * 4:
        got, expected, *others = random_arrays(numbers, dtype, dtype, 4, size)
        for alternatives in ([], others):
            slow = slow_community(got, [expected, *alternatives], dtype=dtype, **figures)
            assert compare_community(got, expected, alternatives, dtype=dtype, **figures) == slow


def test_zero_signs_do_not_matter() -> None:
    """The two zeros agree, and an alternative that differs from the expected array by them alone is not seen."""
    comparison = exact(floats(0.0, -0.0), floats(-0.0, 0.0), [floats(0.0, 0.0)])
    assert comparison == agreed(seen=(False,), base_seen=(False,))


def test_nan_expected() -> None:
    """A number or an infinity where NaN is expected is wrong whatever the tolerance; another NaN is right."""
    got = floats(math.nan, 1.0, math.inf)
    got[0] = np.array(0xFFC00123, np.uint32).view(np.float32)
    comparison = compare(got, floats(*[math.nan] * 3), dtype="FLOAT", common="FLOAT16", ulp=2**40)
    assert comparison == agreed(wrong=2, first=1, worst=1, worst_distance=math.inf)


def test_nan_for_a_number() -> None:
    """NaN where a number is expected is wrong whatever the tolerance."""
    comparison = compare(floats(math.nan), floats(1.0), dtype="FLOAT", common="FLOAT", ulp=2**40)
    assert comparison == agreed(wrong=1, first=0, worst=0, worst_distance=math.inf)


@pytest.mark.parametrize("got", [np.finfo(np.float32).max, -math.inf, math.nan])
def test_infinity_is_no_number(got: float) -> None:
    """Neither the greatest number nor the other infinity is near infinity."""
    assert within_4(floats(got), floats(math.inf)).worst_distance == math.inf


def test_tolerance_is_inclusive() -> None:
    """As many ULP as allowed are right, one more is wrong; the largest of the right ones is reported."""
    expected = np.full(5, 1.5, np.float32)
    got = np.array([moved(expected, places)[0] for places in (0, 4, -3, 5, -4)])
    assert within_4(got, expected) == agreed(wrong=1, first=3, worst=3, worst_distance=5.0, distance=4.0)


def test_first_and_worst_are_places_across_blocks() -> None:
    """The first wrong element and the worst one lie where they are, several blocks in; the earliest of equals."""
    expected = np.ones(3 * BLOCK + 5, np.float32)
    got = expected.copy()
    for place, off in ((BLOCK + 7, 5), (2 * BLOCK, 9), (3 * BLOCK + 4, 9), (3, 2)):
        got[place] = moved(floats(1.0), off)[0]
    assert within_4(got, expected) == agreed(
        wrong=3, first=BLOCK + 7, worst=2 * BLOCK, worst_distance=9.0, distance=2.0
    )


def test_seen_says_which_alternative_explains() -> None:
    """An alternative is seen where it alone explains an element, the expected array where an alternative fails."""
    expected = floats(1.0, 2.0, 3.0, 4.0)
    zero, other = floats(0.0, 2.0, 3.0, 4.0), floats(1.0, 2.0, 0.0, 0.0)
    assert exact(floats(0.0, 2.0, 3.0, 4.0), expected, [zero, other]) == agreed(
        seen=(True, False), base_seen=(False, True)
    )
    assert exact(floats(0.0, 2.0, 0.0, 4.0), expected, [zero, other]) == agreed(
        seen=(True, True), base_seen=(False, True)
    )


def test_seen_needs_an_element_of_its_own() -> None:
    """An element that both arrays explain shows neither, for they lie within the tolerance of it."""
    expected = floats(1.0)
    assert within_4(expected, expected, [moved(expected, 3)]) == agreed(seen=(False,), base_seen=(False,))
    assert within_4(expected, expected, [moved(expected, 5)]) == agreed(seen=(False,), base_seen=(True,))


def test_seen_across_blocks() -> None:
    """What one block showed is not forgotten in a later one, where an element agrees with both arrays."""
    expected = np.ones(2 * BLOCK, np.float32)
    alternative, got = expected.copy(), expected.copy()
    alternative[[1, BLOCK - 1]] = got[1] = 7.0
    alternative[BLOCK + 1] = moved(floats(1.0), 1)[0]
    assert within_4(got, expected, [alternative]) == agreed(seen=(True,), base_seen=(True,))


def test_distance_is_to_the_best_array() -> None:
    """The distance of an element is the least of those to all arrays, right or wrong."""
    one = floats(1.0)
    assert within_4(moved(one, 3), one, [moved(one, 2)]).distance == 1.0
    assert within_4(moved(one, 30), one, [moved(one, 20)]).worst_distance == 10.0


def test_elements_may_match_different_alternatives() -> None:
    """Each element is right by itself; a complex number is right only if one array explains both its parts."""
    expected, other = np.array([1 + 1j], np.complex64), np.array([2 + 2j], np.complex64)
    mixed = np.array([1 + 2j], np.complex64)
    assert exact(floats(1.0, 2.0), floats(1.0, 1.0), [floats(2.0, 2.0)]).wrong == 0
    assert compare(mixed, expected, [other], dtype="COMPLEX64", common="FLOAT", ulp=0).wrong == 1


@pytest.mark.parametrize("got", [1 + 2j, 2 + 1j, 2 + 2j])
@pytest.mark.parametrize("dtype", ["COMPLEX32", "COMPLEX64", "COMPLEX128"])
def test_both_parts_count(dtype: str, got: complex) -> None:
    """A wrong part makes one wrong element, whichever part it is, and both make one as well."""
    real = STORAGE[dtype]["real"] if dtype == "COMPLEX32" else np.dtype(f"f{STORAGE[dtype].itemsize // 2}")
    result, expected = (np.array([x.real, x.imag], real).view(STORAGE[dtype]) for x in (got, 1 + 1j))
    places = 1 << PARAMETERS[PART[dtype]][0] - 1
    comparison = compare(result, expected, dtype=dtype, common=dtype, ulp=1)
    assert comparison == agreed(wrong=1, first=0, worst=0, worst_distance=float(places))


def test_common_type_counts_its_own_ulps() -> None:
    """A FLOAT that came from FLOAT16 may be off by ULPs of FLOAT16, but not when exactness is asked for."""
    got, expected = floats(1 + 2**-10), floats(1.0)
    assert compare(got, expected, dtype="FLOAT", common="FLOAT16", ulp=1) == agreed(distance=1.0)
    assert compare(got, expected, dtype="FLOAT", common="FLOAT", ulp=1).wrong == 1
    assert compare(got, expected, dtype="FLOAT", common="FLOAT16", ulp=0).worst_distance == 2.0**13


def test_common_type_is_rounded_to_even() -> None:
    """A FLOAT in the middle of two FLOAT16 goes to the even one, so that its distance is 1, and then 2."""
    got = floats(1 + 2**-11, 1 + 3 * 2**-11, 1 + 5 * 2**-11)
    for place, distance in enumerate((0.0, 2.0, 2.0)):
        part = got[place : place + 1]
        assert compare(part, floats(1.0), dtype="FLOAT", common="FLOAT16", ulp=4).distance == distance


def test_common_type_never_makes_a_distance_greater() -> None:
    """A FLOAT16 on the way to FLOAT, which is off by few ULPs of its own, is not measured in ULPs of FLOAT."""
    one = np.array([1.0], np.float16)
    got = np.nextafter(one, np.float16(2))
    assert compare(got, one, dtype="FLOAT16", common="FLOAT", ulp=1) == agreed(distance=1.0)


def test_finite_is_never_infinite() -> None:
    """A FLOAT beyond the range of FLOAT16 does not count as the infinity that rounding would make of it."""
    got = floats(65520.0, math.inf)
    expected = floats(math.inf, math.inf)
    assert compare(got, expected, dtype="FLOAT", common="FLOAT16", ulp=1) == agreed(
        wrong=1, first=0, worst=0, worst_distance=math.inf
    )


def test_beyond_the_common_range_its_precision_counts() -> None:
    """FLOATs that FLOAT16 cannot hold are 1 apart if their first 11 bits are, and far apart if no bits agree."""
    got, expected = floats(131072.0, -3e38, 131072.0), floats(131072.0 + 128, -3e38 * (1 + 2**-10), 1e30)
    run = partial(compare, dtype="FLOAT", common="FLOAT16", ulp=2)
    assert (run(got[:2], expected[:2]).wrong, run(got[:1], expected[:1]).distance) == (0, 1.0)
    assert run(got[2:], expected[2:]).wrong == 1
    assert run(got[:1], -expected[:1]).wrong == 1


def test_bfloat16_array_or_bits() -> None:
    """BFLOAT16 may come as ml_dtypes' own type, as bits, or as one of each, and with strides."""
    own = np.array([[1.0, 2.0], [3.0, -0.0]], ml_dtypes.bfloat16)
    bits = own.view(np.uint16) + np.array([[1, 0], [0, 0]], np.uint16)
    run = partial(compare, dtype="BFLOAT16", common="BFLOAT16", ulp=1)
    assert [run(own, bits), run(bits, own), run(own.T, bits.T)] == [agreed(distance=1.0)] * 3


@pytest.mark.parametrize("name", STORAGE)
def test_strides_of_every_kind(name: str) -> None:
    """Transposed, reversed, spread and expanded views compare as their copies do."""
    part = PART.get(name, name)
    whole = np.arange(2 * 4 * 6 * (2 if name in PART else 1), dtype=np.uint64).astype(BINARIES[part].unsigned)
    base = whole.view(STORAGE[name]).reshape(4, 6, 2)
    run = partial(compare, dtype=name, common=name, ulp=0)
    views = [
        base.transpose(2, 0, 1),
        base[::-1, ::-2, 1],
        base[:, 3],
        base[:, :, 0].T,
        base.reshape(-1)[::-3],
        np.broadcast_to(base[:1, :, :1], (4, 6, 2)),
        np.broadcast_to(base[0, 0, :1], (3, 5)),
    ]
    for view in views:
        copy = view.copy()
        wrong = copy.copy()
        wrong.reshape(-1)[2] = base[3, 5, 1]
        assert run(view, copy, [view]) == run(copy, view, [copy]) == agreed(seen=(False,), base_seen=(False,))
        assert (run(wrong, view).wrong, run(wrong, view).first) == (1, 2)


def test_strides_across_blocks() -> None:
    """Flat places count in C order also for an array that lies in another order in memory."""
    expected = np.arange(600 * 500, dtype=np.float32).reshape(500, 600).T
    got = expected.copy()
    got[431, 3] += 1
    place = 431 * 500 + 3
    assert (exact(got, expected).first, exact(expected, got).worst) == (place, place)
    assert exact(np.asfortranarray(got), expected).first == place


def test_rank_0() -> None:
    """An array without dimensions has one element, number 0."""
    got, expected = np.array(2.0, np.float32), np.array(1.0, np.float32)
    assert exact(got, got) == agreed()
    assert exact(got, expected, [got]) == agreed(seen=(True,), base_seen=(False,))
    assert exact(got, expected) == agreed(wrong=1, first=0, worst=0, worst_distance=2.0**23)


@pytest.mark.parametrize("run", [exact, policy])
@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), (0, 1)])
def test_empty(run: Callable[..., Comparison], shape: tuple[int, ...]) -> None:
    """Empty arrays agree and show nothing."""
    empty = np.empty(shape, np.float32)
    assert run(empty, empty, [empty]) == agreed(seen=(False,), base_seen=(False,))


def test_nothing_is_written() -> None:
    """Read-only arrays can be compared, and all arrays keep their bits."""
    arrays = [floats(1.0, math.nan, 3.0), floats(1.0, 2.0, 4.0), floats(5.0, math.nan, 3.0)]
    before = [array.tobytes() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    assert compare(arrays[0], arrays[1], arrays[2:], dtype="FLOAT", common="FLOAT16", ulp=1).wrong == 0
    assert policy(arrays[0], arrays[1], arrays[2:]).wrong == 0
    assert [array.tobytes() for array in arrays] == before


def test_community_share() -> None:
    """One element in a hundred need not be close, if it is within the limit; two are too many, and count."""
    expected = np.zeros(100, np.float32)
    got = expected.copy()
    got[7] = 0.005
    assert policy(got, expected).wrong == 0
    got[9] = 0.006
    assert (policy(got, expected).wrong, policy(got, expected).first, policy(got, expected).worst) == (2, 7, 9)


def test_community_limit() -> None:
    """An element beyond the limit is wrong however many are close, unless it is within the ULP allowed."""
    expected = np.full(100, 4096.0, np.float32)
    got = expected.copy()
    got[3] = moved(floats(4096.0), 32)[0]
    assert policy(got, expected) == agreed(distance=32.0)
    got[5] = moved(floats(4096.0), 33)[0]
    assert policy(got, expected) == agreed(wrong=1, first=5, worst=5, worst_distance=33.0, distance=32.0)


@pytest.mark.parametrize(
    ("got", "expected"),
    [(1.0, math.inf), (math.inf, 1.0), (-math.inf, math.inf), (math.nan, math.inf), (math.nan, 1.0), (1.0, math.nan)],
)
def test_community_condemns_what_is_not_finite(got: float, expected: float) -> None:
    """Infinity and NaN are close to themselves alone, even though the tolerance of infinity is infinite."""
    assert policy(floats(got), floats(expected)).worst_distance == math.inf
    assert compare_community(
        floats(got), floats(expected), dtype="FLOAT", rtol=1, atol=1, share=0, limit=math.inf, max_ulp=2**40
    ) == agreed(wrong=1, first=0, worst=0, worst_distance=math.inf)


def test_community_accepts_the_same_infinity_and_any_nan() -> None:
    """Equal infinities and NaN of other payloads are close."""
    got = floats(math.inf, -math.inf, math.nan)
    assert policy(got, np.where(np.isnan(got), -got, got)) == agreed()


def test_community_alternatives() -> None:
    """Seen and base_seen go by closeness."""
    expected, other = floats(1.0, 2.0), floats(0.0, 0.0)
    assert policy(floats(1.0001, 0.00001), expected, [other]).seen == (True,)
    assert policy(floats(1.0001, 0.00001), expected, [other]).base_seen == (True,)
    assert policy(floats(0.5, 2.0), expected, [other]).wrong == 1


@pytest.mark.parametrize("run", [exact, policy])
def test_warnings_stay_off_and_settings_do_not_matter(run: Callable[..., Comparison]) -> None:
    """A caller who has NumPy raise on everything gets the same answer."""
    arrays = [floats(math.inf, 3e38, math.nan, 1e-45), floats(-math.inf, -3e38, 1.0, 0.0)]
    usual = run(*arrays)
    with np.errstate(all="raise"):
        assert run(*arrays) == usual


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (floats(1.0), floats(1.0, 2.0)),
            "expected: found shape (2,), expected (1,), that of got",
        ),
        (
            (floats(1.0), floats(1.0), [floats(1.0), np.array(1.0, np.float32)]),
            "alternatives[1]: found shape (), expected (1,), that of got",
        ),
        (
            (np.ones(1), floats(1.0)),
            "got: found float64, expected float32 for FLOAT",
        ),
    ],
)
@pytest.mark.parametrize("run", [exact, policy])
def test_arrays_that_do_not_fit(run: Callable[..., Comparison], arguments: tuple[Any, ...], message: str) -> None:
    """Arrays of another shape or type are refused, never broadcast or cast."""
    with pytest.raises(InputError) as error:
        run(*arguments)
    assert str(error.value) == message


WHOLE = [f"{sign}INT{width}" for sign in ("", "U") for width in (8, 16, 32, 64)]


@pytest.mark.parametrize("names", [("BOOL", "FLOAT"), ("FLOAT", "BOOL")])
def test_types_that_are_no_numbers(names: tuple[str, str]) -> None:
    """A type that has no distances is refused by its name, as the dtype and as the common type."""
    with pytest.raises(InputError) as error:
        compare(floats(1.0), floats(1.0), dtype=names[0], common=names[1], ulp=0)
    assert str(error.value) == f"dtype: found BOOL, expected one of {', '.join((*STORAGE, *sorted(WHOLE)))}"


@pytest.mark.parametrize("dtype", WHOLE)
def test_integers_are_as_far_apart_as_they_differ(dtype: str) -> None:
    """Of integers the distance is the difference, over the whole range of the type, and none is allowed unless said."""
    ends = np.iinfo(dtype.lower())
    got = np.array([3, ends.max, ends.min, ends.max - 1], dtype.lower())
    expected = np.array([3, ends.max, ends.max, ends.max], dtype.lower())
    strict = compare(got, expected, dtype=dtype, common="INT64", ulp=0)
    assert (strict.wrong, strict.first, strict.worst) == (2, 2, 2)
    near = compare(got[[0, 1, 3]], expected[[0, 1, 3]], dtype=dtype, common="INT64", ulp=1)
    assert (near.wrong, near.distance) == (0, 1)


def test_memory_does_not_grow_with_the_arrays() -> None:
    """Comparing 2**22 elements, with differences and alternatives, strided or not, takes less than one array more."""
    expected = np.ones((1 << 11, 1 << 11), np.float32)
    got = moved(expected, 1)
    zero = np.broadcast_to(np.float32(0), expected.shape)
    runs: list[Callable[[], Comparison]] = [
        lambda: within_4(got, expected, [zero]),
        lambda: within_4(got.T, expected.T, [zero]),
        lambda: compare(got, expected, dtype="FLOAT", common="FLOAT16", ulp=1),
        lambda: policy(got, expected),
    ]
    peaks = []
    for run in runs:
        tracemalloc.start()
        assert run().wrong == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert [peak for peak in peaks if peak >= expected.nbytes] == []

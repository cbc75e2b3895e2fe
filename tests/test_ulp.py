"""Distances and roundings on bits agree with slow definitions in exact arithmetic."""

import ctypes
import math
import mmap
import platform
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from aclnn_spec.certification.ulp import BINARIES, distance, from_double, to_double

#: Significant bits, exponents of the least and the greatest normal number.
PARAMETERS = {
    "FLOAT16": (11, -14, 15),
    "BFLOAT16": (8, -126, 127),
    "FLOAT": (24, -126, 127),
    "DOUBLE": (53, -1022, 1023),
}
HALVES = ("FLOAT16", "BFLOAT16")
NAMES = tuple(PARAMETERS)

Value = Fraction | float
"""A number, or one of the floats inf, -inf and nan."""


def value_of(bits: int, dtype: str) -> Value:
    """Read an element's bits, as the struct module does."""
    if dtype == "BFLOAT16":
        bits, dtype = bits << 16, "FLOAT"
    code, integer = {"FLOAT16": ("e", "H"), "FLOAT": ("f", "I"), "DOUBLE": ("d", "Q")}[dtype]
    number: float = struct.unpack(f"<{code}", struct.pack(f"<{integer}", bits))[0]
    return Fraction(number) if math.isfinite(number) else number


def exponent_of(number: Fraction) -> int:
    """Give e with 2**e <= |number| < 2**(e + 1)."""
    number = abs(number)
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= number else exponent - 1


def place_of(number: Fraction, dtype: str) -> int:
    """Count the format's numbers between zero and this one, which is one of them; negative below zero."""
    precision, least, _ = PARAMETERS[dtype]
    if not number:
        return 0
    exponent = max(exponent_of(number), least)
    steps = abs(number) / Fraction(2) ** (exponent - precision + 1)
    assert steps.denominator == 1
    place = int(steps) + ((exponent - least) << precision - 1)
    return place if number > 0 else -place


def distance_of(one: Value, other: Value, dtype: str) -> float:
    """Give the distance in ULP by its definition."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return abs(place_of(one, dtype) - place_of(other, dtype))
    both_nan = one != one and other != other  # noqa: PLR0124  # that is what a NaN is
    return 0 if both_nan or one == other else math.inf


def rounded(value: Value, dtype: str) -> Value:
    """Round to nearest, ties to even, beyond the greatest number to infinity."""
    if not isinstance(value, Fraction) or not value:
        return value
    precision, least, greatest = PARAMETERS[dtype]
    quantum = Fraction(2) ** (max(exponent_of(value), least) - precision + 1)
    result = round(value / quantum) * quantum
    return result if abs(result) < Fraction(2) ** (greatest + 1) else math.copysign(math.inf, value)


def unsigned(bits: Any, dtype: str) -> Any:
    """Make a one-dimensional array of bits."""
    return np.atleast_1d(np.asarray(bits, np.uint64)).astype(BINARIES[dtype].unsigned)


def distances(one: Any, other: Any, dtype: str) -> list[float]:
    """Measure two lists of bits, `far` as infinity."""
    binary = BINARIES[dtype]
    result = distance(unsigned(one, dtype), unsigned(other, dtype), binary)
    return [math.inf if each == binary.far else each for each in result.tolist()]


def special(dtype: str) -> list[int]:
    """Give the bits where formats have their corners, both signs: zeros, subnormals, normals, infinities, NaN."""
    binary = BINARIES[dtype]
    normal = 1 << binary.fraction
    one = binary.bias << binary.fraction
    corners = [0, 1, 2, normal - 1, normal, normal + 1, one - 1, one, one + 1]
    corners += [binary.infinity + i for i in (-2, -1, 0, 1, normal >> 1)] + [binary.magnitude]
    return [each | sign << binary.width - 1 for each in corners for sign in (0, 1)]


@pytest.mark.parametrize("dtype", HALVES)
def test_distance_is_the_difference_of_places_in_the_sorted_list(dtype: str) -> None:
    """All 65536 patterns have the distance to each corner that the sorted list of all finite values gives."""
    values = [float(value_of(bits, dtype)) for bits in range(1 << 16)]
    numbers = sorted({value for value in values if math.isfinite(value)})
    order = {number: place for place, number in enumerate(numbers)}
    places = np.array([order.get(value, -1) for value in values])
    nan, infinite = np.isnan(values), np.isinf(values)
    for bits in special(dtype):
        expected = np.abs(places - places[bits]).astype(float)
        expected[nan | infinite] = math.inf
        if not math.isfinite(values[bits]):
            expected[:] = math.inf
            expected[nan if nan[bits] else np.array(values) == values[bits]] = 0
        assert np.array_equal(distances(range(1 << 16), [bits] * (1 << 16), dtype), expected)


@pytest.mark.parametrize("dtype", HALVES)
def test_distance_of_all_patterns_to_a_shuffle_of_themselves(dtype: str) -> None:
    """All 65536 patterns against as many others have the distance of exact arithmetic."""
    others = np.random.default_rng(7).permutation(1 << 16).tolist()
    expected = [distance_of(value_of(i, dtype), value_of(j, dtype), dtype) for i, j in enumerate(others)]
    assert distances(range(1 << 16), others, dtype) == expected


@pytest.mark.parametrize("dtype", NAMES)
def test_distance_between_corners(dtype: str) -> None:
    """Every two corners of a format have the distance of exact arithmetic, also when measured alone."""
    pairs = [(one, other) for one in special(dtype) for other in special(dtype)]
    expected = [distance_of(value_of(one, dtype), value_of(other, dtype), dtype) for one, other in pairs]
    assert distances([one for one, _ in pairs], [other for _, other in pairs], dtype) == expected
    assert [distances(one, other, dtype)[0] for one, other in pairs] == expected


@pytest.mark.parametrize("dtype", NAMES)
def test_distance_is_that_of_bits_where_signs_agree(dtype: str) -> None:
    """A block of numbers of equal signs, which takes the short way, has the right distances."""
    binary = BINARIES[dtype]
    bits = np.random.default_rng(3).integers(0, binary.infinity - 5, 100, dtype=np.uint64)
    for sign in (0, 1 << binary.width - 1):
        assert distances(bits | np.uint64(sign), bits + np.uint64(sign + 3), dtype) == [3] * 100


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (0x00000000, 0x80000000, 0),
        (0x00000001, 0x80000001, 2),
        (0x7F7FFFFF, 0xFF7FFFFF, 2 * 0x7F7FFFFF),
        (0x7F7FFFFF, 0x7F800000, math.inf),
        (0x7F800000, 0x7F800000, 0),
        (0x7F800000, 0xFF800000, math.inf),
        (0x7F800000, 0x7F800001, math.inf),
        (0x7FC00000, 0xFF800001, 0),
        (0x00000000, 0xFFFFFFFF, math.inf),
        (0x7FFFFFFF, 0x80000000, math.inf),
    ],
)
def test_distance_by_hand(one: int, other: int, expected: float) -> None:
    """Zeros, the neighbours of infinity and NaN of FLOAT are where they should be, from either side."""
    assert distances([one, other], [other, one], "FLOAT") == [expected, expected]


@pytest.mark.parametrize("dtype", NAMES)
def test_distance_of_nothing(dtype: str) -> None:
    """Two empty arrays have no distances."""
    assert distances([], [], dtype) == []


@pytest.mark.parametrize("dtype", HALVES)
def test_to_double_is_exact(dtype: str) -> None:
    """All 65536 patterns keep their value, and the zeros their sign."""
    bits = to_double(unsigned(range(1 << 16), dtype), BINARIES[dtype])
    values = [value_of(each, dtype) for each in range(1 << 16)]
    assert [repr(value_of(each, "DOUBLE")) for each in bits.tolist()] == [repr(value) for value in values]
    assert (bits >> np.uint64(63)).tolist() == [0] * (1 << 15) + [1] * (1 << 15)


def test_to_double_of_float() -> None:
    """Corners of FLOAT, subnormals among them, keep their value."""
    rest = np.random.default_rng(1).integers(0, 1 << 32, 2000).tolist() + [1 << i for i in range(32)]
    bits = special("FLOAT") + rest
    wide = to_double(unsigned(bits, "FLOAT"), BINARIES["FLOAT"]).tolist()
    expected = [repr(value_of(each, "FLOAT")) for each in bits]
    assert [repr(value_of(each, "DOUBLE")) for each in wide] == expected


@pytest.mark.parametrize("dtype", NAMES)
def test_from_double_undoes_to_double(dtype: str) -> None:
    """A value of the format rounds to itself, bit for bit, NaN to a NaN of its sign."""
    binary = BINARIES[dtype]
    bits = list(range(1 << 16)) if binary.width == 16 else special(dtype)
    back = from_double(to_double(unsigned(bits, dtype), binary), binary).tolist()
    nan = [each & binary.magnitude > binary.infinity for each in bits]
    assert [b for b, n in zip(back, nan, strict=True) if not n] == [b for b, n in zip(bits, nan, strict=True) if not n]
    assert [b & binary.magnitude > binary.infinity for b in back] == nan
    assert [b >> binary.width - 1 for b in back] == [b >> binary.width - 1 for b in bits]


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("dtype", ["FLOAT16", "BFLOAT16", "FLOAT"])
def test_from_double_around_every_middle(dtype: str, sign: int) -> None:
    """Between two neighbours the nearer one wins, in the middle the even one, infinity beyond the greatest."""
    binary = BINARIES[dtype]
    count, normal = binary.infinity, 1 << binary.fraction
    spans = [(0, count)] if binary.width == 16 else [(0, 4096), (normal - 99, normal + 99), (count - 99, count)]
    lower = np.concatenate([np.arange(*span, dtype=np.uint64) for span in spans])
    if dtype == "FLOAT":
        lower = np.append(lower, np.random.default_rng(5).integers(0, count, 5000, dtype=np.uint64))
    upper = lower + np.uint64(1)
    infinite = upper == binary.infinity
    low = to_double(lower.astype(binary.unsigned), binary).view(np.float64)
    high = to_double(upper.astype(binary.unsigned), binary).view(np.float64)
    high[infinite] = 2.0 ** (PARAMETERS[dtype][2] + 1)
    middle = ((low + high) / 2).view(np.uint64)
    top = np.uint64(sign << 63)
    side = np.uint64(sign << binary.width - 1)

    def rounds(bits: Any) -> list[int]:
        result: list[int] = (from_double(bits | top, binary).astype(np.uint64) ^ side).tolist()
        return result

    assert rounds(middle - np.uint64(1)) == lower.tolist()
    assert rounds(middle) == np.where(lower % 2 == 0, lower, upper).tolist()
    assert rounds(middle + np.uint64(1)) == upper.tolist()


@pytest.mark.parametrize("dtype", ["FLOAT16", "BFLOAT16", "FLOAT"])
def test_from_double_of_any_double(dtype: str) -> None:
    """Random doubles of all sizes, and the corners of DOUBLE, round as in exact arithmetic."""
    numbers = np.random.default_rng(9)
    exponents = numbers.integers(1023 - 200, 1023 + 200, 3000, dtype=np.uint64) << np.uint64(52)
    bits = (exponents | numbers.integers(0, 1 << 52, 3000, dtype=np.uint64)).tolist() + special("DOUBLE")
    result = from_double(unsigned(bits, "DOUBLE"), BINARIES[dtype]).tolist()
    expected = [rounded(value_of(each, "DOUBLE"), dtype) for each in bits]
    assert [repr(value_of(each, dtype)) for each in result] == [repr(each) for each in expected]


def test_holds() -> None:
    """FLOAT and DOUBLE hold both halves, and neither half holds the other."""
    held = {name: [other for other in NAMES if BINARIES[name].holds(BINARIES[other])] for name in NAMES}
    assert held == {
        "FLOAT16": ["FLOAT16"],
        "BFLOAT16": ["BFLOAT16"],
        "FLOAT": ["FLOAT16", "BFLOAT16", "FLOAT"],
        "DOUBLE": ["FLOAT16", "BFLOAT16", "FLOAT", "DOUBLE"],
    }


@contextmanager
def flush_to_zero() -> Iterator[None]:
    """Have this thread's floating-point unit take and give zero for subnormal numbers."""
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex("0fae17c3"))  # ldmxcsr [rdi]; ret
    start = ctypes.c_char.from_buffer(code)
    load = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.addressof(start))
    load(ctypes.byref(ctypes.c_uint32(0x9FC0)))
    try:
        yield
    finally:
        load(ctypes.byref(ctypes.c_uint32(0x1F80)))


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="switches the unit by x86-64 machine code"
)
def test_flush_to_zero_changes_nothing() -> None:
    """Subnormals are told apart, widened and rounded as ever when the floating-point unit flushes them."""
    bits = {name: unsigned(special(name), name) for name in NAMES}
    one, other = np.repeat(bits["FLOAT"], 30), np.tile(bits["FLOAT"], 30)

    def results() -> list[list[int]]:
        doubles = [to_double(bits[name], BINARIES[name]) for name in NAMES]
        singles = [from_double(each, BINARIES[name]) for each in doubles for name in NAMES]
        return [each.tolist() for each in (distance(one, other, BINARIES["FLOAT"]), *doubles, *singles)]

    usual = results()
    subnormal = unsigned(1, "FLOAT").view(np.float32)
    with flush_to_zero():
        flushed = (subnormal * np.float32(1)).view(np.uint32).tolist()
        found = results()
    assert flushed == [0]
    assert found == usual

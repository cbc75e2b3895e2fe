"""Distances in units in the last place, and roundings, worked out on bits.

Nothing here depends on how the floating-point unit treats subnormal numbers: a library in the same process may
have switched it to flush them to zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bits: TypeAlias = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, kw_only=True)
class Binary:
    """A binary float format: a sign bit, then an exponent field, then the fraction."""

    #: Bits of an element.
    width: int
    #: Bits of the fraction.
    fraction: int

    @property
    def unsigned(self) -> np.dtype[np.unsignedinteger[Any]]:
        """The NumPy type that holds an element's bits."""
        return np.dtype(f"u{self.width // 8}")

    @property
    def signed(self) -> np.dtype[np.signedinteger[Any]]:
        """The signed type of the same width."""
        return np.dtype(f"i{self.width // 8}")

    @property
    def magnitude(self) -> int:
        """Mask of all bits but the sign."""
        return (1 << self.width - 1) - 1

    @property
    def infinity(self) -> int:
        """Bits of +Inf; greater magnitudes are NaN."""
        return self.magnitude & -(1 << self.fraction)

    @property
    def bias(self) -> int:
        """The exponent field of 1.0."""
        return self.infinity >> self.fraction + 1

    @property
    def far(self) -> int:
        """What `distance` gives for infinitely far; all finite distances are less."""
        return (1 << self.width) - 1

    def holds(self, other: "Binary") -> bool:
        """Whether all values of the other format are values of this one, too."""
        return self.fraction >= other.fraction and self.bias >= other.bias


DOUBLE = Binary(width=64, fraction=52)

#: The formats by the name of their dtype.
BINARIES: Mapping[str, Binary] = MappingProxyType(
    {
        "FLOAT": Binary(width=32, fraction=23),
        "FLOAT16": Binary(width=16, fraction=10),
        "BFLOAT16": Binary(width=16, fraction=7),
        "DOUBLE": DOUBLE,
    }
)


def distance(one: Bits, other: Bits, binary: Binary) -> Bits:
    """Count the places between two values in the ordered list of the format's finite numbers, element by element.

    Both arrays hold bits of the format, in one shape of at least one dimension; the result has it too. The two
    zeros are one place.
    NaN is at distance 0 from NaN of any payload and sign, an infinity from itself; else, where a value is not
    finite, the result is `binary.far`.
    """
    # Where signs agree, places differ as bits do; most blocks need no more than this.
    if (one ^ other).max(initial=0) <= binary.magnitude:
        near: Bits = np.abs((one - other).view(binary.signed)).view(binary.unsigned)
        if int((one & one.dtype.type(binary.magnitude)).max(initial=0)) + int(near.max(initial=0)) < binary.infinity:
            return near
    magnitude, place = _places(one, binary)
    other_magnitude, other_place = _places(other, binary)
    nearer = np.minimum(place, other_place)
    np.maximum(place, other_place, out=place)
    # Finite places may lie further apart than the signed type counts: the unsigned one holds the difference.
    result: Bits = np.subtract(place, nearer, out=place).view(binary.unsigned)
    infinity = binary.infinity
    if max(magnitude.max(initial=0), other_magnitude.max(initial=0)) >= infinity:
        finite = (magnitude < infinity) & (other_magnitude < infinity)
        same = (one == other) | ((magnitude > infinity) & (other_magnitude > infinity))
        result[~finite] = binary.far
        result[~finite & same] = 0
    return result


def whole_distance(one: Bits, other: Bits, *, signed: bool) -> Bits:
    """Count the integers between two, element by element; the arrays hold bits of integers of one type."""
    kind = np.dtype(f"{'i' if signed else 'u'}{one.dtype.itemsize}")
    result: Bits = np.where(one.view(kind) > other.view(kind), one - other, other - one)
    return result


def _places(bits: Bits, binary: Binary) -> tuple[Bits, NDArray[np.signedinteger[Any]]]:
    """Magnitudes of the bits, and the values' places in the ordered list, zero at 0."""
    magnitude = bits & binary.unsigned.type(binary.magnitude)
    negative = bits.view(binary.signed) >> (binary.width - 1)
    place = magnitude.view(binary.signed) ^ negative
    place -= negative
    return magnitude, place


def to_double(bits: Bits, binary: Binary) -> NDArray[np.uint64]:
    """Give the DOUBLE bits of values of a format: exact, subnormals included; Inf stays Inf, NaN stays NaN."""
    wide = bits.astype(np.uint64)
    if binary == DOUBLE:
        return wide
    magnitude = wide & np.uint64(binary.magnitude)
    result = (magnitude << np.uint64(DOUBLE.fraction - binary.fraction)) + np.uint64(
        (DOUBLE.bias - binary.bias) << DOUBLE.fraction
    )
    # A subnormal's fraction, read as an integer, is a normal double: lower its exponent to that of the format.
    subnormal = np.nonzero(magnitude < 1 << binary.fraction)
    counts = magnitude[subnormal]
    scale = np.uint64((binary.bias + binary.fraction - 1) << DOUBLE.fraction)
    result[subnormal] = np.where(counts == 0, counts, counts.astype(np.float64).view(np.uint64) - scale)
    result[magnitude >= binary.infinity] |= np.uint64(DOUBLE.infinity)
    result |= (wide >> np.uint64(binary.width - 1)) << np.uint64(DOUBLE.width - 1)
    return result


def from_double(bits: NDArray[np.uint64], binary: Binary) -> Bits:
    """Round values given as DOUBLE bits to a format: to nearest, ties to even, beyond its range to infinity."""
    if binary == DOUBLE:
        return bits
    one, infinity = np.uint64(1), np.uint64(binary.infinity)
    magnitude = bits & np.uint64(DOUBLE.magnitude)
    exponent = magnitude >> np.uint64(DOUBLE.fraction)
    hidden = np.uint64(1 << DOUBLE.fraction)
    significand = magnitude & (hidden - one) | hidden
    # Below its smallest normal number the format's steps stop shrinking, so that more bits drop out.
    lowest = np.uint64(DOUBLE.bias - binary.bias + 1)
    field = np.maximum(exponent, lowest)
    drop = np.uint64(DOUBLE.fraction - binary.fraction) + (field - exponent)
    np.minimum(drop, np.uint64(DOUBLE.fraction + 2), out=drop)  # that many leave nothing of any value
    odd = significand >> drop & one
    rounded = significand + (one << drop - one) - one + odd >> drop
    # The hidden bit, or the carry out of a fraction of ones, adds one to the exponent field.
    result = np.minimum((field - lowest << np.uint64(binary.fraction)) + rounded, infinity)
    result[magnitude > DOUBLE.infinity] = infinity + one
    result |= (bits >> np.uint64(DOUBLE.width - 1)) << np.uint64(binary.width - 1)
    bits_of_format: Bits = result.astype(binary.unsigned)
    return bits_of_format


def narrow_distance(one: NDArray[np.uint64], other: NDArray[np.uint64], narrow: Binary) -> Bits:
    """Count the places of a narrower format between finite values given as DOUBLE bits.

    Where both are beyond the format's range they are first brought into it by one power of two.
    """
    ends = from_double(one, narrow), from_double(other, narrow)
    infinity = narrow.infinity
    beyond = np.nonzero((ends[0] & narrow.magnitude == infinity) & (ends[1] & narrow.magnitude == infinity))
    if beyond[0].size:
        greater = np.maximum(*(bits[beyond] & np.uint64(DOUBLE.magnitude) for bits in (one, other)))
        shift = (greater & np.uint64(DOUBLE.infinity)) - np.uint64(DOUBLE.bias << DOUBLE.fraction)
        for end, bits in zip(ends, (one, other), strict=True):
            end[beyond] = from_double(bits[beyond] - shift, narrow)
    return distance(*ends, narrow)

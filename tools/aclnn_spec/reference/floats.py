"""The three float types that operators compute in: reading them, rounding to them, dividing for them.

A value of FLOAT, FLOAT16 or BFLOAT16 is held as a float32, which holds all of them exactly.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Single: TypeAlias = NDArray[np.float32]
Real: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

#: Bits that long division develops: the first may be zero, the others are enough to round once to any format.
_QUOTIENT_BITS = 28


@dataclass(frozen=True, kw_only=True)
class Format:
    """A binary float format with subnormals, infinities and NaN: its significant bits, its exponents."""

    name: str
    precision: int
    emin: int
    emax: int
    #: One element in an array; a BFLOAT16 lies there as its bits.
    storage: np.dtype[Any]

    @property
    def smallest_normal(self) -> float:
        """The least positive value with all significand bits."""
        return 2.0**self.emin

    @property
    def largest(self) -> float:
        """The greatest finite value."""
        return (2 - 2.0 ** (1 - self.precision)) * 2.0**self.emax


FLOAT = Format(name="FLOAT", precision=24, emin=-126, emax=127, storage=np.dtype(np.float32))
FLOAT16 = Format(name="FLOAT16", precision=11, emin=-14, emax=15, storage=np.dtype(np.float16))
BFLOAT16 = Format(name="BFLOAT16", precision=8, emin=-126, emax=127, storage=np.dtype(np.uint16))

#: Not a float: the integers of 64 bits, which some operators compute in.
WHOLE = Format(name="INT64", precision=63, emin=0, emax=62, storage=np.dtype(np.int64))

#: The formats by the name of their dtype.
FORMATS: Mapping[str, Format] = MappingProxyType({each.name: each for each in (FLOAT, FLOAT16, BFLOAT16)})


def decode(array: NDArray[Any], source: Format) -> Single:
    """Read an array of the format's storage type, exactly; the result may be the same memory."""
    if source is BFLOAT16:
        return (array.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return array.astype(np.float32, copy=False)


def encode(values: Single, target: Format) -> NDArray[Any]:
    """Turn values that the format holds into its storage type; a BFLOAT16 NaN becomes 0x7FC0."""
    if target is BFLOAT16:
        bits = (np.ascontiguousarray(values).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
        return np.where(np.isnan(values), np.uint16(0x7FC0), bits.reshape(values.shape))
    return values.astype(target.storage, copy=False)


def from_integers(array: NDArray[Any], target: Format) -> Single:
    """Round BOOL or integers of 8 to 64 bits to the format: nearest even, beyond its range infinity."""
    if array.dtype.itemsize == np.dtype(np.int64).itemsize:
        # float64 holds 53 bits. Larger magnitudes keep their upper bits, the last one made odd where lower
        # ones were set: none of these looks like a tie, so the rounding below is that of the integer itself.
        odd = (array >> 11 | ((array & 0x7FF) != 0)) << 11
        array = np.where((array ^ (array >> 63)) >> 53, odd, array)
    return round_to(array.astype(np.float64), target)


def round_to(values: Real, target: Format) -> Single:
    """Round to the format: nearest even, beyond its range infinity; zeros keep their sign."""
    if target is FLOAT:
        return values.astype(np.float32, copy=False)
    unsigned = np.dtype(f"u{values.dtype.itemsize}")
    # Infinity's bits are the whole exponent field and nothing else: what they leave of a value is the power
    # of two at or below it.
    exponent_field = np.array(np.inf, values.dtype).view(unsigned)
    power = (values.view(unsigned) & exponent_field).view(values.dtype)
    quantum = np.clip(power, target.smallest_normal, 2.0**target.emax) * 2.0 ** (1 - target.precision)
    rounded = np.rint(values / quantum) * quantum
    overflow = np.abs(rounded) > target.largest
    return np.where(overflow, np.copysign(np.inf, values), rounded).astype(np.float32, copy=False)


def divide(values: Single, count: int, target: Format) -> Real:
    """Divide values of the format by 1 <= count < 2**63, so that round_to then rounds the quotient once.

    A quotient rounded twice is wrong where the first rounding lands on a tie of the second. One that is no
    tie itself stays 1/count of the tie's last bit away from it, or more, and float64 rounds by less than that
    while precision and the bits of count make 53 at most. Beyond, the last bit is made odd: no tie is odd.
    """
    if target is FLOAT and int(np.float32(count)) == count:
        return values / np.float32(count)
    if target.precision + count.bit_length() <= np.finfo(np.float64).nmant + 1:
        return values / np.float64(count)
    return _divide_to_odd(values, count)


def _divide_to_odd(values: Single, count: int) -> NDArray[np.float64]:
    """Divide to at least 27 bits, the last one odd unless the quotient is exact."""
    finite = np.isfinite(values)
    fraction, exponent = np.frexp(np.where(finite, values, 0))
    width = count.bit_length()
    divisor = np.uint64(count)
    # The remainder stays below count, so it can be shifted by as many bits as count leaves of 64.
    remainder = np.ldexp(np.abs(fraction), width - 1).astype(np.uint64)
    quotient = np.zeros_like(remainder)
    missing = _QUOTIENT_BITS
    while missing:
        step = min(missing, 64 - width)
        remainder <<= np.uint64(step)
        digits = remainder // divisor
        remainder -= digits * divisor
        quotient = quotient << np.uint64(step) | digits
        missing -= step
    odd = (quotient | (remainder != 0)).astype(np.float64)
    magnitude = np.ldexp(odd, exponent - (width - 1 + _QUOTIENT_BITS))
    return np.where(finite, np.copysign(magnitude, values), values)

"""Numbers that float64 cannot hold but a sum of a few float64 can: kept exactly, divided and summed, rounded once.

A product of two float32 is exact in float64, so that differences, products and squares of operands are short sums.
What is known of such a sum's last bits goes into one bit: rounding to odd, by which `round_to` then rounds once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Double: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool]

_SPLIT = 2.0**27 + 1
_BITS, _LOW = 53, 27
#: The exact sum counts in units of 2**-_UNIT, below all that a part can hold.
_UNIT = 1200


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Per element, the exact sum of the parts over the divisor; over mean's count as well if `over_count`.

    Of operands that are not finite there is no exact sum: there `plain` is the value, before the count, and where
    the exact one is zero it gives the zero's sign.
    """

    parts: tuple[Double, ...]
    plain: Double
    #: Positive, and such that its product with mean's count is exact in float64.
    divisor: float = 1.0
    over_count: bool = False
    #: A value that is greater before the count divides it is infinite.
    ceiling: float = np.inf
    #: A finite result that is greater is this.
    largest: float = np.inf

    def put(self, mask: Bools, values: Any) -> Terms:
        """Give the terms with float32 `values` in the elements of the mask."""
        first, *others = self.parts
        scaled = np.asarray(values, np.float64) * self.divisor
        parts = (np.where(mask, scaled, first), *(np.where(mask, 0.0, each) for each in others))
        return replace(self, parts=parts, plain=np.where(mask, np.asarray(values, np.float64), self.plain))


def quotients(terms: Terms, count: int) -> Double:
    """Give each element's value, rounded to odd: still to be rounded once to a shorter format."""
    high, *rest = _distilled(list(terms.parts))
    divisor = terms.divisor * (count if terms.over_count else 1)
    near = high / divisor
    product, error = _two_product(near, divisor)
    side = _sign(_distilled([high - product, -error, *rest]))
    even = near.view(np.uint64) & 1 == 0
    odd = np.where(even & (side != 0), np.nextafter(near, np.copysign(np.inf, side)), near)
    beyond = np.abs(high) > terms.ceiling * terms.divisor
    odd = np.where(beyond, np.copysign(np.inf, high), np.clip(odd, -terms.largest, terms.largest))
    plain = terms.plain / count if terms.over_count else terms.plain
    return np.where(np.isfinite(high) & (odd != 0), odd, plain)


class Total:
    """The sum of all elements of one block of terms after the other, exact as long as all of them are finite."""

    def __init__(self) -> None:
        self._units = 0
        self._plain = 0.0
        self._last: Terms | None = None

    def add(self, terms: Terms) -> None:
        """Add a block, of at most 2**26 elements; the terms of all blocks differ in parts and plain values alone."""
        self._last = terms
        odd = ~np.isfinite(np.sum(terms.parts, axis=0))
        self._plain += float(np.sum(terms.plain[odd]))
        self._units += _units(np.where(odd, 0.0, part) for part in terms.parts)

    def value(self, count: int, repeats: int) -> Double:
        """Give the sum, `repeats` times over, rounded to odd; of no block at all 0, or NaN where the count divides it.

        The result has the shape (1,).
        """
        terms = self._last
        if terms is None or not np.isfinite(self._plain):
            return np.array([self._plain])
        if terms.over_count and count == 0:
            return np.array([np.nan])
        total = Fraction(self._units * repeats, 2**_UNIT) / Fraction(terms.divisor)
        if total > Fraction(np.finfo(np.float64).max) or (np.isfinite(terms.ceiling) and total > terms.ceiling):
            return np.array([np.inf])
        odd = _to_odd(total / count if terms.over_count else total)
        return np.array([min(odd, terms.largest)])


def two_sum(one: Double, other: Double) -> tuple[Double, Double]:
    """Give the rounded sum and what rounding took away."""
    total = one + other
    back = total - one
    return total, (one - (total - back)) + (other - back)


def _two_product(one: Double, other: float) -> tuple[Double, Double]:
    """Give the rounded product and what rounding took away (Dekker's, for want of a fused multiply-add)."""
    product = one * other
    (high, low), (other_high, other_low) = _halves(one), _halves(np.float64(other))
    error = low * other_low - (((product - high * other_high) - low * other_high) - high * other_low)
    return product, error


def _halves(value: Any) -> tuple[Any, Any]:
    """Split values into two of 26 bits."""
    scaled = value * _SPLIT
    high = scaled - (scaled - value)
    return high, value - high


def _distilled(parts: list[Double]) -> list[Double]:
    """Give numbers of the same exact sum, the first of which is the rounded sum, and each the rounded rest."""
    parts = list(parts)
    for _ in parts[1:]:  # each pass carries one more rounding error down to where it belongs
        for i in range(len(parts) - 1, 0, -1):
            parts[i - 1], parts[i] = two_sum(parts[i - 1], parts[i])
    return parts


def _sign(parts: list[Double]) -> Double:
    """Give the sign of distilled numbers' sum: that of the first which is not zero."""
    result = np.sign(parts[-1])
    for part in reversed(parts[:-1]):
        result = np.where(part == 0, result, np.sign(part))
    return result


def _units(parts: Iterable[Double]) -> int:
    """Give the exact sum of all elements of all parts, in units of 2**-_UNIT."""
    total = 0
    for part in parts:
        fraction, exponent = np.frexp(part.ravel())
        if not fraction.size:
            continue
        whole = np.ldexp(fraction, _BITS).astype(np.int64)
        least = int(exponent.min())
        for piece, shift in ((whole >> _LOW, _LOW), (whole & (1 << _LOW) - 1, 0)):
            sums = np.bincount(exponent - least, weights=piece)  # below 2**53, so exact
            total += sum(int(one) << least + i - _BITS + shift + _UNIT for i, one in enumerate(sums) if one)
    return total


def _to_odd(exact: Fraction) -> float:
    """Round to float64, the last bit odd unless the value is exact."""
    near = exact.numerator / exact.denominator
    if Fraction(near) != exact and np.float64(near).view(np.uint64) & 1 == 0:
        near = float(np.nextafter(near, np.inf if exact > Fraction(near) else -np.inf))
    return near

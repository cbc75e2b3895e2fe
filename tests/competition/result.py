"""One result beside what is right for it, in the form that the judges of others look at: as doubles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.golden.case import Tolerance

Array = NDArray[Any]
Doubles = NDArray[np.float64]

WORD = 8
"""Bytes of the longest unsigned integers of NumPy."""

ADDED = 1e-7
"""Added to the magnitude that an error is divided by, as is usual, so that 0 can be expected."""


COARSEST_FIRST = ("BFLOAT16", "FLOAT16", "COMPLEX32", "FLOAT", "COMPLEX64", "DOUBLE", "COMPLEX128")


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came out of a good call (`got`), and the arrays that are right for it, the expected one first.

    With more than one, each element is held against the one that it is nearest to.
    """

    got: Array
    references: Sequence[Array]
    dtype: str
    tolerance: Tolerance | None

    @property
    def coarser(self) -> str:
        """The coarser of the deduced type and the output's, whose tolerance is the fair one."""
        types = (self.dtype, self.tolerance.common if self.tolerance else self.dtype)
        return min(types, key=COARSEST_FIRST.index)

    @cached_property
    def equal(self) -> bool:
        """Whether every bit is the expected one, which spares the rest."""
        got, expected = self.got, self.references[0]
        if got.itemsize > WORD:
            return got.tobytes() == expected.tobytes()
        return np.array_equal(*(each.view(f"u{each.itemsize}") for each in (got, expected)))

    @cached_property
    def _numbers(self) -> tuple[Doubles, Doubles, Doubles]:
        """The values that came out, those they are held against, and the distances."""
        got = doubles(self.got)
        best, nearest = doubles(self.references[0]), _distance(got, doubles(self.references[0]))
        for each in map(doubles, self.references[1:]):
            apart = _distance(got, each)
            best = np.where(apart < nearest, each, best)
            nearest = np.minimum(apart, nearest)
        return got, best, nearest

    @property
    def expected(self) -> Doubles:
        """The magnitudes of what the values are held against; infinite and NaN ones as 0, since they must be met."""
        return np.nan_to_num(np.abs(self._numbers[1]), nan=0, posinf=0)

    @property
    def absolute(self) -> Doubles:
        """The absolute errors: 0 where both are NaN or the same infinity, infinite where only one is."""
        return self._numbers[2]

    @property
    def relative(self) -> Doubles:
        """The errors divided by what is expected, or nearly so where that is close to zero."""
        return self.absolute / (self.expected + ADDED)


def doubles(array: Array) -> Doubles:
    """Give the real and imaginary parts of an array as doubles, flat."""
    if array.dtype.names:  # COMPLEX32
        return np.concatenate([array[name].ravel() for name in array.dtype.names]).astype(np.float64)
    if array.dtype.kind == "c":
        return np.concatenate([array.real.ravel(), array.imag.ravel()]).astype(np.float64)
    with np.errstate(invalid="ignore"):  # a signalling NaN
        return array.astype(np.float64).ravel()


def _distance(got: Doubles, expected: Doubles) -> Doubles:
    with np.errstate(all="ignore"):
        apart = np.abs(got - expected)
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    return np.where(same, 0, np.where(np.isnan(apart), np.inf, apart))

"""Numbers that a call passes by value: what C makes of them, how JSON spells those it cannot hold, and tolerances."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from operator import index
from types import MappingProxyType
from typing import Any

INT64 = range(-(2**63), 2**63)

C_TYPES: Mapping[str, str] = MappingProxyType({"int64": "int64_t", "float": "float"})
"""The C type of each kind of attribute."""

SPELT: Mapping[str, float] = MappingProxyType({"nan": math.nan, "inf": math.inf, "-inf": -math.inf})
"""The floats that JSON has no number for, by the text that stands for them."""

_WHOLE = re.compile(r"[+-]?\d{1,40}")
_REAL = re.compile(r"[+-]?(\d{1,40}\.?\d{0,60}|\.\d{1,60})([eE][+-]?\d{1,4})?", re.ASCII)
_FORMULA = re.compile(r"(?:(?P<rank>rank)|(?P<factor>\d+) \* sqrt\(count\)) \+ (?P<more>\d+)")


def c_float(value: float) -> float:
    """What a C float holds of a number: rounded to nearest, ties to even, beyond the range infinite."""
    try:
        held: float = struct.unpack("f", struct.pack("f", float(value)))[0]
    except OverflowError:
        held = math.inf if value > 0 else -math.inf
    return held


def is_int64(value: Any) -> bool:
    """Whether a value stands for an integer of 64 bits: an int, or what Python indexes with (NumPy's), but no bool."""
    try:
        return not isinstance(value, bool) and index(value) in INT64
    except TypeError:
        return False


def is_float(value: Any) -> bool:
    """Whether a value stands for a real number: an int or a float, Python's or NumPy's, but no bool."""
    return not isinstance(value, bool) and (isinstance(value, int | float) or _is_scalar_float(value))


def _is_scalar_float(value: Any) -> bool:
    return getattr(value, "shape", None) == () and getattr(getattr(value, "dtype", None), "kind", "") in "iuf"


def fits(kind: str, value: Any) -> bool:
    """Whether a value may be passed for an attribute of this kind."""
    return is_int64(value) if kind == "int64" else is_float(value)


def parse_number(text: str) -> float | None:
    """Read an integer, or a float as Python and JSON write it, `nan`, `inf` and `-inf` among them; None for others."""
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if text in SPELT or _REAL.fullmatch(text) else None


def spelt(value: float) -> float | str:
    """A number as JSON holds it: NaN and infinities as texts."""
    return next((text for text, number in SPELT.items() if str(number) == str(value)), value)


def ulp_of(formula: int | str, *, rank: int, count: int) -> int:
    """The number of ULP that a tolerance allows for a broadcast shape of this rank and number of elements.

    A formula is a number, `rank + k`, or `a * sqrt(count) + k`, whose root is rounded up.
    """
    if isinstance(formula, int):
        return formula
    found = _FORMULA.fullmatch(formula)
    if found is None:
        raise ValueError(f"found the tolerance {formula!r}, expected a number, rank + k or a * sqrt(count) + k")
    if found["rank"]:
        return rank + int(found["more"])
    squared = int(found["factor"]) ** 2 * count
    return math.isqrt(max(squared - 1, 0)) + (squared > 0) + int(found["more"])

"""Orders in which right implementations add up: each takes a row of terms and gives their sum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .call import Floats

LANES = 16
"""Additions at once in the vectors of a device."""

BLOCK = 256


def pairwise(terms: Floats) -> Any:
    """Add halves of halves, as NumPy does."""
    return np.sum(terms, dtype=terms.dtype)


def onwards(terms: Floats) -> Any:
    """Add one term after the other."""
    return np.add.accumulate(terms)[-1] if terms.size else terms.dtype.type(0)


def from_the_end(terms: Floats) -> Any:
    """Add one term after the other, the last one first."""
    return onwards(terms[::-1])


def in_blocks(terms: Floats) -> Any:
    """Add up each block, one term after the other, and then the blocks."""
    return onwards(np.array([onwards(row) for row in rows(terms, BLOCK)], terms.dtype))


def in_lanes(terms: Floats) -> Any:
    """Add rows of 16 to each other, and the lanes as a tree."""
    lanes = np.add.accumulate(rows(terms, LANES), axis=0)[-1] if terms.size else np.zeros(LANES, terms.dtype)
    while lanes.size > 1:
        lanes = lanes[: lanes.size // 2] + lanes[lanes.size // 2 :]
    return lanes[0]


def compensated(terms: Floats) -> Any:
    """Add rows to each other and carry what each addition loses to the next (Kahan), then the columns exactly."""
    total, lost = np.zeros(BLOCK, terms.dtype), np.zeros(BLOCK, terms.dtype)
    for row in rows(terms, BLOCK):
        term = row - lost
        raised = total + term
        lost, total = np.where(np.isfinite(raised), (raised - total) - term, 0), raised
    return in_double(total)


def in_double(terms: Floats) -> Any:
    """Add up in double precision."""
    return np.sum(terms, dtype=np.float64)


def exactly(terms: Floats) -> Any:
    """Give the exact sum, rounded once."""
    if not np.isfinite(terms).all():
        return pairwise(terms)
    return np.float64(math.fsum(terms.tolist()))


def rows(terms: Floats, width: int) -> Floats:
    """Lay terms out in rows, the last one filled up with zeros."""
    return np.concatenate([terms, np.zeros(-terms.size % width, terms.dtype)]).reshape(-1, width)

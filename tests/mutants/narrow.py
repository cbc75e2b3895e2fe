"""Mutants with a mistake in one circumstance alone: one type, one reduction, one parameter, one size, one cache's key.

The core tier condemns them like all others. The smoke tier is held to the plain mistakes, and finds of these as many as
its size allows.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

NARROW = (
    "sign/compared-in-*",
    "sign/subnormal-difference-*",
    "sign/equal-infinities-*",
    "count/*-in-mix",
    "count/by-dimension-in-half",
    "sum/*-in-half",
    "cast/*-read-flushed",
    "cast/UINT8-*",
    "cast/BOOL-*",
    "cast/INT32-*",
    "cast/INT64-*",
    "cast/DOUBLE-*",
    "cast/overflow-saturates-*",
    "cast/half-*",
    "broadcast/rank-*",
    "broadcast/column-as-row",
    "layout/output-mixed",
    "layout/output-cast",
    "layout/output-spread",
    "layout/output-large",
    "layout/output-for-*",
    "tail/exactly-*",
    "tail/one-*",
    "tail/multiple-*",
    "tail/last-of-*",
    "tail/*-none",
    "tail/*-mean",
    "tail/*-sum",
    "tail/*-strided",
    "tail/*-mixed",
    "tail/*-cast",
    "tail/*-broadcast",
    "tail/*-dense-inputs",
    "special/*-FLOAT*",
    "special/*-BFLOAT16",
    "special/*-none",
    "special/*-mean",
    "special/*-sum",
    "special/*-mixed",
    "life/count-by-*",
    "life/count-without-*",
    "life/type-*",
    "life/strides-*",
    "life/offsets",
    "life/reduction-by-*",
    "life/wrong-after-*",
    "life/wrong-every-*",
    "life/empty-*-unseen",
    "status/*-not-for-*",
    "status/*-without-*",
    "status/*-only-*",
    "status/*-bool-*",
    "status/*-complex-*",
    "status/*-infinite-*",
    "status/output-*",
    "status/refuses-*",
    "status/open-*",
    "status/computes-*",
    "status/casts-*",
)
"""Patterns on the ids of mutants."""


def is_narrow(identity: str) -> bool:
    """Whether a mutant's mistake is a narrow one."""
    return any(fnmatchcase(identity, pattern) for pattern in NARROW)

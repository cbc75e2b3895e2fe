"""The judge's comparison against those people use: NumPy's and PyTorch's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.certification.compare import compare, compare_community

from .row import Row
from .timing import by_turns, held

PART = "The judge, FLOAT"
MIDDLE = 2**18
"""The size at which results of other kinds are compared, too."""

Array = NDArray[np.float32]
Peer = tuple[str, int, Callable[[], object] | None]
"""A name, the number of elements, and a call; None where it is not installed."""


def rows(*, sizes: tuple[int, ...], seconds: float) -> Iterator[Row]:
    """Per size: a result of which every element is 1 ULP off, the hardest to pass, against each peer."""
    for size in sizes:
        expected = np.random.default_rng(0).standard_normal(size, np.float32)
        expected[expected == 0] = 1  # beside 0, 1 ULP is infinitely far for a relative tolerance
        off = (expected.view(np.uint32) ^ np.uint32(1)).view(np.float32)
        yield from _against(_peers(off, expected), "each element 1 ULP off", partial(_strict, off, expected), seconds)
        if size != MIDDLE:
            continue
        usual = list(_peers(off, expected))[:1]
        others = [np.where(np.arange(size) % 64 == i, np.float32(0), expected) for i in range(2)]
        community = partial(compare_community, dtype="FLOAT", rtol=2**-10, atol=2**-16, limit=0.01, max_ulp=32)
        for what, ours, why in (
            ("the same, and 2 alternatives", partial(_strict, off, expected, others), "more"),
            ("the same, by the community's policy", partial(community, off, expected, share=0.99), "policy"),
        ):
            yield from _against(usual, what, ours, seconds, why)
        same = expected.copy()
        yield from _against(list(_peers(same, expected))[:1], "equal", partial(_strict, same, expected), seconds)


def _strict(got: Array, expected: Array, others: Sequence[Array] = ()) -> object:
    return compare(got, expected, others, dtype="FLOAT", common="FLOAT", ulp=4)


def _against(
    peers: Iterable[Peer],
    what: str,
    ours: Callable[[], object],
    seconds: float,
    why: str = "fixed",
) -> Iterator[Row]:
    memory = held(ours)
    for peer, size, theirs in peers:
        row = partial(Row, part=PART, what=what, peer=peer, size=size, mebibytes=memory)
        if theirs is None:
            yield row(skipped="PyTorch is not installed")
            continue
        pair = by_turns(ours, theirs, seconds=seconds)
        yield row(seconds=pair.ours, peer_seconds=pair.theirs, ratio=pair.ratio, why=why if pair.ratio > 1 else "")


def _peers(got: Array, expected: Array) -> Iterator[Peer]:
    size = got.size
    yield "numpy assert_allclose", size, partial(np.testing.assert_allclose, got, expected, rtol=1e-6)
    yield "numpy assert_array_max_ulp", size, partial(np.testing.assert_array_max_ulp, got, expected, maxulp=4)
    try:
        import torch
    except ImportError:
        yield "torch assert_close, 1 thread", size, None
        return
    torch.set_num_threads(1)
    pair = (torch.from_numpy(got), torch.from_numpy(expected))
    yield "torch assert_close, 1 thread", size, partial(torch.testing.assert_close, *pair)

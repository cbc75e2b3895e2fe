"""The reference against the plain NumPy expression, and against PyTorch's autograd of l1_loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.reference import REFERENCES, evaluate

from .row import Row
from .timing import by_turns, held

PART = "The reference, FLOAT"

SMALL = 2**16
"""Elements below which an evaluation's cost is mostly its checks."""

Arrays = dict[str, NDArray[np.float32]]


def rows(*, sizes: tuple[int, ...], seconds: float) -> Iterator[Row]:
    """Per size: reduction none against NumPy and PyTorch, and mean against NumPy."""
    for size in sizes:
        numbers = np.random.default_rng(0)
        arrays = {name: numbers.standard_normal(size, np.float32) for name in ("gradOutput", "self", "target")}
        output = np.empty(size, np.float32)
        # Plain NumPy must make an array of its own for the result, as whoever writes this would.
        for reduction, name in ((0, "none"), (1, "mean")):
            ours = partial(_ours, arrays, output, reduction)
            memory = held(ours)
            for peer, theirs in _peers(arrays, reduction):
                row = partial(Row, part=PART, what=f"reduction {name}", peer=peer, size=size, mebibytes=memory)
                if theirs is None:
                    yield row(skipped="PyTorch is not installed")
                    continue
                pair = by_turns(ours, theirs, seconds=seconds)
                slower = "fixed" if size < SMALL else "passes" if "PyTorch" in peer else "selects"
                why = slower if pair.ratio > 1 else ""
                yield row(seconds=pair.ours, peer_seconds=pair.theirs, ratio=pair.ratio, why=why)


def _ours(arrays: Arrays, output: NDArray[np.float32], reduction: int) -> None:
    evaluate(
        REFERENCES["aclnnL1LossBackward"].function,
        {name: (array, "FLOAT") for name, array in arrays.items()},
        common="FLOAT",
        output=(output, "FLOAT"),
        attributes={"reduction": reduction},
    )


def _peers(arrays: Arrays, reduction: int) -> Iterator[tuple[str, Callable[[], object] | None]]:
    grad, one, other = arrays.values()
    if reduction == 1:
        yield "NumPy, in one expression", lambda: np.sign(one - other) * grad / grad.size
        return
    yield "NumPy, in one expression", lambda: np.sign(one - other) * grad
    yield "PyTorch's autograd, 1 thread", _autograd(grad, one, other)


def _autograd(*arrays: NDArray[np.float32]) -> Callable[[], object] | None:
    """The backward pass alone; the graph is made once. None without PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)  # the reference has one
    grad, one, other = (torch.from_numpy(array) for array in arrays)
    one = one.requires_grad_()
    loss: Any = torch.nn.functional.l1_loss(one, other, reduction="none")
    return lambda: torch.autograd.grad(loss, one, grad, retain_graph=True)

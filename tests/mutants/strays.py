"""Writing where nothing belongs: beside the view, in its gaps, and beyond storages."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.certification.memory import GUARD
from aclnn_spec.golden.tensor import Tensor
from aclnn_spec.spec.operator import Operator

from .kernel import Call
from .mutant import Sketch, wrong

_MOST = 2**20
"""Tensors with more elements are left alone, for the time it takes."""


def around(tensor: Tensor, before: int = 0, behind: int = 0) -> None:
    """Overwrite so many bytes before and behind a tensor's storage, which the suite's guard must hold."""
    memory = tensor.storage
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    inner = slice(GUARD, memory.size - GUARD)
    memory[inner.start - before : inner.start] = 0
    memory[inner.stop : inner.stop + min(behind, GUARD)] = 0


def _outside(tensor: Tensor, *, within_ends: bool) -> NDArray[np.bool]:
    """The storage's elements that are not the view's; those between its first and last alone, if asked."""
    mask = ~tensor.covered
    if within_ends:
        last = tensor.offset + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.strides, strict=True))
        mask[: tensor.offset] = False
        mask[last + 1 :] = False
    return mask


def _zero(tensor: Tensor, mask: NDArray[np.bool]) -> None:
    tensor.storage.view(np.uint8).reshape(tensor.storage.size, -1)[mask] = 0


def _beside(call: Call, side: int) -> None:
    """Overwrite the storage element next to the view's first or last one, if there is one."""
    tensor = call.output
    ends = [tensor.offset, tensor.offset + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.strides, strict=True))]
    neighbour = ends[side] + (1 if side else -1)
    if 0 <= neighbour < tensor.storage.size:
        _zero(tensor, np.arange(tensor.storage.size) == neighbour)


def _padding(call: Call, block: int) -> int:
    return -call.output.storage.nbytes % block


def _strays(operator: Operator) -> Iterator[Sketch]:
    for name, en, zh, groups, step in (
        (
            "element-before",
            "writes the storage element before the output's first",
            "改写输出首元素之前的存储元素",
            "layout",
            lambda c: _beside(c, 0),
        ),
        (
            "element-behind",
            "writes the storage element behind the output's last",
            "改写输出末元素之后的存储元素",
            "layout",
            lambda c: _beside(c, 1),
        ),
        (
            "gaps",
            "clears the gaps between the output's elements",
            "清零输出元素之间的空隙",
            "layout",
            lambda c: _zero(c.output, _outside(c.output, within_ends=True)) if c.output.size < _MOST else None,
        ),
        (
            "byte-before",
            "writes the byte before the output's storage",
            "改写输出存储之前的一个字节",
            None,
            lambda c: around(c.output, 1),
        ),
        (
            "byte-behind",
            "writes the byte behind the output's storage",
            "改写输出存储之后的一个字节",
            None,
            lambda c: around(c.output, 0, 1),
        ),
        (
            "block-of-32-bytes",
            "writes whole blocks of 32 bytes, beyond the storage's end",
            "按 32 字节整块写，越过存储末尾",
            None,
            lambda c: around(c.output, 0, _padding(c, 32)),
        ),
        (
            "block-of-512-bytes",
            "writes whole blocks of 512 bytes beyond 1,000 elements, past the end",
            "超过 1000 个元素时按 512 字节整块写，越过末尾",
            None,
            lambda c: around(c.output, 0, _padding(c, 512) if c.output.size > 1000 else 0),
        ),
    ):
        yield wrong(f"stray-{name}", en, zh, groups or "basic layout", after=step)
    last = operator.inputs[-1].name
    yield wrong(
        f"stray-behind-{last}",
        f"writes the byte behind {last}'s storage",
        f"改写 {last} 存储之后的一个字节",
        "basic layout",
        after=lambda c: around(c.arguments[last], 0, 1),
    )
    yield wrong(
        "stray-input-gaps",
        "clears the gaps in an input's storage",
        "清零某个输入存储中的空隙",
        "layout",
        after=lambda c: (
            _zero(t, ~t.covered)
            if (t := c.arguments[c.inputs[1]]).size < _MOST and t.storage is not c.output.storage
            else None
        ),
    )


def mutants(operator: Operator) -> Iterator[Sketch]:
    """Part of the family of layouts."""
    yield from _strays(operator)

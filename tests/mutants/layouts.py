"""Strides, offset and storage taken for others, and writing where nothing belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.golden.tensor import Array, Tensor
from aclnn_spec.spec.model import contiguous_strides
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.tables import Shape

from . import strays
from .kernel import FLOATS, Call, is_dense, place, view, write
from .mutant import Sketch, wrong

Pick = Callable[[Call, Tensor], tuple[Shape, int]]
"""Gives the strides and the offset that a tensor is thought to have."""

_MOST = 2**20
"""Tensors with more elements are left alone, for the time it takes."""


def at(tensor: Tensor, strides: Shape, offset: int) -> NDArray[np.int64]:
    """The places in the storage that these strides and offset lead to, wrapped round at its end."""
    index: Any = np.full(tensor.shape, offset, np.int64)
    for axis, (size, stride) in enumerate(zip(tensor.shape, strides, strict=True)):
        index += (np.arange(size) * stride).reshape((-1,) + (1,) * (len(tensor.shape) - axis - 1))
    places: NDArray[np.int64] = index % max(tensor.storage.size, 1)
    return places


def read(pick: Pick, when: Callable[[Call, str, Tensor], bool]) -> dict[str, Any]:
    """The step of a kernel that looks for an input's elements in other places."""

    def viewed(call: Call, name: str) -> Array:
        tensor: Tensor = call.arguments[name]
        if 0 < tensor.size < _MOST and when(call, name, tensor):
            strides, offset = pick(call, tensor)
            if (strides, offset) != (tensor.strides, tensor.offset):
                return tensor.storage[at(tensor, strides, offset)]
        return view(call, name)

    return {"view": viewed}


def written(pick: Pick, when: Callable[[Call], bool] = lambda _: True) -> dict[str, Any]:
    """The steps of a kernel that puts the output's elements in other places."""

    def astray(call: Call) -> bool:
        return call.output.size < _MOST and when(call)

    def placed(call: Call) -> Array:
        return np.empty(call.shape, call.output.storage.dtype) if astray(call) else place(call)

    def stored(call: Call, where: Array, values: Array) -> None:
        write(call, where, values)
        if astray(call):
            call.output.storage[at(call.output, *pick(call, call.output))] = where

    return {"place": placed, "write": stored}


def _low(tensor: Tensor, bits: int) -> Shape:
    return tuple(stride & (2**bits - 1) for stride in tensor.strides)


def _storage_strides(tensor: Tensor) -> Shape:
    fits = len(tensor.storage_shape) == len(tensor.shape)
    return contiguous_strides(tensor.storage_shape) if fits else tensor.strides


_IGNORED: tuple[tuple[str, str, str, Pick], ...] = (
    ("strides", "strides are", "步长", lambda _, t: (contiguous_strides(t.shape), t.offset)),
    ("offset", "offset is", "偏移", lambda _, t: (t.strides, 0)),
    ("layout", "strides and offset are", "步长和偏移", lambda _, t: (contiguous_strides(t.shape), 0)),
)


def _readings(operator: Operator) -> Iterator[Sketch]:
    names = tuple(p.name for p in operator.inputs)
    first, one, other = names
    for what, are, zh, pick in _IGNORED:
        for name in names:
            yield wrong(
                f"{name}-without-{what}",
                f"{name}'s {are} ignored",
                f"忽略 {name} 的{zh}",
                "layout",
                **read(pick, lambda _, n, __, name=name: n == name),
            )
    dense, start, both = (pick for *_, pick in _IGNORED)
    for dtype in FLOATS:
        yield wrong(
            f"offset-ignored-{dtype}",
            f"the offset is ignored for {dtype} alone",
            f"仅 {dtype} 忽略偏移",
            "layout",
            **read(start, lambda _, __, t, dtype=dtype: str(t.dtype) == dtype),
        )
    conditions: tuple[tuple[str, str, str, str, Pick, Callable[[Call, str, Tensor], bool]], ...] = (
        (
            "offset-of-dense",
            "the offset of a dense input is ignored",
            "忽略连续输入的偏移",
            "layout",
            start,
            lambda _, __, t: is_dense(t),
        ),
        (
            "offset-of-strided",
            "the offset of a strided input is ignored",
            "忽略非连续输入的偏移",
            "layout",
            start,
            lambda _, __, t: not is_dense(t),
        ),
        (
            "zero-strides",
            "strides of 0 are taken for dense ones",
            "把步长 0 当成连续",
            "layout",
            dense,
            lambda _, __, t: 0 in t.strides,
        ),
        (
            "above-rank-4",
            "strides are ignored above rank 4",
            "超过 4 维时忽略步长",
            "layout",
            dense,
            lambda _, __, t: len(t.shape) > 4,
        ),
        (
            "above-rank-6",
            "strides are ignored above rank 6",
            "超过 6 维时忽略步长",
            "layout",
            dense,
            lambda _, __, t: len(t.shape) > 6,
        ),
        (
            "converted",
            "the layout of an input that is converted is ignored",
            "忽略需转换类型的输入的排布",
            "layout deduction",
            both,
            lambda c, _, t: str(t.dtype) != c.common,
        ),
        (
            "spread",
            "the layout of an input that is broadcast is ignored",
            "忽略被广播的输入的排布",
            "layout broadcast",
            both,
            lambda c, _, t: t.shape != c.shape,
        ),
        (
            "large",
            "the layout of inputs beyond 600 elements is ignored",
            "忽略超过 600 个元素的输入的排布",
            "layout",
            both,
            lambda _, __, t: t.size > 600,
        ),
    )
    for name, en, zh, groups, pick, condition in conditions:
        yield wrong(name, en, zh, groups, **read(pick, condition))
    every: Callable[[Call, str, Tensor], bool] = lambda _, __, t: bool(t.shape)  # noqa: E731
    for name, en, zh, pick in (
        (
            "last-stride-is-1",
            "the last stride is taken for 1",
            "认为最后一维的步长是 1",
            lambda _, t: ((*t.strides[:-1], 1), t.offset),
        ),
        (
            "offset-in-bytes",
            "the offset is taken for one in bytes",
            "把偏移当成字节数",
            lambda _, t: (t.strides, t.offset // t.storage.itemsize),
        ),
        ("strides-in-8-bits", "strides have 8 bits", "步长只留 8 位", lambda _, t: (_low(t, 8), t.offset)),
        ("strides-in-16-bits", "strides have 16 bits", "步长只留 16 位", lambda _, t: (_low(t, 16), t.offset)),
        ("offset-in-8-bits", "the offset has 8 bits", "偏移只留 8 位", lambda _, t: (t.strides, t.offset & 0xFF)),
        (
            "strides-of-storage-shape",
            "strides are made from the storage shape",
            "由存储形状推算步长",
            lambda _, t: (_storage_strides(t), t.offset),
        ),
        (
            "offset-of-self",
            f"{one}'s offset is used for all inputs",
            f"所有输入都用 {one} 的偏移",
            lambda c, t: (t.strides, c.arguments[one].offset),
        ),
    ):
        yield wrong(
            f"input-{name}", f"{en}, in an input", f"输入中{zh}" if zh[0] != "所" else zh, "layout", **read(pick, every)
        )
    yield wrong(
        f"{other}-by-strides-of-{one}",
        f"{other} is read by {one}'s strides",
        f"按 {one} 的步长读 {other}",
        "layout",
        **read(
            lambda c, t: (c.arguments[one].strides, t.offset),
            lambda c, n, t: n == other and t.shape == c.arguments[one].shape,
        ),
    )
    yield wrong(
        f"{first}-by-strides-of-output",
        f"{first} is read by the output's strides",
        f"按输出的步长读 {first}",
        "layout",
        **read(lambda c, t: (c.output.strides, t.offset), lambda c, n, t: n == first and t.shape == c.shape),
    )


def _writings(operator: Operator) -> Iterator[Sketch]:
    for what, are, zh, pick in _IGNORED:
        yield wrong(
            f"output-without-{what}", f"the output's {are} ignored", f"忽略输出的{zh}", "layout", **written(pick)
        )
    dense, _, both = (pick for *_, pick in _IGNORED)
    one = operator.inputs[1].name
    for name, en, zh, groups, pick, condition in (
        (
            "last-stride-is-1",
            "the output's last stride is taken for 1",
            "认为输出最后一维的步长是 1",
            "layout",
            lambda _, t: ((*t.strides[:-1], 1), t.offset),
            lambda c: bool(c.shape),
        ),
        (
            "offset-in-bytes",
            "the output's offset is taken for one in bytes",
            "把输出的偏移当成字节数",
            "layout",
            lambda _, t: (t.strides, t.offset // t.storage.itemsize),
            lambda _: True,
        ),
        (
            "strides-in-8-bits",
            "the output's strides have 8 bits",
            "输出的步长只留 8 位",
            "layout",
            lambda _, t: (_low(t, 8), t.offset),
            lambda _: True,
        ),
        (
            "strides-of-storage-shape",
            "the output's strides are made from its storage shape",
            "由存储形状推算输出的步长",
            "layout",
            lambda _, t: (_storage_strides(t), t.offset),
            lambda _: True,
        ),
        (
            f"strides-of-{one}",
            f"the output is written by {one}'s strides",
            f"按 {one} 的步长写输出",
            "layout",
            lambda c, t: (c.arguments[one].strides, t.offset),
            lambda c: c.arguments[one].shape == c.shape,
        ),
        (
            "above-rank-4",
            "the output's strides are ignored above rank 4",
            "超过 4 维时忽略输出的步长",
            "layout",
            dense,
            lambda c: len(c.shape) > 4,
        ),
        (
            "for-mean",
            "the output's strides are ignored with mean",
            "mean 时忽略输出的步长",
            "layout",
            dense,
            lambda c: c.mode == "mean",
        ),
        (
            "for-sum",
            "the output's strides are ignored with sum",
            "sum 时忽略输出的步长",
            "layout",
            dense,
            lambda c: c.mode == "sum",
        ),
        (
            "mixed",
            "the output's strides are ignored where types are mixed",
            "类型混用时忽略输出的步长",
            "layout deduction",
            dense,
            lambda c: c.mixed,
        ),
        (
            "cast",
            "the output's strides are ignored where the result is cast",
            "结果要转换类型时忽略输出的步长",
            "layout deduction",
            dense,
            lambda c: c.common != c.out,
        ),
        (
            "spread",
            "the output's layout is ignored where inputs are broadcast",
            "有广播时忽略输出的排布",
            "layout broadcast",
            both,
            lambda c: c.spreads,
        ),
        (
            "large",
            "the output's layout is ignored beyond 600 elements",
            "超过 600 个元素时忽略输出的排布",
            "layout",
            both,
            lambda c: c.output.size > 600,
        ),
    ):
        yield wrong(f"output-{name}", en, zh, groups, **written(pick, condition))


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family."""
    yield from _readings(operator)
    yield from _writings(operator)
    yield from strays.mutants(operator)

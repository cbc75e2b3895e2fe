"""Broadcasting: inputs repeated in the wrong order, along the wrong axis, or rightly only in the cases one tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

import numpy as np

from aclnn_spec.golden.tensor import Array
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.tables import Shape

from .kernel import Call, is_dense, spread
from .mutant import Sketch, wrong

Spread = Callable[[Call, str, Array], Array]


def cycled(call: Call, _: str, array: Array) -> Array:
    """The elements over and over, as one gets who counts modulo their number."""
    return np.resize(np.ascontiguousarray(array).reshape(-1), prod(call.shape)).reshape(call.shape)


def _blocks(call: Call, _: str, array: Array) -> Array:
    flat, count = np.ascontiguousarray(array).reshape(-1), prod(call.shape)
    return flat[np.arange(count) * flat.size // max(count, 1)].reshape(call.shape)


def _first(call: Call, _: str, array: Array) -> Array:
    return np.broadcast_to(array.reshape(-1)[:1].reshape((1,) * len(call.shape)), call.shape)


def _backwards(call: Call, _: str, array: Array) -> Array:
    return np.broadcast_to(array[..., ::-1], call.shape)


def _left(call: Call, name: str, array: Array) -> Array:
    shape = array.shape + (1,) * (len(call.shape) - array.ndim)
    fits = all(size in (1, due) for size, due in zip(shape, call.shape, strict=True))
    return spread(call, name, array.reshape(shape) if fits else array)


def _turned(call: Call, _: str, array: Array) -> Array:
    return np.broadcast_to(array.T, call.shape)


def _column(call: Call, _: str, array: Array) -> bool:
    return array.ndim == 2 and array.shape == (call.shape[0], 1) and len(set(call.shape)) == 1


def _ones_within(array: Array, shape: Shape) -> bool:
    padded = (1,) * (len(shape) - array.ndim) + array.shape
    return any(a == 1 < b for a, b in zip(padded[1:-1], shape[1:-1], strict=True))


def when(condition: Callable[[Call, str, Array], bool], how: Spread = cycled) -> Spread:
    """An input that has to be broadcast is spread in this way where the condition holds."""

    def changed(call: Call, name: str, array: Array) -> Array:
        off = array.shape != call.shape and array.size and condition(call, name, array)
        return (how if off else spread)(call, name, array)

    return changed


def _always(_: Call, _name: str, _array: Array) -> bool:
    return True


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family."""
    yield wrong(
        "left-aligned", "missing dimensions are added at the end", "缺少的维补在末尾", spread=when(_always, _left)
    )
    ways: tuple[tuple[str, str, str, Spread], ...] = (
        ("cycled", "repeats cyclically, element after element", "逐元素循环重复", cycled),
        ("blocks", "repeats each element in a block", "每个元素成块重复", _blocks),
        ("first", "repeats its first element", "只重复首个元素", _first),
        ("backwards", "runs backwards along the last axis", "沿最后一维倒序", _backwards),
    )
    for name in (p.name for p in operator.inputs):
        for how, en, zh, way in ways:
            yield wrong(
                f"{name}-{how}",
                f"a broadcast {name} {en}",
                f"广播的 {name} {zh}",
                spread=when(lambda _, n, __, name=name: n == name, way),
            )
    yield wrong(
        "column-as-row",
        "a column is taken for a row where both fit",
        "行列都说得通时把列当成行",
        spread=when(_column, _turned),
    )
    for rank in range(2, 9):
        yield wrong(
            f"rank-{rank}",
            f"inputs are repeated cyclically at rank {rank}",
            f"{rank} 维时输入循环重复",
            spread=when(lambda c, _, __, rank=rank: len(c.shape) == rank),
        )
    conditions: tuple[tuple[str, str, str, str, Callable[[Call, str, Array], bool]], ...] = (
        (
            "ones-within",
            "at a 1 between other dimensions",
            "中间某一维为 1 时",
            "broadcast",
            lambda c, _, a: _ones_within(a, c.shape),
        ),
        (
            "mutual",
            "where no input has the whole shape",
            "没有一个输入具有完整形状时",
            "broadcast",
            lambda c, _, __: all(c.arguments[name].shape != c.shape for name in c.inputs),
        ),
        ("for-sum", "with sum", "sum 时", "broadcast", lambda c, _, __: c.mode == "sum"),
        ("for-mean", "with mean", "mean 时", "mean broadcast", lambda c, _, __: c.mode == "mean"),
        ("mixed", "where types are mixed", "类型混用时", "broadcast deduction", lambda c, _, __: c.mixed),
        (
            "cast",
            "where the result is cast",
            "结果要转换类型时",
            "broadcast deduction",
            lambda c, _, __: c.out != c.common,
        ),
        ("large", "beyond 65,536 elements", "超过 65536 个元素时", "broadcast", lambda c, _, __: prod(c.shape) > 65536),
        ("middling", "beyond 5,000 elements", "超过 5000 个元素时", "broadcast", lambda c, _, __: prod(c.shape) > 5000),
        (
            "strided-output",
            "where the output has gaps",
            "输出不连续时",
            "broadcast layout",
            lambda c, _, __: not c.dense,
        ),
        (
            "strided-input",
            "where the input has gaps itself",
            "输入自身不连续时",
            "broadcast layout",
            lambda c, n, _: not is_dense(c.arguments[n]),
        ),
    )
    for name, en, zh, groups, condition in conditions:
        yield wrong(name, f"inputs are repeated cyclically {en}", f"{zh}输入循环重复", groups, spread=when(condition))

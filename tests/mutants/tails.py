"""Tails and blocks of vector kernels, and faults that show in the far part of a large tensor alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from aclnn_spec.golden.tensor import CANARY, Array
from aclnn_spec.spec.operator import Operator

from .kernel import FLOATS, Call, is_dense
from .mutant import Sketch, wrong
from .strays import around

Places = Callable[[int], range]
"""Takes the number of elements, gives the places that come out wrong, counted in order."""


def spoiled(places: Places, when: Callable[[Call], bool] = lambda _: True, byte: int = 0) -> Callable[[Call], None]:
    """These elements of the output hold one byte throughout, 0 or what lay there before the call."""

    def after(call: Call) -> None:
        chosen = places(call.output.size)
        if chosen and when(call):
            array: Array = call.output.array
            filler = np.full(array.itemsize, byte, np.uint8).view(array.dtype)[0]
            if array.flags.c_contiguous:
                array.reshape(-1)[chosen.start : chosen.stop : chosen.step] = filler
            else:
                array[np.unravel_index(np.asarray(chosen), array.shape)] = filler

    return after


def tail(block: int) -> Places:
    """What is left over after whole blocks, if there are any."""
    return lambda n: range(n - n % block, n) if n > block else range(0)


def last(when: Callable[[int], bool]) -> Places:
    """The last element, for some numbers of elements."""
    return lambda n: range(n - 1, n) if n and when(n) else range(0)


def beyond(start: int) -> Places:
    """Everything from an element on."""
    return lambda n: range(start, n)


_SPECIAL: tuple[tuple[str, str, str, str, Callable[[Call], bool]], ...] = (
    ("mean", "with mean", "mean 时", "mean basic layout", lambda c: c.mode == "mean"),
    ("strided", "of an output with gaps", "输出不连续时", "layout", lambda c: not c.dense),
    ("mixed", "where types are mixed", "类型混用时", "deduction basic", lambda c: c.mixed),
    ("cast", "where the result is cast", "结果要转换类型时", "deduction basic", lambda c: c.out != c.common),
    ("broadcast", "where inputs are broadcast", "有广播时", "broadcast mean layout", lambda c: c.spreads),
)


def _blocks() -> Iterator[Sketch]:
    for block in (
        4,
        7,
        8,
        15,
        16,
        17,
        31,
        32,
        33,
        64,
        100,
        127,
        128,
        255,
        256,
        257,
        512,
        1023,
        1024,
        1025,
        2047,
        2048,
        4096,
        8192,
        16384,
        65536,
    ):
        yield wrong(
            f"behind-{block}",
            f"elements behind the last whole block of {block} are 0",
            f"最后一个 {block} 元素整块之后的元素为 0",
            after=spoiled(tail(block)),
        )
    for block in (8, 64, 1024):
        yield wrong(
            f"unwritten-behind-{block}",
            f"elements behind the last whole block of {block} are never written",
            f"最后一个 {block} 元素整块之后的元素没有写",
            after=spoiled(tail(block), byte=CANARY),
        )
        for dtype in FLOATS:
            yield wrong(
                f"last-of-{dtype}-{block}",
                f"{dtype}'s last element is 0 unless {block} divides their number",
                f"{dtype} 元素个数不是 {block} 的倍数时末元素为 0",
                after=spoiled(
                    last(lambda n, block=block: n > block and n % block != 0), lambda c, dtype=dtype: c.out == dtype
                ),
            )
    for block in (8, 256, 2048):
        for name, en, zh, groups, when in _SPECIAL:
            yield wrong(
                f"behind-{block}-{name}",
                f"elements behind the last whole block of {block} are 0 {en}",
                f"{zh}，最后一个 {block} 元素整块之后的元素为 0",
                groups,
                after=spoiled(tail(block), when),
            )
    for block in (8, 16, 64, 256, 1024):
        for name, en, zh, when in (
            ("exactly", f"for exactly {block} elements", f"恰有 {block} 个元素时", lambda n, b=block: n == b),
            (
                "one-over",
                f"for one element more than a multiple of {block}",
                f"比 {block} 的倍数多一个元素时",
                lambda n, b=block: n % b == 1 and n > b,
            ),
            (
                "one-short",
                f"for one element less than a multiple of {block}",
                f"比 {block} 的倍数少一个元素时",
                lambda n, b=block: n % b == b - 1,
            ),
            (
                "multiple",
                f"for a larger multiple of {block}",
                f"元素个数为 {block} 的更大倍数时",
                lambda n, b=block: n % b == 0 and n > b,
            ),
        ):
            yield wrong(f"{name}-{block}", f"the last element is 0 {en}", f"{zh}末元素为 0", after=spoiled(last(when)))
    for block in (8, 32, 256, 1024):
        yield wrong(
            f"overrun-{block}",
            f"the last block of {block} elements is written whole, beyond the storage",
            f"最后一块按 {block} 个元素整块写，越过存储末尾",
            after=lambda c, b=block: (
                around(c.output, 0, -c.output.size % b * c.output.storage.itemsize)
                if c.output.size > b and c.output.storage.size == c.output.size
                else None
            ),
        )


def _far() -> Iterator[Sketch]:
    for power in (12, 15, 16, 17, 18, 20, 22, 24):
        yield wrong(
            f"from-2-{power}",
            f"elements from 2^{power} on are 0",
            f"第 2^{power} 个元素起为 0",
            after=spoiled(beyond(2**power)),
        )
    for power in (16, 17, 18):
        for mode in ("none", "mean", "sum"):
            yield wrong(
                f"from-2-{power}-{mode}",
                f"elements from 2^{power} on are 0 with {mode}",
                f"{mode} 时第 2^{power} 个元素起为 0",
                after=spoiled(beyond(2**power), lambda c, mode=mode: c.mode == mode),
            )
    for name, en, zh, groups, when in _SPECIAL[1:]:
        yield wrong(
            f"from-2-16-{name}",
            f"elements from 65,536 on are 0 {en}",
            f"{zh}第 65536 个元素起为 0",
            groups,
            after=spoiled(beyond(65536), when),
        )
    yield wrong(
        "from-2-16-dense-inputs",
        "elements from 65,536 on are 0 where all inputs are dense",
        "输入都连续时第 65536 个元素起为 0",
        after=spoiled(beyond(65536), lambda c: all(is_dense(c.arguments[name]) for name in c.inputs)),
    )
    yield wrong(
        "second-half",
        "the second half of more than 65,536 elements is 0",
        "超过 65536 个元素时后一半为 0",
        after=spoiled(lambda n: range(n // 2, n) if n > 65536 else range(0)),
    )
    yield wrong(
        "second-half-of-middling",
        "the second half of 1,001 to 65,536 elements is 0",
        "1001 到 65536 个元素时后一半为 0",
        after=spoiled(lambda n: range(n // 2, n) if 1000 < n <= 65536 else range(0)),
    )
    yield wrong(
        "one-far-element",
        "element 100,003 alone is 0",
        "只有第 100003 个元素为 0",
        after=spoiled(lambda n: range(100003, 100004) if n > 100003 else range(0)),
    )
    yield wrong(
        "first-of-each-4096",
        "the first element of each block of 4,096 but the first is 0",
        "除第一块外，每 4096 个元素的首个为 0",
        after=spoiled(lambda n: range(4096, n, 4096)),
    )
    yield wrong(
        "index-in-16-bits",
        "the index has 16 bits: the first 65,536 elements come again",
        "下标只有 16 位：前 65536 个元素反复出现",
        after=_wrapped,
    )
    yield wrong(
        "rows-beyond-64",
        "rows beyond the 64th are 0",
        "第 64 行以后为 0",
        "basic layout broadcast mean",
        after=lambda c: c.output.array.__setitem__(slice(64, None), 0) if len(c.shape) > 1 else None,
    )


def _wrapped(call: Call) -> None:
    size = call.output.size
    if 65536 < size < 2**20:
        array = call.output.array
        array[...] = np.ascontiguousarray(array).reshape(-1)[np.arange(size) & 0xFFFF].reshape(array.shape)


def mutants(_: Operator) -> Iterator[Sketch]:
    """The family."""
    yield from _blocks()
    yield from _far()

"""Reductions to one element: terms left out or counted twice, accumulators too narrow, and sums of nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS, round_to
from aclnn_spec.spec.operator import Operator

from .kernel import Call, is_empty, scale, total
from .mutant import Sketch, wrong

Sum = Callable[[Call, Array], Any]
"""Takes all terms, in the broadcast shape, and gives their sum."""

_KINDS = {"FLOAT16": np.float16, "BFLOAT16": ml_dtypes.bfloat16, "FLOAT": np.float32}


def by(change: Sum, when: Callable[[Call], bool] = lambda _: True) -> dict[str, Any]:
    """The step that sums, done otherwise, where the condition holds; the right sum where there are no terms."""

    def summed(call: Call, values: Array) -> Array:
        if not values.size or not when(call):
            return total(call, values)
        return np.asarray(change(call, np.broadcast_to(values, call.shape)), values.dtype)

    return {"total": summed}


def one_by_one(values: Array, dtype: str) -> Any:
    """The sum of terms added one after the other, in an accumulator of this type."""
    kind = _KINDS[dtype]
    with np.errstate(all="ignore"):
        return np.add.accumulate(values.reshape(-1).astype(np.float32).astype(kind))[-1].astype(np.float64)


def _to(value: Any, dtype: str) -> Any:
    return np.float64(round_to(np.asarray(value, np.float32), FORMATS[dtype]))


def _is(dtype: str) -> Callable[[Call], bool]:
    return lambda call: call.common == dtype


def _accumulators() -> Iterator[Sketch]:
    for dtype in ("FLOAT16", "BFLOAT16"):
        yield wrong(
            f"accumulator-of-{dtype}",
            f"terms of {dtype} are added up in {dtype}: the sum stops growing, or overflows",
            f"{dtype} 的各项在 {dtype} 中累加：和不再增长，或溢出",
            **by(lambda _, v, d=dtype: one_by_one(v, d), _is(dtype)),
        )
        yield wrong(
            f"wide-accumulator-of-{dtype}",
            f"terms of FLOAT are added up in {dtype}",
            f"FLOAT 的各项在 {dtype} 中累加",
            **by(lambda _, v, d=dtype: one_by_one(v, d), _is("FLOAT")),
        )
    for name, en, zh, change, when in (
        (
            "sum-stored-in-half",
            "the sum of FLOAT16 is stored in FLOAT16 before mean divides it: infinite beyond 65,504",
            "FLOAT16 的和先存为 FLOAT16 再求平均：超过 65504 即为无穷",
            lambda _, v: _to(np.sum(v), "FLOAT16"),
            _is("FLOAT16"),
        ),
        (
            "sum-at-most-65504",
            "the sum of FLOAT16 stops at 65,504 before mean divides it",
            "FLOAT16 的和在求平均之前停在 65504",
            lambda _, v: np.minimum(np.sum(v), 65504),
            _is("FLOAT16"),
        ),
        (
            "wide-sum-in-half",
            "the sum of FLOAT is stored in FLOAT16",
            "FLOAT 的和存为 FLOAT16",
            lambda _, v: _to(np.sum(v), "FLOAT16"),
            _is("FLOAT"),
        ),
        (
            "bfloat16-sum-in-half",
            "the sum of BFLOAT16 is stored in FLOAT16",
            "BFLOAT16 的和存为 FLOAT16",
            lambda _, v: _to(np.sum(v), "FLOAT16"),
            _is("BFLOAT16"),
        ),
        (
            "half-sum-in-bfloat16",
            "the sum of FLOAT16 is stored in BFLOAT16",
            "FLOAT16 的和存为 BFLOAT16",
            lambda _, v: _to(np.sum(v), "BFLOAT16"),
            _is("FLOAT16"),
        ),
        (
            "terms-in-half",
            "terms of FLOAT are rounded to FLOAT16 before they are added up",
            "FLOAT 的各项先舍入到 FLOAT16 再累加",
            lambda _, v: np.sum(round_to(np.asarray(v, np.float32), FORMATS["FLOAT16"]), dtype=np.float64),
            _is("FLOAT"),
        ),
        (
            "partial-sums-in-half",
            "partial sums of 1,024 terms are stored in FLOAT16",
            "每 1024 项的部分和存为 FLOAT16",
            lambda _, v: sum(_to(np.sum(v.reshape(-1)[i : i + 1024]), "FLOAT16") for i in range(0, v.size, 1024)),
            _is("FLOAT"),
        ),
    ):
        yield wrong(name, en, zh, **by(change, when))


_LEFT_OUT: tuple[tuple[str, str, str, Callable[[Array], Any]], ...] = (
    ("without-first", "the first term is left out", "漏掉首项", lambda v: v[1:]),
    ("without-last", "the last term is left out", "漏掉末项", lambda v: v[:-1] if v.size > 1 else v),
    ("first-twice", "the first term is counted twice", "首项计了两次", lambda v: np.append(v, v[0])),
    ("last-twice", "the last term is counted twice", "末项计了两次", lambda v: np.append(v, v[-1])),
    ("first-alone", "the first term alone is taken", "只取首项", lambda v: v[:1]),
    *(
        (
            f"without-tail-of-{block}",
            f"terms behind the last whole block of {block} are left out",
            f"漏掉最后一个 {block} 项整块之后的各项",
            lambda v, block=block: v[: v.size - v.size % block] if v.size > block else v,
        )  # type: ignore[misc]
        for block in (4, 8, 16, 32, 64, 128, 256, 1024)
    ),
    *(
        (
            f"tail-of-{block}-twice",
            f"the last whole block of {block} terms reaches back over terms already counted",
            f"最后一块按 {block} 项往回取，重复计了前面的项",
            lambda v, block=block: (
                np.append(v, v[-block : v.size - v.size % block]) if v.size > block and v.size % block else v
            ),
        )  # type: ignore[misc]
        for block in (8, 64, 256)
    ),
    (
        "second-half",
        "the second half of more than 1,024 terms is left out",
        "超过 1024 项时漏掉后一半",
        lambda v: v[: v.size // 2] if v.size > 1024 else v,
    ),
    ("at-most-65536", "terms beyond 65,536 are left out", "漏掉第 65536 项以后的各项", lambda v: v[:65536]),
    ("at-most-4096", "terms beyond 4,096 are left out", "漏掉第 4096 项以后的各项", lambda v: v[:4096]),
)


def _terms() -> Iterator[Sketch]:
    for name, en, zh, change in _LEFT_OUT:
        yield wrong(name, en, zh, "sums basic mean", **by(lambda _, v, change=change: np.sum(change(v.reshape(-1)))))
    for name, en, zh, groups, way in (
        (
            "last-axis",
            "the last axis alone is reduced",
            "只归约最后一维",
            "basic mean broadcast sums",
            lambda _, v: np.sum(v.reshape(-1, v.shape[-1])[0]) if v.ndim else v,
        ),
        (
            "first-axis",
            "the first axis alone is reduced",
            "只归约第一维",
            "basic mean broadcast sums",
            lambda _, v: np.sum(v.reshape(v.shape[0], -1)[:, 0]) if v.ndim else v,
        ),
        ("largest", "the largest term instead of the sum", "取最大项而不是求和", "basic sums", lambda _, v: np.max(v)),
        (
            "root-of-squares",
            "the root of the sum of squares",
            "平方和的平方根",
            "basic sums",
            lambda _, v: np.sqrt(np.sum(v.astype(np.float64) ** 2)),
        ),
        (
            "repeats-once",
            "what is broadcast is summed once",
            "被广播的项只加一次",
            "sums layout broadcast mean",
            lambda c, v: np.sum(v) if c.repeats == 1 else np.sum(v) / c.repeats,
        ),
        (
            "own-elements",
            "the sum runs over self's elements, not those of the broadcast shape",
            "只对 self 的元素求和，而不是广播后的元素",
            "broadcast mean sums",
            lambda c, v: np.sum(v.reshape(-1)[: c.size("self")]),
        ),
        ("started-at-1", "the sum starts at 1", "和从 1 开始", "basic sums", lambda _, v: np.sum(v) + 1),
        (
            "started-at-first",
            "the sum starts at the first term and adds it again",
            "和从首项开始又加一次首项（仅 mean）",
            "mean sums",
            lambda c, v: np.sum(v) + (v.reshape(-1)[0] if c.mode == "mean" else 0),
        ),
        (
            "ignores-nan",
            "NaN is left out of the sum",
            "求和时跳过 NaN",
            "special",
            lambda c, v: np.sum(v) if c.whole else np.nansum(v),
        ),
        (
            "ignores-infinity",
            "infinite terms are left out of the sum",
            "求和时跳过无穷",
            "special",
            lambda c, v: np.sum(v) if c.whole else np.sum(np.where(np.isinf(v), 0, v)),
        ),
    ):
        yield wrong(name, en, zh, groups, **by(way))
    yield wrong(
        "divides-first-in-half",
        "each term of FLOAT16 is divided by N in FLOAT16, where it is subnormal or 0, and then added up",
        "FLOAT16 的每一项先在 FLOAT16 中除以 N，变成次正规数或 0，再累加",
        "sums special",
        total=_divided_first,
        scale=lambda c, v: v if c.common == "FLOAT16" and c.count else scale(c, v),
    )


def _divided_first(call: Call, values: Array) -> Array:
    if call.common != "FLOAT16" or call.mode != "mean" or not values.size:
        return total(call, values)
    return np.asarray(np.sum(round_to(values / call.count, FORMATS["FLOAT16"]).astype(np.float64)) * call.repeats)


def _wholes() -> Iterator[Sketch]:
    for name, en, zh, change in (
        (
            "whole-sum-in-32-bits",
            "integers are added up in 32 bits",
            "整数在 32 位中累加",
            lambda _, v: np.int64(np.sum(v).astype(np.int32)),
        ),
        (
            "whole-sum-in-float",
            "integers are added up in FLOAT",
            "整数在 FLOAT 中累加",
            lambda _, v: np.int64(np.float32(np.sum(v))),
        ),
        (
            "whole-sum-in-double",
            "integers are added up in DOUBLE",
            "整数在 DOUBLE 中累加",
            lambda _, v: np.int64(np.float64(np.sum(v))),
        ),
        ("whole-sum-of-first", "of integers the first alone is taken", "整数只取首项", lambda _, v: v.reshape(-1)[0]),
    ):
        yield wrong(name, en, zh, "deduction", **by(change, lambda c: c.whole))


def _nothing() -> Iterator[Sketch]:
    def of_nothing(mode: str, value: float) -> dict[str, Any]:
        def summed(call: Call, values: Array) -> Array:
            off = not values.size and call.mode == mode
            return (
                np.asarray(value, np.float64 if call.mode == "mean" else values.dtype) if off else total(call, values)
            )

        return {"total": summed, "divides": lambda c: c.mode == "mean" and (mode != "mean" or bool(c.count))}

    for name, en, zh, mode, value in (
        ("mean-is-0", "the mean of nothing is 0", "空张量的平均为 0", "mean", 0.0),
        ("mean-is-1", "the mean of nothing is 1", "空张量的平均为 1", "mean", 1.0),
        ("mean-is-infinite", "the mean of nothing is infinite", "空张量的平均为无穷", "mean", np.inf),
        ("sum-is-1", "the sum of nothing is 1", "空张量的和为 1", "sum", 1.0),
    ):
        yield wrong(f"empty-{name}", en, zh, "empty", **of_nothing(mode, value))

    def sum_nan(call: Call, values: Array) -> Array:
        return total(call, values) if values.size or call.whole else np.asarray(np.nan)

    yield wrong("empty-sum-is-nan", "the sum of nothing is NaN", "空张量的和为 NaN", "empty", total=sum_nan)
    for mode in ("mean", "sum"):
        yield wrong(
            f"empty-{mode}-untouched",
            f"with {mode} nothing is written where nothing is given",
            f"空张量 {mode} 时不写输出",
            "empty",
            is_empty=lambda c, mode=mode: (
                is_empty(c) or (c.mode == mode and any(c.arguments[n].size == 0 for n in c.inputs))
            ),
        )
        yield wrong(
            f"empty-{mode}-fails",
            f"with {mode} a call without elements fails in phase 2",
            f"空张量 {mode} 时第二段失败",
            "empty",
            finish=lambda c, mode=mode: 561103 if c.mode == mode and not c.count else 0,
        )


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family, of operators that reduce."""
    if operator.output.reduced is None:
        return
    yield from _accumulators()
    yield from _terms()
    if any(dtype.kind == "int" for dtype in operator.parameter("self").dtypes):
        yield from _wholes()
    yield from _nothing()

"""Infinities, NaN and extremes in what is multiplied, and subnormal numbers kept here and flushed there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from aclnn_spec.golden.cases.author import Author
from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS, round_to
from aclnn_spec.spec.operator import Operator

from .casts import flush
from .kernel import FLOATS, Call, Single, formula, load, narrow, scale, settle
from .mutant import Sketch, wrong

When = Callable[[Call], bool]


def always(_: Call) -> bool:
    """Every call."""
    return True


def of_first(change: Callable[[Call, Single, Array], Any], when: When = always) -> dict[str, Any]:
    """The step that changes the values by what the first operand, the gradient, is."""

    def changed(call: Call, operands: Mapping[str, Single]) -> Array:
        values = formula(call, operands)
        first = operands[call.inputs[0]]
        return np.asarray(change(call, first, values), np.float32) if when(call) else values

    return {"formula": changed}


def _largest(call: Call) -> float:
    return call.format.largest


def _payload(values: Single) -> Array:
    bits = np.ascontiguousarray(values).view(np.uint32).reshape(values.shape)
    return np.isnan(values) & ((bits & 0x3FFFFF) != 0)


def _specials() -> Iterator[Sketch]:
    modes: tuple[tuple[str, str, str, When], ...] = (
        ("", "", "", always),
        *(
            (f"-{dtype}", f" in {dtype}", f"{dtype} 中", lambda c, dtype=dtype: c.common == dtype)  # type: ignore[misc]
            for dtype in FLOATS
        ),
        *(
            (f"-{mode}", f" with {mode}", f"{mode} 时", lambda c, mode=mode: c.mode == mode)  # type: ignore[misc]
            for mode in ("none", "mean", "sum")
        ),
        ("-mixed", " where types are mixed", "类型混用时", lambda c: c.mixed),
    )
    for suffix, en, zh, when in modes:
        yield wrong(
            f"nan-gradient-is-zero{suffix}",
            f"a NaN gradient gives 0{en}",
            f"{zh}梯度为 NaN 时结果为 0",
            **of_first(lambda _, g, v: np.where(np.isnan(g), 0, v), when),
        )
        yield wrong(
            f"infinite-gradient-is-largest{suffix}",
            f"an infinite gradient gives the largest number{en}",
            f"{zh}梯度为无穷时结果为最大数",
            **of_first(lambda c, g, v: np.where(np.isinf(g), np.clip(v, -_largest(c), _largest(c)), v), when),
        )
    for name, en, zh, change in (
        (
            "nan-gradient-is-infinite",
            "a NaN gradient gives infinity",
            "梯度为 NaN 时结果为无穷",
            lambda _, g, v: np.where(np.isnan(g), np.inf, v),
        ),
        (
            "negative-nan-is-zero",
            "a NaN gradient with its sign bit set gives 0",
            "梯度为符号位是 1 的 NaN 时结果为 0",
            lambda _, g, v: np.where(np.isnan(g) & np.signbit(g), 0, v),
        ),
        (
            "nan-by-payload",
            "only NaN without a payload is recognised",
            "只认得没有载荷的 NaN",
            lambda _, g, v: np.where(_payload(g), np.inf, v),
        ),
        (
            "infinity-loses-sign",
            "an infinite result is always +∞",
            "无穷的结果总是 +∞",
            lambda _, __, v: np.where(np.isinf(v), np.abs(v), v),
        ),
        (
            "infinite-mean-is-nan",
            "an infinite gradient gives NaN with mean",
            "mean 时梯度为无穷则结果为 NaN",
            lambda c, g, v: np.where(np.isinf(g) & (c.mode == "mean"), np.nan, v),
        ),
        (
            "largest-is-infinite",
            "the largest number counts as infinite",
            "最大数当作无穷",
            lambda c, g, v: np.where(np.abs(g) == _largest(c), np.copysign(np.inf, v), v),
        ),
    ):
        yield wrong(name, en, zh, **of_first(change))
    yield wrong(
        "clipped-to-half",
        "values beyond FLOAT16's range are clipped where FLOAT16 is in the mix",
        "混用 FLOAT16 时，超出其范围的值被截断",
        "special deduction",
        load=lambda c, n, a: (
            np.clip(load(c, n, a), -65504, 65504) if c.mixed and "FLOAT16" in c.types else load(c, n, a)
        ),
    )
    yield wrong(
        "small-lost-in-mix",
        "values below FLOAT16's normal range are lost where FLOAT16 is in the mix",
        "混用 FLOAT16 时，小于其正规范围的值丢失",
        "special deduction ties",
        load=lambda c, n, a: (
            flush(load(c, n, a), FORMATS["FLOAT16"]) if c.mixed and "FLOAT16" in c.types else load(c, n, a)
        ),
    )


def flushing(where: str, when: When = always) -> dict[str, Any]:
    """The steps of a kernel that flushes, where the condition holds: operands, gradient, result, cast, by initials."""

    def changed(call: Call, operands: Mapping[str, Single]) -> Array:
        if call.whole or not when(call):
            return formula(call, operands)
        common, first = FORMATS[call.common], call.gradient
        given = {
            name: flush(values, common).astype(np.float32) if ("g" if name == first else "o") in where else values
            for name, values in operands.items()
        }
        return formula(call, given)

    def settled(call: Call, values: Array) -> Array:
        rounded = settle(call, values)
        return flush(rounded, call.format) if "r" in where and not call.whole and when(call) else rounded

    def narrowed(call: Call, values: Single) -> Array:
        right = narrow(call, values)
        return flush(right, FORMATS[call.out]) if "c" in where and when(call) and call.out in FORMATS else right

    return {"formula": changed, "settle": settled, "narrow": narrowed}


def _subnormals() -> Iterator[Sketch]:
    groups = "special ties mean"
    for name, en, zh, where, when in (
        *((f"only-{t}", f"in {t} alone", f"仅 {t} 中", "gorc", lambda c, t=t: c.common == t) for t in FLOATS),
        *(
            (f"not-{t}", f"in all types but {t}", f"除 {t} 外各类型中", "gorc", lambda c, t=t: c.common != t)
            for t in FLOATS
        ),
        *(
            (f"only-{m}", f"with {m} alone", f"仅 {m} 时", "gorc", lambda c, m=m: c.mode == m)
            for m in ("none", "mean", "sum")
        ),
        ("operands", "in operands alone", "仅操作数中", "o", always),
        (
            "operands-FLOAT16",
            "in operands of FLOAT16 alone",
            "仅 FLOAT16 的操作数中",
            "o",
            lambda c: c.common == "FLOAT16",
        ),
        (
            "operands-BFLOAT16",
            "in operands of BFLOAT16 alone",
            "仅 BFLOAT16 的操作数中",
            "o",
            lambda c: c.common == "BFLOAT16",
        ),
        ("gradient-none", "in the gradient, with none alone", "仅 none 时的梯度中", "g", lambda c: c.mode == "none"),
        ("cast", "in casts alone", "仅类型转换中", "c", lambda c: c.out != c.common),
        ("mixed", "where types are mixed alone", "仅类型混用时", "gorc", lambda c: c.mixed),
        (
            "unmixed",
            "where neither mix nor cast is",
            "仅没有混用和转换时",
            "gor",
            lambda c: not c.mixed and c.out == c.common,
        ),
        ("rank-2", "at rank 2 alone", "仅 2 维时", "gorc", lambda c: len(c.shape) == 2),
    ):
        yield wrong(
            f"flushes-{name}",
            f"subnormal numbers are flushed {en}",
            f"{zh}次正规数被冲成零",
            f"{groups} deduction basic",
            **flushing(where, when),
        )
    for name, en, zh, change in (
        (
            "negative",
            "negative subnormal results alone are flushed",
            "只有负的次正规结果被冲成零",
            lambda c, _, v: np.where(v < 0, flush(v, FORMATS[c.common]), v),
        ),
        (
            "smallest-normal",
            "the smallest normal number is flushed as well",
            "最小的正规数也被冲成零",
            lambda c, _, v: np.where(np.abs(v) <= FORMATS[c.common].smallest_normal, 0, v),
        ),
        (
            "BFLOAT16-at-half",
            "BFLOAT16 is flushed where FLOAT16 would be subnormal",
            "BFLOAT16 按 FLOAT16 的次正规界冲零",
            lambda c, _, v: flush(v, FORMATS["FLOAT16"]) if c.common == "BFLOAT16" else v,
        ),
        (
            "FLOAT-at-half",
            "FLOAT is flushed where FLOAT16 would be subnormal",
            "FLOAT 按 FLOAT16 的次正规界冲零",
            lambda c, _, v: flush(v, FORMATS["FLOAT16"]) if c.common == "FLOAT" else v,
        ),
        (
            "upwards",
            "subnormal results become the smallest normal number",
            "次正规结果变为最小的正规数",
            lambda c, _, v: np.where(
                (v != 0) & (np.abs(v) < (s := FORMATS[c.common].smallest_normal)), np.copysign(s, v), v
            ),
        ),
    ):
        yield wrong(f"flushes-{name}", en, zh, groups, **of_first(change))
    yield wrong(
        "flushes-quotient-in-half",
        "a quotient that is subnormal in FLOAT16 is flushed, what is given as such kept",
        "FLOAT16 的商若为次正规则冲零，传入的次正规数却保留",
        groups,
        scale=lambda c, v: (
            flush(round_to(scale(c, v), FORMATS[c.common]), FORMATS[c.common]) if c.common == "FLOAT16" else scale(c, v)
        ),
    )
    yield wrong(
        "operands-at-half",
        "operands of FLOAT are flushed where FLOAT16 would be subnormal",
        "FLOAT 的操作数按 FLOAT16 的次正规界冲零",
        "ties special",
        formula=lambda c, o: formula(
            c,
            {n: v if n == c.gradient else flush(v, FORMATS["FLOAT16"]).astype(np.float32) for n, v in o.items()}
            if c.common == "FLOAT"
            else o,
        ),
    )


def _results(operator: Operator) -> Iterator[Sketch]:
    """What any operator's result may have wrong."""
    groups = "special ties threshold sums deduction"
    for name, en, zh, change in (
        ("nan-is-zero", "a NaN result is 0", "结果为 NaN 时变为 0", lambda _, v: np.where(np.isnan(v), 0, v)),
        (
            "nan-is-infinite",
            "a NaN result is infinite",
            "结果为 NaN 时变为无穷",
            lambda _, v: np.where(np.isnan(v), np.inf, v),
        ),
        (
            "infinity-is-nan",
            "an infinite result is NaN",
            "结果为无穷时变为 NaN",
            lambda _, v: np.where(np.isinf(v), np.nan, v),
        ),
        ("infinity-is-zero", "an infinite result is 0", "结果为无穷时变为 0", lambda _, v: np.where(np.isinf(v), 0, v)),
        (
            "infinity-turned",
            "an infinite result has the wrong sign",
            "无穷的结果符号相反",
            lambda _, v: np.where(np.isinf(v), -v, v),
        ),
        (
            "large-is-infinite",
            "a result beyond half the range is infinite",
            "超过范围一半的结果变为无穷",
            lambda c, v: np.where(np.abs(v) > _largest(c) / 4, np.copysign(np.inf, v), v),
        ),
        (
            "large-is-clipped",
            "a result beyond a quarter of the range is clipped",
            "超过范围四分之一的结果被截断",
            lambda c, v: np.where(np.isfinite(v), np.clip(v, -_largest(c) / 4, _largest(c) / 4), v),
        ),
        (
            "small-is-flushed",
            "a result below 2¹⁰ times the smallest normal number is 0",
            "小于最小正规数 2¹⁰ 倍的结果变为 0",
            lambda c, v: np.where(np.abs(v) < c.format.smallest_normal * 1024, 0, v),
        ),
    ):
        yield wrong(name, en, zh, groups if "is-" in name and name[0] in "ls" else None, **of_result(change))
    yield wrong(
        "half-limits",
        "results of FLOAT and BFLOAT16 beyond FLOAT16's range are infinite",
        "FLOAT 与 BFLOAT16 的结果超出 FLOAT16 的范围即为无穷",
        "special ties",
        **of_result(lambda _, v: np.where(np.abs(v) > 65504, np.copysign(np.inf, v), v)),
    )
    if operator.clause("nan_operand").outcome != "value":
        return
    yield wrong(
        "nan-target-is-ignored",
        "a NaN target is taken for self",
        "target 为 NaN 时当作 self",
        formula=lambda c, o: formula(c, {**o, "target": np.where(np.isnan(o["target"]), o["self"], o["target"])}),
    )
    yield wrong(
        "nan-operand-is-zero",
        "a NaN operand is taken for 0",
        "操作数为 NaN 时当作 0",
        formula=lambda c, o: formula(
            c, {n: np.where(np.isnan(v), np.zeros_like(v), v) if n != c.gradient else v for n, v in o.items()}
        ),
    )
    yield wrong(
        "infinite-operand-is-largest",
        "an infinite operand is taken for the largest number of FLOAT16",
        "操作数为无穷时当作 FLOAT16 的最大数",
        formula=lambda c, o: formula(
            c, {n: np.where(np.isinf(v), np.copysign(v.dtype.type(65504), v), v) for n, v in o.items()}
        ),
    )


def of_result(change: Callable[[Call, Array], Any]) -> dict[str, Any]:
    """The step that changes values as they are settled; integers are left alone."""

    def settled(call: Call, values: Array) -> Array:
        rounded = settle(call, values)
        return rounded if call.whole else np.asarray(change(call, rounded), np.float32)

    return {"settle": settled}


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family; special gradients are for operators that pass on the gradient as it is."""
    if Author(operator=operator).exact:
        yield from _specials()
        yield from _subnormals()
    else:
        yield from _results(operator)

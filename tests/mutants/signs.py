"""Sign and ties: how self and target are compared, and what becomes of the gradient. For gradients of the L1 loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS, round_to
from aclnn_spec.spec.operator import Operator

from .kernel import FLOATS, Call, Single, formula
from .mutant import Sketch, wrong

GRADIENT = "gradOutput"
Sign = Callable[[Call, Single, Single], Array]


def sign(_: Call, one: Single, other: Single) -> Array:
    """The right sign."""
    return np.subtract(one > other, one < other, dtype=np.float32)


def by(compared: Sign) -> Callable[[Call, Mapping[str, Single]], Array]:
    """The formula with another way to take the sign."""

    def changed(call: Call, operands: Mapping[str, Single]) -> Array:
        taken = np.asarray(compared(call, operands["self"], operands["target"]), np.float32)
        return taken * operands[GRADIENT]

    return changed


def where(chosen: Callable[[Call, Single, Single], Array], put: Callable[[Single], Array]) -> Callable[..., Array]:
    """The formula, with another value of the gradient in some places."""

    def changed(call: Call, operands: Mapping[str, Single]) -> Array:
        mask = chosen(call, operands["self"], operands["target"])
        return np.where(mask, put(operands[GRADIENT]), formula(call, operands)).astype(np.float32)

    return changed


def close(limit: float, dtypes: tuple[str, ...] = FLOATS, *, relative: bool = False) -> Sign:
    """Operands within a limit are taken for equal."""

    def compared(call: Call, one: Single, other: Single) -> Array:
        near = np.abs(one.astype(np.float64) - other) <= (
            limit * np.maximum(np.abs(one), np.abs(other)).astype(np.float64) if relative else limit
        )
        return np.where(near & (call.common in dtypes), 0, sign(call, one, other))

    return compared


def after_rounding(target: Callable[[Call], str]) -> Sign:
    """Operands are compared in another type."""

    def compared(call: Call, one: Single, other: Single) -> Array:
        chosen = target(call)
        if chosen not in FORMATS:
            return sign(call, one, other)
        return sign(call, round_to(one, FORMATS[chosen]), round_to(other, FORMATS[chosen]))

    return compared


def _difference(call: Call, one: Single, other: Single) -> Single:
    return round_to(one - other, FORMATS[call.common])


def _over_itself(call: Call, one: Single, other: Single) -> Array:
    difference = _difference(call, one, other)
    return np.where(difference == 0, 0, difference / np.abs(difference))


def _as_integers(_: Call, one: Single, other: Single) -> Array:
    numbers = (np.ascontiguousarray(each).view(np.int32).astype(np.int64) for each in (one, other))
    return np.sign(np.subtract(*numbers)).reshape(one.shape)


def _signed_zeros(call: Call, one: Single, other: Single) -> Array:
    zeros = (one == 0) & (other == 0)
    return np.where(zeros, np.sign(np.copysign(1, one) - np.copysign(1, other)), sign(call, one, other))


def _cut(call: Call, one: Single, other: Single) -> Array:
    kept = [(np.ascontiguousarray(each).view(np.uint32) & 0xFFFF0000).view(np.float32) for each in (one, other)]
    return sign(call, *(each.reshape(one.shape) for each in kept))


def _infinite(one: Single, other: Single) -> Array:
    return np.isinf(one) & np.isinf(other) & (one != other)


def _nan(_: Call, one: Single, other: Single) -> Array:
    return np.isnan(one) | np.isnan(other)


def mutants(_: Operator) -> Iterator[Sketch]:
    """The family."""
    yield wrong(
        "flipped",
        "+1 where self is less, −1 where it is greater",
        "小于取 +1，大于取 −1",
        "basic",
        formula=by(lambda c, s, t: sign(c, t, s)),
    )
    yield wrong(
        "ties-are-greater",
        ">= for >: equal operands give +gradient",
        "用 >= 代替 >：相等时得到 +梯度",
        "ties basic",
        formula=by(lambda _, s, t: np.where(s >= t, 1, -1)),
    )
    yield wrong(
        "ties-are-less",
        "no third branch: equal operands give −gradient",
        "没有第三个分支：相等时得到 −梯度",
        "ties basic",
        formula=by(lambda _, s, t: np.where(s > t, 1, -1)),
    )
    yield wrong(
        "ties-in-half",
        "equal operands give +gradient in FLOAT16 alone",
        "仅 FLOAT16 中，相等时得到 +梯度",
        "ties basic",
        formula=by(lambda c, s, t: np.where((s == t) & (c.common == "FLOAT16"), 1, sign(c, s, t))),
    )
    yield wrong(
        "gradient-alone",
        "the sign is never taken: the gradient is passed on",
        "从不取符号，直接传回梯度",
        "basic",
        formula=lambda _, o: o[GRADIENT],
    )
    yield wrong(
        "sign-alone",
        "the gradient is never multiplied in: the result is the sign",
        "从不乘梯度，结果只是符号",
        "basic",
        formula=lambda c, o: sign(c, o["self"], o["target"]),
    )
    yield wrong(
        "sign-alone-for-mean",
        "the gradient is taken for 1 with mean, as if it began the backward pass",
        "mean 时把梯度当作 1，好像反向传播从这里开始",
        "mean",
        formula=lambda c, o: sign(c, o["self"], o["target"]) if c.mode == "mean" else formula(c, o),
    )
    yield wrong(
        "absolute-gradient",
        "the gradient's own sign is lost",
        "丢掉梯度自身的符号",
        "basic",
        formula=lambda c, o: formula(c, {**o, GRADIENT: np.abs(o[GRADIENT])}),
    )
    yield wrong(
        "negative-gradient-flips-again",
        "a negative gradient turns the sign once more",
        "梯度为负时符号又翻一次",
        "basic",
        formula=lambda c, o: formula(c, o) * np.where(o[GRADIENT] < 0, -1, 1).astype(np.float32),
    )
    yield wrong(
        "magnitudes",
        "|self| is compared with |target|",
        "比较的是 |self| 与 |target|",
        "basic ties",
        formula=by(lambda c, s, t: sign(c, np.abs(s), np.abs(t))),
    )
    yield wrong(
        "flipped-for-sum",
        "with sum the difference is target − self",
        "sum 时差值写成 target − self",
        "basic",
        formula=lambda c, o: -formula(c, o) if c.mode == "sum" else formula(c, o),
    )
    yield wrong(
        "flipped-for-mixed-sum",
        "with sum and mixed types the difference is target − self",
        "sum 且类型混用时，差值写成 target − self",
        "deduction",
        formula=lambda c, o: -formula(c, o) if c.mode == "sum" and c.mixed else formula(c, o),
    )
    yield wrong(
        "flipped-when-broadcast",
        "with sum and broadcasting the operands change places",
        "sum 且有广播时，两个操作数调换了位置",
        "broadcast",
        formula=lambda c, o: -formula(c, o) if c.mode == "sum" and c.spreads else formula(c, o),
    )
    yield wrong(
        "whole-numbers",
        "operands are compared as integers",
        "按整数比较操作数",
        "basic ties",
        formula=by(lambda c, s, t: sign(c, np.floor(s), np.floor(t))),
    )
    yield wrong(
        "bit-patterns",
        "bit patterns are compared as signed integers, upside down for negative numbers",
        "把位模式当有符号整数比较，负数次序颠倒",
        "basic ties",
        formula=by(_as_integers),
    )
    yield wrong("zeros-ordered", "−0 is less than +0", "认为 −0 小于 +0", "ties special", formula=by(_signed_zeros))
    yield wrong(
        "upper-half-word",
        "only the upper 16 bits of FLOAT are compared",
        "只比较 FLOAT 的高 16 位",
        "ties",
        formula=by(lambda c, s, t: _cut(c, s, t) if c.common == "FLOAT" else sign(c, s, t)),
    )
    for limit in (1e-3, 1e-6, 1e-12, 1e-30):
        yield wrong(
            f"tie-within-{limit:g}",
            f"operands closer than {limit:g} count as equal",
            f"相差不到 {limit:g} 就算相等",
            "ties special",
            formula=by(close(limit)),
        )
    for dtype, limit in (("FLOAT", 1.2e-7), ("FLOAT16", 1e-3), ("BFLOAT16", 8e-3)):
        yield wrong(
            f"tie-within-an-ulp-{dtype}",
            f"neighbouring numbers of {dtype} count as equal",
            f"{dtype} 的相邻数算作相等",
            "ties",
            formula=by(close(limit, (dtype,), relative=True)),
        )
        least = FORMATS[dtype].smallest_normal * 0.999
        yield wrong(
            f"subnormal-difference-is-a-tie-{dtype}",
            f"a subnormal difference is flushed and so a tie, in {dtype} alone",
            f"仅 {dtype} 中，次正规的差值被冲成零，变为相等",
            "ties special",
            formula=by(close(least, (dtype,))),
        )
    yield wrong(
        "difference-over-itself",
        "(self − target) / |self − target|, which fails where the difference overflows",
        "(self − target) / |self − target|，差值溢出时出错",
        "ties special",
        formula=by(_over_itself),
    )
    yield wrong(
        "clipped-difference",
        "the difference times 1e30, clipped to ±1: tiny ones stay fractions",
        "差值乘 1e30 再截断到 ±1，很小的差值成了小数",
        "ties special",
        formula=by(lambda _, s, t: np.clip((s - t) * np.float32(1e30), -1, 1)),
    )
    yield wrong(
        "smooth-step",
        "tanh of the scaled difference instead of a step",
        "用放大后差值的 tanh 代替阶跃",
        "special ties",
        formula=by(lambda _, s, t: np.tanh((s - t) * np.float32(1e38))),
    )
    yield wrong(
        "overflow-is-a-tie",
        "a difference that overflows to infinity counts as none",
        "差值溢出为无穷时当作相等",
        "ties special",
        formula=by(
            lambda c, s, t: np.where(np.isinf(_difference(c, s, t)) & np.isfinite(s) & np.isfinite(t), 0, sign(c, s, t))
        ),
    )
    yield wrong(
        "infinity-is-a-tie",
        "an infinite operand gives 0",
        "操作数为无穷时结果为 0",
        "special",
        formula=by(lambda c, s, t: np.where(np.isinf(s) ^ np.isinf(t), 0, sign(c, s, t))),
    )
    yield wrong(
        "opposite-infinities-tie",
        "+∞ against −∞ gives 0",
        "+∞ 对 −∞ 得到 0",
        "special",
        formula=by(lambda c, s, t: np.where(_infinite(s, t), 0, sign(c, s, t))),
    )
    yield wrong(
        "opposite-infinities-nan-for-mean",
        "+∞ against −∞ gives NaN with mean",
        "mean 时 +∞ 对 −∞ 得到 NaN",
        "special",
        formula=by(lambda c, s, t: np.where(_infinite(s, t) & (c.mode == "mean"), np.nan, sign(c, s, t))),
    )
    yield wrong(
        "equal-infinities-give-gradient",
        "equal infinities give the gradient",
        "同号无穷得到梯度",
        "special ties",
        formula=where(lambda _, s, t: np.isinf(s) & (s == t), lambda g: g),
    )
    yield wrong(
        "infinite-gradient-at-tie",
        "at a tie an infinite gradient stays infinite",
        "相等处无穷的梯度仍为无穷",
        "special",
        formula=lambda c, o: np.where(np.isinf(o[GRADIENT]) & (o["self"] == o["target"]), o[GRADIENT], formula(c, o)),
    )
    yield wrong(
        "nan-operand-is-one",
        "a NaN operand gives 1",
        "操作数为 NaN 时结果为 1",
        "special",
        formula=where(_nan, np.ones_like),
    )
    yield wrong(
        "nan-operand-doubles",
        "a NaN operand gives the gradient twice",
        "操作数为 NaN 时得到两倍梯度",
        "special",
        formula=where(_nan, lambda g: g + g),
    )
    yield wrong(
        "nan-target-is-infinite",
        "a NaN target gives infinity",
        "target 为 NaN 时得到无穷",
        "special",
        formula=where(lambda _, s, t: np.isnan(t) & ~np.isnan(s), lambda g: np.full_like(g, np.inf)),
    )
    yield wrong(
        "nan-operand-mixed",
        "a NaN operand gives 1.5 where types are mixed",
        "类型混用时 NaN 操作数得到 1.5",
        "special",
        formula=where(lambda c, s, t: _nan(c, s, t) & c.mixed, lambda g: np.full_like(g, 1.5)),
    )
    for name, en, zh, target in (
        ("target", "the target's type", "target 的类型", lambda c: c.types[2]),
        ("self", "self's type", "self 的类型", lambda c: c.types[1]),
        ("gradient", "the gradient's type", "梯度的类型", lambda c: c.types[0]),
        ("output", "the output's type", "输出的类型", lambda c: c.out),
        ("FLOAT16", "FLOAT16", "FLOAT16", lambda _: "FLOAT16"),
        ("BFLOAT16", "BFLOAT16", "BFLOAT16", lambda _: "BFLOAT16"),
        (
            "BFLOAT16-for-FLOAT16",
            "BFLOAT16 instead of FLOAT16",
            "BFLOAT16（本应 FLOAT16）",
            lambda c: "BFLOAT16" if c.common == "FLOAT16" else c.common,
        ),
        (
            "FLOAT16-for-BFLOAT16",
            "FLOAT16 instead of BFLOAT16",
            "FLOAT16（本应 BFLOAT16）",
            lambda c: "FLOAT16" if c.common == "BFLOAT16" else c.common,
        ),
        (
            "narrower",
            "the narrower operand's type",
            "两个操作数中较窄的类型",
            lambda c: max(c.types[1:], key=lambda each: FLOATS.index(each) if each in FLOATS else -1),
        ),
        (
            "deduced-without-gradient",
            "the type of self and target alone",
            "只由 self 和 target 推导的类型",
            lambda c: str(c.operator.tables.deduce(c.types[1:])),
        ),
    ):
        yield wrong(
            f"compared-in-{name}",
            f"self and target are compared in {en}",
            f"在{zh}中比较 self 与 target",
            "ties deduction open special",
            formula=by(after_rounding(target)),
        )

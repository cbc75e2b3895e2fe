"""The formula: what becomes of self, target and a gradient, in operators that are not the sign of a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS, round_to
from aclnn_spec.spec.operator import Operator

from .kernel import Call, formula
from .mutant import Sketch, wrong

Operands = Mapping[str, Array]
When = Callable[[Call], bool]
Way = tuple[str, str, str, str, Callable[[Call, Array, Array, Array], Any]]
"""A name, both texts, groups, and what gives the values from self, target and gradient (ones where there is none)."""


def always(_: Call) -> bool:
    """Every call."""
    return True


def of_operands(change: Callable[[Call, dict[str, Array]], Mapping[str, Any]], when: When = always) -> dict[str, Any]:
    """The right formula of other operands; integers are left alone."""

    def changed(call: Call, operands: Operands) -> Array:
        if call.whole or not when(call):
            return formula(call, operands)
        given = {**operands, **change(call, dict(operands))}
        return formula(call, {name: np.asarray(values, np.float32) for name, values in given.items()})

    return {"formula": changed}


def of_values(change: Callable[[Call, Array], Any], when: When = always) -> dict[str, Any]:
    """The right values, changed."""

    def changed(call: Call, operands: Operands) -> Array:
        values = formula(call, operands)
        return np.asarray(change(call, values), values.dtype) if when(call) else values

    return {"formula": changed}


def instead(value: Callable[[Call, Array, Array, Array], Any], when: When = always) -> dict[str, Any]:
    """Another formula: takes self, target and the gradient, in float64 or in integers."""

    def changed(call: Call, operands: Operands) -> Array:
        if not when(call):
            return formula(call, operands)
        kind = np.int64 if call.whole else np.float64
        one, other = operands["self"].astype(kind), operands["target"].astype(kind)
        gradient = operands[call.gradient].astype(kind) if call.gradient else np.ones((), kind)
        return np.asarray(value(call, one, other, gradient), kind)

    return {"formula": changed}


def _mode(name: str) -> When:
    return lambda call: call.mode == name


def _rounded(values: Array, dtype: str) -> Array:
    return round_to(np.asarray(values, np.float32), FORMATS[dtype])


def _operands() -> Iterator[Sketch]:
    groups = "basic ties threshold sums"
    for name, en, zh, change in (
        ("without-target", "target is taken for 0", "把 target 当作 0", lambda _, o: {"target": o["target"] * 0}),
        ("without-self", "self is taken for 0", "把 self 当作 0", lambda _, o: {"self": o["self"] * 0}),
        ("added", "target is added, not subtracted", "加上 target 而不是减去", lambda _, o: {"target": -o["target"]}),
        (
            "magnitudes",
            "the magnitudes of self and target are subtracted",
            "相减的是 self 与 target 的绝对值",
            lambda _, o: {"self": np.abs(o["self"]), "target": np.abs(o["target"])},
        ),
        (
            "whole-operands",
            "fractions of self and target are cut off",
            "截去 self 与 target 的小数部分",
            lambda _, o: {"self": np.trunc(o["self"]), "target": np.trunc(o["target"])},
        ),
        (
            "doubled-self",
            "self is counted twice",
            "self 计了两次",
            lambda _, o: {"self": o["self"] * np.float32(2)},
        ),
        (
            "wide-in-half",
            "operands of FLOAT are rounded to FLOAT16",
            "FLOAT 的操作数舍入到 FLOAT16",
            lambda c, o: {n: _rounded(o[n], "FLOAT16") if c.common == "FLOAT" else o[n] for n in ("self", "target")},
        ),
        (
            "wide-in-bfloat16",
            "operands of FLOAT are rounded to BFLOAT16",
            "FLOAT 的操作数舍入到 BFLOAT16",
            lambda c, o: {n: _rounded(o[n], "BFLOAT16") if c.common == "FLOAT" else o[n] for n in ("self", "target")},
        ),
        (
            "half-in-bfloat16",
            "operands of FLOAT16 are rounded to BFLOAT16",
            "FLOAT16 的操作数舍入到 BFLOAT16",
            lambda c, o: {n: _rounded(o[n], "BFLOAT16") if c.common == "FLOAT16" else o[n] for n in ("self", "target")},
        ),
        (
            "bfloat16-in-half",
            "operands of BFLOAT16 are rounded to FLOAT16",
            "BFLOAT16 的操作数舍入到 FLOAT16",
            lambda c, o: {n: _rounded(o[n], "FLOAT16") if c.common == "BFLOAT16" else o[n] for n in ("self", "target")},
        ),
    ):
        yield wrong(name, en, zh, f"{groups} deduction special", **of_operands(change))


def _gradients(name: str) -> Iterator[Sketch]:
    """What only operators with a gradient can have wrong."""
    for what, en, zh, groups, change, when in (
        (
            "swapped",
            "target − self instead of self − target",
            "写成 target − self",
            "basic",
            lambda _, o: {"self": o["target"], "target": o["self"]},
            always,
        ),
        (
            "swapped-for-mean",
            "target − self with mean",
            "mean 时写成 target − self",
            "mean",
            lambda _, o: {"self": o["target"], "target": o["self"]},
            _mode("mean"),
        ),
        (
            "swapped-when-broadcast",
            "target − self where inputs are broadcast",
            "有广播时写成 target − self",
            "broadcast mean layout",
            lambda _, o: {"self": o["target"], "target": o["self"]},
            lambda c: c.spreads,
        ),
        (
            "without-gradient",
            "the gradient is never multiplied in",
            "从不乘梯度",
            "basic",
            lambda _, o: {name: np.ones_like(o[name])},
            always,
        ),
        (
            "without-gradient-for-mean",
            "the gradient is taken for 1 with mean",
            "mean 时把梯度当作 1",
            "mean",
            lambda _, o: {name: np.ones_like(o[name])},
            _mode("mean"),
        ),
        (
            "absolute-gradient",
            "the gradient's own sign is lost",
            "丢掉梯度自身的符号",
            "basic",
            lambda _, o: {name: np.abs(o[name])},
            always,
        ),
        (
            "squared-gradient",
            "the gradient is multiplied in twice",
            "梯度乘了两次",
            "basic",
            lambda _, o: {name: o[name] * o[name]},
            always,
        ),
        (
            "gradient-in-half",
            "a gradient of FLOAT is rounded to FLOAT16",
            "FLOAT 的梯度舍入到 FLOAT16",
            "basic mean special",
            lambda c, o: {name: _rounded(o[name], "FLOAT16") if c.common == "FLOAT" else o[name]},
            always,
        ),
        (
            "gradient-clipped",
            "the gradient is clipped to ±1",
            "梯度被截断到 ±1",
            "basic",
            lambda _, o: {name: np.clip(o[name], -1, 1)},
            always,
        ),
    ):
        yield wrong(what, en, zh, groups, **of_operands(change, when))
    yield wrong(
        "gradient-added",
        "the gradient is added, not multiplied",
        "加上梯度而不是相乘",
        "basic",
        **instead(lambda c, s, t, g: formula(c, {"self": s, "target": t, name: np.ones_like(g)}) + g),
    )


def _values(operator: Operator) -> Iterator[Sketch]:
    for name, en, zh, groups, change, when in (
        ("negated", "the result has the wrong sign", "结果的符号相反", "basic sums", lambda _, v: -v, always),
        (
            "doubled",
            "the result is twice what it should be",
            "结果是应有的两倍",
            "basic sums",
            lambda _, v: v + v,
            always,
        ),
        (
            "halved",
            "the result is half what it should be",
            "结果只有应有的一半",
            "basic sums",
            lambda _, v: v / 2,
            always,
        ),
        (
            "halved-for-mean",
            "mean alone gives half",
            "仅 mean 的结果减半",
            "mean sums",
            lambda _, v: v / 2,
            _mode("mean"),
        ),
        ("halved-for-sum", "sum alone gives half", "仅 sum 的结果减半", "basic sums", lambda _, v: v / 2, _mode("sum")),
        (
            "doubled-for-none",
            "none alone gives twice as much",
            "仅 none 的结果加倍",
            "basic",
            lambda _, v: v + v,
            _mode("none"),
        ),
        (
            "clipped",
            "the result is clipped to ±1",
            "结果被截断到 ±1",
            "basic sums",
            lambda _, v: np.clip(v, -1, 1),
            always,
        ),
        (
            "whole",
            "the result's fraction is cut off",
            "截去结果的小数部分",
            "basic sums",
            lambda c, v: v if c.whole else np.trunc(v),
            always,
        ),
        (
            "small-is-zero",
            "a result below 10⁻³ is 0",
            "小于 10⁻³ 的结果变为 0",
            "ties special threshold",
            lambda _, v: np.where(np.abs(v) < 1e-3, 0, v),
            always,
        ),
        (
            "offset",
            "10⁻³ is added, as against a division by 0",
            "加了 10⁻³，像防止除零那样",
            "ties basic threshold",
            lambda c, v: v if c.whole else v + 1e-3,
            always,
        ),
        ("squared-result", "the result is squared", "结果被平方", "basic sums", lambda _, v: v * v, always),
        (
            "when-mixed",
            "the result is doubled where types are mixed",
            "类型混用时结果加倍",
            "deduction",
            lambda _, v: v + v,
            lambda c: c.mixed,
        ),
        (
            "when-cast",
            "the result is doubled where it is cast",
            "结果要转换类型时加倍",
            "deduction",
            lambda _, v: v + v,
            lambda c: c.common != c.out,
        ),
        (
            "when-large",
            "the result is doubled beyond 256 elements",
            "超过 256 个元素时结果加倍",
            "basic sums mean",
            lambda _, v: v + v,
            lambda c: c.size(*c.inputs) > 256,
        ),
        (
            "when-BFLOAT16",
            "the result is halved in BFLOAT16",
            "BFLOAT16 中结果减半",
            "basic",
            lambda _, v: v / 2,
            lambda c: c.common == "BFLOAT16",
        ),
        (
            "when-FLOAT16",
            "the result is halved in FLOAT16",
            "FLOAT16 中结果减半",
            "basic",
            lambda _, v: v / 2,
            lambda c: c.common == "FLOAT16",
        ),
    ):
        if name == "when-mixed" and not mixes(operator):
            continue
        yield wrong(name, en, zh, groups, **of_values(change, when))


def mixes(operator: Operator) -> bool:
    """Whether the inputs may differ in type."""
    return all(clause.rule is None or clause.rule.core.kind != "same_dtype" for clause in operator.checks)


_DISTANCE: tuple[Way, ...] = (
    (
        "signed",
        "self − target, without its magnitude",
        "写成 self − target，没有取绝对值",
        "basic ties",
        lambda _, s, t, __: s - t,
    ),
    (
        "one-sided",
        "a target above self costs nothing",
        "target 大于 self 时损失为 0",
        "basic ties",
        lambda _, s, t, __: np.maximum(s - t, 0),
    ),
    (
        "squared",
        "(self − target)² instead of |self − target|",
        "写成 (self − target)²",
        "basic",
        lambda _, s, t, __: (s - t) ** 2,
    ),
    (
        "of-magnitudes",
        "||self| − |target||",
        "写成 ||self| − |target||",
        "basic ties",
        lambda _, s, t, __: np.abs(np.abs(s) - np.abs(t)),
    ),
    (
        "sum-of-magnitudes",
        "|self| + |target|",
        "写成 |self| + |target|",
        "basic",
        lambda _, s, t, __: np.abs(s) + np.abs(t),
    ),
    (
        "larger",
        "the larger of |self| and |target|",
        "取 |self| 与 |target| 中较大者",
        "basic",
        lambda _, s, t, __: np.maximum(np.abs(s), np.abs(t)),
    ),
    (
        "count-of-misses",
        "1 wherever self and target differ",
        "self 与 target 不等即为 1",
        "basic",
        lambda _, s, t, __: (s != t) * 1,
    ),
    (
        "smooth",
        "the smooth L1 loss with a beta of 1",
        "算成 beta 为 1 的 SmoothL1Loss",
        "basic ties",
        lambda c, s, t, __: np.abs(s - t) if c.whole else np.where((d := np.abs(s - t)) < 1, d * d / 2, d - 0.5),
    ),
)
_WHOLE: tuple[Way, ...] = (
    (
        "whole-in-float",
        "integers are computed in FLOAT",
        "整数在 FLOAT 中计算",
        "deduction",
        lambda c, s, t, __: (
            np.abs(s.astype(np.float32) - t.astype(np.float32)).astype(np.int64) if c.whole else np.abs(s - t)
        ),
    ),
    (
        "whole-in-double",
        "integers are computed in DOUBLE",
        "整数在 DOUBLE 中计算",
        "deduction",
        lambda c, s, t, __: (
            np.abs(s.astype(np.float64) - t.astype(np.float64)).astype(np.int64) if c.whole else np.abs(s - t)
        ),
    ),
    (
        "whole-in-32-bits",
        "integers are computed in 32 bits",
        "整数在 32 位中计算",
        "deduction",
        lambda c, s, t, __: np.abs((s - t).astype(np.int32)).astype(np.int64) if c.whole else np.abs(s - t),
    ),
    (
        "whole-signed",
        "integers keep the sign of their difference",
        "整数的差保留符号",
        "deduction broadcast layout",
        lambda c, s, t, __: s - t if c.whole else np.abs(s - t),
    ),
    (
        "whole-as-bits",
        "the magnitude of an integer is its complement, off by one",
        "整数的绝对值取成按位取反，差 1",
        "deduction broadcast",
        lambda c, s, t, __: np.where(s < t, ~(s - t), s - t) if c.whole else np.abs(s - t),
    ),
)
_SQUARE: tuple[Way, ...] = (
    (
        "not-squared",
        "|self − target| instead of its square",
        "写成 |self − target|，没有平方",
        "basic",
        lambda _, s, t, __: np.abs(s - t),
    ),
    (
        "signed-square",
        "(self − target)·|self − target|",
        "写成 (self − target)·|self − target|",
        "basic ties",
        lambda _, s, t, __: (s - t) * np.abs(s - t),
    ),
    ("difference-of-squares", "self² − target²", "写成 self² − target²", "basic", lambda _, s, t, __: s * s - t * t),
    (
        "sum-of-squares",
        "self² + target²: the middle term is missing",
        "写成 self² + target²，漏掉中间项",
        "basic",
        lambda _, s, t, __: s * s + t * t,
    ),
    ("cubed", "the third power of the distance", "距离的三次方", "basic", lambda _, s, t, __: np.abs(s - t) ** 3),
    (
        "smooth",
        "the smooth L1 loss with a beta of 1, doubled",
        "算成 beta 为 1 的 SmoothL1Loss 的两倍",
        "basic",
        lambda _, s, t, __: np.where((d := np.abs(s - t)) < 1, d * d, 2 * d - 1),
    ),
    (
        "expanded",
        "self² − 2·self·target + target² in FLOAT, which cancels",
        "在 FLOAT 中展开为 self² − 2·self·target + target²，相消失真",
        "ties basic special",
        lambda _, s, t, __: np.float32(s * s) - np.float32(2 * s * t) + np.float32(t * t),
    ),
    (
        "one-sided",
        "a target above self costs nothing",
        "target 大于 self 时损失为 0",
        "basic ties",
        lambda _, s, t, __: np.maximum(s - t, 0) ** 2,
    ),
    (
        "square-in-half",
        "the square of FLOAT is rounded to FLOAT16",
        "FLOAT 的平方舍入到 FLOAT16",
        "basic sums special",
        lambda c, s, t, __: _rounded((s - t) ** 2, "FLOAT16") if c.common == "FLOAT" else (s - t) ** 2,
    ),
)
_SQUARE_GRADIENT: tuple[Way, ...] = (
    ("factor-missing", "the factor 2 is missing", "漏掉因子 2", "basic", lambda _, s, t, g: (s - t) * g),
    ("factor-4", "the factor is 4", "因子写成 4", "basic", lambda _, s, t, g: 4 * (s - t) * g),
    ("factor-half", "the factor is ½", "因子写成 ½", "basic", lambda _, s, t, g: (s - t) * g / 2),
    (
        "factor-for-mean-alone",
        "the factor 2 is there with mean alone",
        "只有 mean 时乘 2",
        "basic",
        lambda c, s, t, g: (s - t) * g * (1 + (c.mode == "mean")),
    ),
    (
        "factor-without-mean",
        "the factor 2 is missing with mean",
        "mean 时漏掉因子 2",
        "mean",
        lambda c, s, t, g: (s - t) * g * (1 + (c.mode != "mean")),
    ),
    (
        "factor-on-self",
        "2·self − target: the factor reaches one operand alone",
        "写成 2·self − target，因子只乘到一个操作数",
        "basic",
        lambda _, s, t, g: (2 * s - t) * g,
    ),
    (
        "magnitude",
        "|self − target|: its sign is lost",
        "取 |self − target|，丢了符号",
        "basic",
        lambda _, s, t, g: 2 * np.abs(s - t) * g,
    ),
    (
        "sign-alone",
        "the sign of the difference, as in the L1 loss",
        "只取差的符号，像 L1 那样",
        "basic",
        lambda _, s, t, g: np.sign(s - t) * g,
    ),
    (
        "loss-itself",
        "the loss (self − target)² instead of its gradient",
        "算成损失 (self − target)² 而非梯度",
        "basic",
        lambda _, s, t, g: (s - t) ** 2 * g,
    ),
    (
        "factor-a-power",
        "the difference is squared where it should be doubled",
        "该乘 2 却平方了，符号保留",
        "basic",
        lambda _, s, t, g: (s - t) * np.abs(s - t) * g,
    ),
    (
        "product-in-half",
        "the product of FLOAT is rounded to FLOAT16",
        "FLOAT 的乘积舍入到 FLOAT16",
        "basic mean special",
        lambda c, s, t, g: _rounded(2 * (s - t) * g, "FLOAT16") if c.common == "FLOAT" else 2 * (s - t) * g,
    ),
    (
        "expanded",
        "self·g and target·g are subtracted in FLOAT, which cancels",
        "在 FLOAT 中相减 self·g 与 target·g，相消失真",
        "ties basic special",
        lambda _, s, t, g: 2 * (np.float32(s * g) - np.float32(t * g)),
    ),
)
_SMOOTH_GRADIENT: tuple[Way, ...] = (
    (
        "sign-alone",
        "the sign of the difference: the gradient of the L1 loss",
        "只取差的符号，即 L1 的梯度",
        "basic threshold",
        lambda _, s, t, g: np.sign(s - t) * g,
    ),
    (
        "difference-alone",
        "the difference, never cut off: the gradient of the squared loss",
        "只取差而不截断，即平方损失的梯度",
        "basic threshold",
        lambda _, s, t, g: (s - t) * g,
    ),
    (
        "magnitude",
        "|self − target|: its sign is lost",
        "取 |self − target|，丢了符号",
        "basic",
        lambda c, s, t, g: np.abs(formula(c, {"self": s, "target": t, str(c.gradient): np.ones_like(s + g)})) * g,
    ),
)
_SMOOTH: tuple[Way, ...] = (
    (
        "distance-alone",
        "|self − target|: the L1 loss",
        "写成 |self − target|，即 L1 损失",
        "basic threshold",
        lambda _, s, t, __: np.abs(s - t),
    ),
    (
        "square-alone",
        "(self − target)² / 2 everywhere",
        "处处写成 (self − target)² / 2",
        "basic threshold",
        lambda _, s, t, __: (s - t) ** 2 / 2,
    ),
)

_OWN: Mapping[str, tuple[Way, ...]] = MappingProxyType(
    {
        "aclnnL1Loss": (*_DISTANCE, *_WHOLE),
        "aclnnMseLoss": _SQUARE,
        "aclnnSmoothL1Loss": _SMOOTH,
        "aclnnMseLossBackward": _SQUARE_GRADIENT,
        "aclnnSmoothL1LossBackward": _SMOOTH_GRADIENT,
    }
)


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family, of operators that have one here."""
    if operator.name not in _OWN:
        return
    for name, en, zh, groups, way in _OWN[operator.name]:
        yield wrong(name, en, zh, groups, **instead(way))
    yield from _operands()
    gradient = next((p.name for p in operator.inputs if p.name not in ("self", "target")), None)
    if gradient is not None:
        yield from _gradients(gradient)
    yield from _values(operator)

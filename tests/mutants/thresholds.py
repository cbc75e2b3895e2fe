"""The float attribute of smooth losses, beta: where the formula changes, what divides, what is subtracted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS, round_to
from aclnn_spec.spec.operator import Operator

from .formulas import instead
from .kernel import Call
from .mutant import Sketch, wrong

BETA = "beta"


def _float(value: Any) -> float:
    return float(np.float32(value))


def _other(change: Callable[[Call, float], float]) -> Callable[[Call], None]:
    """A plan with another beta."""

    def plan(call: Call) -> None:
        call.attributes[BETA] = change(call, _float(call.attributes[BETA]))

    return plan


def _rounded(value: float, dtype: str) -> float:
    return float(round_to(np.asarray(value, np.float32), FORMATS[dtype]))


def _read() -> Iterator[Sketch]:
    """Another beta than the one given."""
    for name, en, zh, change in (
        ("is-1", "beta is always 1", "beta 总当作 1", lambda _, __: 1.0),
        ("is-0", "beta is always 0", "beta 总当作 0", lambda _, __: 0.0),
        ("is-1-for-0", "a beta of 0 is taken for the default, 1", "beta 为 0 时换成默认值 1", lambda _, b: b or 1.0),
        ("at-most-1", "beta is 1 at most", "beta 最多为 1", lambda _, b: min(b, 1.0)),
        ("at-least-1", "beta is 1 at least", "beta 至少为 1", lambda _, b: max(b, 1.0)),
        (
            "whole",
            "beta is cut to an integer before use",
            "beta 先截成整数再用",
            lambda _, b: float(np.trunc(b)) if np.isfinite(b) else b,
        ),
        ("squared", "beta is squared", "beta 被平方", lambda _, b: b * b),
        ("inverted", "1/beta is used", "用了 1/beta", lambda _, b: 1 / b if b else 0.0),
        ("doubled", "beta is doubled", "beta 加倍", lambda _, b: 2 * b),
        ("in-half", "beta is rounded to FLOAT16", "beta 舍入到 FLOAT16", lambda _, b: _rounded(b, "FLOAT16")),
        ("in-bfloat16", "beta is rounded to BFLOAT16", "beta 舍入到 BFLOAT16", lambda _, b: _rounded(b, "BFLOAT16")),
        ("epsilon", "10⁻³ is added to beta, against a division by 0", "beta 加上 10⁻³ 以防除零", lambda _, b: b + 1e-3),
        ("is-1-for-mean", "beta is 1 with mean", "mean 时 beta 当作 1", lambda c, b: 1.0 if c.mode == "mean" else b),
        ("is-1-for-sum", "beta is 1 with sum", "sum 时 beta 当作 1", lambda c, b: 1.0 if c.mode == "sum" else b),
        (
            "is-1-when-mixed",
            "beta is 1 where types are mixed",
            "类型混用时 beta 当作 1",
            lambda c, b: 1.0 if c.mixed else b,
        ),
    ):
        yield wrong(f"{BETA}-{name}", en, zh, plan=_other(change))
    yield wrong(
        f"{BETA}-of-first-call",
        "beta is kept from the first call on",
        "beta 一直用首次调用的值",
        remembers=True,
        plan=lambda c: c.attributes.update({BETA: c.state.setdefault(BETA, c.attributes[BETA])}),
    )


Slope = Callable[[Array, float, Array], Any]


def _backward() -> Iterator[Sketch]:
    def by(near: Callable[[Array, float], Any], slope: Slope, far: Slope) -> dict[str, Any]:
        def value(call: Call, one: Array, other: Array, gradient: Array) -> Any:
            width, d = _float(call.attributes[BETA]), one - other
            with np.errstate(all="ignore"):
                width64 = np.float64(width)
                return np.where(near(np.abs(d), width), slope(d, width64, gradient), far(d, width64, gradient))  # type: ignore[arg-type]

        return instead(value)

    inside: Slope = lambda d, b, g: d / b * g  # noqa: E731
    outside: Slope = lambda d, _, g: np.sign(d) * g  # noqa: E731
    for name, en, zh, near, slope, far in (
        (
            "not-divided",
            "inside the width the difference is not divided by beta",
            "宽度以内没有除以 beta",
            lambda a, b: a < b,
            lambda d, _, g: d * g,
            outside,
        ),
        (
            "multiplied",
            "inside the width the difference is multiplied by beta",
            "宽度以内乘以 beta",
            lambda a, b: a < b,
            lambda d, b, g: d * b * g,
            outside,
        ),
        (
            "divided-everywhere",
            "the difference over beta everywhere",
            "处处除以 beta，不截断",
            lambda a, _: a >= 0,
            inside,
            outside,
        ),
        ("branches-swapped", "the branches are swapped", "两个分支对调", lambda a, b: a >= b, inside, outside),
        (
            "at-most",
            "<= for <: 0/0 where beta and the difference are 0",
            "用 <= 代替 <：beta 与差都为 0 时得 0/0",
            lambda a, b: a <= b,
            inside,
            outside,
        ),
        (
            "outside-flipped",
            "outside the width the sign is turned",
            "宽度以外符号相反",
            lambda a, b: a < b,
            inside,
            lambda d, _, g: -np.sign(d) * g,
        ),
        (
            "outside-positive",
            "outside the width the gradient is always positive",
            "宽度以外总取正",
            lambda a, b: a < b,
            inside,
            lambda d, _, g: g + 0 * d,
        ),
        (
            "outside-beta",
            "outside the width the gradient is multiplied by beta, as in the Huber loss",
            "宽度以外乘以 beta，像 Huber 损失",
            lambda a, b: a < b,
            inside,
            lambda d, b, g: np.sign(d) * b * g,
        ),
        (
            "one-sided",
            "the difference is compared without its magnitude",
            "比较的是差而不是它的绝对值",
            None,
            inside,
            outside,
        ),
        (
            "tie-is-gradient",
            "with a beta of 0 equal operands give the gradient",
            "beta 为 0 时相等处得到梯度",
            lambda a, b: a < b,
            inside,
            lambda d, _, g: np.where(d < 0, -g, g),
        ),
        (
            "twice-beta",
            "the difference over twice beta",
            "除以 beta 的两倍",
            lambda a, b: a < b,
            lambda d, b, g: d / (2 * b) * g,
            outside,
        ),
    ):
        if near is None:

            def value(call: Call, one: Array, other: Array, gradient: Array) -> Any:
                width, d = np.float64(_float(call.attributes[BETA])), one - other
                return np.where(d < width, d / width * gradient, np.sign(d) * gradient)

            yield wrong(name, en, zh, **instead(value))
        else:
            yield wrong(name, en, zh, **by(near, slope, far))


def _forward() -> Iterator[Sketch]:
    def by(near: Callable[[Array, float], Any], inner: Callable[..., Any], outer: Callable[..., Any]) -> dict[str, Any]:
        def value(call: Call, one: Array, other: Array, _: Array) -> Any:
            width, d = np.float64(_float(call.attributes[BETA])), np.abs(one - other)
            return np.where(near(d, float(width)), inner(d, width), outer(d, width))

        return instead(value)

    inside = lambda d, b: d * d / b / 2  # noqa: E731
    outside = lambda d, b: d - b / 2  # noqa: E731
    less = lambda d, b: d < b  # noqa: E731
    for name, en, zh, near, inner, outer in (
        ("half-missing", "inside the width the ½ is missing", "宽度以内漏掉 ½", less, lambda d, b: d * d / b, outside),
        (
            "not-divided",
            "inside the width the square is not divided by beta",
            "宽度以内没有除以 beta",
            less,
            lambda d, _: d * d / 2,
            outside,
        ),
        (
            "multiplied",
            "inside the width the square is multiplied by beta",
            "宽度以内乘以 beta",
            less,
            lambda d, b: d * d * b / 2,
            outside,
        ),
        (
            "divided-by-square",
            "inside the width the square is divided by beta²",
            "宽度以内除以 beta²",
            less,
            lambda d, b: d * d / b / b / 2,
            outside,
        ),
        (
            "nothing-subtracted",
            "outside the width beta/2 is not subtracted",
            "宽度以外没有减去 beta/2",
            less,
            inside,
            lambda d, _: d,
        ),
        (
            "beta-subtracted",
            "outside the width all of beta is subtracted",
            "宽度以外减去了整个 beta",
            less,
            inside,
            lambda d, b: d - b,
        ),
        (
            "half-subtracted",
            "outside the width ½ is subtracted",
            "宽度以外减去的是 ½",
            less,
            inside,
            lambda d, _: d - 0.5,
        ),
        (
            "half-added",
            "outside the width beta/2 is added",
            "宽度以外加上了 beta/2",
            less,
            inside,
            lambda d, b: d + b / 2,
        ),
        (
            "huber",
            "the Huber loss, beta times as much",
            "算成 Huber 损失，差 beta 倍",
            less,
            lambda d, _: d * d / 2,
            lambda d, b: b * (d - b / 2),
        ),
        (
            "not-squared",
            "inside the width the distance is not squared",
            "宽度以内没有平方",
            less,
            lambda d, b: d / b / 2,
            outside,
        ),
        ("branches-swapped", "the branches are swapped", "两个分支对调", lambda d, b: d >= b, inside, outside),
        ("inside-everywhere", "the square everywhere", "处处取平方", lambda d, _: d >= 0, inside, outside),
        (
            "outside-everywhere",
            "never the square: negative near 0",
            "从不取平方：零附近为负",
            lambda d, _: d < 0,
            inside,
            outside,
        ),
        (
            "at-most",
            "<= for <: 0/0 where beta and the distance are 0",
            "用 <= 代替 <：beta 与距离都为 0 时得 0/0",
            lambda d, b: d <= b,
            inside,
            outside,
        ),
        (
            "clipped-at-zero",
            "distances up to beta/2 cost nothing",
            "距离不到 beta/2 时为 0",
            lambda d, _: d < 0,
            inside,
            lambda d, b: np.maximum(d - b / 2, 0),
        ),
    ):
        yield wrong(name, en, zh, **by(near, inner, outer))


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family, of operators that have a beta."""
    if all(p.name != BETA for p in operator.parameters):
        return
    yield from _read()
    yield from (_forward if operator.output.reduced else _backward)()

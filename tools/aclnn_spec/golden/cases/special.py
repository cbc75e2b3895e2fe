"""Zeros, infinities, NaN, the largest numbers and subnormals, in every operand; overflow in the cast."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, REDUCTIONS, Author, Draft
from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS, Format
from aclnn_spec.spec.model import Text


def finite(source: Format) -> Array:
    """Finite values at the ends of a format, subnormals apart."""
    ends = np.array(
        [0.0, 1.0, source.largest, source.largest / 2, source.smallest_normal, source.smallest_normal * 1.5]
    )
    return np.concatenate([ends, -ends])


def subnormal(source: Format) -> Array:
    """Subnormal values of a format."""
    least = source.smallest_normal * 2.0 ** (1 - source.precision)
    values = np.array([least, 2 * least, 3 * least, source.smallest_normal / 2, source.smallest_normal - least])
    return np.concatenate([values, -values])


NARROWING = (("FLOAT", "FLOAT16"), ("BFLOAT16", "FLOAT16"), ("FLOAT", "BFLOAT16"), ("FLOAT16", "BFLOAT16"))
"""Common types, and outputs that cannot hold all their values."""

NONFINITE = np.array([np.inf, -np.inf, np.nan, -np.nan])


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    for dtype in FLOATS:
        source = FORMATS[dtype]
        for reduction in ("none", "mean") if author.reduces("sum") else REDUCTIONS:
            held = "mean" if reduction == "mean" else "none_sum"
            for what, clauses, data, reason in (*gradients(author, source), *operands(source)):
                yield from _case(author, dtype, reduction, what, (*clauses, held), data, reason)
    for wide, narrow in NARROWING:
        for reduction in ("none", "sum", "mean"):
            yield from author.fitting(overflow(author, wide, narrow, reduction))
        yield from author.fitting(underflow(author, wide, narrow))
    if author.known(("overflow_before_cast",)) == ("overflow_before_cast",):
        for target in ("FLOAT", "BFLOAT16"):
            for reduction in REDUCTIONS:
                yield from author.fitting(beyond(author, target, reduction))


def _case(
    author: Author,
    dtype: str,
    reduction: str,
    what: str,
    clauses: tuple[str, ...],
    data: dict[str, Array],
    reason: Text,
) -> Iterator[Case]:
    shape = np.broadcast_shapes(*(values.shape for values in data.values()))
    given = {name: np.broadcast_to(values, shape) for name, values in data.items()}
    return author.fitting(
        Draft(
            group="special",
            what=what,
            clauses=clauses,
            shapes=shape,
            dtypes=dtype,
            reduction=reduction,
            data=given,
            reason=reason,
        )
    )


def gradients(author: Author, source: Format) -> Iterator[tuple[str, tuple[str, ...], dict[str, Array], Text]]:
    """Special gradients against ordinary operands: below, above and (finite ones only) equal."""
    name = author.gradient
    if name is None:
        return
    below, above = np.array([[1.0], [2.0]]), np.array([[2.0], [1.0]])
    for what, values, clauses, reason in (
        ("grad-finite", finite(source), (), Text(zh="梯度取有限范围的两端", en="gradients at the ends of the finite range")),
        (
            "grad-subnormal",
            subnormal(source),
            ("subnormals",),
            Text(zh="次正规的梯度：只在一部分情形下冲零，或按正规数解读", en="subnormal gradients: flushed in some cases only, or read as normal"),
        ),
        (
            "grad-nonfinite",
            NONFINITE,
            ("grad_nonfinite",),
            Text(zh="梯度为NaN或无穷：被当作零或被截断", en="gradients that are NaN or infinite: taken for zero, or clamped"),
        ),
    ):  # fmt: skip
        yield what, ("sign", *clauses), {name: values[None, :], "self": above, "target": below}, reason
    tie = np.array([[2.0]])
    everything = np.concatenate([finite(source), subnormal(source)])
    yield (
        "grad-finite-tie",
        ("sign",),
        {name: everything[None, :], "self": tie, "target": tie},
        Text(
            zh="相等处结果为零，不论梯度多大或多小",
            en="zero where the operands are equal, however large or small the gradient",
        ),
    )
    yield (
        "grad-nonfinite-tie",
        ("sign", "grad_nonfinite_at_tie"),
        {name: NONFINITE[None, :], "self": tie, "target": tie},
        Text(
            zh="相等处梯度非有限：零乘无穷",
            en="a gradient that is not finite where the operands are equal: zero times infinity",
        ),
    )


def operands(source: Format) -> Iterator[tuple[str, tuple[str, ...], dict[str, Array], Text]]:
    """Pairs of special operands under an ordinary gradient."""
    ends, small = finite(source), subnormal(source)
    yield (
        "operands-finite",
        ("sign",),
        {"self": ends[:, None], "target": ends[None, :]},
        Text(zh="操作数取有限范围的两端：相减溢出或下溢后符号有误", en="operands at the ends of the range: the sign after a difference that overflows or underflows"),
    )  # fmt: skip
    yield (
        "operands-subnormal",
        ("sign", "subnormals_on_the_way"),
        {"self": np.concatenate([small, [0.0]])[:, None], "target": np.concatenate([small, [-0.0]])[None, :]},
        Text(zh="次正规的操作数：保留次正规数的实现却把它们当作相等", en="subnormal operands: taken for equal by an implementation that otherwise keeps subnormals"),
    )  # fmt: skip
    infinite = np.array([np.inf, -np.inf])
    mixed = np.concatenate([infinite, ends])
    outer = (mixed[:, None] != mixed[None, :]) & (np.isinf(mixed)[:, None] | np.isinf(mixed)[None, :])
    left, right = np.broadcast_arrays(mixed[:, None], mixed[None, :])
    yield (
        "operands-infinite",
        ("sign",),
        {"self": left[outer], "target": right[outer]},
        Text(
            zh="一个操作数无穷，或两个异号无穷：符号变成NaN或零",
            en="one operand infinite, or both with different signs: a sign that is NaN or zero",
        ),
    )
    yield (
        "operands-equal-infinite",
        ("equal_infinities",),
        {"self": infinite, "target": infinite},
        Text(zh="两个相同的无穷：结果为零或NaN", en="equal infinities: the result is zero or NaN"),
    )
    others = np.concatenate([ends, infinite, [np.nan]])
    nan = np.full(others.shape, np.nan)
    yield (
        "operands-nan",
        ("nan_operand",),
        {"self": np.stack([nan, others]), "target": np.stack([others, nan])},
        Text(
            zh="操作数为NaN：结果是未初始化或无关的值",
            en="a NaN operand: a result that is uninitialised or unrelated",
        ),
    )


def overflow(author: Author, source: str, target: str, reduction: str) -> Draft:
    """Gradients around and beyond the largest number of a narrower output."""
    top, here = FORMATS[target], FORMATS[source]
    step = 2.0 ** (top.emax + 1 - top.precision)
    near = np.array([top.largest, top.largest + 0.25 * step, top.largest - step])
    beyond = np.minimum(np.array([top.largest + step, top.largest * 1.75, here.largest]), here.largest)
    values = np.concatenate([near, -near, beyond, -beyond, [1.0]])
    if reduction == "mean":  # 16 of them, far from the edge: dividing by a power of two is exact
        far = np.array([top.largest * 1.75, top.largest / 2, here.largest / 16, 1.0])
        values = np.concatenate([far, -far] * 2) * 16
        values = np.clip(values, -here.largest, here.largest)
    return Draft(
        group="special",
        what="cast-overflow",
        clauses=("cast_overflow", "deduction"),
        shapes=values.shape,
        dtypes=author.per_tensor(source, source, source, target),
        reduction=reduction,
        data=author.carried(values),
        reason=Text(
            zh=f"{source}结果超出{target}的范围：回绕、NaN，或无穷与最大值混用",
            en=f"a {source} result beyond {target}'s range: wrapped, NaN, or infinity and largest number mixed",
        ),
    )


def underflow(author: Author, source: str, target: str) -> Draft:
    """Gradients that become subnormal or vanish in a narrower output."""
    goal = FORMATS[target]
    least = goal.smallest_normal * 2.0 ** (1 - goal.precision)
    multiples = np.array([0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.5, 3.5, 4.5, 511.5, 512.5, 1022.5])
    values = np.concatenate([multiples * least, -multiples * least])
    return Draft(
        group="special",
        what="cast-underflow",
        clauses=("deduction", "subnormals_on_the_way"),
        shapes=values.shape,
        dtypes=author.per_tensor(source, source, source, target),
        data=author.carried(values),
        reason=Text(
            zh=f"{source}结果在{target}中为次正规数：转换时截断或冲零",
            en=f"a {source} result that is subnormal in {target}: cut off or flushed by the conversion",
        ),
    )


def beyond(author: Author, target: str, reduction: str) -> Draft:
    """Results beyond the range of FLOAT16, which the output's type can hold."""
    large = FORMATS["FLOAT16"].largest * np.array([1.0, 0.75, 0.625, 1.0, 0.875, 1.0, 0.5625, 0.9375])
    return Draft(
        group="special",
        what="beyond-common",
        clauses=("overflow_before_cast", "deduction"),
        shapes=large.shape,
        dtypes=author.per_tensor("FLOAT16", "FLOAT16", "FLOAT16", target),
        reduction=reduction,
        data=author.per_tensor(np.full(large.shape, 2.0), large, -large),
        reason=Text(
            zh=f"结果超出FLOAT16的范围而{target}能容纳：既不是无穷也不是正确值",
            en=f"a result that FLOAT16 cannot hold and {target} can: neither infinite nor right",
        ),
    )

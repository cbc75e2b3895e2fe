"""Operands around a float attribute, the distance at which these operators change from one formula to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, REDUCTIONS, Author, Draft, pick
from aclnn_spec.golden.generator import uniform
from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS
from aclnn_spec.spec.attributes import c_float
from aclnn_spec.spec.model import Parameter, Text

STEPS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 8.0)
"""Differences, in widths."""
MIXES = (("FLOAT16", "FLOAT", "BFLOAT16", "FLOAT16"), ("BFLOAT16", "FLOAT16", "FLOAT16", "FLOAT"))


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group, for every attribute that is a float."""
    for parameter in author.operator.parameters:
        for turn, (value, dtype) in enumerate(product(parameter.samples, FLOATS)):
            if _too_small(author, value, [dtype] * 3):
                continue
            for reduction in ("none", pick(("mean", "sum"), turn)):
                yield from author.fitting(around(parameter, value, dtype, reduction))
            yield from author.fitting(drawn(author, parameter, value, [dtype] * 4, pick(REDUCTIONS, turn)))
        for turn, (value, types) in enumerate(product(parameter.samples, MIXES)):
            if _too_small(author, value, types):
                continue
            yield from author.fitting(drawn(author, parameter, value, types, pick(("none", "mean"), turn)))


def around(parameter: Parameter, value: float, dtype: str, reduction: str) -> Draft:
    """Operands that differ by nothing, by less than the width, by the width and its neighbours, and by more."""
    width, source = c_float(value), FORMATS[dtype]
    step = 2.0 ** (2 - source.precision)
    distances = np.array([*STEPS, 1 - step, 1 + step]) * (width or 1.0)
    distances = np.concatenate([distances, -distances])
    base = np.array([0.0, 1.0, -3.0]) * (width or 1.0)
    return Draft(
        group="threshold",
        what="around",
        clauses=("sign", "mean" if reduction == "mean" else "none_sum", *_about(parameter, value)),
        shapes=(base.size, distances.size),
        dtypes=dtype,
        reduction=reduction,
        attributes=_other(parameter, value),
        data={"self": base[:, None] + distances, "target": np.broadcast_to(base[:, None], (3, distances.size))},
        reason=Text(
            zh=f"{parameter.name}为{value:g}，差在其上下：分支取反、漏除、漏减，或0/0",
            en=f"{parameter.name} is {value:g}, differences on both sides: branches swapped, a division or subtraction forgotten, or 0/0",
        ),
    )


def drawn(author: Author, parameter: Parameter, value: float, types: Sequence[str], reduction: str) -> Draft:
    """Operands whose differences are up to twice the width."""
    key = f"{author.operator.name}/threshold/{parameter.name}{value:g}/{'.'.join(types)}/{reduction}"
    width = c_float(value) or 1.0
    data: dict[str, Array] = {name: uniform(f"{key}/{name}", 61, -1, 1) * width for name in ("self", "target")}
    return Draft(
        group="threshold",
        what="drawn",
        clauses=("sign", "deduction", *_about(parameter, value)),
        shapes=(61,),
        dtypes=author.per_tensor(*types),
        reduction=reduction,
        attributes=_other(parameter, value),
        data=data,
        reason=Text(
            zh=f"{parameter.name}为{value:g}的随机数据：把它当作整数、半精度数，或总当作1",
            en=f"random data with {parameter.name} {value:g}: taken for an integer, for a half, or always for 1",
        ),
    )


def _too_small(author: Author, value: float, types: Sequence[str]) -> bool:
    """Whether the square of such a difference is subnormal in a half type: what is lost there is nobody's mistake."""
    operands = [FORMATS[author.per_tensor(*types)[name]] for name in author.inputs]
    least = min(each.smallest_normal for each in operands) if len(set(operands)) == 1 else 0.0
    return author.gradient is None and 0 < value * value < least


def _about(parameter: Parameter, value: float) -> tuple[str, ...]:
    """The clauses on particular values: zero, and what C rounds."""
    if value == 0:
        return (f"{parameter.name}_zero",)
    return () if c_float(value) == value else (f"{parameter.name}_float",)


def _other(parameter: Parameter, value: float) -> dict[str, float]:
    return {} if value == parameter.samples[0] else {parameter.name: value}

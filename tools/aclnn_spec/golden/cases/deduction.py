"""All mixes of input and output types: the common type, and the cast of the result."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, Author, Draft, pick
from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS
from aclnn_spec.spec.model import Text

# Distances from 1 at which FLOAT, FLOAT16 and BFLOAT16 begin to tell numbers apart.
STEPS = (2.0**-23, 2.0**-10, 2.0**-7, 0.0)


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    steps = np.array([*STEPS, *(-step for step in STEPS), 0.5, -0.5, 3.0, -3.0])
    for turn, types in enumerate(product(FLOATS, repeat=len(author.tensors))):
        for reduction in ("none", "mean") if author.exact else (pick(("none", "mean"), turn),):
            yield from author.fitting(
                Draft(
                    group="deduction",
                    what="mix",
                    clauses=("deduction", "mean" if reduction == "mean" else "none_sum"),
                    shapes=(12,),
                    dtypes=dict(zip(author.tensors, types, strict=True)),
                    reduction=reduction,
                    data={"self": 1.0 + steps, "target": np.roll(1.0 + steps, 5)},
                    reason=Text(
                        zh=f"{'、'.join(types[:-1])}混合，输出{types[-1]}：推导出的类型或舍入有误",
                        en=f"{', '.join(types[:-1])} mixed, {types[-1]} out: the wrong common type, or a wrong rounding",
                    ),
                )
            )
    for common, output in product(FLOATS, FLOATS):
        if common != output:
            for inputs in _mixes(common):
                yield from author.fitting(
                    Draft(
                        group="deduction",
                        what="rounding",
                        clauses=("deduction", "none_sum"),
                        shapes=(2, 40),
                        dtypes=author.per_tensor(*inputs, output),
                        data=author.carried(halfway(author.carrier(inputs), output)),
                        reason=Text(
                            zh=f"{common}转换为{output}：截断、逢半进位，而非就近取偶",
                            en=f"{common} cast to {output}: truncated, or halves rounded away, not to nearest even",
                        ),
                    )
                )


def _mixes(common: str) -> tuple[tuple[str, str, str], ...]:
    """Types of gradient, self and target with this common type."""
    mixed = (("FLOAT16", "BFLOAT16", "FLOAT16"), ("BFLOAT16", "FLOAT16", "FLOAT")) if common == "FLOAT" else ()
    return ((common, common, common), *mixed)


def halfway(source: str, target: str) -> Array:
    """80 values around the midpoints between neighbours in `target`, as far as `source` can hold them."""
    here, there = FORMATS[source], FORMATS[target]
    base = 1 + np.arange(10) * 2.0 ** (1 - there.precision)
    half, nudge = 2.0**-there.precision, 2.0 ** (1 - here.precision)
    around = np.concatenate([base + half, base + half + nudge, base + half - nudge, base + 1.5 * half])
    scales = np.where(np.arange(40) % 2, 2.0**-6, 2.0**7)
    return np.concatenate([around * scales, -around])

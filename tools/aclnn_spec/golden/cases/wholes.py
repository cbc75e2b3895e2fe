"""Integers in and out, for operators that compute in them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, Author, Draft, pick
from aclnn_spec.golden.cases.layouts import offset, sliced, transposed
from aclnn_spec.golden.generator import integers
from aclnn_spec.spec.model import Text

WHOLE = "INT64"
SPANS = {"small": 2**10, "above24": 2**30, "above53": 2**60}


def cases(author: Author) -> Iterator[Case]:
    """The cases of groups that are about types, if INT64 is one of self's."""
    if WHOLE not in author.operator.parameter("self").dtypes:
        return
    for reduction in ("none", "sum"):
        for what, span in SPANS.items():
            for output in (WHOLE, *FLOATS):
                yield from author.fitting(drawn(author, what, span, output, reduction))
        for shapes in (((4, 1), (1, 5)), ((3,), (2, 3)), ((2, 3, 4), (4,))):
            yield from author.fitting(broadcast(author, shapes, reduction))
        yield from author.fitting(drawn(author, "empty", 1, WHOLE, reduction, count=0))
    for turn, layout in enumerate((transposed(), sliced(), offset())):
        plain = drawn(author, layout.name, 100, WHOLE, pick(("none", "sum"), turn))
        yield from author.fitting(
            Draft(
                group="layout",
                what=f"whole-{layout.name}",
                clauses=("layout",),
                shapes=(4, 5),
                dtypes=WHOLE,
                reduction=pick(("none", "sum"), turn),
                layouts=layout,
                reason=plain.reason,
            )
        )
    for turn, dtype in enumerate(FLOATS):
        for types in ((WHOLE, dtype), (dtype, WHOLE)):
            for reduction in ("none", "mean", "sum"):
                yield from author.fitting(mixed(author, types, pick(FLOATS, turn), reduction))


def drawn(author: Author, what: str, span: int, output: str, reduction: str, count: int = 24) -> Draft:
    """Integers of both signs up to a size that some other type does not hold."""
    key = f"{author.operator.name}/whole/{what}/{output}/{reduction}"
    most = span if reduction == "none" else span // max(count, 1)  # a sum beyond INT64 is nobody's business
    data: dict[str, NDArray[np.int64]] = {name: integers(f"{key}/{name}", count, -most, most) for name in author.inputs}
    return Draft(
        group="deduction",
        what=f"whole-{what}",
        clauses=("whole", "empty") if count == 0 else ("whole",),
        shapes=(count,),
        dtypes=dict.fromkeys(author.inputs, WHOLE) | {author.output: output},
        reduction=reduction,
        data=data,
        reason=Text(
            zh="整数在整数中计算：换成浮点、或只用32位，都会丢位",
            en="integers computed as integers: in floats, or in 32 bits, digits are lost",
        ),
    )


def broadcast(author: Author, shapes: tuple[tuple[int, ...], tuple[int, ...]], reduction: str) -> Draft:
    """Integers that broadcast."""
    return Draft(
        group="broadcast",
        what="whole",
        clauses=("whole", "broadcast"),
        shapes=dict(zip(author.inputs, shapes, strict=True)),
        dtypes=WHOLE,
        reduction=reduction,
        reason=Text(zh="整数的广播", en="integers that broadcast"),
    )


def mixed(author: Author, types: tuple[str, str], output: str, reduction: str) -> Draft:
    """An integer beside a float."""
    return Draft(
        group="deduction",
        what="whole-mix",
        clauses=("deduction",),
        shapes=(12,),
        dtypes={"self": types[0], "target": types[1], author.output: output},
        reduction=reduction,
        data={"self": np.arange(12.0) * 3 - 17, "target": np.arange(12.0)[::-1] * 2},
        reason=Text(
            zh=f"{'与'.join(types)}混合：推导出的类型有误",
            en=f"{' and '.join(types)} mixed: the wrong common type",
        ),
    )

"""Plain calls: every type, reduction and rank; sizes around vector widths; large tensors; the page's example."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, REDUCTIONS, Author, Draft, pick
from aclnn_spec.golden.cases.layouts import expand
from aclnn_spec.spec.model import Text

SHAPES = (
    (1,),
    (6,),
    (2, 3),
    (3, 1, 5),
    (2, 2, 2, 2),
    (1, 1, 1, 1, 7),
    (2, 1, 2, 1, 2, 1),
    (1, 2, 1, 2, 1, 2, 1),
    (2, 1, 1, 2, 1, 1, 2, 3),
)
TAILS = (7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 127, 128, 129, 255, 256, 257, 1025)  # fmt: skip
LARGE = ((265, 501), (540, 512), (3, 5, 17, 1031))


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    held = {"none": "none_sum", "sum": "none_sum", "mean": "mean"}
    for dtype in FLOATS:
        for reduction in REDUCTIONS:
            yield from author.fitting(signs(author, dtype, reduction, held[reduction]))
            for shape in SHAPES:
                yield from author.fitting(
                    Draft(
                        group="basic",
                        what="plain",
                        clauses=("sign", held[reduction], "determinism"),
                        shapes=shape,
                        dtypes=dtype,
                        reduction=reduction,
                        reason=Text(
                            zh=f"{len(shape)}维{dtype}的普通调用：结果、符号或缩减方式有误",
                            en=f"a plain call, {dtype} of rank {len(shape)}: a wrong result, sign or reduction",
                        ),
                    )
                )
        for i, size in enumerate(TAILS):
            reduction = pick(("none", "none", "mean"), i)
            yield from author.fitting(
                Draft(
                    group="basic",
                    what="tail",
                    clauses=("sign", held[reduction], "determinism"),
                    shapes=(size,),
                    dtypes=dtype,
                    reduction=reduction,
                    reason=Text(
                        zh=f"{size}个元素：向量或分块的尾部漏算、多算",
                        en=f"{size} elements: a vector's or block's tail left out or run over",
                    ),
                )
            )
        for shape in LARGE:
            yield from author.fitting(
                Draft(
                    group="basic",
                    what="large",
                    clauses=("sign", "none_sum", "layout", "determinism"),
                    shapes=shape,
                    dtypes=dtype,
                    layouts={name: expand(*range(len(shape) - 1)) for name in author.inputs},
                    reason=Text(
                        zh="大张量：只在后半部分、后面的分块或后面的核上出现的错误",
                        en="a large tensor: mistakes that only appear in its second half, a later block or another core",
                    ),
                )
            )
    yield from author.fitting(example(author))


def signs(author: Author, dtype: str, reduction: str, clause: str) -> Draft:
    """Every sign of the gradient with every order of self and target."""
    grid = np.array([-1.0, 0.0, 1.0])
    gradient, compared = np.meshgrid(grid * 3.0, grid)
    return Draft(
        group="basic",
        what="signs",
        clauses=("sign", clause),
        shapes=(3, 3),
        dtypes=dtype,
        reduction=reduction,
        data=author.per_tensor(gradient, compared + 1.5, np.full((3, 3), 1.5)),
        reason=author.worded(
            Text(
                zh="梯度的三种符号与self、target的三种大小关系：符号取反、绝对值、漏掉相等",
                en="three signs of the gradient with three orders of self and target: sign flipped, absolute value, ties forgotten",
            ),
            Text(
                zh="self小于、等于、大于target：损失为负，或漏掉一侧",
                en="self below, equal to and above target: a loss that is negative, or one side forgotten",
            ),
        ),
    )


def example(author: Author) -> Draft:
    """The call of the page's own example."""
    arguments = author.operator.example["arguments"]
    names = {number: name for name, number in author.operator.parameter("reduction").values.items()}
    reduction = names[arguments["reduction"]]
    return Draft(
        group="basic",
        what="page-example",
        clauses=("sign", "mean" if reduction == "mean" else "none_sum"),
        shapes={name: tuple(arguments[name]["shape"]) for name in author.tensors},
        dtypes={name: arguments[name]["dtype"] for name in author.tensors},
        reduction=reduction,
        attributes=author.unusual(arguments),
        data={name: arguments[name]["data"] for name in author.inputs},
        reason=Text(zh="官方页面自带的例子", en="the example the official page gives"),
    )

"""The two sets of cases: the core tier, and random ones of the kind that most test lists are made of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice, product
from math import prod

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, REDUCTIONS, Author, Draft
from aclnn_spec.golden.generator import integers, uniform
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator

COUNT = 200
SEED = "competition"
RANKS = range(1, 9)
MOST = 2**12
"""Elements of a random case, but for the large ones."""
LARGE = (2**17 + 3,)
"""The shape of the large ones, one for each type and reduction."""

REASON = Text(zh="[−5, 5] 上均匀分布的随机值", en="random values, uniform in [−5, 5]")


def random_cases(operator: Operator) -> Iterator[Case]:
    """Give the same cases everywhere: one shape and type for all tensors, dense, values uniform in [−5, 5].

    Types, reductions and ranks come in turn; dimensions are 2^k and 2^k − 1.
    """
    author = Author(operator=operator)
    kinds = tuple(product(FLOATS, REDUCTIONS))
    large = len(kinds)
    for number, (dtype, reduction) in enumerate(islice(cycle(kinds), COUNT)):
        shape = LARGE if number < large else _shape(number, RANKS[number // large % len(RANKS)])
        data = {name: uniform(f"{SEED}/{number}/{name}", prod(shape), -5, 5).reshape(shape) for name in author.inputs}
        yield author.good(
            Draft(
                group="policy",
                what=f"random-{number}",
                clauses=("sign",),
                shapes=shape,
                dtypes=dtype,
                reduction=reduction,
                data=data,
                reason=REASON,
            )
        )


def _shape(number: int, rank: int) -> tuple[int, ...]:
    """Draw 2^k or 2^k − 1 for each dimension while the product stays small."""
    draws = integers(f"{SEED}/{number}/shape", 2 * rank, 0, 2**20).tolist()
    shape: list[int] = []
    for power, less in zip(draws[::2], draws[1::2], strict=True):
        room = (MOST // prod(shape)).bit_length() - 1
        size = 2 ** (power % (room + 1))
        shape.append(max(size - less % 2, 1))
    return tuple(shape)

"""The community policy's own list of cases, for the full tier: types, ranks, attributes and sizes over and over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import prod

import numpy as np

from aclnn_spec.golden.cases.author import FLOATS, REDUCTIONS, Author, Draft, pick
from aclnn_spec.golden.cases.layouts import CONTIGUOUS, gaps, padded, sliced, transposed
from aclnn_spec.golden.generator import integers, normal, uniform
from aclnn_spec.golden.tensor import Array
from aclnn_spec.spec.model import Text

ROUNDS = 280
"""Cases for each type, rank and reduction."""
LARGE = 2**17 + 3
"""Elements of the few large tensors that do not repeat."""
_LARGEST = 2048
_SPECIAL = {"inf": np.inf, "minus-inf": -np.inf, "nan": np.nan}


def drafts(author: Author) -> Iterator[Callable[[], Draft]]:
    """20 160 cases and a few: half with uniform data, half with normal data, sizes 2^k and 2^k - 1.

    Each is given as a function, so that a shard need not make the others' data.
    """
    for number, (dtype, rank, reduction) in enumerate(product(FLOATS, range(1, 9), REDUCTIONS)):
        for turn in range(ROUNDS):
            yield partial(_random, author, dtype, rank, reduction, number, turn)
    for dtype, reduction in product(FLOATS, REDUCTIONS):
        for what, shape in (("empty", (0,)), ("one", (1,)), ("large", (LARGE,))):
            yield partial(_plain, dtype, reduction, what, shape)
        for what, value in _SPECIAL.items():
            for name in author.inputs:
                data = {n: [1.0, 2.0, 3.0, 4.0] if n != "target" else [0.5, 2.5, 1.5, 7.0] for n in author.inputs}
                data[name] = [value, *data[name][1:]]
                yield partial(_plain, dtype, reduction, f"{what}-{name}", (4,), data)


def _plain(
    dtype: str, reduction: str, what: str, shape: tuple[int, ...], data: Mapping[str, Sequence[float]] | None = None
) -> Draft:
    return Draft(
        group="policy",
        what=what,
        clauses=("sign",),
        shapes=shape,
        dtypes=dtype,
        reduction=reduction,
        data=data or {},
        reason=Text(zh="社区精度标准要求的特殊输入", en="a special input that the community's policy asks for"),
    )


def _random(author: Author, dtype: str, rank: int, reduction: str, number: int, turn: int) -> Draft:
    key = f"{author.operator.name}/policy/{number}/{turn}"
    shape = _shape(key, rank)
    types, shapes, layouts = dict.fromkeys(author.tensors, dtype), dict.fromkeys(author.inputs, shape), {}
    if turn % 4 == 1:  # an operator without a gradient has three of the four
        types = {
            n: pick(FLOATS, int(i)) for n, i in zip(author.tensors, integers(f"{key}/types", 4, 0, 2), strict=False)
        }
        if not author.mixes:
            types |= dict.fromkeys(author.inputs, types[author.inputs[0]])
    if turn % 4 == 2:
        for name, axis in zip(author.inputs, integers(f"{key}/axes", 3, 0, rank - 1), strict=False):
            shapes[name] = tuple(1 if i == axis else size for i, size in enumerate(shape))
    if turn % 4 == 3:
        kinds = (CONTIGUOUS, transposed(), sliced(), padded(), gaps(2))
        layouts = {
            n: pick(kinds, int(i)) for n, i in zip(author.tensors, integers(f"{key}/layouts", 4, 0, 4), strict=False)
        }
        while rank > 4 and prod(s + 3 for s in shape) > 8 * _LARGEST:  # a slice of a high rank has a very large parent
            layouts = {n: kinds[1] if layout.name == "sliced" else layout for n, layout in layouts.items()}
            break
    kind = "uniform" if turn % 2 else "normal"
    return Draft(
        group="policy",
        what=f"{kind}-{turn:03}",
        clauses=("sign", "mean" if reduction == "mean" else "none_sum"),
        shapes=shapes,
        dtypes=types,
        reduction=reduction,
        attributes=_attributes(author, turn),
        layouts=layouts,
        data={name: _data(f"{key}/{name}", kind, prod(shapes[name])).reshape(shapes[name]) for name in author.inputs},
        reason=Text(zh="社区精度标准要求的随机数据", en="random data as the community's policy asks for"),
    )


def _attributes(author: Author, turn: int) -> dict[str, float]:
    """The other attributes take all their samples in turn."""
    return author.unusual({p.name: pick(p.samples, turn // 4) for p in author.operator.parameters if p.samples})


def _shape(key: str, rank: int) -> tuple[int, ...]:
    """Sizes 2^k and 2^k - 1, at most `_LARGEST` elements together."""
    sizes = []
    room = _LARGEST
    for low in integers(f"{key}/shape", rank, 0, 2**20):
        highest = min(room.bit_length() - 1, 11 if rank < 3 else 5)
        power = int(low) % (highest + 1)
        size = 2**power - (int(low) >> 10) % 2
        sizes.append(max(size, 1))
        room //= sizes[-1]
    return tuple(sizes)


def _data(key: str, kind: str, count: int) -> Array:
    if kind == "uniform":
        return uniform(key, count, -5, 5)
    mean, deviation = (
        integers(f"{key}/mean", 1, -5 * 1024, 5 * 1024)[0],
        integers(f"{key}/dev", 1, 103, 2048)[0],
    )
    return normal(key, count, int(mean), int(deviation))

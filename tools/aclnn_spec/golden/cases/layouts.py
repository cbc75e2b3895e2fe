"""Ways a tensor can lie in its storage."""

from __future__ import annotations

from math import prod

from aclnn_spec.golden.cases.author import CONTIGUOUS, Layout
from aclnn_spec.spec.model import Text, contiguous_strides
from aclnn_spec.spec.tables import Shape

__all__ = ["CONTIGUOUS", "bigger", "expand", "gaps", "offset", "padded", "sliced", "transposed"]


def transposed() -> Layout:
    """The view is the transpose of a contiguous tensor."""

    def make(shape: Shape) -> tuple[Shape, int, Shape]:
        return contiguous_strides(shape[::-1])[::-1], 0, shape[::-1]

    return Layout(name="transposed", text=Text(zh="转置", en="transposed"), make=make)


def sliced() -> Layout:
    """The view is a corner of a larger tensor, away from its borders."""

    def make(shape: Shape) -> tuple[Shape, int, Shape]:
        border, margin = (2, 1) if len(shape) <= 4 else (1, 0)
        parent = tuple(size + border + margin for size in shape)
        strides = contiguous_strides(parent)
        return strides, sum(border * stride for stride in strides), parent

    return Layout(
        name="sliced",
        text=Text(zh="从更大的张量切出、带偏移", en="sliced from a larger tensor, with an offset"),
        make=make,
    )


def gaps(step: int = 3) -> Layout:
    """Elements lie `step` apart."""

    def make(shape: Shape) -> tuple[Shape, int, Shape]:
        dense = contiguous_strides(shape)
        return tuple(stride * step for stride in dense), 1, (prod(shape) * step + 2,)

    return Layout(name=f"gaps{step}", text=Text(zh=f"元素间隔为{step}", en=f"elements {step} apart"), make=make)


def padded() -> Layout:
    """Rows are longer in memory than in the view, as after an alignment of rows."""

    def make(shape: Shape) -> tuple[Shape, int, Shape]:
        parent = (*shape[:-1], shape[-1] + 5) if shape else (5,)
        return contiguous_strides(parent)[: len(shape)], 0, parent

    return Layout(name="padded", text=Text(zh="行尾有填充", en="rows padded"), make=make)


def offset(start: int = 5) -> Layout:
    """Dense, but not from the storage's first element on."""

    def make(shape: Shape) -> tuple[Shape, int, Shape]:
        return contiguous_strides(shape), start, (prod(shape) + start,)

    return Layout(
        name=f"offset{start}", text=Text(zh=f"偏移{start}个元素", en=f"offset by {start} elements"), make=make
    )


def bigger() -> Layout:
    """Dense from the start, in a storage that goes on after it."""

    def make(shape: Shape) -> tuple[Shape, int, Shape]:
        return contiguous_strides(shape), 0, (prod(shape) + 11,)

    return Layout(name="bigger", text=Text(zh="存储区大于视图", en="a storage larger than the view"), make=make)


def expand(*axes: int) -> Layout:
    """The view repeats along these axes, with stride 0."""

    def make(shape: Shape) -> tuple[Shape, int, Shape]:
        wide = {axis % len(shape) for axis in axes}
        compact = tuple(1 if axis in wide else size for axis, size in enumerate(shape))
        dense = contiguous_strides(compact)
        return tuple(0 if axis in wide else stride for axis, stride in enumerate(dense)), 0, compact

    name = "expand" + "".join(map(str, axes)).replace("-", "m")
    return Layout(name=name, text=Text(zh="以步长0扩展", en="expanded with stride 0"), make=make)

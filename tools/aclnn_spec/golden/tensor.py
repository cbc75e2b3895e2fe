"""A tensor in host memory: the description the API is given, over a storage."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.spec.model import DType, TensorDesc

Array: TypeAlias = NDArray[Any]

CANARY = 0xA5
"""Every byte of an output's storage before a call."""

COMPLEX32 = np.dtype([("real", "<f2"), ("imag", "<f2")])


@cache
def bfloat16() -> np.dtype[Any]:
    """ml_dtypes' type. Loading it takes as long as all else together, so it waits for the first BFLOAT16."""
    dtype: np.dtype[Any] = np.dtype(importlib.import_module("ml_dtypes").bfloat16)
    return dtype


def is_bfloat16(array: Array) -> bool:
    """Whether an array is of ml_dtypes' BFLOAT16."""
    return array.dtype.name == "bfloat16"


def numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """The NumPy type of an element: ml_dtypes' own for BFLOAT16, two halves for COMPLEX32."""
    if dtype == "BFLOAT16":
        return bfloat16()
    if dtype == "COMPLEX32":
        return COMPLEX32
    if dtype.storage is None:
        raise ValueError(f"{dtype}: golden data holds no tensors of this type")
    return np.dtype(dtype.storage)


@dataclass(frozen=True, kw_only=True, eq=False)
class Tensor(TensorDesc):
    """A TensorDesc over a one-dimensional storage of its own type; strides and offset count elements."""

    storage: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.end > self.storage.size:
            raise ValueError(f"storage: found {self.storage.size} elements, expected {self.end} for {self}")

    @property
    def array(self) -> Array:
        """The strided view, writable if the storage is."""
        storage = self.storage
        if self.size == 0:
            return np.empty(self.shape, storage.dtype)
        if self.repeats:
            return np.broadcast_to(storage[0], self.shape)
        step = storage.itemsize
        view: Array = np.ndarray(
            self.shape,
            storage.dtype,
            buffer=storage.view(np.uint8),  # BFLOAT16 has no buffer of its own
            offset=self.offset * step,
            strides=tuple(stride * step for stride in self.strides),
        )
        return view

    @property
    def repeats(self) -> bool:
        """Whether the storage is one element that stands for all, as `unwritten` makes it."""
        return self.storage.strides == (0,)

    @property
    def covered(self) -> NDArray[np.bool]:
        """Which elements of the storage belong to the view."""
        mask = np.zeros(self.storage.size, np.bool)
        if self.size:
            np.lib.stride_tricks.as_strided(mask[self.offset :], self.shape, self.strides)[...] = True
        return mask


def blank(desc: TensorDesc, dtype: DType) -> Tensor:
    """A tensor of this description whose storage is all canary."""
    kind = numpy_dtype(dtype)
    storage = np.full(prod(desc.storage_shape) * kind.itemsize, CANARY, np.uint8).view(kind)
    return with_storage(desc, storage)


def unwritten(desc: TensorDesc, dtype: DType) -> Tensor:
    """A tensor all canary as `blank` gives, but of one element repeated: it takes no memory and cannot be written."""
    kind = numpy_dtype(dtype)
    one = np.full(kind.itemsize, CANARY, np.uint8).view(kind)
    return with_storage(desc, np.broadcast_to(one, (prod(desc.storage_shape),)))


def with_storage(desc: TensorDesc, storage: Array) -> Tensor:
    """The description over this storage."""
    return Tensor(
        dtype=desc.dtype,
        shape=desc.shape,
        strides=desc.strides,
        offset=desc.offset,
        format=desc.format,
        storage_shape=desc.storage_shape,
        storage=storage,
    )


def bits(array: Array) -> Array:
    """The array in the form golden files hold it and the reference reads it: BFLOAT16 and COMPLEX32 as bits."""
    if is_bfloat16(array):
        return array.view(np.uint16)
    return array.view(np.uint32) if array.dtype == COMPLEX32 else array

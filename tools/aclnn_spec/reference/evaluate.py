"""Run an operator's block function over whole tensors: any strides, any size, little memory.

The function sees blocks of values in the common type and gives values still to be rounded to it; this module
converts the operands, rounds once, casts and stores.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.reference.floats import (
    FLOAT16,
    FORMATS,
    Format,
    Real,
    Single,
    decode,
    encode,
    from_integers,
    round_to,
)
from aclnn_spec.spec.errors import InputError

#: Elements to a block: its arrays, a dozen of at most 8 bytes to an element, stay near the processor.
_BLOCK = 2**16

_MAX_COUNT = 2**63 - 1

#: Takes, by the API's names, one-dimensional operands (float32, holding values of the common type) and
#: attributes, and a Common as `common`; gives float32 or float64 values still to be rounded to that type.
BlockFunction: TypeAlias = Callable[..., Real]


@dataclass(frozen=True, kw_only=True)
class Common:
    """What the elements of one evaluation share: the type they are computed in, and mean's divisor."""

    format: Format
    count: int


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Another value that an unspecified clause accepts, under its label; elsewhere the reference's own."""

    clause: str
    label: str
    function: BlockFunction


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What an operator computes, and the other readings of its unspecified clauses."""

    function: BlockFunction
    readings: tuple[Reading, ...]


def evaluate(
    function: BlockFunction,
    operands: Mapping[str, tuple[NDArray[Any], str]],
    *,
    common: str,
    output: tuple[NDArray[Any], str],
    attributes: Mapping[str, int],
    count: int | None = None,
) -> None:
    """Write function(operands) into the output's array: rounded to `common`, then cast to the output's type.

    Arrays come with the name of their dtype: BFLOAT16 holds bits (uint16), COMPLEX32 records of two float16,
    `real` and `imag`, the others are NumPy's own. Operands are FLOAT, FLOAT16, BFLOAT16, BOOL or integers, of
    any strides, and broadcast to the output's shape; the output is a float of those three, DOUBLE or complex.
    An element of the output may share memory with operands at the same index, and with no others. `count` is
    what mean divides by: the size of the output when None. Both roundings go to nearest even, beyond the
    range to infinity (FACTS section 3). Raises InputError for arrays that do not fit this.
    """
    result, result_dtype = output
    setting = Common(format=_format(common), count=result.size if count is None else count)
    _check_storage("output", result, result_dtype, "fcV")
    views = [_broadcast(name, array, dtype, result.shape) for name, (array, dtype) in operands.items()]
    if result.size == 0:
        return
    if not 1 <= setting.count <= _MAX_COUNT:
        raise InputError(f"count: found {setting.count}, expected 1 to {_MAX_COUNT}")
    access: Any = [["readonly"]] * len(views) + [["writeonly"]]
    with (
        np.errstate(all="ignore"),
        np.nditer(
            _once([*views, result]),
            flags=["external_loop", "buffered"],
            op_flags=access,
            buffersize=_BLOCK,
        ) as blocks,
    ):
        for *inputs, place in blocks:
            values = {
                name: _read(block, dtype, setting.format)
                for block, (name, (_, dtype)) in zip(inputs, operands.items(), strict=True)
            }
            rounded = round_to(function(**values, **attributes, common=setting), setting.format)
            _write(rounded, setting.format, place, result_dtype)


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise InputError(f"common: found {name}, expected {', '.join(FORMATS)}")
    return FORMATS[name]


def _check_storage(where: str, array: NDArray[Any], dtype: str, other_kinds: str) -> None:
    """Hold an array against its dtype: a format's storage, or one of NumPy's kinds for the others."""
    storage = FORMATS[dtype].storage if dtype in FORMATS else None
    if array.dtype != storage if storage is not None else array.dtype.kind not in other_kinds:
        expected = storage or f"one of NumPy's kinds {other_kinds}"
        raise InputError(f"{where}: found {dtype} in an array of {array.dtype}, expected {expected}")


def _broadcast(name: str, array: NDArray[Any], dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    _check_storage(name, array, dtype, "biu")
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise InputError(f"{name}: found shape {array.shape}, expected one that broadcasts to {shape}") from None


def _once(views: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Drop the axes along which no array moves: what is written there again and again is one value."""
    still = [all(view.strides[axis] == 0 for view in views) for axis in range(views[0].ndim)]
    index = (*(0 if each else slice(None) for each in still), ...)
    return [view[index] for view in views]


def _read(block: NDArray[Any], dtype: str, common: Format) -> Single:
    if dtype not in FORMATS:
        return from_integers(block, common)
    source = FORMATS[dtype]
    values = decode(block, source)
    return values if source is common else round_to(values, common)


def _write(values: Single, common: Format, place: NDArray[Any], dtype: str) -> None:
    if dtype in FORMATS:
        target = FORMATS[dtype]
        place[...] = encode(values if target is common else round_to(values, target), target)
    elif place.dtype.names:
        place["real"] = encode(values if common is FLOAT16 else round_to(values, FLOAT16), FLOAT16)
        place["imag"] = 0
    else:
        place[...] = values

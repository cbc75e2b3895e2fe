"""Run an operator's block function over whole tensors: any strides, any size, little memory.

The function sees blocks of values in the common type and gives values still to be rounded to it; this module
converts the operands, rounds once, casts and stores.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.reference.exact import Terms, Total, quotients
from aclnn_spec.reference.floats import (
    FLOAT16,
    FORMATS,
    WHOLE,
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

#: Operands of so many elements that repeat in the output are held at once.
_REPEATED = 2**18

_MAX_COUNT = 2**63 - 1

#: Takes, by the API's names, one-dimensional operands (float32, holding values of the common type, or int64 if that
#: is INT64) and attributes, and a Common as `common`; gives float32 or float64 values still to be rounded to that
#: type, Terms, or integers.
BlockFunction: TypeAlias = Callable[..., Real | Terms | NDArray[np.int64]]


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
    attributes: Mapping[str, float],
    count: int | None = None,
    reduces: bool = False,
    rounded: str | None = None,
) -> None:
    """Write function(operands) into the output's array: rounded to `common`, then cast to the output's type.

    Arrays come with the name of their dtype: BFLOAT16 holds bits (uint16), COMPLEX32 records of two float16,
    `real` and `imag`, the others are NumPy's own. Operands are FLOAT, FLOAT16, BFLOAT16, BOOL or integers, of
    any strides, and broadcast to the output's shape; the output is a float of those three, DOUBLE or complex.
    An element of the output may share memory with operands at the same index, and with no others. `count` is
    what mean divides by: the size of the output when None. Results are rounded to the float type `rounded` instead of
    `common`, if there is one, as by who does not round on the way. With `reduces`, the function's terms over the shape
    that the operands broadcast to are summed into an output of one element, and the count is that of the terms.
    Both roundings go to nearest even, beyond the range to infinity (FACTS section 3). Where `common` is INT64 all
    operands are integers and BOOL, and the output may be an integer; what it cannot hold wraps. Raises InputError
    for arrays that do not fit this.
    """
    result, result_dtype = output
    shape = _shape_of(operands) if reduces else result.shape
    form = _format(common)
    _check_storage("output", result, result_dtype, "iufcV" if form is WHOLE else "fcV")
    views = [_broadcast(name, array, dtype, shape) for name, (array, dtype) in operands.items()]
    size = prod(shape)
    setting = Common(format=form, count=size if count is None else count)
    final = form if rounded is None else _format(rounded)
    if not result.size:
        return
    if not 1 <= setting.count <= _MAX_COUNT and size:
        raise InputError(f"count: found {setting.count}, expected 1 to {_MAX_COUNT}")
    dtypes = [dtype for _, dtype in operands.values()]

    def values(inputs: list[NDArray[Any]]) -> Real | Terms | NDArray[np.int64]:
        read = (_read(block, dtype, form) for block, dtype in zip(inputs, dtypes, strict=True))
        return function(**dict(zip(operands, read, strict=True)), **attributes, common=setting)

    with np.errstate(all="ignore"):
        if reduces:
            _write(_reduced(values, views, setting, final).reshape(result.shape), final, result, result_dtype)
            return
        *views, result = _once([*views, result])
        if _repeated(values, views, setting, final, result, result_dtype):
            return
        access: Any = [["readonly"]] * len(views) + [["writeonly"]]
        with np.nditer(
            [*views, result], flags=["external_loop", "buffered"], op_flags=access, buffersize=_BLOCK
        ) as blocks:
            for *inputs, place in blocks:
                _write(_rounded(values(inputs), setting, final), final, place, result_dtype)


def _repeated(
    values: Callable[[list[NDArray[Any]]], Any],
    views: list[NDArray[Any]],
    setting: Common,
    final: Format,
    result: NDArray[Any],
    dtype: str,
) -> bool:
    """Look once at operands that repeat, and write the output; False where they do not, or are too many to hold."""
    compact = _once(views)
    if compact[0].size > min(_REPEATED, result.size // 2):
        return False
    if compact[0].size:
        block = _rounded(values([view.ravel() for view in compact]), setting, final)
        kept = [1 if axis in _still(views) else size for axis, size in enumerate(result.shape)]
        _write(block.reshape(kept), final, result, dtype)
    return True


def _rounded(values: Real | Terms | NDArray[np.int64], setting: Common, final: Format) -> Single | NDArray[np.int64]:
    """The values of a block in the type they are rounded to, the common one as a rule."""
    if isinstance(values, Terms):
        values = quotients(values, setting.count)
    return values if setting.format is WHOLE else round_to(values, final)  # type: ignore[arg-type, return-value]


def _reduced(
    values: Callable[[list[NDArray[Any]]], Any], views: list[NDArray[Any]], setting: Common, final: Format
) -> Any:
    """The sum of the terms over all elements, in the type it is rounded to; shape (1,)."""
    compact = _once(views)
    total, whole = Total(), 0
    blocks: Any = [[view.ravel() for view in views]]
    if views[0].size:
        access: Any = [["readonly"]] * len(views)
        blocks = np.nditer(compact, flags=["external_loop", "buffered"], op_flags=access, buffersize=_BLOCK)
    for inputs in blocks:
        terms = values(list(inputs))
        if isinstance(terms, Terms):
            total.add(terms)
        else:
            whole += sum(terms.tolist())
    repeats = views[0].size // max(compact[0].size, 1)
    if setting.format is WHOLE:
        return np.array([(whole * repeats + 2**63) % 2**64 - 2**63], np.int64)
    return round_to(total.value(setting.count, repeats), final)


def _shape_of(operands: Mapping[str, tuple[NDArray[Any], str]]) -> tuple[int, ...]:
    shapes = [array.shape for array, _ in operands.values()]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(map(str, shapes))
        raise InputError(f"operands: found the shapes {listed}, expected shapes that broadcast together") from None


def _format(name: str) -> Format:
    known = {**FORMATS, WHOLE.name: WHOLE}
    if name not in known:
        raise InputError(f"common: found {name}, expected {', '.join(known)}")
    return known[name]


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
    still = _still(views)
    index = (*(0 if axis in still else slice(None) for axis in range(views[0].ndim)), ...)
    return [view[index] for view in views]


def _still(views: list[NDArray[Any]]) -> frozenset[int]:
    """The axes along which no array moves."""
    shape = views[0].shape
    return frozenset(i for i, size in enumerate(shape) if size and all(view.strides[i] == 0 for view in views))


def _read(block: NDArray[Any], dtype: str, common: Format) -> Single | NDArray[np.int64]:
    if common is WHOLE:
        return block.astype(np.int64)
    if dtype not in FORMATS:
        return from_integers(block, common)
    source = FORMATS[dtype]
    values = decode(block, source)
    return values if source is common else round_to(values, common)


def _write(values: Single | NDArray[np.int64], common: Format, place: NDArray[Any], dtype: str) -> None:
    if dtype in FORMATS:
        place[...] = encode(_in_format(values, common, FORMATS[dtype]), FORMATS[dtype])
    elif place.dtype.names:
        place["real"] = encode(_in_format(values, common, FLOAT16), FLOAT16)
        place["imag"] = 0
    else:
        place[...] = values


def _in_format(values: Single | NDArray[np.int64], common: Format, target: Format) -> Single:
    """Values of the common type rounded to another one."""
    if common is WHOLE:
        return from_integers(values, target)
    return values if target is common else round_to(values, target)  # type: ignore[arg-type, return-value]

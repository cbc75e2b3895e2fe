# Generated from spec/operators/aclnnSmoothL1Loss.json by aclnn-spec build; do not edit.
"""Check the arguments of aclnnSmoothL1LossGetWorkspaceSize: which clauses of the spec does a call break?

    >>> check(
    ...     self=Tensor("FLOAT", (2, 2, 7, 7)),
    ...     target=Tensor("FLOAT", (2, 2, 7, 7)),
    ...     reduction=0,
    ...     beta=1,
    ...     result=Tensor("FLOAT", (2, 2, 7, 7)),
    ... )
    Diagnosis(status=0, broken=())

This file needs Python 3.8 or newer and nothing else; copy it where you like.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple


class Tensor(NamedTuple):
    """A tensor as aclCreateTensor is told of it; whatever has these three attributes will do in its place."""

    dtype: str
    shape: tuple[int, ...]
    format: str = "ND"


class Clause(NamedTuple):
    """A clause on errors: the status of a call that breaks it, and what is then wrong, in Chinese and English."""

    status: int
    zh: str
    en: str


class Diagnosis(NamedTuple):
    """The status that a call must get, 0 if it is good, and the ids of all clauses it breaks; the first one decides."""

    status: int
    broken: tuple[str, ...]


# fmt: off

# What a call can break, in the order of checking.
CLAUSES: dict[str, Clause] = {
    "nullptr": Clause(
        161001,
        "self、target 或 result 是空指针。",
        "One of the tensors self, target and result is a null pointer.",
    ),
    "null_handles": Clause(
        161001,
        "workspaceSize 或 executor 是空指针，第一段没有地方写回结果。",
        "workspaceSize or executor is a null pointer, so phase 1 has nowhere to write its answer.",
    ),
    "dtypes": Clause(
        161002,
        "self 或 target 的类型不是 FLOAT、FLOAT16 或 BFLOAT16。result 的类型由 castable 和 wide_output 规定。",
        "The type of self or target is not FLOAT, FLOAT16 or BFLOAT16. What result may be is said by castable and wide_output.",
    ),
    "castable": Clause(
        161002,
        "推导出的类型不能转换到 result 的类型，例如 result 是整数或 BOOL。",
        "No cast leads from the deduced type to result's, as when result is an integer type or BOOL.",
    ),
    "max_rank": Clause(
        161002,
        "self 与 target 中有超过 8 维的张量。",
        "self or target has more than 8 dimensions.",
    ),
    "reduction": Clause(
        161002,
        "reduction 不是 0、1、2 之一；负数和 64 位整数的两端同样不行。",
        "reduction is none of 0, 1, 2; negative numbers and the ends of the 64-bit range count too.",
    ),
    "beta_negative": Clause(
        161002,
        "beta 小于 0。",
        "beta is below 0.",
    ),
    "broadcastable": Clause(
        161002,
        "self 与 target 的形状不能一起广播。",
        "The shapes of self and target do not broadcast together.",
    ),
    "output_shape": Clause(
        161002,
        "reduction 为 none 时，result 的形状不等于两个输入广播后的形状。",
        "With none, result's shape is not the one that the two inputs broadcast to.",
    ),
}

# The parameters of phase 1: tensors, attributes by their C types, and pointers, which may be left out if not null.
PARAMETERS: dict[str, str] = {
    "self": "tensor",
    "target": "tensor",
    "reduction": "int64_t",
    "beta": "float",
    "result": "tensor",
    "workspaceSize": "pointer",
    "executor": "pointer",
}

# The types a parameter lists: any of them may stand in a null pointer's place.
LISTED: dict[str, tuple[str, ...]] = {
    "self": ("FLOAT", "FLOAT16", "BFLOAT16"),
    "target": ("FLOAT", "FLOAT16", "BFLOAT16"),
    "result": ("FLOAT", "FLOAT16", "BFLOAT16"),
}

DTYPES: frozenset[str] = frozenset((
    "UNDEFINED", "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE",
    "BOOL", "STRING", "COMPLEX64", "COMPLEX128", "BFLOAT16", "INT4", "UINT1", "COMPLEX32", "HIFLOAT8", "FLOAT8_E5M2",
    "FLOAT8_E4M3FN", "FLOAT8_E8M0", "FLOAT6_E3M2", "FLOAT6_E2M3", "FLOAT4_E2M1", "FLOAT4_E1M2",
))
FORMATS: frozenset[str] = frozenset((
    "UNDEFINED", "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1HWC0_C04", "HWCN", "NDHWC", "FRACTAL_NZ", "NCDHW",
    "NDC1HWC0", "FRACTAL_Z_3D", "NC", "NCL",
))

# The common type of two types; a pair without one is left out.
DEDUCTION: dict[str, dict[str, str]] = {
    "FLOAT": {
        "FLOAT": "FLOAT", "FLOAT16": "FLOAT", "DOUBLE": "DOUBLE", "BFLOAT16": "FLOAT", "INT8": "FLOAT",
        "UINT8": "FLOAT", "INT16": "FLOAT", "INT32": "FLOAT", "INT64": "FLOAT", "BOOL": "FLOAT",
        "COMPLEX32": "COMPLEX64", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "FLOAT16": {
        "FLOAT": "FLOAT", "FLOAT16": "FLOAT16", "DOUBLE": "DOUBLE", "BFLOAT16": "FLOAT", "INT8": "FLOAT16",
        "UINT8": "FLOAT16", "INT16": "FLOAT16", "INT32": "FLOAT16", "INT64": "FLOAT16", "BOOL": "FLOAT16",
        "COMPLEX32": "COMPLEX32", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "DOUBLE": {
        "FLOAT": "DOUBLE", "FLOAT16": "DOUBLE", "DOUBLE": "DOUBLE", "BFLOAT16": "DOUBLE", "INT8": "DOUBLE",
        "UINT8": "DOUBLE", "INT16": "DOUBLE", "INT32": "DOUBLE", "INT64": "DOUBLE", "BOOL": "DOUBLE",
        "COMPLEX32": "COMPLEX128", "COMPLEX64": "COMPLEX128", "COMPLEX128": "COMPLEX128",
    },
    "BFLOAT16": {
        "FLOAT": "FLOAT", "FLOAT16": "FLOAT", "DOUBLE": "DOUBLE", "BFLOAT16": "BFLOAT16", "INT8": "BFLOAT16",
        "UINT8": "BFLOAT16", "INT16": "BFLOAT16", "INT32": "BFLOAT16", "INT64": "BFLOAT16", "BOOL": "BFLOAT16",
        "COMPLEX32": "COMPLEX32", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "INT8": {
        "FLOAT": "FLOAT", "FLOAT16": "FLOAT16", "DOUBLE": "DOUBLE", "BFLOAT16": "BFLOAT16", "INT8": "INT8",
        "UINT8": "INT16", "INT16": "INT16", "INT32": "INT32", "INT64": "INT64", "BOOL": "INT8",
        "COMPLEX32": "COMPLEX32", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "UINT8": {
        "FLOAT": "FLOAT", "FLOAT16": "FLOAT16", "DOUBLE": "DOUBLE", "BFLOAT16": "BFLOAT16", "INT8": "INT16",
        "UINT8": "UINT8", "INT16": "INT16", "INT32": "INT32", "INT64": "INT64", "BOOL": "UINT8",
        "COMPLEX32": "COMPLEX32", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "INT16": {
        "FLOAT": "FLOAT", "FLOAT16": "FLOAT16", "DOUBLE": "DOUBLE", "BFLOAT16": "BFLOAT16", "INT8": "INT16",
        "UINT8": "INT16", "INT16": "INT16", "INT32": "INT32", "INT64": "INT64", "BOOL": "INT16",
        "COMPLEX32": "COMPLEX32", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "UINT16": {
        "UINT16": "UINT16",
    },
    "INT32": {
        "FLOAT": "FLOAT", "FLOAT16": "FLOAT16", "DOUBLE": "DOUBLE", "BFLOAT16": "BFLOAT16", "INT8": "INT32",
        "UINT8": "INT32", "INT16": "INT32", "INT32": "INT32", "INT64": "INT64", "BOOL": "INT32",
        "COMPLEX32": "COMPLEX32", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "UINT32": {
        "UINT32": "UINT32",
    },
    "INT64": {
        "FLOAT": "FLOAT", "FLOAT16": "FLOAT16", "DOUBLE": "DOUBLE", "BFLOAT16": "BFLOAT16", "INT8": "INT64",
        "UINT8": "INT64", "INT16": "INT64", "INT32": "INT64", "INT64": "INT64", "BOOL": "INT64",
        "COMPLEX32": "COMPLEX32", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "UINT64": {
        "UINT64": "UINT64",
    },
    "BOOL": {
        "FLOAT": "FLOAT", "FLOAT16": "FLOAT16", "DOUBLE": "DOUBLE", "BFLOAT16": "BFLOAT16", "INT8": "INT8",
        "UINT8": "UINT8", "INT16": "INT16", "INT32": "INT32", "INT64": "INT64", "BOOL": "BOOL",
        "COMPLEX32": "COMPLEX32", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "COMPLEX32": {
        "FLOAT": "COMPLEX64", "FLOAT16": "COMPLEX32", "DOUBLE": "COMPLEX128", "BFLOAT16": "COMPLEX32",
        "INT8": "COMPLEX32", "UINT8": "COMPLEX32", "INT16": "COMPLEX32", "INT32": "COMPLEX32", "INT64": "COMPLEX32",
        "BOOL": "COMPLEX32", "COMPLEX32": "COMPLEX32", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "COMPLEX64": {
        "FLOAT": "COMPLEX64", "FLOAT16": "COMPLEX64", "DOUBLE": "COMPLEX128", "BFLOAT16": "COMPLEX64",
        "INT8": "COMPLEX64", "UINT8": "COMPLEX64", "INT16": "COMPLEX64", "INT32": "COMPLEX64", "INT64": "COMPLEX64",
        "BOOL": "COMPLEX64", "COMPLEX32": "COMPLEX64", "COMPLEX64": "COMPLEX64", "COMPLEX128": "COMPLEX128",
    },
    "COMPLEX128": {
        "FLOAT": "COMPLEX128", "FLOAT16": "COMPLEX128", "DOUBLE": "COMPLEX128", "BFLOAT16": "COMPLEX128",
        "INT8": "COMPLEX128", "UINT8": "COMPLEX128", "INT16": "COMPLEX128", "INT32": "COMPLEX128",
        "INT64": "COMPLEX128", "BOOL": "COMPLEX128", "COMPLEX32": "COMPLEX128", "COMPLEX64": "COMPLEX128",
        "COMPLEX128": "COMPLEX128",
    },
}

# The types that a common type may be cast to.
CASTING: dict[str, frozenset[str]] = {
    "FLOAT": frozenset((
        "FLOAT", "FLOAT16", "DOUBLE", "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "FLOAT16": frozenset((
        "FLOAT", "FLOAT16", "DOUBLE", "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "DOUBLE": frozenset((
        "FLOAT", "FLOAT16", "DOUBLE", "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "BFLOAT16": frozenset((
        "FLOAT", "FLOAT16", "DOUBLE", "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "INT8": frozenset((
        "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE",
        "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "UINT8": frozenset((
        "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE",
        "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "INT16": frozenset((
        "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE",
        "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "UINT16": frozenset((
        "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE",
        "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "INT32": frozenset((
        "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE",
        "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "UINT32": frozenset((
        "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE",
        "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "INT64": frozenset((
        "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE",
        "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "UINT64": frozenset((
        "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE",
        "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "BOOL": frozenset((
        "FLOAT", "FLOAT16", "INT8", "INT32", "UINT8", "INT16", "UINT16", "UINT32", "INT64", "UINT64", "DOUBLE", "BOOL",
        "COMPLEX64", "COMPLEX128", "BFLOAT16", "COMPLEX32",
    )),
    "COMPLEX32": frozenset((
        "COMPLEX64", "COMPLEX128", "COMPLEX32",
    )),
    "COMPLEX64": frozenset((
        "COMPLEX64", "COMPLEX128", "COMPLEX32",
    )),
    "COMPLEX128": frozenset((
        "COMPLEX64", "COMPLEX128", "COMPLEX32",
    )),
}

# fmt: on


def check(**arguments: Any) -> Diagnosis:
    """Check a call of phase 1; None is a null pointer.

    TypeError if an argument is missing, unknown or of the wrong kind; ValueError for a type, a format or a number that
    the API does not have.
    """
    _look_at(arguments)
    self_target_common = _common(arguments, ("self", "target"))
    self_target_broadcast = _broadcast(arguments, ("self", "target"))
    holds = {
        "nullptr": _not_null(arguments, ("self", "target", "result")),
        "null_handles": _not_null(arguments, ("workspaceSize", "executor")),
        "dtypes": _dtype_in(arguments, ("self", "target"), ("FLOAT", "FLOAT16", "BFLOAT16")),
        "castable": _castable(self_target_common, arguments["result"]),
        "max_rank": _max_rank(arguments, ("self", "target"), 8),
        "reduction": _one_of(arguments, ("reduction",), (0, 1, 2)),
        "beta_negative": _at_least(arguments, ("beta",), 0),
        "broadcastable": _broadcastable(self_target_broadcast),
        "output_shape": not (arguments["reduction"] in (0,)) or _shape_is_broadcast(arguments, ("result",), self_target_broadcast),
    }
    broken = tuple(clause for clause in CLAUSES if not holds[clause])
    return Diagnosis(CLAUSES[broken[0]].status if broken else 0, broken)


# The rules. A null pointer breaks none of them but _not_null, unless whatever stood in its place would.


def _not_null(arguments: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    return all(arguments.get(name, name) is not None for name in names)


def _one_of(arguments: Mapping[str, Any], names: tuple[str, ...], values: tuple[float, ...]) -> bool:
    return all(arguments[name] in values for name in names)


def _at_least(arguments: Mapping[str, Any], names: tuple[str, ...], value: float) -> bool:
    return not any(_c_float(arguments[name]) < value for name in names)


def _finite(arguments: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    return all(math.isfinite(_c_float(arguments[name])) for name in names)


def _same_dtype(arguments: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    return len({tensor.dtype for tensor in _given(arguments, names)}) <= 1


def _not_both(
    arguments: Mapping[str, Any], names: tuple[str, str], ones: tuple[str, ...], others: tuple[str, ...]
) -> bool:
    one, other = (arguments[name] for name in names)
    return one is None or other is None or one.dtype not in ones or other.dtype not in others


def _shape_is(arguments: Mapping[str, Any], names: tuple[str, ...], shape: tuple[int, ...]) -> bool:
    return all(tuple(tensor.shape) == shape for tensor in _given(arguments, names))


def _dtype_in(arguments: Mapping[str, Any], names: tuple[str, ...], dtypes: tuple[str, ...]) -> bool:
    return all(tensor.dtype in dtypes for tensor in _given(arguments, names))


def _dtype_not_in(arguments: Mapping[str, Any], names: tuple[str, ...], dtypes: tuple[str, ...]) -> bool:
    return all(tensor.dtype not in dtypes for tensor in _given(arguments, names))


def _format_in(arguments: Mapping[str, Any], names: tuple[str, ...], formats: tuple[str, ...]) -> bool:
    return all(tensor.format in formats for tensor in _given(arguments, names))


def _max_rank(arguments: Mapping[str, Any], names: tuple[str, ...], rank: int) -> bool:
    return all(len(tensor.shape) <= rank for tensor in _given(arguments, names))


def _min_rank(arguments: Mapping[str, Any], names: tuple[str, ...], rank: int) -> bool:
    return all(len(tensor.shape) >= rank for tensor in _given(arguments, names))


def _deducible(common: set[str | None]) -> bool:
    return any(dtype is not None for dtype in common)


def _deduced_in(common: set[str | None], dtypes: tuple[str, ...]) -> bool:
    return any(dtype is None or dtype in dtypes for dtype in common)


def _castable(common: set[str | None], target: Any) -> bool:
    return target is None or any(dtype is None or target.dtype in CASTING[dtype] for dtype in common)


def _broadcastable(broadcast: tuple[tuple[int, ...] | None, bool]) -> bool:
    return broadcast[0] is not None


def _shape_is_broadcast(
    arguments: Mapping[str, Any], names: tuple[str, ...], broadcast: tuple[tuple[int, ...] | None, bool]
) -> bool:
    shape, complete = broadcast
    if shape is None:
        return True
    outputs = [tuple(tensor.shape) for tensor in _given(arguments, names)]
    if complete:
        return all(output == shape for output in outputs)
    # Any shape could stand in the null pointer's place: the output may be larger than what the others broadcast to.
    return all(_broadcast_two(output, shape) == output for output in outputs)


# What several rules ask.


def _c_float(value: float) -> float:
    """What a C float holds of a number."""
    try:
        return struct.unpack("f", struct.pack("f", float(value)))[0]
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _given(arguments: Mapping[str, Any], names: tuple[str, ...]) -> list[Any]:
    """Those of the tensors that are not null."""
    return [arguments[name] for name in names if arguments[name] is not None]


def _common(arguments: Mapping[str, Any], names: tuple[str, ...]) -> set[str | None]:
    """The possible common types of the tensors, more than one only if a tensor is null; None for no common type."""
    common: set[str | None] = set()
    for i, name in enumerate(names):
        dtypes = LISTED[name] if arguments[name] is None else (arguments[name].dtype,)
        pairs = [(a, b) for a in common for b in dtypes] if i else [(dtype, dtype) for dtype in dtypes]
        common = {DEDUCTION[a].get(b) if a in DEDUCTION else None for a, b in pairs}
    return common


def _broadcast(arguments: Mapping[str, Any], names: tuple[str, ...]) -> tuple[tuple[int, ...] | None, bool]:
    """The broadcast shape of the tensors that are not null (None: they do not fit), and whether none is null."""
    given = _given(arguments, names)
    shape: tuple[int, ...] | None = ()
    for tensor in given:
        shape = None if shape is None else _broadcast_two(shape, tuple(tensor.shape))
    return shape, len(given) == len(names)


def _broadcast_two(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...] | None:
    if one == other:
        return one
    rank = max(len(one), len(other))
    sizes = []
    for a, b in zip((1,) * (rank - len(one)) + one, (1,) * (rank - len(other)) + other):
        if a not in (1, b) and b != 1:
            return None
        sizes.append(b if a == 1 else a)
    return tuple(sizes)


def _look_at(arguments: Mapping[str, Any]) -> None:
    """Raise an error for what is no call at all."""
    for name in arguments:
        if name not in PARAMETERS:
            raise TypeError(f"{name}: no such parameter; expected {', '.join(PARAMETERS)}")
    for name, kind in PARAMETERS.items():
        if kind == "pointer":
            continue
        if name not in arguments:
            raise TypeError(f"{name}: not given")
        value = arguments[name]
        if kind != "tensor":
            _look_at_attribute(name, kind, value)
        elif value is not None:
            _look_at_tensor(name, value)


def _look_at_tensor(name: str, tensor: Any) -> None:
    try:
        dtype, layout = tensor.dtype, tensor.format
        tuple(tensor.shape)
    except (AttributeError, TypeError):
        raise TypeError(f"{name}: found {tensor!r}, expected a tensor or None") from None
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(f"{name}: found type {dtype}, expected one of {', '.join(sorted(DTYPES))}")
    if not isinstance(layout, str) or layout not in FORMATS:
        raise ValueError(f"{name}: found format {layout}, expected one of {', '.join(sorted(FORMATS))}")


def _look_at_attribute(name: str, kind: str, value: Any) -> None:
    if kind == "bool":
        fits = isinstance(value, bool)
    elif isinstance(value, bool):
        fits = False
    elif kind == "int64_t":
        fits = hasattr(value, "__index__")
    else:
        fits = hasattr(value, "__index__") or hasattr(value, "__float__")
    if not fits:
        raise TypeError(f"{name}: found {value!r}, expected {kind}")
    if kind == "int64_t" and not -(2**63) <= value < 2**63:
        raise ValueError(f"{name}: found {value}, expected a 64-bit integer")

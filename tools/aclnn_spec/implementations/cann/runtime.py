"""The C functions with their exact types: the runtime's, and both phases of every operator, from its prototypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from aclnn_spec.implementations.cann.libraries import Libraries
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import Prototype, plain_c_type
from aclnn_spec.spec.operator import Operator

Function = Callable[..., Any]

SUCCESS = 0
ALREADY_INITIALISED = 100002
MALLOC_HUGE_FIRST = 0
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2

_POINTER, _TEXT = ctypes.c_void_p, ctypes.c_char_p
_INT, _SIZE, _STATUS = ctypes.c_int, ctypes.c_size_t, ctypes.c_int32
_INT64S, _HANDLE = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_void_p)

_SIGNATURES: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {  # the result's type, then the arguments'
        "aclInit": (_STATUS, _TEXT),
        "aclFinalize": (_STATUS,),
        "aclrtSetDevice": (_STATUS, ctypes.c_int32),
        "aclrtResetDevice": (_STATUS, ctypes.c_int32),
        "aclrtGetDeviceCount": (_STATUS, ctypes.POINTER(ctypes.c_uint32)),
        "aclrtCreateStream": (_STATUS, _HANDLE),
        "aclrtDestroyStream": (_STATUS, _POINTER),
        "aclrtSynchronizeStream": (_STATUS, _POINTER),
        "aclrtMalloc": (_STATUS, _HANDLE, _SIZE, _INT),
        "aclrtFree": (_STATUS, _POINTER),
        "aclrtMemcpy": (_STATUS, _POINTER, _SIZE, _POINTER, _SIZE, _INT),
        "aclCreateTensor": (
            *(_POINTER, _INT64S, ctypes.c_uint64, _INT, _INT64S, ctypes.c_int64, _INT),
            *(_INT64S, ctypes.c_uint64, _POINTER),
        ),
        "aclDestroyTensor": (_STATUS, _POINTER),
        "aclDestroyAclOpExecutor": (_STATUS, _POINTER),
    }
)
_OPTIONAL: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {  # some builds lack them
        "aclGetRecentErrMsg": (_TEXT,),
        "aclrtGetSocName": (_TEXT,),
        "aclrtGetVersion": (_STATUS, *(ctypes.POINTER(ctypes.c_int32),) * 3),
        "aclsysGetVersionStr": (_STATUS, _TEXT, _TEXT),
        "aclnnHostAlive": (ctypes.c_int64, _TEXT),
    }
)
_C_TYPES: Mapping[str, Any] = MappingProxyType(
    {
        "bool": ctypes.c_bool,
        "double": ctypes.c_double,
        "float": ctypes.c_float,
        "int64_t": ctypes.c_int64,
        "uint64_t": ctypes.c_uint64,
        "uint64_t*": ctypes.POINTER(ctypes.c_uint64),
        "aclOpExecutor**": _HANDLE,
        "aclOpExecutor*": _POINTER,
        "aclTensor*": _POINTER,
        "aclrtStream": _POINTER,
        "void*": _POINTER,
    }
)


@dataclass(frozen=True, kw_only=True)
class Phases:
    """Both phases of an operator, bound."""

    get_workspace_size: Function
    execute: Function


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """The runtime's functions by name, and what they make of errors."""

    functions: Mapping[str, Function]
    optional: Mapping[str, Function]

    def __getattr__(self, name: str) -> Function:
        """The function of this name."""
        try:
            return self.functions[name]
        except KeyError:
            raise AttributeError(name) from None

    def recent_error(self) -> str:
        """The library's text for its last error in one line, which the library then forgets; empty if it has none."""
        tell = self.optional.get("aclGetRecentErrMsg")
        text = tell() if tell else None
        return " ".join(text.decode(errors="replace").split()) if text else ""

    def failure(self, name: str, status: int) -> str:
        """What to say of a function that answered with this status."""
        text = self.recent_error()
        return f"{name} answered {status}" + (f": {text}" if text else "")


def bind_runtime(libraries: Libraries) -> Runtime:
    """Bind the runtime; InputError names the functions that are missing."""
    functions = libraries.require(tuple(_SIGNATURES))
    optional = {name: function for name in _OPTIONAL if (function := libraries.find(name)) is not None}
    for name, function in (functions | optional).items():
        function.restype, *function.argtypes = _SIGNATURES.get(name) or _OPTIONAL[name]
    return Runtime(functions=functions, optional=optional)


def bind_operators(libraries: Libraries, operators: Mapping[str, Operator]) -> dict[str, Phases]:
    """Bind the operators that the libraries have; InputError for one of which only a phase is there, and for none."""
    bound = {}
    absent = []
    for name, operator in operators.items():
        prototypes = (operator.get_workspace_size, operator.execute)
        symbols = [prototype.name for prototype in prototypes]
        if all(libraries.find(symbol, operator=True) is None for symbol in symbols):
            absent += symbols
            continue
        found = libraries.require(symbols, operator=True)
        first, second = (_typed(found[prototype.name], prototype) for prototype in prototypes)
        bound[name] = Phases(get_workspace_size=first, execute=second)
    if not bound:
        libraries.require(absent, operator=True)
    return bound


def _typed(function: Any, prototype: Prototype) -> Function:
    types = []
    for name, c_type in prototype.parameters:
        plain = plain_c_type(c_type)
        if plain not in _C_TYPES:
            raise InputError(f"{prototype.name}: {name}: found C type {c_type}, expected one of {', '.join(_C_TYPES)}")
        types.append(_C_TYPES[plain])
    function.argtypes, function.restype = types, _STATUS
    bound: Function = function
    return bound

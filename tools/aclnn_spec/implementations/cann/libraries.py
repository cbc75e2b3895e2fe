"""Find and load the libraries that hold the API, and look up symbols in them.

FACTS: an installed CANN has the runtime in one of two families of libraries, 9.x or 8.x, which are never mixed; custom
operator libraries come before the built-in ones. Named libraries replace that search.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from platform import machine
from typing import Any

from aclnn_spec.implementations.host_library import build_host_library
from aclnn_spec.spec.errors import InputError

HOST, CANN = "host", "cann"
"""What `--library` takes beside paths: the host library of this project, built if need be, and the installed CANN."""

_CUSTOM = "op_api/lib/libcust_opapi.so"
_FAMILIES = (
    ("libacl_rt.so", "libnnopbase.so", "libopapi_math.so", "libopapi_nn.so"),  # 9.x
    ("libascendcl.so", "libnnopbase.so", "libopapi.so"),  # 8.x
)
_ELF = b"\x7fELF"
_SHARED_OBJECT = 3
_MACHINES = {"x86_64": 62, "aarch64": 183}


class _Info(ctypes.Structure):
    """Dl_info of dladdr(3)."""

    _fields_ = (
        ("dli_fname", ctypes.c_char_p),
        ("dli_fbase", ctypes.c_void_p),
        ("dli_sname", ctypes.c_char_p),
        ("dli_saddr", ctypes.c_void_p),
    )


@dataclass(frozen=True, kw_only=True)
class Libraries:
    """Loaded libraries, in the order in which symbols are looked up."""

    names: tuple[str, ...]
    handles: tuple[ctypes.CDLL, ...]
    beside: frozenset[str] = frozenset()
    """Those of `names` that stand beside libraries the user named: they give the runtime, but no operators."""

    def find(self, symbol: str, *, operator: bool = False) -> Any:
        """The function of this name, from the first library that has it, or None."""
        for handle in self.handles:
            try:
                function = handle[symbol]
            except AttributeError:
                continue
            # A handle finds what its library's dependencies have as well.
            if not operator or not self.beside or place_of(function) not in self.beside:
                return function
        return None

    def require(self, symbols: Sequence[str], *, operator: bool = False) -> dict[str, Any]:
        """These functions by name; InputError names those that no library has."""
        found = {symbol: self.find(symbol, operator=operator) for symbol in symbols}
        missing = [symbol for symbol, function in found.items() if function is None]
        if missing:
            places = [name for name in self.names if not operator or name not in self.beside]
            raise InputError(f"cann: found no {', '.join(missing)} in {', '.join(places)}")
        return found


def load(given: Sequence[str], environment: Mapping[str, str] = os.environ) -> Libraries:
    """Load these libraries, or the installed CANN's if none is given.

    Each is a path, `host` or `cann`; symbols are looked up in the order given. InputError names the library that
    cannot be loaded and why, or what was looked for and where.
    """
    places: list[str] = []
    own: list[str] = []
    for each in given or (CANN,):
        if each == HOST:
            places.append(os.path.realpath(build_host_library()))
        elif each == CANN:
            places += installed(environment)
        else:
            own.append(named(each))
            places.append(own[-1])
    # Libraries resolve their symbols as they are loaded: what comes later in the lookup is what the earlier need.
    handles = [_load(place) for place in reversed(places)]
    beside = frozenset(places).difference(own) if own else frozenset()
    return Libraries(names=tuple(places), handles=tuple(reversed(handles)), beside=beside)


def installed(environment: Mapping[str, str]) -> list[str]:
    """The libraries of the CANN that the environment's variables name, custom operators first."""
    home = environment.get("ASCEND_HOME_PATH")
    folders = [Path(home) / "lib64", None] if home else [None]
    path = f"{folders[0]} ($ASCEND_HOME_PATH)" if home else "$ASCEND_HOME_PATH/lib64 (the variable is not set)"
    for folder in folders:
        for family in _FAMILIES:
            found = {name: place for name in family if (place := _find(name, folder)) is not None}
            if family[0] not in found:
                continue
            missing = [name for name in family if name not in found]
            if missing:
                raise InputError(f"cann: found {found[family[0]]} but no {', '.join(missing)} beside it")
            return [*custom(environment), *reversed(found.values())]
    names = " nor ".join(family[0] for family in _FAMILIES)
    raise InputError(
        f"cann: found neither {names} in {path} or on the loader's path; expected an installed CANN with its "
        f"environment set (source set_env.sh), or --library with a path or {HOST}"
    )


def custom(environment: Mapping[str, str]) -> list[str]:
    """The custom operator libraries that the environment's variables name and that exist, first in priority first."""
    roots = [Path(entry) for entry in environment.get("ASCEND_CUSTOM_OPP_PATH", "").split(os.pathsep) if entry]
    built_in = environment.get("ASCEND_OPP_PATH")
    if built_in:
        vendors = Path(built_in) / "vendors"
        roots += [vendors / name for name in _priorities(vendors / "config.ini")]
    return [str(root / _CUSTOM) for root in roots if (root / _CUSTOM).is_file()]


def named(given: str) -> str:
    """The path of a library a user named, checked; a bare name that is no file here is left to the loader."""
    path = Path(given)
    if path.is_dir():
        raise InputError(f"cann: library {given}: found a directory, expected a shared library")
    if not path.exists():
        if path.name != given:
            raise InputError(f"cann: library {given}: found no such file, expected a shared library")
        return given
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError as error:
        raise InputError(f"cann: library {given}: found {error.strerror}, expected a readable file") from None
    if sys.platform == "linux":
        _check_elf(given, head)
    return str(path.resolve())


def place_of(function: Any) -> str | None:
    """The file that a function was loaded from, as the dynamic linker says; None where it cannot be asked."""
    for name in (None, "libdl.so.2"):
        try:
            dladdr = ctypes.CDLL(name).dladdr
        except (AttributeError, OSError):
            continue
        dladdr.argtypes, dladdr.restype = (ctypes.c_void_p, ctypes.POINTER(_Info)), ctypes.c_int
        info = _Info()
        if dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(info)) and info.dli_fname:
            return os.path.realpath(os.fsdecode(info.dli_fname))
    return None


def _check_elf(given: str, head: bytes) -> None:
    if not head.startswith(_ELF) or len(head) < 20:  # noqa: PLR2004  # up to e_machine
        raise InputError(f"cann: library {given}: found a file that begins {head[:8]!r}, expected a shared library")
    bits, order = (32 if head[4] == 1 else 64), ("<" if head[5] == 1 else ">")
    kind, number = struct.unpack(f"{order}HH", head[16:20])
    ours, expected = struct.calcsize("P") * 8, machine()
    if bits != ours:
        raise InputError(f"cann: library {given}: found a {bits}-bit library, expected {ours}-bit")
    if number != _MACHINES.get(expected, number):
        found = next((name for name, known in _MACHINES.items() if known == number), f"machine {number}")
        raise InputError(f"cann: library {given}: found a library for {found}, expected {expected}")
    if kind != _SHARED_OBJECT:
        raise InputError(f"cann: library {given}: found an ELF file of type {kind}, expected a shared library")


def _load(place: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(place, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise InputError(f"cann: library {place}: cannot be loaded: {error}") from None


def _find(name: str, folder: Path | None) -> str | None:
    """The path of a library in a folder or, with none, its name if the loader can find it."""
    if folder is not None:
        return str(folder / name) if (folder / name).is_file() else None
    try:
        ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return None
    return name


def _priorities(path: Path) -> Iterator[str]:
    """The vendors of `load_priority=a,b`, in order."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        key, equals, value = line.partition("=")
        if equals and key.strip() == "load_priority":
            yield from (name.strip() for name in value.split(",") if name.strip())

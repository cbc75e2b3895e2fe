"""Build the host library, the API's C interface on a CPU, with the system's C compiler."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import cache_root, tools_root

NAME = "libaclnn_host.so"
_FLAGS = (
    *("-std=c11", "-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"),
    *("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wl,-Bsymbolic"),
)
_SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
_COMPILERS = ("cc", "gcc", "clang")
_FAULT = re.compile(r"^  FAULT_(\w+)", re.MULTILINE)


def host_root() -> Path:
    """The directory of the library's sources: in the checkout, or among the installed package's data."""
    return tools_root() / "host"


def fault_names() -> tuple[str, ...]:
    """The faults that can be compiled in, as `src/faults.h` lists them."""
    text = (host_root() / "src" / "faults.h").read_text(encoding="utf-8")
    return tuple(name for name in _FAULT.findall(text) if name != "NONE")


def build_host_library(output: Path | None = None, *, fault: str | None = None, sanitize: bool = False) -> Path:
    """Build the library and give its path: `output`, or a file of the user's cache that later calls find again.

    InputError if there is no C compiler, if it fails, or for a fault that does not exist.
    """
    if fault is not None and fault not in fault_names():
        raise InputError(f"host: fault: found {fault!r}, expected one of {', '.join(fault_names())}")
    compiler = _compiler()
    command = [*compiler, *_FLAGS, *(_SANITIZE if sanitize else ())]
    if fault is not None:
        command.append(f"-DACLNN_HOST_FAULT=FAULT_{fault}")
    target = output or cache_root() / "host" / _digest(compiler, command) / NAME
    if output is None and target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    root = host_root()
    sources = sorted(str(path) for path in (root / "src").glob("*.c"))
    # Whoever builds at the same time, or is cut off, leaves either the whole library or none.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as folder:
        built = Path(folder) / NAME
        done = subprocess.run(  # noqa: S603  # the user's own compiler on our own sources
            [*command, "-I", str(root / "include"), "-o", str(built), *sources, "-lm"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or [""]
            raise InputError(f"host: {command[0]} could not build {NAME}: {lines[0]}")
        built.replace(target)
    return target


def _compiler() -> list[str]:
    """The C compiler to call: $CC, or the first of the usual ones on the path."""
    text = os.environ.get("CC", "")
    try:
        given = shlex.split(text)
    except ValueError as error:
        raise InputError(f"host: $CC: found {text!r} ({error}), expected a command") from None
    if given:
        if shutil.which(given[0]) is None:
            raise InputError(f"host: found no {given[0]} ($CC) on the path, expected a C compiler to build {NAME} with")
        return given
    for name in _COMPILERS:
        if shutil.which(name):
            return [name]
    names = ", ".join(_COMPILERS)
    raise InputError(f"host: found none of {names} on the path and no $CC, expected a C compiler to build {NAME} with")


def _digest(compiler: list[str], command: list[str]) -> str:
    """What a build depends on: the sources, the flags and the compiler."""
    total = hashlib.sha256("\0".join(command).encode())
    version = subprocess.run([*compiler, "--version"], capture_output=True, check=False)  # noqa: S603
    total.update(version.stdout)
    root = host_root()
    for path in sorted((*root.glob("src/*.[ch]"), *root.glob("include/**/*.h"))):
        total.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return total.hexdigest()[:32]

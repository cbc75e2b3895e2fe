"""Everything generated from the spec beside golden data: what it holds, writing it, and finding what is stale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from aclnn_spec.emit.c_check import c_check
from aclnn_spec.emit.headers import enums_header, operator_header
from aclnn_spec.emit.python_check import python_check
from aclnn_spec.emit.text import MARK
from aclnn_spec.emit.writing import stale_texts, write_texts
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import Spec

_INCLUDE = "host/include"
_FOLDERS = (f"{_INCLUDE}/aclnn_spec", f"{_INCLUDE}/aclnnop", "validators")
"""Folders that hold nothing but generated files."""
_SUFFIXES = (".h", ".py")


def emitted(spec: Spec) -> Mapping[str, str]:
    """The text of every generated file by its path in `tools`; InputError for what has no generated form."""
    files = {f"{_INCLUDE}/aclnn_spec/enums.h": enums_header(spec.tables)}
    for operator in spec.operators.values():
        if operator.status == "stable":
            for path, text in _files_of(operator):
                if path in files:
                    raise InputError(f"{operator.name}: header: found {operator.header}, which is another operator's")
                files[path] = text
    return files


def write_emitted(spec: Spec, directory: Path) -> None:
    """Write every generated file below the directory, and remove those of an older spec."""
    files = emitted(spec)
    for folder in _FOLDERS:
        (directory / folder).mkdir(parents=True, exist_ok=True)
    write_texts({directory / name: text for name, text in files.items()})
    for name in _present(directory) - files.keys():
        if MARK in (directory / name).read_text(encoding="utf-8", errors="replace"):  # a stranger's file is only named
            (directory / name).unlink()


def stale_emitted(spec: Spec, directory: Path) -> list[str]:
    """The generated files below the directory that are missing, differ from a fresh build, or belong to none."""
    return stale_texts(emitted(spec), directory, _present(directory))


def _files_of(operator: Operator) -> Iterator[tuple[str, str]]:
    if not operator.header.startswith("aclnnop/"):
        raise InputError(f"{operator.name}: header: found {operator.header}, expected aclnnop/<file>.h")
    yield f"{_INCLUDE}/aclnn_spec/{operator.name}_check.h", c_check(operator)
    yield f"{_INCLUDE}/{operator.header}", operator_header(operator)
    yield f"validators/{operator.name}_check.py", python_check(operator)


def _present(directory: Path) -> set[str]:
    """The paths of what lies in the folders of generated files, but for what Python caches there."""
    paths = (path for folder in _FOLDERS for path in (directory / folder).glob("*") if path.suffix in _SUFFIXES)
    return {path.relative_to(directory).as_posix() for path in paths}

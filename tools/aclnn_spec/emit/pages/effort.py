"""What each operator takes, in lines: its spec file, and what is written for it by hand beside that."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping

from aclnn_spec.emit.pages.material import Material
from aclnn_spec.reference import REFERENCES
from aclnn_spec.reference.oracle import ORACLES
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.operator import Operator

_PACKAGE = "tools/aclnn_spec"
_KERNELS = "tools/host/src"


def effort(material: Material) -> Mapping[str, int]:
    """Figures by operator and column, as in `aclnnL1Loss_reference`."""
    return {
        f"{operator.name}_{column}": count
        for operator in material.operators
        for column, count in _columns(material, operator)
    }


def _columns(material: Material, operator: Operator) -> Iterator[tuple[str, int]]:
    name, root = operator.name, material.root
    module = REFERENCES[name].function.__module__.rpartition(".")[2]
    kernels = (path.read_text(encoding="utf-8") for path in sorted((root / _KERNELS).glob("*.c")))
    package = (path.read_text(encoding="utf-8") for path in sorted((root / _PACKAGE).rglob("*.py")))
    yield "spec", _lines(material.text(f"spec/operators/{name}.json"))
    yield "clauses", len(operator.clauses)
    yield "reference", _lines(material.text(f"{_PACKAGE}/reference/{module}.py"))
    if name not in ORACLES:
        raise InputError(f"{name}: found no exact function, expected one in ORACLES")
    yield "oracle", _lines(inspect.getsource(ORACLES[name]))
    yield "kernel", sum(_lines(text) for text in kernels if re.search(rf"\b{name}\(\s*void", text))
    yield "elsewhere", sum(f'"{name}"' in line for text in package for line in text.splitlines())
    yield "cases", len(material.cases[name])


def _lines(text: str) -> int:
    return len(text.splitlines())

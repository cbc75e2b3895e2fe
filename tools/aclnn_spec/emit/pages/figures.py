"""The figures that hand-written pages quote as `{{ figures.cases }}`: each counted from what it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from aclnn_spec.emit.pages.material import Material, gather
from aclnn_spec.implementations.host_library import fault_names
from aclnn_spec.spec.read import load_spec

_MARK = re.compile(r"\{\{ *figures\.(\w+) *\}\}")


def figures(material: Material) -> Mapping[str, int]:
    """Operators, clauses, core cases, errata, faults the host library can be built with, bytes of the core tier."""
    operators = material.operators
    return {
        "operators": len(operators),
        "clauses": sum(len(operator.clauses) for operator in operators),
        "cases": material.count,
        "errata": sum(len(operator.errata) for operator in operators),
        "faults": len(fault_names()),
        "core_bytes": sum(int(entry["bytes"]) for entry in material.files),
    }


def figures_of(root: Path) -> Mapping[str, int]:
    """The figures of the checkout at `root`."""
    return figures(gather(load_spec(root / "spec"), root))


def filled_in(text: str, values: Mapping[str, int]) -> str:
    """The text of a page with its marks replaced; KeyError for a figure that does not exist."""
    return _MARK.sub(lambda mark: f"{values[mark[1]]:,}", text)

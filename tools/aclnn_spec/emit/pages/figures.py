"""The figures that hand-written pages quote as `{{ figures.cases }}`: each counted from what it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from aclnn_spec.certification.conclude import CONFORMANT
from aclnn_spec.emit.pages.material import Material, gather
from aclnn_spec.emit.pages.strength import KILLS, RIGHT
from aclnn_spec.spec.read import load_spec

_MARK = re.compile(r"\{\{ *figures\.(\w+) *\}\}")


def figures(material: Material) -> Mapping[str, int]:
    """Operators, clauses, core cases, errata, bytes of the core; mutants condemned, right implementations passed."""
    operators = material.operators
    return {
        "operators": len(operators),
        "clauses": sum(len(operator.clauses) for operator in operators),
        "cases": material.count,
        "errata": sum(len(operator.errata) for operator in operators),
        "mutants": sum(material.data(f"{KILLS}/{name}.json")["totals"]["condemned"] for name in material.cases),
        "right": sum(row["verdict"] == CONFORMANT for row in material.data(RIGHT)["rows"]),
        "core_bytes": sum(int(entry["bytes"]) for entry in material.files),
    }


def figures_of(root: Path) -> Mapping[str, int]:
    """The figures of the checkout at `root`."""
    return figures(gather(load_spec(root / "spec"), root))


def filled_in(text: str, values: Mapping[str, int]) -> str:
    """The text of a page with its marks replaced; KeyError for a figure that does not exist."""
    return _MARK.sub(lambda mark: f"{values[mark[1]]:,}", text)

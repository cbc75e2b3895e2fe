"""`aclnn-spec list`: the operators that are covered, their clauses, cases and killed mutants in numbers."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from unicodedata import east_asian_width

from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.read import data_root, load_spec

_HEAD = {
    "zh": ("算子", "条款", "用例", "查出的错误实现", "状态", "说明"),
    "en": ("operator", "clauses", "cases", "kills", "status", "title"),
}


def run(given: Namespace) -> int:
    """List."""
    spec = load_spec()
    manifest = read_json(data_root() / "golden" / "core" / "manifest.json")
    try:
        cases = {file["name"].removesuffix(".json"): file["cases"] for file in manifest["files"] if "cases" in file}
    except (KeyError, TypeError, AttributeError):
        raise InputError("golden/core/manifest.json: found no list of files, run aclnn-spec build") from None
    kills = _kills(data_root() / "golden" / "kills.json")
    rows = [_HEAD[given.lang]]
    rows += [
        (
            name,
            str(len(one.clauses)),
            str(cases.get(name, 0)),
            kills.get(name, "–"),
            one.status,
            one.title[given.lang],
        )
        for name, one in spec.operators.items()
    ]
    widths = [max(_width(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [cell + " " * (width - _width(cell)) for cell, width in zip(row, [*widths, 0], strict=True)]
        print("  ".join(cells).rstrip())
    return 0


def _kills(path: Path) -> Mapping[str, str]:
    """Of each operator's mutants that are not equivalent, how many its cases condemn; nothing where it is not told."""
    if not path.is_file():
        return {}
    try:
        found = read_json(path)["kills"]
        return {name: f"{one['condemned']}/{one['mutants'] - one['equivalent']}" for name, one in found.items()}
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"{path}: found no totals by operator, run python -m tests.mutants") from None


def _width(text: str) -> int:
    """Columns in a terminal, where a Chinese character takes two."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)

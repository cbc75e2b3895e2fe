"""`aclnn-spec list`: the operators that are covered, and with how many clauses and cases."""

from __future__ import annotations

from argparse import Namespace
from unicodedata import east_asian_width

from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.read import data_root, load_spec

_HEAD = {"zh": ("算子", "条款", "用例", "状态", "说明"), "en": ("operator", "clauses", "cases", "status", "title")}


def run(given: Namespace) -> int:
    """List."""
    spec = load_spec()
    manifest = read_json(data_root() / "golden" / "core" / "manifest.json")
    try:
        cases = {file["name"].removesuffix(".json"): file["cases"] for file in manifest["files"] if "cases" in file}
    except (KeyError, TypeError, AttributeError):
        raise InputError("golden/core/manifest.json: found no list of files, run aclnn-spec build") from None
    rows = [_HEAD[given.lang]]
    rows += [
        (name, str(len(one.clauses)), str(cases.get(name, 0)), one.status, one.title[given.lang])
        for name, one in spec.operators.items()
    ]
    widths = [max(_width(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        cells = [cell + " " * (width - _width(cell)) for cell, width in zip(row, [*widths, 0], strict=True)]
        print("  ".join(cells).rstrip())
    return 0


def _width(text: str) -> int:
    """Columns in a terminal, where a Chinese character takes two."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)

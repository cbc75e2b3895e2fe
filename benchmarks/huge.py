"""`python -m benchmarks.huge ELEMENTS DIRECTORY`: write a core tier of one case, as large as is asked for."""

from __future__ import annotations

import sys
from pathlib import Path

from aclnn_spec.golden.cases.author import Author, Draft
from aclnn_spec.golden.store import MANIFEST, manifest_bytes, write_part
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.read import load_spec

NAME = "aclnnL1LossBackward"


def main() -> None:
    """Write it."""
    elements, directory = int(sys.argv[1]), Path(sys.argv[2])
    spec = load_spec()
    draft = Draft(
        group="mean",
        what="huge",
        clauses=("mean", "sign"),
        shapes=(elements // 2**10, 2**10),
        reduction="mean",
        reason=Text(zh="只在很大的张量上出现的错误", en="mistakes that only a very large tensor shows"),
    )
    case = Author(operator=spec.operators[NAME]).good(draft)
    files = write_part(directory, spec.operators[NAME], "core", NAME, [case])
    (directory / MANIFEST).write_bytes(manifest_bytes("core", spec.files, files))


if __name__ == "__main__":
    main()

"""What pages are made from: the spec, the golden data and the certificates of a checkout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aclnn_spec.emit.pages.certificate import BUILT_IN
from aclnn_spec.golden.store import MANIFEST
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import Spec

CORE = "golden/core"
CERTIFICATES = "golden/certificates"
DOWNLOADS = "data/core"
"""Where the site has the files of CORE."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """The records of every core case by operator, the manifest's files, and the certificates that are there."""

    spec: Spec
    root: Path
    files: tuple[Mapping[str, Any], ...]
    cases: Mapping[str, tuple[Mapping[str, Any], ...]]
    certificates: Mapping[str, Mapping[str, Any]]
    """By the names of the built-in implementations, in the order of their columns."""

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operators that have golden data."""
        return tuple(self.spec.operator(name) for name in self.cases)

    @property
    def count(self) -> int:
        """How many core cases there are, of all operators."""
        return sum(map(len, self.cases.values()))

    def data(self, path: str) -> Mapping[str, Any]:
        """A JSON file of the repository; InputError if it cannot be read."""
        found: Mapping[str, Any] = read_json(self.root / path)
        return found

    def text(self, path: str) -> str:
        """A file of the repository."""
        return (self.root / path).read_text(encoding="utf-8")


def gather(spec: Spec, root: Path) -> Material:
    """Read what the pages of the checkout at `root` are made from; InputError for golden data that cannot be read."""
    files = tuple(read_json(root / CORE / MANIFEST)["files"])
    parts = [read_json(root / CORE / entry["name"]) for entry in files if entry["name"].endswith(".json")]
    paths = {name: root / CERTIFICATES / f"{name}.json" for name in BUILT_IN}
    return Material(
        spec=spec,
        root=root,
        files=files,
        cases={part["operator"]: tuple(part["cases"]) for part in parts},
        certificates={name: read_json(path) for name, path in paths.items() if path.is_file()},
    )

"""Build a tier of golden data, or compare it with what is on disk."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from filecmp import cmp
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases import parts
from aclnn_spec.golden.expected import reference_of
from aclnn_spec.golden.smoke import LIST, SMOKE, chosen, smoke_cases
from aclnn_spec.golden.store import MANIFEST, Golden, GoldenFile, manifest_bytes, shard_of, write_part
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json, write_atomically
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import Spec, data_root

Progress = Callable[[int, int], None]
"""Told how many parts of how many are done."""

_PLAIN = re.compile(r"[\w-]+\.(json|npz)")


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part still to be made."""

    name: str
    operator: Operator
    make: Callable[[], list[Case]]


def parts_of(spec: Spec, tier: str, shard: str | None = None) -> list[Part]:
    """The parts of a tier, or of its shard `i/n`: every n-th from the i-th on, counted from 1.

    Those of the smoke tier are read from the core tier, which must have been built. InputError if an operator has no
    reference function.
    """
    if tier == SMOKE:
        where = data_root() / "golden" / LIST
        core = Golden(where.parent / "core", spec)
        return [
            Part(name=name, operator=spec.operator(name), make=partial(smoke_cases, core, ids, where))
            for name, ids in chosen(where, spec).items()
        ]
    stable = [operator for operator in spec.operators.values() if operator.status == "stable"]
    for operator in stable:
        reference_of(operator)
    listed = [Part(name=name, operator=one, make=make) for one in stable for name, make in parts(one, tier)]
    return listed if shard is None else list(shard_of(listed, shard))


def build(spec: Spec, tier: str, directory: Path, *, shard: str | None = None, progress: Progress) -> Path:
    """Write a tier, or a shard of it, into a directory; each file whole or not at all, the manifest last.

    Until the manifest is written, readers see the old tier or, by its hashes, that the files are not it. Files of
    the directory that the new manifest does not name are removed if an older one named them.
    """
    directory.mkdir(parents=True, exist_ok=True)
    before = _listed(directory / MANIFEST)
    todo = parts_of(spec, tier, shard)
    files: list[GoldenFile] = []
    for done, part in enumerate(todo):
        progress(done, len(todo))
        files += write_part(directory, part.operator, tier, part.name, part.make())
    manifest = directory / MANIFEST
    with write_atomically(manifest) as file:
        file.write(manifest_bytes(tier, spec.files, files, shard))
    progress(len(todo), len(todo))
    for name in before - {file.name for file in files}:
        (directory / name).unlink(missing_ok=True)
    return manifest


def stale(spec: Spec, tier: str, directory: Path, *, progress: Progress) -> list[str]:
    """The files of a tier that are missing, differ from a fresh build, or belong to none; nothing there is written."""
    with TemporaryDirectory() as temporary:
        fresh = Path(temporary)
        build(spec, tier, fresh, progress=progress)
        names = {path.name for path in fresh.iterdir()}
        names |= {path.name for path in directory.iterdir()} if directory.is_dir() else set()
        return sorted(name for name in names if not _equal(fresh / name, directory / name))


def _equal(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and cmp(one, other, shallow=False)


def _listed(manifest: Path) -> set[str]:
    """The files an existing manifest names, if it can be read at all."""
    try:
        files = read_json(manifest)["files"]
        return {entry["name"] for entry in files if _PLAIN.fullmatch(entry["name"])}
    except (InputError, KeyError, TypeError):
        return set()

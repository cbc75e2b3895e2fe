"""`aclnn-spec build`: write what is generated, or say what is stale."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from aclnn_spec.certification.session import golden_directory
from aclnn_spec.commands.progress import Bar
from aclnn_spec.golden.build import build, parts_of, stale
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import load_spec


def run(given: Namespace) -> int:
    """Build; with --check 1 if something is stale."""
    if given.shard and (given.tier == "core" or given.check):
        raise InputError("--shard: only a build of the full tier is divided")
    spec = load_spec()
    if given.shard and not parts_of(spec, given.tier, given.shard):
        count = len(parts_of(spec, given.tier))
        raise InputError(f"--shard: found {given.shard}, expected at most {count} shares: there are {count} parts")
    directory = Path(given.output) if given.output else golden_directory(given.tier)
    with Bar(f"build {given.tier}") as bar:
        if given.check:
            names = stale(spec, given.tier, directory, progress=bar.show)
        else:
            names = []
            build(spec, given.tier, directory, shard=given.shard, progress=bar.show)
    for name in names:
        print(f"{directory / name}: stale; run aclnn-spec build")
    if not names:
        print(f"{directory}: up to date" if given.check else f"{directory}: written")
    return 1 if names else 0

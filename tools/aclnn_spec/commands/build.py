"""`aclnn-spec build`: write what is generated, or say what is stale."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

import aclnn_spec
from aclnn_spec.certification.session import golden_directory
from aclnn_spec.cli import parser
from aclnn_spec.commands.progress import Bar
from aclnn_spec.emit.files import stale_emitted, write_emitted
from aclnn_spec.emit.pages.site import pages, stale_pages, write_pages
from aclnn_spec.golden.build import build, parts_of, stale
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import Spec, load_spec, tools_root

_DOCS = "docs"


def run(given: Namespace) -> int:
    """Build; with --check 1 if something is stale."""
    if given.shard and (given.tier == "core" or given.check):
        raise InputError("--shard: only a build of the full tier is divided")
    spec = load_spec()
    if given.shard and not parts_of(spec, given.tier, given.shard):
        count = len(parts_of(spec, given.tier))
        raise InputError(f"--shard: found {given.shard}, expected at most {count} shares: there are {count} parts")
    golden = Path(given.output) if given.output else golden_directory(given.tier)
    # The headers and validators belong to the spec and not to a tier: they are built along with the core in its place.
    tools = tools_root() if given.tier == "core" and not given.output else None
    # So do the pages, but only a checkout has them. They are made from the golden data, so that comes first.
    docs = tools.parent / _DOCS if tools and (tools.parent / "pyproject.toml").is_file() else None
    paths: list[Path] = []
    with Bar(f"build {given.tier}") as bar:
        if not given.check:
            if tools:
                write_emitted(spec, tools)
            build(spec, given.tier, golden, shard=given.shard, progress=bar.show)
            if docs:
                write_pages(_pages(spec, docs), docs)
        else:
            paths = [tools / name for name in stale_emitted(spec, tools)] if tools else []
            old = [golden / name for name in stale(spec, given.tier, golden, progress=bar.show)]
            paths += old
            if docs and not old:  # pages of golden data that is stale are so anyway
                paths += [docs / name for name in stale_pages(_pages(spec, docs), docs)]
    for path in paths:
        print(f"{path}: stale; run aclnn-spec build")
    for directory in (tools, golden, docs) if not paths else ():
        if directory:
            print(f"{directory}: up to date" if given.check else f"{directory}: written")
    return 1 if paths else 0


def _pages(spec: Spec, docs: Path) -> Mapping[str, str]:
    names = {name: getattr(aclnn_spec, name) for name in aclnn_spec.__all__}
    return pages(spec, docs.parent, parser(), names)

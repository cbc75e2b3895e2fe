"""`aclnn-spec build`: write what is generated, or say what is stale."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import aclnn_spec
from aclnn_spec.certification.session import golden_directory
from aclnn_spec.cli import parser
from aclnn_spec.commands.progress import Bar
from aclnn_spec.emit.files import stale_emitted, write_emitted
from aclnn_spec.emit.pages.site import pages, stale_pages, write_pages
from aclnn_spec.golden.build import build, parts_of, stale
from aclnn_spec.golden.smoke import SMOKE
from aclnn_spec.golden.store import MANIFEST
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import Spec, load_spec, tools_root

_DOCS = "docs"


def run(given: Namespace) -> int:
    """Build; with --check 1 if something is stale."""
    if given.shard and (given.tier != "full" or given.check):
        raise InputError("--shard: only a build of the full tier is divided")
    spec = load_spec()
    parts = parts_of(spec, given.tier, given.shard)  # what cannot be built is said before anything is written
    if given.shard and not parts:
        count = len(parts_of(spec, given.tier))
        raise InputError(f"--shard: found {given.shard}, expected at most {count} shares: there are {count} parts")
    golden = Path(given.output) if given.output else golden_directory(given.tier)
    # The headers and validators belong to the spec and not to a tier: they are built along with the core in its place,
    # and so is the smoke tier, which is a part of the core.
    whole = given.tier == "core" and not given.output
    tools, smoke = (tools_root(), golden_directory(SMOKE)) if whole else (None, None)
    # So do the pages, but only a checkout has them. They are made from the golden data, so that comes first.
    docs = tools.parent / _DOCS if tools and (tools.parent / "pyproject.toml").is_file() else None
    place = _Place(golden=golden, tools=tools, smoke=smoke, docs=docs)
    with Bar(f"build {given.tier}") as bar:
        stale_ones = list(_stale(spec, given, place, bar)) if given.check else _written(spec, given, place, bar)
    for path in stale_ones:
        print(f"{path}: stale; run aclnn-spec build")
    for directory in (tools, golden, smoke, docs) if not stale_ones else ():
        if directory:
            print(f"{directory}: up to date" if given.check else f"{directory}: written")
    return 1 if stale_ones else 0


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where each kind of generated file belongs, None for what is not built."""

    golden: Path
    tools: Path | None
    smoke: Path | None
    docs: Path | None


def _written(spec: Spec, given: Namespace, place: _Place, bar: Bar) -> list[Path]:
    """Write everything; nothing is stale then."""
    if place.tools:
        write_emitted(spec, place.tools)
    build(spec, given.tier, place.golden, shard=given.shard, progress=bar.show)
    if place.smoke:
        build(spec, SMOKE, place.smoke, progress=bar.show)
    if place.docs:
        write_pages(_pages(spec, place.docs), place.docs)
    return []


def _stale(spec: Spec, given: Namespace, place: _Place, bar: Bar) -> Iterator[Path]:
    """The files that are not as they would be written."""
    if place.tools:
        yield from (place.tools / name for name in stale_emitted(spec, place.tools))
    old = stale(spec, given.tier, place.golden, progress=bar.show)
    yield from (place.golden / name for name in old)
    if place.smoke:  # what was taken from an old core is old
        names = [MANIFEST] if old else stale(spec, SMOKE, place.smoke, progress=bar.show)
        yield from (place.smoke / name for name in names)
    if place.docs and not old:  # pages of golden data that is stale are so anyway
        yield from (place.docs / name for name in stale_pages(_pages(spec, place.docs), place.docs))


def _pages(spec: Spec, docs: Path) -> Mapping[str, str]:
    names = {name: getattr(aclnn_spec, name) for name in aclnn_spec.__all__}
    return pages(spec, docs.parent, parser(), names)

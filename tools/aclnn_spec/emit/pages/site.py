"""All generated pages and the files beside them: what each holds, writing them, and finding what is stale."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from aclnn_spec.emit.pages.benchmarks import RESULT, benchmarks_page
from aclnn_spec.emit.pages.certificate import certificate_pages
from aclnn_spec.emit.pages.data import case_list, cases_page, croissant, data_page
from aclnn_spec.emit.pages.markdown import LANGUAGES, banner
from aclnn_spec.emit.pages.material import CERTIFICATES, CORE, DOWNLOADS, Material, gather
from aclnn_spec.emit.pages.operator import operator_index, operator_page
from aclnn_spec.emit.pages.reference import cli_page, python_page
from aclnn_spec.emit.pages.spec_format import changelog_page, spec_format_page
from aclnn_spec.emit.pages.strength import strength_pages
from aclnn_spec.emit.writing import stale_texts, write_texts
from aclnn_spec.spec.read import Spec

_BANNER = re.compile(rf"(---\n.*?\n---\n)?{re.escape(banner('').partition(' from ')[0])} from ", re.DOTALL)


def pages(spec: Spec, root: Path, parser: ArgumentParser, names: Mapping[str, Any]) -> Mapping[str, str]:
    """The text of every generated file by its path in `docs` of the checkout at `root`.

    `parser` is that of the command line, `names` are the public ones of the package.
    """
    material = gather(spec, root)
    files = {
        f"{DOWNLOADS}/croissant.json": croissant(material),
        **certificate_pages(spec, root / CERTIFICATES, root / CORE),
    }
    for lang in LANGUAGES:
        files[f"assets/cases-{lang}.json"] = case_list(material, lang)
        files |= {f"{lang}/{path}": text for path, text in _pages(material, lang)}
        files[f"{lang}/reference/cli.md"] = cli_page(parser, lang)
        files[f"{lang}/reference/python.md"] = python_page(names, lang)
    return files


def write_pages(files: Mapping[str, str], docs: Path) -> None:
    """Write every file of `pages`, and remove generated pages of an older spec."""
    for name in files:
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
    write_texts({docs / name: text for name, text in files.items()})
    for name in _generated(docs, files) - files.keys():
        (docs / name).unlink()


def stale_pages(files: Mapping[str, str], docs: Path) -> list[str]:
    """The generated files below `docs` that are missing, differ from `files`, or belong to none."""
    return stale_texts(files, docs, _generated(docs, files))


def _pages(material: Material, lang: str) -> Iterator[tuple[str, str]]:
    yield "operators/index.md", operator_index(material, lang)
    for operator in material.operators:
        yield f"operators/{operator.name}.md", operator_page(operator, material, lang)
    yield "data/index.md", data_page(material, lang)
    yield "data/cases.md", cases_page(material, lang)
    yield "contribute/spec-format.md", spec_format_page(material, lang)
    yield "contribute/changelog.md", changelog_page(material, lang)
    yield from strength_pages(material, lang)
    yield "strength/benchmarks.md", benchmarks_page(material.data(RESULT), lang)


def _generated(docs: Path, files: Mapping[str, str]) -> set[str]:
    """The pages that say they are generated, in the folders of those that are."""
    folders = {docs / Path(name).parent for name in files if name.endswith(".md")}
    found = (path for folder in folders for path in folder.glob("*.md"))
    return {
        path.relative_to(docs).as_posix()
        for path in found
        if _BANNER.match(path.read_text(encoding="utf-8", errors="replace"))
    }

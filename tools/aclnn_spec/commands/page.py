"""`aclnn-spec page`: read official pages, and write them."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from aclnn_spec.page.lint import lint
from aclnn_spec.page.lint import report as reports
from aclnn_spec.page.lint.codes import CODES, SEVERITIES
from aclnn_spec.page.lint.report import PageReport
from aclnn_spec.page.lint.silence import Silences, read_silences
from aclnn_spec.page.parse import read_page
from aclnn_spec.page.view import page_data, page_lines
from aclnn_spec.page.vocabulary import vocabulary_from
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import canonical_json
from aclnn_spec.spec.read import load_spec


def run(given: Namespace) -> int:
    """Do what the action says."""
    return _ACTIONS[given.action](given)


def _paths(names: Sequence[str]) -> list[Path]:
    """The files given, and the pages in the folders given; InputError for a folder without any."""
    paths: list[Path] = []
    for name in names:
        path = Path(name)
        if not path.is_dir():
            paths.append(path)
            continue
        inside = sorted(each for each in path.rglob("*.md") if each.name.casefold().startswith("aclnn"))
        if not inside:
            raise InputError(f"{path}: found no aclnn*.md in it, expected pages")
        paths += inside
    return paths


def _show(given: Namespace) -> int:
    vocabulary = vocabulary_from(load_spec().tables)
    faults: list[str] = []
    for path in _paths(given.pages):
        try:
            page = read_page(path, vocabulary)
        except InputError as error:
            faults += error.faults
            continue
        if given.json:
            print(json.dumps(page_data(page), ensure_ascii=False))
        else:
            print("\n".join(page_lines(page, given.lang)))
    return _done(faults, 0)


def _lint(given: Namespace) -> int:
    if given.codes:
        print("\n".join(_codes(given.lang)))
        return 0
    if not given.pages:
        raise InputError("pages: found none, expected at least one PAGE")
    spec = load_spec()
    vocabulary = vocabulary_from(spec.tables)
    silences = read_silences(Path(given.config), spec.schemas) if given.config else Silences()
    found: list[PageReport] = []
    faults: list[str] = []
    for path in _paths(given.pages):
        try:
            page = read_page(path, vocabulary)
        except InputError as error:
            faults += error.faults
            continue
        findings, silenced = silences.sort(page.source.path, lint(page, vocabulary, whole_tree=given.tree))
        found.append(PageReport(source=page.source, findings=findings, silenced=silenced))
    if given.format == "text":
        print("\n".join(reports.text(found, given.lang)))
    elif given.format == "github":
        for line in reports.github(found, given.lang):
            print(line)
    else:
        document = reports.sarif(found, given.lang) if given.format == "sarif" else reports.data(found)
        sys.stdout.write(canonical_json(document).decode())
    limit = len(SEVERITIES) if given.fail_on == "never" else SEVERITIES.index(given.fail_on)
    return _done(faults, int(reports.worst(found) >= limit))


def _codes(lang: str) -> Iterator[str]:
    for code in CODES.values():
        yield f"{code.id}  {code.severity:<7}  {code.name:<22}  {code.message[lang]}"


def _done(faults: list[str], code: int) -> int:
    """The exit code, once all pages are through; InputError if some could not be read."""
    if faults:
        sys.stdout.flush()
        raise InputError(*faults)
    return code


_ACTIONS = {"show": _show, "lint": _lint}

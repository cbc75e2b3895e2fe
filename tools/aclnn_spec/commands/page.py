"""`aclnn-spec page`: read official pages, and write them."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from aclnn_spec.page.draft import draft
from aclnn_spec.page.drift import Change, drift
from aclnn_spec.page.lint import lint
from aclnn_spec.page.lint import report as reports
from aclnn_spec.page.lint.codes import CODES, SEVERITIES
from aclnn_spec.page.lint.report import PageReport
from aclnn_spec.page.lint.silence import Silences, read_silences
from aclnn_spec.page.model import Page
from aclnn_spec.page.parse import read_page
from aclnn_spec.page.render import render
from aclnn_spec.page.view import page_data, page_lines
from aclnn_spec.page.vocabulary import vocabulary_from
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import canonical_json, read_json, write_atomically
from aclnn_spec.spec.read import Schemas, load_spec

DRIFT_SCHEMA = "https://aclnn-spec.dev/schema/page_drift.json"


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


def _import(given: Namespace) -> int:
    spec = load_spec()
    vocabulary = vocabulary_from(spec.tables)
    page = read_page(Path(given.page), vocabulary)
    operator = given.operator
    if operator is None:
        if len(page.operators) != 1:
            found = ", ".join(page.operators) or "none"
            raise InputError(f"{given.page}: found the operators {found}, expected --operator to name one of them")
        [operator] = page.operators
    document = draft(page, operator, vocabulary, given.cann)
    faults = spec.schemas.faults("draft", document, given.page)
    if faults:
        raise InputError(*faults)
    _write(canonical_json(document), given.output)
    return 0


def _drift(given: Namespace) -> int:
    spec = load_spec()
    vocabulary = vocabulary_from(spec.tables)
    operator = spec.operator(given.operator)
    page = read_page(Path(given.page), vocabulary)
    if page.first_phase(operator.name) is None:
        found = ", ".join(page.operators) or "none"
        raise InputError(f"{given.page}: found the operators {found}, expected {operator.name}")
    known = _known(given.known, spec.schemas) if given.known else []
    changes = [each for each in drift(operator, page, vocabulary) if _facts(each) not in known]
    if given.json:
        data = {
            "$schema": DRIFT_SCHEMA,
            "operator": operator.name,
            "page": page.source.path,
            "changes": [_change(page, c) for c in changes],
        }
        sys.stdout.write(canonical_json(data).decode())
        return int(bool(changes))
    words = _DRIFT[given.lang]
    for change in changes:
        place = f"{page.source.path}:{page.source.at(change.line)}"
        facts = [f"{words[side]} {getattr(change, side)}" for side in ("spec", "page") if getattr(change, side)]
        print(f"{place}: {words[change.kind]} {change.where}: {words['comma'].join(facts)}")
    if not changes:
        print(words["none"].format(operator=operator.name))
    return int(bool(changes))


def _change(page: Page, change: Change) -> dict[str, Any]:
    line, column = page.source.place(change.line)
    return {**_facts(change), "line": line, "column": column}


def _facts(change: Change) -> dict[str, Any]:
    """A change without its place, which says nothing from one edition to the next."""
    return {"kind": change.kind, "where": change.where, "spec": change.spec, "page": change.page}


def _known(path: str, schemas: Schemas) -> list[dict[str, Any]]:
    """The changes of an earlier run, as --json wrote them."""
    document = read_json(Path(path))
    faults = schemas.faults("page_drift", document, path)
    if faults:
        raise InputError(*faults)
    return [{key: each[key] for key in ("kind", "where", "spec", "page")} for each in document["changes"]]


def _render(given: Namespace) -> int:
    _write(render(load_spec().operator(given.operator), given.lang).encode(), given.output)
    return 0


def _write(data: bytes, output: str | None) -> None:
    """Write a file, or the standard output if no file is named."""
    if output is None:
        sys.stdout.write(data.decode())
        return
    with write_atomically(Path(output)) as file:
        file.write(data)


_DRIFT = {
    "zh": {
        "added": "新增",
        "removed": "消失",
        "changed": "改变",
        "spec": "规范",
        "page": "页面",
        "comma": "；",
        "none": "页面与 {operator} 的规范一致。",
    },
    "en": {
        "added": "added",
        "removed": "removed",
        "changed": "changed",
        "spec": "spec",
        "page": "page",
        "comma": "; ",
        "none": "The page says what the spec of {operator} says.",
    },
}
_ACTIONS = {"show": _show, "lint": _lint, "import": _import, "drift": _drift, "render": _render}

"""The pages on golden data: its files, how to load them, a table of all cases, and a description of the dataset."""

from __future__ import annotations

import json
import tomllib
from pathlib import PurePath
from typing import Any

from aclnn_spec.emit.pages.markdown import LANGUAGES, code, fence, heading, page, table
from aclnn_spec.emit.pages.material import CORE, Material
from aclnn_spec.emit.pages.operator import OUTCOMES, downloads
from aclnn_spec.emit.pages.words import CASES, DATA, said

_FORMATS = {".json": "application/json", ".npz": "application/zip"}
_LICENCE = "https://spdx.org/licenses/Apache-2.0.html"
_HOME = "https://aclnn-spec.dev/"
"""The namespace of the project's schemas; a publisher's address takes its place where there is one."""

_PYTORCH = """\
import torch
from aclnn_spec import load_golden

for case in load_golden("golden/core/{operator}.npz"):
    for name, value in case.arguments.items():
        if hasattr(value, "array") and value.dtype in ("FLOAT", "FLOAT16"):
            tensor = torch.from_numpy(value.array.copy())
        elif hasattr(value, "array") and value.dtype == "BFLOAT16":
            tensor = torch.from_numpy(value.array.view("int16").copy()).view(torch.bfloat16)
"""
_CPP = """\
// {npz} is a zip without compression: a member's bytes stand in the file as they are.
// local header: 30 bytes, then the name (length at 26), then the extra field (length at 28)
const unsigned char *member = file + offset;
const unsigned char *npy = member + 30 + (member[26] | member[27] << 8) + (member[28] | member[29] << 8);
// .npy 1.0: 10 bytes, then a header of the length at 8; little-endian elements follow
const unsigned char *elements = npy + 10 + (npy[8] | npy[9] << 8);
"""


def data_page(material: Material, lang: str) -> str:
    """The page on the files of the core tier."""

    def word(name: str, **values: object) -> str:
        return said(DATA, name, lang, **values)

    operator = material.operators[0].name
    npz = f"{operator}.npz"
    members = [
        [code("manifest.json"), word("manifest")],
        [code("<operator>.json"), word("records")],
        [code("<operator>.npz"), word("storages")],
    ]
    return page(
        f"{CORE}/manifest.json",
        word("title"),
        [
            word("about", cases=f"{material.count:,}"),
            heading(word("files"), "files"),
            downloads(material, lang),
            word("sums"),
            heading(word("format"), "format"),
            table([word("file"), word("content")], members),
            word("details"),
            heading(word("load"), "load"),
            heading("NumPy", "load-numpy", 3),
            word("numpy"),
            fence(material.text("examples/read_golden.py"), "python"),
            heading("PyTorch", "load-pytorch", 3),
            word("pytorch"),
            fence(_PYTORCH.replace("{operator}", operator), "python"),
            heading("C++", "load-cpp", 3),
            word("cpp"),
            fence(_CPP.replace("{npz}", npz), "cpp"),
            heading(word("description"), "description"),
            word("croissant"),
            heading(word("licence"), "licence"),
            word("licence_text"),
        ],
    )


def cases_page(material: Material, lang: str) -> str:
    """The page with the table of all cases; a script fills it and filters it."""

    def word(name: str) -> str:
        return said(CASES, name, lang)

    columns = ("case", "group", "outcome", "clauses", "hunts")
    head = "".join(f'<th scope="col">{word(name)}</th>' for name in columns)
    fields = "\n".join(
        f'<label>{word(name)} <select data-filter="{name}"><option value="">{word("all")}</option></select></label>'
        for name in ("operator", "group", "clause", "outcome")
    )
    groups: dict[str, dict[str, int]] = {}
    for case in (case for cases in material.cases.values() for case in cases):
        counts = groups.setdefault(case["group"], dict.fromkeys(OUTCOMES, 0))
        counts[case["outcome"]["kind"]] += 1
    rows = [
        [f"[{code(group)}](cases.md?group={group})", *counts.values(), sum(counts.values())]
        for group, counts in groups.items()
    ]
    body = f"""<div class="cases" data-source="../../../assets/cases-{lang}.json"
  data-shown="{word("shown")}" data-failed="{word("failed")}">
<noscript><p>{word("noscript")}</p><style>.cases > :not(noscript) {{ display: none; }}</style></noscript>
<form class="cases-filter" role="search" aria-label="{word("filter")}">
{fields}
<label>{word("text")} <input type="search" data-filter="q" autocomplete="off"></label>
<button type="reset">{word("reset")}</button>
</form>
<p role="status" aria-live="polite"></p>
<div class="cases-table" role="region" tabindex="0" aria-label="{word("title")}">
<table class="cases-all"><thead><tr>{head}</tr></thead><tbody></tbody></table>
</div>
<button type="button" class="cases-more" hidden>{word("more")}</button>
</div>
<script src="../../../assets/cases.js" defer></script>
<style>
.cases-filter {{ display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; }}
.cases-filter label {{ display: grid; font-size: .65rem; }}
.cases select, .cases input, .cases button {{ font: inherit; color: inherit; border: 1px solid currentColor;
  border-radius: .1rem; padding: .2rem .4rem; background: var(--md-default-bg-color); max-width: 80vw; }}
.cases button {{ cursor: pointer; }}
.cases-table {{ overflow-x: auto; }}
.cases-all {{ font-size: .62rem; border-collapse: collapse; }}
.cases-all td, .cases-all th {{ text-align: start; vertical-align: top; padding: .25rem .5rem;
  border-bottom: 1px solid #8886; }}
.cases-all td:first-child, .cases-all td:last-child {{ min-width: 14rem; overflow-wrap: anywhere; }}
.cases-all td:not(:first-child) code {{ white-space: nowrap; word-break: normal; }}
.cases-filter input, .cases-filter button {{ font-size: .65rem; }}
</style>"""
    return page(
        f"{CORE}",
        word("title"),
        [
            word("about"),
            heading(word("groups"), "groups"),
            table([word("group"), *map(code, OUTCOMES), word("total")], rows),
            heading(word("table"), "cases"),
            body,
        ],
        wide=True,
    )


def case_list(material: Material, lang: str) -> str:
    """What the table of cases is filled from: a list of [id, group, outcome, clauses, reason]."""
    rows = [
        [case["id"], case["group"], case["outcome"]["kind"], case["clauses"], case["reason"][lang]]
        for cases in material.cases.values()
        for case in cases
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    return f"[\n{lines}\n]\n"


def croissant(material: Material) -> str:
    """The description of the core tier in MLCommons' Croissant 1.0; paths are relative to where it lies."""
    version = tomllib.loads(material.text("pyproject.toml"))["project"]["version"]
    names = ", ".join(material.cases)
    document: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "aclnn-spec-golden-core",
        "description": f"Golden data of aclnn operators, core tier: {material.count} cases of {names} with arguments, "
        "expected results, accepted status codes and tolerances.",
        "license": _LICENCE,
        "url": _HOME,
        "version": version,
        "creator": {"@type": "sc:Organization", "name": "The aclnn-spec authors"},
        "inLanguage": list(LANGUAGES),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": entry["name"],
                "name": entry["name"],
                "contentUrl": entry["name"],
                "contentSize": f"{entry['bytes']} B",
                "encodingFormat": _FORMATS[PurePath(entry["name"]).suffix],
                "sha256": entry["sha256"],
            }
            for entry in material.files
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}

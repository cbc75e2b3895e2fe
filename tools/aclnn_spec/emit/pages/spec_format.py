"""The pages for contributors that are made from files of the repository: the spec's format, and the changelog."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from aclnn_spec.emit.pages.markdown import code, codes, heading, page, prose, table
from aclnn_spec.emit.pages.material import Material
from aclnn_spec.emit.pages.words import FORMAT, said

_README = "spec/README.md"
_HALVES = "\n---\n"
"""What parts the README's English from its Chinese."""
_LANGUAGES = re.compile(r"^.*(\*\*English\*\*|\*\*中文\*\*).*\n", re.MULTILINE)
_BLANKS = re.compile(r"\n{3,}")
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_CHINESE_CHANGELOG = Path(__file__).parent / "changelog.zh.md"
_PLACES = ("files", "operator-file", "clauses", "next")


def spec_format_page(material: Material, lang: str) -> str:
    """The README of the spec in one language, and the keys of an operator file as its schema has them."""
    english, chinese = material.text(_README).split(_HALVES)
    _, _, body = _LANGUAGES.sub("", chinese if lang == "zh" else english).strip().partition("\n")
    anchors = iter(_PLACES)
    body = _SECTION.sub(lambda found: heading(found[1], next(anchors)), _BLANKS.sub("\n\n", body.strip()))
    document = material.spec.schemas.documents["operator"]
    objects = {"operator": document} | {
        name: one for name, one in document["$defs"].items() if one.get("type") == "object"
    }
    tables = [block for name, one in objects.items() for block in _keys(name, one, lang)]
    head, keys, about = (said(FORMAT, name, lang) for name in ("readme", "keys", "about"))
    blocks = [head, body, heading(keys, "keys"), about, *tables]
    return page("spec/README.md, spec/schema/operator.json", said(FORMAT, "title", lang), blocks)


def changelog_page(material: Material, lang: str) -> str:
    """The changelog."""
    if lang == "zh":
        text, source = _CHINESE_CHANGELOG.read_text(encoding="utf-8"), "emit/pages/changelog.zh.md"
    else:
        text, source = material.text("CHANGELOG.md"), "CHANGELOG.md"
    title, _, body = text.strip().partition("\n")
    release = ""

    def anchored(found: re.Match[str]) -> str:
        nonlocal release
        level, name = len(found[1]), found[2]
        if level == 2:  # noqa: PLR2004  # the level of a release
            release = re.sub(r"[^\d.]", "", name.split("-")[0]).replace(".", "-")
        count = len(seen)
        seen.append(name)
        return heading(name, f"v{release}" if level == 2 else f"v{release}-{count}", level)  # noqa: PLR2004

    seen: list[str] = []
    body = re.sub(r"^(##+) (.+)$", anchored, body.strip(), flags=re.MULTILINE)
    return page(source, title.removeprefix("# "), [body])


def _keys(name: str, schema: Mapping[str, Any], lang: str) -> Iterator[str]:
    yield heading(code(name), f"schema-{name.replace('_', '-')}", 3)
    required = schema.get("required", ())
    rows = [
        [code(key), _kind(value), said(FORMAT, "yes" if key in required else "no", lang)]
        for key, value in schema.get("properties", {}).items()
    ]
    yield table([said(FORMAT, column, lang) for column in ("key", "value", "required")], rows)


def _kind(schema: Mapping[str, Any]) -> str:
    """What a value may be, in the schema's own words."""
    if "$ref" in schema:
        return code(schema["$ref"].rpartition("/")[2].removesuffix(".json"))
    if "const" in schema:
        return code(schema["const"] if isinstance(schema["const"], str) else json.dumps(schema["const"]))
    if "enum" in schema:
        return codes(schema["enum"], " / ")
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " / ".join(_kind(one) for one in schema[key])
    if schema.get("type") == "array":
        return f"[ {_kind(schema['items'])} ]" if "items" in schema else code("array")
    pattern = f" {prose(schema['pattern'])}" if "pattern" in schema else ""
    shown = f" <code>{pattern.strip()}</code>" if pattern else ""
    return code(schema.get("type", "object")) + shown

"""What generated pages say beside the texts of the spec, in both languages: the contents of `words.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.model import Text

Words = Mapping[str, Text]


def said(words: Words, name: str, lang: str, **values: object) -> str:
    """A text in a language, its `{names}` filled in."""
    text = words[name][lang]
    return text.format(**values) if values else text


_SECTIONS = read_json(Path(__file__).with_suffix(".json"))


def _section(name: str) -> Words:
    return MappingProxyType({key: Text(zh=pair["zh"], en=pair["en"]) for key, pair in _SECTIONS[name].items()})


OPERATOR, DOWNLOAD, DATA, CASES, FORMAT, REFERENCE, STRENGTH, BENCHMARKS = map(
    _section, ("operator", "download", "data", "cases", "format", "reference", "strength", "benchmarks")
)

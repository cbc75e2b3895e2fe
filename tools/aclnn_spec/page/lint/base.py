"""A finding, and what a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from aclnn_spec.page.lint.codes import CODES, Code
from aclnn_spec.page.model import Page
from aclnn_spec.page.vocabulary import Vocabulary
from aclnn_spec.spec.model import Text


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A defect of a page at a line; `fields` fill the code's message, each a word or a Text."""

    code: Code
    line: int
    fields: Mapping[str, str | Text]

    def message(self, lang: str) -> str:
        """What is wrong, in words."""
        fields = {name: each[lang] if isinstance(each, Text) else each for name, each in self.fields.items()}
        return self.code.message[lang].format(**fields)


Rule = Callable[[Page, Vocabulary], Iterator[Finding]]


def finding(code: str, line: int, /, **fields: str | int | Text) -> Finding:
    """A finding of this code."""
    texts = {name: str(each) if isinstance(each, int) else each for name, each in fields.items()}
    return Finding(code=CODES[code], line=line, fields=texts)

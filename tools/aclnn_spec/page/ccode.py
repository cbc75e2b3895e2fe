"""C and C++ in a page: the prototypes it declares, and the calls and headers of its examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from aclnn_spec.page.model import Call, CParameter, Include, Prototype

_COMMENT_OR_STRING = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_FUNCTION = re.compile(r"\b(?P<name>aclnn[A-Za-z]\w*)\s{0,80}\(", re.ASCII)
_BEFORE = re.compile(r"(?P<word>[\w*&>]*)(?P<gap>\s*)$", re.ASCII)
_NAME_LAST = re.compile(r"^(?P<type>.*?[\s*&])(?P<name>[A-Za-z_]\w*)\s*(?P<array>\[[^\]]*\])?$", re.DOTALL | re.ASCII)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](?P<path>[^>\"\n]+)[>\"]", re.MULTILINE)
_MOST_MENTIONS = 1000
_LONGEST_CALL = 8000
_FAR = 200
_OPEN, _CLOSE = "([{", ")]}"
_NO_TYPE = frozenset({"return", "else", "case", "co_return", "co_await", "throw", "do"})


@dataclass(frozen=True, kw_only=True)
class _Mention:
    name: str
    declared: bool
    arguments: tuple[tuple[str, int], ...]
    """Each argument's text, and the offset at which it begins."""
    offset: int


def prototypes(code: str, line: int) -> list[Prototype]:
    """The aclnn functions that some C text declares; `line` is the line of its first one."""
    return [_prototype(each, code, line) for each in _mentions(code) if each.declared]


def calls(code: str, line: int) -> list[Call]:
    """The calls of aclnn functions in some C text."""
    return [
        Call(
            name=each.name,
            arguments=tuple(" ".join(text.split()) for text, _ in each.arguments),
            line=line + code.count("\n", 0, each.offset),
        )
        for each in _mentions(code)
        if not each.declared
    ]


def includes(code: str, line: int) -> list[Include]:
    """The headers that some C text includes, those in comments left out."""
    bare = _COMMENT_OR_STRING.sub(lambda found: found[0] if found[0][0] == '"' else _spaces(found[0]), code)
    return [Include(path=m["path"], line=line + bare.count("\n", 0, m.start("path"))) for m in _INCLUDE.finditer(bare)]


def c_type_of(text: str) -> str:
    """A C type in one spelling: single blanks, none before a star."""
    return re.sub(r"\s*([*&])\s*", r"\1", " ".join(text.split()))


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _mentions(code: str) -> Iterator[_Mention]:
    bare = _COMMENT_OR_STRING.sub(lambda found: _spaces(found[0]), code)
    for found in islice(_FUNCTION.finditer(bare), _MOST_MENTIONS):
        end = _closing(bare, found.end() - 1)
        if end is None:
            continue
        lead = _BEFORE.search(bare[max(0, found.start() - _FAR) : found.start()])
        before = lead["word"].lstrip("*&>") if lead else ""
        word = lead and before and lead["gap"] and not before[0].isdigit() and before not in _NO_TYPE
        arguments = tuple(_split(code, bare, found.end(), end))
        declared = bool(word) and all(
            _NAME_LAST.match(bare[at : at + len(text)].strip()) for text, at in arguments if text != "void"
        )
        yield _Mention(name=found["name"], declared=declared, arguments=arguments, offset=found.start("name"))


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for i in range(start, min(len(text), start + _LONGEST_CALL)):
        if text[i] in _OPEN:
            depth += 1
        elif text[i] in _CLOSE:
            depth -= 1
            if depth == 0:
                return i
    return None


def _split(code: str, bare: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    """The pieces between the commas that no bracket encloses."""
    depth, begin = 0, start
    for i in range(start, end + 1):
        if i == end or (bare[i] == "," and depth == 0):
            if i < end or bare[begin:end].strip() or begin > start:
                lead = len(bare[begin:i]) - len(bare[begin:i].lstrip())
                yield _COMMENT_OR_STRING.sub(_keep_string, code[begin + lead : i]).rstrip(), begin + lead
            begin = i + 1
        elif bare[i] in _OPEN:
            depth += 1
        elif bare[i] in _CLOSE:
            depth -= 1


def _keep_string(found: re.Match[str]) -> str:
    return found[0] if found[0][0] in "\"'" else " "


def _prototype(mention: _Mention, code: str, line: int) -> Prototype:
    parameters = []
    for text, at in mention.arguments:
        found = _NAME_LAST.match(text.partition("=")[0].strip())
        if found is None:  # `void`
            continue
        c_type = c_type_of(found["type"]) + ("*" if found["array"] else "")
        where = line + code.count("\n", 0, at)
        parameters.append(CParameter(name=found["name"], c_type=c_type, line=where))
    return Prototype(name=mention.name, parameters=tuple(parameters), line=line + code.count("\n", 0, mention.offset))

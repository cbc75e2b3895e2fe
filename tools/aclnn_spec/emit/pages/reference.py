"""The reference pages: the command line from its parser, and Python from the public names' own docstrings."""

from __future__ import annotations

import inspect
from argparse import SUPPRESS, Action, ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aclnn_spec.emit.pages.markdown import code, codes, fence, heading, page, prose, table
from aclnn_spec.emit.pages.words import REFERENCE, said
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json

_PATH = Path(__file__).parent / "reference.zh.json"
_CHINESE: Mapping[str, str] = MappingProxyType(read_json(_PATH))
_LANG = "lang"
"""The argument whose default is the user's language and not the same everywhere."""


def cli_page(parser: ArgumentParser, lang: str) -> str:
    """Every command with its arguments."""
    blocks = [said(REFERENCE, "about_cli", lang), *_command(parser, (), lang)]
    return page("tools/aclnn_spec/cli.py", said(REFERENCE, "cli", lang), blocks)


def python_page(names: Mapping[str, Any], lang: str) -> str:
    """Every public name with its signature, what it is for, and its members."""
    blocks = [said(REFERENCE, "about_python", lang)]
    for name, value in names.items():
        blocks += _public(name, value, lang)
    return page("tools/aclnn_spec/__init__.py", said(REFERENCE, "python", lang), blocks)


def translated(text: str, lang: str) -> str:
    """A text of the program in a language; InputError for one that has no Chinese yet."""
    if lang == "en":
        return text
    if text not in _CHINESE:
        raise InputError(f"{_PATH.name}: found no Chinese for {text!r}, expected one for every text of the reference")
    return _CHINESE[text]


def _command(parser: ArgumentParser, helps: tuple[str, ...], lang: str) -> Iterator[str]:
    """The blocks of a parser and of those below it."""
    actions = [action for action in parser._actions if action.help != SUPPRESS and action.dest != "help"]  # noqa: SLF001
    below = next((action for action in actions if isinstance(action.choices, dict)), None)
    if helps:
        name = parser.prog.removeprefix("aclnn-spec ")
        yield heading(code(parser.prog), f"cli-{name.replace(' ', '-')}")
        stop = "。" if lang == "zh" else "."
        yield from (f"{text[:1].upper()}{text[1:]}{stop}" for text in (_help(each, lang) for each in helps if each))
    rows = [_row(action, lang) for action in actions if action is not below and action.dest != "version"]
    if rows:
        columns = [said(REFERENCE, name, lang) for name in ("argument", "meaning", "choices", "default")]
        yield table(columns, rows)
    if below is not None:
        said_of = {choice.dest: choice.help for choice in below._choices_actions}  # type: ignore[attr-defined]  # noqa: SLF001
        for name, one in below.choices.items():  # type: ignore[union-attr]
            yield from _command(one, (said_of[name] or "",), lang)


def _help(text: str, lang: str) -> str:
    """A help text as Markdown; the Chinese already is."""
    return prose(text) if lang == "en" else translated(text, lang)


def _row(action: Action, lang: str) -> list[str]:
    name = code(action.metavar or action.dest)
    if action.option_strings:
        takes = f" {action.metavar}" if action.metavar else ""
        name = codes(f"{option}{takes}" for option in action.option_strings)
    meaning = _help(action.help, lang) if action.help else "—"
    choices = codes(action.choices) if action.choices else "—"
    plain = isinstance(action.default, str | int) and not isinstance(action.default, bool) and action.dest != _LANG
    return [name, meaning, choices, code(action.default) if plain else "—"]


def _public(name: str, value: Any, lang: str) -> Iterator[str]:
    yield heading(code(name), f"python-{name.lower().replace('_', '-')}")
    signature = _signature(value)
    if signature is not None:
        yield fence(f"{name}{signature}", "python")
    yield from _told(value, lang)
    rows = []
    for member, given in sorted(vars(value).items()) if inspect.isclass(value) else ():
        function = given.fget if isinstance(given, property) else getattr(given, "__func__", given)
        if not member.startswith("_") and inspect.isfunction(function):
            shown = member if isinstance(given, property) else f"{member}{_signature(function, bound=True)}"
            rows.append([code(shown), ("" if lang == "zh" else " ").join(_told(function, lang)).replace("\n", " ")])
    if rows:
        yield table([said(REFERENCE, each, lang) for each in ("member", "meaning")], rows)


def _told(value: Any, lang: str) -> Iterator[str]:
    """The paragraphs of a docstring, each of them looked up as it stands, its lines joined."""
    for paragraph in (inspect.getdoc(value) or "").split("\n\n"):
        yield translated(" ".join(paragraph.split()), lang).replace("|", "\\|")


def _signature(value: Any, *, bound: bool = False) -> str | None:
    """A signature in the words of the source, or nothing for what nobody calls."""
    if getattr(value, "_is_protocol", False):
        return None
    signature = inspect.signature(value)
    parameters = list(signature.parameters.values())[1 if bound else 0 :]
    shown = []
    for i, one in enumerate(parameters):
        first_keyword = one.kind is one.KEYWORD_ONLY and (not i or parameters[i - 1].kind is not one.KEYWORD_ONLY)
        shown += ["*"] if first_keyword else []
        star = "*" if one.kind is one.VAR_POSITIONAL else ""
        kind = "" if one.annotation is one.empty else f": {_annotation(one.annotation)}"
        default = "" if one.default is one.empty else f" = {one.default!r}"
        shown.append(f"{star}{one.name}{kind}{default}")
    result = signature.return_annotation
    gives = "" if result in {signature.empty, None, "None"} else f" -> {_annotation(result)}"
    line = f"({', '.join(shown)}){gives}"
    if bound or len(line) <= 60:  # noqa: PLR2004  # what a phone shows of a line
        return line
    return "(\n" + "".join(f"    {each},\n" for each in shown) + f"){gives}"


def _annotation(annotation: Any) -> str:
    """A type as the source has it; where it was evaluated, without its module's name."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return " | ".join(each.rpartition(".")[2] if "[" not in each else each for each in text.split(" | "))

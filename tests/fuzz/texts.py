"""Spoil JSON documents: in what they say, in how it is spelt, and byte by byte."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from .tape import Tape

_MARK = "\x01"
_SPELLINGS = (
    "NaN",
    "-Infinity",
    "1e999",
    "-0",
    "2.0",
    "1E400",
    "9" * 39,
    "-" + "9" * 5000,
    "1." + "0" * 5000,
    "[" * 300 + "]" * 300,
    "[" * 60_000,
    '{"a":' * 900 + "1" + "}" * 900,
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '{"a": 1, "a": 1}',
    "01",
    "tru",
    "'x'",
    "",
)
"""JSON and near-JSON that no Python object is written as."""

_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    7,
    2**31,
    2**32,
    2**59,
    2**63,
    -(2**63) - 1,
    2**64,
    10**39,
    0.5,
    -0.0,
    1e308,
    5e-324,
    "",
    "x",
    "../x",
    "a" * 10_000,
    "\U0001f600",
    "[" * 50,
    "*" * 60,
    "a\nb",
    "(a+)+$",
    [],
    {},
    [[]],
    [None],
    [0] * 1000,
    {"x": 1},
    {"zh": "", "en": ""},
)


def mutated(document: bytes, tape: Tape) -> bytes:
    """A pickled document with up to four changes, as the bytes of a JSON file."""
    holder = [pickle.loads(document)]  # noqa: S301  # our own; a copy by pickle is the quickest
    spelt: dict[str, str] = {}
    for _ in range(tape.pick((1, 1, 1, 2, 3, 4))):
        owner, key = _place(holder, tape)
        tape.pick(_CHANGES)(owner, key, holder, tape, spelt)
    text = json.dumps(holder[0], ensure_ascii=tape.once_in(2))
    for mark, spelling in spelt.items():
        text = text.replace(json.dumps(mark), spelling)
    data = text.encode(errors="surrogatepass")
    return spoilt(data, tape) if tape.once_in(12) else data


def spoilt(data: bytes, tape: Tape) -> bytes:
    """Bytes with one thing wrong that any file can have."""
    at = tape.below(len(data) + 1)
    end = at + 1 + tape.below(40)
    before, middle, after = data[:at], data[at:end], data[end:]
    spoils: tuple[Callable[[], bytes], ...] = (
        lambda: before + bytes([tape.below(256)]) + data[at + 1 :],
        lambda: before + after,
        lambda: before + bytes([tape.below(256)]) * (end - at) + data[at:],
        lambda: before,
        lambda: b"\xef\xbb\xbf" + data,
        lambda: data.decode(errors="replace").encode("utf-16", errors="replace"),
        lambda: data + middle,
        lambda: before + b"\x00" + data[at:],
        lambda: before + middle * 50 + after,
        lambda: data[at:] + before,
    )
    return tape.pick(spoils)()


def _place(holder: list[Any], tape: Tape) -> tuple[Any, Any]:
    """An object or list within the document, and a key of it; the way down stops now and then."""
    owner: Any = holder
    key: Any = 0
    while isinstance(owner[key], dict | list) and owner[key] and not tape.once_in(6):
        owner = owner[key]
        key = tape.pick(list(owner)) if isinstance(owner, dict) else tape.below(len(owner))
    return owner, key


def _put(owner: Any, key: Any, value: Any) -> None:
    owner[key] = value


def _drop(owner: Any, key: Any, holder: list[Any], _tape: Tape, _spelt: dict[str, str]) -> None:
    if owner is not holder:
        del owner[key]


def _replace(owner: Any, key: Any, _holder: list[Any], tape: Tape, _spelt: dict[str, str]) -> None:
    _put(owner, key, deepcopy(tape.pick(_VALUES)))


def _spell(owner: Any, key: Any, _holder: list[Any], tape: Tape, spelt: dict[str, str]) -> None:
    mark = f"{_MARK}{len(spelt)}"
    spelt[mark] = tape.pick(_SPELLINGS)
    _put(owner, key, mark)


def _retype(owner: Any, key: Any, _holder: list[Any], tape: Tape, _spelt: dict[str, str]) -> None:
    value = owner[key]
    wrapped = ([value], {"x": value}, str(value)[:2000], [value] * 3, bool(value), float(len(str(value))))
    _put(owner, key, tape.pick(wrapped))


def _nudge(owner: Any, key: Any, _holder: list[Any], tape: Tape, _spelt: dict[str, str]) -> None:
    value = owner[key]
    if isinstance(value, bool) or value is None:
        _put(owner, key, not value)
    elif isinstance(value, int | float):
        _put(owner, key, tape.pick((value + 1, value - 1, -value, value * 2, value * 2**32, value + 0.5, float(value))))
    elif isinstance(value, str):
        _put(owner, key, tape.pick((value + "x", value[:-1], value.swapcase(), value * 2, f" {value}", value[::-1])))
    elif isinstance(value, list):
        value.reverse()


def _steal(owner: Any, key: Any, holder: list[Any], tape: Tape, _spelt: dict[str, str]) -> None:
    other, place = _place(holder, tape)
    _put(owner, key, pickle.loads(pickle.dumps(other[place])))  # noqa: S301  # no cycle comes of a copy


def _swap(owner: Any, key: Any, holder: list[Any], tape: Tape, spelt: dict[str, str]) -> None:
    """Put what stands under the same name elsewhere: of the right type, and yet not what belongs here."""
    named = list(_named(holder, key)) if isinstance(key, str) else []
    if named:
        _put(owner, key, pickle.loads(pickle.dumps(tape.pick(named))))  # noqa: S301  # likewise
    else:
        _nudge(owner, key, holder, tape, spelt)


def _named(node: Any, key: str) -> Iterator[Any]:
    for name, value in node.items() if isinstance(node, dict) else enumerate(node):
        if name == key:
            yield value
        if isinstance(value, dict | list):
            yield from _named(value, key)


def _rename(owner: Any, key: Any, holder: list[Any], tape: Tape, spelt: dict[str, str]) -> None:
    if not isinstance(owner, dict):
        _steal(owner, key, holder, tape, spelt)
        return
    other, place = _place(holder, tape)
    name = place if isinstance(other, dict) else tape.pick(("", "x", "__class__", "\U0001f600", "a" * 5000))
    owner[name] = owner.pop(key)


def _twice(owner: Any, key: Any, _holder: list[Any], tape: Tape, spelt: dict[str, str]) -> None:
    if isinstance(owner, dict):
        mark = f"{_MARK}{len(spelt)}"
        spelt[mark] = json.dumps(key)
        owner[mark] = owner[key]
    else:
        owner[key:key] = [owner[key]] * tape.pick((1, 1, 1, 2, 9, 300))


_CHANGES: tuple[Callable[[Any, Any, list[Any], Tape, dict[str, str]], None], ...] = (
    _drop,
    _replace,
    _replace,
    _spell,
    _retype,
    _nudge,
    _nudge,
    _nudge,
    _swap,
    _swap,
    _swap,
    _swap,
    _steal,
    _rename,
    _twice,
)

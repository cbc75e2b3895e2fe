"""Files that are never half written, JSON with one spelling, and a JSON reader that says what is wrong and where."""

import hashlib
import json
import math
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from aclnn_spec.spec.errors import InputError

_INDENT = "  "
_MAX_DIGITS = 40  # no integer of 64 bits, and no honest float, needs more


@contextmanager
def write_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the path's place when the block ends; if the block raises, nothing changes.

    The folder must exist. Only the end of the process itself (a kill, a power cut) can leave the temporary
    file, a hidden `.….tmp` in the same folder, and even then the path holds the old or the new file, whole.
    """
    target, temporary = _places(path)
    try:
        with temporary.open("xb") as file:
            yield file
            _settle(file)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def replace_all(writers: Mapping[Path, Callable[[BinaryIO], object]]) -> None:
    """Write each file by its writer, and put them in place only when every one is complete on the disk.

    If a writer raises, no path has changed and no temporary file is left. The replacing itself is one rename
    per file: should one of those fail, the files before it are new and the others old.
    """
    places = {path: _places(path) for path in writers}
    try:
        for path, write in writers.items():
            with places[path][1].open("xb") as file:
                write(file)
                _settle(file)
        for target, temporary in places.values():
            temporary.replace(target)
    finally:
        for _, temporary in places.values():
            temporary.unlink(missing_ok=True)


def sha256(path: Path) -> str:
    """Give the SHA-256 of the file's bytes in lower-case hexadecimal; InputError if it cannot be read."""
    with _reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def canonical_json(value: object) -> bytes:
    """Give the one spelling of the value: UTF-8, 2 spaces of indent, keys in their own order, a final newline.

    A list without lists or objects in it stands on one line, so that shapes read well. -0.0 keeps its sign.
    Raises ValueError for NaN and infinities, TypeError for what JSON cannot hold.
    """
    return f"{_text(value, '')}\n".encode()


def read_json(path: Path) -> Any:
    """Read a JSON file; InputError for one that is missing, not UTF-8, not JSON, or not safe to pass on.

    Not safe are what Python's reader lets through: repeated keys, NaN and infinities (numbers too large for a
    float included), lone surrogates; and nesting or numbers beyond the interpreter's limits.
    """

    def fail(found: str, expected: str) -> NoReturn:
        raise InputError(f"{path}: found {found}, expected {expected}")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
            fail(f"the key {key!r} more than once in one object", "distinct keys")
        return members

    def whole(literal: str) -> int:
        if len(literal) > _MAX_DIGITS:
            fail(f"an integer of {len(literal)} digits", f"at most {_MAX_DIGITS}")
        return int(literal)

    def finite(literal: str) -> float:
        value = float(literal)
        if not math.isfinite(value):
            fail(f"the number {literal[:_MAX_DIGITS]}", "a finite one")
        return value

    with _reading(path):
        data = path.read_bytes()
    try:
        text = data.decode()
        value = json.loads(
            text, object_pairs_hook=unique, parse_int=whole, parse_float=finite, parse_constant=finite
        )
        if "\\ud" in text.lower():  # only an escape can smuggle in half a character
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        place = f"{path}: line {error.lineno}, column {error.colno}"
        raise InputError(f"{place}: found no JSON ({error.msg}), expected JSON") from None
    except UnicodeDecodeError as error:
        fail(f"the byte {data[error.start]:#04x} at {error.start}", "UTF-8")
    except UnicodeEncodeError:
        fail("a lone surrogate in a string", "whole characters")
    except RecursionError:
        fail("lists and objects nested too deep", "a handful of levels")
    return value


def _places(path: Path) -> tuple[Path, Path]:
    """Give the file that the path stands for (a link's target) and a new temporary name beside it."""
    target = Path(os.path.realpath(path))
    return target, target.with_name(f".{secrets.token_hex(8)}.tmp")


def _settle(file: BinaryIO) -> None:
    """Bring everything written so far onto the disk."""
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn the system's refusal to read the path into an InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: found {error.strerror or error}, expected a readable file") from None


def _text(value: object, indent: str) -> str:
    """Spell a value whose first line stands behind `indent`."""
    inner = indent + _INDENT
    if isinstance(value, Mapping):
        lines = [f"{inner}{_key(key)}: {_text(item, inner)}" for key, item in value.items()]
        return "{}" if not lines else "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list | tuple) and any(isinstance(item, Mapping | list | tuple) for item in value):
        lines = [inner + _text(item, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _key(key: object) -> str:
    """Spell an object's key, which must be a string: json.dumps would make strings of numbers in silence."""
    if not isinstance(key, str):
        raise TypeError(f"found the key {key!r}, expected a string")
    return json.dumps(key, ensure_ascii=False)

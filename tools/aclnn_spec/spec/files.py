"""Files that are never half written, JSON in one spelling, and a reader that says what is wrong in it."""

import hashlib
import json
import math
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from aclnn_spec.spec.errors import InputError

_INDENT = "  "
_MAX_DIGITS = 40  # twice what 64 bits need


@contextmanager
def write_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the path's place when the block ends; if the block raises, nothing changes.

    The folder must exist. Only the end of the process itself (a kill, a power cut) can leave the temporary
    file, a hidden `.….tmp` in the same folder, and even then the path holds the old or the new file, whole.
    """
    target, temporary = _places(path)
    try:
        with _naming(target), temporary.open("xb") as file:
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
            with _naming(path), places[path][1].open("xb") as file:
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


def canonical_json(value: object, depth: int = 100) -> bytes:
    """Give the one spelling of the value: UTF-8, 2 spaces of indent, keys in their own order, a final newline.

    A list without lists or objects in it stands on one line, so that shapes read well, and so does everything that
    lies `depth` levels deep. -0.0 keeps its sign. Raises ValueError for NaN and infinities, TypeError for what JSON
    cannot hold.
    """
    return f"{_text(value, '', depth)}\n".encode()


def read_json(path: Path) -> Any:
    """Read a JSON file; InputError for one that is missing, not UTF-8, not JSON, or not safe to pass on.

    Not safe are what Python's reader lets through: repeated keys, NaN and infinities (numbers too large for
    a float included), lone surrogates; and integers or nesting beyond reason.
    """
    return parse_json(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """Read a whole file; InputError if it cannot be read."""
    with _reading(path):
        return path.read_bytes()


def parse_json(data: bytes, where: str | Path) -> Any:
    """Read JSON held in memory as read_json does; `where` (a path, say) begins the error message."""
    try:
        return _parse(data.decode())
    except UnicodeDecodeError as error:
        fault = f": found the byte {data[error.start]:#04x} at {error.start}, expected UTF-8"
    except UnicodeEncodeError:
        fault = ": found half a surrogate pair in a string, expected whole characters"
    except RecursionError:
        fault = ": found lists or objects nested too deep, expected a handful of levels"
    except json.JSONDecodeError as error:
        fault = f": line {error.lineno}, column {error.colno}: found no JSON ({error.msg}), expected JSON"
    except InputError as error:
        fault = f": {error}"
    raise InputError(f"{where}{fault}")


def _parse(text: str) -> Any:
    """Parse JSON; the errors are those that read_json turns into its own."""
    value = json.loads(text, object_pairs_hook=_unique, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    if "\\ud" in text.lower():  # only an escape can smuggle in half a character
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its members, none of them repeated."""
    members = dict(pairs)
    if len(members) < len(pairs):
        [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise InputError(f"found the key {key!r} more than once in one object, expected distinct keys")
    return members


def _whole(literal: str) -> int:
    """Make an integer of its digits, unless there are more than anything here can mean."""
    if len(literal) > _MAX_DIGITS:
        raise InputError(f"found an integer of {len(literal)} digits, expected at most {_MAX_DIGITS}")
    return int(literal)


def _finite(literal: str) -> float:
    """Make a float of its digits, or of NaN and Infinity, which are then refused."""
    value = float(literal)
    if not math.isfinite(value):
        raise InputError(f"found the number {literal[:_MAX_DIGITS]}, expected a finite one")
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
def _naming(path: Path) -> Iterator[None]:
    """Give an error that names no file, as that of a full disk does, the path's name."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn the system's refusal to read the path into an InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: found {error.strerror or error}, expected a readable file") from None


def _text(value: object, indent: str, depth: int) -> str:
    """Spell a value whose first line stands behind `indent`."""
    inner, below = indent + _INDENT, depth - 1
    if isinstance(value, Mapping):
        pairs = [f"{_key(key)}: {_text(item, inner, below)}" for key, item in value.items()]
        if depth <= 0 or not pairs:
            return "{" + ", ".join(pairs) + "}"
        return "{\n" + ",\n".join(inner + pair for pair in pairs) + f"\n{indent}}}"
    if isinstance(value, list | tuple) and any(isinstance(item, Mapping | list | tuple) for item in value):
        items = [_text(item, inner, below) for item in value]
        if depth <= 0:
            return "[" + ", ".join(items) + "]"
        return "[\n" + ",\n".join(inner + item for item in items) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _key(key: object) -> str:
    """Spell an object's key, which must be a string: json.dumps would make strings of numbers in silence."""
    if not isinstance(key, str):
        raise TypeError(f"found the key {key!r}, expected a string")
    return json.dumps(key, ensure_ascii=False)

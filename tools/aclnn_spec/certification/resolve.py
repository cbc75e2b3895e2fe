"""From the text a user typed to an implementation: registered names, modules and files."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any
from urllib.parse import quote, unquote

from aclnn_spec.certification.implementation import MEMBERS, Implementation, check_implementation, last_line
from aclnn_spec.spec.errors import InputError

GROUP = "aclnn_spec.implementations"
"""The entry points under which packages register implementations."""


def registered() -> tuple[str, ...]:
    """The names that installed packages have registered, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def resolve(text: str, extra: Mapping[str, Any] = MappingProxyType({})) -> Implementation:
    """Find an implementation by `name`, `name:argument`, `module:attribute` or `path/to/file.py:attribute`.

    A name is one of `extra` or of the entry points; the argument is handed to what makes the implementation, by
    keyword where it is `key=value&…` (percent-encoded; a repeated key gives a tuple). The current directory counts as
    a place of modules. InputError says in one line what went wrong.
    """
    name, colon, argument = text.partition(":")
    if name in extra:
        return _made(extra[name], text, argument if colon else None)
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if points:
        try:
            factory = points[0].load()
        except (Exception, SystemExit) as error:
            raise InputError(f"{text}: {points[0].value} cannot be loaded: {last_line(error)}") from error
        return _made(factory, text, argument if colon else None)
    place, colon, attribute = text.rpartition(":")
    if not colon or not place or not attribute:
        names = ", ".join(dict.fromkeys((*extra, *registered())))
        raise InputError(
            f"implementation: found {text!r}, expected one of {names or '(none is registered)'}, "
            "module:attribute or path/to/file.py:attribute"
        )
    module = _from_file(Path(place), text) if place.endswith(".py") else _from_module(place, text)
    try:
        found: Any = module
        for part in attribute.split("."):
            found = getattr(found, part)
    except AttributeError:
        public = ", ".join(key for key in vars(module) if not key.startswith("_"))
        raise InputError(f"{text}: {place} has no attribute {attribute!r}, expected one of {public}") from None
    return _made(found, text, None)


def with_settings(
    text: str, *, device: str | None = None, libraries: Sequence[str] = (), extra: Collection[str] = ()
) -> str:
    """The text that names an implementation together with what the options of their own say."""
    settings = [("device", device)] if device is not None else []
    settings += [("library", library) for library in libraries]
    if not settings:
        return text
    name, _, argument = text.partition(":")
    if name not in (*extra, *registered()) or (argument and "=" not in argument):
        option = settings[0][0]
        raise InputError(f"--{option}: found it with {text!r}, expected the plain name of a registered implementation")
    pairs = [f"{key}={quote(value, safe='/', errors='surrogateescape')}" for key, value in settings]
    return f"{name}:{'&'.join([argument, *pairs] if argument else pairs)}"


def _settings(argument: str | None) -> tuple[tuple[str, ...], dict[str, str | tuple[str, ...]]]:
    """The positional and the keyword arguments that an argument stands for."""
    if argument is None:
        return (), {}
    if "=" not in argument:
        return (argument,), {}
    found: dict[str, list[str]] = {}
    for pair in argument.split("&"):
        key, _, value = pair.partition("=")
        found.setdefault(key, []).append(unquote(value, errors="surrogateescape"))
    return (), {key: values[0] if len(values) == 1 else tuple(values) for key, values in found.items()}


def _made(found: Any, where: str, argument: str | None) -> Implementation:
    """Make an implementation of what was found: itself, an instance of the class, or what the function gives."""
    finished = not isinstance(found, type) and all(hasattr(found, member) for member in MEMBERS)
    if finished and argument is None:
        return check_implementation(found, where)
    if finished or not callable(found):
        if argument is not None:
            raise InputError(f"{where}: found an argument {argument!r}, expected none: it is made already")
        return check_implementation(found, where)
    given, keywords = _settings(argument)
    try:
        inspect.signature(found).bind(*given, **keywords)
    except TypeError as error:
        name = getattr(found, "__name__", repr(found))
        shown = "no argument for" if argument is None else f"{argument!r} for"
        raise InputError(f"{where}: found {shown} {name}, which has another signature: {error}") from None
    except ValueError:  # a builtin without a signature: the call itself will tell
        pass
    try:
        made = found(*given, **keywords)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"{where}: cannot be made: {last_line(error)}") from error
    return check_implementation(made, where)


def _from_module(name: str, where: str) -> ModuleType:
    _search(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise InputError(f"{where}: found no module {error.name!r}, in {Path.cwd()} or installed") from None
        raise InputError(f"{where}: importing {name} failed: {last_line(error)}") from error
    except (Exception, SystemExit) as error:
        raise InputError(f"{where}: importing {name} failed: {last_line(error)}") from error


def _from_file(path: Path, where: str) -> ModuleType:
    if not path.is_file():
        raise InputError(f"{where}: found no file {path}, expected a Python file")
    path = path.resolve()
    _search(path.parent)
    name = f"_aclnn_spec_{path.stem}_{abs(hash(path)):x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{where}: {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses of the file look themselves up there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError(f"{where}: running {path.name} failed: {last_line(error)}") from error
    return module


def _search(directory: Path) -> None:
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))

"""Writing generated texts all or none, and finding those that are stale; what they hold is others' business."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO

from aclnn_spec.spec.files import replace_all


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write every text into its file, in UTF-8; the files hold all of the old or all of the new."""
    replace_all({path: partial(_write, text) for path, text in texts.items()})


def stale_texts(texts: Mapping[str, str], directory: Path, present: set[str]) -> list[str]:
    """The names below the directory that are missing, differ from their text, or are present without one."""
    names = texts.keys() | present
    return sorted(name for name in names if name not in texts or not _holds(directory / name, texts[name]))


def _write(text: str, file: BinaryIO) -> None:
    file.write(text.encode())


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()

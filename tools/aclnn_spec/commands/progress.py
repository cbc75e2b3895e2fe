"""A progress bar on a terminal's standard error; anywhere else it is silent."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import Self

_WIDTH = 30
_SECONDS = 0.1


class Bar:
    """A bar with a title, wiped away at the end of its block."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._shown = 0.0
        self._visible = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._visible:
            sys.stderr.write("\r\x1b[K")

    def show(self, done: int, total: int) -> None:
        """Show how many of how many are done."""
        now = monotonic()
        if not self._visible or (now - self._shown < _SECONDS and done != total):
            return
        self._shown = now
        filled = _WIDTH * done // max(total, 1)
        sys.stderr.write(f"\r{self._title} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}\x1b[K")
        sys.stderr.flush()

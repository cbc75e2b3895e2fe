"""`python -m tests.fuzz.guided READER [-runs=N …]`: let atheris choose the inputs by what of the package they reach.

Needs `pip install atheris`; what follows the reader's name is libFuzzer's. The bytes it makes are the numbers of a
tape, so that its inputs are spoilt documents, too.
"""

from __future__ import annotations

import sys
from typing import Any

import atheris

with atheris.instrument_imports(include=["aclnn_spec"]):
    from .readers import Reader, readers

from .run import SECONDS, limited
from .tape import LENGTH, Tape

_WIDTH = 4


def _check(reader: Reader, data: bytes) -> None:
    numbers = [int.from_bytes(data[i : i + _WIDTH], "little") for i in range(0, len(data), _WIDTH)]
    with limited(SECONDS):
        reader.accepts(reader.make(Tape(numbers)))


def main() -> None:
    """Run until libFuzzer ends the process; a fault is its crash."""
    _, name, *options = sys.argv
    with readers() as all_of_them:
        reader: Any = all_of_them[name]
        atheris.Setup([sys.argv[0], f"-max_len={LENGTH * _WIDTH}", *options], lambda data: _check(reader, data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()

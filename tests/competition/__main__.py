"""`python -m tests.competition`: put the wrong and the right ones before all judges and write the table."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from aclnn_spec.spec.files import canonical_json, read_json, write_atomically

from .field import measure_right, measure_wrong, right, wrong
from .table import TABLE, document, lines

OFTEN = 50
"""After so many mutants a line tells how far it is."""


def main() -> int:
    """Give 0 if the table is written, or, with `--check`, if it says what was measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.competition", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; the table must say the same")
    parser.add_argument("-n", type=int, default=1, metavar="WORKERS", help="processes to work in")
    given = parser.parse_args()
    with ProcessPoolExecutor(given.n, mp_context=get_context("spawn")) as pool:
        good = list(pool.map(measure_right, right()))
        bad = []
        for each in pool.map(measure_wrong, wrong()):
            bad.append(each)
            if not len(bad) % OFTEN:
                say(f"{len(bad)} of {len(wrong())}")
    table = document(bad, good)
    say("\n".join(lines(table)))
    if given.check:
        return int(table != read_json(TABLE))
    with write_atomically(TABLE) as file:
        file.write(canonical_json(table))
    return 0


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())

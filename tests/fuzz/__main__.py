"""`python -m tests.fuzz`: give every reader many spoilt inputs, each reader in a process with little memory.

Exits with 1 if an input ended in anything but an answer or a refusal, took too long or too much memory; it is printed
with its seed, and `--reader NAME --seed SEED` gives it again.
"""

from __future__ import annotations

import argparse
import sys
import time

from .readers import readers
from .run import Tally, apart


def main() -> int:
    """Run, print a line for each reader, give the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--inputs", type=int, default=100_000, help="how many, of all readers together")
    parser.add_argument("--reader", action="append", default=[], metavar="NAME", help="only this one")
    parser.add_argument("--seed", metavar="SEED", help="where to begin; or a seed that was printed, for its one input")
    given = parser.parse_args()
    with readers() as all_of_them:
        shares = {name: one.share for name, one in all_of_them.items()}
    chosen = {name: share for name, share in shares.items() if name in (given.reader or shares)}
    if not chosen:
        parser.error(f"--reader: found {given.reader}, expected one of {', '.join(shares)}")
    seed = given.seed or str(time.time_ns())
    _say(f"seed {seed}")
    _say(f"{'reader':15}{'inputs':>9}{'accepted':>10}{'faults':>8}{'mean':>10}{'slowest':>11}{'memory':>11}")
    bad = 0
    for name, share in chosen.items():
        number = max(1, round(given.inputs * share / sum(chosen.values())))
        tally, faults = apart(name, seed, number)
        _say(_line(name, tally, len(faults)))
        for each in faults:
            _say(f"  --reader {name!r} --seed {each.seed}: {str(each.given)[:300]}\n{each.told}")
        bad += len(faults)
    return 1 if bad else 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _line(name: str, tally: Tally, faults: int) -> str:
    mean = tally.seconds / max(tally.inputs, 1)
    return (
        f"{name:15}{tally.inputs:9}{tally.accepted:10}{faults:8}{mean * 1e3:7.1f} ms"
        f"{tally.slowest * 1e3:8.0f} ms{tally.mebibytes:7.0f} MiB"
    )


if __name__ == "__main__":
    sys.exit(main())

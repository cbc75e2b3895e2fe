"""`python -m tests.right`: certify the right implementations and write the table, or hold the table against them."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from aclnn_spec.spec.files import canonical_json, read_json, write_atomically

from . import RIGHT
from .table import TABLE, digest, document, rows


def main() -> int:
    """Give 0 if all is well, 1 if an implementation is condemned, misunderstood, or not as the table says."""
    parser = argparse.ArgumentParser(prog="python -m tests.right", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="certify these alone (or OPERATOR, or OPERATOR/NAME), and write nothing",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; the table must say the same")
    parser.add_argument("-n", type=int, default=1, metavar="WORKERS", help="processes to work in")
    given = parser.parse_args()
    called = {one.key: {one.name, one.operator, one.key} for one in RIGHT}
    known = set().union(*called.values())
    for name in given.names:
        if name not in known:
            parser.error(f"NAME: found {name!r}, expected NAME, OPERATOR or OPERATOR/NAME of a row of {TABLE.name}")
    chosen = [one for one in RIGHT if not given.names or called[one.key] & {*given.names}]
    made, bad = [], 0
    for each in rows(chosen, given.n, say):
        made.append(each)
        bad += bool(each["faults"])
        say(f"{key_of(each)}: {each['verdict']}, {each['passed']} passed")
        for line in each["faults"]:
            say(f"    {line}")
    if given.names or bad:
        return int(bool(bad) or not made)
    if given.check:
        return int(differs(document(made)))
    with write_atomically(TABLE) as file:
        file.write(canonical_json(document(made)))
    return 0


def differs(new: dict[str, Any]) -> bool:
    """Say what of the committed table does not hold; rows that could not be made here are not looked at."""
    old = read_json(TABLE)
    known = {key_of(each): each for each in old["rows"]}
    # The versions of libraries are those of the machine at hand.
    wrong = [
        key_of(each) for each in new["rows"] if {**known.get(key_of(each), {}), "version": 0} != {**each, "version": 0}
    ]
    if old["digest"] != digest():
        wrong.append("digest")
    for name in wrong:
        say(f"{TABLE.name}: {name} is not what the table says; python -m tests.right writes it anew")
    return bool(wrong)


def key_of(row: dict[str, Any]) -> str:
    """What the implementation of a row is called."""
    return f"{row['operator']}/{row['name']}"


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())

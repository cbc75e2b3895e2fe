"""`python -m tests.mutants`: measure the cases, and write the kill tables and the list of the smoke tier.

`--only PREFIX` runs some mutants and writes nothing: it says of each what condemns it.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from time import process_time

from aclnn_spec.golden.build import build
from aclnn_spec.golden.smoke import LIST, SMOKE, listed
from aclnn_spec.golden.store import Golden
from aclnn_spec.reference import REFERENCES
from aclnn_spec.spec.read import Spec, data_root, load_spec

from .families import mutants
from .run import Bench
from .table import LackingError, lacks, measured, write


def _show(done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {total} mutants" + ("\n" if done == total else ""))


def _benches(spec: Spec) -> list[Bench]:
    golden = Golden(data_root() / "golden" / "core", spec)
    stable = [operator for operator in spec.operators.values() if operator.status == "stable"]
    return [Bench(operator, golden.cases()) for operator in stable if operator.name in REFERENCES]


def _look(benches: list[Bench], prefixes: list[str]) -> int:
    wrong = 0
    for bench in benches:
        for mutant in mutants(bench.operator):
            if mutant.id.startswith(tuple(prefixes)):
                outcome = bench.run(mutant)
                found = lacks(outcome)
                wrong += len(found)
                said = found[0] if found else f"{mutant.id}: {', '.join(outcome.groups) or 'equivalent'}"
                sys.stdout.write(f"{said}\n")
    return min(wrong, 1)


def main() -> int:
    """Measure; 1 if a mutant survives."""
    parser = ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="PREFIX", help="only these mutants, by id")
    given = parser.parse_args()
    spec = load_spec()
    benches = _benches(spec)
    if given.only:
        return _look(benches, given.only)
    chosen: dict[str, tuple[str, ...]] = {}
    try:
        for bench in benches:
            table, smoke = measured(bench, mutants(bench.operator), _show)
            write(table)
            chosen[bench.operator.name] = tuple(smoke)
            sys.stdout.write(f"{bench.operator.name}: {table['totals']}, {process_time():.0f} s\n")
    except LackingError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    golden = data_root() / "golden"
    (golden / LIST).write_bytes(listed(chosen))
    build(spec, SMOKE, golden / SMOKE, progress=lambda _, __: None)
    return 0


if __name__ == "__main__":
    sys.exit(main())

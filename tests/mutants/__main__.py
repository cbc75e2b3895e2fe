"""`python -m tests.mutants`: measure the cases, and write the kill tables and the list of the smoke tier.

`--operator NAME` measures some operators and leaves what is known of the others as it is.
`--only PREFIX` runs some mutants and writes nothing: it says of each what condemns it.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from aclnn_spec.golden.build import build
from aclnn_spec.golden.smoke import LIST, SMOKE, chosen, listed
from aclnn_spec.reference import REFERENCES
from aclnn_spec.spec.read import data_root, load_spec

from .families import mutants
from .table import LackingError, bench_of, lacks, measured, write


def _look(names: list[str], prefixes: list[str]) -> int:
    wrong = 0
    for bench in map(bench_of, names):
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
    spec = load_spec()
    parser.add_argument("--operator", action="append", default=[], choices=[*spec.operators], help="only this operator")
    parser.add_argument("-n", type=int, default=1, metavar="WORKERS", help="operators to measure at a time")
    given = parser.parse_args()
    stable = [name for name, operator in spec.operators.items() if operator.status == "stable" and name in REFERENCES]
    names = [name for name in stable if not given.operator or name in given.operator]
    if given.only:
        return _look(names, given.only)
    golden = data_root() / "golden"
    known = chosen(golden / LIST, spec) if given.operator and (golden / LIST).is_file() else {}
    smoke: dict[str, tuple[str, ...]] = {}
    try:
        with ProcessPoolExecutor(given.n, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
            for name, (table, ids) in zip(names, pool.map(measured, names), strict=True):
                write(table)
                smoke[name] = tuple(ids)
                sys.stdout.write(f"{name}: {table['totals']}\n")
                sys.stdout.flush()
    except LackingError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    both = {**known, **smoke}
    (golden / LIST).write_bytes(listed({name: both[name] for name in spec.operators if name in both}))
    build(spec, SMOKE, golden / SMOKE, progress=lambda _, __: None)
    return 0


if __name__ == "__main__":
    sys.exit(main())

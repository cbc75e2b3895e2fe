"""`python -m benchmarks`: print one table of ratios; `--output DIR` keeps it as JSON, with plots of cost against size.

Everything is measured against a peer by turns in the same run, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from . import arithmetic, judging, runs, validation
from .plot import svg
from .row import Row, table
from .words import WHY, ZH

SIZES = (2**12, 2**18, 2**24, 2**27)


def main() -> None:
    """Measure, print, and write what is to be kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, few repeats, a share of the full tier")
    parser.add_argument("--only", action="append", default=[], metavar="PART", help=", ".join(_parts(quick=True)))
    parser.add_argument("--output", type=Path, metavar="DIR", help="write result.json, cost.en.svg and cost.zh.svg")
    given = parser.parse_args()
    started, rows = time.gmtime(), []
    print(", ".join(f"{name} {value}" for name, value in machine().items()), flush=True)
    for name, part in _parts(quick=given.quick).items():
        if given.only and name not in given.only:
            continue
        made = list(part())
        rows += made
        print("\n".join(table(made)), flush=True)
    if given.output:
        given.output.mkdir(parents=True, exist_ok=True)
        kept = {
            "generated_by": "python -m benchmarks --output benchmarks/result",
            "date": time.strftime("%Y-%m-%d", started),
            "machine": machine(),
            "quick": given.quick,
            "zh": dict(ZH),
            "why": {name: {"zh": zh, "en": en} for name, (zh, en) in WHY.items()},
            "rows": [{name: value for name, value in asdict(row).items() if value not in (None, "")} for row in rows],
        }
        text = json.dumps(kept, indent=1, ensure_ascii=False)
        (given.output / "result.json").write_text(f"{text}\n", encoding="utf-8")
        for lang in ("en", "zh"):
            (given.output / f"cost.{lang}.svg").write_text(svg(rows, lang), encoding="utf-8")


def _parts(*, quick: bool) -> dict[str, partial[Iterator[Row]]]:
    sizes, seconds = (SIZES[:2], 0.3) if quick else (SIZES, 4.0)
    return {
        "validation": partial(validation.rows, quick=quick),
        "reference": partial(arithmetic.rows, sizes=sizes, seconds=seconds),
        "judge": partial(judging.rows, sizes=sizes, seconds=seconds),
        "core": partial(runs.core, repeats=1 if quick else 5),
        "full": partial(runs.full, quick=quick),
        "huge": partial(runs.huge, elements=2**20 if quick else 2**27),
    }


def machine() -> dict[str, str]:
    """Where this runs."""
    model = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line for line in info.read_text(encoding="utf-8").splitlines() if line.startswith("model name")]
        model = names[0].partition(": ")[2] if names else model
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    versions = {name: _version(name) for name in ("numpy", "torch", "jsonschema", "pytest")}
    return {
        "processor": f"{os.cpu_count()} x {model}",
        "memory": f"{pages / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        **{name: version for name, version in versions.items() if version},
    }


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


if __name__ == "__main__":
    main()

"""Validate a good call by the spec's rules and by the checks generated from them, against jsonschema."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from jsonschema import Draft202012Validator

from aclnn_spec.spec.model import TensorDesc
from aclnn_spec.spec.read import load_spec, tools_root

from .row import Row
from .timing import by_turns

OPERATOR = "aclnnL1LossBackward"
SHAPE = (2, 3)
PART = "One good call validated"
PEER = "jsonschema, same document"
RUNS = 7

# The pointers and the number are volatile, so that the compiler cannot know that every round checks the same call.
PROGRAM = """
#include <stdio.h>
#include <time.h>
#include "aclnn_spec/aclnnL1LossBackward_check.h"

int main(void) {
  enum { RUNS = %(runs)d, NUMBER = 2000000 };
  const int64_t shape[] = {2, 3};
  const aclnn_spec_tensor tensors[] = {{0, 2, 2, shape}, {0, 2, 2, shape}, {0, 2, 2, shape}, {0, 2, 2, shape}};
  const aclnn_spec_tensor *volatile a = &tensors[0], *volatile b = &tensors[1], *volatile c = &tensors[2],
                          *volatile d = &tensors[3];
  volatile int64_t reduction = 1;
  double best = 1e9;
  for (int run = 0; run < RUNS; run++) {
    const clock_t start = clock();
    uint64_t broken = 0;
    for (int i = 0; i < NUMBER; i++)
      broken |= aclnnL1LossBackward_check(a, b, c, reduction, d, shape, shape).broken;
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC / NUMBER;
    if (broken) return 1;
    if (seconds < best) best = seconds;
  }
  printf("%%.12f", best);
  return 0;
}
"""


def rows(*, quick: bool) -> Iterator[Row]:
    """The interpreter of the rules, the generated Python module, the generated C header."""
    operator = load_spec().operator(OPERATOR)
    names = [p.name for p in operator.parameters]
    call = {name: 1 if name == "reduction" else TensorDesc(dtype="FLOAT", shape=SHAPE) for name in names}
    plain = {"dtype": "FLOAT", "shape": list(SHAPE), "format": "ND"}
    document = {name: 1 if name == "reduction" else plain for name in names}
    validator, check = Draft202012Validator(document_schema(OPERATOR)), standalone()
    if operator.validate(call).broken or not validator.is_valid(document) or check(**call)[0]:
        raise SystemExit("the call is meant to be good")
    seconds = 0.3 if quick else 2.0

    def peer() -> list[object]:
        return list(validator.iter_errors(document))

    peer_seconds = 0.0
    for what, ours in (
        ("operator.validate", lambda: operator.validate(call)),
        ("the generated Python module", lambda: check(**call)),
    ):
        pair = by_turns(ours, peer, seconds=seconds, least=7)
        peer_seconds = pair.theirs
        yield Row(part=PART, what=what, peer=PEER, seconds=pair.ours, peer_seconds=pair.theirs, ratio=pair.ratio)
    in_c = seconds_in_c()
    yield Row(
        part=PART,
        what="the generated C header",
        peer=PEER,
        seconds=in_c,
        peer_seconds=peer_seconds,
        ratio=in_c and in_c / peer_seconds,
        skipped="" if in_c else "found no C compiler",
    )


def document_schema(name: str) -> dict[str, object]:
    """What a schema alone can say of a call: the parameters, their types, ranks and values."""
    operator = load_spec().operator(name)
    tensor = {
        "type": "object",
        "properties": {
            "dtype": {"enum": [str(dtype) for dtype in operator.inputs[0].dtypes]},
            "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": 8},
            "format": {"enum": ["ND"]},
        },
        "required": ["dtype", "shape", "format"],
        "additionalProperties": False,
    }
    kinds = {p.name: tensor if p.kind == "tensor" else {"enum": list(p.values.values())} for p in operator.parameters}
    return {"type": "object", "properties": kinds, "required": list(kinds), "additionalProperties": False}


def seconds_in_c() -> float | None:
    """The same of the C check, in a loop of a C program; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    with TemporaryDirectory() as directory:
        source, program = Path(directory, "check.c"), Path(directory, "check")
        source.write_text(PROGRAM % {"runs": RUNS}, encoding="utf-8")
        include = tools_root() / "host" / "include"
        subprocess.run([compiler, "-std=c11", "-O2", "-I", include, "-o", program, source], check=True)  # noqa: S603
        return float(subprocess.check_output([program]))  # noqa: S603


def standalone() -> Callable[..., tuple[int, tuple[str, ...]]]:
    """The generated Python module's check."""
    path = tools_root() / "validators" / f"{OPERATOR}_check.py"
    found = importlib.util.spec_from_file_location("standalone_check", path)
    if found is None or found.loader is None:
        raise SystemExit(f"{path}: no module")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    check: Callable[..., tuple[int, tuple[str, ...]]] = module.check
    return check

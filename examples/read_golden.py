"""Golden data without this package, by NumPy and json alone: python examples/read_golden.py [CASE ID]."""

import json
import sys
from pathlib import Path

import numpy as np

FILES = Path(__file__).parents[1] / "golden" / "core" / "aclnnL1LossBackward"
PAGE_EXAMPLE = "aclnnL1LossBackward/basic/FLOAT-2x2-mean-page-example"


def values(storage, desc):
    """Give a tensor's view of its storage; strides and offset count elements."""
    shape, size = desc["shape"], storage.itemsize
    rows = [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]  # strides left out are those of a dense tensor
    strides = [stride * size for stride in desc.get("strides", rows)]
    view = np.lib.stride_tricks.as_strided(storage[desc.get("offset", 0) :], shape, strides)
    if desc["dtype"] == "BFLOAT16":  # held as its 16 bits, the upper half of a FLOAT's
        return (view.astype(np.uint32) << 16).view(np.float32)
    return view


def main(case_id=PAGE_EXAMPLE):
    """Print a case."""
    cases = json.loads(FILES.with_suffix(".json").read_text(encoding="utf-8"))["cases"]
    case = next((one for one in cases if one["id"] == case_id), None)
    if case is None:
        sys.exit(f"found no case {case_id!r}")
    print(f"{case_id}: {case['reason']['en']}")
    with np.load(FILES.with_suffix(".npz"), allow_pickle=False) as storages:
        for name, argument in case["arguments"].items():
            if f"{case_id}/{name}" in storages:
                print(f"{name} {argument['dtype']} {values(storages[f'{case_id}/{name}'], argument).tolist()}")
            else:
                print(f"{name} {argument}")
        if "expected" in case:
            desc = {key: case["arguments"]["gradInput"][key] for key in ("dtype", "shape")} | case["expected"]
            print(f"expected {desc['dtype']} {values(storages[f'{case_id}/expected'], desc).tolist()}")


main(*sys.argv[1:2])

"""One case with NumPy alone."""

import json

import numpy as np

CASE = "aclnnL1LossBackward/basic/FLOAT-2x2-mean-page-example"

with open("golden/core/aclnnL1LossBackward.json", encoding="utf-8") as file:
    cases = {case["id"]: case for case in json.load(file)["cases"]}
with np.load("golden/core/aclnnL1LossBackward.npz") as arrays:
    for name in ("gradOutput", "self", "target"):
        print(name, arrays[f"{CASE}/{name}"].reshape(cases[CASE]["arguments"][name]["shape"]))
    print("expected", arrays[f"{CASE}/expected"])

"""Every case of one group with PyTorch: views, strides and bfloat16 included."""

import torch

import aclnn_spec

VIEWS = {"BFLOAT16": torch.bfloat16}  # held as 16 bits, which torch takes for what they are


def to_torch(tensor):
    """Give the tensor's view of its storage."""
    bits = tensor.storage.view("int16") if tensor.dtype in VIEWS else tensor.storage
    storage = torch.from_numpy(bits.copy())
    if tensor.dtype in VIEWS:
        storage = storage.view(VIEWS[tensor.dtype])
    return storage.as_strided(tensor.shape, tensor.strides, tensor.offset)


for case in aclnn_spec.load_golden("golden/core/aclnnL1LossBackward.json"):
    if case.group == "mean":
        print(case.id, {name: to_torch(case.arguments[name]).dtype for name in ("gradOutput", "self", "target")})

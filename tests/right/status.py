"""Right implementations that differ in phase 1: what they refuse, what they check first, what workspace they need."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from aclnn_spec.spec.model import Text

from .base import INVALID, Call, Kernel

INNER_NULLPTR = 561103
RUNTIME_ERROR = 361001
REFUSED = ("ACLNN_ERR_PARAM_INVALID",)
TO_THE_LETTER: Mapping[str, int] = {
    "rank_0": INVALID,
    "integer_mix": INVALID,
    "wide_output": INVALID,
    "other_formats": INVALID,
    "aliasing": INVALID,
}
"""What the page's parameter table does not list."""


def scratch(call: Call) -> int:
    """Ask for a double to an element, and 16 MiB more."""
    return 2**24 + 8 * prod(call.shape)


STATUS = (
    Kernel(
        name="refuses-rank-0",
        text=Text(zh="拒绝 0 维张量", en="refuses tensors of rank 0"),
        shows={"rank_0": REFUSED},
        refuses={"rank_0": INVALID},
    ),
    Kernel(
        name="refuses-integers",
        text=Text(zh="拒绝整数与浮点混用", en="refuses integers mixed with floats"),
        shows={"integer_mix": REFUSED},
        refuses={"integer_mix": INVALID},
    ),
    Kernel(
        name="refuses-wide-outputs",
        text=Text(zh="拒绝 DOUBLE 和复数输出", en="refuses outputs of DOUBLE and complex types"),
        shows={"wide_output": REFUSED},
        refuses={"wide_output": INVALID},
    ),
    Kernel(
        name="wide-outputs-561103",
        text=Text(
            zh="对 DOUBLE 和复数输出返回 561103，与开源 host 代码相同",
            en="answers 561103 to outputs of DOUBLE and complex types, as the open host code does",
        ),
        shows={"wide_output": ("ACLNN_ERR_INNER_NULLPTR",)},
        refuses={"wide_output": INNER_NULLPTR},
    ),
    Kernel(
        name="refuses-formats",
        text=Text(zh="拒绝 ND 以外的格式", en="refuses formats other than ND"),
        shows={"other_formats": REFUSED},
        refuses={"other_formats": INVALID},
    ),
    Kernel(
        name="refuses-aliasing",
        text=Text(
            zh="gradInput 与输入共用内存时返回 361001", en="answers 361001 where gradInput shares memory with an input"
        ),
        shows={"aliasing": ("ACLNN_ERR_RUNTIME_ERROR",)},
        refuses={"aliasing": RUNTIME_ERROR},
    ),
    Kernel(
        name="to-the-letter",
        text=Text(
            zh="照参数表办事：表中没有的一律拒绝",
            en="goes by the page's parameter table and refuses all it does not list",
        ),
        shows=dict.fromkeys(TO_THE_LETTER, REFUSED),
        refuses=TO_THE_LETTER,
    ),
    Kernel(
        name="without-bfloat16",
        text=Text(
            zh="在 Atlas 训练系列上拒绝 BFLOAT16", en="runs on the Atlas training series and refuses BFLOAT16 there"
        ),
        shows={"bfloat16_products": REFUSED},
        product="atlas_training",
        refuses={"bfloat16_products": INVALID},
    ),
    Kernel(
        name="with-bfloat16",
        text=Text(
            zh="在 Atlas 训练系列上接受 BFLOAT16", en="runs on the Atlas training series and takes BFLOAT16 there"
        ),
        shows={"bfloat16_products": ("value",)},
        product="atlas_training",
    ),
    Kernel(
        name="last-fault",
        text=Text(
            zh="多处出错时报告最后一处，而非第一处", en="reports the last of several faults instead of the first"
        ),
        last_fault=True,
    ),
    Kernel(
        name="workspace",
        text=Text(zh="需要 workspace", en="needs a workspace"),
        workspace=scratch,
    ),
)

"""Mutants that no case can condemn, each with the argument that nothing it does is wrong.

By the mutant's id; those made from the source by function and expression, since line numbers move.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aclnn_spec.spec.model import Text

_COPY = Text(zh="copy 只决定是否复制内存，值不变。", en="copy decides whether memory is copied; the values are the same.")
_NAN = Text(zh="只改变 NaN 的载荷，任何 NaN 都算对。", en="Another payload of NaN, and any NaN is right.")
_TWICE = Text(
    zh="最多使平均多舍入一次，差 1 ULP；mean 的容差至少为 2 ULP。",
    en="At most the mean is rounded once more, by 1 ULP; the tolerance of mean is 2 ULP or more.",
)
_FLOAT = Text(
    zh="round_to 遇到 FLOAT 就交给 NumPy 转换，从不用它的指数范围。",
    en="round_to leaves FLOAT to NumPy's own cast; its range of exponents is never looked at.",
)

EQUIVALENT: Mapping[str, Text] = MappingProxyType(
    {
        "count/in-bfloat16-for-its-own": Text(
            zh="N 舍入到 BFLOAT16 的相对误差不超过 2⁻⁹，即不到 1 ULP，再加商的一次舍入；规格对 BFLOAT16 的 mean 允许 2 ULP。",
            en="N rounded to BFLOAT16 is off by 2⁻⁹ at most, less than 1 ULP, and the quotient rounds once more; the spec allows "
            "2 ULP to the mean of BFLOAT16.",
        ),
        "life/inputs-read-in-phase-1": Text(
            zh="输入在第一段之前就已给定，适配层在第一段把它们上传到设备是允许的；两段之间没有人改动输入。",
            en="Inputs are complete when phase 1 is called, and an adapter may upload them to its device then; nobody changes "
            "them between the phases.",
        ),
    }
)

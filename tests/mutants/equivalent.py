"""Mutants that no case can condemn, each with the argument that nothing it does is wrong.

By the mutant's id; those made from the source by function and expression, since line numbers move.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aclnn_spec.spec.model import Text

_COPY = Text(
    zh="copy 只决定是否复制内存，值不变。", en="copy decides whether memory is copied; the values are the same."
)
_NAN = Text(zh="只改变 NaN 的载荷，任何 NaN 都算对。", en="Another payload of NaN, and any NaN is right.")
_SHIFT = Text(
    zh="右移 62、63 或 64 位都只剩符号和至多一位，异或后不影响第 53 位以上。",
    en="Shifted by 62, 63 or 64 bits all that is left is the sign and one bit at most, which does not reach "
    "the bits from the 53rd on.",
)
_TWICE = Text(
    zh="最多使平均多舍入一次，差 1 ULP；mean 的容差至少为 2 ULP。",
    en="At most the mean is rounded once more, by 1 ULP; the tolerance of mean is 2 ULP or more.",
)
_FLOAT = Text(
    zh="round_to 遇到 FLOAT 就交给 NumPy 转换，从不用它的指数范围。",
    en="round_to leaves FLOAT to NumPy's own cast; its range of exponents is never looked at.",
)

_WIDER = Text(
    zh="公共类型能精确容纳每个浮点输入的值，转换到它不会舍入。",
    en="The common type holds the values of every float input exactly; converting to it rounds nothing.",
)
_CAST = Text(
    zh="encode 转换到 float16 时同样按就近、平局取偶舍入。",
    en="encode's cast to float16 rounds to nearest, ties to even, just the same.",
)

EQUIVALENT: Mapping[str, Text] = MappingProxyType(
    {
        "count/in-bfloat16-for-its-own": Text(
            zh="N 舍入到 BFLOAT16 的相对误差不超过 2⁻⁹，即不到 1 ULP，商再舍入一次；"
            "规格对 BFLOAT16 的 mean 允许 2 ULP。",
            en="N rounded to BFLOAT16 is off by 2⁻⁹ at most, less than 1 ULP, and the quotient rounds once more; "
            "the spec allows 2 ULP to the mean of BFLOAT16.",
        ),
        "count/scaled-in-output-BFLOAT16": Text(
            zh="1/N 舍入到 BFLOAT16 不到 1 ULP，乘积再舍入一次；规格正是为这种算法给 BFLOAT16 的 mean 2 ULP。",
            en="1/N rounded to BFLOAT16 is off by less than 1 ULP, and the product rounds once more: the very "
            "arithmetic for which the spec allows 2 ULP to the mean of BFLOAT16.",
        ),
        "life/inputs-read-in-phase-1": Text(
            zh="输入在第一段之前就已给定，适配层在第一段把它们上传到设备是允许的；两段之间没有人改动输入。",
            en="Inputs are complete when phase 1 is called, and an adapter may upload them to its device then; "
            "nobody changes them between the phases.",
        ),
        "FLOAT: 24 -> 25": _TWICE,
        "FLOAT: 24 -> 23": _TWICE,
        "FLOAT: -126: - -> (nothing)": _FLOAT,
        "FLOAT: 126 -> 127": _FLOAT,
        "FLOAT: 126 -> 125": _FLOAT,
        "FLOAT: 127 -> 128": _FLOAT,
        "FLOAT: 127 -> 126": _FLOAT,
        "FLOAT16: 15 -> 16": Text(
            zh="超出 FLOAT16 范围的值，encode 转换到 float16 时同样变为无穷。",
            en="What lies beyond FLOAT16's range becomes infinite in encode's cast to float16 all the same.",
        ),
        "decode: False -> True": _COPY,
        "encode: False -> True": _COPY,
        "round_to: False -> True": _COPY,
        "round_to: False -> True (2)": _COPY,
        "encode: 32704 -> 32705": _NAN,
        "encode: 32704 -> 32703": _NAN,
        "from_integers: 63 -> 64": _SHIFT,
        "from_integers: 63 -> 62": _SHIFT,
        "from_integers: 53 -> 52": Text(
            zh="53 位的整数也改走另一条路，那条路对任何大小都精确。",
            en="Integers of 53 bits take the other way as well, which is exact for any size.",
        ),
        "round_to: 2.0 -> -2.0 (2)": Text(
            zh="量子变为负数：除以它取整再乘回来，结果不变，只有零的符号可能不同，而零的符号不限。",
            en="The quantum turns negative: divided by it, rounded and multiplied again the value is the same, but for "
            "the sign of a zero, which is free.",
        ),
        "evaluate: True -> False": Text(
            zh="strict 只检查两个列表等长，它们总是等长。",
            en="strict checks that two lists are of one length, which they always are.",
        ),
        "_read: values if source is common else round_to(values, common): a if c else b -> b if c else a": _WIDER,
        "_read: source is common: is -> is not": _WIDER,
        "_write: values if common is FLOAT16 else round_to(values, FLOAT16): a if c else b -> b if c else a": _CAST,
        "_write: common is FLOAT16: is -> is not": _CAST,
        "divide: target is FLOAT and int(np.float32(count)) == count: and -> or": _TWICE,
        "divide: target is FLOAT: is -> is not": _TWICE,
        "divide: int(np.float32(count)) == count: == -> !=": _TWICE,
        "divide: target.precision + count.bit_length() <= np.finfo(np.float64).nmant + 1: <= -> <": _TWICE,
        "divide: target.precision + count.bit_length(): + -> -": _TWICE,
        "divide: np.finfo(np.float64).nmant + 1: + -> -": _TWICE,
        "divide: 1 -> 2": _TWICE,
        "divide: 1 -> 0": _TWICE,
    }
)

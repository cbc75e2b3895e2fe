"""Mutants that no case can condemn, each with the argument that nothing it does is wrong.

By the mutant's id; those made from the source by function and expression, since line numbers move.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules.types import DtypeIn

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
_STRICT = Text(
    zh="strict 只检查两个列表等长，它们总是等长。",
    en="strict checks that two lists are of one length, which they always are.",
)
_KINDS = Text(
    zh="类型一栏只用来拒绝放错的数组，用例中没有这样的数组。",
    en="The kinds serve to refuse an array that is none of them, and the output never is.",
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
        "evaluate: True -> False": _STRICT,
        "evaluate: True -> False (2)": _STRICT,
        "_read: values if source is common else round_to(values, common): a if c else b -> b if c else a": _WIDER,
        "_read: source is common: is -> is not": _WIDER,
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

_ZERO = Text(zh="只改变零的符号，而零的符号不限。", en="The sign of a zero alone changes, which is free.")
_SIZES = Text(
    zh="各操作数已广播为同一形状，元素个数都相同。",
    en="The operands have been broadcast to one shape and have as many elements each.",
)
_SIGNED = Text(
    zh="除以 1 或 −1 与乘以它相同；差为零时与宽度比较的结果也不变。",
    en="To divide by 1 or -1 is to multiply by it; for a difference of zero the comparison comes out the same.",
)
_CONTINUOUS = Text(
    zh="只影响精确的差比宽度小不到 2⁻⁵³ 的元素：两个分支在那里的值舍入后相同。",
    en="It shows where the exact difference is less than the width by under one part in 2⁵³, where the values of "
    "both branches round to the same.",
)
_PLAIN = Text(
    zh="plain 只在操作数不是有限值时、以及为零的符号而使用：那里的值不随这个系数变化，零的符号不限。",
    en="plain serves where an operand is not finite, and for the sign of zeros: there the factor changes nothing.",
)
_ENDLESS = Text(
    zh="只影响差与 beta 都为无穷的元素，规范对此未作规定；其余元素的 plain 只提供零的符号。",
    en="It shows where both the difference and beta are infinite, about which the spec says nothing; elsewhere plain "
    "gives the sign of zeros at most.",
)

OWN: Mapping[str, Text] = MappingProxyType(
    {
        "l1_loss: one >= other: >= -> >": _ZERO,
        "smooth_l1_loss: one >= other: >= -> >": _ZERO,
        "smooth_l1_loss: True -> False": _STRICT,
        "smooth_l1_loss: divisor * above: * -> /": _SIGNED,
        "smooth_l1_loss: -divisor * above: * -> /": _SIGNED,
        "smooth_l1_loss: 0.0 -> -0.0": _ZERO,
        "smooth_l1_loss: 0.5 -> -0.5": _ZERO,
        "smooth_l1_loss: d - 0.5 * width: - -> +": _ENDLESS,
        "smooth_l1_loss: 0.5 -> -0.5 (2)": _ENDLESS,
        "smooth_l1_loss_backward: 0.0 -> -0.0": _ZERO,
        "smooth_l1_loss_backward: 0.0 -> -0.0 (2)": _ZERO,
        "below: low * np.sign(high) < 0: < -> >": _CONTINUOUS,
        "below: low * np.sign(high): * -> /": _SIGNED,
        "below: 0 -> -1": _CONTINUOUS,
        "mse_loss_backward: 2 -> 3 (3)": _PLAIN,
        "mse_loss_backward: 2 -> 1 (3)": _PLAIN,
    }
)
"""Those of one operator's function, or of what two share."""

REDUCED: Mapping[str, Text] = MappingProxyType(
    {f"_reduced: 0 -> {other} ({number})": _SIZES for number in (2, 3, 4) for other in (1, -1)}
)
"""Those of operators that reduce."""

WHOLES: Mapping[str, Text] = MappingProxyType(
    {
        f"_reduced: {change}": Text(
            zh="用例的整数和都在 INT64 之内，因此怎样回绕看不出来。",
            en="No sum of integers goes beyond INT64, as the spec says, so that it does not show how one would wrap.",
        )
        for change in ("whole * repeats + 2 ** 63: + -> -", "2 -> 3 (2)", "64 -> 65")
    }
)
"""Those of operators that compute in integers."""

REAL: Mapping[str, Text] = MappingProxyType(
    {
        f"_write: 0 -> {other}": Text(zh="该算子的输出不会是复数。", en="The output of this operator is never complex.")
        for other in (1, -1)
    }
)
"""Those of operators whose output is of a listed type, none of them complex."""

UNREDUCED: Mapping[str, Text] = MappingProxyType(
    {
        "evaluate: _shape_of(operands) if reduces else result.shape: a if c else b -> b if c else a": Text(
            zh="不做归约时，输出的形状就是操作数广播后的形状。",
            en="Where nothing is reduced, the output has the shape that the operands broadcast to.",
        )
    }
)
"""Those of operators that reduce nothing."""

FLOATING: Mapping[str, Text] = MappingProxyType(
    {
        "evaluate: 'iufcV' if form is WHOLE else 'fcV': a if c else b -> b if c else a": _KINDS,
        "evaluate: form is WHOLE: is -> is not": _KINDS,
        **{
            f"_reduced: 0 -> {other}": Text(
                zh="不计算整数时用不到这个数。", en="Only integers are added to this number."
            )
            for other in (1, -1)
        },
    }
)
"""Those of operators that do not compute in integers."""


def arguments(operator: Operator) -> Mapping[str, Text]:
    """The arguments that hold for an operator's mutants."""
    rules = [clause.rule.core for clause in operator.checks if clause.rule is not None]
    listed = any(isinstance(rule, DtypeIn) and operator.output.name in rule.on for rule in rules)
    return {
        **EQUIVALENT,
        **OWN,
        **(UNREDUCED if operator.output.reduced is None else REDUCED),
        **(WHOLES if computes_in_integers(operator) else FLOATING),
        **(REAL if listed else {}),
    }


def computes_in_integers(operator: Operator) -> bool:
    """Whether integers are among the types that an input lists."""
    return any(dtype.kind in ("int", "uint") for parameter in operator.inputs for dtype in parameter.dtypes)

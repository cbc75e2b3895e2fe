"""Right implementations of the operators on self - target: most differ in the same ways, whatever the formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from aclnn_spec.spec.model import Text

from .arithmetic import backwards, divide, divide_by_each, in_double, not_rounded
from .base import INVALID, SPEC
from .losses import (
    LOSSES,
    SUMS,
    Loss,
    doubled_gradient,
    doubled_last,
    slope_clamped,
    slope_selected,
    smooth_least,
    smooth_quotient_first,
)
from .status import INNER_NULLPTR, REFUSED, RUNTIME_ERROR, TO_THE_LETTER
from .sums import compensated, exactly, from_the_end, in_blocks, in_lanes, onwards
from .sums import in_double as sum_in_double
from .values import PARTLY_FLUSHED, SATURATED, cast_and_flush, flush, flush_rounded, saturate
from .ways import flush_scale, flush_steps, half_scale, half_steps, largest, minus_or_zero

Variant = tuple[str, Text, Mapping[str, Any]]


SHARED: tuple[Variant, ...] = (
    (
        "reciprocal",
        Text(zh="在 FLOAT 中计算，mean 乘以 1/N", en="computes in FLOAT and multiplies with 1/N for mean"),
        {},
    ),
    (
        "divide",
        Text(zh="在 FLOAT 中计算，mean 除以 N", en="computes in FLOAT and divides by N for mean"),
        {"scale": divide},
    ),
    (
        "double",
        Text(
            zh="用双精度计算，舍入到公共类型，再转换",
            en="computes in double precision, rounds to the common type and casts",
        ),
        {"wide": True, "scale": in_double, "shows": {"overflow_on_the_way": ("value",)}},
    ),
    (
        "float-to-output",
        Text(
            zh="半精度也留在 FLOAT 中，写出时才舍入",
            en="stays in FLOAT for halves, too, and rounds only where it stores",
        ),
        {"into_common": not_rounded, "shows": {"overflow_before_cast": ("value",)}},
    ),
    (
        "double-to-output",
        Text(
            zh="用双精度计算，不经公共类型，直接舍入到输出类型",
            en="computes in double precision and rounds straight to the output's type",
        ),
        {
            "wide": True,
            "scale": in_double,
            "into_common": lambda values, _: values,
            "shows": {"overflow_on_the_way": ("value",), "overflow_before_cast": ("value",)},
        },
    ),
    (
        "native-half",
        Text(
            zh="每一步都舍入到公共类型；求和仍在 FLOAT 中",
            en="rounds to the common type after each operation; sums are made in FLOAT",
        ),
        {"fit": half_steps, "fit_terms": lambda values, _: values, "scale": half_scale},
    ),
    (
        "equal-is-zero",
        Text(zh="先比较是否相等：相等的无穷之差为 0", en="compares first: the difference of equal infinities is 0"),
        {"subtract": minus_or_zero, "shows": {"equal_infinities": ("zero",)}},
    ),
    (
        "flush",
        Text(
            zh="处处把次正规数清零：读入、每一步、转换、写出",
            en="flushes subnormals everywhere: read, after each operation, converted and stored",
        ),
        {
            "operand": flush,
            "fit": flush_steps,
            "scale": flush_scale,
            "into_common": flush_rounded,
            "cast": cast_and_flush,
            "shows": PARTLY_FLUSHED,
        },
    ),
    (
        "saturate-casts",
        Text(zh="转换溢出时停在最大有限值", en="stops at the largest finite value where a cast overflows"),
        {"cast": saturate, "shows": SATURATED},
    ),
    (
        "saturate",
        Text(
            zh="用双精度计算，凡溢出都停在最大有限值",
            en="computes in double precision and stops at the largest finite value of each type",
        ),
        {
            "wide": True,
            "scale": in_double,
            "into_common": largest,
            "cast": saturate,
            "shows": {
                **SATURATED,
                "overflow": ("largest",),
                "overflow_on_the_way": ("value",),
                "overflow_before_cast": (),
                "infinity_in_cast": ("infinity", "largest"),
            },
        },
    ),
    (
        "backwards",
        Text(zh="从最后一个元素写到第一个", en="writes from the last element to the first"),
        {"write": backwards},
    ),
    (
        "last-fault",
        Text(zh="多处出错时报告最后一处，而非第一处", en="reports the last of several faults instead of the first"),
        {"last_fault": True},
    ),
)
"""Name, text, and the steps that are not the plainest."""

ADDED: tuple[Variant, ...] = (
    ("sum-onwards", Text(zh="从头到尾逐项相加", en="adds one term after the other"), {"total": onwards}),
    (
        "sum-from-the-end",
        Text(zh="从尾到头逐项相加", en="adds one term after the other from the end"),
        {"total": from_the_end},
    ),
    ("sum-in-blocks", Text(zh="按块求和，再加各块", en="adds up blocks, then the blocks' sums"), {"total": in_blocks}),
    (
        "sum-in-lanes",
        Text(zh="16 路并行累加，最后按树合并", en="adds in 16 lanes, and these as a tree"),
        {"total": in_lanes},
    ),
    ("sum-compensated", Text(zh="Kahan 补偿求和", en="adds with Kahan's compensation"), {"total": compensated}),
    (
        "sum-in-double",
        Text(zh="各项为 FLOAT，用双精度累加", en="adds FLOAT terms up in double precision"),
        {"total": sum_in_double},
    ),
    ("sum-exactly", Text(zh="各项为 FLOAT，精确求和", en="adds FLOAT terms up exactly"), {"total": exactly}),
    (
        "scales-terms",
        Text(zh="mean 先把每一项除以 N 再相加", en="divides each term by N for mean and adds up afterwards"),
        {"scale": divide, "scales_terms": True},
    ),
)
"""Variants of the losses, whose order of summation is their own."""

OWN: Mapping[str, tuple[Variant, ...]] = {
    "aclnnMseLossBackward": (
        (
            "doubled-last",
            Text(zh="先乘 gradOutput，最后加倍", en="multiplies with gradOutput first and doubles last"),
            {"term": doubled_last},
        ),
        (
            "doubled-gradient",
            Text(zh="先把 gradOutput 加倍", en="doubles gradOutput first"),
            {"term": doubled_gradient},
        ),
        (
            "divide-by-each",
            Text(zh="mean 依次除以每一维，每次都舍入", en="divides by each dimension in turn, rounding each time"),
            {"scale": divide_by_each},
        ),
    ),
    "aclnnSmoothL1LossBackward": (
        (
            "clamped",
            Text(zh="把差截到 ±beta 再除以 beta", en="clamps the difference to beta, then divides by it"),
            {"term": slope_clamped},
        ),
        (
            "selected",
            Text(
                zh="按大小选择 gradOut、其相反数、零或商，不用零乘",
                en="selects gradOut, its negative, zero or the quotient, and multiplies no zero",
            ),
            {"term": slope_selected, "shows": {"grad_nonfinite_at_tie": ("zero",)}},
        ),
        (
            "divide-by-each",
            Text(zh="mean 依次除以每一维，每次都舍入", en="divides by each dimension in turn, rounding each time"),
            {"scale": divide_by_each},
        ),
    ),
    "aclnnSmoothL1Loss": (
        (
            "quotient-first",
            Text(zh="先除以 beta 再乘", en="divides by beta before it multiplies"),
            {"term": smooth_quotient_first},
        ),
        (
            "least",
            Text(
                zh="两段合成一个公式：m = min(|d|, beta)", en="one formula for both branches, with m = min(|d|, beta)"
            ),
            {"term": smooth_least},
        ),
    ),
}


OTHERWISE: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = {
    # Where another order of its products would overflow this kernel does not, and its cast stops at the largest value.
    ("aclnnMseLossBackward", "saturate-casts"): {"infinity_in_cast": ("infinity", "largest")},
    # Nothing overflows but gradOut itself.
    ("aclnnSmoothL1LossBackward", "saturate"): {"infinity_in_cast": ("infinity",)},
}
"""What a variant shows of one operator that it does not show of the others."""


def letter(operator: str) -> Variant:
    """Refuse all that the page's parameter table does not list."""
    left_open = {clause.id for clause in SPEC.operator(operator).clauses}
    refused = {clause: INVALID for clause in (*TO_THE_LETTER, "beta_not_finite") if clause in left_open}
    if "aliasing" in refused:
        refused["aliasing"] = RUNTIME_ERROR
    if "wide_output" in refused:
        refused["wide_output"] = INNER_NULLPTR
    names = {INVALID: REFUSED, RUNTIME_ERROR: ("ACLNN_ERR_RUNTIME_ERROR",), INNER_NULLPTR: ("ACLNN_ERR_INNER_NULLPTR",)}
    return (
        "to-the-letter",
        Text(
            zh="照参数表办事：表中没有的一律拒绝",
            en="goes by the page's parameter table and refuses all it does not list",
        ),
        {"refuses": refused, "shows": {clause: names[status] for clause, status in refused.items()}},
    )


def without_bfloat16(operator: str) -> Iterator[Variant]:
    """Refuse BFLOAT16 on the first of the products that may."""
    one = SPEC.operator(operator)
    for product in [each for each in one.clause("bfloat16_products").products if one.products[each]][:1]:
        yield (
            "without-bfloat16",
            Text(
                zh="在可以不支持 BFLOAT16 的产品上拒绝它",
                en="runs on a product that need not support BFLOAT16 and refuses it",
            ),
            {"product": product, "refuses": {"bfloat16_products": INVALID}, "shows": {"bfloat16_products": REFUSED}},
        )


def variants() -> Iterator[Loss]:
    """All of them, operator by operator."""
    for operator in LOSSES:
        common = (*SHARED, *(ADDED if operator in SUMS else ()))
        listed = (*common, *OWN.get(operator, ()), letter(operator), *without_bfloat16(operator))
        for name, text, steps in listed:
            made: Callable[..., Loss] = Loss
            shows = {**steps.get("shows", {}), **OTHERWISE.get((operator, name), {})}
            yield made(name=name, operator=operator, text=text, **{**steps, "shows": shows})


VARIANTS = tuple(variants())

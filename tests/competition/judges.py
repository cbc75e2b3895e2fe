"""The judges: each one's rule, read as favourably as it can be, and what it says in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from aclnn_spec import load_spec
from aclnn_spec.certification.compare import compare, compare_community
from aclnn_spec.spec.model import Policy, Text

from .result import Result

ONNX_RTOL, ONNX_ATOL = 1e-3, 1e-7

TORCH: Mapping[str, tuple[float, float]] = {
    "FLOAT16": (1e-3, 1e-5),
    "BFLOAT16": (1.6e-2, 1e-5),
    "FLOAT": (1.3e-6, 1e-5),
    "DOUBLE": (1e-7, 1e-7),
    "COMPLEX32": (1e-3, 1e-5),
    "COMPLEX64": (1.3e-6, 1e-5),
    "COMPLEX128": (1e-7, 1e-7),
}
"""Relative and absolute tolerance of `torch.testing.assert_close` by dtype."""

SHARES: Mapping[str, tuple[float, float]] = {
    "FLOAT16": (1e-3, 1e-3),
    "COMPLEX32": (1e-3, 1e-3),
    "BFLOAT16": (2**-7, 1e-3),
}
"""Tolerance, relative and absolute, and the share of elements that may miss it; the others have SHARE_OF_FLOAT."""
SHARE_OF_FLOAT = (1e-4, 1e-4)

THRESHOLDS: Mapping[str, float] = {"FLOAT16": 2**-10, "COMPLEX32": 2**-10, "BFLOAT16": 2**-7}
"""Limits of the mean relative error; the others have THRESHOLD_OF_FLOAT."""
THRESHOLD_OF_FLOAT = 2**-13
LARGEST = 10
"""The largest relative error may be this many times the limit of the mean one."""


@dataclass(frozen=True, kw_only=True)
class Judge:
    """A way to judge the values of a good call."""

    id: str
    text: Text
    accepts: Callable[[Result], bool]


def fixed(result: Result) -> bool:
    """Hold every element against one relative and one absolute tolerance."""
    return bool((result.absolute <= ONNX_ATOL + ONNX_RTOL * result.expected).all())


def by_dtype(result: Result) -> bool:
    """Hold every element against the tolerances of its type."""
    rtol, atol = TORCH[result.coarser]
    return bool((result.absolute <= atol + rtol * result.expected).all())


def share(result: Result) -> bool:
    """Let a small share of the elements miss both tolerances."""
    tolerance, allowed = SHARES.get(result.coarser, SHARE_OF_FLOAT)
    missed = (result.absolute > tolerance) & (result.relative > tolerance)
    return bool(missed.sum() <= allowed * missed.size)


def relative_errors(result: Result) -> bool:
    """Limit the mean and the largest relative error."""
    limit = THRESHOLDS.get(result.coarser, THRESHOLD_OF_FLOAT)
    errors = result.relative
    return bool(errors.size == 0 or (errors.mean() < limit and errors.max() < LARGEST * limit))


@cache
def _policy() -> Policy:
    return load_spec().tables.policies["community"]


def community(result: Result) -> bool:
    """Judge by the community's policy; types that it does not speak of must be right to the last bit."""
    policy, (expected, *others) = _policy(), result.references
    if result.dtype not in policy.dtypes:
        return strict(result)
    figures = policy.dtypes[result.coarser]
    found = compare_community(
        result.got,
        expected,
        others,
        dtype=result.dtype,
        rtol=figures["rtol"],
        atol=figures["atol"],
        limit=figures["limit"],
        share=policy.share,
        max_ulp=policy.max_ulp,
    )
    return found.wrong == 0


def strict(result: Result) -> bool:
    """Judge values as this suite does, by the ULP that the spec derives."""
    tolerance, (expected, *others) = result.tolerance, result.references
    dtype = result.dtype
    common, ulp = (dtype, 0) if tolerance is None else (tolerance.common, tolerance.ulp)
    return compare(result.got, expected, others, dtype=dtype, common=common, ulp=ulp).wrong == 0


STRICT = Judge(
    id="strict-values",
    text=Text(
        zh="本套件的 strict 策略，但只看一次调用的数值：不看状态码、内存和重复调用。",
        en="This suite's strict policy, but the values of one call alone: no status codes, no memory, no repetition.",
    ),
    accepts=strict,
)

JUDGES = (
    Judge(
        id="fixed-tolerance",
        text=Text(
            zh="每个元素 |a − g| ≤ 10⁻⁷ + 10⁻³·|g|，不分类型（ONNX 后端测试的默认值）。在双精度中比较，NaN 等于 NaN。",
            en="Every element holds |a − g| ≤ 10⁻⁷ + 10⁻³·|g|, whatever its type (the default of ONNX's backend "
            "tests). Compared in double precision; NaN equals NaN.",
        ),
        accepts=fixed,
    ),
    Judge(
        id="assert-close",
        text=Text(
            zh="torch.testing.assert_close 按类型的默认容差：FLOAT 1.3·10⁻⁶ 与 10⁻⁵，FLOAT16 10⁻³ 与 10⁻⁵，"
            "BFLOAT16 1.6·10⁻² 与 10⁻⁵。打开 equal_nan，否则凡有 NaN 的用例都会误报。",
            en="The defaults of torch.testing.assert_close by type: FLOAT 1.3·10⁻⁶ and 10⁻⁵, FLOAT16 10⁻³ and 10⁻⁵, "
            "BFLOAT16 1.6·10⁻² and 10⁻⁵. With equal_nan, or every case with a NaN would be a false alarm.",
        ),
        accepts=by_dtype,
    ),
    Judge(
        id="share",
        text=Text(
            zh="同时超出相对和绝对容差的元素不得多于 0.01%（半精度 0.1%）。容差：FLOAT 10⁻⁴，FLOAT16 10⁻³，"
            "BFLOAT16 2⁻⁷，即它的 1 ULP；再小就会误报。",
            en="Not more than 0.01 % of the elements (0.1 % for halves) miss both the relative and the absolute "
            "tolerance: 10⁻⁴ for FLOAT, 10⁻³ for FLOAT16, and 2⁻⁷ for BFLOAT16, 1 ULP of it, as less would cry wolf.",
        ),
        accepts=share,
    ),
    Judge(
        id="relative-errors",
        text=Text(
            zh="平均相对误差小于 T，最大相对误差小于 10·T，T 对 FLOAT16、BFLOAT16、FLOAT 为 2⁻¹⁰、2⁻⁷、2⁻¹³。"
            "误差除以 |g| + 10⁻⁷，使 g 可以为零。",
            en="The mean relative error is below T and the largest below 10·T, where T is 2⁻¹⁰ for FLOAT16, 2⁻⁷ for "
            "BFLOAT16 and 2⁻¹³ for FLOAT. Errors are divided by |g| + 10⁻⁷, so that g may be zero.",
        ),
        accepts=relative_errors,
    ),
    Judge(
        id="community",
        text=Text(
            zh="社区标准：至少 99% 的元素在容差之内，其余在上限或 32 ULP 之内。"
            "本套件的 --policy community 即用此法比较数值。",
            en="The community's policy: 99 % of the elements within its tolerance, the others within its limit or "
            "32 ULP. This suite's --policy community compares values this way.",
        ),
        accepts=community,
    ),
    STRICT,
)

FULL = Judge(
    id="strict",
    text=Text(
        zh="本套件的 strict 策略：数值、状态码、越界写、输入、workspace、重复与交错的调用，以及全程一致的条款。",
        en="This suite's strict policy: values, status codes, stray writes, inputs, workspace, repeated and "
        "interleaved calls, and the clauses that hold over a whole run.",
    ),
    accepts=strict,
)

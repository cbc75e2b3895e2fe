"""Deduction and casting: wrong common types, and every wrong way from one type to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from aclnn_spec.golden.cases.author import Author
from aclnn_spec.golden.tensor import Array
from aclnn_spec.reference.floats import FORMATS, Format, round_to
from aclnn_spec.spec.operator import Operator

from . import deductions
from .formulas import mixes
from .kernel import FLOATS, Call, Single, load, narrow, write
from .mutant import Sketch, wrong

Cast = Callable[[Call, Single, Single], Any]
"""Takes the values before and after the right cast."""


def to(cast: Cast, *dtypes: str) -> Callable[[Call, Single], Array]:
    """A wrong cast to these output types."""

    def narrowed(call: Call, values: Single) -> Array:
        right = narrow(call, values)
        return np.asarray(cast(call, values, right), np.float32) if call.out in dtypes and not call.whole else right

    return narrowed


def loaded(change: Callable[[Call, str, Single], Any], source: str, target: str = "FLOAT") -> Callable[..., Array]:
    """Values of one type are read wrongly into another common type."""

    def read(call: Call, name: str, array: Array) -> Array:
        values = load(call, name, array)
        if str(call.arguments[name].dtype) != source or call.common != target:
            return values
        return np.asarray(change(call, name, values), np.float32)

    return read


def flush(values: Array, target: Format) -> Array:
    """The values, 0 where they are subnormal in a type."""
    return np.where(np.abs(values) < target.smallest_normal, np.copysign(0, values), values)


def truncated(_: Call, values: Single, right: Single, dtype: str | None = None) -> Array:
    """Rounded towards zero: one step back where rounding to nearest went too far."""
    target = FORMATS[dtype or ("FLOAT16" if _.out == "FLOAT16" else "BFLOAT16")]
    quantum = _quantum(right, target)
    beyond = (np.abs(right) > np.abs(values)) & np.isfinite(right)
    return np.where(
        beyond,
        right - np.copysign(quantum, right),
        np.where(np.isinf(right) & np.isfinite(values), np.copysign(target.largest, values), right),
    )


def _quantum(values: Array, target: Format) -> Array:
    """The distance to the next number towards zero."""
    magnitude = np.abs(values.astype(np.float64))
    exponent = np.frexp(np.nextafter(magnitude, 0))[1] - 1
    return np.ldexp(1.0, np.maximum(exponent, target.emin) + 1 - target.precision)


def _ties(call: Call, values: Single, right: Single, choose: Callable[[Array, Array], Array]) -> Array:
    """Another way to settle the values that lie halfway between two numbers of the output's type."""
    inner = np.asarray(truncated(call, values, right), np.float64)
    step = _quantum(np.nextafter(np.abs(inner), np.inf) * 1.0000001, FORMATS[call.out])
    outer = inner + np.copysign(step, values)
    tie = values.astype(np.float64) == (inner + outer) / 2
    return np.where(tie, choose(inner, outer), right)


def _away(call: Call, values: Single, right: Single) -> Array:
    return _ties(call, values, right, lambda _, outer: outer)


def _up(call: Call, values: Single, right: Single) -> Array:
    return _ties(call, values, right, np.maximum)


def _inwards(call: Call, values: Single, right: Single) -> Array:
    return _ties(call, values, right, lambda inner, _: inner)


def _beyond(values: Single, right: Single) -> Array:
    return np.isinf(right) & np.isfinite(values)


def _largest(call: Call, values: Single) -> Array:
    return np.copysign(FORMATS[call.out].largest, values)


def _payload_cut(dtype: str) -> dict[str, Any]:
    """A kernel that selects the gradient bit by bit, and cuts the payload of NaN off when it casts."""

    def read(call: Call, name: str, array: Array) -> Array:
        values = load(call, name, array)
        if name == call.inputs[0]:
            bits = np.ascontiguousarray(values).view(np.uint32).reshape(values.shape)
            call.state["cut"] = np.isnan(values) & ((bits & 0x7F0000) == 0)
        return values

    def narrowed(call: Call, values: Single) -> Array:
        right = narrow(call, values)
        return np.where(call.state["cut"], np.inf, right) if call.out == dtype else right

    return {"load": read, "narrow": narrowed}


def _imaginary(call: Call, where: Array, values: Single) -> None:
    write(call, where, values)
    if where.dtype.names:
        where["imag"] = 1
    elif where.dtype.kind == "c":
        where.imag = 1


def _roundings() -> Iterator[Sketch]:
    groups = "deduction"
    for dtype in ("FLOAT16", "BFLOAT16"):
        other = "BFLOAT16" if dtype == "FLOAT16" else "FLOAT16"
        least = FORMATS[dtype].smallest_normal
        for name, en, zh, cast in (
            ("truncates", "cuts off instead of rounding", "截断而不舍入", truncated),
            ("ties-away", "rounds ties away from zero", "平局时远离零舍入", _away),
            ("ties-up", "rounds ties up, as adding half a unit does", "平局时向上舍入，像加半个单位那样", _up),
            ("ties-to-zero", "rounds ties towards zero", "平局时向零舍入", _inwards),
            (
                "truncates-subnormals",
                "cuts off what becomes subnormal",
                "变成次正规的值被截断",
                lambda c, v, r, least=least: np.where(np.abs(v) < least, truncated(c, v, r), r),
            ),
        ):
            yield wrong(
                f"{dtype}-{name}",
                f"the cast to {dtype} {en}",
                f"转换到 {dtype} 时{zh}",
                f"{groups} special",
                narrow=to(cast, dtype),
            )
        yield wrong(
            f"{dtype}-truncates-from-{other}",
            f"the cast from {other} to {dtype} cuts off",
            f"从 {other} 转换到 {dtype} 时截断",
            "deduction special",
            narrow=to(lambda c, v, r, other=other: truncated(c, v, r) if c.common == other else r, dtype),
        )
        yield wrong(
            f"{dtype}-through-{other}",
            f"the cast to {dtype} rounds to {other} first",
            f"转换到 {dtype} 前先舍入到 {other}",
            f"{groups} special",
            narrow=to(lambda _c, v, _r, a=FORMATS[other], b=FORMATS[dtype]: round_to(round_to(v, a), b), dtype),
        )
        yield wrong(
            f"FLOAT-through-{dtype}",
            f"the cast to FLOAT passes through {dtype}",
            f"转换到 FLOAT 时途经 {dtype}",
            "deduction special",
            narrow=to(lambda _c, v, _r, a=FORMATS[dtype]: round_to(v, a), "FLOAT"),
        )
        yield wrong(
            f"{dtype}-nan-is-zero",
            f"NaN is cast to 0 in {dtype}",
            f"NaN 转换到 {dtype} 时变为 0",
            "special deduction",
            narrow=to(lambda _c, v, r: np.where(np.isnan(v), 0, r), dtype),
        )
        yield wrong(
            f"{dtype}-nan-is-infinite",
            f"NaN whose payload is cut off becomes infinite in {dtype}",
            f"NaN 的低位载荷被截掉，在 {dtype} 中变为无穷",
            "special deduction",
            **_payload_cut(dtype),
        )
        yield wrong(
            f"{dtype}-subnormals-flushed",
            f"what is subnormal in {dtype} becomes 0 in the cast alone",
            f"{dtype} 的次正规数只在转换时冲成零",
            "special deduction",
            narrow=to(lambda _c, _v, r, a=FORMATS[dtype]: flush(r, a), dtype),
        )
        yield wrong(
            f"{dtype}-read-flushed",
            f"subnormals of {dtype} are read as 0 into FLOAT",
            f"{dtype} 的次正规数读入 FLOAT 时变为 0",
            "special deduction ties",
            load=loaded(lambda _c, _n, v, a=FORMATS[dtype]: flush(v, a), dtype),
        )
    yield wrong(
        "inputs-to-output-first",
        "inputs are cast to the output's type before anything else",
        "先把输入转换成输出的类型",
        "deduction ties special",
        load=lambda c, n, a: (
            round_to(load(c, n, a), FORMATS[c.out]) if c.out in FORMATS and not c.whole else load(c, n, a)
        ),
    )
    yield wrong(
        "stochastic-BFLOAT16",
        "the cast to BFLOAT16 adds noise and cuts off",
        "转换到 BFLOAT16 时先加噪声再截断",
        "deduction",
        narrow=to(
            lambda c, v, _: truncated(
                c, v * np.float32(1 + 2**-9), round_to(v * np.float32(1 + 2**-9), FORMATS["BFLOAT16"])
            ),
            "BFLOAT16",
        ),
    )
    yield wrong(
        "DOUBLE-through-half",
        "DOUBLE is filled from FLOAT16",
        "DOUBLE 由 FLOAT16 得到",
        "open",
        narrow=lambda c, v: round_to(v, FORMATS["FLOAT16"]) if c.out == "DOUBLE" else narrow(c, v),
    )
    yield wrong("imaginary-part", "the imaginary part is not 0", "虚部不为 0", "open", write=_imaginary)


def _ranges() -> Iterator[Sketch]:
    every, groups = FLOATS, "special deduction"
    for name, en, zh, cast in (
        (
            "wraps",
            "what is too large wraps around",
            "过大的值回绕",
            lambda _c, v, r: np.where(_beyond(v, r), np.fmod(v, 65504), r),
        ),
        (
            "is-nan",
            "what is too large becomes NaN",
            "过大的值变为 NaN",
            lambda _c, v, r: np.where(_beyond(v, r), np.nan, r),
        ),
        (
            "loses-sign",
            "what is too large becomes +∞, also when negative",
            "过大的值变为 +∞，负数也一样",
            lambda _c, v, r: np.where(_beyond(v, r), np.inf, r),
        ),
        (
            "saturates-below",
            "what is too low becomes the lowest number, what is too high +∞",
            "过小的值变为最小数，过大的值变为 +∞",
            lambda c, v, r: np.where(_beyond(v, r) & (v < 0), _largest(c, v), r),
        ),
        (
            "saturates-for-sum",
            "what is too large saturates with sum alone",
            "仅 sum 时过大的值饱和",
            lambda c, v, r: np.where(_beyond(v, r) & (c.mode == "sum"), _largest(c, v), r),
        ),
        (
            "saturates-for-mean",
            "what is too large saturates with mean alone",
            "仅 mean 时过大的值饱和",
            lambda c, v, r: np.where(_beyond(v, r) & (c.mode == "mean"), _largest(c, v), r),
        ),
        (
            "saturates-from-BFLOAT16",
            "what is too large saturates on the way from BFLOAT16 alone",
            "仅从 BFLOAT16 转换时饱和",
            lambda c, v, r: np.where(_beyond(v, r) & (c.common == "BFLOAT16"), _largest(c, v), r),
        ),
        (
            "saturates-infinities-alone",
            "infinities become the largest number though overflow does not",
            "无穷变为最大数，溢出却仍为无穷",
            lambda c, v, r: np.where(np.isinf(v), _largest(c, v), r),
        ),
    ):
        yield wrong(f"overflow-{name}", en, zh, groups, narrow=to(cast, *every))
    yield wrong(
        "largest-is-infinite",
        "the largest number of the output's type becomes infinite",
        "输出类型的最大数变为无穷",
        groups,
        narrow=to(lambda c, v, r: np.where(np.abs(r) == FORMATS[c.out].largest, np.copysign(np.inf, v), r), *every),
    )
    yield wrong(
        "smallest-never-zero",
        "what is below the least subnormal of FLOAT16 becomes that, not 0",
        "小于 FLOAT16 最小次正规数的值变成它而不是 0",
        groups,
        narrow=to(lambda _c, v, r: np.where((v != 0) & (np.abs(v) < 2**-24), np.copysign(2**-24, v), r), "FLOAT16"),
    )
    yield wrong(
        "half-infinity-is-65536",
        "FLOAT16's infinity is read as 65,536",
        "FLOAT16 的无穷读成 65536",
        groups,
        load=loaded(lambda _c, _n, v: np.where(np.isinf(v), np.copysign(65536, v), v), "FLOAT16"),
    )
    yield wrong(
        "half-nan-is-98304",
        "FLOAT16's NaN is read as 98,304",
        "FLOAT16 的 NaN 读成 98304",
        groups,
        load=loaded(lambda _c, _n, v: np.where(np.isnan(v), 98304, v), "FLOAT16"),
    )
    yield wrong(
        "half-subnormals-offset",
        "FLOAT16's subnormals are read with a hidden one",
        "FLOAT16 的次正规数读取时多了隐含的 1",
        groups,
        load=loaded(
            lambda _c, _n, v: np.where((v != 0) & (np.abs(v) < 2**-14), np.copysign(2**-15 + np.abs(v), v), v),
            "FLOAT16",
        ),
    )
    yield wrong(
        "BFLOAT16-read-through-half",
        "BFLOAT16 is read into FLOAT by way of FLOAT16",
        "BFLOAT16 途经 FLOAT16 读入 FLOAT",
        groups,
        load=loaded(lambda _c, _n, v: round_to(v, FORMATS["FLOAT16"]), "BFLOAT16"),
    )
    yield wrong(
        "nan-payload-carries",
        "rounding NaN to BFLOAT16 carries into the exponent and beyond, to 0",
        "NaN 舍入到 BFLOAT16 时进位越过指数变为 0",
        groups,
        narrow=to(
            lambda _c, v, r: np.where(
                (np.ascontiguousarray(v).view(np.uint32).reshape(v.shape) & 0x7FFFFFFF) > 0x7FFF8000, 0, r
            ),
            "BFLOAT16",
        ),
    )


_PASSED_ON = ("FLOAT16-nan-is-infinite", "BFLOAT16-nan-is-infinite", "nan-payload-carries")
"""Those that show where the gradient is passed on bit by bit."""
_LAST_BIT = (
    *(
        f"{dtype}-{how}"
        for dtype in ("FLOAT16", "BFLOAT16")
        for how in (
            *("truncates", "ties-away", "ties-up", "ties-to-zero", "truncates-subnormals"),
            *("truncates-from-FLOAT16", "truncates-from-BFLOAT16"),
        )
    ),
    *("stochastic-BFLOAT16", "smallest-never-zero", "largest-is-infinite"),
)
"""Those that are one unit in the last place off, which operators that round without mean are allowed."""
_NEGATIVE = ("overflow-loses-sign", "overflow-saturates-below")
"""Those about negative results, of which losses have none."""
_WIDE = ("DOUBLE-through-half", "imaginary-part")
"""Those about outputs of other types."""


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family."""
    yield from deductions.mutants(operator)
    clauses = {clause.id for clause in operator.clauses}
    left_out = () if Author(operator=operator).exact else (*_PASSED_ON, *_LAST_BIT)
    left_out += _NEGATIVE if operator.output.reduced else ()
    left_out += () if "wide_output" in clauses else _WIDE
    for sketch in (*_roundings(), *_ranges()):
        if sketch.name not in left_out and ("read" not in sketch.name or mixes(operator)):
            yield sketch

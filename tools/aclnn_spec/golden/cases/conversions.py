"""Special values on their way from type to type: into the common one, and out of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import Author, Draft
from aclnn_spec.golden.cases.special import finite, subnormal
from aclnn_spec.golden.tensor import Array, bits, numpy_dtype
from aclnn_spec.reference.floats import FORMATS
from aclnn_spec.spec.model import DType, Text

# Types of gradient, self, target and output; every conversion into a common type, and every one out of it.
ROUTES = (
    ("FLOAT16", "FLOAT", "FLOAT", "FLOAT"),
    ("BFLOAT16", "FLOAT", "FLOAT", "FLOAT"),
    ("FLOAT16", "BFLOAT16", "BFLOAT16", "FLOAT"),
    ("BFLOAT16", "FLOAT16", "FLOAT", "FLOAT"),
    ("FLOAT", "FLOAT", "FLOAT", "FLOAT16"),
    ("FLOAT", "FLOAT", "FLOAT", "BFLOAT16"),
    ("FLOAT16", "FLOAT16", "FLOAT16", "FLOAT"),
    ("BFLOAT16", "BFLOAT16", "BFLOAT16", "FLOAT"),
    ("FLOAT16", "FLOAT16", "FLOAT16", "BFLOAT16"),
    ("BFLOAT16", "BFLOAT16", "BFLOAT16", "FLOAT16"),
    ("FLOAT16", "BFLOAT16", "FLOAT", "FLOAT16"),
    ("BFLOAT16", "FLOAT16", "FLOAT16", "BFLOAT16"),
)  # fmt: skip
COMPARED = (("FLOAT16", "FLOAT"), ("BFLOAT16", "FLOAT"), ("FLOAT16", "BFLOAT16"))
SAME = (("FLOAT",) * 4, ("FLOAT16",) * 4, ("BFLOAT16",) * 4)


def cases(author: Author) -> Iterator[Case]:
    """Cases of the group `special`."""
    for route in ROUTES:
        yield from author.fitting(_gradients(author, route, "infinite", _infinite()))
        carrier = FORMATS[author.carrier(route)]
        yield from author.fitting(_gradients(author, route, "ends", finite(carrier)))
        yield from author.fitting(_gradients(author, route, "subnormal", subnormal(carrier)))
    for route in (*SAME, *ROUTES):
        dtype = author.operator.tables.dtypes[author.carrier(route)]
        yield from author.fitting(_gradients(author, route, "nan", nans(dtype)))
    for one, other in COMPARED:
        for swap in (False, True):
            for what in ("ends", "subnormal", "nan"):
                yield from author.fitting(_operands(author, (other, one) if swap else (one, other), what))


def nans(dtype: DType) -> Array:
    """NaN of both signs, quiet and signalling, with the least and the fullest payloads."""
    kind = numpy_dtype(dtype)
    width = 8 * kind.itemsize
    unsigned = np.dtype(f"u{kind.itemsize}")
    infinity = int(bits(np.array([np.inf], np.float32).astype(kind)).view(unsigned)[0])
    quiet = 1 << (FORMATS[dtype].precision - 2)
    payloads = [1, quiet, quiet | 1, quiet - 1, 2 * quiet - 1]
    raw = [infinity | payload | sign for sign in (0, 1 << (width - 1)) for payload in payloads]
    return np.array(raw, unsigned).view(kind)


def _infinite() -> Array:
    return np.array([np.inf, -np.inf, 1.0, np.inf, -np.inf, -2.0])


_REASONS = {
    "infinite": Text(
        zh="无穷在类型转换中变成NaN、最大值或别的数", en="an infinity that a conversion turns into NaN, the largest number or another one"
    ),
    "ends": Text(
        zh="范围两端的数在类型转换中出错", en="numbers at the ends of the range that a conversion gets wrong"
    ),
    "subnormal": Text(
        zh="次正规数在类型转换中被截断、冲零或按正规数解读", en="subnormal numbers that a conversion cuts off, flushes or takes for normal"
    ),
    "nan": Text(
        zh="NaN在类型转换中变成无穷、零或别的数，例如只剩高位、或进位溢出", en="a NaN that becomes infinite, zero or another number, as when its low bits are cut off or rounding carries"
    ),
}  # fmt: skip


def _gradients(author: Author, route: tuple[str, ...], what: str, values: Array) -> Draft:
    below, above = np.array([[1.0], [2.0]]), np.array([[2.0], [1.0]])
    shape = (2, values.size)
    return Draft(
        group="special",
        what=f"convert-{what}",
        clauses=("deduction", "grad_nonfinite" if what in ("infinite", "nan") else "none_sum"),
        shapes=shape,
        dtypes=author.per_tensor(*route),
        data=author.carried(*(np.broadcast_to(each, shape) for each in (values[None, :], above, below))),
        reason=_REASONS[what],
    )


def _operands(author: Author, types: tuple[str, str], what: str) -> Draft:
    left, right = (FORMATS[each] for each in types)
    if what == "nan":
        one, other = np.array([np.nan, -np.nan, 1.0]), np.array([np.nan, np.inf, 0.0, -2.0])
    elif what == "ends":
        one, other = np.append(finite(left), np.inf), np.append(finite(right), -np.inf)
    else:
        one, other = np.append(subnormal(left), 0.0), np.append(subnormal(right), -0.0)
    shape = (one.size, other.size)
    return Draft(
        group="special",
        what=f"convert-operands-{what}",
        clauses=("sign" if what != "nan" else "nan_operand", "deduction"),
        shapes=shape,
        dtypes=author.per_tensor("FLOAT16", *types, "FLOAT16"),
        data=author.per_tensor(
            np.full(shape, 3.0), *(np.broadcast_to(e, shape) for e in (one[:, None], other[None, :]))
        ),
        reason=_REASONS[what],
    )

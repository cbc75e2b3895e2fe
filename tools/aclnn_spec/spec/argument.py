"""An argument of a call as text, as the command line takes it."""

from __future__ import annotations

import re

from aclnn_spec.spec.attributes import INT64, parse_number
from aclnn_spec.spec.model import Argument, TensorDesc

_TENSOR = re.compile(r"(?P<dtype>\w+)\[(?P<shape>[\d, ]*)\](?::(?P<format>\w+))?")


def parse_argument(text: str) -> Argument:
    """Read `null`, a number, or `DTYPE[d0,d1,…]` with an optional `:FORMAT`; ValueError says what was expected."""
    if text == "null":
        return None
    if (number := parse_number(text)) is not None:
        return number
    found = _TENSOR.fullmatch(text)
    if found is None:
        raise ValueError("expected null, a number, or DTYPE[d0,d1,…] as in FLOAT16[2,3] (or FLOAT16[2,3]:NCHW)")
    sizes = [size.strip() for size in found["shape"].split(",")] if found["shape"].strip() else []
    if any(not size.isdecimal() or int(size) not in INT64 for size in sizes):
        raise ValueError("expected a non-negative 64-bit size between every two commas")
    return TensorDesc(dtype=found["dtype"], shape=tuple(map(int, sizes)), format=found["format"] or "ND")

"""What the operators compute, once more: exactly, element by element, in Python's integers and fractions.

Nothing is shared with the rest of the package, so that a mistake would have to be made twice to go unseen.
An element is its bits and the name of its dtype; an integer or BOOL stands for itself, a complex number has
its real part in the low half.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

Element: TypeAlias = tuple[int, str]


class Value(NamedTuple):
    """An exact number with a sign of its own, as zeros, infinities and NaN need one too."""

    negative: bool
    #: A float here is math.inf or math.nan and nothing else.
    magnitude: Fraction | float

    @property
    def number(self) -> Fraction | float:
        """The value with its sign, to be compared."""
        return -self.magnitude if self.negative else self.magnitude


class _Format(NamedTuple):
    """A binary float format: its width, its significant bits, the exponent of its smallest normal number."""

    bits: int
    precision: int
    emin: int

    @property
    def infinity(self) -> int:
        """The bits of +Inf: an exponent field of ones."""
        return (1 << self.bits - 1) - (1 << self.precision - 1)


_FORMATS: Mapping[str, _Format] = MappingProxyType(
    {
        "FLOAT16": _Format(16, 11, -14),
        "BFLOAT16": _Format(16, 8, -126),
        "FLOAT": _Format(32, 24, -126),
        "DOUBLE": _Format(64, 53, -1022),
    }
)

#: The dtype of a complex number's two halves.
_HALVES: Mapping[str, str] = MappingProxyType({"COMPLEX32": "FLOAT16", "COMPLEX64": "FLOAT", "COMPLEX128": "DOUBLE"})


def decode(bits: int, dtype: str) -> Value:
    """Read an element; a dtype that is not a float's names an integer or BOOL."""
    if dtype not in _FORMATS:
        return Value(bits < 0, Fraction(abs(bits)))
    form = _FORMATS[dtype]
    negative, rest = bool(bits >> form.bits - 1), bits & (1 << form.bits - 1) - 1
    if rest >= form.infinity:
        return Value(negative, math.inf if rest == form.infinity else math.nan)
    field, significand = divmod(rest, 1 << form.precision - 1)
    if field:
        significand += 1 << form.precision - 1
    return Value(negative, significand * _power(max(field, 1) - 1 + form.emin - form.precision + 1))


def encode(value: Value, dtype: str) -> int:
    """Round to a float or complex type: nearest even, beyond the range infinity, the imaginary part +0.

    Zeros keep their sign. Every NaN becomes the positive quiet one with no other payload bit set.
    """
    form = _FORMATS[_HALVES.get(dtype, dtype)]
    magnitude = value.magnitude
    if not isinstance(magnitude, Fraction):
        if math.isnan(magnitude):
            return form.infinity | 1 << form.precision - 2
        rest = form.infinity
    else:
        exponent = max(_exponent(magnitude), form.emin) if magnitude else form.emin
        units = round(magnitude / _power(exponent - form.precision + 1))
        # A normal number's leading bit adds the one by which its exponent field exceeds exponent - emin.
        rest = min((exponent - form.emin << form.precision - 1) + units, form.infinity)
    return value.negative << form.bits - 1 | rest


def _power(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def _exponent(magnitude: Fraction) -> int:
    """Find the exponent of the greatest power of two that is not above the magnitude."""
    guess = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return guess if magnitude >= _power(guess) else guess - 1


def _times(one: Value, other: Value) -> Value:
    negative = one.negative != other.negative
    magnitudes = (one.magnitude, other.magnitude)
    if any(math.isnan(each) for each in magnitudes) or (math.inf in magnitudes and 0 in magnitudes):
        return Value(negative, math.nan)
    return Value(negative, math.inf if math.inf in magnitudes else one.magnitude * other.magnitude)


def l1_loss_backward(gradOutput: Value, self: Value, target: Value, *, reduction: int, count: int) -> Value:
    """aclnnL1LossBackward, not yet rounded; the sign of a NaN's comparison is +0."""
    sign = (self.number > target.number) - (self.number < target.number)
    negative, magnitude = _times(Value(sign < 0, Fraction(abs(sign))), gradOutput)
    return Value(negative, magnitude / count if reduction == 1 else magnitude)


#: The exact functions by operator name; operands and attributes go by the API's names, and mean's divisor.
ORACLES: Mapping[str, Callable[..., Value]] = MappingProxyType({"aclnnL1LossBackward": l1_loss_backward})


def compute(
    operator: str,
    operands: Mapping[str, Element],
    *,
    common: str,
    output: str,
    attributes: Mapping[str, int],
    count: int,
) -> int:
    """Give the bits of an element of the output: operands and result rounded to `common`, then cast."""
    values = {name: decode(encode(decode(*element), common), common) for name, element in operands.items()}
    result = ORACLES[operator](**values, **attributes, count=count)
    return encode(decode(encode(result, common), common), output)

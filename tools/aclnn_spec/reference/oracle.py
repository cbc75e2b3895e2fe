"""What the operators compute, once more: exactly, element by element, in Python's integers and fractions.

Nothing is shared with the rest of the package, so that a mistake would have to be made twice to go unseen.
An element is its bits and the name of its dtype; an integer or BOOL stands for itself, a complex number has
its real part in the low half.
"""

import math
import struct
from collections.abc import Callable, Mapping, Sequence
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

    An integer type takes whole numbers as they are.
    Zeros keep their sign. Every NaN becomes the positive quiet one with no other payload bit set.
    """
    magnitude = value.magnitude
    if dtype not in _FORMATS and dtype not in _HALVES:  # an integer stands for itself
        return int(-magnitude if value.negative else magnitude)
    form = _FORMATS[_HALVES.get(dtype, dtype)]
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


def _minus(one: Value, other: Value) -> Value:
    numbers = (one.number, -other.number)
    finite = [each for each in numbers if isinstance(each, Fraction)]
    if len(finite) < len(numbers):
        infinite = float(sum(each for each in numbers if not isinstance(each, Fraction)))
        return Value(infinite < 0, abs(infinite))
    difference = sum(finite, Fraction(0))
    # Of zeros, (-0) - (+0) alone is -0.
    negative = difference < 0 or (not any(finite) and one.negative and not other.negative)
    return Value(negative, abs(difference))


def _over(value: Value, count: int) -> Value:
    return Value(value.negative, value.magnitude / count)


def _float(value: float) -> Value:
    """What a C float holds of a number."""
    try:
        (bits,) = struct.unpack("I", struct.pack("f", float(value)))
    except OverflowError:
        bits = 0x7F800000 | (value < 0) << 31
    return decode(bits, "FLOAT")


def smooth_l1_loss_backward(
    gradOut: Value, self: Value, target: Value, *, reduction: int, beta: float, count: int
) -> Value:
    """aclnnSmoothL1LossBackward, not yet rounded."""
    width, d = _float(beta).magnitude, _minus(self, target)
    if math.isnan(d.magnitude):
        slope = d
    elif d.magnitude < width:
        slope = Value(d.negative, Fraction(0) if math.isinf(width) else d.magnitude / width)
    else:
        slope = Value(d.negative, Fraction(d.magnitude != 0))
    value = _times(slope, gradOut)
    return _over(value, count) if reduction == 1 else value


def mse_loss_backward(gradOutput: Value, self: Value, target: Value, *, reduction: int, count: int) -> Value:
    """aclnnMseLossBackward, not yet rounded."""
    value = _times(_times(Value(negative=False, magnitude=Fraction(2)), _minus(self, target)), gradOutput)
    return _over(value, count) if reduction == 1 else value


def l1_loss(self: Value, target: Value, *, reduction: int, count: int) -> Value:
    """A term of aclnnL1Loss, not yet rounded."""
    value = Value(negative=False, magnitude=_minus(self, target).magnitude)
    return _over(value, count) if reduction == 1 else value


def mse_loss(self: Value, target: Value, *, reduction: int, count: int) -> Value:
    """A term of aclnnMseLoss, not yet rounded."""
    d = _minus(self, target)
    value = _times(d, d)
    return _over(value, count) if reduction == 1 else value


def smooth_l1_loss(self: Value, target: Value, *, reduction: int, beta: float, count: int) -> Value:
    """A term of aclnnSmoothL1Loss, not yet rounded."""
    width, d = _float(beta).magnitude, _minus(self, target).magnitude
    if d < width and not math.isinf(width):
        value = Value(negative=False, magnitude=d * d / width / 2)
    elif d < width:
        value = Value(negative=False, magnitude=Fraction(0))
    else:
        value = _minus(Value(negative=False, magnitude=d), Value(negative=False, magnitude=width / 2))
    return _over(value, count) if reduction == 1 else value


#: The exact functions by operator name; operands and attributes go by the API's names, and mean's divisor.
ORACLES: Mapping[str, Callable[..., Value]] = MappingProxyType(
    {
        "aclnnL1LossBackward": l1_loss_backward,
        "aclnnSmoothL1LossBackward": smooth_l1_loss_backward,
        "aclnnMseLossBackward": mse_loss_backward,
        "aclnnL1Loss": l1_loss,
        "aclnnMseLoss": mse_loss,
        "aclnnSmoothL1Loss": smooth_l1_loss,
    }
)


def compute(
    operator: str,
    operands: Mapping[str, Element],
    *,
    common: str,
    output: str,
    attributes: Mapping[str, float],
    count: int,
) -> int:
    """Give the bits of an element of the output: operands and result rounded to `common`, then cast."""
    result = _term(operator, operands, common, attributes, count)
    return encode(decode(encode(result, common), common), output)


def compute_sum(
    operator: str,
    rows: Sequence[Mapping[str, Element]],
    *,
    common: str,
    output: str,
    attributes: Mapping[str, float],
) -> int:
    """Give the bits of an output that sums the terms of all rows; of no row at all 0, or NaN for mean."""
    terms = [_term(operator, row, common, attributes, len(rows)) for row in rows]
    exact = [each.magnitude for each in terms if isinstance(each.magnitude, Fraction)]
    total: Fraction | float = sum(exact, Fraction(0))
    if len(exact) < len(terms):
        total = float(sum(each.magnitude for each in terms if not isinstance(each.magnitude, Fraction)))
    elif not rows and attributes["reduction"] == 1:
        total = math.nan
    return encode(decode(encode(Value(negative=False, magnitude=total), common), common), output)


def _term(
    operator: str, operands: Mapping[str, Element], common: str, attributes: Mapping[str, float], count: int
) -> Value:
    values = {name: decode(encode(decode(*element), common), common) for name, element in operands.items()}
    return ORACLES[operator](**values, **attributes, count=count)

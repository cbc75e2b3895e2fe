"""aclnnL1LossBackward: the gradient of |self - target|, and the other values its unspecified clauses accept.

Source: FACTS section 3. The arrays hold values of the common type, `common.format`.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.reference.evaluate import Common, Reading
from aclnn_spec.reference.floats import Real, Single, divide

_MEAN = 1


def l1_loss_backward(gradOutput: Single, self: Single, target: Single, *, reduction: int, common: Common) -> Real:
    """Give gradOutput times the sign of self - target, over the count for mean; still to be rounded.

    Comparing is exact where a subtraction would overflow. At ties and NaN the sign is +0, and its product
    with an infinite gradOutput NaN.
    """
    sign = np.subtract(self > target, self < target, dtype=np.float32)
    return _reduce(sign * gradOutput, reduction, common)


def _reduce(values: Single, reduction: int, common: Common) -> Real:
    return divide(values, common.count, common.format) if reduction == _MEAN else values


_Bools: TypeAlias = NDArray[np.bool]
_Mask: TypeAlias = Callable[[Single, Single, Single, Common], _Bools]
_Value: TypeAlias = Callable[[Single], Single]


def _reading(clause: str, label: str, mask: _Mask, value: _Value) -> Reading:
    """Put a value made of gradOutput, and divided for mean, where the mask holds."""

    def function(gradOutput: Single, self: Single, target: Single, *, reduction: int, common: Common) -> Real:
        usual = l1_loss_backward(gradOutput, self, target, reduction=reduction, common=common)
        other = _reduce(value(gradOutput), reduction, common)
        return np.where(mask(gradOutput, self, target, common), other, usual)

    return Reading(clause=clause, label=label, function=function)


def _nan_operand(_: Single, self: Single, target: Single, _common: Common) -> _Bools:
    return np.isnan(self) | np.isnan(target)


def _grad_nonfinite_at_tie(gradOutput: Single, self: Single, target: Single, _common: Common) -> _Bools:
    tie: _Bools = self == target
    return ~np.isfinite(gradOutput) & tie


def _equal_infinities(_: Single, self: Single, target: Single, _common: Common) -> _Bools:
    tie: _Bools = self == target
    return np.isinf(self) & tie


def _flushed(_: Single, self: Single, target: Single, common: Common) -> _Bools:
    """Mark where self and target differ, but no more once subnormal operands or differences are zero."""
    least = common.format.smallest_normal
    differ: _Bools = self != target
    operands: _Bools = (np.abs(self) < least) & (np.abs(target) < least)
    difference: _Bools = np.abs(self - target) < least
    return differ & (operands | difference)


def _nan(gradOutput: Single) -> Single:
    return np.full_like(gradOutput, np.nan)


def _zero_times(gradOutput: Single) -> Single:
    return gradOutput * np.float32(0)


#: Flushing makes a tie: its zero is selected, or multiplied with a gradOutput that need not be finite.
READINGS: tuple[Reading, ...] = (
    _reading("nan_operand", "zero", _nan_operand, np.zeros_like),
    _reading("nan_operand", "nan", _nan_operand, _nan),
    _reading("nan_operand", "plus_minus_grad", _nan_operand, np.positive),
    _reading("nan_operand", "plus_minus_grad", _nan_operand, np.negative),
    _reading("grad_nonfinite_at_tie", "nan", _grad_nonfinite_at_tie, _nan),
    _reading("grad_nonfinite_at_tie", "zero", _grad_nonfinite_at_tie, np.zeros_like),
    _reading("equal_infinities", "zero", _equal_infinities, np.zeros_like),
    _reading("equal_infinities", "nan", _equal_infinities, _nan),
    _reading("subnormals_on_the_way", "flush", _flushed, np.zeros_like),
    _reading("subnormals_on_the_way", "flush", _flushed, _zero_times),
)

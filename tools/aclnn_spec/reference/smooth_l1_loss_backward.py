"""aclnnSmoothL1LossBackward: the gradient of the smooth L1 loss, and the values its unspecified clauses accept.

d is self - target. The gradient is gradOut * d / beta where |d| < beta, and gradOut with the sign of d elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aclnn_spec.reference import readings
from aclnn_spec.reference.evaluate import Common, Reading
from aclnn_spec.reference.exact import Bools, Double, Terms, two_sum
from aclnn_spec.reference.floats import Single

_MEAN = 1


def smooth_l1_loss_backward(
    gradOut: Single, self: Single, target: Single, *, reduction: int, beta: float, common: Common
) -> Terms:
    """Give the gradient, over the count for mean. A beta of 0, or NaN, leaves the sign alone."""
    del common
    width = np.float64(np.float32(beta))
    gradient, one, other = (np.asarray(each, np.float64) for each in (gradOut, self, target))
    d = one - other
    near = below(one, other, float(width))
    sign = np.sign(d)
    divisor = float(width) if near.any() and np.isfinite(width) else 1.0
    parts: tuple[Double, ...]
    if np.isfinite(width):
        far = sign * gradient * divisor
        parts = (np.where(near, one * gradient, far), np.where(near, -other * gradient, 0.0))
    else:
        parts = (np.where(near, 0.0, sign) * gradient,)
    plain = np.where(near, d / width, sign) * gradient
    return Terms(parts=parts, plain=plain, divisor=divisor, over_count=reduction == _MEAN)


def below(one: Double, other: Double, width: float) -> Bools:
    """Where the exact difference of two float32 is less than the width, in either direction."""
    high, low = two_sum(one, -other)
    size = np.abs(high)
    result: Bools = (size < width) | ((size == width) & (low * np.sign(high) < 0))
    return result


def _at_tie(gradOut: Single, self: Single, target: Single, **_: Any) -> Bools:
    tie: Bools = self == target
    return ~np.isfinite(gradOut) & tie


def _anywhere(self: Single, beta: float, **_: Any) -> Bools:
    return np.full(self.shape, not np.isfinite(np.float32(beta)))


def _plus(gradOut: Single, **_: Any) -> Single:
    return gradOut


def _minus(gradOut: Single, **_: Any) -> Single:
    return -gradOut


def _zero_times(gradOut: Single, **_: Any) -> Single:
    return gradOut * np.float32(0)


#: An infinity less itself is NaN, whose comparisons all fail: then a kernel takes the sign of NaN for any number.
READINGS: tuple[Reading, ...] = (
    *(
        readings.put(clause, label, smooth_l1_loss_backward, mask, value)
        for clause, mask in (
            ("nan_operand", readings.nan_operand),
            ("equal_infinities", readings.equal_infinities),
        )
        for label, value in (
            ("nan", readings.not_a_number),
            ("zero", readings.nothing),
            ("plus_minus_grad", _plus),
            ("plus_minus_grad", _minus),
        )
    ),
    readings.put("grad_nonfinite_at_tie", "nan", smooth_l1_loss_backward, _at_tie, readings.not_a_number),
    readings.put("grad_nonfinite_at_tie", "zero", smooth_l1_loss_backward, _at_tie, readings.nothing),
    readings.put("beta_not_finite", "nan", smooth_l1_loss_backward, _anywhere, readings.not_a_number),
    readings.put("subnormals_on_the_way", "flush", smooth_l1_loss_backward, readings.tiny, readings.nothing),
    readings.put("subnormals_on_the_way", "flush", smooth_l1_loss_backward, readings.tiny, _zero_times),
)

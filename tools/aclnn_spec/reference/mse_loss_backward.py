"""aclnnMseLossBackward: the gradient of (self - target)², and the values its unspecified clauses accept."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclnn_spec.reference import readings
from aclnn_spec.reference.evaluate import Common, Reading
from aclnn_spec.reference.exact import Bools, Terms
from aclnn_spec.reference.floats import Single

_MEAN = 1


def mse_loss_backward(gradOutput: Single, self: Single, target: Single, *, reduction: int, common: Common) -> Terms:
    """Give the gradient, over the count for mean."""
    del common
    gradient, one, other = (np.asarray(each, np.float64) for each in (gradOutput, self, target))
    return Terms(
        parts=(2 * one * gradient, -2 * other * gradient),
        plain=2 * (one - other) * gradient,
        over_count=reduction == _MEAN,
    )


def _at_tie(gradOutput: Single, self: Single, target: Single, **_: Any) -> Bools:
    tie: Bools = self == target
    return ~np.isfinite(gradOutput) & tie


def _beyond(gradOutput: Single, self: Single, target: Single, limit: float, **_: Any) -> Bools:
    """Where a product of two of the three factors, or the difference, exceeds the limit."""
    gradient, d = np.abs(gradOutput.astype(np.float64)), np.abs(self.astype(np.float64) - target)
    return (np.maximum(d, gradient) * 2 > limit) | (d * gradient > limit)


def _zero_times(gradOutput: Single, **_: Any) -> Single:
    return gradOutput * np.float32(0)


READINGS: tuple[Reading, ...] = (
    readings.put("equal_infinities", "zero", mse_loss_backward, readings.equal_infinities, readings.nothing),
    readings.put("grad_nonfinite_at_tie", "zero", mse_loss_backward, _at_tie, readings.nothing),
    readings.saturated("overflow", mse_loss_backward),
    readings.overflowing("overflow_on_the_way", mse_loss_backward, _beyond, sums=False),
    readings.put("subnormals_on_the_way", "flush", mse_loss_backward, readings.tiny, readings.nothing),
    readings.put("subnormals_on_the_way", "flush", mse_loss_backward, readings.tiny, _zero_times),
)

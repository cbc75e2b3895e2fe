"""aclnnMseLoss: (self - target)², its mean and its sum, and the values its unspecified clauses accept."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclnn_spec.reference import readings
from aclnn_spec.reference.evaluate import Common, Reading
from aclnn_spec.reference.exact import Bools, Terms
from aclnn_spec.reference.floats import Single

_MEAN = 1


def mse_loss(self: Single, target: Single, *, reduction: int, common: Common) -> Terms:
    """Give the terms."""
    del common
    one, other = self.astype(np.float64), target.astype(np.float64)
    parts = (one * one, -2 * one * other, other * other)
    return Terms(parts=parts, plain=np.square(one - other), over_count=reduction == _MEAN)


def _beyond(self: Single, target: Single, limit: float, **_: Any) -> Bools:
    exceeds: Bools = np.square(self.astype(np.float64) - target) > limit
    return exceeds


def _vanishes(self: Single, target: Single, common: Common, **_: Any) -> Bools:
    """Where the square is subnormal, or something before it."""
    square = np.square(self.astype(np.float64) - target)
    return readings.tiny(self, target, common) | (square < common.format.smallest_normal)


READINGS: tuple[Reading, ...] = (
    readings.put("equal_infinities", "zero", mse_loss, readings.equal_infinities, readings.nothing),
    readings.saturated("overflow", mse_loss),
    readings.overflowing("overflow_on_the_way", mse_loss, _beyond, sums=True),
    readings.put("subnormals_on_the_way", "flush", mse_loss, _vanishes, readings.nothing),
)

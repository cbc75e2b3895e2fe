"""aclnnSmoothL1Loss: d² / (2 beta) where |d| < beta and |d| - beta / 2 elsewhere, its mean and its sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclnn_spec.reference import readings
from aclnn_spec.reference.evaluate import Common, Reading
from aclnn_spec.reference.exact import Bools, Terms
from aclnn_spec.reference.floats import Single
from aclnn_spec.reference.smooth_l1_loss_backward import below

_MEAN = 1


def smooth_l1_loss(self: Single, target: Single, *, reduction: int, beta: float, common: Common) -> Terms:
    """Give the terms. A beta of 0 leaves |d|, an infinite one 0, and NaN is passed on."""
    del common
    width = np.float64(np.float32(beta))
    one, other = self.astype(np.float64), target.astype(np.float64)
    d = np.abs(one - other)
    near = below(one, other, float(width))
    above = np.where(one >= other, 1.0, -1.0)
    divisor = 2 * width if 0 < width < np.inf else np.float64(1.0)
    if np.isfinite(width):
        far = (divisor * above * one, -divisor * above * other, np.full_like(one, -width * width))
        square = (one * one, -2 * one * other, other * other)
        parts = tuple(np.where(near, *pair) for pair in zip(square, far, strict=True))
    else:
        parts = (np.where(near, 0.0, np.nan),)
    plain = np.where(near, 0.5 * d * d / width, d - 0.5 * width)
    return Terms(parts=parts, plain=plain, divisor=float(divisor), over_count=reduction == _MEAN)


def _beyond(self: Single, target: Single, beta: float, limit: float, **_: Any) -> Bools:
    d = np.abs(self.astype(np.float64) - target)
    return (d > limit) | ((d < beta) & (d * d > limit))


def _vanishes(self: Single, target: Single, beta: float, common: Common, **_: Any) -> Bools:
    """Where the term is subnormal, or something before it."""
    d = np.abs(self.astype(np.float64) - target)
    least = common.format.smallest_normal
    return readings.tiny(self, target, common) | ((d < beta) & ((d * d < least) | (d * d < least * beta)))


def _anywhere(self: Single, beta: float, **_: Any) -> Bools:
    return np.full(self.shape, not np.isfinite(np.float32(beta)))


READINGS: tuple[Reading, ...] = (
    readings.put("equal_infinities", "zero", smooth_l1_loss, readings.equal_infinities, readings.nothing),
    readings.put("beta_not_finite", "nan", smooth_l1_loss, _anywhere, readings.not_a_number),
    readings.saturated("overflow", smooth_l1_loss),
    readings.overflowing("overflow_on_the_way", smooth_l1_loss, _beyond, sums=True),
    readings.put("subnormals_on_the_way", "flush", smooth_l1_loss, _vanishes, readings.nothing),
)

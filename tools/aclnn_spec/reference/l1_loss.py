"""aclnnL1Loss: |self - target|, its mean and its sum, and the values its unspecified clauses accept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.reference import readings
from aclnn_spec.reference.evaluate import Common, Reading
from aclnn_spec.reference.exact import Bools, Terms
from aclnn_spec.reference.floats import WHOLE, Single

_MEAN = 1


def l1_loss(
    self: Single | NDArray[np.int64], target: Single | NDArray[np.int64], *, reduction: int, common: Common
) -> Terms | NDArray[np.int64]:
    """Give the terms; integers wrap as INT64 does."""
    if common.format is WHOLE:
        distance: NDArray[np.int64] = np.abs(self - target)
        return distance
    one, other = self.astype(np.float64), target.astype(np.float64)
    above = np.where(one >= other, 1.0, -1.0)
    return Terms(parts=(above * one, -above * other), plain=np.abs(one - other), over_count=reduction == _MEAN)


def _beyond(self: Single, target: Single, limit: float, **_: Any) -> Bools:
    exceeds: Bools = np.abs(self.astype(np.float64) - target) > limit
    return exceeds


READINGS: tuple[Reading, ...] = (
    readings.put("equal_infinities", "zero", l1_loss, readings.equal_infinities, readings.nothing),
    readings.saturated("overflow", l1_loss),
    readings.overflowing("overflow_on_the_way", l1_loss, _beyond, sums=True),
    readings.put("subnormals_on_the_way", "flush", l1_loss, readings.tiny, readings.nothing),
)

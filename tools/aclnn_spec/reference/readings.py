"""Ways to make another reading of a function that gives Terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from aclnn_spec.reference.evaluate import Common, Reading
from aclnn_spec.reference.exact import Bools, Terms
from aclnn_spec.reference.floats import FLOAT, WHOLE, Single

_NONE = 0

#: Gives Terms, or integers where the common type is INT64.
TermsFunction = Callable[..., Any]
#: Takes what the function takes, as keywords, and gives per element whether the clause is about it.
Mask = Callable[..., Bools]


def put(clause: str, label: str, function: TermsFunction, mask: Mask, value: Callable[..., Any]) -> Reading:
    """The function's values, but those of `value` where the mask holds."""

    def other(*, common: Common, **given: Any) -> Any:
        usual = function(common=common, **given)
        return usual.put(mask(common=common, **given), value(**given)) if isinstance(usual, Terms) else usual

    return Reading(clause=clause, label=label, function=other)


def saturated(clause: str, function: TermsFunction) -> Reading:
    """The function's values, which stop at the largest number of the type they are computed in."""

    def other(*, common: Common, **given: Any) -> Any:
        usual = function(common=common, **given)
        return replace(usual, largest=common.format.largest) if isinstance(usual, Terms) else usual

    return Reading(clause=clause, label="largest", function=other)


def overflowing(clause: str, function: TermsFunction, mask: Mask, *, sums: bool) -> Reading:
    """The function's values, but infinite ones where something on the way to them exceeds the range; NaN for zeros.

    That is the range of the common type; but that of FLOAT for the sums of an operator that `sums`, which are made in
    FLOAT whatever the type of the terms.
    """

    def other(*, common: Common, **given: Any) -> Any:
        usual = function(common=common, **given)
        if not isinstance(usual, Terms):
            return usual
        limit = common.format.largest
        beyond = mask(common=common, limit=limit, **given) & np.isfinite(usual.plain)
        infinite = usual.put(beyond, np.where(usual.plain == 0, np.nan, np.copysign(np.inf, usual.plain)))
        return replace(infinite, ceiling=FLOAT.largest if sums and given["reduction"] != _NONE else limit)

    return Reading(clause=clause, label="infinity", function=other)


def nan_operand(self: Single, target: Single, **_: Any) -> Bools:
    """Where self or target is NaN."""
    return np.isnan(self) | np.isnan(target)


def equal_infinities(self: Single, target: Single, **_: Any) -> Bools:
    """Where self and target are the same infinity."""
    same: Bools = self == target
    return np.isinf(self) & same


def tiny(self: Single, target: Single, common: Common, **_: Any) -> Bools:
    """Where self and target differ, but no more once subnormal operands or differences are zero."""
    if common.format is WHOLE:
        return np.zeros(self.shape, np.bool)
    least = common.format.smallest_normal
    differ: Bools = self != target
    operands: Bools = (np.abs(self) < least) & (np.abs(target) < least)
    difference: Bools = np.abs(self.astype(np.float64) - target) < least
    return differ & (operands | difference)


def nothing(**_: Any) -> float:
    """Zero."""
    return 0.0


def not_a_number(**_: Any) -> float:
    """NaN."""
    return np.nan

"""A case: one call with its data, what must come of it, which clauses it tests and which mistake it hunts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aclnn_spec.golden.tensor import Tensor
from aclnn_spec.spec.model import Text

GROUPS = (
    "basic",
    "ties",
    "mean",
    "threshold",
    "sums",
    "broadcast",
    "deduction",
    "layout",
    "special",
    "empty",
    "status",
    "lifecycle",
    "open",
    "policy",
)
"""`policy` holds the community policy's own list and is in the full tier alone."""

ORDERS = ("twice", "once", "again", "crossed", "nested", "after")
"""How a case is run. twice: two calls on fresh tensors; once: one call, for the very large; again: two calls on the
same tensors; crossed and nested: phase 1 of this case and of its partner, then phase 2 of both, in the same or in the
opposite order; after: the partner's call first, whole."""

SUCCESS = "ACLNN_SUCCESS"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What may come of a call: `value`, `error` or `unspecified`, and the status codes accepted, by name.

    `any_error` among the codes accepts every code but success.
    """

    kind: str
    codes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """Values that an unspecified clause accepts beside the expected ones, under the clause's label for them."""

    clause: str
    label: str
    values: Tensor


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """The strict tolerance: `ulp` in `dtype` or in `common`, the deduced type, whichever is coarser."""

    ulp: int
    dtype: str
    common: str


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case of the suite; `arguments` maps a parameter to a Tensor, a number or None, outputs being all canary."""

    id: str
    operator: str
    group: str
    clauses: tuple[str, ...]
    reason: Text
    arguments: Mapping[str, Any]
    outcome: Outcome
    expected: Tensor | None = None
    alternatives: tuple[Alternative, ...] = ()
    tolerance: Tolerance | None = None
    alias: Mapping[str, str] = field(default_factory=dict)
    order: str = "twice"
    partner: str | None = None

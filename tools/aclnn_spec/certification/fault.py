"""What can be wrong with a call, as a closed set of kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aclnn_spec.spec.model import Text

KINDS = (
    "status",
    "value",
    "stray_write",
    "input_changed",
    "workspace",
    "not_repeatable",
    "raised",
    "wrong_type",
    "crashed",
    "timed_out",
    "inconsistent",
    "runtime",
    "life_cycle",
)
"""status: a code that is not accepted · value: wrong elements · stray_write: bytes changed that are no element of
the output · input_changed: an input's bytes changed · workspace: a size that cannot be · not_repeatable: the same
call gave other bits · raised: an exception came out · wrong_type: an answer of the wrong type · crashed, timed_out:
the process died or hung · inconsistent: the same call gave another status · runtime: the runtime around the two
phases failed, to copy or to synchronise · life_cycle: a handle was kept, or released twice."""


LONGEST = 4000
"""Characters a message may have; an exception's text can be of any length."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong: one of KINDS, and what a developer needs to see."""

    kind: str
    message: Text

    def to_json(self) -> dict[str, Any]:
        """The fault as the certificate holds it."""
        return {"kind": self.kind, "message": {"zh": self.message.zh, "en": self.message.en}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fault:
        """The fault of a certificate that passed its schema."""
        return cls(kind=data["kind"], message=Text(**data["message"]))


def fault(kind: str, *, zh: str, en: str) -> Fault:
    """A fault of one of KINDS."""
    if kind not in KINDS:
        raise ValueError(f"kind: found {kind!r}, expected one of {', '.join(KINDS)}")
    return Fault(kind=kind, message=Text(zh=printable(zh), en=printable(en)))


class FaultError(Exception):
    """Raised by an implementation that has itself found what is wrong with the library behind it.

    `answer` is what the phase would have given, if it came to an answer.
    """

    def __init__(self, kind: str, *, zh: str, en: str, answer: Any = None) -> None:
        super().__init__(en)
        self.fault = fault(kind, zh=zh, en=en)
        self.answer = answer


def printable(text: str) -> str:
    """The text as any JSON file can hold it: whole characters, and not too many."""
    whole = text.encode(errors="replace").decode()
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"

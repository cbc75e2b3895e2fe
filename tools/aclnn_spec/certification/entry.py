"""What became of one case: the line of evidence that a certificate holds for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aclnn_spec.certification.fault import Fault
from aclnn_spec.golden.case import Case
from aclnn_spec.spec.operator import Operator

VERDICTS = ("pass", "fail", "waived", "skipped")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The verdict on one case and its evidence.

    `statuses` holds, for each call of the case itself, the statuses of phase 1 and of phase 2 where it ran; `ulp` is
    the largest error of a right element; `observed` maps a clause to the labels the result showed; `waiver` is the
    reason why a failure was waived.
    """

    id: str
    verdict: str
    statuses: tuple[tuple[int, ...], ...] = ()
    ulp: float | None = None
    faults: tuple[Fault, ...] = ()
    observed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    waiver: str | None = None

    @property
    def operator(self) -> str:
        """The operator's name, the first part of the id."""
        return self.id.split("/")[0]

    @property
    def group(self) -> str:
        """The case's group, the second part of the id."""
        return self.id.split("/")[1] if "/" in self.id else ""

    def to_json(self) -> dict[str, Any]:
        """The entry as the certificate holds it; empty fields are left out."""
        data: dict[str, Any] = {"id": self.id, "verdict": self.verdict}
        if self.statuses:
            data["statuses"] = [list(each) for each in self.statuses]
        if self.ulp is not None:
            data["ulp"] = self.ulp
        if self.faults:
            data["faults"] = [each.to_json() for each in self.faults]
        if self.observed:
            data["observed"] = {clause: list(labels) for clause, labels in self.observed.items()}
        if self.waiver is not None:
            data["waiver"] = self.waiver
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Entry:
        """The entry of a certificate that passed its schema."""
        return cls(
            id=data["id"],
            verdict=data["verdict"],
            statuses=tuple(tuple(each) for each in data.get("statuses", ())),
            ulp=data.get("ulp"),
            faults=tuple(Fault.from_json(each) for each in data.get("faults", ())),
            observed={clause: tuple(labels) for clause, labels in data.get("observed", {}).items()},
            waiver=data.get("waiver"),
        )


def explain(entry: Entry, case: Case, implementation: str, *, operator: Operator, lang: str = "en") -> str:
    """Say in `lang` (zh or en) what failed: the clauses, the mistake the case hunts, the faults, a way to repeat it.

    `implementation` is the text that names it on the command line.
    """
    zh = lang == "zh"
    lines = [entry.id]
    lines += [f"  {name}: {operator.clause(name).text[lang]}" for name in case.clauses]
    lines.append(f"  {'此例查找的错误：' if zh else 'hunts: '}{case.reason[lang]}")
    for each in entry.faults:
        first, *more = each.message[lang].splitlines()
        lines.append(f"  [{each.kind}] {first}")
        lines += [f"      {line}" for line in more]
    lines += [
        f"  {'重现：' if zh else 'to repeat it:'}",
        "      import aclnn_spec",
        f'      aclnn_spec.check("{_quoted(implementation)}", "{_quoted(entry.id)}")',
    ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')

"""A certificate as people read it in the terminal, in Chinese or English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from unicodedata import east_asian_width

from aclnn_spec.certification.certificate import Certificate
from aclnn_spec.certification.conclude import CONFORMANT, INCOMPLETE, NOT_CONFORMANT
from aclnn_spec.certification.entry import VERDICTS, Entry, explain
from aclnn_spec.golden.case import Case
from aclnn_spec.golden.smoke import SMOKE
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.read import Spec

EXPLAINED = 3
"""Failures told in full for every clause; the others are named."""

NAMED = 20
"""Ids listed for a clause before only their number is given."""

_WORDS: Mapping[str, Text] = MappingProxyType(
    {
        "implementation": Text(zh="实现", en="implementation"),
        "operators": Text(zh="算子", en="operators"),
        "product": Text(zh="产品", en="product"),
        "any": Text(zh="未指定", en="not given"),
        "policy": Text(zh="精度策略", en="policy"),
        "tier": Text(zh="用例集", en="tier"),
        "shard": Text(zh="，第 {} 份", en=", shard {}"),
        "numerics": Text(
            zh="范围：只判定数值，不涉及状态码和调用过程。",
            en="Scope: numerics alone; status codes and the life of a call were not judged.",
        ),
        "group": Text(zh="组", en="group"),
        "pass": Text(zh="通过", en="passed"),
        "fail": Text(zh="失败", en="failed"),
        "waived": Text(zh="豁免", en="waived"),
        "skipped": Text(zh="跳过", en="skipped"),
        "ulp": Text(zh="最大 ULP", en="largest ULP"),
        "total": Text(zh="合计", en="total"),
        "failures": Text(zh="失败的用例", en="Failures"),
        "under": Text(zh="条款 {}：失败 {} 个", en="clause {}: {} failed"),
        "also": Text(zh="另有：", en="also:"),
        "more": Text(zh="……以及其他 {} 个", en="… and {} more"),
        "observed": Text(zh="未作规定之处的实际表现（用例数）", en="Seen where the spec leaves freedom (cases)"),
        "waivers": Text(zh="豁免的用例", en="Waived"),
        "notes": Text(zh="原因", en="Why"),
        "verdict": Text(zh="结论", en="Verdict"),
        "with_waived": Text(zh="，其中豁免 {} 个用例", en=", with {} waived"),
        "in_shard": Text(zh="（仅限第 {} 份）", en=" (shard {} only)"),
        "in_smoke": Text(zh="（仅限 smoke，即 core 的一小部分）", en=" (smoke tier only, a selection of core)"),
        CONFORMANT: Text(zh="符合规范", en="conformant"),
        NOT_CONFORMANT: Text(zh="不符合规范", en="not conformant"),
        INCOMPLETE: Text(zh="不完整", en="incomplete"),
    }
)


def summary(
    certificate: Certificate, spec: Spec, case: Callable[[str], Case], *, lang: str = "en", explained: int = EXPLAINED
) -> str:
    """Tell what a run showed; `case` finds a case by its id, and `lang` is zh or en.

    Of the failures under each clause the first few are told in full, as `explain` does.
    """
    page = _Page(certificate, spec, lang)
    parts = [page.head(), page.groups(), page.failures(case, explained), page.waived(), page.observed()]
    return "\n\n".join("\n".join(part) for part in [*parts, page.end()] if part)


class _Page:
    """A summary in one language."""

    def __init__(self, certificate: Certificate, spec: Spec, lang: str) -> None:
        self.certificate, self.spec, self.lang = certificate, spec, lang

    def word(self, name: str, *values: object) -> str:
        return _WORDS[name][self.lang].format(*values)

    def head(self) -> list[str]:
        one = self.certificate
        product = self.spec.tables.products.get(one.product or "")
        shard = self.word("shard", one.shard) if one.shard else ""
        rows = [
            ("implementation", f"{one.implementation['name']} {one.implementation['version']}"),
            ("operators", ", ".join(one.operators)),
            ("product", product.name[self.lang] if product else one.product or self.word("any")),
            ("policy", one.policy),
            ("tier", one.tier + shard),
        ]
        lines = _table([(self.word(name), value) for name, value in rows])
        return [*lines, *([self.word("numerics")] if one.scope == "numerics" else [])]

    def groups(self) -> list[str]:
        groups: dict[str, list[Entry]] = {}
        for entry in self.certificate.entries:
            groups.setdefault(entry.group, []).append(entry)
        title = [self.word("group"), *map(self.word, VERDICTS), self.word("ulp")]
        rows = [title, *(self.row(name, entries) for name, entries in groups.items())]
        return _table([*rows, self.row(self.word("total"), self.certificate.entries)])

    def row(self, name: str, entries: Sequence[Entry]) -> list[str]:
        counts = Counter(entry.verdict for entry in entries)
        largest = max((entry.ulp for entry in entries if entry.ulp is not None), default=None)
        return [name, *(str(counts[verdict]) for verdict in VERDICTS), "-" if largest is None else f"{largest:g}"]

    def failures(self, case: Callable[[str], Case], explained: int) -> list[str]:
        by_clause: dict[tuple[str, str], list[tuple[Entry, Case | None]]] = {}
        for entry in self.certificate.entries:
            if entry.verdict == "fail":
                failed = case(entry.id)
                told = by_clause.setdefault((failed.operator, failed.clauses[0]), [])
                told.append((entry, failed if len(told) < explained else None))
        lines = [self.word("failures")] if by_clause else []
        for (operator, clause), failures in by_clause.items():
            lines += ["", self.word("under", clause, len(failures))]
            for entry, told_case in failures:
                if told_case is not None:
                    text = explain(
                        entry,
                        told_case,
                        self.certificate.implementation["given"],
                        operator=self.spec.operators[operator],
                        lang=self.lang,
                    )
                    lines += [f"  {line}" for line in text.splitlines()]
            rest = [entry.id for entry, told_case in failures if told_case is None]
            if rest:
                lines += [f"  {self.word('also')}", *(f"    {name}" for name in rest[:NAMED])]
            if len(rest) > NAMED:
                lines.append(f"    {self.word('more', len(rest) - NAMED)}")
        return lines

    def waived(self) -> list[str]:
        entries = [entry for entry in self.certificate.entries if entry.verdict == "waived"]
        rows = [f"  {entry.id}: {entry.waiver}" for entry in entries]
        return [self.word("waivers"), *rows] if rows else []

    def observed(self) -> list[str]:
        seen = self.certificate.observed
        rows = [
            (
                f"  {operator}: {clause}" if len(seen) > 1 else f"  {clause}",
                ", ".join(f"{label} ({count})" for label, count in labels.items()),
            )
            for operator, clauses in seen.items()
            for clause, labels in clauses.items()
        ]
        return [self.word("observed"), *_table(rows)] if rows else []

    def end(self) -> list[str]:
        one = self.certificate
        notes = [f"  {note[self.lang]}" for note in one.notes]
        lines = [self.word("notes"), *notes, ""] if notes else []
        verdict = self.word(one.verdict)
        waived = one.totals.get("waived", 0)
        if waived:
            amount = f"{waived} case{'s' * (waived != 1)}" if self.lang == "en" else str(waived)
            verdict += self.word("with_waived", amount)
        if one.shard:
            verdict += self.word("in_shard", one.shard)
        if one.tier == SMOKE:
            verdict += self.word("in_smoke")
        colon = "：" if self.lang == "zh" else ": "
        return [*lines, f"{self.word('verdict')}{colon}{verdict}"]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns under each other, the first to the left and numbers to the right; Chinese is two columns wide."""
    if not rows:
        return []
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_cells(row, widths)).rstrip() for row in rows]


def _cells(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for i, (text, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - _width(text))
        yield text + space if i == 0 or len(row) == 2 else space + text  # noqa: PLR2004 - name and text


def _width(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)

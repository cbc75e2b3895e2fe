"""The parts of a report on a certificate, in Chinese or English: what the site's pages and a page of its own share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aclnn_spec.certification.certificate import Certificate
from aclnn_spec.certification.entry import VERDICTS, Entry, explain
from aclnn_spec.certification.verify import Checked
from aclnn_spec.emit.pages.blocks import (
    Block,
    Bullets,
    Code,
    Commands,
    Figure,
    Heading,
    Inline,
    Line,
    Link,
    Paragraph,
    Story,
    Table,
)
from aclnn_spec.emit.pages.certificate_words import WORDS
from aclnn_spec.emit.pages.svg import histogram

MIXED = "mixed"
NO_TYPE = "no_type"
_BINS = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 10.0)
"""Upper ends of the histogram's bars, in ULP; one more bar is for what lies beyond."""


def type_of(case_id: str, dtypes: Iterable[str]) -> str:
    """The type a case is of, by its id: the one type of its inputs and output, MIXED, or NO_TYPE."""
    known = frozenset(dtypes)
    first, *rest = case_id.rsplit("/", maxsplit=1)[-1].split("-")
    found = set(first.split("."))
    if not found <= known:
        return NO_TYPE
    found |= {name for name in rest[:1] if name in known}
    return found.pop() if len(found) == 1 else MIXED


class Report:
    """The parts of a report in one language.

    `source`, for the site alone, is where the repository holds the certificate.
    """

    def __init__(self, checked: Checked, lang: str, *, source: str = "") -> None:
        self.certificate, self.suite, self.lang = checked.certificate, checked.suite, lang
        self.source = source
        self.types: dict[str, str] = {
            entry.id: type_of(entry.id, self.suite.spec.tables.dtypes) for entry in self.certificate.entries
        }

    @property
    def title(self) -> str:
        """The page's title."""
        return self.word("title").format(self.name)

    @property
    def name(self) -> str:
        """The implementation's name and version."""
        return "{name} {version}".format_map(self.certificate.implementation)

    @property
    def mark(self) -> str:
        """The verdict as a class of the style sheet."""
        return self.certificate.verdict.replace(" ", "-")

    def word(self, name: str) -> str:
        """A word or sentence in the report's language."""
        return WORDS[name][self.lang]

    def blocks(self) -> Iterator[Block]:
        """The report from its title to its end."""
        yield Heading(level=1, text=self.title)
        yield Paragraph(line=self.verdict(), mark=f"verdict {self.mark}")
        if self.certificate.scope == "numerics":
            yield Paragraph(line=self.word("numerics"))
        parts = (
            ("notes", self.notes()),
            ("about", self.about()),
            ("matrix", self.matrix()),
            ("ulp", self.histograms()),
            ("observed", self.observed()),
            ("failures", self.failures()),
            ("waivers", self.waivers()),
            ("check", self.check()),
        )
        for name, found in parts:
            blocks = list(found)
            if blocks:
                yield Heading(level=2, text=self.word(name), anchor=name)
                yield from blocks

    def verdict(self) -> str:
        """The verdict in a sentence, with the totals behind it."""
        one = self.certificate
        counts = ", ".join if self.lang == "en" else "，".join
        listed = counts([f"{self.word(name)} {one.totals[name]}" for name in VERDICTS if one.totals[name]])
        shard = self.word("only_shard").format(one.shard) if one.shard else ""
        return self.word("verdict").format(self.word(one.verdict), shard, len(one.entries), listed)

    def notes(self) -> Iterator[Block]:
        """Why the run is not conformant."""
        if self.certificate.notes:
            yield Bullets(lines=tuple(note[self.lang] for note in self.certificate.notes))

    def about(self) -> Iterator[Block]:
        """Who was judged, by what, where, and the digests that bind the certificate to what it was made with."""
        one, tables = self.certificate, self.suite.spec.tables
        made = one.implementation
        product = tables.products[one.product].name[self.lang] if one.product else self.word("any")
        rows: list[tuple[str, Line]] = [
            (self.word("implementation"), self.name),
            (self.word("given"), Code(made["given"])),
            (self.word("scope"), self.word(f"scope_{made['scope']}")),
            *((self.word("operator"), self.operator(name)) for name in one.operators),
            (self.word("product"), product),
            (self.word("policy"), Code(one.policy)),
            (self.word("tier"), Code(one.tier)),
            *([(self.word("shard"), Code(one.shard))] if one.shard else []),
        ]
        yield Table(head=(self.word("what"), self.word("value")), rows=tuple(rows))
        seen = [(f"details.{name}", value) for name, value in made["details"].items()]
        seen += [(f"platform.{name}", value) for name, value in one.platform.items()]
        seen += [(f"digests.{name}", value) for name, value in one.digests.items()]
        seen.append(("seal", one.seal))
        yield Paragraph(line=self.word("evidence"))
        yield Table(
            head=(self.word("field"), self.word("value")),
            rows=tuple(
                (Code(name), Code(value if isinstance(value, str) else json.dumps(value))) for name, value in seen
            ),
        )

    def operator(self, name: str) -> Line:
        """An operator's name and version, with a link to its page on the site."""
        version = f" {self.suite.spec.operators[name].version}"
        return (Link(text=Code(name), to=f"../operators/{name}.md") if self.source else Code(name), version)

    def clause(self, operator: str, name: str) -> Inline:
        """A clause's name, with a link to it on the site."""
        return Link(text=Code(name), to=f"../operators/{operator}.md#{name}") if self.source else Code(name)

    def matrix(self) -> Iterator[Block]:
        """For each operator, what became of the cases of each group and type."""
        yield Paragraph(line=self.word("matrix_told"))
        for name in self.certificate.operators:
            entries = [entry for entry in self.certificate.entries if entry.operator == name]
            types = self.columns(entries)
            groups = list(dict.fromkeys(entry.group for entry in entries))
            cells = [[self.chosen(entries, group, each) for each in (*types, None)] for group in (*groups, None)]
            heads = [*map(Code, groups), self.word("total")]
            yield Paragraph(line=(Code(name),))
            yield Table(
                head=(self.word("group"), *map(self.type_name, types), self.word("total")),
                rows=tuple((head, *map(self.counts, row)) for head, row in zip(heads, cells, strict=True)),
                marks=tuple(("", *map(_worst, row)) for row in cells),
                numbers=True,
            )

    def chosen(self, entries: Sequence[Entry], group: str | None, each: str | None) -> list[Entry]:
        """The entries of a group and a type; None stands for all."""
        return [one for one in entries if group in (None, one.group) and each in (None, self.types[one.id])]

    def columns(self, entries: Iterable[Entry]) -> list[str]:
        """The types that these entries are of: the single ones first, in the spec's order."""
        found = {self.types[entry.id] for entry in entries}
        return [each for each in (*self.suite.spec.tables.dtypes, MIXED, NO_TYPE) if each in found]

    def type_name(self, each: str) -> str:
        """A type as people read it."""
        return self.word(each) if each in (MIXED, NO_TYPE) else Code(each)

    def counts(self, entries: Sequence[Entry]) -> str:
        """The numbers of a cell, such as `12 passed · 3 failed`; the number alone if all passed."""
        totals = Counter(entry.verdict for entry in entries)
        if totals.keys() == {"pass"}:
            return str(totals["pass"])
        return " · ".join(f"{totals[name]} {self.word(name)}" for name in VERDICTS if totals[name]) or "–"

    def histograms(self) -> Iterator[Block]:
        """For each type, how many of the cases that passed have their largest error where."""
        measured = [one for one in self.certificate.entries if one.ulp is not None and one.verdict == "pass"]
        if not measured:
            return
        yield Paragraph(line=self.word("ulp_told"))
        for each in self.columns(measured):
            errors = [entry.ulp for entry in self.chosen(measured, None, each) if entry.ulp is not None]
            title = self.word("ulp_of").format(self.type_name(each))
            told = self.word("ulp_desc").format(len(errors), sum(not error for error in errors), f"{max(errors):g}")
            yield Paragraph(line=(self.type_name(each), self.word("colon"), told))
            svg = histogram(_bins(errors), name=f"ulp-{each}", title=title, told=told, axis=self.word("axis"))
            yield Figure(svg=svg)

    def observed(self) -> Iterator[Block]:
        """What the implementation did where the spec leaves it free."""
        for name, clauses in self.certificate.observed.items():
            operator = self.suite.spec.operators[name]
            yield Paragraph(line=(self.word("observed_of"), Code(name), self.word("colon").rstrip()))
            rows = [
                (
                    self.clause(name, each),
                    labels_of(labels),
                    self.codes(operator.clause(each).accepts),
                    operator.clause(each).text[self.lang],
                )
                for each, labels in clauses.items()
            ]
            head = (self.word("clause"), self.word("seen"), self.word("accepted"), self.word("text"))
            yield Table(head=head, rows=tuple(rows))

    def codes(self, names: Iterable[str]) -> Line:
        """Labels one after another."""
        return tuple(each for name in names for each in (", " if self.lang == "en" else "、", Code(name)))[1:]

    def failures(self) -> Iterator[Block]:
        """Every failure with its whole story, under its id."""
        failed = [entry for entry in self.certificate.entries if entry.verdict in ("fail", "waived")]
        if failed:
            yield Paragraph(line=self.word("failures_told"))
        for entry in failed:
            case = self.suite.golden.case(entry.id)
            given = self.certificate.implementation["given"]
            story = explain(entry, case, given, operator=self.suite.operator(entry.id), lang=self.lang)
            kinds = ", ".join(dict.fromkeys(each.kind for each in entry.faults))
            waived = f" ({self.word('waived')})" if entry.verdict == "waived" else ""
            yield Story(summary=f"{entry.id} [{kinds}]{waived}", text=story)

    def waivers(self) -> Iterator[Block]:
        """The waivers that were given, and how many cases each of them covered."""
        waived = [entry.id for entry in self.certificate.entries if entry.verdict == "waived"]
        rows = [
            (Code(waiver.cases), str(sum(waiver.covers(each) for each in waived)), waiver.reason)
            for waiver in self.certificate.waivers
        ]
        if rows:
            yield Table(head=(self.word("cases"), self.word("covered"), self.word("reason")), rows=tuple(rows))

    def check(self) -> Iterator[Block]:
        """How a reader can check the certificate, and what that does not show."""
        yield Paragraph(line=self.word("check_told"))
        if self.source:
            file = self.source.rpartition("/")[2]
            yield Paragraph(line=Link(text=Code(file), to=f"../../data/certificates/{file}"))
            yield Commands(lines=(f"aclnn-spec verify {self.source}", certify_command(self.certificate, self.source)))


def certify_command(certificate: Certificate, source: str) -> str:
    """The command that makes the certificate anew."""
    return f"aclnn-spec certify {certificate.implementation['given']} --certificate {source}"


def labels_of(labels: Mapping[str, int]) -> Line:
    """What was seen, each label with its number of cases."""
    return tuple(each for name, count in labels.items() for each in (", ", Code(name), f" ({count})"))[1:]


def _bins(errors: Iterable[float]) -> list[tuple[str, int]]:
    found = Counter(next((i for i, end in enumerate(_BINS) if error <= end), len(_BINS)) for error in errors)
    names = [f"{'≤ ' * bool(end)}{end:g}" for end in _BINS]
    return [(name, found[i]) for i, name in enumerate([*names, f"> {_BINS[-1]:g}"])]


def _worst(entries: Sequence[Entry]) -> str:
    found = {entry.verdict for entry in entries}
    return next((name for name in ("fail", "waived", "pass", "skipped") if name in found), "")

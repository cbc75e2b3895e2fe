"""The page of an operator: all that the spec says of it, the cases that test it, and what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from aclnn_spec.emit.c_check import c_declaration
from aclnn_spec.emit.pages.markdown import bullets, code, codes, fence, heading, page, prose, table
from aclnn_spec.emit.pages.material import DOWNLOADS, Material
from aclnn_spec.emit.pages.matrix import AXES, deduction_matrix
from aclnn_spec.emit.pages.picture import broadcast_picture, example_shapes
from aclnn_spec.emit.pages.words import DOWNLOAD, OPERATOR, said
from aclnn_spec.spec.model import Clause, Parameter, Prototype, Source
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules.shapes import Broadcastable
from aclnn_spec.spec.rules.types import Deducible

OUTCOMES = ("value", "error", "unspecified")
_FEW = 3


def operator_index(material: Material, lang: str) -> str:
    """The page that lists the operators."""
    rows = [
        [f"[{code(one.name)}]({one.name}.md)", prose(one.title[lang]), one.version, one.cann, len(one.clauses)]
        for one in material.operators
    ]
    columns = [said(OPERATOR, name, lang) for name in ("operator", "title", "version", "cann", "clauses")]
    blocks = [said(OPERATOR, "index", lang), table(columns, rows)]
    return page("spec/operators", said(OPERATOR, "operators", lang), blocks)


def operator_page(operator: Operator, material: Material, lang: str) -> str:
    """The page of one operator."""
    blocks = [f"**{prose(operator.title[lang])}**", *_Page(operator, material, lang).blocks()]
    return page(f"spec/operators/{operator.name}.json", operator.name, blocks)


class _Page:
    """One operator in one language."""

    def __init__(self, operator: Operator, material: Material, lang: str) -> None:
        self.operator, self.material, self.lang = operator, material, lang
        self.tables = operator.tables

    def word(self, name: str, **values: object) -> str:
        return said(OPERATOR, name, self.lang, **values)

    def label(self, name: str, **values: object) -> str:
        return self.word(name, **values) + said(OPERATOR, "colon", self.lang)

    def head(self, name: str) -> str:
        return heading(self.word(name), name.replace("_", "-"))

    def row(self, *names: str) -> list[str]:
        return [self.word(name) for name in names]

    def blocks(self) -> Iterator[str]:
        one = self.operator
        yield prose(one.summary[self.lang])
        yield self.word("versions", version=one.version, cann=one.cann)
        yield from (self.head("formula"), f"$$\n{one.formula}\n$$")
        yield from (self.head("products"), self.products())
        yield self.head("prototypes")
        yield fence("\n\n".join(map(_declaration, (one.get_workspace_size, one.execute))), "c")
        yield self.word("header", header=code(one.header))
        yield from (self.head("parameters"), self.parameters())
        yield from (self.head("clause_list"), self.word("about_clauses"))
        for outcome in OUTCOMES:
            yield heading(self.word(outcome), f"clauses-{outcome}", 3)
            for clause in one.clauses:
                if clause.outcome == outcome:
                    yield from self.clause(clause)
        yield from (self.head("status_codes"), self.status_codes())
        rules = {type(clause.rule.core) for clause in one.clauses if clause.rule}
        if Deducible in rules and len(one.inputs) >= AXES:
            yield from (self.head("deduction_matrix"), self.word("about_deduction"))
            if len(one.inputs) > AXES:
                yield self.word("about_fixed", first=code(one.inputs[0].name))
            yield from deduction_matrix(one, self.lang)
        if Broadcastable in rules:
            shapes = {name: list(shape) for name, shape in example_shapes(one).items()}
            yield from (self.head("broadcasting"), self.word("about_broadcast", output=code(one.output.name)))
            names = [f"{name} {shape}" for name, shape in shapes.items()]
            yield broadcast_picture(one, self.word("broadcast_title", inputs=", ".join(names[:-1]), output=names[-1]))
        yield from (self.head("tolerance"), self.word("about_tolerance"), self.accuracy())
        yield from (self.head("open_behaviour"), self.word("about_open"), self.observed())
        yield from (self.head("page_errata"), self.errata())
        yield self.head("call_example")
        yield from self.example()
        yield from (self.head("downloads"), downloads(self.material, self.lang, operator=one.name))
        yield from (heading(self.word("source_names"), "sources"), self.source_names())

    def products(self) -> str:
        marks = {True: f"✓ {self.word('yes')}", False: f"✕ {self.word('no')}"}
        rows = [
            [prose(self.tables.products[name].name[self.lang]), code(name), marks[supported]]
            for name, supported in self.operator.products.items()
        ]
        return table(self.row("product", "id", "supported"), rows)

    def parameters(self) -> str:
        columns = self.row("parameter", "role", "types", "formats", "rank", "non_contiguous", "meaning")
        return table(columns, map(self.parameter, self.operator.parameters))

    def parameter(self, one: Parameter) -> Sequence[str]:
        if one.kind == "tensor":
            types, formats = codes(one.dtypes), codes(one.formats)
            rank = f"{one.rank[0]}–{one.rank[1]}" if one.rank else "—"
            strided = self.word("yes" if one.non_contiguous else "no")
        else:
            types, formats, rank, strided = code(one.kind), "—", "—", "—"
        values = codes(f"{name} = {value}" for name, value in one.values.items())
        meaning = prose(one.summary[self.lang])
        return code(one.name), self.word(one.role), types, formats, rank, strided, f"{meaning} {values}".rstrip()

    def clause(self, clause: Clause) -> Iterator[str]:
        yield heading(code(clause.id), clause.id, 4)
        yield prose(clause.text[self.lang])
        yield bullets(self.facts(clause))

    def facts(self, clause: Clause) -> Iterator[str]:
        yield f"{self.label('outcome')}{code(clause.outcome)}"
        if clause.accepts:
            yield f"{self.label('accepts')}{codes(map(self.number, clause.accepts))}"
        if clause.rule is not None:
            yield f"{self.label('rule')}{prose(clause.rule.explain()[self.lang])}"
        if clause.order:
            yield self.label("order") + ", ".join(f"[{code(name)}](#{name})" for name in clause.order)
        if clause.products:
            names = [prose(self.tables.products[name].name[self.lang]) for name in clause.products]
            yield f"{self.label('only_on')}{'、'.join(names) if self.lang == 'zh' else ', '.join(names)}"
        if clause.uniform:
            yield self.word("uniform")
        if clause.follows:
            yield self.word("follows", clause=f"[{code(clause.follows)}](#{clause.follows})")
        for conflict in clause.conflicts:
            between = codes(dict.fromkeys(conflict.between))
            yield f"{self.label('conflict', between=between)}{prose(conflict.text[self.lang])}"
            yield f"{self.label('reading')}{prose(conflict.reading[self.lang])}"
        yield f"{self.label('sources')}{self.sources(clause.sources)}"
        yield f"{self.label('cases')}{self.cases(clause.id)}"

    def cases(self, clause: str) -> str:
        """How many cases test a clause, with a link to them, and the first few."""
        found = [case["id"] for case in self.material.cases[self.operator.name] if clause in case["clauses"]]
        ids = [code(case_id.removeprefix(f"{self.operator.name}/")) for case_id in found[:_FEW]]
        more = ", …" if len(found) > _FEW else ""
        return f"[{len(found)}](../data/cases.md?operator={self.operator.name}&clause={clause}), {', '.join(ids)}{more}"

    def number(self, name: str) -> str:
        known = self.tables.status_codes
        return f"{name} ({int(known[name])})" if name in known else name

    def sources(self, sources: Sequence[Source]) -> str:
        between = "；" if self.lang == "zh" else "; "
        return between.join(f"{code(source.of)} {prose(source.where[self.lang])}" for source in sources)

    def source_names(self) -> str:
        rows = [[code(name), prose(text[self.lang])] for name, text in self.tables.sources.items()]
        return table(self.row("source", "meaning"), rows)

    def status_codes(self) -> str:
        rows = []
        for name, status in self.tables.status_codes.items():
            causes = [f"[{code(one.id)}](#{one.id})" for one in self.operator.clauses if name in one.accepts]
            if causes:
                rows.append([str(int(status)), code(name), prose(status.meaning[self.lang]), ", ".join(causes)])
        return table(self.row("number", "name", "meaning", "clauses"), rows)

    def accuracy(self) -> str:
        rows = [
            [
                self.conditions(one.when),
                codes(one.dtype) or self.word("any"),
                f"{_formula(one.ulp)}&nbsp;ULP",
                prose(one.text[self.lang]),
                self.sources(one.sources),
            ]
            for one in self.operator.accuracy
        ]
        return table(self.row("condition", "coarser_type", "limit", "derivation", "sources"), rows)

    def conditions(self, when: Mapping[str, Sequence[str]]) -> str:
        """The attributes' values under which a tolerance holds."""
        colon = said(OPERATOR, "colon", self.lang)
        return "<br>".join(f"{code(name)}{colon}{codes(values)}" for name, values in when.items()) or self.word("any")

    def observed(self) -> str:
        certificates = self.material.certificates
        columns = [
            *self.row("clause", "accepts"),
            *(f"[{code(name)}](../certificates/{name}.md)" for name in certificates),
        ]
        rows = [
            [
                f"[{code(one.id)}](#{one.id})",
                codes(map(self.number, one.accepts)),
                *(self.seen(certificate, one.id) for certificate in certificates.values()),
            ]
            for one in self.operator.clauses
            if one.outcome == "unspecified"
        ]
        return table(columns, rows)

    def seen(self, certificate: Mapping[str, Any], clause: str) -> str:
        """What an implementation was seen to do where a clause leaves the choice."""
        labels = certificate["observed"].get(self.operator.name, {}).get(clause, {})
        return ", ".join(f"{code(label)}&nbsp;×&nbsp;{count}" for label, count in labels.items()) or "—"

    def errata(self) -> str:
        rows = [
            [code(one.id), prose(one.text[self.lang]), prose(one.reading[self.lang]), self.sources(one.sources)]
            for one in self.operator.errata
        ]
        return table(self.row("erratum", "text", "reading", "sources"), rows)

    def example(self) -> Iterator[str]:
        example = self.operator.example
        yield prose(self.operator.example_text[self.lang])
        rows = [[code(name), *_argument(value)] for name, value in example["arguments"].items()]
        output = self.operator.output.name
        rows = [[*row[:2], code(example["result"])] if row[0] == code(output) else row for row in rows]
        yield table(self.row("parameter", "type_and_shape", "values"), rows)
        stem = PurePosixPath(self.operator.header).stem.removeprefix("aclnn_")
        yield from self.sources_of("C++", f"examples/{stem}.cpp", "cpp")
        yield from self.sources_of("Python", "examples/my_kernel.py", "python")
        yield from self.sources_of("NumPy", "examples/my_function.py", "python")

    def sources_of(self, name: str, path: str, language: str) -> Iterator[str]:
        """An example of the repository, if it is about this operator."""
        if (self.material.root / path).is_file() and self.operator.name in self.material.text(path):
            yield heading(name, f"example-{name.lower().replace('+', 'p')}", 3)
            yield code(path)
            yield fence(self.material.text(path), language)


def downloads(material: Material, lang: str, operator: str | None = None) -> str:
    """A table of the golden files, of one operator or of all, each with its size and SHA-256."""
    rows = [
        [
            f"[{code(entry['name'])}](../../{DOWNLOADS}/{entry['name']})",
            f"{entry['bytes']:,}",
            code(entry["sha256"]),
        ]
        for entry in material.files
        if operator is None or entry["name"].partition(".")[0] == operator
    ]
    return table([said(DOWNLOAD, name, lang) for name in ("file", "bytes", "sha256")], rows)


def _argument(value: Any) -> tuple[str, str]:
    if not isinstance(value, Mapping):
        return "—", code(value)
    shape = f"{value['dtype']}[{', '.join(map(str, value['shape']))}]"
    return code(shape), code(value["data"]) if "data" in value else "—"


def _formula(ulp: int | str) -> str:
    """A tolerance in the letters that the page explains."""
    return str(ulp).replace("rank", "r").replace(" * sqrt(count)", "·√n")


def _declaration(function: Prototype) -> str:
    parameters = ",\n".join(f"    {c_declaration(c_type, name)}" for name, c_type in function.parameters)
    return f"aclnnStatus {function.name}(\n{parameters});"

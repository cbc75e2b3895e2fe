"""What a page says otherwise than the spec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aclnn_spec.page.facts import ParameterFacts, exceptions, parameter_facts
from aclnn_spec.page.model import Page
from aclnn_spec.page.proposals import Proposal, RuleData, proposals
from aclnn_spec.page.sentences import inner_rule
from aclnn_spec.page.vocabulary import Vocabulary
from aclnn_spec.spec.model import Clause, Parameter
from aclnn_spec.spec.model import Prototype as SpecPrototype
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.rules import Rule

TOPICS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "not_null": frozenset({"null"}),
        "max_rank": frozenset({"rank", "shape"}),
        "min_rank": frozenset({"rank", "shape"}),
        "broadcastable": frozenset({"shape"}),
        "shape_is_broadcast": frozenset({"shape"}),
        "one_of": frozenset({"value"}),
        "format_in": frozenset({"format"}),
        "deducible": frozenset({"dtype"}),
        "deduced_in": frozenset({"dtype"}),
        "castable": frozenset({"dtype"}),
        "dtype_in": frozenset({"dtype"}),
        "dtype_not_in": frozenset({"dtype"}),
        "same_dtype": frozenset({"dtype"}),
        "not_both": frozenset({"dtype"}),
        "shape_is": frozenset({"rank", "shape"}),
        "at_least": frozenset({"value"}),
        "finite": frozenset({"value"}),
    }
)
"""What the kinds of rule are about, by the words that pages have for it; other kinds may be about anything."""
_ERROR_ROWS = re.compile(r"error (?:table|rows)", re.IGNORECASE)
_HEADER = re.compile(r"(?:^|/)aclnn\w+\.h$")


@dataclass(frozen=True, kw_only=True)
class Change:
    """A fact that differs: `where` as a path in the operator file, what the spec has, what the page has, its line."""

    kind: str
    """added, removed or changed."""
    where: str
    spec: str | None
    page: str | None
    line: int


def drift(operator: Operator, page: Page, vocabulary: Vocabulary) -> tuple[Change, ...]:
    """All facts in which the page and the spec differ; none where the page is silent."""
    changes = [
        *_products(operator, page),
        *_prototypes(operator, page),
        *_parameters(operator, page, vocabulary),
        *_exceptions(operator, page, vocabulary),
        *_rest(operator, page),
        *_errors(operator, page, vocabulary),
    ]
    return tuple(sorted(changes, key=lambda change: (change.line, change.where)))


def _change(where: str, spec: object, page: object, line: int) -> Change:
    kind = "added" if spec is None else "removed" if page is None else "changed"
    return Change(
        kind=kind,
        where=where,
        spec=None if spec is None else str(spec),
        page=None if page is None else str(page),
        line=line,
    )


def _products(operator: Operator, page: Page) -> Iterator[Change]:
    words = {True: "supported", False: "not supported", None: None}
    rows = {name: row for row in page.products for name in row.ids}
    for name, supported in operator.products.items():
        row = rows.get(name)
        found = row.supported if row else None
        if found != supported:
            line = row.line if row else page.products[0].line if page.products else 1
            yield _change(f"products.{name}", words[supported], words[found], line)
    for row in page.products:
        if not row.ids:
            yield _change("products", None, row.text, row.line)


def _prototypes(operator: Operator, page: Page) -> Iterator[Change]:
    for key in ("get_workspace_size", "execute"):
        expected: SpecPrototype = getattr(operator, key)
        found = page.prototype(expected.name)
        if found is None:
            yield _change(f"prototypes.{key}", expected.name, None, 1)
            continue
        names = dict(expected.parameters)
        for parameter in found.parameters:
            c_type = names.get(parameter.name)
            if c_type is None or _without_top_const(c_type) != _without_top_const(parameter.c_type):
                where = f"prototypes.{key}.{parameter.name}"
                yield _change(where, c_type, parameter.c_type, parameter.line)
        for name in [name for name in names if name not in found.names]:
            yield _change(f"prototypes.{key}.{name}", names[name], None, found.line)
        if set(names) == set(found.names) and list(names) != list(found.names):
            yield _change(f"prototypes.{key}", ", ".join(names), ", ".join(found.names), found.line)


def _without_top_const(c_type: str) -> str:
    """A C type without the const of a value that is passed: it makes no difference to the caller."""
    return c_type if "*" in c_type else c_type.replace("const ", "")


def _parameters(operator: Operator, page: Page, vocabulary: Vocabulary) -> Iterator[Change]:
    found = {each.name: each for each in parameter_facts(page, operator.name, vocabulary)}
    for parameter in operator.parameters:
        facts = found.get(parameter.name)
        if facts is not None:  # one that is gone is told of at the prototype
            yield from _parameter(parameter, facts)


def _parameter(parameter: Parameter, facts: ParameterFacts) -> Iterator[Change]:
    where, line = f"parameters.{parameter.name}", facts.line
    if parameter.role != facts.role:
        yield _change(f"{where}.role", parameter.role, facts.role, line)
    if parameter.kind != facts.kind:
        yield _change(f"{where}.kind", parameter.kind, facts.kind, line)
    if facts.is_tensor:
        for name in ("dtypes", "formats"):
            ours, theirs = getattr(parameter, name), getattr(facts, name)
            if theirs and set(map(str, ours)) != set(theirs):
                yield _change(f"{where}.{name}", ", ".join(ours), ", ".join(theirs), line)
        if facts.rank is not None and facts.rank != parameter.rank:
            ours = "-".join(map(str, parameter.rank)) if parameter.rank else None
            yield _change(f"{where}.rank", ours, "-".join(map(str, facts.rank)), line)
        if facts.non_contiguous is not None and facts.non_contiguous != parameter.non_contiguous:
            yield _change(f"{where}.non_contiguous", parameter.non_contiguous, facts.non_contiguous, line)
    elif facts.values and parameter.values and dict(facts.values) != dict(parameter.values):
        yield _change(f"{where}.values", dict(parameter.values), dict(facts.values), line)


def _exceptions(operator: Operator, page: Page, vocabulary: Vocabulary) -> Iterator[Change]:
    known = {
        (product, dtype)
        for clause in operator.clauses
        if clause.outcome == "error" and clause.rule is not None and clause.rule.kind == "dtype_not_in"
        for product in clause.products
        for dtype in getattr(clause.rule, "dtypes", ())
    }
    found = exceptions(page, operator.name, vocabulary)
    for product, dtype in sorted(found.keys() - known):
        yield _change(f"products.{product}.dtypes", None, f"not {dtype}", found[product, dtype])
    for product, dtype in sorted(known - found.keys()):
        yield _change(f"products.{product}.dtypes", f"not {dtype}", None, 1)


def _rest(operator: Operator, page: Page) -> Iterator[Change]:
    headers = [i for example in page.examples for i in example.includes if _HEADER.search(i.path)]
    if headers and operator.header not in [include.path for include in headers]:
        yield _change("header", operator.header, headers[0].path, headers[0].line)
    said = page.determinism.get(operator.name)
    if said is not None and said != operator.deterministic:
        line = page.constraints[0].line if page.constraints else 1
        yield _change("deterministic", operator.deterministic, said, line)


def _errors(operator: Operator, page: Page, vocabulary: Vocabulary) -> Iterator[Change]:
    """Rows that no clause says, and clauses from the page that no row says any more."""
    clauses = [clause for clause in operator.clauses if clause.outcome == "error" and clause.rule is not None]
    rows = proposals(page, operator.name, vocabulary)
    for proposal in rows:
        if not proposal.rules and not any(_akin(clause, proposal) for clause in clauses):
            yield _change("clauses", None, _said(proposal), proposal.row.line)
        for rule in proposal.rules:
            same = [c for c in clauses if c.rule and c.rule.kind == rule["kind"] and _same_status(c, proposal)]
            same = [clause for clause in same if clause.rule is inner_rule(clause)]
            if not same and not any(_akin(clause, proposal) for clause in clauses):
                yield _change("clauses", None, _said(proposal), proposal.row.line)
            elif same and not _covered(rule, same):
                yield _change(f"clauses.{same[0].id}", _spelt(same[0].rule), _spelt_data(rule), proposal.row.line)
    for clause in clauses:
        if any(source.of == "page" and _ERROR_ROWS.search(source.where.en) for source in clause.sources):
            yield from _gone(clause, rows)


def _gone(clause: Clause, rows: tuple[Proposal, ...]) -> Iterator[Change]:
    kin = [proposal for proposal in rows if _akin(clause, proposal)]
    if not kin:
        line = rows[0].row.line if rows else 1
        yield _change(f"clauses.{clause.id}", _spelt(inner_rule(clause)), None, line)
        return
    kind = clause.rule.kind if clause.rule is not None and clause.rule is inner_rule(clause) else ""
    same = [(p, rule) for p in kin for rule in p.rules if rule["kind"] == kind and _same_status(clause, p)]
    names = {name for _, rule in same for name in _names(rule)}
    if same and clause.rule is not None and not _rule_names(clause.rule) <= names:
        line = same[0][0].row.line
        yield _change(f"clauses.{clause.id}", _spelt(clause.rule), _spelt_data(same[0][1]), line)


def _said(proposal: Proposal) -> str:
    return f"{proposal.row.name}: {' '.join(proposal.row.text.split())}"


def _same_status(clause: Clause, proposal: Proposal) -> bool:
    return proposal.row.name in clause.accepts


def _akin(clause: Clause, proposal: Proposal) -> bool:
    """Whether a clause and a row can be about the same: status, topic, and a parameter in common."""
    rule = inner_rule(clause)
    if rule is None or not _same_status(clause, proposal):
        return False
    topics = TOPICS.get(rule.kind)
    if topics is not None and not topics & proposal.topics:
        return False
    return not proposal.names or bool(_rule_names(rule) & set(proposal.names))


def _covered(rule: RuleData, same: list[Clause]) -> bool:
    """Whether clauses of one kind together say what a rule says."""
    rules = [clause.rule for clause in same if clause.rule is not None]
    alike = [each for each in rules if all(_equal(getattr(each, k, None), v) for k, v in _others(rule).items())]
    return _names(rule) <= {name for each in alike for name in _rule_names(each)}


def _others(rule: RuleData) -> RuleData:
    return {key: value for key, value in rule.items() if key not in ("kind", "on", "of", "to")}


def _equal(ours: object, theirs: object) -> bool:
    if isinstance(theirs, list):
        return isinstance(ours, tuple) and {str(each) for each in ours} == {str(each) for each in theirs}
    return ours == theirs


def _names(rule: RuleData) -> set[str]:
    to = {rule["to"]} if "to" in rule else set()
    return {*rule.get("on", ()), *rule.get("of", ()), *to}


def _rule_names(rule: Rule) -> set[str]:
    """The parameters a rule speaks of: the fields that hold names."""
    found: set[str] = set()
    for key in ("on", "of", "to", "one", "other"):
        value = getattr(rule, key, ())
        found |= {value} if isinstance(value, str) else set(value)
    return found


def _spelt(rule: Rule | None) -> str:
    if rule is None:
        return ""
    return _spelt_data({"kind": rule.kind, **vars(rule)})


def _spelt_data(rule: RuleData) -> str:
    parts = [f"{k}={v if isinstance(v, str | int) else ','.join(map(str, v))}" for k, v in rule.items() if k != "kind"]
    return f"{rule['kind']} {' '.join(parts)}"

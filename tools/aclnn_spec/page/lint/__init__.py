"""Defects of official pages: rules, their codes, and how findings are reported."""

from __future__ import annotations

from collections.abc import Iterable

from aclnn_spec.page.lint import examples, facts, gaps, links, names, products, status, structure
from aclnn_spec.page.lint.base import Finding, Rule
from aclnn_spec.page.model import Page
from aclnn_spec.page.vocabulary import Vocabulary

RULES: tuple[Rule, ...] = (
    structure.title,
    structure.headings,
    structure.regions,
    structure.tables,
    structure.cells,
    structure.sections,
    structure.tags,
    names.rows,
    names.errors,
    names.prose,
    names.functions,
    names.determinism,
    status.status,
    facts.ranks,
    facts.dtypes,
    facts.formats,
    facts.strides,
    facts.directions,
    facts.losses,
    facts.formula,
    facts.dashes,
    facts.rank_texts,
    facts.descriptions,
    facts.null_scalars,
    gaps.null_rows,
    gaps.rank_rows,
    products.products,
    products.notes,
    products.lacking,
    examples.calls,
    examples.headers,
    examples.called,
    links.deduction,
    links.anchors,
    links.depths,
)


def lint(page: Page, vocabulary: Vocabulary, *, whole_tree: bool = False) -> tuple[Finding, ...]:
    """All defects found on a page, by line; `whole_tree` says that every file that links lead to should be there."""
    found: Iterable[Finding] = (
        *(each for rule in RULES for each in rule(page, vocabulary)),
        *links.dead(page, whole_tree=whole_tree),
    )
    return tuple(sorted(found, key=lambda each: (each.line, each.code.id, each.message("en"))))

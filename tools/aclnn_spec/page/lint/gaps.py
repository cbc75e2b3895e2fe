"""Rules on what the error rows leave out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aclnn_spec.page.facts import ParameterFacts, parameter_facts
from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.model import GET_WORKSPACE_SIZE, Page, Phase
from aclnn_spec.page.proposals import Proposal, proposals
from aclnn_spec.page.vocabulary import Vocabulary

_MAY_BE_NULL = re.compile(
    r"可选|可以?为空|可以?是空|可传空|传入空指针|空指针|nullptr|为空时|None|optional|may be null", re.IGNORECASE
)


def null_rows(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """The row on null pointers names every tensor that must be there."""
    for phase, facts, rows in _read(page, vocabulary):
        on_null = [p for p in rows if "null" in p.topics and p.row.name == "ACLNN_ERR_PARAM_NULLPTR"]
        named = {name for proposal in on_null for name in proposal.names}
        if not named or len([p for p in on_null if not p.names]) > 0:
            continue
        said = {parameter.name: parameter.text for parameter in phase.parameters}
        everything = "\n".join([row.text for row in phase.errors] + [remark.text for remark in page.constraints])
        missing = [
            each.name
            for each in facts
            if each.is_tensor and not each.optional and not _MAY_BE_NULL.search(said.get(each.name, ""))
            if each.name not in named and not re.search(rf"\b{each.name}不?[为是]空", everything, re.ASCII)
        ]
        if missing:
            yield finding("P521", on_null[0].row.line, names=", ".join(missing))


def rank_rows(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """The row on the highest rank names every tensor that the table limits to it."""
    for _, facts, rows in _read(page, vocabulary):
        about = [p for p in rows if "rank" in p.topics or "shape" in p.topics]
        named = {name for proposal in about for name in proposal.names}
        for proposal in rows:
            limits = [rule for rule in proposal.rules if rule["kind"] == "max_rank"]
            if not limits:
                continue
            rank = limits[0]["rank"]
            missing = [f.name for f in facts if f.is_tensor and f.rank and f.rank[1] == rank and f.name not in named]
            if missing:
                yield finding("P522", proposal.row.line, names=", ".join(missing), rank=rank)


def _read(
    page: Page, vocabulary: Vocabulary
) -> Iterator[tuple[Phase, tuple[ParameterFacts, ...], tuple[Proposal, ...]]]:
    """Each phase 1 that has a prototype, with its parameters and what its error rows say."""
    for phase in page.phases:
        operator = phase.name.removesuffix(GET_WORKSPACE_SIZE)
        if any(table.odd_lines for table in phase.error_tables):
            continue
        if phase.first and page.prototype(phase.name) is not None and phase.parameters and phase.errors:
            yield phase, parameter_facts(page, operator, vocabulary), proposals(page, operator, vocabulary)

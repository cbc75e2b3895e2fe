"""Calls that must fail: each error clause broken in every way its rule knows, alone, in pairs, and on empty tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import Author, Draft
from aclnn_spec.spec.model import Clause, TensorDesc, Text
from aclnn_spec.spec.rules import Break, When

TURNS = (("none", "FLOAT"), ("mean", "FLOAT16"), ("sum", "BFLOAT16"))
"""Reductions and types that the faults take turns in: a check may be missing in one of them only."""

UNTURNED = ("one_of", "at_least")
"""Kinds of rule that are about an attribute itself, which is told once."""

ALWAYS = ("-scalar", "-one")
"""Output shapes that are tempting for every reduction."""


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    checks = [clause for clause in author.operator.clauses if clause.outcome == "error" and clause.rule]
    bases = {
        "same": {},
        "mixed": author.per_tensor((4, 1), (1, 3), (1, 1)),
        "empty": dict.fromkeys(author.inputs, (0, 3)),
    }
    seen: set[tuple[str, str]] = set()
    for clause in checks:
        kind_of_rule = "" if clause.rule is None else clause.rule.core.kind
        shaped = kind_of_rule in ("broadcastable", "shape_is_broadcast")
        turns = TURNS[:1] if kind_of_rule in UNTURNED else concerned(author, clause)
        for kind, shapes in bases.items():
            draft = Draft(group="status", what="", clauses=(clause.id,), shapes=shapes or (2, 3), reason=clause.text)
            if kind == "empty":
                draft = replace(draft, clauses=(clause.id, "empty"))
            # The other bases add shapes: what has nothing to do with them is told there once or twice, not in full.
            most = None if shaped or kind == "same" else 2 if kind == "empty" else 0
            for reduction, dtype in turns:
                turned = replace(draft, reduction=reduction, dtypes=dtype)
                for turn, broken in enumerate(islice(breaks(author, clause, turned), most)):
                    slug = f"{clause.id}-{broken.slug}" + ("" if kind == "same" else f"-{kind}")
                    mine = turns[turn % len(turns)] == (reduction, dtype) or broken.slug.endswith(ALWAYS)
                    if mine and (slug, reduction) not in seen:
                        seen.add((slug, reduction))
                        told = replace(turned, reason=broken.reason)
                        yield author.bad(told, broken.call, slug if reduction == "none" else f"{slug}-{reduction}")
    yield from pairs(author, checks)


def concerned(author: Author, clause: Clause) -> list[tuple[str, str]]:
    """Those of the turns that a clause under a condition is about."""
    plain = Draft(group="status", what="", clauses=(), shapes=(2, 3), reason=clause.text)
    calls = {turn: author.call(replace(plain, reduction=turn[0])) for turn in TURNS}
    return [turn for turn in TURNS if not isinstance(clause.rule, When) or clause.rule.concerns(calls[turn])]


def breaks(author: Author, clause: Clause, draft: Draft) -> Iterator[Break]:
    """The ways to break a clause of the draft's call that really break it."""
    call = author.call(draft)
    for broken in clause.rule.breaks(call, author.operator.tables):  # type: ignore[union-attr]
        if clause in author.operator.validate(broken.call).broken:
            yield broken


def pairs(author: Author, checks: list[Clause]) -> Iterator[Case]:
    """Two clauses broken at once: either's code will do."""
    draft = Draft(group="status", what="", clauses=(), shapes=(2, 3), reason=Text(zh="", en=""))
    for i, first in enumerate(checks):
        for second in checks[i + 1 :]:
            found = next(_both(author, first, second, draft), None)
            if found is not None:
                reason = Text(
                    zh=f"同时违反两条：{found.reason.zh}。返回了无关的状态码，或没有报错",
                    en=f"two faults at once: {found.reason.en}. An unrelated status, or none",
                )
                told = replace(draft, clauses=("precedence", first.id, second.id), reason=reason)
                yield author.bad(told, found.call, f"pair-{first.id}-{second.id}")


def _both(author: Author, first: Clause, second: Clause, draft: Draft) -> Iterator[Break]:
    for one in breaks(author, first, draft):
        try:
            others = list(second.rule.breaks(one.call, author.operator.tables))  # type: ignore[union-attr]
        except (TypeError, IndexError):  # the first fault took away what the second would change
            continue
        for other in others:
            broken = author.operator.validate(other.call).broken
            if first in broken and second in broken and _storable(author, other):
                reason = Text(zh=f"{one.reason.zh}；{other.reason.zh}", en=f"{one.reason.en}; {other.reason.en}")
                yield replace(other, reason=reason)


def _storable(author: Author, broken: Break) -> bool:
    tables = author.operator.tables
    return all(tables.dtypes[t.dtype].storage for t in broken.call.values() if isinstance(t, TensorDesc))

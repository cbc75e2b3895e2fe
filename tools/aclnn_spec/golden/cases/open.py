"""The unspecified clauses that a call's arguments touch: what an implementation does there is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, REDUCTIONS, Author, Draft, pick
from aclnn_spec.golden.generator import integers
from aclnn_spec.golden.tensor import Array
from aclnn_spec.spec.model import Clause, TensorDesc, Text
from aclnn_spec.spec.rules import Break

SHAPES = ((2, 3), (2, 3, 4), (2, 1, 3, 2), (1, 2, 2, 1, 3))


def cases(author: Author) -> Iterator[Case]:
    """The cases of this group."""
    turn = 0
    ids: set[str] = set()
    for clause in author.operator.clauses:
        if clause.outcome != "unspecified" or clause.rule is None:
            continue
        shapes = SHAPES if clause.rule.core.kind == "format_in" else SHAPES[:1]
        for shape in shapes:
            for dtype in FLOATS:
                draft = Draft(
                    group="open",
                    what="",
                    clauses=(clause.id,),
                    shapes=shape,
                    dtypes=dtype,
                    reason=clause.text,
                )
                for broken in _breaks(author, clause, draft):
                    if author.operator.validate(broken.call).broken:
                        continue  # more than the clause is broken: no longer a call the sources leave open
                    turn += 1
                    for case in author.fitting(opened(author, clause, draft, broken, pick(("none", "mean"), turn))):
                        if case.id not in ids:
                            ids.add(case.id)
                            yield case


def _breaks(author: Author, clause: Clause, draft: Draft) -> Iterator[Break]:
    """Breaks of the first call, by its reduction, that the clause concerns."""
    for reduction in REDUCTIONS:
        found = list(clause.rule.breaks(author.call(replace(draft, reduction=reduction)), author.operator.tables))  # type: ignore[union-attr]
        if found:
            return iter(found)
    return iter(())


SPANS = {"BOOL": (0, 1), "UINT8": (0, 255)}
"""The range of the data, by type; -5 to 5 for the others."""


def whole(key: str, count: int, dtype: str) -> Array:
    """Integers of both signs where the type has them, with a few at the ends of the narrower ones."""
    low, high = SPANS.get(dtype, (-5, 5))
    return integers(key, count, low, high).astype(float)


def opened(author: Author, clause: Clause, draft: Draft, broken: Break, reduction: str) -> Draft:
    """The draft of a broken call, with data that integers hold too."""
    descs: dict[str, Any] = {name: t for name, t in broken.call.items() if isinstance(t, TensorDesc)}
    key = f"{author.operator.name}/open/{clause.id}/{broken.slug}"
    data: dict[str, Any] = {}
    for name in author.inputs:
        count = descs[name].size
        data[name] = whole(f"{key}/{name}", count, str(descs[name].dtype)).reshape(descs[name].shape)
        if name == author.gradient and descs[name].dtype != "BOOL":
            data[name] = np.where(data[name] == 0, 1.0, data[name])
    shapes = {name: desc.shape for name, desc in descs.items()}
    if shapes[author.output] == author.operator.output_shape(broken.call):
        del shapes[author.output]  # it may be another with the other reduction
    known = author.operator.parameter("reduction").values
    own = replace(
        draft,
        what=f"{clause.id}-{broken.slug}",
        reason=Text(
            zh=f"{broken.reason.zh}：出现既非正确结果也非所列状态码的结果",
            en=f"{broken.reason.en}: an outcome that is neither the right value nor a listed status",
        ),
        shapes=shapes,
        dtypes={name: desc.dtype for name, desc in descs.items()},
        formats={name: desc.format for name, desc in descs.items()},
        reduction=next(name for name, number in known.items() if number == broken.call["reduction"]),
        attributes=author.unusual(broken.call),
        data=data,
        alias=broken.alias,
    )
    other = replace(own, reduction=reduction)
    return other if _touches(author, clause, other) else own


def _touches(author: Author, clause: Clause, draft: Draft) -> bool:
    """Whether the draft's call is good but for the clause."""
    if draft.alias:  # the output has an input's shape
        return not author.reduces(draft.reduction)
    call = author.call(draft)
    facts = author.operator.facts(call)
    return not author.operator.validate(call).broken and clause.rule is not None and not clause.rule.holds(facts)

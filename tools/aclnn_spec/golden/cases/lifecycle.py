"""Several calls in one case: repeated, interleaved, nested, and after a call that failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aclnn_spec.golden.case import Case
from aclnn_spec.golden.cases.author import FLOATS, REDUCTIONS, Author, Draft, pick
from aclnn_spec.spec.model import Text

REASONS = {
    "again": Text(zh="同一组张量上连续调用两次：结果累加到旧值上，或执行器被重用", en="the same tensors twice: added to the old result, or an executor used again"),
    "crossed": Text(zh="两个执行器交错执行：参数保存在全局变量里", en="two executors interleaved: arguments kept in a global"),
    "nested": Text(zh="后创建的执行器先执行：参数保存在全局变量里，或按栈释放", en="the later executor runs first: arguments kept in a global, or freed like a stack"),
    "after": Text(zh="紧接在另一次调用之后：缓存了上次的形状、类型、缩减方式或错误", en="right after another call: a shape, type, reduction or error cached from it"),
}  # fmt: skip


def cases(author: Author, others: Sequence[Case]) -> Iterator[Case]:
    """The cases of this group; partners are taken from the other groups' cases."""
    for dtype in FLOATS:
        for reduction in REDUCTIONS:
            yield from author.fitting(_draft(author, "again", dtype, reduction, None, "again"))
    values = [case for case in others if case.outcome.kind == "value" and case.order == "twice"]
    partners = {
        "other-shape": next(c for c in values if c.group == "broadcast"),
        "other-type": next(c for c in values if c.group == "deduction"),
        "other-layout": next(c for c in values if c.group == "layout"),
        "other-reduction": next(c for c in values if c.group == "mean" and "-broadcast" in c.id),
        "empty": next(c for c in values if c.group == "empty"),
    }
    turn = 0
    for order in ("crossed", "nested", "after"):
        for what, partner in partners.items():
            for reduction in ("none", "mean"):
                turn += 1
                yield from author.fitting(
                    _draft(author, order, pick(FLOATS, turn), reduction, partner.id, f"{order}-{what}")
                )
        twin = next(c for c in values if c.id.endswith("-plain") and "/FLOAT-2x3-none" in c.id)
        yield from author.fitting(_draft(author, order, "FLOAT", "none", twin.id, f"{order}-same-kind"))
    failed = {clause.id: clause for clause in author.operator.clauses if clause.outcome == "error" and clause.rule}
    for clause in failed:
        partner = next(c for c in others if c.group == "status" and c.clauses[0] == clause)
        turn += 1
        yield from author.fitting(
            _draft(author, "after", pick(FLOATS, turn), pick(REDUCTIONS, turn), partner.id, f"after-{clause}")
        )


def _draft(author: Author, order: str, dtype: str, reduction: str, partner: str | None, what: str) -> Draft:
    return Draft(
        group="lifecycle",
        what=what,
        clauses=("executors", "determinism"),
        shapes=author.per_tensor((2, 3), (2, 3), (2, 1)),
        dtypes=dtype,
        reduction=reduction,
        order=order,
        partner=partner,
        reason=REASONS[order],
    )

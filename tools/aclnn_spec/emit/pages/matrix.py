"""An operator's type deduction as tables: for every pair of input types what it computes in, or that it is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from aclnn_spec.emit.pages.markdown import code, prose, table
from aclnn_spec.spec.model import TensorDesc, Text
from aclnn_spec.spec.operator import Operator

AXES = 2
_SHAPE = (2,)
_SIGNS = {"required": "✓", "open": "?", "refused": "✕"}
_WORDS = {
    "required": Text(zh="必须接受", en="must be accepted"),
    "open": Text(zh="未定：结果正确或报错都可以", en="left open: the right value or an error"),
    "refused": Text(zh="必须报错", en="must be refused"),
}
_COLUMNS = (Text(zh="记号", en="Sign"), Text(zh="含义", en="Meaning"), Text(zh="组合数", en="Combinations"))
_CAPTION = Text(
    zh="{row}（行）与 {column}（列）推导出的类型",
    en="The type deduced from {row} (rows) and {column} (columns)",
)
_FIXED = Text(zh="{fixed} 为 {dtype} 时，{caption}", en="{caption}, {fixed} being {dtype}")
_STYLE = """<style>
.types { overflow-x: auto; }
.types table { border: 1px solid #8886; border-width: 1px 0 0 1px; border-spacing: 0; font-size: .6rem; }
.types caption { text-align: start; padding: .4rem 0; }
.types th, .types td { border: 1px solid #8886; border-width: 0 1px 1px 0; padding: .15rem .3rem; text-align: center;
  white-space: nowrap; }
.types th[scope=row] { position: sticky; left: 0; background: var(--md-default-bg-color); }
.types .required { background: var(--aclnn-yes-ground); color: var(--aclnn-yes); }
.types .open { background: var(--aclnn-open-ground); color: var(--aclnn-open); }
.types .refused { background: var(--aclnn-no-ground); color: var(--aclnn-no); }
@media print {
  .types table { font-size: 5px; }
  .types th, .types td { padding: 1px; }
}
</style>"""


def deduction_matrix(operator: Operator, lang: str) -> Iterator[str]:
    """The blocks: the signs and how many combinations each is for, then a table for each type of the first input."""
    between = "、" if lang == "zh" else " and "
    *fixed, row, column = (parameter.name for parameter in operator.inputs)
    types = tuple(dict.fromkeys(one for one, _ in operator.tables.deduction))
    answers = {chosen: answer(operator, chosen) for chosen in product(types, repeat=len(operator.inputs))}
    counts = Counter(kind for kind, _, _ in answers.values())
    yield table(
        [word[lang] for word in _COLUMNS],
        [[_SIGNS[kind], _WORDS[kind][lang], counts[kind]] for kind in _SIGNS],
    )
    yield _STYLE
    for first in operator.inputs[0].dtypes if fixed else ("",):
        leading = (str(first),) * len(fixed)
        caption = _CAPTION[lang].format(row=row, column=column)
        if fixed:
            caption = _FIXED[lang].format(fixed=between.join(fixed), dtype=first, caption=caption)
        rows = {one: [answers[*leading, one, other] for other in types] for one in types}
        yield _table(caption, types, rows)
    for clause in operator.clauses:
        if clause.products and clause.outcome == "unspecified":
            names = [operator.tables.products[name].name[lang] for name in clause.products]
            where = between.join(names)
            said = Text(zh="{where}上另见条款", en="On {where}, see also the clause")[lang].format(where=where)
            stop = "。" if lang == "zh" else "."
            yield f"{prose(said)} [{code(clause.id)}](#{clause.id}){stop}"


def answer(operator: Operator, types: Sequence[str]) -> tuple[str, str, str]:
    """Of inputs of these types: required, open or refused; the type deduced or nothing; the clauses that decide.

    The output has the deduced type where the operator lists it, and else the first type that it lists.
    """
    tables = operator.tables
    common = tables.deduce(types)
    output = operator.output
    dtype = common if common in output.dtypes else output.dtypes[0]
    tensors = dict(zip((parameter.name for parameter in operator.inputs), types, strict=True)) | {output.name: dtype}
    arguments = {name: TensorDesc(dtype=str(one), shape=_SHAPE) for name, one in tensors.items()}
    attributes = {
        p.name: p.samples[0] if p.samples else min(p.values.values())
        for p in operator.parameters
        if p.role == "attribute"
    }
    broken = operator.validate(arguments | attributes).broken
    clauses = broken or operator.open_clauses(arguments | attributes)
    kind = "refused" if broken else "open" if clauses else "required"
    return kind, common or "", " ".join(clause.id for clause in clauses)


def _table(caption: str, types: Sequence[str], rows: Mapping[str, Sequence[tuple[str, str, str]]]) -> str:
    lines = [f'<div class="types" role="region" tabindex="0" aria-label="{caption}">', '<table class="types-all">']
    lines += [f"<caption>{caption}</caption>"]
    lines += ["<tr><td></td>" + "".join(f'<th scope="col">{name}</th>' for name in types) + "</tr>"]
    for name, cells in rows.items():
        line = "".join(f'<td{_title(why)} class="{kind}">{_SIGNS[kind]} {common}</td>' for kind, common, why in cells)
        lines.append(f'<tr><th scope="row">{name}</th>{line}</tr>')
    return "\n".join([*lines, "</table>", "</div>"])


def _title(why: str) -> str:
    return f' title="{why}"' if why else ""

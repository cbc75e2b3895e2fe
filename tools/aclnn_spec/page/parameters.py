"""Parameters of a page, from the rows of a table or the items of a list."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from aclnn_spec.page.ccode import c_type_of
from aclnn_spec.page.model import Parameter
from aclnn_spec.page.tables import Row, Table
from aclnn_spec.page.text import is_blank
from aclnn_spec.page.vocabulary import Vocabulary
from aclnn_spec.page.words import column_of, mark_of, role_of

_NAME = re.compile(
    r"^\W*(?P<names>[A-Za-z_]\w*(?:\s*[、,，/]\s*[A-Za-z_]\w*)*)\s*(?:[（(]\s*(?P<type>[^()（）]+?)\s*[)）])?", re.ASCII
)
_TYPE_AND_ROLE = re.compile(
    r"^\W*[（(]\s*(?P<type>[^,，、()（）]+?)\s*[,，、]\s*(?P<role>[^()（）]*?)\s*[)）]\s*[:：]?\s*(?P<rest>.*)$",
    re.DOTALL,
)
_ITEM = re.compile(
    r"^(?P<name>[A-Za-z_]\w*)\s*(?:[（(](?P<aside>[^()（）]*)[)）])?\s*(?P<colon>[:：]?)\s*(?P<rest>.*)$",
    re.DOTALL | re.ASCII,
)
_C_TYPE = re.compile(
    r"(?:const\s+)?(?:acl[A-Z]\w*|aclrtStream|u?int(?:\d+_t|\d*)|size_t|char|float|double|bool|void|string|std::string"
    r"|\w+(?=\s*\*))(?:\s*[*&])*(?:\s*const)?",
    re.ASCII,
)
_SAME = re.compile(
    r"(?:(?:与|和|同|跟)(?:输入|入参|输出|参数)?\s*[“\"'(（]?(?P<zh>[A-Za-z_]\w*)[^。\n]*?(?:一致|相同|一样)"
    r"|^\s*(?:shape)?同\s*(?P<short>[A-Za-z_]\w*)"
    r"|(?:same as|identical to|as for)(?: that of)?\s+(?P<en>[A-Za-z_]\w*))",
    re.ASCII | re.IGNORECASE,
)
_RANGE = re.compile(r"^(?P<low>\d+)\s*(?:维|D)?\s*[-~～–—−至到]\s*(?P<high>\d+)\s*(?:维|D)?[。.]?$")
_LIST = re.compile(r"^\d+\s*(?:维|-?D)?(?:\s*(?:[、,，/]|或者?|和|or|and)\s*\d+\s*(?:维|D)?)*[。.]?$")
_BRACKETED = re.compile(r"^\[(?P<low>[0-8])\s*[,，]\s*(?P<high>[1-8])\]$")
_MOST = re.compile(
    r"(?:小于等于|不大于|不高于|不多于|不超过|最大支持|最大|最多|至多|≤|<=|at most|up to)\s*(?P<high>\d+)\s*(?:维|D)?"
)
_SPOKEN = re.compile(r"(?P<low>\d+)(?:\s*[-~～–—至到]\s*(?P<high>\d+))?\s*(?:维|D\b)")
_SHAPE = re.compile(r"[（(\[](?P<sizes>[^()（）\[\]]*)[)）\]]")
_SCALAR = re.compile(r"^(?:标量|scalar)$", re.IGNORECASE)
_DTYPES_SAID = re.compile(r"(?:数据类型|dtype|data types?)[^。；;\n]*", re.IGNORECASE)
_FORMATS_SAID = re.compile(r"数据格式[^。；;\n]*")
_RANK_SAID = re.compile(r"(?:维度|维数|维)[^。；;\n]*|shape[^。；;\n]*?维|[^。；;，,\n]*\d\s*维")
_HIGHEST_RANK = 32


def columns_of(table: Table) -> dict[str, int]:
    """Which column is about what; the first of two that say the same."""
    columns: dict[str, int] = {}
    for i, head in enumerate(table.head):
        kind = column_of(head)
        if kind is not None:
            columns.setdefault(kind, i)
    return columns


def table_parameters(table: Table, vocabulary: Vocabulary) -> Iterator[Parameter]:
    """The parameters of a table whose head has a column of names; empty rows are left out."""
    columns = columns_of(table)
    for row in table.body:
        name = _NAME.match(row.text(columns["name"]))
        if name is None:
            continue
        c_type = name["type"] if name["type"] and _C_TYPE.fullmatch(name["type"]) else None
        others = {head: i for i, head in enumerate(table.head) if i not in columns.values()}
        for each in re.split(r"\s*[、,，/]\s*", name["names"]):
            yield _from_row(each, c_type, row, columns, others, vocabulary)


def nameless_rows(table: Table) -> Iterator[Row]:
    """The rows that say something and name no parameter."""
    column = columns_of(table)["name"]
    for row in table.body:
        if not _NAME.match(row.text(column)) and not all(is_blank(cell.text) for cell in row.cells):
            yield row


def _from_row(
    name: str,
    c_type: str | None,
    row: Row,
    columns: Mapping[str, int],
    others: Mapping[str, int],
    vocabulary: Vocabulary,
) -> Parameter:
    cell = {kind: row.text(column) for kind, column in columns.items() if column < len(row.cells)}
    description, usage = cell.get("description", ""), cell.get("usage", "")
    role_text = cell.get("role", "")
    type_text = cell.get("type", "")
    if _C_TYPE.fullmatch(type_text):
        c_type = c_type or type_text
    else:
        role_text = role_text or type_text
    told = [f"{head}：{row.text(i)}" for head, i in others.items() if not is_blank(row.text(i))]
    usage = "\n".join([*([] if is_blank(usage) else [usage]), *told])  # columns of other kinds are not lost
    typed = _TYPE_AND_ROLE.match(description) if "role" not in columns else None
    if typed is not None:
        c_type, role_text, description = typed["type"], typed["role"], typed["rest"]
    blank = tuple(kind for kind in columns if not cell.get(kind, "").strip())
    return _parameter(
        vocabulary,
        name=name,
        c_type=c_type,
        role_text=role_text,
        description=description,
        usage=usage,
        cells=cell,
        blank=blank,
        line=row.line,
        tags=row.tags,
    )


def list_parameter(
    text: str, children: Sequence[str], line: int, vocabulary: Vocabulary, names: Collection[str]
) -> Parameter | None:
    """The parameter that a list item describes: `name(type, direction): …`, or `name: …` for one of `names`.

    None for an item of another kind.
    """
    text, children = " ".join(text.split()), [" ".join(child.split()) for child in children]  # lines are only wrapped
    item = _ITEM.match(text)
    if item is None or not (item["aside"] or item["colon"]):
        return None
    asides = [aside.strip() for aside in re.split(r"[,，、;；]", item["aside"] or "")]
    c_type = next((aside for aside in asides if _C_TYPE.fullmatch(aside)), None)
    if c_type is None and item["name"] not in names:
        return None
    return _parameter(
        vocabulary,
        name=item["name"],
        c_type=c_type,
        role_text=" ".join(aside for aside in asides if aside != c_type),
        description=item["rest"],
        usage="\n".join(children),
        cells={},
        blank=(),
        line=line,
        tags=(),
    )


def _parameter(
    vocabulary: Vocabulary,
    *,
    name: str,
    c_type: str | None,
    role_text: str,
    description: str,
    usage: str,
    cells: Mapping[str, str],
    blank: tuple[str, ...],
    line: int,
    tags: tuple[str, ...],
) -> Parameter:
    said = f"{description}\n{usage}"
    dtype_text = cells.get("dtype") if "dtype" in cells else _dtypes_said(description, usage)
    format_text = cells.get("format") if "format" in cells else _said(_FORMATS_SAID, said)
    rank_text = cells.get("rank")
    rank = rank_of(rank_text) if rank_text is not None else _spoken_rank(said)
    non_contiguous = mark_of(cells["non_contiguous"]) if "non_contiguous" in cells else _strides_said(said)
    return Parameter(
        name=name,
        c_type=c_type_of(c_type) if c_type else None,
        role_text=role_text or None,
        role=role_of(role_text),
        optional="可选" in role_text or "optional" in role_text.casefold() or name.endswith("Optional"),
        description=description,
        usage=usage,
        dtype_text=dtype_text,
        dtypes=vocabulary.dtypes(dtype_text or ""),
        dtypes_of=same_as(dtype_text or ""),
        format_text=format_text,
        formats=vocabulary.formats(format_text or ""),
        rank_text=rank_text,
        rank=rank,
        non_contiguous_text=cells.get("non_contiguous"),
        non_contiguous=non_contiguous,
        blank_columns=blank,
        line=line,
        tags=tags,
    )


def same_as(text: str) -> str | None:
    """The parameter whose value a cell takes over: `与self一致` gives self."""
    found = _SAME.search(text)
    return (found["zh"] or found["short"] or found["en"]) if found else None


def rank_of(text: str) -> tuple[int, int] | None:
    """The least and greatest rank that a cell allows; None where it gives none, or none that makes sense."""
    text = " ".join(text.split())
    bounds = _RANGE.match(text)
    if bounds is not None:
        low, high = int(bounds["low"]), int(bounds["high"])
        return (low, high) if low <= high <= _HIGHEST_RANK else None
    bounds = _BRACKETED.match(text)
    if bounds is not None and int(bounds["low"]) < int(bounds["high"]):
        return int(bounds["low"]), int(bounds["high"])
    if _LIST.match(text):
        numbers = [int(number) for number in re.findall(r"\d+", text)]
        return (min(numbers), max(numbers)) if max(numbers) <= _HIGHEST_RANK else None
    if _SCALAR.match(text):
        return 0, 0
    if text.startswith(("(", "（", "[", "shape等于", "shape为")):
        return _shape_ranks(text)
    return _spoken_rank(text)


def _shape_ranks(text: str) -> tuple[int, int] | None:
    """`(N,C)或者(C)` is of rank 1 to 2; words after the shapes are no part of them."""
    head = text.split("<", maxsplit=1)[0]
    ranks: list[int] = []
    at = 0
    for shape in _SHAPE.finditer(head):
        if ranks and not re.fullmatch(r"\s*(?:或者?|、|,|，|/|or|和)?\s*", head[at : shape.start()]):
            break
        at = shape.end()
        sizes = [size for size in re.split(r"[,，]", shape["sizes"]) if size.strip()]
        if any("..." in size or "…" in size for size in sizes):
            return None
        ranks.append(len(sizes))
    return (min(ranks), max(ranks)) if ranks else None


def _spoken_rank(text: str) -> tuple[int, int] | None:
    """The rank that prose gives: `支持维度2-8维`, `维度不超过8维`."""
    for line in _RANK_SAID.findall(text):
        most = _MOST.search(line)
        if most is not None and int(most["high"]) <= _HIGHEST_RANK:
            return 0, int(most["high"])
    if re.fullmatch(r"[^。\n]*", text):
        most = _MOST.search(text)
        if most is not None and int(most["high"]) <= _HIGHEST_RANK:
            return 0, int(most["high"])
    numbers = []
    for line in _RANK_SAID.findall(text):
        for spoken in _SPOKEN.finditer(line):
            if line[: spoken.start()].endswith(("第", "前", "后")):
                continue
            numbers += [int(spoken["low"]), int(spoken["high"] or spoken["low"])]
    numbers = [number for number in numbers if number <= _HIGHEST_RANK]
    return (min(numbers), max(numbers)) if numbers else None


def _strides_said(text: str) -> bool | None:
    if re.search(r"不支持\s*非连续", text):
        return False
    return True if re.search(r"支持\s*非连续", text) else None


def _dtypes_said(description: str, usage: str) -> str | None:
    """What the description says on data types; else all that is said below it, of one product or another."""
    own = _said(_DTYPES_SAID, description)
    if own is not None and re.search(r"[A-Z]{3,}|float|int", own):
        return own
    below = [found for found in _DTYPES_SAID.findall(usage) if "不支持" not in found]
    return "；".join([*([own] if own else []), *below]) or None


def _said(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return found[0] if found else None

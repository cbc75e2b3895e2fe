"""Rules on what the page states: types, formats, ranks, directions, products."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.model import GET_WORKSPACE_SIZE, Page, Parameter, Phase
from aclnn_spec.page.text import is_blank
from aclnn_spec.page.vocabulary import C_TYPE, Vocabulary
from aclnn_spec.spec.model import Text

_NUMERIC = re.compile(r"[\d\s\-~～–—−至到、,，./]+(?:维|D)?[。.]?")
_DATE = re.compile(r"\d+月\d+日|\d+-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*", re.IGNORECASE)
_MARK = re.compile(r"[√×✓✗]|ND")
_HIGHEST_RANK = 8
_BACKWARD = re.compile(r"(?:Backward|Grad)(?:V\d+)?$")
_SHORT = 5
_NUMERALS = "一二三四五六七八"
_SPOKEN_RANK = re.compile(rf"shape(?:只|仅)?(?:支持|为)([{_NUMERALS}]|[0-8])维(?!度)|维度为([0-8])D的Tensor")
_NAMES = r"[A-Za-z_]\w*(?:\s*(?:[、，,和或与及]\s*)+(?:输入|输出)?\s*[A-Za-z_]\w*)*"
_NULL = re.compile(rf"(?P<names>{_NAMES})\s*中?(?:为|是|存在|有)空指针", re.ASCII)
_COLUMNS = {
    "description": Text(zh="含义", en="meaning"),
    "dtype": Text(zh="数据类型", en="data type"),
    "format": Text(zh="数据格式", en="data format"),
}
_LOSS = re.compile(r"损失|\bloss\b", re.IGNORECASE)
_GRADIENT = re.compile(r"梯度|导数|偏导|grad|derivative", re.IGNORECASE)


def _first_phases(page: Page) -> Iterator[tuple[Phase, Parameter]]:
    """The parameters proper of each phase 1, those in odd rows left out."""
    for phase in page.phases:
        if phase.first:
            yield from ((phase, parameter) for parameter in phase.sound)


def _c_type(page: Page, phase: Phase, parameter: Parameter) -> str | None:
    prototype = page.prototype(phase.name)
    declared = prototype.parameter(parameter.name) if prototype else None
    c_type = declared.c_type if declared else parameter.c_type
    return c_type.removeprefix("const ") if c_type else None


def ranks(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """A rank is a range within 0 to 8."""
    for _phase, parameter in _first_phases(page):
        text = (parameter.rank_text or "").strip()
        if is_blank(text):
            continue
        wrong = parameter.rank is None and (_NUMERIC.fullmatch(text) or _DATE.search(text) or _MARK.fullmatch(text))
        beyond = parameter.rank is not None and parameter.rank[1] > _HIGHEST_RANK and _NUMERIC.fullmatch(text)
        if wrong or beyond:
            yield finding("P503", parameter.line, name=parameter.name, found=text)


def dtypes(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Data types are the API's, and each is spelt in one way."""
    spelt: dict[str, Counter[str]] = {}
    first: dict[str, int] = {}
    wrong: dict[str, str] = {}
    for _phase, parameter in _first_phases(page):
        if C_TYPE.fullmatch((parameter.dtype_text or "").strip()):
            continue
        for word in parameter.dtypes:
            if word.name is None:
                yield finding("P504", parameter.line, found=word.spelling, name=parameter.name)
                continue
            spellings = vocabulary.tables.dtypes[word.name].spellings
            if word.spelling not in spellings:
                wrong.setdefault(word.spelling, word.name)
                first.setdefault(word.spelling, parameter.line)
                continue
            spelt.setdefault(word.name, Counter())[word.spelling] += 1
            first.setdefault(word.spelling, parameter.line)
    if wrong:
        expected = [
            each.upper() if each.upper() in vocabulary.tables.spellings else name for each, name in wrong.items()
        ]
        yield finding("P506", first[next(iter(wrong))], found=", ".join(wrong), expected=", ".join(expected))
    for counts in spelt.values():
        usual, *others = [spelling for spelling, _ in counts.most_common()]
        for other in others:
            yield finding("P505", first[other], found=other, expected=usual)


def formats(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Data formats are the API's."""
    seen: set[str] = set()
    for _phase, parameter in _first_phases(page):
        for word in parameter.formats:
            if vocabulary.is_format(word) or len(word) == 1 or word in seen:
                continue
            seen.add(word)
            if word.upper() in vocabulary.tables.formats:
                yield finding("P508", parameter.line, found=word, expected=word.upper())
            elif is_cell_of_formats(parameter.format_text or ""):
                yield finding("P507", parameter.line, found=word, name=parameter.name)


def is_cell_of_formats(text: str) -> bool:
    """Whether a cell lists names and is no sentence, whose words may be symbols of dimensions."""
    return re.fullmatch(r"[\w\s、，,/／或和及;；]*", text) is not None and len(text) < 200  # noqa: PLR2004


def strides(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Only tensors can be non-contiguous."""
    for phase, parameter in _first_phases(page):
        c_type = _c_type(page, phase, parameter)
        if parameter.non_contiguous and c_type and c_type.rstrip("*") not in ("aclTensor", "aclTensorList"):
            yield finding("P509", parameter.line, name=parameter.name, found=c_type)


def directions(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """What the table calls an output is one, and there is one."""
    for phase in page.phases:
        prototype = page.prototype(phase.name)
        own = phase.sound
        if not phase.first or prototype is None or not own or any(parameter.role is None for parameter in own):
            continue
        tensors = [p for p in own if (c := prototype.parameter(p.name)) is not None and c.is_tensor]
        outputs = [p for p in tensors if p.role in ("output", "input_output")]
        inputs = [p for p in tensors if p.role == "input"]
        whole = len(tensors) == len([parameter for parameter in prototype.parameters if parameter.is_tensor])
        if whole and tensors and not [p for p in own if p.role != "input"]:
            likely = [p for p in tensors if p.name.casefold().endswith(("out", "output", "ref"))] or tensors[-1:]
            yield finding("P510", likely[-1].line, name=likely[-1].name)
        constant = [p for p in outputs if _is_const(page, phase, p)]
        if 0 < len(constant) < len(outputs):
            for parameter in constant:
                if parameter.role == "output":
                    yield finding("P511", parameter.line, name=parameter.name)
        changed = [p for p in inputs if not _is_const(page, phase, p)]
        if outputs and len(changed) == 1 < len(inputs):
            yield finding("P523", changed[0].line, name=changed[0].name)


def _is_const(page: Page, phase: Phase, parameter: Parameter) -> bool:
    prototype = page.prototype(phase.name)
    declared = prototype.parameter(parameter.name) if prototype else None
    return declared is not None and declared.c_type.startswith("const ")


def losses(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """A backward operator gives gradients, not losses."""
    for phase, parameter in _first_phases(page):
        operator = phase.name.removesuffix(GET_WORKSPACE_SIZE)
        if not _BACKWARD.search(operator) or parameter.role != "output":
            continue
        if _LOSS.search(parameter.description) and not _GRADIENT.search(parameter.description):
            yield finding("P512", parameter.line, operator=operator, name=parameter.name)


def formula(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """The page has a formula, the more so if it speaks of one."""
    if page.formulas or not page.summary:
        return
    yield finding("P513", page.summary[0].line)
    referring = [p.line for _, p in _first_phases(page) if "公式中" in p.text or "in the formula" in p.text]
    if referring:
        yield finding("P518", referring[0])


def dashes(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """The table tells type and format of every tensor."""
    for phase, parameter in _first_phases(page):
        c_type = _c_type(page, phase, parameter)
        if c_type is None or c_type.rstrip("*") != "aclTensor":
            continue
        cells = (
            ("description", parameter.description if parameter.name not in parameter.usage else None),
            ("dtype", parameter.dtype_text),
            ("format", parameter.format_text),
        )
        missing = [_COLUMNS[name] for name, text in cells if text and text.strip() and is_blank(text)]
        if missing and not re.search(r"空指针|nullptr|预留|暂不支持", parameter.text):
            columns = Text(zh="、".join(text.zh for text in missing), en=" and ".join(text.en for text in missing))
            yield finding("P519", parameter.line, name=parameter.name, columns=columns)


def rank_texts(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """The prose allows no rank that the column excludes."""
    for _phase, parameter in _first_phases(page):
        if parameter.rank is None or is_blank(parameter.rank_text or "-"):
            continue
        said = {_number(number) for pair in _SPOKEN_RANK.findall(parameter.usage) for number in pair if number}
        if re.search(rf"(?<!\w){parameter.name}为(?:一个)?(?:scalar|标量)", parameter.usage, re.ASCII):
            said.add(0)
        low, high = parameter.rank
        outside = sorted(number for number in said if not low <= number <= high)
        if outside:
            expected = ", ".join(map(str, outside))
            yield finding(
                "P520", parameter.line, name=parameter.name, found=parameter.rank_text or "", expected=expected
            )


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMERALS.index(text) + 1


def descriptions(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """An output is not described in an input's words."""
    for phase in page.phases:
        known: dict[str, Parameter] = {}
        for parameter in phase.parameters:
            words = parameter.description.strip()
            other = known.setdefault(words, parameter)
            copied = other.name != parameter.name and other.role != parameter.role
            if copied and len(words) > _SHORT and parameter.role != "input_output":
                yield finding("P314", parameter.line, name=parameter.name, other=other.name)


def null_scalars(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Only pointers are said to be null."""
    for phase in page.phases:
        prototype = page.prototype(phase.name)
        if prototype is None:
            continue
        for row in phase.errors:
            listed = _NULL.search(row.text)
            for name in re.findall(r"[A-Za-z_]\w*", listed["names"], re.ASCII) if listed else ():
                declared = prototype.parameter(name)
                if declared is not None and "*" not in declared.c_type and declared.c_type != "aclrtStream":
                    yield finding("P315", row.line, name=name, found=declared.c_type)

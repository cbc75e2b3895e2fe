"""Rules on names: what tables, error rows and prose call the parameters, against the prototype."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.lint.mentions import Mentions
from aclnn_spec.page.model import GET_WORKSPACE_SIZE, Page, Parameter, Phase, Prototype
from aclnn_spec.page.text import same_name
from aclnn_spec.page.vocabulary import Vocabulary

_FIRST_PHASE = re.compile(rf"aclnn\w+?{GET_WORKSPACE_SIZE}\b", re.ASCII)
_TAKEN_FROM = re.compile(
    r"(?:第一段接口|first[- ]phase (?:function|interface|API))\s*[`“\"]?(?P<name>aclnn\w+)", re.ASCII
)
_ITSELF = re.compile(r"(?:与|和)(?P<names>[\w、，,和及 ]{1,200}?)(?:的?(?:数据类型|shape))?(?:需要?)?满足")
_DETERMINISM = re.compile(r"(?P<names>aclnn[\w&、和 ]{1,200}?)\s*默认(?:为)?\s*非?确定性", re.ASCII)


def rows(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """The parameter table has the prototype's parameters, in its order, with its types."""
    for phase in page.phases:
        prototype = page.prototype(phase.name)
        if prototype is None or not phase.parameters:
            continue
        yield from _twice(phase)
        listed = {parameter.name: parameter for parameter in reversed(phase.parameters)}
        ordered = [p for p in phase.parameters if listed[p.name] is p]
        yield from _compared(page, phase, prototype, ordered)
        for parameter in ordered:
            declared = prototype.parameter(parameter.name)
            if declared and parameter.c_type and _differ(parameter.c_type, declared.c_type):
                found, expected = parameter.c_type, declared.c_type
                yield finding("P306", parameter.line, name=parameter.name, found=found, expected=expected)


def _twice(phase: Phase) -> Iterator[Finding]:
    for table in phase.parameter_tables:
        lines = {row.line for row in table.body}
        seen: set[str] = set()
        for parameter in phase.parameters:
            if parameter.line in lines and parameter.name in seen:
                yield finding("P307", parameter.line, name=parameter.name)
            if parameter.line in lines:
                seen.add(parameter.name)


def _compared(page: Page, phase: Phase, prototype: Prototype, ordered: list[Parameter]) -> Iterator[Finding]:
    found, expected = [p.name for p in ordered], list(prototype.names)
    common = [name for name in found if name in expected]
    for name, declared in zip(common, [name for name in expected if name in found], strict=True):
        if name != declared:
            line = next(p.line for p in ordered if p.name == name)
            yield finding("P305", line, name=name)
            break
    missing = [name for name in expected if name not in found]
    elsewhere = {name for other in page.prototypes if page.phase(other.name) is None for name in other.names}
    for parameter in ordered:
        if parameter.name in expected or parameter.name in elsewhere:  # a table whose heading is gone
            continue
        other = _counterpart(parameter, found, missing, expected)
        if other is None:
            yield finding("P308", parameter.line, name=parameter.name, function=phase.name)
        else:
            missing.remove(other)
            yield finding("P303", parameter.line, name=parameter.name, expected=other)
    missing = [name for name in missing if not _spoken_of(page, phase, name)]
    if missing:
        yield finding("P304", ordered[0].line, name=", ".join(missing))


def _counterpart(parameter: Parameter, found: list[str], missing: list[str], expected: list[str]) -> str | None:
    """The parameter of the prototype that a row under another name is meant for: of like name, or in its place."""
    name = parameter.name
    like = [m for m in missing if same_name(m) == same_name(name) or m.startswith(name) or name.startswith(m)]
    like += [m for m in missing if SequenceMatcher(a=m.casefold(), b=name.casefold()).ratio() > 0.8]  # noqa: PLR2004
    if like:
        return like[0]
    if len(found) == len(expected) and expected[found.index(name)] in missing:
        return expected[found.index(name)]
    return None


def _spoken_of(page: Page, phase: Phase, name: str) -> bool:
    """Whether the section has a line about a parameter that is in none of its tables."""
    if any(name == parameter.name for parameter in phase.parameters):
        return True
    after = [h.line for h in page.headings if h.line > phase.line and h.level <= 2]  # noqa: PLR2004
    end = min(after, default=len(page.source.lines) + 1)
    start = re.compile(rf"[\W_]*{re.escape(name)}\b", re.ASCII)
    return any(start.match(block.text) for block in page.blocks if phase.line < block.line < end)


def _differ(found: str, expected: str) -> bool:
    """Whether two C types differ by more than `const` and stars that one of them leaves out."""
    one, other = (each.replace("const", "").replace(" ", "") for each in (found, expected))
    if one.rstrip("*") != other.rstrip("*"):
        return True
    return "*" in one and one.count("*") != other.count("*")


def errors(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Error rows speak of the function's own parameters."""
    for phase in page.phases:
        prototype = page.prototype(phase.name)
        if prototype is None:
            continue
        mentions = Mentions(page, phase, prototype, vocabulary)
        seen: set[tuple[int, str]] = set()
        for row in phase.errors:
            for name, meant in mentions.strangers(row.text):
                if (row.line, name) in seen:
                    continue
                seen.add((row.line, name))
                if meant is None:
                    yield finding("P301", row.line, name=name, function=phase.name)
                else:
                    yield finding("P302", row.line, name=name, expected=meant)


def prose(page: Page, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Descriptions, notes and constraints speak of parameters that there are."""
    firsts = [phase for phase in page.phases if phase.first and page.prototype(phase.name)]
    for phase in firsts:
        prototype = page.prototype(phase.name)
        if prototype is None:
            continue
        mentions = Mentions(page, phase, prototype, vocabulary)
        texts = [(parameter.line, parameter.text) for parameter in phase.parameters]
        if len(firsts) == 1:
            texts += [(remark.line, remark.text) for remark in page.constraints if remark.kind in ("paragraph", "html")]
        for line, text in texts:
            for name, meant in dict(mentions.spoken(text)).items():
                if meant is None:
                    yield finding("P309", line, name=name, function=phase.name)
                else:
                    yield finding("P310", line, name=name, expected=meant)
        for parameter in phase.parameters:
            for said in _ITSELF.finditer(parameter.usage):
                if parameter.name in re.split(r"[、，,和及 ]+", said["names"]):
                    yield finding("P311", parameter.line, name=parameter.name)
                    break


def functions(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """The names of functions in the text are those of the page's own."""
    firsts = [p.name for p in page.prototypes if p.name.endswith(GET_WORKSPACE_SIZE)]
    if not firsts:
        return
    seen: set[str] = set()
    headings = {heading.line for heading in page.headings}
    for block in page.blocks:
        if block.kind not in ("paragraph", "html") or block.line in headings:
            continue
        for name in _FIRST_PHASE.findall(block.text):
            if name not in firsts and name not in seen and f"{name}(" not in block.text:
                seen.add(name)
                yield finding("P312", block.line, name=name, expected=_nearest(name, firsts))
    for phase in page.phases:
        for parameter in phase.parameters:
            taken = _TAKEN_FROM.search(parameter.text)
            if taken is None or taken["name"] in firsts:
                continue
            own = phase.name + GET_WORKSPACE_SIZE
            yield finding("P312", parameter.line, name=taken["name"], expected=own if own in firsts else firsts[0])


def _nearest(name: str, candidates: list[str]) -> str:
    return max(candidates, key=lambda each: SequenceMatcher(a=each, b=name).ratio())


def determinism(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """What is said on determinism is said of this page's operators."""
    own = {*page.operators, *page.titled}
    for remark in page.constraints:
        for said in _DETERMINISM.finditer(remark.text):
            for name in re.findall(r"aclnn\w+", said["names"], re.ASCII):
                if own and name.removesuffix(GET_WORKSPACE_SIZE) not in own:
                    yield finding("P313", remark.line, name=name, expected=", ".join(page.operators))

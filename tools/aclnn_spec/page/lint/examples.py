"""Rules on example code: it calls what the page is about, as the prototype says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from aclnn_spec.page.lint.base import Finding, finding
from aclnn_spec.page.model import GET_WORKSPACE_SIZE, Call, Example, Page
from aclnn_spec.page.text import same_name
from aclnn_spec.page.vocabulary import Vocabulary

_HEADER = re.compile(r"(?:.*/)?(?P<stem>aclnn_?\w+)\.h$")
_SHARED_ENDINGS = ("", "s", "tensor", "scalar", "self", "dim", "out")
"""What operators of one family add to the name that their common header has: aclnnAdd and aclnnAdds, say."""
_FAMILY = len("aclnn") + 4
"""Letters that two names of one family share at least: operators of convolution have one header."""
_KIND = re.compile(r"backward|grad|v\d+$|foreach|fused|quant")
_VARIABLE = re.compile(r"&?\s*(?P<name>[A-Za-z_]\w*)(?:\.(?:get|data)\(\))?", re.ASCII)


def calls(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Calls pass as many arguments as the prototype has, in its order."""
    for example in page.examples:
        for call in example.calls:
            prototype = page.prototype(call.name)
            if prototype is None or (page.source.flattened and _commented(page, call)):
                continue
            expected, found = len(prototype.parameters), len(call.arguments)
            if expected != found:
                yield finding("P601", call.line, name=call.name, expected=expected, found=found)
                continue
            names = [same_name(name) for name in prototype.names]
            given = [same_name(v["name"]) if (v := _VARIABLE.fullmatch(a)) else "" for a in call.arguments]
            for i, name in enumerate(given):
                if name in names and name != names[i] and given[names.index(name)] != name:
                    place = prototype.names[i]
                    yield finding("P602", call.line, found=call.arguments[i].lstrip("& "), expected=place)


def _commented(page: Page, call: Call) -> bool:
    """Whether a call can be a comment's, whose end flattening loses: another one of the function is complete."""
    others = [c for example in page.examples for c in example.calls if c.name == call.name and c is not call]
    prototype = page.prototype(call.name)
    return prototype is not None and any(len(c.arguments) == len(prototype.parameters) for c in others)


def headers(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Examples include the header of what they call."""
    for example in page.examples:
        called = _called(example)
        own = [name for name in called if name in page.operators]
        stems = []
        for include in example.includes:
            found = _HEADER.match(include.path)
            if found is None:
                continue
            stems.append(found["stem"])
            names = called or list(page.operators)
            if names and not any(_fits(found["stem"], name) for name in [*names, *page.operators]):
                yield finding("P603", include.line, found=include.path, name=", ".join(names))
        undeclared = [name for name in own if name not in example.declares]
        if example.includes and not stems and undeclared and not page.source.flattened:
            yield finding("P604", example.line, name=undeclared[0])


def _called(example: Example) -> list[str]:
    """The operators whose functions an example calls."""
    return list(dict.fromkeys(call.name.removesuffix(GET_WORKSPACE_SIZE) for call in example.calls))


def _fits(stem: str, operator: str) -> bool:
    """Whether a header's name is an operator's, or its family's."""
    header, name = (same_name(each).replace("inplace", "", 1) for each in (stem, operator))
    if any(name == header + ending for ending in _SHARED_ENDINGS):
        return True
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(header, name, strict=False)))
    return common >= _FAMILY and _KIND.findall(header) == _KIND.findall(name)


def called(page: Page, _: Vocabulary) -> Iterator[Finding]:
    """Whoever shows calls shows those of the page's operators."""
    names = [name for example in page.examples for name in _called(example)]
    if not names or not page.prototypes:
        return
    if not set(names) & set(page.operators):
        line = next(call.line for example in page.examples for call in example.calls)
        yield finding("P605", line, found=", ".join(dict.fromkeys(names)), name=", ".join(page.operators))

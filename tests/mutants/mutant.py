"""What a mutant is: one small mistake, what it is in words, and which cases must find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from aclnn_spec.certification.implementation import Implementation
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator

from .equivalent import EQUIVALENT
from .kernel import Kernel, Running
from .narrow import is_narrow

_PHASE_ONE = frozenset({"check", "workspace", "keep", "answer"})
_RIGHT = Kernel()


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A wrong implementation; the `id` is family/name.

    `groups` are the case groups of which one at least must condemn it: those about what it has wrong. `equivalent`
    argues, in both languages, why a mutant that is not condemned cannot be: it is none. `remembers`: what it does
    depends on earlier calls. `late`: its phase 1 is the right one, so that no case of a refusal can tell. `early`: it
    has nothing wrong but the status that phase 1 gives.
    """

    id: str
    text: Text
    groups: tuple[str, ...]
    make: Callable[[], Implementation]
    late: bool = False
    early: bool = False
    remembers: bool = False
    equivalent: Text | None = None

    @property
    def narrow(self) -> bool:
        """Whether the mistake is made in one circumstance alone."""
        return is_narrow(self.id)

    @property
    def family(self) -> str:
        """The family's name."""
        return self.id.partition("/")[0]


@dataclass(frozen=True, kw_only=True)
class Sketch:
    """A mutant as a family writes it: a name, both texts, groups, and the steps that are done wrongly."""

    name: str
    text: Text
    groups: str | None
    remembers: bool | None
    steps: Mapping[str, Any]


def wrong(
    name: str, en: str, zh: str, groups: str | None = None, *, remembers: bool | None = None, **steps: Any
) -> Sketch:
    """Sketch a mutant; `groups` are words in one text, the family's own if left out."""
    return Sketch(name=name, text=Text(zh=zh, en=en), groups=groups, remembers=remembers, steps=steps)


Family: TypeAlias = Callable[[Operator], Iterator[Sketch]]


def finished(family: str, groups: str, sketch: Sketch, operator: Operator, *, remembers: bool = False) -> Mutant:
    """Make the mutant of a sketch; `groups` and `remembers` are the family's own."""
    kernel, identity = replace(_RIGHT, **sketch.steps), f"{family}/{sketch.name}"
    changed = {each.name for each in fields(Kernel) if getattr(kernel, each.name) is not getattr(_RIGHT, each.name)}
    return Mutant(
        id=identity,
        text=sketch.text,
        groups=tuple((groups if sketch.groups is None else sketch.groups).split()),
        make=lambda: Running(name=identity, operator=operator, kernel=kernel),
        late=not changed & _PHASE_ONE,
        early=changed == {"check"},
        remembers=remembers if sketch.remembers is None else sketch.remembers,
        equivalent=EQUIVALENT.get(identity),
    )

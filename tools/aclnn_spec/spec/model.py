"""The things a spec speaks of: texts, types, codes, products, parameters, clauses, and the description of a tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Self

from aclnn_spec.spec.attributes import ulp_of

if TYPE_CHECKING:
    from aclnn_spec.spec.rules import Rule

TIERS = ("smoke", "core", "full")
"""The tiers of golden data, each within the next."""


@dataclass(frozen=True, kw_only=True)
class Text:
    """One thing said to people in both languages."""

    zh: str
    en: str

    def __getitem__(self, lang: str) -> str:
        return {"zh": self.zh, "en": self.en}[lang]


class DType(str):
    """A data type under its API name (`FLOAT`); compares equal to that name."""

    __slots__ = ("bits", "kind", "number", "spellings", "storage")

    number: int
    """Value in the C enum aclDataType."""
    kind: str
    """float, int, uint, bool, complex or other."""
    bits: int | None
    """Size of an element, in bits."""
    storage: str | None
    """NumPy type string of an element in golden data; BFLOAT16 and COMPLEX32 are held as bits."""
    spellings: tuple[str, ...]
    """All names the official pages use for it."""

    def __new__(
        cls,
        name: str,
        *,
        number: int,
        kind: str,
        bits: int | None,
        storage: str | None,
        spellings: tuple[str, ...],
    ) -> Self:
        self = super().__new__(cls, name)
        self.number, self.kind, self.bits, self.storage, self.spellings = (
            number,
            kind,
            bits,
            storage,
            spellings,
        )
        return self

    @property
    def name(self) -> str:
        """The API name as a plain string."""
        return str(self)


class Format(str):
    """A tensor format under its API name (`ND`); compares equal to that name."""

    __slots__ = ("number", "rank")

    number: int
    """Value in the C enum aclFormat."""
    rank: int | None
    """The only rank this format is for when laid out plainly; None where it prescribes none or a layout of its own."""

    def __new__(cls, name: str, *, number: int, rank: int | None) -> Self:
        self = super().__new__(cls, name)
        self.number, self.rank = number, rank
        return self

    @property
    def name(self) -> str:
        """The API name as a plain string."""
        return str(self)


class StatusCode(int):
    """A value of aclnnStatus that knows its name; compares equal to the number."""

    name: str
    meaning: Text
    deprecated_spellings: tuple[str, ...]

    def __new__(cls, number: int, *, name: str, meaning: Text, deprecated_spellings: tuple[str, ...] = ()) -> Self:
        self = super().__new__(cls, number)
        self.name, self.meaning, self.deprecated_spellings = name, meaning, deprecated_spellings
        return self

    def __repr__(self) -> str:
        return f"{self.name} ({int(self)})"

    __str__ = __repr__


@dataclass(frozen=True, kw_only=True)
class Product:
    """A product series, and how its chips name themselves."""

    id: str
    name: Text
    soc_prefixes: tuple[str, ...]
    page_names_zh: tuple[str, ...] = ()
    """What the official pages in Chinese call it, the name in use now first; so too in English."""
    page_names_en: tuple[str, ...] = ()
    page_tags: tuple[str, ...] = ()
    """How comments in the pages mark what concerns it (`npu="910b"`)."""
    lacks_dtypes: tuple[str, ...] = ()
    """Data types that its chips do not know."""

    @property
    def page_names(self) -> tuple[str, ...]:
        """All names of it on official pages."""
        return (*self.page_names_zh, *self.page_names_en)


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a fact comes from: a source's id in `tables/sources.json` and the place in it."""

    of: str
    where: Text


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Sources that disagree, and the reading this spec chose."""

    between: tuple[str, ...]
    text: Text
    reading: Text


@dataclass(frozen=True, kw_only=True)
class Reduced:
    """When an operator reduces all elements to one, by attribute and numbers; and the shape the output then has."""

    when: Mapping[str, tuple[int, ...]]
    shape: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of phase 1, without workspaceSize and executor."""

    name: str
    role: str
    """input, output or attribute."""
    kind: str
    """tensor, int64 or float."""
    summary: Text
    sources: tuple[Source, ...]
    dtypes: tuple[DType, ...] = ()
    formats: tuple[Format, ...] = ()
    rank: tuple[int, int] | None = None
    non_contiguous: bool = False
    values: Mapping[str, int] = field(default_factory=dict)
    """Named values of an attribute."""
    samples: tuple[float, ...] = ()
    """Values of a float attribute that cases try, the plainest first."""
    reduced: Reduced | None = None
    """Of an output that does not always have the broadcast shape."""


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One thing an implementation is held to, or left free in.

    `outcome` is `value` (the call succeeds with the defined result), `error` (it fails with one of `accepts`)
    or `unspecified` (any of `accepts` will do).
    """

    id: str
    outcome: str
    text: Text
    sources: tuple[Source, ...]
    accepts: tuple[str, ...] = ()
    """Status-code names of an error clause; labels of an unspecified one, the reference's own behaviour first."""
    uniform: bool = False
    """One label over a whole run."""
    follows: str | None = None
    """Any label but the first needs the same label at this clause, in the same run."""
    rule: Rule | None = None
    """The call touches the clause when the rule does not hold."""
    order: tuple[str, ...] = ()
    """Of the clause on precedence: the order in which the open host code tests."""
    products: tuple[str, ...] = ()
    """The only products it concerns; empty: all."""
    conflicts: tuple[Conflict, ...] = ()

    @property
    def codes(self) -> tuple[str, ...]:
        """What it accepts of status codes: their names, and `any_error`; its other labels stand for values."""
        return tuple(label for label in self.accepts if label.isupper() or label == "any_error")


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """How far a result may be from the correctly rounded one, in ULP, and when."""

    when: Mapping[str, tuple[str, ...]]
    """Attribute → names of its values; an attribute that is not there may have any."""
    dtype: tuple[DType, ...]
    """The coarser of the deduced type and the output's; empty: any."""
    ulp: int | str
    """A number, `rank + k` with the rank of the broadcast shape, or `a * sqrt(count) + k` with its elements."""
    text: Text
    sources: tuple[Source, ...]

    def limit(self, rank: int, count: int) -> int:
        """The allowed distance in ULP for a broadcast shape of this rank with so many elements."""
        return ulp_of(self.ulp, rank=rank, count=count)


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """A mistake of the official page and how this spec reads it."""

    id: str
    text: Text
    reading: Text
    sources: tuple[Source, ...]


@dataclass(frozen=True, kw_only=True)
class Prototype:
    """One phase's C function: its name, and (name, C type) of each parameter in order."""

    name: str
    parameters: tuple[tuple[str, str], ...]


def plain_c_type(c_type: str) -> str:
    """A C type of a prototype without `const` and without a blank before its stars."""
    return c_type.removeprefix("const ").replace(" *", "*")


@dataclass(frozen=True, kw_only=True)
class Policy:
    """An accuracy policy; `dtypes` maps a type to its rtol, atol and limit, and is empty for `strict`."""

    name: str
    text: Text
    sources: tuple[Source, ...]
    share: float = 1.0
    max_ulp: int = 0
    dtypes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides, in elements, of a densely packed row-major tensor."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


@dataclass(frozen=True, kw_only=True)
class TensorDesc:
    """What aclCreateTensor is told of a tensor: strides and offset count elements of a storage of `storage_shape`."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] = None  # type: ignore[assignment]  # filled in below, so that readers never see None
    offset: int = 0
    format: str = "ND"
    storage_shape: tuple[int, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.strides is None:
            object.__setattr__(self, "strides", contiguous_strides(self.shape))
        if self.storage_shape is None:
            object.__setattr__(self, "storage_shape", self.shape)
        if len(self.strides) != len(self.shape):
            raise ValueError(f"strides: found {self.strides}, expected one for each dimension of {self.shape}")
        if min((*self.shape, *self.strides, *self.storage_shape, self.offset), default=0) < 0:
            raise ValueError(f"sizes, strides and offset are not negative; found {self}")

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def end(self) -> int:
        """One past the last element of the storage that the view reaches; 0 for an empty tensor."""
        if self.size == 0:
            return 0
        return self.offset + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)) + 1

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


Argument = TensorDesc | int | float | bool | None
Arguments = Mapping[str, Any]

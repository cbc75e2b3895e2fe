"""What a page of an operator says, as typed facts; every fact knows its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aclnn_spec.page.blocks import Block
from aclnn_spec.page.source import Source
from aclnn_spec.page.tables import Table

GET_WORKSPACE_SIZE = "GetWorkspaceSize"
"""What the name of a phase-1 function ends with."""
HANDLES = ("workspaceSize", "executor")
"""The last two parameters of every phase-1 function."""


@dataclass(frozen=True, kw_only=True)
class ProductRow:
    """A line of the product section: the ids of `spec/tables/products.json` it names, and whether they are supported.

    `ids` is empty for a name that no product of the table goes by; `supported` is None where no mark was understood.
    """

    text: str
    ids: tuple[str, ...]
    unknown: str | None
    """The part of the text that names a product which the table lacks."""
    supported: bool | None
    line: int


@dataclass(frozen=True, kw_only=True)
class CParameter:
    """A parameter of a C prototype; its type without a blank before the stars."""

    name: str
    c_type: str
    line: int

    @property
    def plain_type(self) -> str:
        """The type without `const`."""
        return self.c_type.removeprefix("const ")

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor or a list of tensors."""
        return self.plain_type.rstrip("*") in ("aclTensor", "aclTensorList")


@dataclass(frozen=True, kw_only=True)
class Prototype:
    """A C function as the page declares it."""

    name: str
    parameters: tuple[CParameter, ...]
    line: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        return tuple(parameter.name for parameter in self.parameters)

    def parameter(self, name: str) -> CParameter | None:
        """The parameter of this name."""
        return next((each for each in self.parameters if each.name == name), None)


@dataclass(frozen=True, kw_only=True)
class DTypeWord:
    """A data type as the page writes it, with the API's name for it, or None where there is no such type."""

    spelling: str
    name: str | None


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A row of a parameter table, or an item of a parameter list."""

    name: str
    c_type: str | None
    role_text: str | None
    role: str | None
    """input, output, input_output, or None where the page says nothing that was understood."""
    optional: bool
    description: str
    usage: str
    dtype_text: str | None
    """The cell on data types; None where the page has no such cell. The same for the other texts of cells."""
    dtypes: tuple[DTypeWord, ...]
    dtypes_of: str | None
    """The parameter whose data types it shares, by the words of the cell."""
    format_text: str | None
    formats: tuple[str, ...]
    rank_text: str | None
    rank: tuple[int, int] | None
    """The least and the greatest rank."""
    non_contiguous_text: str | None
    non_contiguous: bool | None
    blank_columns: tuple[str, ...]
    """Columns whose cell is empty, where a dash would say that nothing is there to tell."""
    line: int
    tags: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All that is said of it in prose."""
        return f"{self.description}\n{self.usage}"


@dataclass(frozen=True, kw_only=True)
class ErrorRow:
    """One situation in which phase 1 fails: the status by name and number, and the words."""

    name: str | None
    number: int | None
    text: str
    line: int
    inherited: bool = False
    """Whether name and number are those of a row above."""


@dataclass(frozen=True, kw_only=True)
class Phase:
    """The section of one C function."""

    name: str
    line: int
    parameters: tuple[Parameter, ...] = ()
    errors: tuple[ErrorRow, ...] = ()
    parameter_tables: tuple[Table, ...] = ()
    error_tables: tuple[Table, ...] = ()

    @property
    def first(self) -> bool:
        """Whether it is the phase that gives the workspace size."""
        return self.name.endswith(GET_WORKSPACE_SIZE)

    @property
    def sound(self) -> tuple[Parameter, ...]:
        """The parameters proper whose rows have a cell for each column."""
        odd = {line for table in self.parameter_tables for line in table.odd_lines}
        return tuple(each for each in self.parameters if each.line not in odd and each.name not in HANDLES)


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something said of some products only: their ids, the words after their names, and where."""

    products: tuple[str, ...]
    text: str
    line: int
    topic: str
    """The section: parameters, returns, constraints, example, …"""
    phase: str | None
    parameter: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Include:
    """A header that example code includes."""

    path: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of an aclnn function in example code, with the text of each argument."""

    name: str
    arguments: tuple[str, ...]
    line: int


@dataclass(frozen=True, kw_only=True)
class Example:
    """A block of example code."""

    language: str
    code: str
    line: int
    includes: tuple[Include, ...]
    calls: tuple[Call, ...]
    declares: tuple[str, ...]
    """aclnn functions that the code declares itself."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link to another place: `text` is what is clicked on, `before` the words that lead up to it."""

    target: str
    text: str
    before: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A block of a section: a paragraph, or the rows of a table, each on a line with its cells between pipes."""

    text: str
    line: int
    kind: str = "paragraph"


@dataclass(frozen=True, kw_only=True)
class Unread:
    """Something on the page that was not understood, and why it should have been."""

    what: str
    text: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading with its level."""

    text: str
    level: int
    line: int


@dataclass(frozen=True, kw_only=True)
class Page:
    """An official page of one operator or of a few that belong together."""

    source: Source
    title: Heading | None
    headings: tuple[Heading, ...]
    products: tuple[ProductRow, ...]
    prototypes: tuple[Prototype, ...]
    phases: tuple[Phase, ...]
    summary: tuple[Remark, ...]
    constraints: tuple[Remark, ...]
    formulas: tuple[Remark, ...]
    notes: tuple[Note, ...]
    examples: tuple[Example, ...]
    links: tuple[Link, ...]
    unread: tuple[Unread, ...]
    blocks: tuple[Block, ...] = field(repr=False)
    open_comments: tuple[int, ...] = ()
    """The lines of product comments that are never closed."""
    determinism: Mapping[str, bool] = field(default_factory=dict)
    """Operator → whether it is deterministic by default, where the page says so for all products alike."""

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators whose prototypes it has, in order; those of the title where it has none."""
        executes = [p.name for p in self.prototypes if not p.name.endswith(GET_WORKSPACE_SIZE)]
        first = [p.name.removesuffix(GET_WORKSPACE_SIZE) for p in self.prototypes]
        return tuple(dict.fromkeys([*executes, *first])) or self.titled

    @property
    def titled(self) -> tuple[str, ...]:
        """The operators that the title names."""
        if self.title is None:
            return ()
        words = self.title.text.replace("＆", "&").replace("、", "&").replace("/", "&").split("&")
        return tuple(word.strip() for word in words if word.strip().startswith("aclnn"))

    @property
    def supported(self) -> Mapping[str, bool]:
        """Product id → whether it is supported, for the products that the page names."""
        return {name: row.supported for row in self.products for name in row.ids if row.supported is not None}

    def prototype(self, name: str) -> Prototype | None:
        """The prototype of this function."""
        return next((each for each in self.prototypes if each.name == name), None)

    def phase(self, name: str) -> Phase | None:
        """The section of this function."""
        return next((each for each in self.phases if each.name == name), None)

    def first_phase(self, operator: str) -> Phase | None:
        """The section of the operator's phase 1."""
        return self.phase(operator + GET_WORKSPACE_SIZE)

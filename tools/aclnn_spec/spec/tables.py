"""The closed sets every operator shares, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aclnn_spec.spec.model import DType, Format, Policy, Product, StatusCode, Text

Shape = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Tables:
    """Types, formats, codes and products by their API names; `spellings` maps every other spelling to the name."""

    dtypes: Mapping[str, DType]
    spellings: Mapping[str, DType]
    formats: Mapping[str, Format]
    status_codes: Mapping[str, StatusCode]
    products: Mapping[str, Product]
    policies: Mapping[str, Policy]
    sources: Mapping[str, Text]
    deduction: Mapping[tuple[str, str], DType | None]
    casting: Mapping[str, frozenset[str]]
    """Kind of type → the kinds a result of it may be cast to."""

    def deduce(self, dtypes: Iterable[str]) -> DType | None:
        """The common type of these, by the deduction table; None when there is none."""
        first, *others = dtypes
        common: str | None = first
        for other in others:
            common = None if common is None else self.deduction.get((common, other))
        return None if common is None else self.deduction.get((common, common))

    def castable(self, source: str, target: str) -> bool:
        """Whether a result of type `source` may be cast to `target`; a type is always castable to itself."""
        return source == target or self.dtypes[target].kind in self.casting.get(self.dtypes[source].kind, ())

    def status(self, number: int) -> StatusCode | None:
        """The status code with this number, if the API has one."""
        return next((code for code in self.status_codes.values() if code == number), None)

    def product_of_soc(self, soc: str) -> Product | None:
        """The product a SoC name (from aclrtGetSocName) belongs to; the longest prefix decides."""
        matches = (
            (len(p), product) for product in self.products.values() for p in product.soc_prefixes if soc.startswith(p)
        )
        return max(matches, key=lambda match: match[0], default=(0, None))[1]


def broadcast_two(a: Shape, b: Shape) -> Shape | None:
    """NumPy's broadcast of two shapes; None when they do not fit."""
    if a == b:
        return a
    if len(a) < len(b):
        a, b = b, a
    lead = len(a) - len(b)
    result = list(a)
    for i, n in enumerate(b, start=lead):
        if result[i] == 1:
            result[i] = n
        elif n not in (1, result[i]):
            return None
    return tuple(result)


def broadcast(shapes: Iterable[Shape]) -> Shape | None:
    """NumPy's broadcast of any number of shapes; None when they do not fit."""
    common: Shape | None = ()
    for shape in shapes:
        if common is None:
            break
        common = broadcast_two(common, shape)
    return common

"""Compare a result with what is right for it: an expected array, and others that an open clause accepts.

The arrays are read in blocks, so that their size costs no memory; bits that are equal are not looked at again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.certification.ulp import BINARIES, Binary, Bits, distance, narrow_distance, to_double, whole_distance
from aclnn_spec.spec.errors import InputError

Array: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]

#: Takes the bits of a block of results and of one of its references, both of shape (elements, components); gives, per
#: element, the distance, and one mask for each degree of agreement that is counted, the one called a match first.
Measure: TypeAlias = Callable[[Bits, Bits], tuple[Bits, tuple[Mask, ...]]]

_BLOCK = 1 << 16
"""Elements in a block."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What became of a comparison. Places are flat indices in C order, distances are in ULP of the dtype."""

    #: Elements that match none of the accepted arrays.
    wrong: int
    #: The first of these, and the one furthest from all accepted arrays, with its distance to the nearest one.
    first: int | None
    worst: int | None
    worst_distance: float
    #: The largest distance of an element that is not wrong to the array it matches best.
    distance: float
    #: For each alternative, whether some element matched it and not the expected array.
    seen: tuple[bool, ...]
    #: For each alternative, whether some element, where it and the expected array have different values, matched
    #: the expected array and not the alternative.
    base_seen: tuple[bool, ...]


def compare(
    got: Array, expected: Array, alternatives: Sequence[Array] = (), *, dtype: str, common: str, ulp: int
) -> Comparison:
    """Compare arrays of one shape, any strides: an element is right within `ulp` of any of its references.

    The distance is that in `dtype`, or that in `common` after rounding both values to it, whichever is less: what
    was computed in one type and stored in a wider one may be off by ULPs of the first. A finite value and an
    infinite one stay apart; of two values beyond the range of `common` the distance is that which its precision would
    give them. With `ulp` 0 only `dtype` counts. A complex number is right if both its parts are, and
    its distance is the greater of theirs. An integer is that many off by which it differs.

    Arrays are of the dtype's own NumPy type; BFLOAT16 may be uint16 bits, COMPLEX32 is a structure of the halves
    `real` and `imag`. Raises InputError for shapes that differ and for types that are no numbers. The tolerances
    come from FACTS section 4.
    """
    layout, inner = _layout(dtype), _layout(common)
    binary, narrow = layout.binary, inner.binary
    limit = min(ulp, binary.far - 1)
    rounds = ulp > 0 and not layout.whole and not inner.whole and not narrow.holds(binary)

    def measure(one: Bits, other: Bits) -> tuple[Bits, tuple[Mask, ...]]:
        apart = layout.distance(one, other)
        if rounds:
            # Finite and infinite stay apart, whatever rounding to a narrower range would make of them.
            at = np.nonzero((apart > 0) & (apart < binary.far))
            rounded = narrow_distance(to_double(one[at], binary), to_double(other[at], binary), narrow)
            far = rounded == narrow.far
            rounded = rounded.astype(binary.unsigned)
            rounded[far] = binary.far
            apart[at] = np.minimum(apart[at], rounded)
        apart = _greater(apart)
        return apart, (apart <= limit,)

    (tally,), seen, base_seen = _run(measure, 1, layout, (got, expected, *alternatives))
    return tally.comparison(seen, base_seen)


def compare_community(
    got: Array,
    expected: Array,
    alternatives: Sequence[Array] = (),
    *,
    dtype: str,
    rtol: float,
    atol: float,
    share: float,
    limit: float,
    max_ulp: int,
) -> Comparison:
    """Compare arrays by the community's policy (FACTS section 4); they are as for `compare`.

    An element a is close to its reference g where |a - g| <= atol + rtol * |g|, or both are NaN or the same infinity.
    The result is right if at least `share` of the elements are close, and each one is within `limit`, or within
    `max_ulp` ULP, of a reference. If too few are close, the others count as wrong; if enough are, those
    beyond the limit. To match means to be close.
    """
    layout = _layout(dtype)
    binary = layout.binary
    most = min(max_ulp, binary.far - 1)

    def measure(one: Bits, other: Bits) -> tuple[Bits, tuple[Mask, ...]]:
        apart = layout.distance(one, other)
        a, g = (to_double(bits, binary).view(np.float64) for bits in (one, other))
        with np.errstate(all="ignore"):
            error = np.abs(a - g)
            near = error <= atol + rtol * np.abs(g)
        comparable = apart != binary.far  # an infinite g has an infinite tolerance
        close = apart == 0
        close |= near & comparable
        within = apart <= most
        within |= (error <= limit) & comparable
        return _greater(apart), (_both(close), _both(within))

    (not_close, beyond), seen, base_seen = _run(measure, 2, layout, (got, expected, *alternatives))
    enough = got.size == 0 or (got.size - not_close.wrong) / got.size >= share
    return (beyond if enough else not_close).comparison(seen, base_seen)


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """How the elements of a dtype are made up."""

    name: str
    binary: Binary
    components: int
    storage: np.dtype[Any]

    @property
    def whole(self) -> bool:
        """Whether the elements are integers; `binary` then tells their width alone."""
        return self.name in _WHOLE

    def distance(self, one: Bits, other: Bits) -> Bits:
        """Count the places between elements, component by component."""
        if self.whole:
            return whole_distance(one, other, signed=self.storage.kind == "i")
        return distance(one, other, self.binary)

    def check(self, arrays: Sequence[Array]) -> None:
        """Raise InputError unless the arrays have one shape and the dtype's NumPy type."""
        for i, array in enumerate(arrays):
            where = ("got", "expected", f"alternatives[{i - 2}]")[min(i, 2)]
            bits = self.name == "BFLOAT16" and array.dtype.name == "bfloat16"
            if array.dtype != self.storage and not bits:
                raise InputError(f"{where}: found {array.dtype}, expected {self.storage} for {self.name}")
            if array.shape != arrays[0].shape:
                raise InputError(f"{where}: found shape {array.shape}, expected {arrays[0].shape}, that of got")

    def bits(self, block: Array) -> Bits:
        """View a block of elements as (elements, components)."""
        bits: Bits = np.ascontiguousarray(block).view(self.binary.unsigned)
        return bits.reshape(-1, self.components)


_STORAGE: Mapping[str, tuple[str, int, Any]] = MappingProxyType(
    {
        "FLOAT": ("FLOAT", 1, "f4"),
        "FLOAT16": ("FLOAT16", 1, "f2"),
        "BFLOAT16": ("BFLOAT16", 1, "u2"),
        "DOUBLE": ("DOUBLE", 1, "f8"),
        "COMPLEX32": ("FLOAT16", 2, [("real", "<f2"), ("imag", "<f2")]),
        "COMPLEX64": ("FLOAT", 2, "c8"),
        "COMPLEX128": ("DOUBLE", 2, "c16"),
    }
)
"""Per dtype: the format of a component, how many components, and the NumPy type of an element."""


_WHOLE = frozenset(f"{sign}INT{width}" for sign in ("", "U") for width in (8, 16, 32, 64))


def _layout(dtype: str) -> _Layout:
    if dtype in _WHOLE:
        storage = np.dtype(dtype.lower())
        return _Layout(name=dtype, binary=Binary(width=8 * storage.itemsize, fraction=0), components=1, storage=storage)
    if dtype not in _STORAGE:
        raise InputError(f"dtype: found {dtype}, expected one of {', '.join((*_STORAGE, *sorted(_WHOLE)))}")
    part, components, kind = _STORAGE[dtype]
    return _Layout(name=dtype, binary=BINARIES[part], components=components, storage=np.dtype(kind))


class _Tally:
    """Counts the wrong elements, block by block."""

    def __init__(self, binary: Binary) -> None:
        self.far = binary.far
        self.wrong = 0
        self.first: int | None = None
        self.worst: int | None = None
        self.worst_distance = 0
        self.distance = 0

    def add(self, start: int, apart: Bits, right: Mask) -> None:
        """Count a block that begins at a flat index; `apart` has each element's least distance."""
        if right.all():
            self.distance = max(self.distance, int(apart.max(initial=0)))
            return
        self.distance = max(self.distance, int(apart[right].max(initial=0)))
        at = np.nonzero(~right)[0]
        distances = apart[at]
        furthest = int(distances.argmax())
        self.wrong += at.size
        if self.first is None:
            self.first = start + int(at[0])
        if self.worst is None or int(distances[furthest]) > self.worst_distance:
            self.worst, self.worst_distance = start + int(at[furthest]), int(distances[furthest])

    def comparison(self, seen: tuple[bool, ...], base_seen: tuple[bool, ...]) -> Comparison:
        """Give the outcome of all blocks."""
        return Comparison(
            wrong=self.wrong,
            first=self.first,
            worst=self.worst,
            worst_distance=self._places(self.worst_distance),
            distance=self._places(self.distance),
            seen=seen,
            base_seen=base_seen,
        )

    def _places(self, apart: int) -> float:
        return inf if apart == self.far else float(apart)


def _run(
    measure: Measure, degrees: int, layout: _Layout, arrays: Sequence[Array]
) -> tuple[list[_Tally], tuple[bool, ...], tuple[bool, ...]]:
    """Measure all blocks of the arrays, which are the result, the expected one and the alternatives."""
    layout.check(arrays)
    tallies = [_Tally(layout.binary) for _ in range(degrees)]
    seen, base_seen = ([False] * (len(arrays) - 2) for _ in range(2))
    for start, (got, expected, *others) in _blocks(layout, arrays):
        differing = [np.nonzero(_either(other != expected))[0] for other in others]
        if not any(at.size for at in differing) and np.array_equal(got, expected):
            continue
        apart, right = measure(got, expected)
        best = [mask.copy() if others else mask for mask in right]
        for i, at in enumerate(differing):
            if not at.size:
                continue
            result, other, base = got[at], others[i][at], right[0][at]
            distances, matches = measure(result, other)
            seen[i] |= bool((matches[0] & ~base).any())
            # Where only bits differ, as those of the zeros do, what matches one of the two matches the other.
            base_seen[i] |= bool((base & ~matches[0]).any())
            apart[at] = np.minimum(apart[at], distances)
            for mask, match in zip(best, matches, strict=True):
                mask[at] |= match
        for tally, mask in zip(tallies, best, strict=True):
            tally.add(start, apart, mask)
    return tallies, tuple(seen), tuple(base_seen)


def _blocks(layout: _Layout, arrays: Sequence[Array]) -> Iterator[tuple[int, list[Bits]]]:
    """Give the arrays' bits in C order, block by block, each with the flat index where it begins."""
    start = 0
    for blocks in np.nditer(arrays, ["external_loop", "buffered", "zerosize_ok"], order="C", buffersize=_BLOCK):
        yield start, [layout.bits(block) for block in blocks]
        start += blocks[0].size


def _greater(apart: Bits) -> Bits:
    """Per element, the greater distance of its components."""
    return apart[:, 0] if apart.shape[1] == 1 else np.maximum(apart[:, 0], apart[:, 1])


def _both(mask: Mask) -> Mask:
    return mask[:, 0] & mask[:, -1]


def _either(mask: Mask) -> Mask:
    return mask[:, 0] | mask[:, -1]

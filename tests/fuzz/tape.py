"""Where a mutation's choices come from: numbers that hypothesis shrinks, or a generator repeats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")

LENGTH = 32
"""Numbers on a tape; a mutation that asks for more gets zeros, which stand for the plainest choice."""


class Tape:
    """Numbers from 0 to 2^32 - 1, used up from first to last."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = iter(numbers)

    def below(self, count: int) -> int:
        """A number from 0 to count - 1."""
        return next(self._numbers, 0) % count

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def once_in(self, count: int) -> bool:
        """Whether something happens that happens once in so many times."""
        return self.below(count) == count - 1


def numbers(seed: str) -> list[int]:
    """The numbers of a tape, by a seed."""
    random = Random(seed)  # noqa: S311  # not for secrets
    return [random.getrandbits(32) for _ in range(LENGTH)]

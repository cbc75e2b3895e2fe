"""The one kind of error that bad input raises."""

from __future__ import annotations

LONGEST = 2000
"""Characters a fault may have; whatever was found, a reader is to see the end of the line, which says what to do."""


class InputError(ValueError):
    """Something the user gave is wrong; each fault is one line saying where, what was found, what was expected."""

    def __init__(self, *faults: str) -> None:
        self.faults = tuple(map(line, faults))
        super().__init__(*self.faults)

    def __str__(self) -> str:
        return "\n".join(self.faults)


def line(text: str) -> str:
    """The text as one line for a terminal: what does not print is escaped, and the middle of a long one left out."""
    if not text.isprintable():
        text = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
    if len(text) <= LONGEST:
        return text
    end = LONGEST // 4
    return f"{text[: LONGEST - end - 3]} … {text[-end:]}"

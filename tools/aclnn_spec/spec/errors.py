"""The one kind of error that bad input raises."""


class InputError(ValueError):
    """Something the user gave is wrong; each fault is one line saying where, what was found, what was expected."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults

"""Right implementations that differ as real ones do: who condemns one of them cries wolf.

`python -m tests.right` certifies them all over the core tier and writes `table.json`.
"""

from .arithmetic import ARITHMETIC
from .base import Kernel
from .libraries import LIBRARIES, Library
from .status import STATUS
from .values import VALUES

__all__ = ["RIGHT", "Kernel", "Library"]

RIGHT: tuple[Kernel | Library, ...] = (*ARITHMETIC, *VALUES, *STATUS, *LIBRARIES)

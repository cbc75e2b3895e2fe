"""Right implementations that differ as real ones do: who condemns one of them cries wolf.

`python -m tests.right` certifies them all over the core tier and writes `table.json`.
"""

from .arithmetic import ARITHMETIC
from .base import Kernel, Steps
from .libraries import LIBRARIES, Library
from .status import STATUS
from .values import VALUES
from .variants import VARIANTS

__all__ = ["RIGHT", "Kernel", "Library", "Steps"]

RIGHT: tuple[Steps | Library, ...] = (*ARITHMETIC, *VALUES, *STATUS, *VARIANTS, *LIBRARIES)

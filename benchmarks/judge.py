"""How long the judge takes to compare 2**24 elements, against numpy.testing.assert_allclose in the same run."""

import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.certification.compare import Comparison, compare, compare_community

SIZE = 2**24
REPEATS = 5


def seconds(function: Callable[[], object]) -> float:
    """Give the least time of several calls."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def extra_memory(function: Callable[[], object]) -> float:
    """Give the most memory that a call held at a time, in MiB."""
    tracemalloc.start()
    function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


def one_off(array: NDArray[np.float32]) -> NDArray[np.float32]:
    """Move every element by one place."""
    return (array.view(np.uint32) ^ np.uint32(1)).view(np.float32)


def comparisons(expected: NDArray[np.float32]) -> dict[str, tuple[NDArray[Any], Callable[[], Comparison]]]:
    """Give, by its description, each result that is compared and the comparison."""
    equal, off = expected.copy(), one_off(expected)
    strict = partial(compare, dtype="FLOAT", common="FLOAT", ulp=4)
    coarse = partial(compare, dtype="FLOAT", common="FLOAT16", ulp=4)
    policy = partial(compare_community, dtype="FLOAT", rtol=2**-10, atol=2**-16, share=0.99, limit=0.01, max_ulp=32)
    others = [np.where(np.arange(SIZE) % 64 == i, np.float32(0), expected) for i in range(2)]
    return {
        "equal": (equal, partial(strict, equal, expected)),
        "1 ULP off": (off, partial(strict, off, expected)),
        "1 ULP off, 2 alternatives": (off, partial(strict, off, expected, others)),
        "1 ULP off, common FLOAT16": (off, partial(coarse, off, expected)),
        "1 ULP off, transposed": (off, partial(strict, off.reshape(2**12, -1).T, expected.reshape(2**12, -1).T)),
        "1 ULP off, community": (off, partial(policy, off, expected)),
    }


def main() -> None:
    """Print the table."""
    expected = np.random.default_rng(0).normal(size=SIZE).astype(np.float32)
    print(f"FLOAT, {SIZE} elements, least of {REPEATS} calls")
    print(f"{'':<28}{'assert_allclose':>18}{'judge':>12}{'faster by':>11}{'extra memory':>15}")
    for name, (got, run) in comparisons(expected).items():
        usual = seconds(partial(np.testing.assert_allclose, got, expected, rtol=1e-6))
        ours, memory = seconds(run), extra_memory(run)
        print(f"{name:<28}{usual * 1e3:>15.0f} ms{ours * 1e3:>9.0f} ms{usual / ours:>10.1f}x{memory:>11.1f} MiB")


if __name__ == "__main__":
    main()

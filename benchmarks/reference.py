"""How long the reference takes on 2**24 elements, against the plain NumPy expression in the same run."""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from aclnn_spec.reference import REFERENCES, evaluate

SIZE = 2**24
REPEATS = 7


def seconds(function: Callable[[], object]) -> float:
    """Give the least time of several calls."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    numbers = np.random.default_rng(0)
    arrays = {name: numbers.normal(size=SIZE).astype(np.float32) for name in ("gradOutput", "self", "target")}
    grad, one, other = arrays.values()
    output = np.empty(SIZE, np.float32)
    plain: dict[str, Callable[[], object]] = {
        "none": lambda: np.sign(one - other) * grad,
        "mean": lambda: np.sign(one - other) * grad / SIZE,
    }
    print(f"FLOAT, {SIZE} elements, least of {REPEATS} calls")
    print(f"{'reduction':<10}{'NumPy':>10}{'reference':>12}{'ratio':>8}")
    for reduction, (name, expression) in enumerate(plain.items()):
        run = partial(
            evaluate,
            REFERENCES["aclnnL1LossBackward"].function,
            {key: (array, "FLOAT") for key, array in arrays.items()},
            common="FLOAT",
            output=(output, "FLOAT"),
            attributes={"reduction": reduction},
        )
        usual, ours = seconds(expression), seconds(run)
        print(f"{name:<10}{usual * 1e3:>7.1f} ms{ours * 1e3:>9.1f} ms{ours / usual:>8.2f}")


if __name__ == "__main__":
    main()

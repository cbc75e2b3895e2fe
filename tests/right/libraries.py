"""Right implementations that others wrote: PyTorch, eager and compiled, JAX on the CPU, and the host library in C.

Where one is not installed, there is a reason instead.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from aclnn_spec import Implementation, from_function
from aclnn_spec.implementations.cann import CannImplementation
from aclnn_spec.implementations.torch_autograd import TorchImplementation
from aclnn_spec.spec.model import Text

from .base import KINDS, LEAST, MEAN, NAME, USUAL

VALUES: Mapping[str, tuple[str, ...]] = {
    clause: USUAL[clause]
    for clause in (
        *("nan_operand", "grad_nonfinite_at_tie", "equal_infinities", "subnormals", "subnormals_on_the_way"),
        *("cast_overflow", "infinity_in_cast"),
    )
}
"""What can be seen of a function that is judged by its values alone."""


@dataclass(frozen=True, kw_only=True)
class Library:
    """An implementation by others: what it is, all that its certificate must show, and what it needs to run."""

    name: str
    text: Text
    expected: Mapping[str, tuple[str, ...]]
    make: Callable[[], Any]
    needs: Callable[[], bool]
    absent: str
    """Said where it cannot run."""
    product: str | None = None
    slow: bool = False
    """Whether it takes long to start, so that the main suite leaves it to the command."""

    @property
    def missing(self) -> str:
        """Why it cannot run here; nothing if it can."""
        return "" if self.needs() else self.absent


def installed(module: str) -> Callable[[], bool]:
    """Tell whether a module can be imported."""
    return lambda: find_spec(module) is not None


def has_compiler() -> bool:
    """Tell whether there is a C compiler."""
    return any(map(shutil.which, ("cc", "gcc", "clang")))


def common(arrays: list[npt.NDArray[Any]]) -> np.dtype[Any]:
    """Give the deduced type of arrays of the three float types."""
    kinds = {array.dtype for array in arrays}
    return kinds.pop() if len(kinds) == 1 else KINDS["FLOAT"]


def flat(arrays: list[npt.NDArray[Any]], size: int = 0) -> list[npt.NDArray[Any]]:
    """Broadcast arrays, convert them to the deduced type and lay them flat, filled up to a size."""
    kind = common(arrays)
    spread = [np.ascontiguousarray(each).astype(kind).ravel() for each in np.broadcast_arrays(*arrays)]
    return [np.concatenate([each, np.zeros(max(size - each.size, 0), kind)]) for each in spread]


def compiled_torch() -> Implementation:
    """l1_loss under torch.compile, forwards and backwards, and a division by N."""
    torch = import_module("torch")

    def plain(one: Any, other: Any) -> Any:
        return torch.nn.functional.l1_loss(one, other, reduction="none")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Rather an error than a silent return to the eager code.
        loss = torch.compile(plain, dynamic=True, fullgraph=True)

    def tensor(array: npt.NDArray[Any]) -> Any:
        if array.dtype == KINDS["BFLOAT16"]:
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)

    def function(gradOutput: Any, self: Any, target: Any, reduction: int) -> Any:
        shape = np.broadcast_shapes(*map(np.shape, (gradOutput, self, target)))
        count = int(np.prod(shape, dtype=np.int64))
        # A single element would be compiled for itself.
        grad, one, other = map(tensor, flat([gradOutput, self, target], 2))
        leaf = one.requires_grad_()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the compiler warns of parts of PyTorch itself
            values = torch.autograd.grad(loss(leaf, other), leaf, grad)[0]
        values = values / count if reduction == MEAN else values
        return values.float().numpy()[:count].reshape(shape)

    return from_function("torch-compiled", str(torch.__version__), {NAME: function})


def jax_on_cpu() -> Implementation:
    """The formula in JAX, compiled by XLA, with a division by N in FLOAT.

    JAX's own derivative of abs would not do: it is 1 at a tie. XLA's code for CPUs flushes subnormals of FLOAT and
    keeps those of FLOAT16; the spec asks for one behaviour, so those are flushed here.
    """
    jax = import_module("jax")
    cpu = jax.devices("cpu")[0]

    def flushed(values: Any) -> Any:
        small = abs(values) < np.asarray(LEAST["FLOAT16"], values.dtype)
        return jax.numpy.where(small, 0, values) if values.dtype == np.float16 else values

    @jax.jit
    def gradient(grad: Any, one: Any, other: Any, count: Any) -> Any:
        sign = jax.numpy.sign(flushed(flushed(one) - flushed(other)))
        return flushed((sign * flushed(grad) / count).astype(grad.dtype))

    def function(gradOutput: Any, self: Any, target: Any, reduction: int) -> Any:
        shape = np.broadcast_shapes(*map(np.shape, (gradOutput, self, target)))
        count = int(np.prod(shape, dtype=np.int64))
        # XLA compiles once for each size; powers of two keep these few.
        operands = flat([gradOutput, self, target], 1 << max(count - 1, 0).bit_length())
        with jax.default_device(cpu):
            values = gradient(*operands, np.float32(count if reduction == MEAN else 1))
        return np.asarray(values)[:count].reshape(shape)

    return from_function("jax", str(jax.__version__), {NAME: function})


LIBRARIES = (
    Library(
        name="host-library",
        text=Text(zh="本项目的 C 语言主机库，经 ctypes 调用", en="the host library in C, called through ctypes"),
        expected={**USUAL, "grad_nonfinite_at_tie": ("zero",)},
        make=lambda: CannImplementation(library="host"),
        needs=has_compiler,
        absent="there is no C compiler",
    ),
    Library(
        name="torch-eager",
        text=Text(zh="PyTorch 的 l1_loss 及其自动求导", en="PyTorch's l1_loss and its autograd"),
        expected=VALUES,
        make=TorchImplementation,
        needs=installed("torch"),
        absent="PyTorch is not installed",
    ),
    Library(
        name="torch-compiled",
        text=Text(
            zh="同上，正向与反向都由 torch.compile 编译",
            en="the same, forwards and backwards compiled by torch.compile",
        ),
        expected=VALUES,
        make=compiled_torch,
        needs=lambda: find_spec("torch") is not None and has_compiler(),
        absent="torch.compile needs PyTorch and a C compiler",
        slow=True,
    ),
    Library(
        name="jax",
        text=Text(
            zh="用 JAX 写的公式，由 XLA 编译到 CPU；XLA 只把 FLOAT 的次正规数清零，这里对 FLOAT16 也清零，以求始终如一",
            en="the formula in JAX, compiled by XLA for the CPU; as XLA flushes subnormals of FLOAT alone, those of "
            "FLOAT16 are flushed, too",
        ),
        expected={
            **VALUES,
            "nan_operand": ("nan",),
            "equal_infinities": ("nan",),
            "subnormals": ("flush",),
            "subnormals_on_the_way": ("keep", "flush"),
        },
        make=jax_on_cpu,
        needs=installed("jax"),
        absent="JAX is not installed",
        slow=True,
    ),
)

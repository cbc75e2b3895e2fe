"""PyTorch's own losses and autograd behind the two-phase call; only numerics are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from aclnn_spec.certification.implementation import Arguments, PhaseOne
from aclnn_spec.golden.tensor import COMPLEX32, Tensor, is_bfloat16
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import Spec, load_spec

torch: Any
try:
    torch = import_module("torch")
except ImportError:  # registered for everybody, installed with the extra [torch]
    torch = None

TorchTensor: TypeAlias = Any

#: Takes inputs, broadcast and in the common type, and attributes, by the API's names; gives the output's values.
Function: TypeAlias = Callable[..., TorchTensor]

_MEAN = 1


def _l1_loss_backward(
    gradOutput: TorchTensor, self: TorchTensor, target: TorchTensor, *, reduction: int
) -> TorchTensor:
    """The gradient of l1_loss; element by element, as gradOutput may be a tensor for mean and sum too."""
    leaf = self.detach().requires_grad_()
    loss = torch.nn.functional.l1_loss(leaf, target, reduction="none")
    if reduction == _MEAN:
        loss = loss / loss.numel()
    return torch.autograd.grad(loss, leaf, gradOutput)[0]


_FUNCTIONS: Mapping[str, Function] = MappingProxyType({"aclnnL1LossBackward": _l1_loss_backward})


class TorchImplementation:
    """The operators that PyTorch has a counterpart of, on one of its devices."""

    name = "torch"
    scope = "numerics"

    def __init__(self, device: str = "cpu", spec: Spec | None = None) -> None:
        if torch is None:
            raise InputError("torch: found no PyTorch, expected it installed: pip install aclnn-spec[torch]")
        try:
            self.device = torch.device(device)
            torch.zeros(1, device=self.device).cpu()
        except (RuntimeError, AssertionError, NotImplementedError, ImportError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"torch: found device {device!r}, expected one it can use: {reason}") from None
        self.version = str(torch.__version__)
        self._spec = spec or load_spec()
        self.operators = tuple(name for name in _FUNCTIONS if name in self._spec.operators)

    def details(self) -> dict[str, Any]:
        """The device, and CUDA's version where it is one of NVIDIA's."""
        details = {"device": str(self.device)}
        if self.device.type == "cuda":
            details |= {"device_name": torch.cuda.get_device_name(self.device), "cuda": str(torch.version.cuda)}
        return details

    def get_workspace_size(self, operator: str, arguments: Arguments) -> PhaseOne:  # noqa: ARG002
        """Accept any call: PyTorch allocates for itself and knows no status codes."""
        return PhaseOne(0, 0, dict(arguments))

    def execute(self, operator: str, phase_one: PhaseOne) -> int:
        """Compute in the deduced type on the device, then cast into the output's view."""
        arguments: Any = phase_one.executor
        one = self._spec.operators[operator]
        inputs: dict[str, Tensor] = {p.name: arguments[p.name] for p in one.inputs}
        common = _dtype(str(one.tables.deduce(tensor.dtype for tensor in inputs.values())))
        moved = [_to_torch(tensor).to(self.device).to(common) for tensor in inputs.values()]
        operands = dict(zip(inputs, torch.broadcast_tensors(*moved), strict=True))
        attributes = {p.name: arguments[p.name] for p in one.parameters if p.role == "attribute"}
        _to_torch(arguments[one.output.name]).copy_(_FUNCTIONS[operator](**operands, **attributes))
        return 0


def _dtype(name: str) -> Any:
    return {"FLOAT": torch.float32, "FLOAT16": torch.float16, "BFLOAT16": torch.bfloat16}[name]


def _to_torch(tensor: Tensor) -> TorchTensor:
    """The tensor's view as PyTorch's, on the same memory."""
    array = tensor.array
    if is_bfloat16(array):
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    if array.dtype == COMPLEX32:
        return torch.from_numpy(array.view(np.int32)).view(torch.complex32)
    return torch.from_numpy(array)

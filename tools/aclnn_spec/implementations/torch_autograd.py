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
_REDUCTIONS = ("none", "mean", "sum")


def _loss(name: str, self: TorchTensor, target: TorchTensor, reduction: int, **more: float) -> TorchTensor:
    """A loss of torch.nn.functional; it knows no integers, whose distance is left to their own arithmetic."""
    if not self.dtype.is_floating_point:
        distance = (self - target).abs()
        return distance.sum() if reduction else distance
    return getattr(torch.nn.functional, name)(self, target, reduction=_REDUCTIONS[reduction], **more)


def _gradient(
    name: str, gradient: TorchTensor, self: TorchTensor, target: TorchTensor, reduction: int, **more: float
) -> TorchTensor:
    """The gradient of a loss; element by element, as the incoming one may be a tensor for mean and sum too."""
    leaf = self.detach().requires_grad_()
    result = torch.autograd.grad(_loss(name, leaf, target, 0, **more), leaf, gradient)[0]
    return result / result.numel() if reduction == _MEAN else result


_FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        "aclnnL1LossBackward": lambda gradOutput, **given: _gradient("l1_loss", gradOutput, **given),
        "aclnnSmoothL1LossBackward": lambda gradOut, **given: _gradient("smooth_l1_loss", gradOut, **given),
        "aclnnMseLossBackward": lambda gradOutput, **given: _gradient("mse_loss", gradOutput, **given),
        "aclnnL1Loss": lambda **given: _loss("l1_loss", **given),
        "aclnnMseLoss": lambda **given: _loss("mse_loss", **given),
        "aclnnSmoothL1Loss": lambda **given: _loss("smooth_l1_loss", **given),
    }
)


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
    kinds = {"FLOAT": "float32", "FLOAT16": "float16", "BFLOAT16": "bfloat16", "INT64": "int64"}
    return getattr(torch, kinds[name])


def _to_torch(tensor: Tensor) -> TorchTensor:
    """The tensor's view as PyTorch's, on the same memory."""
    array = tensor.array
    if is_bfloat16(array):
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    if array.dtype == COMPLEX32:
        return torch.from_numpy(array.view(np.int32)).view(torch.complex32)
    return torch.from_numpy(array)

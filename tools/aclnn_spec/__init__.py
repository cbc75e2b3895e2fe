"""Machine-readable specification, golden data and conformance suite for Ascend aclnn operators.

The names below are imported when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aclnn_spec.api import certify, check
    from aclnn_spec.certification.certificate import Certificate
    from aclnn_spec.certification.implementation import Implementation, PhaseOne, from_function
    from aclnn_spec.golden.store import load_golden
    from aclnn_spec.golden.tensor import Tensor
    from aclnn_spec.plugin import parametrize
    from aclnn_spec.spec.errors import InputError
    from aclnn_spec.spec.model import TensorDesc
    from aclnn_spec.spec.read import load_spec

__all__ = [
    "Certificate",
    "Implementation",
    "InputError",
    "PhaseOne",
    "Tensor",
    "TensorDesc",
    "certify",
    "check",
    "from_function",
    "load_golden",
    "load_spec",
    "parametrize",
]

_HOMES = {
    "Certificate": "certification.certificate",
    "Implementation": "certification.implementation",
    "InputError": "spec.errors",
    "PhaseOne": "certification.implementation",
    "Tensor": "golden.tensor",
    "TensorDesc": "spec.model",
    "certify": "api",
    "check": "api",
    "from_function": "certification.implementation",
    "load_golden": "golden.store",
    "load_spec": "spec.read",
    "parametrize": "plugin",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)

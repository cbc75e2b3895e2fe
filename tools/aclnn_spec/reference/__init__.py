"""What the operators compute: one small function each, correctly rounded, over tensors of any size."""

from collections.abc import Mapping
from types import MappingProxyType

from aclnn_spec.reference.evaluate import Common, Reading, Reference, evaluate
from aclnn_spec.reference.l1_loss_backward import READINGS, l1_loss_backward

__all__ = ["REFERENCES", "Common", "Reading", "Reference", "evaluate"]

#: The references by operator name.
REFERENCES: Mapping[str, Reference] = MappingProxyType(
    {"aclnnL1LossBackward": Reference(function=l1_loss_backward, readings=READINGS)}
)

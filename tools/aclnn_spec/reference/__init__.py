"""What the operators compute: one small function each, correctly rounded, over tensors of any size."""

from collections.abc import Mapping
from types import MappingProxyType

from aclnn_spec.reference import (
    l1_loss,
    l1_loss_backward,
    mse_loss,
    mse_loss_backward,
    smooth_l1_loss,
    smooth_l1_loss_backward,
)
from aclnn_spec.reference.evaluate import Common, Reading, Reference, evaluate

__all__ = ["REFERENCES", "Common", "Reading", "Reference", "evaluate"]

#: The references by operator name.
REFERENCES: Mapping[str, Reference] = MappingProxyType(
    {
        "aclnnL1LossBackward": Reference(
            function=l1_loss_backward.l1_loss_backward, readings=l1_loss_backward.READINGS
        ),
        "aclnnSmoothL1LossBackward": Reference(
            function=smooth_l1_loss_backward.smooth_l1_loss_backward, readings=smooth_l1_loss_backward.READINGS
        ),
        "aclnnMseLossBackward": Reference(
            function=mse_loss_backward.mse_loss_backward, readings=mse_loss_backward.READINGS
        ),
        "aclnnL1Loss": Reference(function=l1_loss.l1_loss, readings=l1_loss.READINGS),
        "aclnnMseLoss": Reference(function=mse_loss.mse_loss, readings=mse_loss.READINGS),
        "aclnnSmoothL1Loss": Reference(function=smooth_l1_loss.smooth_l1_loss, readings=smooth_l1_loss.READINGS),
    }
)

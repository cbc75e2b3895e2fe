"""A plain function to certify: aclnn-spec certify examples/my_function.py:implementation."""

import numpy as np

from aclnn_spec import from_function


def l1_loss_backward(gradOutput, self, target, reduction):
    """Take arrays and numbers by the API's own names, give the values of gradInput."""
    gradient, one, other = (np.asarray(each, np.float32) for each in (gradOutput, self, target))
    result = np.where(one > other, gradient, np.where(one < other, -gradient, 0))
    return result / result.size if reduction == 1 else result  # 1 is mean


implementation = from_function("my-function", "1.0", {"aclnnL1LossBackward": l1_loss_backward})

"""A function with a known fault, certified with waivers.json beside it.

aclnn-spec certify examples/short_count.py:implementation --waivers examples/waivers.json
"""

from my_function import l1_loss_backward as right

from aclnn_spec import from_function


def l1_loss_backward(gradOutput, self, target, reduction):
    """Divide by N counted in 24 bits."""
    result = right(gradOutput, self, target, reduction=0)
    return result / (result.size % 2**24) if reduction == 1 and result.size else result


implementation = from_function("short-count", "1.0", {"aclnnL1LossBackward": l1_loss_backward})

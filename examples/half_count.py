"""A function with a known fault, certified with waivers.json beside it.

aclnn-spec certify examples/half_count.py:implementation --waivers examples/waivers.json
"""

import numpy as np
from my_function import l1_loss_backward as exact

from aclnn_spec import from_function


def l1_loss_backward(gradOutput, self, target, reduction):
    """Divide by N held in FLOAT16, which has no numbers above 65,504."""
    result = exact(gradOutput, self, target, reduction=0)
    with np.errstate(over="ignore"):
        count = np.float16(result.size)
    return result / np.float32(count) if reduction == 1 and result.size else result


implementation = from_function("half-count", "1.0", {"aclnnL1LossBackward": l1_loss_backward})

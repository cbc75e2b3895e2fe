"""Ask the specification which clauses a call breaks."""

import aclnn_spec

operator = aclnn_spec.load_spec().operator("aclnnL1LossBackward")
tensor = aclnn_spec.TensorDesc(dtype="FLOAT", shape=(2, 3))
diagnosis = operator.validate(
    {"gradOutput": tensor, "self": tensor, "target": tensor, "reduction": 3, "gradInput": tensor}
)
print(diagnosis.status, [clause.id for clause in diagnosis.broken])

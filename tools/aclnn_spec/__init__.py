"""Machine-readable specification, golden data and conformance suite for Ascend aclnn operators."""

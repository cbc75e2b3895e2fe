"""The suite among the tests of your own project: pytest examples/test_my_kernel.py."""

from my_kernel import MyKernel

import aclnn_spec


@aclnn_spec.parametrize(MyKernel())
def test_conformance(case):
    """The kernel does what the spec says."""
    case.check()

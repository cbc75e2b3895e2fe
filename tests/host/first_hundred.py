"""Certify the library that HOST_LIBRARY names by the core tier's first hundred cases, in this process: for valgrind."""

import os
import sys

from aclnn_spec.certification.session import Options, open_suite, opened
from aclnn_spec.implementations.cann import CannImplementation

one = CannImplementation(library=os.environ["HOST_LIBRARY"])
with opened(one):
    suite = open_suite(Options(), one.operators, one.name)
    passed = sum(suite.run(case_id, one).verdict == "pass" for case_id in suite.ids[:100])
sys.stdout.write(f"{passed} of 100 passed\n")
sys.exit(passed != 100)

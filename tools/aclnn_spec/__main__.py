"""`python -m aclnn_spec` is the command `aclnn-spec`."""

import sys

from aclnn_spec.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""`aclnn-spec host build`: compile the host library and say where it is."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from aclnn_spec.certification.session import check_target
from aclnn_spec.implementations.host_library import build_host_library


def run(given: Namespace) -> int:
    """Build; always 0, as what prevents it is an error."""
    output = Path(given.output) if given.output else None
    if output is not None:
        check_target(output, "--output")
    print(build_host_library(output, fault=given.fault, sanitize=given.sanitize))
    return 0

"""`aclnn-spec certify`: run the suite in processes of its own, print the summary, write the certificate."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from aclnn_spec.certification.conclude import CONFORMANT
from aclnn_spec.certification.report import summary
from aclnn_spec.certification.resolve import with_settings
from aclnn_spec.certification.session import Options, check_options, check_target
from aclnn_spec.certification.workers import SECONDS, run_isolated
from aclnn_spec.commands.progress import Bar
from aclnn_spec.spec.read import load_spec


def run(given: Namespace) -> int:
    """Certify; 0 only if conformant."""
    options = Options(
        operators=tuple(given.operator),
        tier=given.tier,
        golden=Path(given.golden) if given.golden else None,
        product=given.product,
        policy=given.policy,
        shard=given.shard,
        waivers=Path(given.waivers) if given.waivers else None,
        cases=tuple(given.case),
    )
    spec = load_spec()
    check_options(options, spec)
    target = Path(given.certificate) if given.certificate else None
    if target is not None:
        check_target(target, "--certificate")
    implementation = with_settings(given.implementation, device=given.device, libraries=given.library)
    with Bar("certify") as bar:
        done = run_isolated(
            implementation,
            options,
            workers=given.workers,
            timeout=given.timeout or SECONDS,
            progress=bar.show,
            spec=spec,
        )
    certificate = done.suite.certificate(done.entries, done.description)
    if target is not None:
        certificate.save(target)
    print(summary(certificate, done.suite.spec, done.suite.golden.case, lang=given.lang))
    return 0 if certificate.verdict == CONFORMANT else 1

"""`aclnn-spec verify`: whether a certificate says what its own evidence, the spec and the golden data say."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from aclnn_spec.certification.certificate import load_certificate
from aclnn_spec.certification.conclude import CONFORMANT
from aclnn_spec.certification.session import Options, open_suite
from aclnn_spec.certification.verify import verify
from aclnn_spec.spec.read import load_spec

_SAID = {
    "zh": ("{name}：证书属实，结论为 {verdict}", "{name}：证书不成立，{count} 处不符"),
    "en": (
        "{name}: the certificate holds, its verdict is {verdict}",
        "{name}: the certificate does not hold, {count} problems",
    ),
}
_MOST = 50


def run(given: Namespace) -> int:
    """Verify; 0 if the certificate holds and its verdict is conformant."""
    spec = load_spec()
    path = Path(given.certificate)
    certificate = load_certificate(path, spec.schemas)
    options = Options(
        operators=certificate.operators,
        tier=certificate.tier,
        golden=Path(given.golden) if given.golden else None,
        product=certificate.product,
        policy=certificate.policy,
        shard=certificate.shard,
    )
    suite = open_suite(options, certificate.operators, path.name, spec)
    problems = verify(certificate, spec, suite.golden.digest, map(suite.golden.case, suite.ids))
    for problem in problems[:_MOST]:
        print(f"{path.name}: {problem}")
    holds, fails = _SAID[given.lang]
    said = fails if problems else holds
    print(said.format(name=path.name, verdict=certificate.verdict, count=len(problems)))
    return 0 if not problems and certificate.verdict == CONFORMANT else 1

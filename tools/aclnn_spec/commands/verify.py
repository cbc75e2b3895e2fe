"""`aclnn-spec verify`: whether a certificate says what its own evidence, the spec and the golden data say."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from aclnn_spec.certification.conclude import CONFORMANT
from aclnn_spec.certification.verify import Checked, read_checked
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
    path = Path(given.certificate)
    checked = read_checked(path, load_spec(), Path(given.golden) if given.golden else None)
    print_problems(path, checked)
    holds, fails = _SAID[given.lang]
    said = fails if checked.problems else holds
    verdict = checked.certificate.verdict
    print(said.format(name=path.name, verdict=verdict, count=len(checked.problems)))
    return 0 if not checked.problems and verdict == CONFORMANT else 1


def print_problems(path: Path, checked: Checked) -> None:
    """Print what does not hold of a certificate, a line each; of very many only the first."""
    for problem in checked.problems[:_MOST]:
        print(f"{path.name}: {problem}")

"""`aclnn-spec report`: a certificate as a readable page, as a badge, or in the terminal."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from aclnn_spec.certification.report import summary
from aclnn_spec.certification.session import check_target
from aclnn_spec.certification.verify import read_checked
from aclnn_spec.commands.verify import print_problems
from aclnn_spec.emit.pages.certificate import certificate_badge, certificate_html
from aclnn_spec.emit.writing import write_texts
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import load_spec

_SAID = {
    "zh": "{name}：证书不成立，{count} 处不符；没有写出任何文件",
    "en": "{name}: the certificate does not hold, problems: {count}; nothing was written",
}


def run(given: Namespace) -> int:
    """Report on a certificate, whatever its verdict; 1, and nothing written, if the certificate does not hold."""
    path = Path(given.certificate)
    targets = {option: Path(file) for option in ("html", "badge") if (file := getattr(given, option)) is not None}
    for option, target in targets.items():
        check_target(target, f"--{option}")
    places = [path.resolve(), *(target.resolve() for target in targets.values())]
    if len(set(places)) < len(places):
        raise InputError("report: found the same file twice, expected one each for the certificate and what is written")
    checked = read_checked(path, load_spec(), Path(given.golden) if given.golden else None)
    if checked.problems:
        print_problems(path, checked)
        print(_SAID[given.lang].format(name=path.name, count=len(checked.problems)))
        return 1
    certificate, suite = checked.certificate, checked.suite
    if not targets:
        print(summary(certificate, suite.spec, suite.golden.case, lang=given.lang))
        return 0
    texts = {}
    if "html" in targets:
        texts[targets["html"]] = certificate_html(checked, given.lang)
    if "badge" in targets:
        texts[targets["badge"]] = certificate_badge(certificate, given.lang)
    write_texts(texts)
    for target in targets.values():
        print(target)
    return 0

"""What scripts and notebooks call: no pytest, and everything in this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aclnn_spec.certification.certificate import Certificate, describe
from aclnn_spec.certification.entry import Entry, explain
from aclnn_spec.certification.implementation import Implementation, check_implementation
from aclnn_spec.certification.resolve import resolve
from aclnn_spec.certification.session import Options, Suite, open_suite, opened, settled
from aclnn_spec.spec.errors import InputError


def certify(
    implementation: Implementation | str,
    *,
    operators: Sequence[str] = (),
    tier: str = "core",
    product: str | None = None,
    policy: str = "strict",
    waivers: str | Path | None = None,
    shard: str | None = None,
    golden: str | Path | None = None,
) -> Certificate:
    """Judge an implementation by a tier of golden data, in this process.

    `implementation` is an object, or a text as the command takes it. A crash of the implementation is a crash of
    this process; the command `aclnn-spec certify` keeps the two apart. InputError for options that do not exist.
    """
    options = Options(
        operators=tuple(operators),
        tier=tier,
        product=product,
        policy=policy,
        shard=shard,
        waivers=Path(waivers) if waivers else None,
        golden=Path(golden) if golden else None,
    )
    one, given = made(implementation)
    with opened(one):
        suite = settled(open_suite(options, tuple(one.operators), one.name), one)
        entries = [suite.run(case_id, one) for case_id in suite.ids]
        return suite.certificate(entries, describe(one, given))


def check(implementation: Implementation | str, case_id: str, *, tier: str = "core", lang: str = "en") -> None:
    """Run one case; AssertionError says all there is to say of a failure."""
    one, given = made(implementation)
    with opened(one):
        suite = settled(open_suite(Options(tier=tier), tuple(one.operators), one.name), one)
        if case_id not in suite.ids:
            raise InputError(f"case: found {case_id!r}, expected an id of the {tier} tier")
        entry = suite.run(case_id, one)
    if entry.verdict == "fail":
        raise AssertionError(told(suite, entry, given, lang))


def told(suite: Suite, entry: Entry, given: str, lang: str = "en") -> str:
    """The whole story of a failed entry."""
    return explain(entry, suite.golden.case(entry.id), given, operator=suite.operator(entry.id), lang=lang)


def made(implementation: Any) -> tuple[Implementation, str]:
    """The implementation an object is or a text names, and the text that names it."""
    if isinstance(implementation, str):
        return resolve(implementation), implementation
    if isinstance(implementation, type):
        name = implementation.__name__
        raise InputError(f"implementation: found the class {name}, expected one made of it, as in {name}()")
    one = check_implementation(implementation, repr(implementation))
    return one, one.name

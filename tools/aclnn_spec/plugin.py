"""The pytest plugin.

Every pytest run in the environment loads this module, so it imports nothing but pytest: the rest comes in when one of
its options or `parametrize` is used.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from aclnn_spec.certification.implementation import Implementation

_OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "certify",
        {
            "metavar": "IMPLEMENTATION",
            "help": "judge this implementation: a registered name, module:attribute, or path/to/file.py:attribute",
        },
    ),
    (
        "operator",
        {
            "action": "append",
            "default": [],
            "metavar": "NAME",
            "help": "only this operator, may be repeated; without it all that the product supports",
        },
    ),
    ("tier", {"default": "core", "metavar": "TIER", "help": "smoke, core or full"}),
    ("golden", {"metavar": "DIR", "help": "where the golden data lies, if not in its usual place"}),
    ("product", {"metavar": "ID", "help": "judge by what holds on this product"}),
    ("policy", {"default": "strict", "metavar": "NAME", "help": "strict or community"}),
    ("certificate", {"metavar": "FILE", "help": "write the certificate to this file"}),
    ("waivers", {"metavar": "FILE", "help": "failures to waive, with their reasons"}),
    ("shard", {"metavar": "I/N", "help": "only the I-th of N shares of the full tier"}),
    ("device", {"metavar": "N", "help": "the device to run on; each xdist worker takes its own if left out"}),
    (
        "library",
        {
            "action": "append",
            "default": [],
            "metavar": "PATH",
            "help": "for cann: a library to look symbols up in, host or cann; may be repeated",
        },
    ),
    ("lang", {"default": "en", "choices": ("zh", "en"), "help": "language of the summary"}),
)


class _Hooks:
    @staticmethod
    def pytest_aclnn_implementations() -> list[Implementation]:  # type: ignore[empty-body]
        """Give implementations that `--aclnn-certify` shall find by their names."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hook `pytest_aclnn_implementations`."""
    pluginmanager.add_hookspecs(_Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("aclnn", "certification of aclnn operators")
    for name, settings in _OPTIONS:
        group.addoption(f"--aclnn-{name}", dest=f"aclnn_{name}", **settings)


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, Any, Any]:
    """Give an implementation that may crash a process of its own, before xdist counts its workers."""
    if config.option.aclnn_certify and not hasattr(config, "workerinput"):
        from aclnn_spec.pytest_suite import isolate  # noqa: PLC0415  # see above

        isolate(config)
    return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Set the suite up if it is asked for."""
    if config.option.aclnn_certify:
        from aclnn_spec.pytest_suite import set_up  # noqa: PLC0415  # see above

        set_up(config)


def parametrize(
    implementation: Implementation | str,
    *,
    tier: str = "core",
    operators: Sequence[str] = (),
    product: str | None = None,
) -> pytest.MarkDecorator:
    """Decorate `def test_conformance(case): case.check()` to run once for every case the implementation is judged by.

    Ids are the spec's own. What must be uniform over the run fails the case that departs from the others.
    """
    from aclnn_spec.bound import bound_cases  # noqa: PLC0415  # see above

    cases = bound_cases(implementation, tier=tier, operators=operators, product=product)
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in cases])

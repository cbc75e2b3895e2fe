"""The suite inside a pytest run: a collector per operator, an item per case, a certificate at the end."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec.api import told
from aclnn_spec.certification.certificate import Certificate, describe
from aclnn_spec.certification.conclude import CONFORMANT, INCOMPLETE
from aclnn_spec.certification.entry import Entry
from aclnn_spec.certification.implementation import Implementation, last_line
from aclnn_spec.certification.report import summary
from aclnn_spec.certification.resolve import resolve, with_settings
from aclnn_spec.certification.session import Options, Suite, check_target, judged_by, lost, open_suite, opened, settled
from aclnn_spec.certification.waivers import Waiver
from aclnn_spec.certification.workers import CRASHES, SECONDS
from aclnn_spec.spec.errors import InputError

_PROPERTY = "aclnn_entry"
_DESCRIPTION = "aclnn_description"
_NARROWED = "aclnn_narrowed"
_PRODUCT = "aclnn_product"
_ASKED_FOR = pytest.StashKey[tuple[str, Implementation]]()


class CaseFailedError(Exception):
    """A case failed; the message is the whole story."""


def set_up(config: pytest.Config) -> None:
    """Check the options, find the implementation, and join the run; UsageError for anything wrong."""
    option = config.option
    options = Options(
        operators=tuple(option.aclnn_operator),
        tier=option.aclnn_tier,
        golden=Path(option.aclnn_golden) if option.aclnn_golden else None,
        product=option.aclnn_product,
        policy=option.aclnn_policy,
        shard=option.aclnn_shard,
        waivers=Path(option.aclnn_waivers) if option.aclnn_waivers else None,
    )
    target = Path(option.aclnn_certificate) if option.aclnn_certificate else None
    try:
        given, implementation = _asked_for(config)
        suite = open_suite(options, tuple(implementation.operators), implementation.name)
        if target is not None:
            check_target(target, "--aclnn-certificate")
    except InputError as error:
        raise pytest.UsageError(*error.faults) from None
    # Without paths on the command line the run is the certification alone, not also the tests around here.
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = []
    run = Certification(config, suite, implementation, given, target)
    config.pluginmanager.register(run, "aclnn_certification")


def isolate(config: pytest.Config) -> None:
    """Send an implementation that may crash or hang into an xdist worker, with a time-out for each case.

    What the command line says of workers and time-outs stands, `-n 0` among it.
    """
    try:
        given, implementation = _asked_for(config)
    except InputError as error:
        raise pytest.UsageError(*error.faults) from None
    option = config.option
    if not getattr(implementation, "isolated", False) or option.collectonly or getattr(option, "usepdb", False):
        return
    missing = [name for name, has in (("xdist", "numprocesses"), ("timeout", "timeout")) if not hasattr(option, has)]
    if missing:
        needed = " and ".join(f"pytest-{name}" for name in missing)
        raise pytest.UsageError(
            f"{given} can crash or hang this process: found no {needed}, expected it installed; or use "
            "aclnn-spec certify, which needs neither"
        )
    if option.numprocesses is None and not option.tx:
        option.numprocesses = 1
    if option.maxworkerrestart is None:
        option.maxworkerrestart = str(CRASHES)
    if option.timeout is None and not config.getini("timeout"):
        # A thread ends the worker; a signal would wait for the C function to come back.
        option.timeout, option.timeout_method = SECONDS, "thread"


def _asked_for(config: pytest.Config) -> tuple[str, Implementation]:
    """The text that names the implementation, and the implementation, made once; InputError if there is none."""
    if _ASKED_FOR not in config.stash:
        option, extra = config.option, _hooked(config)
        given = with_settings(
            option.aclnn_certify, device=option.aclnn_device, libraries=option.aclnn_library, extra=extra
        )
        config.stash[_ASKED_FOR] = given, resolve(given, extra)
    return config.stash[_ASKED_FOR]


def _hooked(config: pytest.Config) -> dict[str, Any]:
    """What `pytest_aclnn_implementations` gives, by name; InputError for what has no name to be found by."""
    extra: dict[str, Any] = {}
    for listed in config.hook.pytest_aclnn_implementations():
        if not isinstance(listed, Sequence):
            raise InputError(f"pytest_aclnn_implementations: found {listed!r}, expected a list of implementations")
        for one in listed:
            name = getattr(one, "name", None)
            if not isinstance(name, str):
                raise InputError(f"pytest_aclnn_implementations: found {one!r}, expected an implementation with a name")
            extra[name] = one
    return extra


class Certification:
    """A certification under way in one pytest process."""

    def __init__(
        self, config: pytest.Config, suite: Suite, implementation: Implementation, given: str, target: Path | None
    ) -> None:
        self.config, self.suite, self.implementation, self.target = config, suite, implementation, target
        self.given = given
        self.entries: dict[str, Entry] = {}
        self.description: dict[str, Any] | None = None
        self.certificate: Certificate | None = None
        self.saved = ""
        self.narrowed = False
        self._stack = ExitStack()
        self._open = False

    def pytest_sessionstart(self) -> None:
        # Should this process vanish, what lies there speaks of this run and not of an earlier one.
        if self.target is None or self.config.option.collectonly or hasattr(self.config, "workeroutput"):
            return
        try:
            self.suite.certificate((), describe(self.implementation, self.given)).save(self.target)
        except OSError as error:
            raise pytest.UsageError(f"--aclnn-certificate: {self.target}: {error.strerror or error}") from None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            groups = [
                OperatorCollector.from_parent(collector, name=name, nodeid=name, certification=self)
                for name in self.suite.operators
            ]
            report.result = [*(report.result or ()), *groups]
        return report

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.narrowed = self.narrowed or any(isinstance(item, CaseItem) for item in items)

    def run(self, case_id: str, session: pytest.Session) -> Entry:
        """Run a case, opening the implementation first if this is the process's first."""
        if not self._open:
            try:
                self._stack.enter_context(opened(self.implementation))
                self.suite = settled(self.suite, self.implementation)
            except InputError as error:  # no other case would fare better
                session.shouldfail = str(error)
                raise
            except Exception as error:  # noqa: BLE001  # whatever open() raises is the implementation's fault
                line = last_line(error)
                return lost(case_id, "raised", f"open() 抛出异常 {line}", f"open() raised {line}")
            self._open = True
        if case_id.partition("/")[0] not in self.suite.operators:
            pytest.skip(f"not supported on {self.suite.options.product}")
        return self.suite.run(case_id, self.implementation)

    def waiver(self, case_id: str) -> Waiver | None:
        """The first waiver that covers the case."""
        return next((waiver for waiver in self.suite.waivers if waiver.covers(case_id)), None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        operator, separator, rest = report.nodeid.partition("::")
        if not separator or operator not in self.suite.operators:
            return
        case_id = f"{operator}/{rest}"
        told_of = [value for name, value in report.user_properties if name == _PROPERTY]
        if told_of:
            # Plug-ins run items again, to see a failure pass: what has failed once stays failed.
            if case_id not in self.entries or self.entries[case_id].verdict != "fail":
                self.entries[case_id] = Entry.from_json(json.loads(str(told_of[0])))
        elif report.failed and case_id not in self.entries:
            # Neither pass nor fail was told: the worker died, or the item never came to run.
            text = str(report.longrepr).strip().splitlines()
            last = text[-1] if text else report.when
            self.entries[case_id] = lost(case_id, "crashed", f"没有运行完：{last}", f"did not run to its end: {last}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        described = self.description or describe(self.implementation, self.given)
        if hasattr(self.config, "workeroutput"):
            said = {_DESCRIPTION: described, _NARROWED: self.narrowed, _PRODUCT: self.suite.options.product}
            self.config.workeroutput |= said
            return
        if self.config.option.collectonly:
            return
        self.certificate = self.suite.certificate(self.entries.values(), described)
        if self.target is not None:
            self.saved = f"certificate: {self.target}"
            try:
                self.certificate.save(self.target)
            except OSError as error:
                self.saved = f"certificate: {self.target}: not written: {error.strerror or error}"
                session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
        verdict = self.certificate.verdict
        chosen = verdict == INCOMPLETE and self.narrowed  # -k, --lf: no certificate was expected
        if session.exitstatus == pytest.ExitCode.OK and verdict != CONFORMANT and not chosen:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_unconfigure(self) -> None:
        # After a worker has handed over what it knows: a library may crash or hang when it is finalised.
        self._stack.close()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {})
        self.description = output.get(_DESCRIPTION, self.description)
        self.suite = judged_by(self.suite, output.get(_PRODUCT, self.suite.options.product))
        self.narrowed = self.narrowed or output.get(_NARROWED, False)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.certificate is not None:
            lang = self.config.option.aclnn_lang
            terminalreporter.section("aclnn certification")
            try:
                text = summary(self.certificate, self.suite.spec, self.suite.golden.case, lang=lang, explained=0)
            except InputError as error:  # spoiled golden data: the cases have failed by it, and have no clauses to show
                text = f"{error}\n\nVerdict: {self.certificate.verdict}"
            terminalreporter.write_line(text)
            if self.saved:
                terminalreporter.write_line(self.saved)


class OperatorCollector(pytest.Collector):
    """The cases of one operator."""

    def __init__(self, *, certification: Certification, **settings: Any) -> None:
        super().__init__(**settings)
        self.certification = certification

    def collect(self) -> Iterator[CaseItem]:
        """One item for each case."""
        prefix = f"{self.name}/"
        for case_id in self.certification.suite.ids:
            if case_id.startswith(prefix):
                yield CaseItem.from_parent(self, name=case_id.removeprefix(prefix))


class CaseItem(pytest.Item):
    """One case; its node id is the case id with `::` after the operator."""

    parent: OperatorCollector

    def runtest(self) -> None:
        certification = self.parent.certification
        case_id = f"{self.parent.name}/{self.name}"
        entry = certification.run(case_id, self.session)
        self.user_properties.append((_PROPERTY, json.dumps(entry.to_json(), ensure_ascii=False)))
        if entry.verdict == "skipped":
            pytest.skip("outside the implementation's scope")
        if entry.verdict == "fail":
            waiver = certification.waiver(case_id)
            if waiver is not None:
                pytest.xfail(f"waived: {waiver.reason}")
            lang = self.config.option.aclnn_lang
            raise CaseFailedError(told(certification.suite, entry, certification.given, lang))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, (CaseFailedError, InputError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.parent.name}/{self.name}"

"""The API itself, called through its C interface by ctypes: on an Ascend device, or in any library that has the ABI."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from aclnn_spec.certification.fault import FaultError
from aclnn_spec.certification.implementation import Arguments, PhaseOne, worker_number
from aclnn_spec.implementations.cann.call import Call
from aclnn_spec.implementations.cann.libraries import load, place_of
from aclnn_spec.implementations.cann.runtime import SUCCESS, Phases, Runtime, bind_operators, bind_runtime
from aclnn_spec.implementations.cann.session import Session, session
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import sha256
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import Spec, load_spec

_DRIVER = Path("/usr/local/Ascend/driver/version.info")


class CannImplementation:
    """The operators of the spec that the libraries have, both phases, on one device.

    `library` holds paths, `host` for this project's own CPU library or `cann` for the installed CANN, in the order in
    which symbols are looked up; `device` is a number, or left out to give each worker of a run its own.
    """

    name = "cann"
    isolated = True

    def __init__(
        self, *, device: str | int | None = None, library: str | Sequence[str] = (), spec: Spec | None = None
    ) -> None:
        if device is not None and not str(device).isdecimal():
            raise InputError(f"cann: device: found {device!r}, expected a number from 0")
        self._device = None if device is None else int(device)
        self._given = (library,) if isinstance(library, str) else tuple(library)
        self._spec = spec or load_spec()
        stable = {name: one for name, one in self._spec.operators.items() if one.status == "stable"}
        self._operators: Mapping[str, Operator] = stable
        self._stack = ExitStack()
        self._calls: weakref.WeakSet[Call] = weakref.WeakSet()
        self._runtime: Runtime | None = None
        self._session: Session | None = None
        self._phases: Mapping[str, Phases] = {}

    @property
    def operators(self) -> tuple[str, ...]:
        """Those of the spec; once open, those of them that the libraries have."""
        return tuple(self._phases or self._operators)

    @property
    def version(self) -> str:
        """The version of CANN's runtime, or of its API; `unknown` before it is open and where nothing tells."""
        return (self._runtime and (_package(self._runtime, b"runtime") or _api(self._runtime))) or "unknown"

    @property
    def product(self) -> str | None:
        """The product of the device's SoC; None of a library that tells no SoC, InputError for one that is unknown."""
        soc = self._soc()
        if soc is None:
            return None
        found = self._spec.tables.product_of_soc(soc)
        if found is None:
            prefixes = [prefix for each in self._spec.tables.products.values() for prefix in each.soc_prefixes]
            raise InputError(
                f"cann: found the SoC {soc}, expected one whose name begins with {', '.join(prefixes)}; "
                "--product says which product's rules to judge by"
            )
        return found.id

    def open(self) -> None:
        """Load the libraries, initialise the device and create the stream; InputError says what was not to be had."""
        self.close()
        with ExitStack() as stack:
            libraries = load(self._given)
            runtime = bind_runtime(libraries)
            phases = bind_operators(libraries, self._operators)
            self._session = stack.enter_context(session(runtime, device=self._device, worker=worker_number()))
            self._runtime, self._phases = runtime, phases
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Release what is left of calls, then the stream and the device."""
        for call in list(self._calls):
            call.release()
        self._stack.close()
        self._session = None

    def details(self) -> dict[str, Any]:
        """Where each operator came from, and what it ran on."""
        session_, runtime = self._session, self._runtime
        if session_ is None or runtime is None:
            return {}
        details: dict[str, Any] = {}
        for name, phases in self._phases.items():
            _place(details, name, phases.get_workspace_size)
        _place(details, "runtime", runtime.functions["aclrtMalloc"])
        details["soc"] = self._soc()
        details["device"] = session_.device
        details["cann"] = _package(runtime, b"runtime")
        details["acl_api"] = _api(runtime)
        details["driver"] = _package(runtime, b"driver") or _driver()
        return details

    def recent_error(self) -> str:
        """The library's text for its last error."""
        return self._runtime.recent_error() if self._runtime else ""

    def get_workspace_size(self, operator: str, arguments: Arguments) -> PhaseOne:
        """Run phase 1 on tensors of its own on the device."""
        if self._session is None:
            raise InputError("cann: found it closed, expected open() before the first call")
        self._session.recover()
        # What an earlier call left behind, released late or broken off, is not this one's.
        self._session.recount()
        call = Call(self._session, self._operators[operator], self._phases[operator])
        self._calls.add(call)
        status = call.first(arguments)
        answer = PhaseOne(status, call.workspace_size, call)
        if status != SUCCESS:
            _report(call, answer)
        return answer

    def execute(self, operator: str, phase_one: PhaseOne) -> int:  # noqa: ARG002  # the call knows its operator
        """Run phase 2, wait for it, and bring all storages back."""
        call: Any = phase_one.executor
        status: int = call.second()
        _report(call, status)
        return status

    def _soc(self) -> str | None:
        tell = self._runtime.optional.get("aclrtGetSocName") if self._runtime else None
        name = tell() if tell else None
        return name.decode(errors="replace") if name else None


def _report(call: Call, answer: PhaseOne | int) -> None:
    """Raise what a call that is over has left behind: bytes overwritten, or handles that nobody released."""
    astray = call.session.astray()
    for kind, text in (*(("stray_write", each) for each in call.strays), ("life_cycle", astray)):
        if text is not None:
            raise FaultError(kind, zh=text.zh, en=text.en, answer=answer)


def _place(details: dict[str, Any], name: str, function: Any) -> None:
    place = place_of(function)
    details[name] = place
    details[f"{name}.sha256"] = sha256(Path(place)) if place else None


def _package(runtime: Runtime, package: bytes) -> str | None:
    """The version of a package of CANN 9.x; None where nothing tells."""
    tell = runtime.optional.get("aclsysGetVersionStr")
    text = ctypes.create_string_buffer(128)
    if tell is None:
        return None
    if tell(package, text) != SUCCESS:
        runtime.recent_error()  # or the next error without a text of its own is told with this one's
        return None
    return text.value.decode(errors="replace") or None


def _api(runtime: Runtime) -> str | None:
    """The version of the ACL API; None where nothing tells."""
    tell = runtime.optional.get("aclrtGetVersion")
    numbers = [ctypes.c_int32() for _ in range(3)]
    if tell is None or tell(*map(ctypes.byref, numbers)) != SUCCESS:
        return None
    return ".".join(str(number.value) for number in numbers)


def _driver() -> str | None:
    """The driver's version, from the file it installs."""
    try:
        lines = _DRIVER.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    return next((line.partition("=")[2].strip() for line in lines if line.startswith("Version=")), None)

"""The ctypes implementation on the host library: what it finds, what it releases, and what it says of the library."""

from __future__ import annotations

import ctypes
import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec import api
from aclnn_spec.certification.fault import FaultError
from aclnn_spec.certification.implementation import WORKER
from aclnn_spec.certification.resolve import resolve, with_settings
from aclnn_spec.certification.session import Options, Suite, open_suite, opened
from aclnn_spec.certification.verify import verify
from aclnn_spec.certification.workers import run_isolated
from aclnn_spec.golden.case import Case
from aclnn_spec.golden.store import Golden
from aclnn_spec.golden.tensor import blank
from aclnn_spec.implementations.cann import CannImplementation, libraries
from aclnn_spec.implementations.cann.libraries import Libraries
from aclnn_spec.implementations.cann.runtime import _typed, bind_operators
from aclnn_spec.implementations.host_library import fault_names
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import Prototype, TensorDesc
from aclnn_spec.spec.read import Spec, load_spec
from conftest import NAME, Command

Build = Callable[..., Path]

KINDS = ("tensor", "executor", "stream", "allocation", "device", "init")
RANK_8 = f"{NAME}/basic/FLOAT-2x1x1x2x1x1x2x3-sum-plain"
PLAIN = f"{NAME}/basic/FLOAT-2x3-none-plain"
MEAN = f"{NAME}/basic/FLOAT-2x3-mean-plain"
LONELY = f"{NAME}/basic/FLOAT-3x1x5-none-plain"
NULL = f"{NAME}/status/nullptr-self-null-mean"

CONDEMNED = {
    "IGNORES_STRIDES": (f"{NAME}/layout/FLOAT-2x3x5-sum-transposed-gradInput", "value", "elements are wrong"),
    "IGNORES_OFFSET": (f"{NAME}/layout/FLOAT-2x3x5-none-offset5-target", "value", "elements are wrong"),
    "WRITES_PAST_VIEW": (PLAIN, "stray_write", "4 bytes behind the device memory of gradInput were overwritten"),
    "WRITES_INPUT": (PLAIN, "input_changed", "1 element of the storage of input self changed, the first at 0"),
    "DROPS_TAIL": (f"{NAME}/basic/FLOAT-3x1x5-none-plain", "value", "(never written)"),
    "WRONG_ENUM": (f"{NAME}/basic/BFLOAT16-3x3-none-signs", "status", "phase 1 answered ACLNN_ERR_PARAM_INVALID"),
    "WRONG_N": (f"{NAME}/mean/FLOAT-4x1x1.1x3x1.1x1x5-broadcast", "value", "elements are wrong"),
    "STALE_N": (MEAN, "value", "elements are wrong"),
    "HALF_N": (f"{NAME}/mean/FLOAT-3x21843-large-n", "value", "elements are wrong"),
    "INVALID_FOR_NULL": (NULL, "status", "it says: aclnnL1LossBackward: nullptr: One of the tensors"),
    "NARROW_REDUCTION": (
        f"{NAME}/status/reduction-reduction-minus9223372036854775808",
        "status",
        "phase 1 answered 0, expected",
    ),
    "LEAKS_EXECUTOR": (PLAIN, "life_cycle", "the library holds 1 executor alive, expected 0"),
    "FREES_EXECUTOR_TWICE": (PLAIN, "life_cycle", "what was not alive was released or used"),
    "OVERRUNS_WORKSPACE": (PLAIN, "stray_write", "96 bytes behind the device memory of workspace were overwritten"),
    "SKIPS_SYNCHRONISE": (PLAIN, "value", "(never written)"),
    "DEVICE_EXCEPTION": (RANK_8, "runtime", "aclrtSynchronizeStream answered 507015: aclnnL1LossBackward: the device"),
}
"""Fault → a case that it fails, the kind of fault that is found, and words of its message."""
ALONE = {
    "CRASHES_ON_NULL": (NULL, "crashed", "the process was ended by SIGSEGV"),
    "LOOPS": (RANK_8, "timed_out", "did not end within 2 seconds"),
}
"""The same for faults that cost the process."""


def alive(library: Path) -> dict[str, int]:
    """What the library counts as alive, and as misused or abandoned, where there is any."""
    count = ctypes.CDLL(str(library)).aclnnHostAlive
    count.restype, count.argtypes = ctypes.c_int64, [ctypes.c_char_p]
    return {kind: number for kind in (*KINDS, "misuse", "abandoned") if (number := count(kind.encode()))}


@contextmanager
def running(library: Path, spec: Spec, **settings: Any) -> Iterator[tuple[Suite, CannImplementation]]:
    """An open implementation over a library, with the core tier."""
    one = CannImplementation(library=str(library), spec=spec, **settings)
    with opened(one):
        yield open_suite(Options(), one.operators, one.name, spec), one


def test_the_host_library_is_conformant(command: Command, tmp_path: Path) -> None:
    """The library is built, certified by two workers, and its certificate holds and names the library.

    `.ci/run` does it with the whole core tier.
    """
    certificate = tmp_path / "c.json"
    ran = command("certify", "cann", "--library", "host", "--tier", "smoke", "-n", "2", "--certificate", certificate)
    assert (ran.returncode, ran.stderr) == (0, "")
    details = json.loads(certificate.read_text(encoding="utf-8"))["implementation"]["details"]
    assert details[NAME].endswith("libaclnn_host.so")
    assert len(details[f"{NAME}.sha256"]) == 64
    assert command("verify", certificate).returncode == 0


@pytest.mark.parametrize("fault", [None, "WRONG_N", "WRITES_PAST_VIEW", "DEVICE_EXCEPTION"])
def test_nothing_stays_alive(fault: str | None, host_library: Build, spec: Spec, small_cases: tuple[Case, ...]) -> None:
    """After a run all of the library's counters are zero, also after failed cases and a lost context."""
    library = host_library(fault)
    with running(library, spec) as (suite, one):
        verdicts = {suite.run(each, one).verdict for each in (*(case.id for case in small_cases), RANK_8, NULL)}
    assert ("fail" in verdicts) == (fault is not None)
    assert alive(library) == {}


def test_every_fault_is_tried() -> None:
    """The tables here name the faults that the library's sources list, and no other."""
    assert {*CONDEMNED, *ALONE} == set(fault_names())


@pytest.mark.parametrize("fault", CONDEMNED)
def test_a_faulty_library_is_condemned(fault: str, host_library: Build, spec: Spec) -> None:
    """A fault compiled in fails its case in its own words, and the sound library passes it."""
    case, kind, words = CONDEMNED[fault]
    with running(host_library(fault), spec) as (suite, one):
        assert suite.run(f"{NAME}/basic/FLOAT-3x3-mean-signs", one).id  # what a stale cache is filled by
        (first, *_) = suite.run(case, one).faults
    assert (first.kind, words in first.message.en) == (kind, True)
    with running(host_library(), spec) as (suite, one):
        assert suite.run(case, one).verdict == "pass"


@pytest.mark.parametrize("fault", ALONE)
def test_a_crash_and_a_loop_cost_their_case(fault: str, host_library: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that crashes or hangs fails the one case it does so in, by name; the run goes on, on its device."""
    monkeypatch.setenv("ACLNN_HOST_DEVICES", "1")
    case, kind, words = ALONE[fault]
    options = Options(cases=(PLAIN, case, MEAN))
    done = run_isolated(f"cann:library={host_library(fault)}", options, timeout=2.0)
    told = {entry.id: [(each.kind, each.message.en) for each in entry.faults] for entry in done.entries}
    assert told == {PLAIN: [], case: [(kind, words)], MEAN: []}


def test_a_lost_context_is_set_up_anew(host_library: Build, spec: Spec) -> None:
    """After the device has failed in one case the next one runs."""
    with running(host_library("DEVICE_EXCEPTION"), spec) as (suite, one):
        verdicts = [suite.run(each, one).verdict for each in (PLAIN, RANK_8, PLAIN, RANK_8, MEAN)]
    assert verdicts == ["pass", "fail", "pass", "fail", "pass"]


def test_a_context_of_somebody_else(host_library: Build, spec: Spec) -> None:
    """A process that others initialised is neither finalised nor reset, also when its context is lost."""
    library = host_library("DEVICE_EXCEPTION")
    theirs = ctypes.CDLL(str(library))
    assert (theirs.aclInit(None), theirs.aclrtSetDevice(0)) == (0, 0)
    with running(library, spec) as (suite, one):
        assert suite.run(PLAIN, one).verdict == "pass"
    assert alive(library) == {"device": 1, "init": 1}
    with running(library, spec) as (suite, one):
        entries = [suite.run(each, one) for each in (RANK_8, PLAIN)]
    assert [each.message.en for each in entries[1].faults] == [
        "the device's context was lost in an earlier case; others initialised CANN, so it is not reset here"
    ]
    assert (theirs.aclrtResetDevice(0), theirs.aclFinalize()) == (0, 0)
    assert alive(library) == {}


def arguments(spec: Spec, **changed: Any) -> dict[str, Any]:
    """A good call's arguments."""
    dtype = spec.tables.dtypes["FLOAT"]
    tensors = {p.name: blank(TensorDesc(dtype="FLOAT", shape=(2, 3)), dtype) for p in spec.operators[NAME].parameters}
    return tensors | {"reduction": 1} | changed


def test_a_call_without_its_phase_2(host_library: Build, spec: Spec) -> None:
    """A call that is dropped between the phases gives everything back, at once or when the device is closed."""
    library = host_library()
    one = CannImplementation(library=str(library), spec=spec)
    one.open()
    answer: Any = one.get_workspace_size(NAME, arguments(spec))
    assert (answer.status, alive(library)["executor"], alive(library)["tensor"]) == (0, 1, 4)
    del answer
    assert alive(library) == {"stream": 1, "device": 1, "init": 1}
    kept = one.get_workspace_size(NAME, arguments(spec))
    one.close()
    assert alive(library) == {}
    with suppress(Exception):
        one.execute(NAME, kept)
    assert alive(library) == {}


def test_tensors_that_share_a_storage(host_library: Build, spec: Spec) -> None:
    """Two tensors over one storage are two handles over one allocation."""
    library = host_library()
    given = arguments(spec)
    given["gradInput"] = given["self"]
    one = CannImplementation(library=str(library), spec=spec)
    with opened(one):
        answer: Any = one.get_workspace_size(NAME, given)
        assert (alive(library)["tensor"], alive(library)["allocation"]) == (4, 3)
        assert one.execute(NAME, answer) == 0


@pytest.mark.parametrize(
    ("soc", "product"),
    [("", None), ("Ascend910A", "atlas_training"), ("Ascend910_9392", "atlas_a3"), ("Ascend910B3", "atlas_a2")],
)
def test_the_product_is_the_devices(
    soc: str, product: str | None, host_library: Build, spec: Spec, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate is by the product of the device's SoC; by none where the library tells no SoC."""
    monkeypatch.setenv("ACLNN_HOST_SOC", soc)
    certificate = api.certify(CannImplementation(library=str(host_library()), spec=spec), golden=small)
    assert (certificate.product, certificate.verdict) == (product, "conformant")
    assert certificate.implementation["details"]["soc"] == (soc or None)


@pytest.mark.parametrize(
    ("environment", "options", "said"),
    [
        (
            {"ACLNN_HOST_SOC": "Ascend310B4"},
            [],
            (
                f"product: {', '.join(load_spec().operators)} are not supported on atlas_200i_500_a2_inference "
                "(Atlas 200I/500 A2 inference series)"
            ),
        ),
        (
            {"ACLNN_HOST_SOC": "Ascend1"},
            [],
            (
                "cann: found the SoC Ascend1, expected one whose name begins with Ascend950, Ascend910_93, Ascend910B, "
                "Ascend310B, Ascend310P, Ascend910A, Ascend910ProA, Ascend910ProB, Ascend910; --product says which "
                "product's rules to judge by"
            ),
        ),
        (
            {"ACLNN_HOST_DEVICES": "0"},
            [],
            "cann: found no device: aclrtGetDeviceCount gave 0, expected at least 1",
        ),
        ({"ACLNN_HOST_DEVICES": "2"}, ["--device", "2"], "cann: device: found 2, expected 0 to 1"),
        ({}, ["--device", "one"], "cann: device: found 'one', expected a number from 0"),
    ],
)
def test_what_cannot_be_used(
    environment: dict[str, str], options: list[str], said: str, host_library: Build, monkeypatch: Any
) -> None:
    """A product, a SoC or a device that cannot be used is one sentence, and nothing stays open."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    library = host_library()
    with pytest.raises(InputError) as caught:
        api.certify(resolve(with_settings("cann", device=options[-1] if options else None, libraries=[str(library)])))
    assert (str(caught.value), alive(library)) == (said, {})


def test_the_command_says_so(host_library: Build, main: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command says it in one line and exits with 2; `--product` stands above a SoC that nobody knows."""
    monkeypatch.setenv("ACLNN_HOST_SOC", "Ascend1")
    ran = main("certify", "cann", "--library", host_library())
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert ran.stderr.startswith("aclnn-spec certify: cann: found the SoC Ascend1, expected one whose name begins with")
    ran = main("certify", "cann", "--library", host_library(), "--product", "atlas_a2", "--case", PLAIN, "--lang", "en")
    assert "product         Atlas A2 training" in ran.stdout


@pytest.mark.parametrize(
    ("worker", "xdist", "device", "expected"),
    [("0", "", None, 0), ("3", "", None, 3), ("5", "", None, 1), ("", "gw2", None, 2), ("3", "gw1", "1", 1)],
)
def test_each_worker_has_its_device(
    worker: str, xdist: str, device: str | None, expected: int, host_library: Build, spec: Spec, monkeypatch: Any
) -> None:
    """Workers take the devices in turn; one that is asked for is everybody's."""
    monkeypatch.setenv("ACLNN_HOST_DEVICES", "4")
    monkeypatch.setenv(WORKER, worker)
    monkeypatch.setenv("PYTEST_XDIST_WORKER", xdist)
    with running(host_library(), spec, device=device) as (_, one):
        assert one.details()["device"] == expected


def test_an_installed_cann(host_library: Build, spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `--library` the installation is used; a custom library that shadows an operator is the one named."""
    library, custom = host_library(), host_library("WRONG_N")
    for name in ("libacl_rt.so", "libnnopbase.so", "libopapi_math.so", "libopapi_nn.so"):
        place = tmp_path / "lib64" / name
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(library)
    place = tmp_path / "custom" / "op_api" / "lib" / "libcust_opapi.so"
    place.parent.mkdir(parents=True)
    place.symlink_to(custom)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    monkeypatch.delenv("ASCEND_OPP_PATH", raising=False)
    case = CONDEMNED["WRONG_N"][0]
    for entry, path, verdict in (("", library, "pass"), (str(tmp_path / "custom"), custom, "fail")):
        monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", entry)
        with opened(CannImplementation(spec=spec)) as one:
            suite = open_suite(Options(), one.operators, one.name, spec)
            assert (one.details()[NAME], suite.run(case, one).verdict) == (str(path), verdict)  # type: ignore[attr-defined]


def test_settings_in_the_name(tmp_path: Path) -> None:
    """The options become part of the text that names the implementation, and come out of it unchanged."""
    path = str(tmp_path / "a b&c=%+.so")
    text = with_settings("cann", device="1", libraries=[path, "host"])
    one = resolve(text)
    assert isinstance(one, CannImplementation)
    assert (one._device, one._given) == (1, (path, "host"))
    assert with_settings("cann:device=1", libraries=["host"]) == "cann:device=1&library=host"
    with pytest.raises(InputError, match=r"--library: found it with 'torch:cuda', expected the plain name"):
        with_settings("torch:cuda", libraries=["host"])
    with pytest.raises(InputError, match=r"found 'device=1' for NumpyImplementation, which has another signature"):
        resolve("numpy:device=1")


def test_a_c_type_that_is_not_known() -> None:
    """A prototype with a type that has no counterpart is an error that names it, not a wrong call."""
    prototype = Prototype(name="aclnnX", parameters=(("x", "aclScalar*"),))
    with pytest.raises(InputError, match=r"aclnnX: x: found C type aclScalar\*, expected one of bool, double, float"):
        _typed(ctypes.CFUNCTYPE(None)(), prototype)


class Handle(dict[str, Any]):
    """A library's functions by name, where a missing one is an AttributeError as in ctypes."""

    def __missing__(self, name: str) -> Any:
        raise AttributeError(name)


def test_half_an_operator(spec: Spec) -> None:
    """A library with one phase of an operator is told by the function that it lacks."""
    half: Any = Handle({f"{NAME}GetWorkspaceSize": ctypes.CFUNCTYPE(None)()})
    with pytest.raises(InputError) as caught:
        bind_operators(Libraries(names=("libhalf.so",), handles=(half,)), {NAME: spec.operators[NAME]})
    assert str(caught.value) == f"cann: found no {NAME} in libhalf.so"


def test_pytest_runs_it_in_a_worker(host_library: Build, pytester: pytest.Pytester) -> None:
    """The pytest door gives it an xdist worker of its own, and a crash costs its case there too."""
    library = host_library("CRASHES_ON_NULL")
    ran = pytester.runpytest_subprocess(
        "--aclnn-certify",
        "cann",
        "--aclnn-library",
        str(library),
        "--aclnn-operator",
        NAME,
        "-k",
        "nullptr-self-null-mean or FLOAT-2x3-none-plain",
    )
    ran.stdout.fnmatch_lines(["*1 worker*", f"*worker 'gw0' crashed while running '*{NULL.partition('/')[2]}'*"])
    ran.assert_outcomes(passed=1, failed=1)


def test_pytest_skips_what_the_device_does_not_support(
    host_library: Build, spec: Spec, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The cases are collected before the device tells its product; those of other operators are left out then."""
    monkeypatch.setenv("ACLNN_HOST_SOC", "Ascend910A")
    target = tmp_path / "c.json"
    options = ["--aclnn-certify=cann", f"--aclnn-library={host_library()}", f"--aclnn-certificate={target}"]
    ran = pytester.runpytest_subprocess(*options, "-k", "FLOAT-2x3-none-plain")
    supported = [name for name, each in spec.operators.items() if each.products["atlas_training"]]
    ran.assert_outcomes(passed=len(supported), skipped=len(spec.operators) - len(supported))
    made = json.loads(target.read_text(encoding="utf-8"))
    assert (made["product"], made["operators"]) == ("atlas_training", supported)
    assert {entry["id"].partition("/")[0] for entry in made["entries"] if entry["verdict"] == "pass"} == {*supported}


def test_a_workspace_is_not_copied(host_library: Build, spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the guards of a workspace are written and read, however large it is."""
    sizes: list[int] = []
    with running(host_library(), spec) as (_, one):
        session = one._session
        assert session is not None
        copy = session._copy
        monkeypatch.setattr(session, "_copy", lambda *given: (sizes.append(given[2]), copy(*given)))
        block = session.take("workspace", 2**20)
        assert session.fetch(block, None) == []
        session.give_back(block)
    assert sizes == [256, 256 + 32, 256, 256 + 32]


def compiled(source: str, folder: Path) -> str:
    """Compile a shared library from a text of C."""
    (folder / "own.c").write_text(source, encoding="utf-8")
    library = folder / "libown.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "own.c"], check=True)  # noqa: S607
    return str(library)


@pytest.mark.parametrize("phases", [(), ("GetWorkspaceSize",)])
def test_the_host_librarys_operators_do_not_stand_in(
    phases: tuple[str, ...], host_library: Build, spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library without the operator, or with one phase of it, is not certified by the host library's kernel."""
    monkeypatch.setattr(libraries, "build_host_library", host_library)
    source = "".join(f"int {NAME}{phase}(void) {{ return 0; }}\n" for phase in phases) or "int other;\n"
    own = compiled(source, tmp_path)
    names = [NAME] if phases else spec.operators
    missing = [f"{name}{phase}" for name in names for phase in ("GetWorkspaceSize", "") if phase not in phases]
    one = CannImplementation(library=(own, "host"), spec=spec)
    with pytest.raises(InputError) as caught, opened(one):
        pass
    assert str(caught.value) == f"cann: found no {', '.join(missing)} in {own}"


def test_the_certificate_of_leaks_and_failures_verifies(host_library: Build, spec: Spec, small: Path) -> None:
    """A call that leaks and answers a wrong status fails by both, so that its certificate holds."""
    one = CannImplementation(library=str(host_library("LEAKS_EXECUTOR")), spec=spec)
    execute = one.execute

    def leaks_and_fails(operator: str, phase_one: Any) -> int:
        try:
            execute(operator, phase_one)
        except FaultError as error:
            raise FaultError("life_cycle", zh="泄漏", en=str(error), answer=361001) from None
        return 0

    one.execute = leaks_and_fails  # type: ignore[method-assign]
    certificate = api.certify(one, golden=small)
    golden = Golden(small, spec)
    failed = next(entry for entry in certificate.entries if entry.id == LONELY)
    assert [each.kind for each in failed.faults] == ["life_cycle", "status"]
    assert verify(certificate, spec, golden.digest, [golden.case(each) for each in golden.case_ids()]) == []


def test_a_workspace_beyond_all_addresses(host_library: Build, spec: Spec) -> None:
    """A size that no size_t holds is a fault of the library, not a small allocation."""
    with running(host_library(), spec) as (_, one):
        assert one._session is not None
        with pytest.raises(FaultError, match=r"workspace takes 18446744073709551615 bytes, more than"):
            one._session.take("workspace", 2**64 - 1)
    assert alive(host_library()) == {}


def test_opening_again_closes_first(host_library: Build, spec: Spec) -> None:
    """An implementation that is opened twice holds one device, and lets go of it when it is closed."""
    one = CannImplementation(library=str(host_library()), spec=spec)
    one.open()
    one.open()
    assert alive(host_library()) == {"stream": 1, "device": 1, "init": 1}
    one.close()
    assert alive(host_library()) == {}

"""What the tests of the doors share: a small tier of golden data, and commands run as users run them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aclnn_spec import api, cli
from aclnn_spec.golden.case import Case
from aclnn_spec.golden.store import Golden, manifest_bytes, write_part
from aclnn_spec.implementations.host_library import build_host_library
from aclnn_spec.spec.read import Spec, data_root, load_spec

pytest_plugins = ["pytester"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BACKENDS = HERE / "implementations" / "backends.py"
NAME = "aclnnL1LossBackward"
PER_GROUP = 1
PER_CLAUSE = 1

Ran = subprocess.CompletedProcess[str]
Command = Callable[..., Ran]


@pytest.fixture(scope="session")
def spec() -> Spec:
    """The spec, read once."""
    return load_spec()


@pytest.fixture(scope="session")
def small_cases(spec: Spec) -> tuple[Case, ...]:
    """A few of the core tier's cases: some of every group, of every clause, and those they are run together with."""
    golden = Golden(data_root() / "golden" / "core", spec)
    chosen: dict[str, None] = {}
    counts: dict[str, int] = {}
    for case in golden.part_cases(NAME):
        marks = [(f"group {case.group}", PER_GROUP), *((clause, PER_CLAUSE) for clause in case.clauses)]
        if case.order == "once" or "large" in case.id or all(counts.get(mark, 0) >= most for mark, most in marks):
            continue
        chosen |= dict.fromkeys(each for each in (case.id, case.partner) if each)
        counts |= {mark: counts.get(mark, 0) + 1 for mark, _ in marks}
    ids = [case_id for case_id in golden.case_ids() if case_id.startswith(f"{NAME}/")]
    lonely = [case_id for case_id in ids if "/basic/FLOAT-3x1x5-none" in case_id][:1]
    broadcast = [case_id for case_id in ids if "/mean/" in case_id and "." in case_id][:3]
    subnormal = [case_id for case_id in ids if case_id.endswith("-none-grad-subnormal")]
    chosen |= dict.fromkeys([*lonely, *broadcast, *subnormal])
    return tuple(golden.case(case_id) for case_id in ids if case_id in chosen)


@pytest.fixture(scope="session")
def write_tier(spec: Spec) -> Callable[[Path, tuple[Case, ...]], Path]:
    """Write cases as a core tier into a directory."""

    def write(directory: Path, cases: tuple[Case, ...]) -> Path:
        directory.mkdir(parents=True, exist_ok=True)
        files = write_part(directory, spec.operators[NAME], "core", NAME, cases)
        manifest = manifest_bytes("core", spec.files, files)
        (directory / "manifest.json").write_bytes(manifest)
        return directory

    return write


@pytest.fixture(scope="session")
def small(
    tmp_path_factory: pytest.TempPathFactory,
    small_cases: tuple[Case, ...],
    write_tier: Callable[[Path, tuple[Case, ...]], Path],
) -> Path:
    """The directory of a core tier with few cases."""
    return write_tier(tmp_path_factory.mktemp("small") / "golden", small_cases)


@pytest.fixture(scope="session")
def command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Run `aclnn-spec` as a process, somewhere outside the checkout unless told otherwise."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    script = Path(sysconfig.get_path("scripts")) / "aclnn-spec"

    def run(*arguments: str | Path, cwd: Path = elsewhere, **environment: str) -> Ran:
        return process([script, *arguments], cwd, environment)

    return run


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Run a line of Python as a process."""
    elsewhere = tmp_path_factory.mktemp("python")

    def run(line: str, cwd: Path = elsewhere, **environment: str) -> Ran:
        return process([sys.executable, "-c", line], cwd, environment)

    return run


def process(arguments: list[str | Path], cwd: Path, environment: dict[str, str]) -> Ran:
    """Run a process with a clean idea of where it is."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    return subprocess.run(
        arguments,
        cwd=cwd,
        env=inherited | {"PYTHONUTF8": "1"} | environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


@pytest.fixture
def main(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `aclnn-spec` in this process, which spares the start of another."""

    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        code = cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, out, err)

    return run


@pytest.fixture(scope="session")
def small_certificate(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of the built-in `numpy` for the small tier."""
    path = tmp_path_factory.mktemp("certificate") / "c.json"
    api.certify("numpy", golden=small).save(path)
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Path]:
    """A copy of the checkout that a test may spoil; `PYTHONPATH` set to its `tools` makes commands use it."""
    copy = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("__pycache__", "full")
    for part in ("spec", "golden", "tools"):
        shutil.copytree(ROOT / part, copy / part, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)
    yield copy
    shutil.rmtree(copy)


@pytest.fixture(scope="session")
def host_library(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Build the host library, with a fault or without, once for each; skips where there is no C compiler."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("host")

    def build(fault: str | None = None) -> Path:
        path = folder / f"libaclnn_host_{fault}.so"
        return path if path.exists() else build_host_library(path, fault=fault)

    return build

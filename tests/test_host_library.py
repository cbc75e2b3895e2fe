"""The host library: how it is built, what it exports, its life-cycle rules, its arithmetic, and the C++ example."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from aclnn_spec.certification.session import opened
from aclnn_spec.golden.tensor import Array, Tensor, numpy_dtype
from aclnn_spec.implementations import host_library as host
from aclnn_spec.implementations.cann import CannImplementation
from aclnn_spec.implementations.numpy_reference import NumpyImplementation
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import contiguous_strides
from aclnn_spec.spec.read import Spec
from conftest import NAME, ROOT, Command

Build = Callable[..., Path]

INCLUDE = f"-I{host.host_root() / 'include'}"
SOURCES = sorted(map(str, host.host_root().glob("src/*.c")))
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
EXAMPLE = ROOT / "examples" / "l1_loss_backward.cpp"


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program with nothing in its environment but what is given."""
    path = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    return subprocess.run(
        [str(each) for each in command],
        env=path | environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def compiled(*arguments: str | Path, compiler: str = "cc") -> None:
    """Compile without a warning; skips where there is no such compiler."""
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    done = run(compiler, *STRICT, *arguments)
    assert (done.returncode, done.stderr) == (0, "")


# The life-cycle rules, from C ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("flags", [("-O2",), ("-g", *SANITIZE)], ids=["plain", "sanitized"])
def test_life_cycle(flags: tuple[str, ...], tmp_path: Path) -> None:
    """The rules asserted in C hold; under the sanitizers nothing is read or written astray, or leaked."""
    program = tmp_path / "test_host"
    compiled("-std=c11", *flags, INCLUDE, *SOURCES, ROOT / "tests" / "host" / "test_host.c", "-lm", "-o", program)
    done = run(program, ASAN_OPTIONS="detect_leaks=1")
    assert (done.stdout, done.stderr, done.returncode) == ("ok\n", "", 0)


def test_only_the_api_is_exported(host_library: Build) -> None:
    """The dynamic symbols are the functions that the headers declare, no more and no fewer."""
    if shutil.which("nm") is None:
        pytest.skip("there is no nm")
    symbols = {line.split()[-1] for line in run("nm", "-D", "--defined-only", host_library()).stdout.splitlines()}
    headers = "".join(path.read_text(encoding="utf-8") for path in host.host_root().glob("include/acl*/*.h"))
    headers += (host.host_root() / "include" / "aclnn_host.h").read_text(encoding="utf-8")
    assert symbols == set(re.findall(r"^ACL_FUNC_VISIBILITY .*?(\w+)\(", headers, re.MULTILINE))
    assert {"aclInit", "aclrtMalloc", "aclCreateTensor", NAME, f"{NAME}GetWorkspaceSize"} <= symbols


@pytest.mark.parametrize(("language", "standard"), [("c", "c11"), ("c++", "c++11")])
def test_every_header_stands_alone(language: str, standard: str) -> None:
    """Each header compiles by itself, as C11 and as C++11."""
    headers = sorted((host.host_root() / "include").rglob("*.h"))
    compiled("-x", language, f"-std={standard}", "-Wno-unused-function", INCLUDE, "-fsyntax-only", *headers)


# The arithmetic ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cann(host_library: Build, spec: Spec) -> Iterator[CannImplementation]:
    """The library, called by the ctypes implementation."""
    one = CannImplementation(library=str(host_library()), spec=spec)
    with opened(one):
        yield one


def tensor(spec: Spec, dtype: str, shape: tuple[int, ...], values: Array | None = None) -> Tensor:
    """A dense tensor of these values, or one to be written."""
    kind = numpy_dtype(spec.tables.dtypes[dtype])
    storage = np.zeros(int(np.prod(shape)), kind)
    if values is not None:
        storage[...] = values.reshape(-1).astype(kind)
    strides = contiguous_strides(shape)
    return Tensor(dtype=spec.tables.dtypes[dtype], shape=shape, strides=strides, storage_shape=shape, storage=storage)


def both(cann: CannImplementation, spec: Spec, inputs: tuple[Tensor, ...], reduction: int, dtype: str) -> list[Array]:
    """The bytes of gradInput by the reference and by the library, every zero positive and every NaN the same."""
    shape = np.broadcast_shapes(*(one.shape for one in inputs))
    results = []
    for implementation in (NumpyImplementation(spec), cann):
        output = tensor(spec, dtype, shape)
        arguments = dict(zip(("gradOutput", "self", "target"), inputs, strict=True))
        first = implementation.get_workspace_size(NAME, arguments | {"reduction": reduction, "gradInput": output})
        assert (first.status, implementation.execute(NAME, first)) == (0, 0)
        values = output.storage
        values[np.asarray(values == 0)] = 0
        values[np.isnan(values)] = np.nan
        results.append(values.view(np.uint8).copy())
    return results


@pytest.mark.parametrize("dtype", ["FLOAT16", "BFLOAT16"])
def test_conversion_to_16_bits(dtype: str, cann: CannImplementation, spec: Spec) -> None:
    """Every number of the type survives; midpoints round to even, and a FLOAT beside them to the nearer."""
    kind = numpy_dtype(spec.tables.dtypes[dtype])
    every = np.arange(1 << 16, dtype=np.uint16).view(kind).astype(np.float32)
    below = np.sort(every[np.isfinite(every)])
    middle = np.append((below[:-1].astype(np.float64) + below[1:]) / 2, [-70000, 65519.99, 65520, 3.4e38])
    middle = middle.astype(np.float32)
    values = np.concatenate([every, middle, np.nextafter(middle, np.float32(np.inf)), np.nextafter(middle, -middle)])
    ones = (tensor(spec, "FLOAT", (1,), np.array([value])) for value in (1, 0))
    expected, actual = both(cann, spec, (tensor(spec, "FLOAT", values.shape, values), *ones), 2, dtype)
    assert np.array_equal(expected, actual)


@pytest.mark.parametrize("common", ["FLOAT", "FLOAT16", "BFLOAT16"])
@pytest.mark.parametrize("integer", ["INT8", "UINT8", "INT16", "INT32", "INT64"])
def test_integers_are_rounded_once(integer: str, common: str, cann: CannImplementation, spec: Spec) -> None:
    """An integer becomes a number of the common type in one rounding, however many digits it has."""
    kind = np.dtype(integer.lower())
    limits = np.iinfo(kind)
    powers = np.array([1 << i for i in range(kind.itemsize * 8 - 1)], object)
    values = np.concatenate([powers, powers + 1, powers - 1, powers + (powers >> 8), powers + (powers >> 11) + 1])
    values = np.concatenate([values, -values, powers + (powers >> 12), powers + (powers >> 25), [limits.min]])
    values = np.array([value for value in values if limits.min <= value <= limits.max]).astype(kind)
    ones = (tensor(spec, common, (1,), np.array([value])) for value in (1, 0))
    expected, actual = both(cann, spec, (tensor(spec, integer, values.shape, values), *ones), 0, "FLOAT")
    assert np.array_equal(expected, actual)


def test_random_calls(cann: CannImplementation, spec: Spec) -> None:
    """Random shapes that broadcast, types and reductions give the reference's bits."""
    random = np.random.default_rng(3)
    for _ in range(60):
        full = random.integers(1, 5, size=random.integers(1, 6))
        inputs = []
        for dtype in (*random.choice(["FLOAT", "FLOAT16", "BFLOAT16", "INT32"], 2).tolist(), "FLOAT16"):
            own = np.where(random.random(full.size) < 0.3, 1, full)[random.integers(0, full.size) :]
            shape = tuple(own.tolist())
            scale = 1 if dtype == "INT32" else random.choice([1, 0.1])
            inputs.append(tensor(spec, dtype, shape, random.integers(-4, 5, shape) * scale))
        output = str(random.choice(["FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE"]))
        expected, actual = both(cann, spec, tuple(inputs), int(random.integers(0, 3)), output)
        assert np.array_equal(expected, actual), (inputs, output)


# The examples --------------------------------------------------------------------------------------------------------


def test_a_kernel_of_ones_own(host_library: Build, small: Path, command: Command, tmp_path: Path) -> None:
    """The C kernel to start from exports its functions alone, and is conformant on the host library's runtime."""
    kernel = tmp_path / "libmy_kernel.so"
    flags = ("-std=c11", "-O2", "-fPIC", "-shared", "-ffp-contract=off")
    compiled(*flags, INCLUDE, ROOT / "examples" / "my_kernel.c", "-lm", "-o", kernel)
    libraries = ("--library", kernel, "--library", host_library())
    ran = command(
        "certify", "cann", *libraries, "--golden", small, "--certificate", tmp_path / "c.json", "--lang", "en"
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert ran.stdout.rstrip().endswith("Verdict: conformant")
    details = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["implementation"]["details"]
    assert (details[NAME], details["runtime"]) == (str(kernel), str(host_library()))


@pytest.fixture(scope="module")
def example(host_library: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C++ example, compiled against the library."""
    program = tmp_path_factory.mktemp("example") / "l1"
    compiled("-std=c++17", INCLUDE, EXAMPLE, host_library(), "-o", program, compiler="c++")
    return program


def test_the_example_prints_the_gradient(example: Path) -> None:
    """The page's data give the page's result."""
    done = run(example)
    assert (done.stdout, done.stderr, done.returncode) == ("0, 0, 0.5, 0.75\n", "", 0)


def test_the_example_tells_what_failed(example: Path) -> None:
    """An error is told with its code and the library's text, and the program ends in order."""
    done = run(example, ACLNN_HOST_DEVICES="0")
    assert (done.stdout, done.stderr, done.returncode) == (
        "",
        "aclrtSetDevice answered 100000: device 0: there are 0\n",
        1,
    )


def test_the_example_uses_only_what_cann_has() -> None:
    """It includes nothing that only our headers have."""
    included = set(re.findall(r'#include "(.*)"', EXAMPLE.read_text(encoding="utf-8")))
    assert included == {"acl/acl.h", "aclnnop/aclnn_l1_loss_backward.h"}


# The faults ----------------------------------------------------------------------------------------------------------


def test_every_fault_acts_somewhere() -> None:
    """Each fault of the list is used in a source, and each that is used is in the list."""
    text = "".join(Path(path).read_text(encoding="utf-8") for path in SOURCES)
    assert set(re.findall(r"\bFAULT\((\w+)\)", text)) == set(host.fault_names())


def test_an_unknown_fault(tmp_path: Path) -> None:
    """A fault that does not exist is refused with the list of those that do."""
    with pytest.raises(InputError, match=r"^host: fault: found 'RUST', expected one of IGNORES_STRIDES, .*WRONG_N"):
        host.build_host_library(tmp_path / "lib.so", fault="RUST")


# The build -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def fake_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler for $CC that writes `library` where it is told to, and a line per run into the file given here."""
    log, script = tmp_path / "log", tmp_path / "my cc"
    log.touch()
    script.write_text(
        '#!/bin/sh\ncase "$*" in *--version) exec echo 1.0;; esac\n'
        f'echo "$@" >> "{log}"\n'
        'while [ "$1" != -o ]; do shift; done\nprintf lib > "$2"; /bin/sleep 0.2; printf rary >> "$2"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    monkeypatch.setenv("CC", f"'{script}' -m64")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return log


def test_the_cache_is_used_again(fake_compiler: Path) -> None:
    """The same build is made once; another fault, or other flags, make another."""
    first, again = host.build_host_library(), host.build_host_library()
    others = {host.build_host_library(fault="WRONG_N"), host.build_host_library(sanitize=True)}
    assert again == first
    assert first.read_text(encoding="utf-8") == "library"
    assert len({first, *others}) == 3
    runs = fake_compiler.read_text(encoding="utf-8").splitlines()
    assert [("FAULT_WRONG_N" in line, "-fsanitize" in line) for line in runs] == [
        (False, False),
        (True, False),
        (False, True),
    ]
    assert all(line.startswith("-m64 -std=c11 ") for line in runs)
    assert [path.name for path in first.parent.iterdir()] == [host.NAME]


def test_builds_at_the_same_time(fake_compiler: Path) -> None:
    """Of builds side by side each gives a whole library, and nothing else stays in the cache."""
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(host.build_host_library().read_text(encoding="utf-8")))
        for _ in range(3)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == ["library"] * 3
    assert len(list((fake_compiler.parent / "cache").rglob("*.so"))) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "found none of cc, gcc, clang on the path and no $CC, expected a C compiler"),
        ("icc -O2", "found no icc ($CC) on the path, expected a C compiler"),
        ("'cc", '$CC: found "\'cc" (No closing quotation), expected a command'),
    ],
)
def test_no_compiler(
    given: str | None, message: str, main: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a C compiler the command says what it looked for, in one line, and exits 2."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    if given is not None:
        monkeypatch.setenv("CC", given)
    ran = main("host", "build")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"aclnn-spec host: host: {message}")
    assert len(ran.stderr.splitlines()) == 1


def test_a_compiler_that_fails(main: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler's first error is told, and nothing is left behind."""
    script = tmp_path / "cc"
    script.write_text("#!/bin/sh\necho note >&2\necho 'x.c:1: error: no' >&2\nexit 1\n", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    ran = main("host", "build", "--output", tmp_path / "out.so")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"aclnn-spec host: host: {script} could not build {host.NAME}: x.c:1: error: no\n"
    assert [path.name for path in tmp_path.iterdir()] == ["cc"]


def test_the_command_prints_the_path(main: Command, tmp_path: Path) -> None:
    """`host build --output` writes the library there, says so, and exits 0."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    target = tmp_path / "lib.so"
    ran = main("host", "build", "--output", target, "--fault", "WRONG_N")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{target}\n", "")
    assert target.read_bytes().startswith(b"\x7fELF")

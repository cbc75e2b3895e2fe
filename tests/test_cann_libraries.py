"""Which libraries `cann` loads, in which order, and what is said of those that cannot be used."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

from aclnn_spec.implementations.cann import libraries
from aclnn_spec.implementations.cann.runtime import bind_operators, bind_runtime
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import Spec
from conftest import NAME

FAMILY_9 = ("libacl_rt.so", "libnnopbase.so", "libopapi_math.so", "libopapi_nn.so")
FAMILY_8 = ("libascendcl.so", "libnnopbase.so", "libopapi.so")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="ELF is Linux's")


def place(path: Path) -> str:
    """Put an empty file there, with the folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return str(path)


def elf(*, bits: int = 64, kind: int = 3, machine: int = 62) -> bytes:
    """The beginning of an ELF file."""
    identity = b"\x7fELF" + bytes([1 if bits == 32 else 2, 1, 1]) + bytes(9)
    return identity + struct.pack("<HH", kind, machine) + bytes(44)


def test_both_families_are_there(tmp_path: Path) -> None:
    """Where a tree holds the libraries of 9.x and of 8.x, those of 9.x are taken, and no other."""
    lib = tmp_path / "lib64"
    paths = {name: place(lib / name) for name in {*FAMILY_9, *FAMILY_8}}
    found = libraries.installed({"ASCEND_HOME_PATH": str(tmp_path)})
    assert found == [paths[name] for name in reversed(FAMILY_9)]


def test_an_older_tree(tmp_path: Path) -> None:
    """Where there is no runtime of 9.x, the libraries of 8.x are taken."""
    paths = [place(tmp_path / "lib64" / name) for name in FAMILY_8]
    assert libraries.installed({"ASCEND_HOME_PATH": str(tmp_path)}) == paths[::-1]


def test_half_a_family(tmp_path: Path) -> None:
    """A runtime without its operator libraries is an error that names what is missing; 8.x does not fill in."""
    for name in (*FAMILY_8, "libacl_rt.so"):
        place(tmp_path / "lib64" / name)
    with pytest.raises(InputError) as caught:
        libraries.installed({"ASCEND_HOME_PATH": str(tmp_path)})
    runtime = tmp_path / "lib64" / "libacl_rt.so"
    assert str(caught.value) == f"cann: found {runtime} but no libopapi_math.so, libopapi_nn.so beside it"


@pytest.mark.parametrize("home", [None, "somewhere"])
def test_no_cann(home: str | None, tmp_path: Path) -> None:
    """Without CANN the error says what was looked for, where, and what else there is."""
    environment = {} if home is None else {"ASCEND_HOME_PATH": str(tmp_path / home)}
    where = "$ASCEND_HOME_PATH/lib64 (the variable is not set)"
    if home is not None:
        where = f"{tmp_path / home / 'lib64'} ($ASCEND_HOME_PATH)"
    with pytest.raises(InputError) as caught:
        libraries.installed(environment)
    assert str(caught.value) == (
        f"cann: found neither libacl_rt.so nor libascendcl.so in {where} or on the loader's path; expected an "
        "installed CANN with its environment set (source set_env.sh), or --library with a path or host"
    )


def test_custom_operators_come_first(tmp_path: Path) -> None:
    """Entries of ASCEND_CUSTOM_OPP_PATH, then vendors in the order of load_priority; what is absent is passed over."""
    first, second = (place(tmp_path / name / "op_api/lib/libcust_opapi.so") for name in ("one", "two"))
    opp = tmp_path / "opp"
    vendors = [place(opp / "vendors" / name / "op_api/lib/libcust_opapi.so") for name in ("b", "a")]
    (opp / "vendors" / "config.ini").write_text("# vendors\nload_priority = b, absent,a\n", encoding="utf-8")
    environment = {
        "ASCEND_CUSTOM_OPP_PATH": f"{tmp_path / 'one'}:{tmp_path / 'none'}:{tmp_path / 'two'}",
        "ASCEND_OPP_PATH": str(opp),
        "ASCEND_HOME_PATH": str(tmp_path),
    }
    for name in FAMILY_8:
        place(tmp_path / "lib64" / name)
    assert libraries.custom(environment) == [first, second, *vendors]
    assert libraries.installed(environment)[:5] == [first, second, *vendors, str(tmp_path / "lib64" / "libopapi.so")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"a text\n", "found a file that begins b'a text\\n', expected a shared library", id="text"),
        pytest.param(b"", "found a file that begins b'', expected a shared library", id="empty"),
        pytest.param(b"\x7fELF\x02", "found a file that begins b'\\x7fELF\\x02', expected a shared library", id="cut"),
        pytest.param(elf(bits=32, machine=3), "found a 32-bit library, expected 64-bit", id="32-bit"),
        pytest.param(elf(kind=1), "found an ELF file of type 1, expected a shared library", id="object file"),
    ],
)
@LINUX
def test_a_file_that_is_no_library(content: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file named .so that is none, or is for another word size, is told by its first bytes."""
    monkeypatch.setattr(libraries, "machine", lambda: "x86_64")
    path = tmp_path / "lib.so"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        libraries.named(str(path))
    assert str(caught.value) == f"cann: library {path}: {said}"


@pytest.mark.parametrize(("number", "found"), [(183, "aarch64"), (243, "machine 243")])
@LINUX
def test_another_machine(number: int, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library for another machine is told by the machine's name, or its number."""
    monkeypatch.setattr(libraries, "machine", lambda: "x86_64")
    path = tmp_path / "lib.so"
    path.write_bytes(elf(machine=number))
    with pytest.raises(InputError) as caught:
        libraries.named(str(path))
    assert str(caught.value) == f"cann: library {path}: found a library for {found}, expected x86_64"


def test_a_directory_and_nothing(tmp_path: Path) -> None:
    """A directory and a path with nothing at it are no libraries; a bare name is left to the loader, which fails."""
    for given, said in (
        (str(tmp_path), "found a directory, expected a shared library"),
        (str(tmp_path / "x.so"), "found no such file, expected a shared library"),
    ):
        with pytest.raises(InputError) as caught:
            libraries.named(given)
        assert str(caught.value) == f"cann: library {given}: {said}"
    assert libraries.named("libno_such_library.so") == "libno_such_library.so"
    with pytest.raises(InputError, match=r"library libno_such_library\.so: cannot be loaded: .*No such file"):
        libraries.load(["libno_such_library.so"])


@LINUX
def test_only_some_symbols(spec: Spec) -> None:
    """A library without the API is told by the functions that it lacks: all of the runtime's, then an operator's."""
    other = libraries.load(["libc.so.6"])
    with pytest.raises(InputError) as caught:
        bind_runtime(other)
    assert str(caught.value).startswith("cann: found no aclInit, aclFinalize, aclrtSetDevice, ")
    assert str(caught.value).endswith(" in libc.so.6")
    with pytest.raises(InputError) as caught:
        bind_operators(other, {NAME: spec.operators[NAME]})
    assert str(caught.value) == f"cann: found no {NAME}GetWorkspaceSize, {NAME} in libc.so.6"

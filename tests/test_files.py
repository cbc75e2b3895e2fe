"""Files are replaced whole or not at all, JSON has one spelling, and broken JSON is named."""

import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aclnn_spec.spec import files
from aclnn_spec.spec.errors import InputError


def names(folder: Path) -> list[str]:
    """Give the names of all that lies in the folder, hidden files included."""
    return sorted(path.name for path in folder.iterdir())


def writing(content: bytes) -> Callable[[BinaryIO], int]:
    """Give a writer of the content."""
    return lambda file: file.write(content)


def failing_with(fault: type[BaseException]) -> Callable[[BinaryIO], None]:
    """Give a writer that writes something, then raises the fault."""

    def fail(file: BinaryIO) -> None:
        file.write(b"half")
        raise fault

    return fail


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    """Until the block ends the path holds the old bytes, then the new ones."""
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with files.write_atomically(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert (path.read_bytes(), names(tmp_path)) == (b"new", ["a"])


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("old", [True, False])
def test_a_failed_write_changes_nothing(tmp_path: Path, fault: type[BaseException], *, old: bool) -> None:
    """After an error or an interrupt the old file, or none, is there, and no temporary one."""
    path = tmp_path / "a"
    if old:
        path.write_bytes(b"old")
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    with pytest.raises(fault):
        files.replace_all({path: failing_with(fault)})
    with pytest.raises(fault), files.write_atomically(path) as file:
        failing_with(fault)(file)
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


def test_a_failed_flush_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is found full only at the end leaves the old file."""
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"), files.write_atomically(path) as file:
        file.write(b"new")
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["a"])


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    """Where a folder stands in the way, it stays, and no temporary file does."""
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match="a"), files.write_atomically(tmp_path / "a") as file:
        file.write(b"new")
    assert names(tmp_path) == ["a"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    """The file can be read by whoever can read files that the user makes otherwise."""
    with (tmp_path / "plain").open("wb"), files.write_atomically(tmp_path / "a"):
        pass
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "plain")]
    assert modes[0] == modes[1]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What a link points to is replaced, not the link."""
    (tmp_path / "a").symlink_to("b")
    with files.write_atomically(tmp_path / "a") as file:
        file.write(b"new")
    assert ((tmp_path / "a").is_symlink(), (tmp_path / "b").read_bytes()) == (True, b"new")


def test_a_set_of_files_is_replaced(tmp_path: Path) -> None:
    """Every file of the set holds its writer's bytes."""
    (tmp_path / "a").write_bytes(b"old")
    files.replace_all({tmp_path / "a": writing(b"1"), tmp_path / "b": writing(b"2")})
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == {"a": b"1", "b": b"2"}


def test_no_file_of_a_set_is_replaced_when_one_fails(tmp_path: Path) -> None:
    """The first file keeps its old bytes when the second cannot be written."""
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(EOFError):
        files.replace_all({tmp_path / "a": writing(b"1"), tmp_path / "b": failing_with(EOFError)})
    assert ((tmp_path / "a").read_bytes(), names(tmp_path)) == (b"old", ["a"])


def test_sha256_is_that_of_the_bytes(tmp_path: Path) -> None:
    """The digest is the one that sha256sum prints."""
    (tmp_path / "a").write_bytes(b"abc")
    assert files.sha256(tmp_path / "a") == hashlib.sha256(b"abc").hexdigest()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Neither reader gives the system's own exception."""
    path = tmp_path / "a"
    expected = f"{path}: found No such file or directory, expected a readable file"
    for reader in (files.sha256, files.read_json):
        with pytest.raises(InputError) as caught:
            reader(path)
        assert str(caught.value) == expected


def test_json_reads_well() -> None:
    """Lists of scalars stand on one line, all else on lines of its own, Chinese as it is."""
    value = {
        "shape": [2, 3],
        "data": [-0.0, 1.5, None, True, "梯度"],
        "none": {},
        "no list": [],
        "deep": [[1, 2], []],
        "cases": [{"id": "a", "strides": (3, 1)}, {}],
    }
    assert (
        files.canonical_json(value).decode()
        == """{
  "shape": [2, 3],
  "data": [-0.0, 1.5, null, true, "梯度"],
  "none": {},
  "no list": [],
  "deep": [
    [1, 2],
    []
  ],
  "cases": [
    {
      "id": "a",
      "strides": [3, 1]
    },
    {}
  ]
}
"""
    )


@pytest.mark.parametrize(("value", "text"), [(-0.0, b"-0.0\n"), ({}, b"{}\n"), ([], b"[]\n"), ("\n", b'"\\n"\n')])
def test_json_of_small_values(value: object, text: bytes) -> None:
    """A single value is a document, too."""
    assert files.canonical_json(value) == text


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
def test_json_has_no_nan(value: object) -> None:
    """What JSON cannot spell is not written in Python's spelling."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.canonical_json(value)


@pytest.mark.parametrize("value", [{1: 2}, {"a": b"b"}, [{None: 1}]])
def test_json_has_no_other_types(value: object) -> None:
    """Keys that are no strings, and values of other types, are not written as something else."""
    with pytest.raises(TypeError):
        files.canonical_json(value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON)
def test_json_comes_back(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    """What is written is read as the same value, and written again as the same bytes."""
    path = tmp_path_factory.getbasetemp() / "round.json"
    path.write_bytes(files.canonical_json(value))
    assert files.read_json(path) == value == json.loads(path.read_bytes())
    assert files.canonical_json(files.read_json(path)) == path.read_bytes()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "line 1, column 1: found no JSON"),
        (b'{\n  "a": 1,\n  "b" 2\n}', "line 3, column 7: found no JSON"),
        (b"[1] []", "line 1, column 5: found no JSON"),
        (b"[1,]", "found no JSON"),
        (b"\xef\xbb\xbf[]", "line 1, column 1: found no JSON"),
        (b'["\xff"]', "found the byte 0xff at 2, expected UTF-8"),
        ('["a"]'.encode("utf-16"), "expected UTF-8"),
        (b'{"a": {"b": 1, "c": 2, "b": 3}}', "found the key 'b' more than once in one object"),
        (b'{"a\\n": 1, "a\\n": 1}', "found the key 'a\\n' more than once"),
        (b"[NaN]", "found the number NaN, expected a finite one"),
        (b"[-Infinity]", "found the number -Infinity, expected a finite one"),
        (b"[1e999]", "found the number 1e999, expected a finite one"),
        (b"9" * 5000, "found an integer of 5000 digits, expected at most 40"),
        (b'["\\ud800"]', "half a surrogate pair"),
        (b'{"\\uDC00": 1}', "half a surrogate pair"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000, "nested too deep"),
    ],
)
def test_broken_json_is_named_in_one_line(tmp_path: Path, data: bytes, message: str) -> None:
    """Each fault is one InputError of one line with the path, and the place where there is one."""
    path = tmp_path / "a.json"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        files.read_json(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert ", expected " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_escaped_pairs_are_whole_characters(tmp_path: Path) -> None:
    """A character that JSON spells as two surrogates is no fault."""
    (tmp_path / "a.json").write_bytes(b'["\\ud83d\\ude00"]')
    assert files.read_json(tmp_path / "a.json") == ["\U0001f600"]


def test_a_folder_is_no_json(tmp_path: Path) -> None:
    """A folder in place of the file is an InputError."""
    with pytest.raises(InputError, match="expected a readable file"):
        files.read_json(tmp_path)


@settings(deadline=None)
@given(st.binary(max_size=40) | st.text('[]{}":,0e+-.\\u ', max_size=40).map(str.encode))
def test_random_bytes_never_raise_anything_else(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Any bytes give a value that can be written again, or an InputError."""
    path = tmp_path_factory.getbasetemp() / "random.json"
    path.write_bytes(data)
    try:
        value = files.read_json(path)
    except InputError:
        return
    assert json.loads(files.canonical_json(value)) == value

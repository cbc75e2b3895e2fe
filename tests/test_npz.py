"""The archive of golden arrays: bytes that never vary, and a reader that nothing surprises."""

import hashlib
import io
import struct
import zipfile
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aclnn_spec.golden import npz
from aclnn_spec.spec.errors import InputError

Array = npt.NDArray[Any]
CENTRAL = b"PK\x01\x02"
LOCAL = b"PK\x03\x04"


class Pipe(io.BufferedIOBase):
    """A file that can only be written, from its beginning to its end."""

    def __init__(self) -> None:
        self.received = bytearray()

    def write(self, data: Any) -> int:
        """Take the bytes."""
        self.received += data
        return len(data)


class Nowhere(io.BytesIO):
    """A file that keeps nothing."""

    def write(self, data: Any) -> int:
        """Drop the bytes."""
        return len(data)


def arrays() -> dict[str, Array]:
    """Give one array of every kind that golden data holds, strided, empty and 0-dimensional ones included."""
    numbers = np.arange(24, dtype="<f4").reshape(2, 3, 4)
    return {
        "case/mean/FLOAT-2x3x4/self": numbers,
        "transposed": numbers.T,
        "reversed": numbers[::-1, :, ::2],
        "expanded": np.broadcast_to(np.float32(2.5), (3, 5)),
        "bool": np.array([True, False, True]),
        "uint8": np.array([255], "u1"),
        "int8": np.array([[-128]], "i1"),
        "uint16": np.array([0x3F80, 0xFFFF, 0], "<u2"),
        "int64": np.array([-(2**63), 2**63 - 1], "<i8"),
        "uint64": np.array([2**64 - 1], "<u8"),
        "float16": np.array([-0.0, np.inf, np.nan, 6e-8], "<f2"),
        "float64": np.array([5e-324, -0.0], "<f8"),
        "complex64": np.array([1 - 2j, complex(np.inf, -0.0)], "<c8"),
        "complex128": np.array([1 + 1j], "<c16"),
        "empty": np.empty((0, 3), "<f4"),
        "empty too": np.empty((4, 0, 2**40), "<c16"),
        "0-d": np.array(7, "<i4"),
        "0-d half": np.array(0.5, "<f2"),
        "梯度": np.array([1.0], "<f4"),
    }


def written(members: dict[str, Array] | None = None) -> bytes:
    """Give the archive of the arrays as bytes."""
    file = io.BytesIO()
    npz.write(file, (arrays() if members is None else members).items())
    return file.getvalue()


def bits(array: Array) -> tuple[str, tuple[int, ...], bytes]:
    """Give all that makes two arrays the same, down to the sign of zero and a NaN's payload."""
    return array.dtype.str, array.shape, array.tobytes()


def zipped(content: bytes, *, name: str = "a.npy", method: int = zipfile.ZIP_STORED) -> bytes:
    """Give a zip with one member, by the standard library."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return file.getvalue()


def npy(header: bytes, data: bytes = b"", version: tuple[int, int] = (1, 0)) -> bytes:
    """Give a zip whose only member is an npy file with this header."""
    return zipped(b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(header)) + header + data)


def described(descr: str = "'<f4'", fortran: str = "False", shape: str = "(2,)", data: bytes = b"12345678") -> bytes:
    """Give a zip whose only member is an npy file that says this of itself."""
    return npy(f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode(), data)


def patched(data: bytes, position: int, layout: str, *values: int) -> bytes:
    """Give the bytes with other values at the position."""
    changed = bytearray(data)
    struct.pack_into(layout, changed, position, *values)
    return bytes(changed)


PAIR = written({"a": np.arange(4, dtype="<f4"), "b": np.arange(4, dtype="<f4") + 1})
FIRST, SECOND = PAIR.index(CENTRAL), PAIR.rindex(CENTRAL)
SECOND_LOCAL = PAIR.rindex(LOCAL)
LAST = len(PAIR) - 22

MALFORMED = {
    "nothing": (b"", "found 0 bytes"),
    "short": (b"PK\x05\x06", "found 4 bytes"),
    "text": (b"gradOutput,self,target\n" * 9, "begin as a zip"),
    "pickle": (b"\x80\x04\x95cos\nsystem\n" * 9, "begin as a zip"),
    "truncated by a byte": (PAIR[:-1], "no end record"),
    "truncated by half": (PAIR[: len(PAIR) // 2], "no end record"),
    "truncated in the directory": (PAIR[:FIRST] + PAIR[SECOND:], "end record that does not fit"),
    "something behind": (PAIR + b"\n", "no end record"),
    "something in front": (LOCAL + PAIR, "end record that does not fit"),
    "two disks": (patched(PAIR, LAST + 4, "<H", 1), "end record that does not fit"),
    "more entries than there are": (patched(PAIR, LAST + 8, "<2H", 3, 3), "no whole directory entry"),
    "fewer entries than there are": (patched(PAIR, LAST + 8, "<2H", 1, 1), "longer than its 1 entries"),
    "directory elsewhere": (patched(PAIR, LAST + 12, "<2L", LAST - 8, 8), "no whole directory entry"),
    "no directory mark": (patched(PAIR, FIRST, "<L", 0), "no whole directory entry"),
    "directory name too long": (patched(PAIR, FIRST + 28, "<H", 0xFFFF), "no whole directory entry"),
    "compressed": (zipped(bytes(999), method=zipfile.ZIP_DEFLATED), "compression method 8"),
    "compressed with bzip2": (zipped(bytes(999), method=zipfile.ZIP_BZIP2), "compression method 12"),
    "encrypted": (patched(PAIR, FIRST + 8, "<H", 0x0801), "encrypted"),
    "patched data": (patched(PAIR, FIRST + 8, "<H", 0x0820), "flags or sizes"),
    "packed size differs": (patched(PAIR, FIRST + 20, "<L", 1), "flags or sizes"),
    "sizes beyond the file": (patched(PAIR, FIRST + 20, "<2L", 2**31, 2**31), "found its end at byte 2147"),
    "sizes of zip64": (patched(PAIR, FIRST + 20, "<2L", 2**32 - 1, 2**32 - 1), "found its end at byte 4294"),
    "sizes one less": (patched(PAIR, FIRST + 20, "<2L", 143, 143), "directory differ"),
    "local sizes differ": (patched(PAIR, 18, "<2L", 143, 143), "directory differ"),
    "local checksum differs": (patched(PAIR, 14, "<L", 0), "directory differ"),
    "local name differs": (patched(PAIR, 30, "<B", ord("c")), "directory differ"),
    "local flags differ": (patched(PAIR, 6, "<H", 0), "directory differ"),
    "local mark missing": (patched(PAIR, 0, "<4B", *b"PK\x05\x06"), "directory differ"),
    "offset into the other member": (patched(PAIR, FIRST + 42, "<L", 8), "found"),
    "offset beyond the file": (patched(PAIR, SECOND + 42, "<L", 2**31), "offset 2147483648"),
    "offset at the directory": (patched(PAIR, SECOND + 42, "<L", FIRST), "offset"),
    "not an array's name": (zipped(b"", name="a.txt"), "ending in .npy"),
    "name not UTF-8": (patched(PAIR, FIRST + 46, "<B", 0xFF), "expected UTF-8"),
    "the same name twice": (PAIR.replace(b"b.npy", b"a.npy"), "found twice"),
    "checksum wrong": (patched(PAIR, SECOND_LOCAL - 1, "<B", 1), "damaged bytes"),
    "member empty": (zipped(b""), "begin as an npy"),
    "member a pickle": (zipped(b"\x80\x04cos\nsystem\n(S'true'\ntR."), "begin as an npy"),
    "npy of version 3": (npy(b"{}\n", version=(3, 0)), "npy version 3.0"),
    "npy header cut off": (zipped(b"\x93NUMPY\x01\x00\xff\xffabc"), "unreadable npy header"),
    "header no literal": (described(shape="(__import__('os').getpid(),)"), "unreadable npy header"),
    "header without shape": (npy(b"{'descr': '<f4', 'fortran_order': False, }\n"), "unreadable npy header"),
    "header with a deep shape": (described(shape="(" * 20000), "unreadable npy header"),
    "header of nothing": (npy(b""), "unreadable npy header"),
    "negative dimension": (described(shape="(-2,)"), "unreadable npy header"),
    "dimension of 5000 digits": (described(shape=f"({'9' * 5000},)"), "unreadable npy header"),
    "objects": (described("'|O'"), "found dtype '|O'"),
    "structure": (described("[('real', '<f2'), ('imag', '<f2')]"), "found dtype"),
    "big-endian": (described("'>f4'"), "found dtype '>f4'"),
    "text array": (described("'<U2'"), "found dtype '<U2'"),
    "raw bytes": (described("'|V2'", shape="(4,)"), "found dtype '|V2'"),
    "Fortran order": (described(fortran="True"), "Fortran order"),
    "shape too large": (described(shape="(3,)"), "found 8 bytes of data"),
    "shape too small": (described(shape="()"), "found 8 bytes of data"),
    "shape claims 7 TiB": (described(shape="(2000000000000,)"), "found 8 bytes of data"),
    "shape beyond any index": (described(shape="(4294967296, 4294967296)"), "too large for any array"),
    "empty but beyond any index": (described(shape="(4294967296, 4294967296, 0)", data=b""), "too large"),
    "rank 65": (described(shape=f"({'1, ' * 64}2)"), "too large for any array"),
}


def overlapping() -> bytes:
    """Give an archive whose second entry describes a whole, valid member inside the first one's data."""
    inner = written({"b": np.arange(4, dtype="<f4")})
    outer = written({"a": np.frombuffer(inner[: inner.index(CENTRAL)], "u1")})
    where, start = outer.index(inner[:40]), outer.rindex(CENTRAL)
    entry = inner[inner.index(CENTRAL) : -22]
    directory = outer[start:-22] + patched(entry, 42, "<L", where)
    return outer[:start] + directory + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2, 2, len(directory), start, 0)


def test_read_gives_back_what_was_written() -> None:
    """Every array comes back with its dtype, its shape and its bits, in the order written."""
    read = npz.read(written(), "x.npz")
    assert [(name, bits(array)) for name, array in read.items()] == [
        (name, bits(array)) for name, array in arrays().items()
    ]


def test_numpy_reads_what_was_written() -> None:
    """np.load, which unpickles nothing, gives the same arrays."""
    with np.load(io.BytesIO(written()), allow_pickle=False) as loaded:
        assert {name: bits(loaded[name]) for name in loaded.files} == {
            name: bits(array) for name, array in arrays().items()
        }


def test_members_are_the_files_that_numpy_saves_but_for_blanks() -> None:
    """Each member is what np.save makes of the array in C order, its header padded to 16 bytes instead of 64."""
    with zipfile.ZipFile(io.BytesIO(written())) as archive:
        for name, array in arrays().items():
            file = io.BytesIO()
            np.save(file, np.asarray(array, order="C"), allow_pickle=False)
            ours, theirs = archive.read(f"{name}.npy"), file.getvalue()
            length = int.from_bytes(ours[8:10], "little")
            assert (10 + length) % 16 == 0
            assert ours[:8] == theirs[:8]
            assert ours[10 : 10 + length].rstrip() == theirs[10 : 10 + int.from_bytes(theirs[8:10], "little")].rstrip()
            assert ours[10 + length :] == theirs[len(theirs) - array.nbytes :]


def test_the_standard_library_finds_no_fault() -> None:
    """The zipfile module accepts every checksum and finds the fixed date and no compression."""
    with zipfile.ZipFile(io.BytesIO(written())) as archive:
        assert archive.testzip() is None
        assert {(info.date_time, info.compress_type, info.create_version) for info in archive.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), zipfile.ZIP_STORED, 20),
        }


def test_two_builds_give_the_same_bytes() -> None:
    """The bytes are those of an earlier build, whatever the machine, the Python and the NumPy."""
    assert written() == written()
    assert hashlib.sha256(written()).hexdigest() == "a5fc974712929c03b2484db8049cc8ccf2eb2fa45134ba83eba44cacbf754cd9"


def test_a_file_that_cannot_seek_gets_the_same_bytes() -> None:
    """The writer only ever appends, so that a pipe or a hash can take the archive."""
    pipe = Pipe()
    npz.write(cast("BinaryIO", pipe), arrays().items())
    assert bytes(pipe.received) == written()


def test_members_are_taken_one_at_a_time() -> None:
    """A member is in the file before the next one is asked for."""
    file = io.BytesIO()
    lengths = []

    def members() -> Any:
        for name, array in arrays().items():
            lengths.append(file.tell())
            yield name, array

    npz.write(file, members())
    assert lengths == sorted(set(lengths))


def test_arrays_are_aligned_views_that_nobody_can_write() -> None:
    """The arrays lie in the archive's own bytes, even if those can be written."""
    data = bytearray(written())
    for array in npz.read(memoryview(data), "x.npz").values():
        assert (array.flags.aligned, array.flags.writeable, array.flags.owndata) == (True, False, False)


def test_unaligned_members_are_copied() -> None:
    """A member that another writer left unaligned is copied, so that C code can use it."""
    data = described(shape="(1,)", data=b"1234")
    shifted = memoryview(b"." + written({"a": np.arange(3, dtype="<f8")}))[1:]
    for archive in (data, shifted):
        (array,) = npz.read(archive, "x.npz").values()
        assert (array.flags.aligned, array.flags.writeable) == (True, False)


@pytest.mark.parametrize("make", [io.BytesIO, Pipe])
def test_files_of_savez_can_be_read(make: type[io.BytesIO | Pipe]) -> None:
    """What np.savez writes, into a file or a pipe, reads like the project's own files."""
    members: dict[str, Any] = {name: np.asarray(array, order="C") for name, array in arrays().items()}
    file = make()
    np.savez(file, **members)
    data = file.getvalue() if isinstance(file, io.BytesIO) else bytes(file.received)
    assert {name: bits(array) for name, array in npz.read(data, "x.npz").items()} == {
        name: bits(array) for name, array in members.items()
    }


def test_an_archive_of_nothing_is_an_archive() -> None:
    """No members at all are written and read."""
    assert dict(npz.read(written({}), "x.npz")) == {}


def test_the_mapping_knows_its_names_without_reading_members() -> None:
    """A name is found, or not, even when the member behind it is damaged."""
    read = npz.read(MALFORMED["checksum wrong"][0], "x.npz")
    assert ("a" in read, "c" in read, len(read), list(read)) == (True, False, 2, ["a", "b"])


def test_a_damaged_member_leaves_the_others_readable() -> None:
    """Only the look-up of the damaged member fails."""
    read = npz.read(MALFORMED["checksum wrong"][0], "x.npz")
    assert read["b"].tolist() == [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(InputError, match=r"^x\.npz: member 'a': found damaged bytes"):
        read["a"]


def test_an_unknown_name_is_a_key_error() -> None:
    """The mapping keeps the promise of every mapping."""
    with pytest.raises(KeyError, match="'c'"):
        npz.read(PAIR, "x.npz")["c"]


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_files_are_refused_in_one_line(kind: str) -> None:
    """Each kind of broken file gives one InputError of one line that says where and what."""
    data, message = MALFORMED[kind]
    with pytest.raises(InputError) as caught:
        dict(npz.read(data, "x.npz"))
    text = str(caught.value)
    assert text.startswith("x.npz: ")
    assert message in text
    assert ", expected " in text
    assert "\n" not in text


def test_overlapping_members_are_refused() -> None:
    """A member inside another one, each of them valid, is refused."""
    with zipfile.ZipFile(io.BytesIO(overlapping())) as archive:
        assert archive.namelist() == ["a.npy", "b.npy"]
    with pytest.raises(InputError, match=r"^x\.npz: member 'b': found to overlap another"):
        npz.read(overlapping(), "x.npz")


def test_any_flipped_byte_is_noticed_or_harmless() -> None:
    """Whatever byte changes, the reader gives the right arrays or an InputError."""
    right = {name: bits(array) for name, array in npz.read(PAIR, "x.npz").items()}
    noticed = 0
    for position in range(len(PAIR)):
        for value in (PAIR[position] ^ 1, PAIR[position] ^ 0x80, PAIR[position] ^ 0xFF):
            try:
                read = npz.read(patched(PAIR, position, "<B", value), "x.npz")
                assert {name: bits(array) for name, array in read.items()} == right
            except InputError:
                noticed += 1
    assert noticed > 2 * len(PAIR)


@settings(deadline=None)
@given(st.data())
def test_random_damage_never_raises_anything_else(data: st.DataObject) -> None:
    """Cuts, repeats and changed bytes, several at once, give arrays or an InputError."""
    changed = bytearray(PAIR)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(changed)))
        stop = data.draw(st.integers(start, min(len(changed), start + 40)))
        changed[start:stop] = data.draw(st.binary(max_size=8) | st.just(bytes(changed[start:stop]) * 2))
    faults: tuple[str, ...] = ()
    read: dict[str, Array] = {}
    try:
        read = dict(npz.read(bytes(changed), "x.npz"))
    except InputError as error:
        faults = error.faults
    assert all(fault.startswith("x.npz: ") and "\n" not in fault for fault in faults)
    assert all(array.dtype == np.dtype("<f4") for array in read.values())


@settings(deadline=None)
@given(st.binary(max_size=120))
def test_random_headers_never_raise_anything_else(header: bytes) -> None:
    """A member with a valid checksum and any npy header at all gives an InputError."""
    with pytest.raises(InputError, match=r"^x\.npz: "):
        dict(npz.read(npy(b"{'descr': " + header), "x.npz"))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([None]), "found dtype |O"),
        (np.zeros(2, [("real", "<f2"), ("imag", "<f2")]), "found dtype |V4"),
        (np.zeros(2, ">f4"), "found dtype >f4"),
        (np.array(["a"]), "found dtype <U1"),
        (np.zeros(2, "V2"), "found dtype |V2"),
        (np.zeros(2, "<M8[s]"), "found dtype <M8[s]"),
        (np.broadcast_to(np.float32(0), (2**30,)), "expected less than 4 GiB"),
        (np.broadcast_to(np.float32(0), (2**20, 2**20)), "expected less than 4 GiB"),
    ],
)
def test_arrays_that_do_not_belong_are_not_written(array: Array, message: str) -> None:
    """Objects, structures, foreign byte orders and 4 GiB or more are refused before a byte is written."""
    file = io.BytesIO()
    with pytest.raises(InputError) as caught:
        npz.write(file, [("a", array)])
    assert str(caught.value).startswith("member 'a': ")
    assert message in str(caught.value)
    assert file.getvalue() == b""


@pytest.mark.parametrize("name", ["", "/a", "a/", "a//b", "../a", "a/./b", "a\\b", "a\n", "a\0", "\ud800", "a" * 10**4])
def test_names_that_tools_read_differently_are_not_written(name: str) -> None:
    """Empty parts, steps upwards, backslashes, control characters and endless names are refused."""
    with pytest.raises(InputError, match=r"^member .*: found .*, expected .*"):
        npz.write(io.BytesIO(), [(name, np.zeros(1))])


def test_a_name_is_not_written_twice() -> None:
    """The second member of a name is refused, whatever it holds."""
    with pytest.raises(InputError, match=r"^member 'a': found the name twice"):
        npz.write(io.BytesIO(), [("a", np.zeros(1)), ("b", np.zeros(1)), ("a", np.zeros(1))])


def test_no_more_members_are_written_than_a_zip_can_count() -> None:
    """65535 members are written and read; one more is refused."""
    nothing = np.empty(0, "u1")
    names = [str(number) for number in range(2**16)]
    file = io.BytesIO()
    npz.write(file, ((name, nothing) for name in names[:-1]))
    assert list(npz.read(file.getvalue(), "x.npz")) == names[:-1]
    with pytest.raises(InputError, match=r"^member '65535': found one member too many, expected at most 65535$"):
        npz.write(io.BytesIO(), ((name, nothing) for name in names))


def test_an_archive_does_not_grow_to_4_gib() -> None:
    """Members that are small enough one by one are refused when their sum is not."""
    chunk = np.zeros(2**28, "u1")

    with pytest.raises(InputError, match=r"^member '15': found an archive of .* expected less than 4 GiB$"):
        npz.write(Nowhere(), ((str(number), chunk) for number in range(17)))

"""The archive that golden arrays live in: a writer whose bytes never vary, and a reader that trusts nothing.

NumPy's own `savez` leaves the zip headers to Python's `zipfile`, whose version fields changed with releases
(TOOLING section 5), and `np.load` allocates whatever a header claims. Here every byte is decided by the names
and the arrays alone: members are stored uncompressed, dated 1980-01-01, in the order given, each an npy 1.0
file that starts on a multiple of 16 bytes, as its data does, so that a reader can use it where it lies. `np.load`
reads these files; `read` reads those of `np.savez`, as long as the arrays are plain numbers in C order.
"""

import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from aclnn_spec.spec.errors import InputError

_CODES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<f2", "<i4", "<u4", "<f4", "<i8", "<u8", "<f8", "<c8", "<c16")
_EXPECTED_CODE = f"one of {', '.join(_CODES)}"

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL_HEADER = struct.Struct("<4s2x2H4x3L2H")  # the fields of _Header
_CENTRAL_HEADER = struct.Struct("<4s4x2H4x3L2H")
_CENTRAL_REST = struct.Struct("<2H6xL")
_END = struct.Struct("<4s4H2LH")
_PADDING = struct.Struct("<3H")
_ZIP64 = struct.Struct("<2H2Q")
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"

_STORED, _UTF8_NAME, _SIZES_FOLLOW, _ENCRYPTED_FLAGS = 0, 0x0800, 0x0008, 0x2041
_VERSION, _MADE_BY, _PERMISSIONS = 20, 3 << 8 | 20, 0o100644 << 16  # made by Unix: permissions count
_NOTHING = (0, 0, 0, 0)  # no extra field, no comment, the first disk, no attributes
_MIDNIGHT, _FIRST_DAY = 0, 1 << 5 | 1  # 1980-01-01, the earliest date a zip can hold
_PADDING_ID = 0xD935  # the alignment field registered by Android's zipalign
_ZIP64_FIELD = (1, 16)  # its number, and the length of two sizes
_MAX_COUNT, _MAX_NAME = 0xFFFF, 9999
_MAX_BYTES = 0xFFFFFFFF  # itself taken: zip64 uses it to say "look elsewhere"

_SUFFIX, _ALIGNMENT = ".npy", 16
_PREAMBLE = struct.Struct("<6s2BH")
_MAGIC, _NPY_VERSION = b"\x93NUMPY", (1, 0)
_GROWTH = 21  # NumPy leaves room for a first dimension of this many digits
_MAX_RANK, _MAX_INDEX = 64, 2**63 - 1  # NumPy 2's own limits
_DIM = rb"(?:0|[1-9][0-9]{0,18})"
_HEADER = re.compile(
    rb"\{'descr': (?P<descr>'[^'\\\n]*'|\[[^\n]*\]), 'fortran_order': (?P<fortran>True|False), "
    rb"'shape': \((?P<shape>|%b,|%b(?:, %b)+)\), \} *\n" % (_DIM, _DIM, _DIM),
)


class _Header(NamedTuple):
    """What a member's local header and its directory entry both say of it, and a reader needs."""

    mark: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    name_length: int
    extra_length: int


@dataclass(frozen=True, kw_only=True)
class _Member:
    """A member's checksum and the bytes from its local header (offset) and its content (start) to its end."""

    crc: int
    offset: int
    start: int
    end: int


def write(file: BinaryIO, members: Iterable[tuple[str, npt.NDArray[Any]]]) -> None:
    """Write the arrays, of any shape and strides, as an npz archive; only one member is held at a time.

    The file need not be seekable. Raises InputError for an unusable or repeated name, a dtype that is not
    little-endian plain numbers, more than 65535 members, or an archive of 4 GiB or more. What was written by
    then is no archive: write into a temporary file (see `files.write_atomically`).
    """
    directory: dict[bytes, bytes] = {}
    offset = 0
    for name, array in members:
        where = f"member {name!r}"
        raw = _encode_name(name, where)
        if raw in directory:
            raise InputError(f"{where}: found the name twice, expected distinct names")
        if len(directory) == _MAX_COUNT:
            raise InputError(f"{where}: found one member too many, expected at most {_MAX_COUNT}")
        header = _npy_header(array, where)
        size = len(header) + array.nbytes
        padding = -(offset + _LOCAL.size + len(raw) + _PADDING.size) % _ALIGNMENT
        extra = _PADDING.pack(_PADDING_ID, _PADDING.size - 4 + padding, _ALIGNMENT) + bytes(padding)
        end = offset + _LOCAL.size + len(raw) + len(extra) + size
        if end >= _MAX_BYTES:
            raise InputError(f"{where}: found an archive of {end} bytes or more, expected less than 4 GiB")
        body = np.asarray(array, order="C").reshape(-1).view(np.uint8).data
        common = [_VERSION, _UTF8_NAME, _STORED, _MIDNIGHT, _FIRST_DAY, zlib.crc32(body, zlib.crc32(header))]
        common += [size, size, len(raw)]
        file.write(_LOCAL.pack(_LOCAL_MARK, *common, len(extra)) + raw + extra + header)
        file.write(body)
        directory[raw] = _CENTRAL.pack(_CENTRAL_MARK, _MADE_BY, *common, *_NOTHING, _PERMISSIONS, offset)
        offset = end
    length = sum(len(raw) + len(entry) for raw, entry in directory.items())
    if offset + length >= _MAX_BYTES:
        raise InputError(f"archive: found {offset + length} bytes, expected less than 4 GiB")
    file.writelines(entry + raw for raw, entry in directory.items())
    file.write(_END.pack(_END_MARK, 0, 0, len(directory), len(directory), length, offset, 0))


def read(data: bytes | memoryview, where: str) -> Mapping[str, npt.NDArray[Any]]:
    """Read an npz archive held in memory; `where` (a path, say) begins every error message.

    The directory is checked here, a member's checksum and header each time it is looked up; both raise
    InputError. Arrays are read-only and aligned: views of `data` where the bytes lie aligned, as they do in
    the files of `write`, else copies. Nothing is evaluated or unpickled, and no claimed size is believed.
    """
    view = memoryview(data).toreadonly()
    if view.nbytes < _END.size:
        raise InputError(f"{where}: found {view.nbytes} bytes, expected a zip file")
    view = view.cast("B")
    return _Archive(view, where, _members(view, where))


class _Archive(Mapping[str, npt.NDArray[Any]]):
    """Arrays by name, in the order of the directory."""

    def __init__(self, view: memoryview, where: str, members: Mapping[str, _Member]) -> None:
        self._view = view
        self._where = where
        self._members = members

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        member = self._members[name]
        where = f"{self._where}: member {name!r}"
        body = self._view[member.start : member.end]
        if zlib.crc32(body) != member.crc:
            raise InputError(f"{where}: found damaged bytes, expected the checksum {member.crc:08x}")
        return _npy_array(body, where)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def _encode_name(name: str, where: str) -> bytes:
    """Give the member's name in the zip, or refuse one that some other tool would read differently."""
    plain = name.isprintable() and "\\" not in name and len(name) <= _MAX_NAME
    if not plain or not {"", ".", ".."}.isdisjoint(name.split("/")):
        raise InputError(f"{where}: found an unusable name, expected short printable parts between slashes")
    return (name + _SUFFIX).encode()


def _npy_header(array: npt.NDArray[Any], where: str) -> bytes:
    """Give the bytes in front of the data in an npy 1.0 file, the same as NumPy 2 writes them."""
    if array.dtype.str not in _CODES:
        raise InputError(f"{where}: found dtype {array.dtype.str}, expected {_EXPECTED_CODE}")
    shape = tuple(int(dim) for dim in array.shape)
    text = f"{{'descr': '{array.dtype.str}', 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (_GROWTH - len(str(shape[0])) if shape else 0)
    length = len(text) + 1
    length += -(_PREAMBLE.size + length) % _ALIGNMENT
    return _PREAMBLE.pack(_MAGIC, *_NPY_VERSION, length) + text.ljust(length - 1).encode("ascii") + b"\n"


def _members(view: memoryview, where: str) -> dict[str, _Member]:
    """Read the directory and hold every entry against the member it describes."""
    members: dict[str, _Member] = {}
    count, start, stop = _directory(view, where)
    position = start
    for _ in range(count):
        entry, offset, after = _entry(view, position, stop, where)
        raw = bytes(view[position + _CENTRAL.size :][: entry.name_length])
        name = _decode_name(entry, raw, where)
        if name in members:
            raise InputError(f"{where}: member {name!r}: found twice, expected distinct names")
        members[name] = _member(view[:start], entry, raw, offset, f"{where}: member {name!r}")
        position = after
    if position != stop:
        raise InputError(f"{where}: found a directory longer than its {count} entries, expected no more")
    end = 0
    for name, member in sorted(members.items(), key=lambda item: item[1].offset):
        if member.offset < end:
            raise InputError(f"{where}: member {name!r}: found to overlap another, expected members apart")
        end = member.end
    return members


def _directory(view: memoryview, where: str) -> tuple[int, int, int]:
    """Give the directory's number of entries, its first byte and the byte behind it, from the end record."""
    if bytes(view[:4]) not in {_LOCAL_MARK, _END_MARK}:
        raise InputError(f"{where}: found bytes that do not begin as a zip file does, expected a zip file")
    stop = len(view) - _END.size
    mark, disk, first_disk, here, count, length, start, comment = _END.unpack_from(view, stop)
    if mark != _END_MARK:
        raise InputError(f"{where}: found no end record at the end, expected a whole zip file")
    if (disk, first_disk, here, comment, start + length) != (0, 0, count, 0, stop):
        raise InputError(f"{where}: found an end record that does not fit the file, expected a plain zip")
    return count, start, stop


def _entry(view: memoryview, position: int, stop: int, where: str) -> tuple[_Header, int, int]:
    """Read one directory entry: its header, the offset of its member, and the byte behind the entry."""
    after = position + _CENTRAL.size
    if after <= stop:
        entry = _Header._make(_CENTRAL_HEADER.unpack_from(view, position))
        comment_length, disk, offset = _CENTRAL_REST.unpack_from(view, position + _CENTRAL_HEADER.size)
        after += entry.name_length + entry.extra_length + comment_length
        if (entry.mark, disk) == (_CENTRAL_MARK, 0) and after <= stop:
            return entry, offset, after
    raise InputError(f"{where}: found no whole directory entry at byte {position}, expected one")


def _decode_name(entry: _Header, raw: bytes, where: str) -> str:
    """Give the array's name: the member's without its suffix."""
    try:
        name = raw.decode("utf-8" if entry.flags & _UTF8_NAME else "cp437")
    except UnicodeDecodeError:
        raise InputError(f"{where}: found a member name {raw!r}, expected UTF-8") from None
    if not name.endswith(_SUFFIX):
        raise InputError(f"{where}: found a member named {name!r}, expected a name ending in {_SUFFIX}")
    return name.removesuffix(_SUFFIX)


def _member(view: memoryview, entry: _Header, raw: bytes, offset: int, where: str) -> _Member:
    """Hold a directory entry against the member's local header, and both against the bytes in front of it."""
    if entry.flags & _ENCRYPTED_FLAGS:
        raise InputError(f"{where}: found encrypted bytes, expected plain ones")
    if entry.method != _STORED:
        raise InputError(f"{where}: found compression method {entry.method}, expected {_STORED} (stored)")
    if entry.flags & ~(_UTF8_NAME | _SIZES_FOLLOW) or entry.packed != entry.size:
        raise InputError(f"{where}: found flags or sizes that no stored member has, expected a plain member")
    name_start = offset + _LOCAL.size
    if name_start > len(view):
        raise InputError(f"{where}: found the offset {offset}, expected one in front of the directory")
    local = _Header._make(_LOCAL_HEADER.unpack_from(view, offset))
    extra_start = name_start + local.name_length
    start = extra_start + local.extra_length
    end = start + entry.size
    if end > len(view):
        raise InputError(f"{where}: found its end at byte {end}, expected it by byte {len(view)}")
    known = (local.crc, *_local_sizes(local, view[extra_start:start]))
    # A writer that could not seek leaves zeros here and puts the figures behind the bytes.
    unknown = local.flags & _SIZES_FOLLOW and known == (0, 0, 0)
    if (
        (local.mark, local.flags, local.method) != (_LOCAL_MARK, entry.flags, entry.method)
        or bytes(view[name_start:extra_start]) != raw
        or not (unknown or known == (entry.crc, entry.packed, entry.size))
    ):
        raise InputError(f"{where}: found that its own header and the directory differ, expected the same")
    return _Member(crc=entry.crc, offset=offset, start=start, end=end)


def _local_sizes(local: _Header, extra: memoryview) -> tuple[int, int]:
    """Give the packed and the full size; `np.savez` always writes them as zip64 does, in the extra field."""
    if local.packed == local.size == _MAX_BYTES and len(extra) >= _ZIP64.size:
        field, length, size, packed = _ZIP64.unpack_from(extra)
        if (field, length) == _ZIP64_FIELD:
            return packed, size
    return local.packed, local.size


def _npy_array(body: memoryview, where: str) -> npt.NDArray[Any]:
    """Give the array in an npy file, from a header that must read exactly as NumPy writes it."""
    if len(body) < _PREAMBLE.size or bytes(body[: len(_MAGIC)]) != _MAGIC:
        raise InputError(f"{where}: found bytes that do not begin as an npy file does, expected an npy file")
    _, major, minor, length = _PREAMBLE.unpack_from(body)
    if (major, minor) != _NPY_VERSION:
        raise InputError(f"{where}: found npy version {major}.{minor}, expected 1.0")
    start = _PREAMBLE.size + length
    header = _HEADER.fullmatch(body[_PREAMBLE.size : start])
    if start > len(body) or header is None:
        raise InputError(f"{where}: found an unreadable npy header, expected one spelt as NumPy does")
    code = header["descr"].decode("latin-1").strip("'")
    if code not in _CODES:
        raise InputError(f"{where}: found dtype {code[:64]!r}, expected {_EXPECTED_CODE}")
    if header["fortran"] == b"True":
        raise InputError(f"{where}: found Fortran order, expected C order")
    shape = tuple(int(dim) for dim in header["shape"].split(b",") if dim)
    dtype, size = np.dtype(code), len(body) - start
    # NumPy counts the bytes of an empty array as if its empty dimensions were not there.
    if len(shape) > _MAX_RANK or math.prod(dim for dim in shape if dim) * dtype.itemsize > _MAX_INDEX:
        raise InputError(f"{where}: found a shape too large for any array, expected one of {size} bytes")
    if math.prod(shape) * dtype.itemsize != size:
        raise InputError(f"{where}: found {size} bytes of data, expected those of shape {shape} of {code}")
    array: npt.NDArray[Any] = np.ndarray(shape, dtype, buffer=body, offset=start)
    # A bytes object's content begins where any element may begin.
    return array if array.flags.aligned else np.ndarray(shape, dtype, buffer=bytes(body[start:]))

"""Spoil npz archives: the npy files in them, the figures of the zip around them, and its bytes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .tape import Tape
from .texts import spoilt

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_FIGURES = (0, 1, 2, 4, 8, 16, 20, 45, 255, 0x0800, 0x2041, 0xFFFF, 2**16, 2**31, 0xFFFFFFFE, 0xFFFFFFFF)
_HEADERS = (
    b"'<f4'=>'|O'",
    b"'<f4'=>'>f4'",
    b"'<f4'=>'<f8'",
    b"'<f4'=>[('a', '<f4')]",
    b"'<f4'=>'<U1000000000'",
    b"'<f4'=>'|V4'",
    b"False=>True",
    b"False=>None",
    b"(=>(1, ",
    b"(=>(0, 9223372036854775807, ",
    b"(=>(99999999999999999999, ",
    b"(=>(-1, ",
    b"(=>(" + b"1, " * 70,
    b"(=>((((((((",
    b"(=>(1 for _ in (",
    b"'shape'=>'shap'",
    b"{=>{'descr': '<f4', ",
    b"}=>}}",
    b"\x93NUMPY\x01=>\x93NUMPY\x02",
    b"\x93NUMPY=>\x93NUMPX",
    b"\n=> ",
)
"""What in an npy header becomes what."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """A member as an honest writer would write it, but for the figures that are given."""

    name: bytes
    body: bytes
    method: int = 0
    size: int | None = None
    local: Mapping[int, int] | None = None
    central: Mapping[int, int] | None = None
    """Fields of a header, by their place in it, and what stands there instead."""

    extra: bytes = b""


def mutated(members: list[tuple[bytes, bytes]], tape: Tape) -> bytes:
    """An archive of these names and npy files, with up to three things wrong."""
    chosen = [Member(name=name, body=body) for name, body in members]
    end: dict[int, int] = {}
    for _ in range(1 + tape.below(3)):
        at = tape.below(len(chosen)) if chosen else 0
        match tape.below(9):
            case 0 | 1 if chosen:
                chosen[at] = replace(chosen[at], body=_header(chosen[at].body, tape))
            case 2 if chosen:
                chosen[at] = replace(chosen[at], local={1 + tape.below(10): tape.pick(_FIGURES)})
            case 3 if chosen:
                chosen[at] = replace(chosen[at], central={1 + tape.below(16): tape.pick(_FIGURES)})
            case 4 if chosen:
                chosen[at] = _bomb(chosen[at], tape)
            case 5 if chosen:
                del chosen[at]
            case 6 if chosen:
                other = chosen[tape.below(len(chosen))]
                chosen.insert(at, tape.pick((other, replace(other, name=_name(other.name, tape)))))
            case 7 if chosen:
                chosen[at] = replace(chosen[at], body=spoilt(chosen[at].body, tape))
            case _:
                end[1 + tape.below(7)] = tape.pick(_FIGURES)
    data = _written(chosen, end, overlap=tape.once_in(5))
    return spoilt(data, tape) if tape.once_in(4) else data


def _header(body: bytes, tape: Tape) -> bytes:
    before, _, after = tape.pick(_HEADERS).partition(b"=>")
    return body.replace(before, after, 1)


def _bomb(member: Member, tape: Tape) -> Member:
    """A member that is small and claims to be large, packed or not."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(member.body[:128] + bytes(2**22)) + packer.flush()
    zip64 = struct.pack("<2H2Q", 1, 16, 2**40, tape.pick((2**40, len(member.body))))
    return tape.pick(
        (
            replace(member, body=packed, method=8, size=128 + 2**22),
            replace(member, body=packed, size=128 + 2**22),
            replace(member, size=0xFFFFFFFF, extra=zip64),
            replace(member, size=2**31, local={7: len(member.body)}, central={8: len(member.body)}),
        )
    )


def _name(name: bytes, tape: Tape) -> bytes:
    names = (b"", b".npy", b"../" + name, b"\xff\xfe.npy", name + b"\x00.npy", name[:-4], name.upper(), b"a" * 9999)
    return tape.pick(names)


def _written(members: list[Member], end: Mapping[int, int], *, overlap: bool) -> bytes:
    data, directory = b"", b""
    for member in members:
        offset = 0 if overlap else len(data)
        size = len(member.body) if member.size is None else member.size
        common = [20, 0x0800, member.method, 0, 33, zlib.crc32(member.body), len(member.body), size, len(member.name)]
        if member.extra:
            common[6] = common[7] = 0xFFFFFFFF
        local = [*common, len(member.extra)]
        central = [20, *common, len(member.extra), 0, 0, 0, 0, offset]
        for fields, changed in ((local, member.local), (central, member.central)):
            for place, figure in (changed or {}).items():
                fields[place - 1] = figure
        data += _packed(_LOCAL, b"PK\x03\x04", local) + member.name + member.extra + member.body
        directory += _packed(_CENTRAL, b"PK\x01\x02", central) + member.name + member.extra
    fields = [0, 0, len(members), len(members), len(directory), len(data), 0]
    for place, figure in end.items():
        fields[place - 1] = figure
    return data + directory + _packed(_END, b"PK\x05\x06", fields)


def _packed(layout: struct.Struct, mark: bytes, fields: list[int]) -> bytes:
    """The fields, each cut to the bytes there are for it."""
    widths = [size for count, size in _widths(layout.format) for _ in range(count)]
    cut = [figure & ((1 << 8 * width) - 1) for figure, width in zip(fields, widths, strict=True)]
    return layout.pack(mark, *cut)


def _widths(layout: str) -> list[tuple[int, int]]:
    """How many fields of how many bytes follow the mark."""
    found, count = [], ""
    for letter in layout.removeprefix("<4s"):
        if letter.isdigit():
            count += letter
        else:
            found.append((int(count or 1), {"H": 2, "L": 4}[letter]))
            count = ""
    return found

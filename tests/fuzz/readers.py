"""Everything that reads what others wrote, each with the input it is given and what may become of that."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from aclnn_spec import api, cli
from aclnn_spec.certification.waivers import load_waivers
from aclnn_spec.commands import diagnose
from aclnn_spec.commands import verify as verify_command
from aclnn_spec.golden import npz
from aclnn_spec.golden.case import Case
from aclnn_spec.golden.store import Golden, load_golden, manifest_bytes, write_part
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.read import Spec, data_root, load_spec

from . import archives, texts
from .tape import Tape

NAME = "aclnnL1LossBackward"
LONGEST = 2100
"""Characters that a line of a refusal may have, the command's name among them."""

MOST = 60
"""Lines that a command may say."""

Input = bytes | list[str] | tuple[str, bytes]


class Fault(AssertionError):  # noqa: N818  # not an error of this program
    """A reader did what none may do."""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Something that reads: how its input is made, what reads it, and which share of all inputs it gets."""

    name: str
    share: int
    make: Callable[[Tape], Input]
    read: Callable[[Any], object]

    def accepts(self, given: Input) -> bool:
        """Whether the input is read; Fault if the refusal is none that can be shown, any other exception is a fault."""
        try:
            self.read(given)
        except InputError as error:
            lengths = [len(fault) for fault in error.faults]
            if not lengths or min(lengths) == 0 or max(lengths) > LONGEST:
                raise Fault(f"found lines of {lengths[:9]} characters, expected 1 to {LONGEST}") from error
            return False
        return True


@contextmanager
def readers() -> Iterator[dict[str, Reader]]:
    """All readers by name, while a directory of theirs exists."""
    with TemporaryDirectory() as temporary, ExitStack() as stack:
        folder, spec = Path(temporary), load_spec()
        # The commands read the spec anew each time, which would be most of what is measured here.
        for command in (diagnose, verify_command):
            stack.enter_context(patch.object(command, "load_spec", lambda: spec))
        yield {one.name: one for one in _all(folder, spec)}


def _all(folder: Path, spec: Spec) -> Iterator[Reader]:
    tier = _tier(folder / "golden", spec)
    certificate, other = folder / "c.json", folder / "w.json"
    api.certify("numpy", golden=tier).save(certificate)
    part, arrays = tier / f"{NAME}.json", tier / f"{NAME}.npz"
    waivers = {
        "$schema": "https://aclnn-spec.dev/schema/waivers.json",
        "waivers": [{"cases": f"{NAME}/mean/*", "reason": "known"}, {"cases": f"{NAME}/[!a]?/*", "reason": "too"}],
    }
    members = [(f"{name}.npy".encode(), _npy(arrays.read_bytes(), name)) for name in npz.read(arrays.read_bytes(), "")]

    yield Reader(
        name="npz",
        share=27,
        make=partial(archives.mutated, members),
        read=lambda data: list(npz.read(data, "x.npz").values()),
    )
    yield _documents("waivers", 17, waivers, partial(_waivers, other, spec))
    yield _documents("certificate", 15, _json(certificate), partial(_verify, folder / "v.json", tier))
    yield _documents("golden cases", 15, _json(part), partial(_golden, folder / "g", tier, part.name, spec))
    yield Reader(
        name="golden arrays",
        share=10,
        make=partial(archives.mutated, members),
        read=partial(_golden, folder / "h", tier, arrays.name, spec),
    )
    yield _documents("manifest", 5, _json(tier / "manifest.json"), partial(_manifest, folder / "m", tier, spec))
    yield Reader(name="diagnose", share=10, make=_arguments, read=_command)
    root = data_root() / "spec"
    yield Reader(name="spec", share=1, make=partial(_spec_file, root), read=partial(_spec, _copied(root, folder / "s")))


def _documents(name: str, share: int, document: Any, read: Callable[[bytes], object]) -> Reader:
    return Reader(name=name, share=share, make=partial(texts.mutated, pickle.dumps(document)), read=read)


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _copied(source: Path, target: Path) -> Path:
    return Path(copytree(source, target))


def _tier(directory: Path, spec: Spec) -> Path:
    """A core tier of one case of each sort."""
    golden = Golden(data_root() / "golden" / "core", spec)
    chosen: dict[str, Case] = {}
    for case in golden.part_cases(NAME):
        marks = (case.outcome.kind, bool(case.alternatives), bool(case.alias), case.order, case.group == "layout")
        if case.order != "once" and str(marks) not in chosen:
            chosen[str(marks)] = case
    listed = {case.id: case for case in chosen.values()}
    listed |= {case.partner: golden.case(case.partner) for case in chosen.values() if case.partner}
    directory.mkdir()
    files = write_part(directory, spec.operators[NAME], "core", NAME, list(listed.values()))
    (directory / "manifest.json").write_bytes(manifest_bytes("core", spec.files, files))
    return directory


def _npy(data: bytes, name: str) -> bytes:
    """The npy file of a member, as it lies in the archive."""
    array = npz.read(data, "")[name]
    file = io.BytesIO()
    npz.write(file, [("x", array)])
    whole = file.getvalue()
    start = whole.index(b"\x93NUMPY")
    return whole[start : whole.index(b"PK\x01\x02", start)]


def _waivers(path: Path, spec: Spec, data: bytes) -> None:
    path.write_bytes(data)
    for waiver in load_waivers(path, spec.schemas):
        waiver.covers(f"{NAME}/basic/FLOAT-3x1x5-none-plain")


def _verify(path: Path, tier: Path, data: bytes) -> None:
    path.write_bytes(data)
    _command(["verify", str(path), "--golden", str(tier)])


def _command(arguments: list[str]) -> None:
    """Run the command; its exit code 2 counts as a refusal."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = cli.main(arguments)
        except SystemExit as left:  # argparse's way of refusing, and of showing help
            code = int(left.code or 0)
    if code not in (0, 1, 2):
        raise Fault(f"found exit code {code}, expected 0, 1 or 2")
    if out.getvalue().count("\n") + err.getvalue().count("\n") > MOST:
        raise Fault(f"found {err.getvalue()[:LONGEST]!r} and more, expected at most {MOST} lines")
    if code == cli.WRONG_CALL:
        raise InputError(*err.getvalue().splitlines())
    if err.getvalue():
        raise Fault(f"found {err.getvalue()!r} on standard error with exit code {code}, expected nothing")


def _golden(folder: Path, tier: Path, name: str, spec: Spec, data: bytes) -> None:
    """Read a tier in which one file is the data, the manifest being a forger's that agrees with it."""
    if not folder.exists():
        _copied(tier, folder)
    (folder / name).write_bytes(data)
    manifest = _json(tier / "manifest.json")
    for entry in manifest["files"]:
        if entry["name"] == name:
            entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    load_golden(folder / name, spec)


def _manifest(folder: Path, tier: Path, spec: Spec, data: bytes) -> None:
    if not folder.exists():
        _copied(tier, folder)
    (folder / "manifest.json").write_bytes(data)
    golden = Golden(folder, spec)
    for case_id in golden.case_ids()[:1]:
        golden.case(case_id)


def _spec_file(root: Path, tape: Tape) -> Input:
    """One file of the spec, mutated, with its path; the schemas more rarely, as every file is held against them."""
    names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.json"))
    chosen = [name for name in names if name.startswith("schema/") == tape.once_in(8)]
    name = tape.pick(chosen)
    return name, texts.mutated(pickle.dumps(_json(root / name)), tape)


def _spec(copy: Path, given: tuple[str, bytes]) -> None:
    name, data = given
    before = (copy / name).read_bytes()
    (copy / name).write_bytes(data)
    try:
        load_spec(copy)
        read_json(copy / name)
    finally:
        (copy / name).write_bytes(before)


_CALL: Mapping[str, str] = {
    "gradOutput": "FLOAT16[2,3]",
    "self": "FLOAT[2,3]",
    "target": "FLOAT[1,3]",
    "reduction": "1",
    "gradInput": "FLOAT16[2,3]",
}
_PARTS = (
    "",
    "=",
    "[",
    "]",
    ",",
    "null",
    "-1",
    "9" * 50,
    "٣",
    "\ud800",
    "\x00",
    " ",
    "FLOAT",
    "BF16",
    "0",
    "-",
    "2" * 4,
)
_MORE = ("--product", "atlas_a2", "--lang", "zh", "--help", "--", "-n", "@x", "workspaceSize=null", "executor=1", "=")


def _arguments(tape: Tape) -> Input:
    """A command line of diagnose with a few things wrong."""
    given = [f"{name}={value}" for name, value in _CALL.items()]
    for _ in range(1 + tape.below(4)):
        at = tape.below(len(given))
        text = given[at]
        cut = tape.below(len(text) + 1)
        end = cut + tape.below(4)
        match tape.below(6):
            case 0:
                given[at] = text[:cut] + tape.pick(_PARTS) + text[end:]
            case 1:
                given[at] = text[:cut] + tape.pick(_PARTS) * 70 + text[cut:]
            case 2:
                given.insert(at, tape.pick(_MORE))
            case 3 if len(given) > 1:
                del given[at]
            case 4:
                name = text.partition("=")[0]
                given[at] = f"{name}={tape.pick(list(_CALL.values()))}"
            case _:
                given.append(text)
    return ["diagnose", tape.pick((NAME, NAME, NAME, "aclnnAdd", "")), *given]

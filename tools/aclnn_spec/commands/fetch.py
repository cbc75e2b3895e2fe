"""`aclnn-spec fetch`: download a tier of golden data, and keep it only if every file is what its manifest says.

Files that are there and right are not downloaded again, neither those in place nor those that an attempt which
failed has brought: whole and verified ones wait in a hidden folder beside the tier's for the next attempt.
"""

from __future__ import annotations

import hashlib
import shutil
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from aclnn_spec.certification.session import golden_directory
from aclnn_spec.commands.progress import Bar
from aclnn_spec.golden.store import MANIFEST, Golden
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json, replace_all, sha256
from aclnn_spec.spec.read import Spec, load_spec

pooch: Any
requests: Any
try:
    pooch, requests = import_module("pooch"), import_module("requests")
except ImportError:  # the command is there for everybody, what it needs comes with the extra [fetch]
    pooch = requests = None

_SECONDS = 20  # without a byte from the server
_RETRIES = 1
_BLOCK = 2**16
_LARGEST_MANIFEST = 2**24


def run(given: Namespace) -> int:
    """Fetch; the directory holds the old tier or the whole new one."""
    base = _base(given.url)
    if pooch is None:
        raise InputError("found no pooch, expected it installed: pip install 'aclnn-spec[fetch]'")
    if given.output == "":  # from a variable that is not set, say: not meant for the usual place
        raise InputError("--output: found '', expected the name of a directory")
    pooch.get_logger().setLevel("ERROR")
    directory = (Path(given.output) if given.output else golden_directory(given.tier)).resolve()
    if directory.exists() and not directory.is_dir():
        raise InputError(f"--output: found the file {directory}, expected the name of a directory")
    with TemporaryDirectory() as temporary, Bar("fetch (KiB)") as bar:
        fresh = Path(temporary) / MANIFEST
        _download(base, fresh, None, lambda _: None)
        files = _files(fresh, base, given.tier, load_spec())
        wanted = {name: entry for name, entry in files.items() if not _is_right(directory / name, entry)}
        with _waiting_room(directory) as room:
            done, total = 0, sum(entry["bytes"] for entry in wanted.values())
            for name, entry in wanted.items():
                _download(base, room / name, entry, partial(_show, bar, done, total))
                done += entry["bytes"]
            directory.mkdir(parents=True, exist_ok=True)
            sources = {directory / name: room / name for name in wanted} | {directory / MANIFEST: fresh}
            # The manifest last: a reader meanwhile sees the old tier, or by the hashes that files are being replaced.
            replace_all({target: partial(_copy, source) for target, source in sources.items()})
            shutil.rmtree(room)
    kept = f", {len(files) - len(wanted)} of them already there" if len(wanted) < len(files) else ""
    print(f"{given.output or directory}: fetched and verified, {len(files)} files{kept}")
    return 0


def _base(url: str | None) -> str:
    """Give the address that file names are appended to."""
    with suppress(ValueError):  # from brackets that do not match, say
        parts = urlsplit(url or "")
        if parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment):
            return parts.geturl().rstrip("/") + "/"
    expected = "the http or https address of the folder of published golden data, without ? and #"
    raise InputError(f"--url: found {url!r}, expected {expected}")


def _files(path: Path, base: str, tier: str, spec: Spec) -> Mapping[str, Any]:
    """Give the entries of a downloaded manifest; what is wrong with it is told of its address."""
    try:
        faults = spec.schemas.faults("manifest", read_json(path), str(path))
        if faults:
            raise InputError(*faults)  # noqa: TRY301  # told of its address below
        golden = Golden(path.parent, spec)
    except InputError as error:
        raise InputError(*(fault.replace(str(path), base + MANIFEST) for fault in error.faults)) from None
    if golden.tier != tier:
        raise InputError(f"{base}{MANIFEST}: found the {golden.tier} tier, expected {tier}")
    return golden.files


def _is_right(path: Path, entry: Mapping[str, Any]) -> bool:
    return path.is_file() and path.stat().st_size == entry["bytes"] and sha256(path) == entry["sha256"]


@contextmanager
def _waiting_room(directory: Path) -> Iterator[Path]:
    """Give the folder where whole files wait; it is removed unless some do."""
    room = directory.parent / f".{directory.name}.fetch"
    room.mkdir(parents=True, exist_ok=True)
    try:
        yield room
    finally:
        with suppress(OSError):  # gone, or not empty
            room.rmdir()


def _copy(source: Path, file: BinaryIO) -> None:
    with source.open("rb") as opened:
        shutil.copyfileobj(opened, file, _BLOCK)


def _show(bar: Bar, before: int, total: int, count: int) -> None:
    bar.show((before + count) // 1024, total // 1024)


class _Sink:
    """What pooch writes a download into: it counts, hashes, and refuses more bytes than there should be."""

    def __init__(self, file: BinaryIO, most: int, show: Callable[[int], None]) -> None:
        self._file, self._most, self._show = file, most, show
        self.count, self.hash = 0, hashlib.sha256()

    def write(self, data: bytes) -> None:
        self.count += len(data)
        if self.count > self._most:
            raise InputError(f"found more than {self._most} bytes, expected at most those")
        self.hash.update(data)
        self._file.write(data)
        self._show(self.count)

    def flush(self) -> None:
        self._file.flush()


def _download(base: str, path: Path, entry: Mapping[str, Any] | None, show: Callable[[int], None]) -> None:
    """Bring a file, unless it is there and right; `entry` is the manifest's, which itself has none."""
    known = None if entry is None else f"sha256:{entry['sha256']}"
    store = pooch.Pooch(path=path.parent, base_url=base, registry={path.name: known}, retry_if_failed=_RETRIES)
    get = pooch.HTTPDownloader(chunk_size=_BLOCK, timeout=_SECONDS, headers={"Accept-Encoding": "identity"})

    def bring(url: str, target: str, _: object) -> None:
        with Path(target).open("wb") as file:
            sink = _Sink(file, _LARGEST_MANIFEST if entry is None else entry["bytes"], show)
            get(url, sink, None)
        if entry is None:
            return
        for found, expected in (
            (f"{sink.count} bytes", f"{entry['bytes']} bytes"),
            (sink.hash.hexdigest(), entry["sha256"]),
        ):
            if found != expected:
                raise InputError(f"found {found}, expected {expected} as {MANIFEST} says")

    try:
        store.fetch(path.name, downloader=bring)
    except InputError as error:
        raise InputError(f"{base}{path.name}: {error}") from None
    except (requests.RequestException, ValueError) as error:  # the latter from headers that make no sense
        raise InputError(f"{base}{path.name}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """Say in a line why a server did not give a file."""
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"found {error.response.status_code} {error.response.reason}, expected the file"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "found the connection closed before the end, expected the whole file"
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return f"found {_SECONDS} seconds without an answer, expected the file"
    cause: BaseException = error
    while (below := cause.__cause__ or cause.__context__) is not None:
        cause = below
    text = getattr(cause, "strerror", None) or str(cause)
    return f"cannot be read: {' '.join(text.split())}"

"""`aclnn-spec fetch`: download a tier of golden data, and keep it only if every file is what its manifest says."""

from __future__ import annotations

import shutil
from argparse import Namespace
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

from aclnn_spec.certification.session import golden_directory
from aclnn_spec.commands.progress import Bar
from aclnn_spec.golden.store import MANIFEST, Golden
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.read import load_spec

_SECONDS = 60
_BLOCK = 2**20


def run(given: Namespace) -> int:
    """Fetch; the directory holds the old tier or the whole new one."""
    if not given.url or urlsplit(given.url).scheme not in ("http", "https"):
        raise InputError(f"--url: found {given.url!r}, expected the http or https address of published golden data")
    base = urljoin(given.url if given.url.endswith("/") else f"{given.url}/", f"{given.tier}/")
    directory = Path(given.output) if given.output else golden_directory(given.tier)
    directory.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=directory.parent, prefix=".fetch-") as temporary, Bar("fetch") as bar:
        fresh = Path(temporary)
        _download(base + MANIFEST, fresh / MANIFEST)
        spec = load_spec()
        faults = spec.schemas.faults("manifest", read_json(fresh / MANIFEST), base + MANIFEST)
        if faults:
            raise InputError(*faults)
        golden = Golden(fresh, spec)
        if golden.tier != given.tier:
            raise InputError(f"{base}{MANIFEST}: found the {golden.tier} tier, expected {given.tier}")
        for done, (name, entry) in enumerate(golden.files.items()):
            bar.show(done, len(golden.files))
            _download(base + name, fresh / name, entry["bytes"])
            golden.file(name)  # raises unless size and hash are the manifest's
        # The manifest last: a reader meanwhile sees the old tier, or by the hashes that files are being replaced.
        for name in [*golden.files, MANIFEST]:
            (fresh / name).replace(directory / name)
    print(f"{directory}: fetched and verified, {len(golden.files)} files")
    return 0


def _download(url: str, path: Path, size: int | None = None) -> None:
    try:
        with urlopen(url, timeout=_SECONDS) as answer, path.open("wb") as file:  # noqa: S310  # http(s) was checked
            shutil.copyfileobj(answer, file, _BLOCK)
    except HTTPError as error:
        raise InputError(f"{url}: found {error.code} {error.reason}, expected the file") from None
    except (URLError, HTTPException, TimeoutError, ConnectionError) as error:
        raise InputError(f"{url}: cannot be read: {getattr(error, 'reason', None) or error}") from None
    if size is not None and path.stat().st_size != size:
        raise InputError(f"{url}: found {path.stat().st_size} bytes, expected {size}")

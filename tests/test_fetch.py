"""`aclnn-spec fetch` against servers that are good, wrong, slow, or gone."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from aclnn_spec.commands import fetch
from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.read import Spec
from conftest import NAME, Command
from web import Web, serving

pytest.importorskip("pooch")

FILES = ("manifest.json", f"{NAME}.json", f"{NAME}.npz")
JSON, NPZ = FILES[1:]


@pytest.fixture
def web(tmp_path: Path, small: Path) -> Iterator[Web]:
    """The small tier, published."""
    root = tmp_path / "web"
    shutil.copytree(small, root / "some" / "path" / "data" / "core")
    shutil.copytree(small, root / "elsewhere")
    with serving(root, "some/path/data/core") as web:
        yield web


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A directory with an old tier in it, of which nothing may change when a fetch fails."""
    path = tmp_path / "mine" / "core"
    path.mkdir(parents=True)
    (path / "manifest.json").write_text("old", encoding="utf-8")
    return path


def _contents(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.iterdir()}


@pytest.mark.parametrize("slash", ["", "/"])
def test_good(web: Web, slash: str, main: Command, spec: Spec, small_cases: tuple[Any, ...], tmp_path: Path) -> None:
    """`fetch` downloads a tier that certifies, says where it lies, and leaves nothing else."""
    ran = main("fetch", "--url", web.url + slash, "--output", tmp_path / "new" / "core")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"{tmp_path / 'new' / 'core'}: fetched and verified, 2 files\n"
    assert Golden(tmp_path / "new" / "core", spec).case_ids() == tuple(case.id for case in small_cases)
    assert _contents(tmp_path / "new" / "core") == _contents(web.folder)
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["core"]
    assert web.asked == list(FILES)


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _edit(path: Path, change: Callable[[Any], object]) -> None:
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def _rename(name: str) -> Callable[[Path], None]:
    return partial(_edit, change=lambda manifest: manifest["files"][0].update(name=name))


SPOILERS: list[tuple[str, Callable[[Path], object], str]] = [
    (NPZ, _flip, r"found [0-9a-f]{64}, expected [0-9a-f]{64} as manifest\.json says"),
    (JSON, _flip, r"found [0-9a-f]{64}, expected [0-9a-f]{64} as manifest\.json says"),
    (NPZ, lambda path: path.write_bytes(path.read_bytes()[:-7]), r"found \d+ bytes, expected \d+ bytes as manifest"),
    (NPZ, lambda path: path.write_bytes(path.read_bytes() + b"x"), r"found more than \d+ bytes, expected at most"),
    (NPZ, Path.unlink, r"found 404 File not found, expected the file"),
    ("manifest.json", Path.unlink, r"found 404 File not found, expected the file"),
    ("manifest.json", lambda path: path.write_text("<html>"), r"line 1, column 1: found no JSON"),
    ("manifest.json", _rename("../x.json"), r"files\[0\]\.name: '\.\./x\.json' does not match"),
    ("manifest.json", _rename("/etc/x.json"), r"files\[0\]\.name: '/etc/x\.json' does not match"),
    ("manifest.json", partial(_edit, change=lambda manifest: manifest.update(tier="full")), "found the full tier"),
    (
        "manifest.json",
        partial(_edit, change=lambda manifest: manifest["spec"].popitem()),
        "golden data was built from another spec",
    ),
    ("manifest.json", partial(_edit, change=lambda manifest: manifest["files"].pop()), "expected each part's"),
]


@pytest.mark.parametrize(("name", "spoil", "message"), SPOILERS)
def test_wrong_files(
    web: Web, target: Path, name: str, spoil: Callable[[Path], object], message: str, main: Command, small: Path
) -> None:
    """What is not as the manifest says is one line, exits 2 and changes nothing; mended, the next try succeeds."""
    spoil(web.folder / name)
    ran = main("fetch", "--url", web.url, "--output", target)
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert ran.stderr.startswith(f"aclnn-spec fetch: {web.url}/{name}: ")
    assert re.search(message, ran.stderr)
    assert _contents(target) == {"manifest.json": b"old"}
    shutil.copy(small / name, web.folder / name)
    assert main("fetch", "--url", web.url, "--output", target).returncode == 0
    assert _contents(target) == _contents(small)
    assert [each.name for each in target.parent.iterdir()] == ["core"]


@pytest.mark.parametrize(
    ("ill", "message"),
    [
        ("halfway", "found the connection closed before the end, expected the whole file"),
        ("unmeasured", " bytes, expected "),
        ("stalled", "found 0.3 seconds without an answer, expected the file"),
        ("endless", "found more than "),
        ("circle", "cannot be read: Exceeded 30 redirects."),
    ],
)
@pytest.mark.parametrize("name", [JSON, NPZ])
def test_ill_servers(
    web: Web, target: Path, ill: str, message: str, name: str, main: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that breaks off, stands still, never ends or goes in circles is one line, soon, and changes nothing."""
    monkeypatch.setattr(fetch, "_SECONDS", 0.3)
    web.ill[name] = ill
    began = monotonic()
    ran = main("fetch", "--url", web.url, "--output", target)
    assert monotonic() - began < 10
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert ran.stderr.startswith(f"aclnn-spec fetch: {web.url}/{name}: ")
    assert message in ran.stderr
    assert _contents(target) == {"manifest.json": b"old"}


def test_a_second_try_takes_up_the_first(web: Web, target: Path, main: Command, small: Path) -> None:
    """What the first try brought whole is not downloaded again, and half of a file is not kept."""
    web.ill[NPZ] = "halfway"
    assert main("fetch", "--url", web.url, "--output", target).returncode == 2
    assert [each.name for each in (target.parent / ".core.fetch").iterdir()] == [JSON]
    web.ill.clear()
    web.asked.clear()
    assert main("fetch", "--url", web.url, "--output", target).returncode == 0
    assert web.asked == ["manifest.json", NPZ]
    assert _contents(target) == _contents(small)
    assert [each.name for each in target.parent.iterdir()] == ["core"]


def test_a_waiting_file_is_not_trusted(web: Web, target: Path, main: Command, small: Path) -> None:
    """A waiting file that is not as the manifest says is downloaded again."""
    waiting = target.parent / ".core.fetch"
    waiting.mkdir()
    (waiting / JSON).write_bytes(b"{}")
    assert main("fetch", "--url", web.url, "--output", target).returncode == 0
    assert _contents(target) == _contents(small)


def test_what_is_in_place_is_not_downloaded(web: Web, target: Path, main: Command, small: Path) -> None:
    """Of a tier that is there only the manifest is downloaded, and what is wrong in it."""
    main("fetch", "--url", web.url, "--output", target)
    _flip(target / NPZ)
    web.asked.clear()
    ran = main("fetch", "--url", web.url, "--output", target)
    assert ran.stdout == f"{target}: fetched and verified, 2 files, 1 of them already there\n"
    assert web.asked == ["manifest.json", NPZ]
    assert _contents(target) == _contents(small)


def test_a_retry_helps(web: Web, target: Path, main: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that breaks once does not fail the command."""
    web.ill[NPZ] = "halfway"
    monkeypatch.setattr("pooch.core.time.sleep", lambda _: web.ill.clear())
    assert main("fetch", "--url", web.url, "--output", target).returncode == 0
    assert web.asked == [*FILES, NPZ]


def test_redirects(web: Web, target: Path, main: Command, small: Path) -> None:
    """Redirects are followed, and the bytes judged as ever."""
    web.ill |= dict.fromkeys(FILES, "moved")
    assert main("fetch", "--url", web.url, "--output", target).returncode == 0
    assert _contents(target) == _contents(small)


def test_a_failure_while_replacing(web: Web, target: Path, main: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full when the files are put in place leaves the old tier."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "core")

    monkeypatch.setattr(fetch, "_copy", full)
    ran = main("fetch", "--url", web.url, "--output", target)
    assert (ran.returncode, ran.stderr) == (2, "aclnn-spec fetch: core: No space left on device\n")
    assert _contents(target) == {"manifest.json": b"old"}


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress(web: Web, target: Path, main: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal sees a bar that reaches its end and is wiped away."""
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main("fetch", "--url", web.url, "--output", target).returncode == 0
    total = sum((web.folder / name).stat().st_size for name in (JSON, NPZ)) // 1024
    assert f"\rfetch (KiB) [{'#' * 30}] {total}/{total}" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_no_server(target: Path, main: Command) -> None:
    """A server that is not there is one line."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        ran = main("fetch", "--url", url, "--output", target)
    assert (ran.returncode, ran.stderr) == (
        2,
        f"aclnn-spec fetch: {url}/manifest.json: cannot be read: Connection refused\n",
    )


@pytest.mark.parametrize("url", ["http://", "http://[", "ftp://127.0.0.1/core", "http://h/core?x=1", "http://h/#a"])
def test_no_address(url: str, target: Path, main: Command) -> None:
    """What is no address is told before anything is asked."""
    ran = main("fetch", "--url", url, "--output", target)
    expected = "the http or https address of the folder of published golden data, without ? and #"
    assert (ran.returncode, ran.stderr) == (2, f"aclnn-spec fetch: --url: found {url!r}, expected {expected}\n")


def test_an_empty_output(web: Web, main: Command) -> None:
    """A name that is empty does not stand for the usual place."""
    ran = main("fetch", "--url", web.url, "--output", "")
    assert (ran.returncode, web.asked) == (2, [])
    assert ran.stderr == "aclnn-spec fetch: --output: found '', expected the name of a directory\n"


def test_the_output_is_a_file(web: Web, tmp_path: Path, main: Command) -> None:
    """A file where the directory should be is told before anything is asked."""
    (tmp_path / "core").write_text("mine", encoding="utf-8")
    ran = main("fetch", "--url", web.url, "--output", tmp_path / "core")
    assert (ran.returncode, web.asked) == (2, [])
    assert ran.stderr.startswith("aclnn-spec fetch: --output: found the file ")


def test_without_pooch(python: Command) -> None:
    """Without the extra the command says how to install it, and the others do not miss it."""
    ran = python(
        "import sys\nsys.modules['pooch'] = None\nfrom aclnn_spec import cli\n"
        "print(cli.main(['fetch', '--url', 'http://127.0.0.1:9']), cli.main(['list', '--lang', 'en']))"
    )
    assert ran.stdout.splitlines()[-1] == "2 0"
    assert ran.stderr == ("aclnn-spec fetch: found no pooch, expected it installed: pip install 'aclnn-spec[fetch]'\n")


def test_certify_does_not_import_pooch(python: Command, small: Path) -> None:
    """`certify` needs neither pooch nor requests."""
    ran = python(
        "import sys\nfrom aclnn_spec import api\n"
        f"api.certify('numpy', golden={str(small)!r})\nprint(sorted({{'pooch', 'requests'}} & set(sys.modules)))"
    )
    assert ran.stdout == "[]\n", ran.stderr


def test_the_committed_tier(web: Web, tmp_path: Path, main: Command, spec: Spec) -> None:
    """The core tier as it is published arrives byte for byte."""
    core = Path(__file__).resolve().parent.parent / "golden" / "core"
    shutil.rmtree(web.folder)
    shutil.copytree(core, web.folder)
    assert main("fetch", "--url", web.url, "--output", tmp_path / "core").returncode == 0
    for name, entry in Golden(tmp_path / "core", spec).files.items():
        assert hashlib.sha256((tmp_path / "core" / name).read_bytes()).hexdigest() == entry["sha256"]

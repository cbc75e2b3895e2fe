"""Malformed files of every sort, given to the commands: one clear line each, an exit code, and no traceback."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import NAME, ROOT, Command, Ran

Change = Callable[[Any], object]
WAIVERS = {"$schema": "https://aclnn-spec.dev/schema/waivers.json", "waivers": [{"cases": "a", "reason": "b"}]}


def rewritten(path: Path, change: Change) -> bytes:
    """A JSON file's bytes after a change to its content."""
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    return json.dumps(document, ensure_ascii=False).encode()


def clear(ran: Ran, *texts: str) -> None:
    """Hold what a command said: a code of 1 or 2, all its lines its own, the texts among them, no traceback."""
    said = ran.stdout + ran.stderr
    assert ran.returncode in (1, 2)
    assert "Traceback" not in said
    assert [text for text in texts if text not in said] == []
    lines = ran.stderr.splitlines()
    assert [line for line in lines if not line.startswith("aclnn-spec ")] == []
    assert len(lines) == 1


BROKEN_JSON = {
    "empty": (b"", "line 1, column 1: found no JSON"),
    "cut short": (b'{"a": [1, 2', "found no JSON"),
    "not UTF-8": (b'{"a": "\xff"}', "found the byte 0xff at 7, expected UTF-8"),
    "repeated key": (b'{"a": 1, "a": 2}', "found the key 'a' more than once"),
    "NaN": (b'{"a": NaN}', "expected"),
    "too deep": (b"[" * 200_000, "nested too deep"),
    "endless number": (b'{"a": ' + b"9" * 5000 + b"}", "found an integer of 5000 digits"),
    "half a character": (b'{"a": "\\ud800"}', "found half a surrogate pair"),
    "a list": (b"[]", "found [], expected an object"),
    "a number": (b"3", "found 3, expected an object"),
}


@pytest.mark.parametrize("kind", BROKEN_JSON)
def test_certificates_that_are_no_json(kind: str, main: Command, tmp_path: Path) -> None:
    """`verify` of a file that is no clean JSON object exits 2."""
    content, message = BROKEN_JSON[kind]
    (tmp_path / "c.json").write_bytes(content)
    ran = main("verify", tmp_path / "c.json")
    clear(ran, "c.json", message)
    assert ran.returncode == 2


CERTIFICATES: dict[str, tuple[Change, str]] = {
    "no entries": (lambda one: one.pop("entries"), "entries"),
    "another verdict": (lambda one: one.update(verdict="excellent"), "c.json: verdict: 'excellent' is not one of "),
    "an unknown key": (lambda one: one.update(note="x"), "note"),
    "statuses as text": (lambda one: one["entries"][0].update(statuses="0"), "c.json: entries[0].statuses: found '0'"),
    "a total of 1.5": (lambda one: one["totals"].update({"pass": 1.5}), "c.json: totals.pass: found 1.5"),
    "a short digest": (lambda one: one["digests"].update(spec="12"), "c.json: digests.spec: '12' does not match "),
    "an unknown fault": (
        lambda one: one["entries"][0].update(faults=[{"kind": "bad luck", "message": {"zh": "x", "en": "y"}}]),
        "c.json: entries[0].faults[0].kind: 'bad luck' is not one of ",
    ),
    "an unknown product": (lambda one: one.update(product="mars"), "product: found 'mars', expected one of "),
    "an unknown operator": (lambda one: one.update(operators=["aclnnAdd"]), "aclnnAdd"),
    "a shard of core": (lambda one: one.update(shard="1/2"), "shard: found 1/2, expected none"),
    "the full tier": (lambda one: one.update(tier="full"), "found the core tier, expected full"),
}


@pytest.mark.parametrize("kind", CERTIFICATES)
def test_malformed_certificates(kind: str, main: Command, small_certificate: Path, small: Path, tmp_path: Path) -> None:
    """`verify` of a certificate that its schema or the spec does not allow exits 2 and names the field."""
    change, message = CERTIFICATES[kind]
    (tmp_path / "c.json").write_bytes(rewritten(small_certificate, change))
    clear(main("verify", tmp_path / "c.json", "--golden", small), message)


MALFORMED_WAIVERS: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"cases: a", "w.json: line 1, column 1: found no JSON"),
    "no reason": (json.dumps(WAIVERS | {"waivers": [{"cases": "a"}]}).encode(), "waivers[0]: 'reason' is missing"),
    "a blank reason": (
        json.dumps(WAIVERS | {"waivers": [{"cases": "a", "reason": " "}]}).encode(),
        "waivers[0].reason: ",
    ),
    "a list": (b"[]", "w.json: (whole file): found [], expected an object"),
    "a pattern twice": (
        json.dumps(WAIVERS | {"waivers": [{"cases": "a", "reason": "b"}] * 2}).encode(),
        "waivers[1]",
    ),
}


@pytest.mark.parametrize("kind", MALFORMED_WAIVERS)
def test_malformed_waivers(kind: str, main: Command, small: Path, tmp_path: Path) -> None:
    """`certify` with a malformed waiver file exits 2 and names the place."""
    content, message = MALFORMED_WAIVERS[kind]
    (tmp_path / "w.json").write_bytes(content)
    ran = main("certify", "numpy", "--golden", small, "--waivers", tmp_path / "w.json")
    clear(ran, message)
    assert (ran.returncode, ran.stdout) == (2, "")


def _signed(tier: Path) -> None:
    """Make the manifest agree with the files, as a forger would."""
    manifest = json.loads((tier / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        data = (tier / entry["name"]).read_bytes()
        entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (tier / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def _case(change: Change) -> Callable[[Path], None]:
    def spoil(tier: Path) -> None:
        path = tier / f"{NAME}.json"
        path.write_bytes(rewritten(path, lambda one: change(one["cases"][0])))
        _signed(tier)

    return spoil


def _manifest(change: Change) -> Callable[[Path], None]:
    def spoil(tier: Path) -> None:
        (tier / "manifest.json").write_bytes(rewritten(tier / "manifest.json", change))

    return spoil


def _bytes(name: str, change: Callable[[bytes], bytes], *, signed: bool) -> Callable[[Path], None]:
    def spoil(tier: Path) -> None:
        (tier / name).write_bytes(change((tier / name).read_bytes()))
        if signed:
            _signed(tier)

    return spoil


GOLDEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "no manifest": (lambda tier: (tier / "manifest.json").unlink(), "manifest.json: found No such file or directory"),
    "no npz": (lambda tier: (tier / f"{NAME}.npz").unlink(), f"{NAME}.npz: found No such file or directory"),
    "a changed byte": (_bytes(f"{NAME}.npz", lambda data: data[:-9] + b"x" * 9, signed=False), f"{NAME}.npz: found "),
    "a shorter file": (_bytes(f"{NAME}.npz", lambda data: data[:-9], signed=False), "bytes as manifest.json says"),
    "no zip": (_bytes(f"{NAME}.npz", lambda _: b"PK no zip", signed=True), f"{NAME}.npz: "),
    "half a zip": (_bytes(f"{NAME}.npz", lambda data: data[: len(data) // 2], signed=True), f"{NAME}.npz: "),
    "a damaged member": (
        _bytes(f"{NAME}.npz", lambda data: data.replace(b"NUMPY", b"PICKL", 1), signed=True),
        ".npz: ",
    ),
    "another type": (_bytes(f"{NAME}.npz", lambda data: data.replace(b"'<f4'", b"'|O' ", 1), signed=True), ".npz: "),
    "a case without reason": (_case(lambda one: one.pop("reason")), "'reason' is missing"),
    "a shape too large": (_case(lambda one: one["arguments"]["self"].update(shape=[3, 3, 3])), "self"),
    "a negative size": (_case(lambda one: one["arguments"]["self"].update(shape=[-3])), "shape"),
    "an unknown clause": (_case(lambda one: one.update(clauses=["magic"])), "magic"),
    "an unknown code": (_case(lambda one: one["outcome"].update(codes=["ACLNN_OK"])), "ACLNN_OK"),
    "a partner that is none": (_case(lambda one: one.update(partner="x/y/z", order="crossed")), "partner"),
    "a renamed case": (_case(lambda one: one.update(id=f"{NAME}/basic/other")), "found no case "),
    "a path for a name": (_manifest(lambda one: one["files"][0].update(name="../x.json")), "files[0].name"),
    "another spec": (
        _manifest(lambda one: one["spec"].update({"tables/dtypes.json": "0" * 64})),
        "golden data was built from another spec: tables/dtypes.json, run aclnn-spec build",
    ),
    "the wrong number of cases": (_manifest(lambda one: one["files"][0].update(cases=3)), "cases: found "),
}


@pytest.mark.parametrize("kind", GOLDEN)
def test_malformed_golden_data(kind: str, main: Command, small: Path, tmp_path: Path) -> None:
    """`certify` refuses spoiled golden data with exit code 2 and the file's name."""
    spoil, message = GOLDEN[kind]
    shutil.copytree(small, tmp_path / "golden")
    spoil(tmp_path / "golden")
    ran = main("certify", "numpy", "--golden", tmp_path / "golden")
    clear(ran, message)
    assert (ran.returncode, ran.stdout) == (2, "")


def _without_source(data: bytes) -> bytes:
    document = json.loads(data)
    document["clauses"][0]["sources"] = []
    return json.dumps(document, ensure_ascii=False).encode()


def _lopsided(data: bytes) -> bytes:
    document = json.loads(data)
    table = next(value for value in document.values() if isinstance(value, list | dict) and value)
    table.popitem() if isinstance(table, dict) else table.pop()
    return json.dumps(document, ensure_ascii=False).encode()


SPECS: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "no JSON": ("tables/dtypes.json", lambda _: b"{", "dtypes.json: line 1, column 2: found no JSON"),
    "an unknown role": (
        f"operators/{NAME}.json",
        lambda data: data.replace(b'"role": "input"', b'"role": "inout"', 1),
        f"{NAME}.json: parameters[0].role: ",
    ),
    "an empty text": (
        "tables/products.json",
        lambda data: data.replace(b'"zh": "', b'"zh": "", "x": "', 1),
        "products.json: ",
    ),
    "a clause without a source": (
        f"operators/{NAME}.json",
        _without_source,
        f"{NAME}.json: clauses[0].sources: ",
    ),
    "an unknown type": (
        f"operators/{NAME}.json",
        lambda data: data.replace(b'"BFLOAT16"', b'"BFLOAT61"', 1),
        f"{NAME}.json: parameters[0] (gradOutput).dtypes: found BFLOAT61",
    ),
    "a lost reference": (
        "schema/operator.json",
        lambda data: data.replace(b"common.json#", b"uncommon.json#"),
        "operator.json: $ref: ",
    ),
    "a lopsided deduction": ("tables/deduction.json", _lopsided, "deduction.json: "),
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout without golden data, for tests that put back what they spoil."""
    copy = tmp_path_factory.mktemp("copied")
    for part in ("spec", "tools"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


@pytest.mark.parametrize("kind", SPECS)
def test_malformed_specs(kind: str, copied: Path, command: Command) -> None:
    """A spec file that is malformed stops every command with exit code 2, its name and the place in it."""
    name, change, message = SPECS[kind]
    path = copied / "spec" / name
    before = path.read_bytes()
    after = change(before)
    path.write_bytes(after)
    try:
        ran = command("show", NAME, PYTHONPATH=str(copied / "tools"))
    finally:
        path.write_bytes(before)
    assert after != before
    assert (ran.returncode, ran.stdout, "Traceback" in ran.stderr) == (2, "", False)
    assert message in ran.stderr
    assert [line for line in ran.stderr.splitlines() if not line.startswith("aclnn-spec show: ")] == []

"""The benchmarks: a table and plots come of them, every word of which is there in Chinese, too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from conftest import ROOT

RESULT = ROOT / "benchmarks" / "result"
PEERS = {
    "One good call validated": {"jsonschema, same document"},
    "The reference, FLOAT": {"NumPy, in one expression", "PyTorch's autograd, 1 thread"},
    "The judge, FLOAT": {"numpy assert_allclose", "numpy assert_array_max_ulp", "torch assert_close, 1 thread"},
    "The core tier, processor time": {"as many empty tests"},
    "The full tier": {"1 process", None},
    "One large case": {None},
}


@pytest.fixture(scope="module")
def kept() -> Any:
    """The result that the site shows."""
    return json.loads((RESULT / "result.json").read_text(encoding="utf-8"))


def test_quick_look(tmp_path: Path) -> None:
    """A quick run of one part prints its table and writes the files that a long run writes."""
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only", "validation", "--output", tmp_path]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True, timeout=120)
    written = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert [row["what"] in ran.stdout for row in written["rows"]] == [True] * 3
    assert all(row["ratio"] < 1 for row in written["rows"] if "skipped" not in row)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cost.en.svg", "cost.zh.svg", "result.json"]


def test_kept_result_is_whole(kept: Any) -> None:
    """The result kept has every part with each of its peers, at every size, and says where and when it was taken."""
    found: dict[str, set[str | None]] = {}
    for row in kept["rows"]:
        found.setdefault(row["part"], set()).add(row.get("peer"))
    assert found == PEERS
    sizes = {row["size"] for row in kept["rows"] if row["part"] in ("The reference, FLOAT", "The judge, FLOAT")}
    assert sizes == {2**12, 2**18, 2**24, 2**27}
    assert (kept["quick"], {"processor", "memory", "Python", "numpy", "torch"} <= kept["machine"].keys()) == (
        False,
        True,
    )


def test_every_word_is_there_in_chinese(kept: Any) -> None:
    """Each text of a row has its Chinese, and a row slower than its peer its reason."""
    texts = {row[key] for row in kept["rows"] for key in ("part", "what", "peer") if key in row}
    assert texts <= kept["zh"].keys()
    slower = [row for row in kept["rows"] if row.get("ratio", 0) > 1]
    assert [row["what"] for row in slower if row.get("why") not in kept["why"]] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_plots_draw_each_line(lang: str, kept: Any) -> None:
    """A plot has a line for each peer and ours in both of its panels, and a title."""
    root = ET.parse(RESULT / f"cost.{lang}.svg").getroot()  # noqa: S314  # our own file
    labels = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    names = {"aclnn-spec"} | PEERS["The reference, FLOAT"] | PEERS["The judge, FLOAT"]
    assert {kept["zh"].get(str(name), name) if lang == "zh" else name for name in names} <= set(labels)
    assert root.find("{http://www.w3.org/2000/svg}title") is not None

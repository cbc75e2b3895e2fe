"""The site as the tests of the pages and of the browser see it: built once, strictly, and removed at the end."""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LANGUAGES = ("zh", "en")


def mkdocs(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run mkdocs in the checkout; skip where it is not installed."""
    for name in ("mkdocs", "material", "jieba"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"found no {name}: pip install -e '.[docs]'")
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "mkdocs", *arguments],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "SITE_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@cache
def published() -> Path:
    """Build the site and give its folder, which lies below another, as on a server that has more to serve."""
    folder = Path(tempfile.mkdtemp(prefix="aclnn-site-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    site = folder / "project"
    ran = mkdocs("build", "--strict", "--site-dir", str(site))
    assert ran.returncode == 0, ran.stderr
    assert "WARNING" not in ran.stderr
    return site


def pages(language: str) -> list[str]:
    """The pages of a language, by their paths below it."""
    return sorted(path.relative_to(DOCS / language).as_posix() for path in (DOCS / language).rglob("*.md"))


def address(page: str) -> str:
    """Where a page lies below its language's folder of the site."""
    stem = page.removesuffix(".md")
    return "" if stem == "index" else f"{stem.removesuffix('index')}" if stem.endswith("/index") else f"{stem}/"

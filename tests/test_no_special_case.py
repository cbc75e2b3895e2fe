"""No part of the engine knows an operator: their names stand in the spec, the references, the data and a few tables."""

from __future__ import annotations

import re
from pathlib import Path

from aclnn_spec.emit.text import MARK
from aclnn_spec.spec.read import load_spec

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ("tools/aclnn_spec", "tools/host/src", "tools/host/include", ".ci")
SUFFIXES = (".py", ".c", ".h", ".in", ".json", ".toml", "")
HOMES = (
    re.compile(r"tools/aclnn_spec/reference/"),
    # An implementation says which operators it has; a kernel of the host library is one operator's.
    re.compile(r"tools/aclnn_spec/implementations/torch_autograd\.py"),
    re.compile(r"tools/host/src/(losses\.h|\w*loss\w*\.c)"),
)


def engine() -> list[Path]:
    """The files of the engine that are not generated."""
    paths = [path for folder in ENGINE for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    kept = [path for path in paths if path.suffix in SUFFIXES and "__pycache__" not in path.parts]
    return [path for path in kept if MARK not in path.read_text(encoding="utf-8").split("\n", 1)[0]]


def mentions(text: str, names: list[str]) -> list[str]:
    """The operators that a text names, in the API's spelling or as headers and functions have it."""
    snakes = {name: re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removeprefix("aclnn")).lower() for name in names}
    return [name for name in names if re.search(rf"\b({name}(GetWorkspaceSize)?|(aclnn_)?{snakes[name]})\b", text)]


def test_the_engine_names_no_operator() -> None:
    """Outside the homes of operators no file names one, so that none can be a special case."""
    names = list(load_spec().operators)
    found = {
        path.relative_to(ROOT).as_posix(): named
        for path in engine()
        if not any(home.match(path.relative_to(ROOT).as_posix()) for home in HOMES)
        and (named := mentions(path.read_text(encoding="utf-8"), names))
    }
    assert found == {}


def test_a_mention_is_found() -> None:
    """The search sees the API's spelling and the one of headers, and does not take an operator for a longer one."""
    names = ["aclnnL1Loss", "aclnnL1LossBackward"]
    assert mentions('if operator == "aclnnL1LossBackward":', names) == ["aclnnL1LossBackward"]
    assert mentions('if operator == "aclnnL1Loss":', names) == ["aclnnL1Loss"]
    assert mentions('#include "aclnn_l1_loss_backward.h"', names) == ["aclnnL1LossBackward"]
    assert mentions("aclnnL1LossGetWorkspaceSize(self)", names) == ["aclnnL1Loss"]
    assert mentions("l1_loss_backward(grad)", names) == ["aclnnL1LossBackward"]
    assert mentions("a loss and its gradient", names) == []


def test_the_engine_is_there_to_be_searched() -> None:
    """The search looks at the judge, the cases, the emitters and the library's runtime."""
    searched = {path.relative_to(ROOT).as_posix() for path in engine()}
    assert {
        "tools/aclnn_spec/certification/judge.py",
        "tools/aclnn_spec/golden/cases/author.py",
        "tools/aclnn_spec/emit/templates/check.h.in",
        "tools/host/src/elementwise.c",
    } <= searched

"""The comparison as a table: for each judge and set of cases, what it condemned of the wrong and of the right ones."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aclnn_spec.golden.store import MANIFEST
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.read import CHECKOUT, data_root

from .cases import COUNT, NAME
from .judges import FULL, JUDGES, STRICT, Judge
from .measure import SETS, Condemned

HERE = Path(__file__).resolve().parent
TABLE = HERE / "table.json"
JUDGE = ("compare", "conclude", "judge", "memory", "runner", "ulp")
"""The modules of the certification that condemn."""
REFERENCE = ("evaluate", "exact", "floats", "l1_loss_backward")
RIGHT = ("arithmetic", "base", "call", "status", "values")
"""The modules that the one operator of the table is computed by, by the reference and by the right ones."""
SOURCES = ("competition", "mutants")
"""The packages that the table is made from, this one among them."""

OURS = (FULL, STRICT)

METHOD = Text(
    zh="同一批错误实现和正确实现，由各种判定方法分别判定。错误实现只要有一个用例不通过就算被查出，正确实现只要有一个用例不通过就算误报。"
    "用例有三组：core 是本套件的 core 级，每个用例只有一个期望结果；core-open 是同样的用例，凡规范允许的结果都算对；"
    f"random 是 {COUNT} 个随机用例，各张量形状与类型相同、连续，取值在 [−5, 5] 上均匀分布，种子固定。"
    "其他方法只看一次成功调用的数值，因此看不到错误调用的状态码、越界写、被改写的输入、workspace 以及重复或交错的调用；"
    "这些错误算它们漏掉，并在 beyond_values 中另行计数。每种方法都按对它最有利的方式解读：NaN 等于 NaN，零不分正负，"
    "容差取推导类型与输出类型中较粗的一个，规范允许拒绝的调用被拒绝时不计。",
    en="The same wrong and right implementations are put before each judge. A wrong one is caught, and a right one "
    "is a false alarm, if a single case fails. There are three sets of cases. core: this suite's core tier, "
    "with one expected result for each case. core-open: the same, with every result that the spec accepts. "
    f"random: {COUNT} random cases from a fixed seed, all tensors of one shape and type, dense, values uniform "
    "in [−5, 5]. The other judges look at the values of one successful call: they cannot see the status codes "
    "of bad calls, stray writes, changed inputs, workspaces, repeated or interleaved calls. These count as "
    "missed, and beyond_values says how many they are. Each judge is read as favourably as it can be: NaN "
    "equals NaN, zeros have no sign, the tolerance is that of the coarser of deduced type and output type, and "
    "a refusal that the spec accepts does not count.",
)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """An implementation, its family if it is a wrong one, and all that condemn it."""

    name: str
    family: str
    condemned: frozenset[Condemned]


def digest() -> str:
    """SHA-256 over all the table is made from: golden data and spec of its operator, judge, reference, both sides."""
    package = CHECKOUT / "tools" / "aclnn_spec"
    manifest = read_json(data_root() / "golden" / "core" / MANIFEST)
    # What other operators' files say does not matter here.
    golden = [entry["sha256"] for entry in manifest["files"] if entry["name"].partition(".")[0] == NAME]
    spec = [
        text
        for name, text in manifest["spec"].items()
        if name == f"operators/{NAME}.json" or name.startswith("tables/")
    ]
    paths = [
        *(package / "certification" / f"{name}.py" for name in JUDGE),
        *(package / "reference" / f"{name}.py" for name in REFERENCE),
        *(HERE.parent / "right" / f"{name}.py" for name in RIGHT),
        *(path for folder in SOURCES for path in sorted((HERE.parent / folder).glob("*.py"))),
    ]
    texts = [*golden, *spec, *(path.read_text(encoding="utf-8") for path in paths)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def document(wrong: list[Measured], right: list[Measured]) -> dict[str, Any]:
    """The table as it is committed."""
    values = (STRICT.id, "core-open")
    return {
        "generated_from": "tests/competition, tests/mutants, tests/right, by python -m tests.competition",
        "digest": digest(),
        "operator": NAME,
        "method": {"zh": METHOD.zh, "en": METHOD.en},
        "wrong": len(wrong),
        "right": len(right),
        "beyond_values": sum(values not in each.condemned for each in wrong),
        "families": dict(Counter(each.family for each in wrong)),
        "judges": [
            _judge(judge, wrong, right) for judge in (*(each for each in JUDGES if each not in OURS), *OURS[::-1])
        ],
    }


def _judge(judge: Judge, wrong: list[Measured], right: list[Measured]) -> dict[str, Any]:
    return {
        "id": judge.id,
        "text": {"zh": judge.text.zh, "en": judge.text.en},
        "sets": {each: _counts((judge.id, each), wrong, right) for each in SETS if judge != FULL or each != "core"},
    }


def _counts(by: Condemned, wrong: list[Measured], right: list[Measured]) -> dict[str, Any]:
    """The kills, in all and by family, and the false alarms, in number and by name."""
    killed = [each for each in wrong if by in each.condemned]
    alarms = [each.name for each in right if by in each.condemned]
    return {
        "kills": len(killed),
        "false_alarms": len(alarms),
        "kills_by_family": dict(Counter(each.family for each in killed)),
        "alarmed_by": alarms,
    }


def lines(table: Mapping[str, Any]) -> list[str]:
    """The table for a terminal."""
    shown = [f"{table['wrong']} wrong, {table['right']} right, {table['beyond_values']} wrong beyond values"]
    shown.append("kills / false alarms".ljust(24) + "".join(each.rjust(14) for each in SETS))
    for judge in table["judges"]:
        cells = [judge["sets"].get(each) for each in SETS]
        texts = [f"{cell['kills']} / {cell['false_alarms']}" if cell else "" for cell in cells]
        shown.append(judge["id"].ljust(24) + "".join(text.rjust(14) for text in texts))
    return shown

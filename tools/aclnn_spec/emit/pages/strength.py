"""How strong the suite is: the kill table, the right implementations, and other judges by the same measure.

The tables are measured by `python -m tests.mutants`, `tests.right` and `tests.competition`, and only shown here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aclnn_spec.emit.pages.markdown import code, codes, fence, heading, page, prose, table
from aclnn_spec.emit.pages.material import Material
from aclnn_spec.emit.pages.words import STRENGTH, said

KILLS = "tests/mutants/kills"
RIGHT = "tests/right/table.json"
COMPARISON = "tests/competition/table.json"

_SOURCE = "source"
"""The family of the mutants made from source; it has a name on the page alone."""

Row = Mapping[str, Any]


def strength_pages(material: Material, lang: str) -> Iterator[tuple[str, str]]:
    """The pages below `strength/` in one language, by their paths."""
    yield "strength/mutants.md", _page("mutants", KILLS, _mutants(material, lang), lang)
    for operator in measured(material):
        found = material.data(f"{KILLS}/{operator}.json")
        title = said(STRENGTH, "mutants_of", lang, operator=operator)
        blocks = [*_kills(material, found, lang), *_again("tests.mutants", lang)]
        yield f"strength/mutants-{operator}.md", page(f"{KILLS}/{operator}.json", title, blocks)
    yield "strength/right.md", _page("right", RIGHT, _right(material.data(RIGHT), lang), lang)
    yield "strength/comparison.md", _page("comparison", COMPARISON, _comparison(material.data(COMPARISON), lang), lang)


def measured(material: Material) -> list[str]:
    """The operators that have a kill table."""
    return [name for name in material.cases if (material.root / KILLS / f"{name}.json").is_file()]


def _page(name: str, source: str, blocks: Iterator[str], lang: str) -> str:
    command = source.rpartition("/")[0].replace("/", ".")
    return page(source, said(STRENGTH, name, lang), [*blocks, *_again(command, lang)])


def _again(command: str, lang: str) -> tuple[str, str]:
    """How the numbers are made."""
    return said(STRENGTH, "again", lang), fence(f"python -m {command} -n 2", "sh")


def _mutants(material: Material, lang: str) -> Iterator[str]:
    """The totals of all operators."""
    yield said(STRENGTH, "about_mutants", lang)
    names = ("mutants", "condemned", "equivalent", "narrow", "smoke_cases", "smoke_condemns")
    rows = []
    for operator in measured(material):
        found = material.data(f"{KILLS}/{operator}.json")
        link = f"[{code(operator)}](mutants-{operator}.md)"
        rows.append([link, f"{found['cases']:,}", *(found["totals"][name] for name in names)])
    heads = ("operator", "core_cases", "count", *names[1:])
    yield table([said(STRENGTH, f"of_{name}" if name in names else name, lang) for name in heads], rows)
    yield said(STRENGTH, "about_narrow", lang)


def _kills(material: Material, found: Row, lang: str) -> Iterator[str]:
    """An operator's totals, its mutants by family and group, and each mutant by group."""
    groups = list(dict.fromkeys(case["group"] for case in material.cases[found["operator"]]))
    condemned = [one for one in found["mutants"] if "equivalent" not in one]
    made = {one["family"] for one in condemned}
    families = {name: text[lang] for name, text in found["families"].items() if name in made}
    families[_SOURCE] = said(STRENGTH, _SOURCE, lang)
    yield said(STRENGTH, "totals", lang, cases=f"{found['cases']:,}", **found["totals"])
    yield heading(said(STRENGTH, "by_family", lang), "families")
    yield said(STRENGTH, "about_families", lang)
    heads = [said(STRENGTH, name, lang) for name in ("family", "count")]
    yield table([*heads, *map(code, groups)], [_family(name, condemned, groups) for name in families])
    yield heading(said(STRENGTH, "kill_table", lang), "kills")
    yield f"{said(STRENGTH, 'about_kills', lang)} {said(STRENGTH, 'whole_run', lang)}"
    heads = [said(STRENGTH, name, lang) for name in ("mutant", "mistake")]
    for name, text in families.items():
        yield heading(prose(text), name, 3)
        rows = [_killed(one, groups, lang) for one in condemned if one["family"] == name]
        yield table([*heads, *map(code, groups)], rows)
    equivalent = [one for one in found["mutants"] if "equivalent" in one]
    if equivalent:
        yield heading(said(STRENGTH, "equivalent", lang), "equivalent")
        rows = [[code(one["id"]), _mistake(one, lang), prose(one["equivalent"][lang])] for one in equivalent]
        yield table([*heads, said(STRENGTH, "argument", lang)], rows)


def _family(name: str, condemned: Sequence[Row], groups: Sequence[str]) -> list[object]:
    mutants = [one for one in condemned if one["family"] == name]
    counts = Counter(group for one in mutants for group in one["groups"])
    return [code(name), len(mutants), *(counts[group] or "–" for group in groups)]


def _killed(one: Row, groups: Sequence[str], lang: str) -> list[object]:
    mark = " †" if one["whole_run"] else ""
    return [code(one["id"]), _mistake(one, lang) + mark, *(one["groups"].get(group, "–") for group in groups)]


def _mistake(one: Row, lang: str) -> str:
    """What a mutant has wrong; of one made from source that is code."""
    text = one["text"][lang]
    return code(text) if one["family"] == _SOURCE else prose(text)


def _right(found: Row, lang: str) -> Iterator[str]:
    by_operator: dict[str, list[Row]] = {}
    for one in found["rows"]:
        by_operator.setdefault(one["operator"], []).append(one)
    yield said(STRENGTH, "about_right", lang, count=len(found["rows"]), operators=len(by_operator))
    columns = [said(STRENGTH, name, lang) for name in ("implementation", "does", "verdict", "largest", "observed")]
    for operator, ones in by_operator.items():
        yield heading(code(operator), operator)
        yield table(columns, [_passed(one, lang) for one in ones])


def _passed(one: Row, lang: str) -> list[object]:
    return [
        code(one["name"]),
        prose(one["text"][lang]),
        said(STRENGTH, one["verdict"], lang),
        "–" if one["largest_ulp"] is None else f"{one['largest_ulp']:g}",
        "<br>".join(f"{code(clause)} {codes(labels)}" for clause, labels in one["observed"].items()),
    ]


def _comparison(found: Row, lang: str) -> Iterator[str]:
    yield said(
        STRENGTH, "about_comparison", lang, operator=found["operator"], wrong=found["wrong"], right=found["right"]
    )
    sets = list(dict.fromkeys(name for judge in found["judges"] for name in judge["sets"]))
    columns = [said(STRENGTH, kind, lang, set=code(name)) for name in sets for kind in ("kills", "alarms")]
    rows = [[prose(judge["text"][lang]), *_counts(judge["sets"], sets)] for judge in found["judges"]]
    yield table([said(STRENGTH, "judge", lang), *columns], rows)
    yield said(STRENGTH, "beyond", lang, beyond=found["beyond_values"])
    yield heading(said(STRENGTH, "method", lang), "method")
    yield prose(found["method"][lang])
    yield heading(said(STRENGTH, "alarmed", lang), "alarmed")
    alarms = [
        [prose(judge["text"][lang]), code(name), codes(cell["alarmed_by"])]
        for judge in found["judges"]
        for name, cell in judge["sets"].items()
        if cell["alarmed_by"]
    ]
    yield table([said(STRENGTH, name, lang) for name in ("judge", "cases", "implementation")], alarms)


def _counts(found: Mapping[str, Row], sets: Sequence[str]) -> Iterator[object]:
    for name in sets:
        yield from (found[name]["kills"], found[name]["false_alarms"]) if name in found else ("–", "–")

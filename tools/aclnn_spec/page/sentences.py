"""Sentences of a page that are made from the spec: each says what a rule is broken by, in words that import reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from aclnn_spec.spec.model import Clause, Text
from aclnn_spec.spec.rules import Rule

SENTENCES: Mapping[str, Text] = MappingProxyType(
    {
        "not_null": Text(zh="{on}是空指针。", en="{on} is a null pointer."),
        "deducible": Text(
            zh="{on}的数据类型不满足类型推导规则。",
            en="The data types of {on} cannot be deduced to a common one.",
        ),
        "deduced_in": Text(
            zh="{on}推导后的数据类型不在支持的范围之内。",
            en="The deduced data type of {on} is not supported.",
        ),
        "castable": Text(
            zh="{of}推导后的数据类型无法转换为{to}的数据类型。",
            en="The deduced data type of {of} cannot be cast to the data type of {to}.",
        ),
        "broadcastable": Text(zh="{on}的shape无法一起广播。", en="The shapes of {on} cannot be broadcast together."),
        "max_rank": Text(zh="{on}的shape超过{rank}维。", en="The shape of {on} has more than {rank} dimensions."),
        "shape_is_broadcast": Text(
            zh="{of}广播后的shape与{on}的shape不一致。",
            en="The shape of {on} differs from the broadcast shape of {of}.",
        ),
        "one_of": Text(zh="{on}的值不是{values}之一。", en="{on} is none of {values}."),
        "dtype_in": Text(
            zh="{on}的数据类型不在支持的范围之内。",
            en="The data type of {on} is not supported.",
        ),
        "format_in": Text(
            zh="{on}的数据格式不在支持的范围之内。",
            en="The data format of {on} is not supported.",
        ),
    }
)
"""Kind of rule → what an error row says of it."""


def inner_rule(clause: Clause) -> Rule | None:
    """The rule of a clause, without the condition that it may be wrapped in."""
    inner = getattr(clause.rule, "rule", clause.rule)
    return inner if isinstance(inner, Rule) else clause.rule


def error_sentence(clause: Clause, lang: str) -> str:
    """What an error row says of a clause; the clause's own text where its rule has no set sentence."""
    rule = clause.rule
    if rule is None or rule.kind not in SENTENCES or rule is not inner_rule(clause):
        return clause.text[lang]
    return SENTENCES[rule.kind][lang].format(**_fields(rule, lang))


def _fields(rule: Rule, lang: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in vars(rule).items():
        if isinstance(value, tuple):
            numbers = all(isinstance(each, int) for each in value)
            found[name] = listed(list(map(str, value)), lang, plain=numbers)
        else:
            found[name] = str(value)
    return found


def listed(names: Sequence[str], lang: str, *, plain: bool = False) -> str:
    """Names in a row: `a、b或c`, `a, b or c`; without a conjunction if plain."""
    comma, last = ("、", "或") if lang == "zh" else (", ", " or ")
    if plain or len(names) < 2:  # noqa: PLR2004  # two make a list
        return comma.join(names)
    return comma.join(names[:-1]) + last + names[-1]

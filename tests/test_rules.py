"""Every rule breaks calls that break it and nothing beside what that entails, and says itself in both languages."""

from collections.abc import Mapping
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import pytest

from aclnn_spec.spec.model import Clause, TensorDesc, Text
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import load_schemas, load_spec
from aclnn_spec.spec.rules import RULES, Break, Call, Rule, rule_from
from aclnn_spec.spec.rules.base import changed_call, desc

OPERATOR = load_spec().operator("aclnnL1LossBackward")
ERRORS = [clause.id for clause in OPERATOR.clauses if clause.outcome == "error" and clause.rule]
OPEN = [clause.id for clause in OPERATOR.clauses if clause.outcome == "unspecified" and clause.rule]

Shape = tuple[int, ...]


def tensor(dtype: str = "FLOAT", shape: Shape = (2, 3), layout: str = "ND") -> TensorDesc:
    """Give a densely packed tensor."""
    return TensorDesc(dtype=dtype, shape=shape, format=layout)


def call(grad: Shape, self: Shape, target: Shape, output: Shape) -> Call:
    """Give a call with FLOAT tensors of these shapes."""
    shapes = {"gradOutput": grad, "self": self, "target": target, "gradInput": output}
    return {"reduction": 1} | {name: tensor(shape=shape) for name, shape in shapes.items()}


BASES = {
    "equal shapes": call((2, 3), (2, 3), (2, 3), (2, 3)),
    "broadcast": call((4, 3), (1, 3), (4, 1), (4, 3)),
}

ENTAILED: Mapping[str, set[str]] = {
    # Inputs of 9 dimensions broadcast to 9, so a gradInput of the right shape has 9 as well.
    "max_rank": {"max_rank_output"},
    # A gradInput of 9 dimensions cannot be the broadcast shape of inputs that keep to 8.
    "max_rank_output": {"output_shape"},
}

HOW_MANY = {
    "nullptr": (4, 4),
    "null_handles": (2, 2),
    "deducible": (9, 9),  # three inputs, each UINT16, UINT32 or UINT64 beside two FLOAT
    "supported": (25, 25),  # all inputs of each of 13 types, and one of three inputs DOUBLE or of 3 complex types
    "castable": (9, 9),  # eight integer types and BOOL
    "broadcastable": (15, 14),
    "max_rank": (8, 8),  # all inputs and each one, of 9 and of 10 dimensions
    "max_rank_output": (2, 2),
    "output_shape": (12, 14),
    "reduction": (19, 19),
}


def rule_of(clause: Clause) -> Rule:
    """Give the rule of a clause that has one."""
    assert clause.rule is not None
    return clause.rule


def breaks(clause_id: str, base: str) -> list[Break]:
    """Give all breaks of a clause for one of the good calls."""
    return list(rule_of(OPERATOR.clause(clause_id)).breaks(BASES[base], OPERATOR.tables))


def broken(operator: Operator, arguments: Call) -> set[str]:
    """Give the ids of the error clauses that a call breaks, by the rules one by one."""
    facts = operator.facts(arguments)
    return {c.id for c in operator.clauses if c.outcome == "error" and c.rule and not c.rule.holds(facts)}


@pytest.mark.parametrize("base", BASES)
def test_the_good_calls_are_good(base: str) -> None:
    """The calls that the breaks start from touch no clause."""
    assert broken(OPERATOR, BASES[base]) == set()
    assert OPERATOR.open_clauses(BASES[base], "atlas_training") == ()


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("clause_id", ERRORS)
def test_a_break_breaks_its_clause_and_what_that_entails(clause_id: str, base: str) -> None:
    """Each call made to break a clause breaks it, and beside it exactly what no such call could keep."""
    for each in breaks(clause_id, base):
        assert (each.slug, broken(OPERATOR, each.call)) == (each.slug, {clause_id} | ENTAILED.get(clause_id, set()))
        assert {c.id for c in OPERATOR.validate(each.call).broken} == broken(OPERATOR, each.call)


@pytest.mark.parametrize("clause_id", ERRORS)
def test_how_many_breaks_there_are(clause_id: str) -> None:
    """No way to break a clause is lost unnoticed."""
    assert tuple(len(breaks(clause_id, base)) for base in BASES) == HOW_MANY[clause_id]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("clause_id", [*ERRORS, *OPEN])
def test_slugs_are_unique_and_reasons_bilingual(clause_id: str, base: str) -> None:
    """Case ids are made of slugs, so these are distinct and plain; the reasons come in both languages."""
    slugs = [each.slug for each in breaks(clause_id, base)]
    assert len(set(slugs)) == len(slugs)
    assert [slug for slug in slugs if not slug.replace("-", "").replace("_", "").isalnum() or not slug.isascii()] == []
    for each in breaks(clause_id, base):
        assert each.reason.zh != each.reason.en
        assert each.reason.en.isascii()


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("clause_id", [*ERRORS, *OPEN])
def test_a_break_leaves_the_good_call_alone(clause_id: str, base: str) -> None:
    """Breaking makes new calls; the good one stays good."""
    before = dict(BASES[base])
    assert all(each.call is not BASES[base] for each in breaks(clause_id, base))
    assert BASES[base] == before


OPEN_OUTCOMES = {
    "rank_0": 4,  # all tensors, and each of the three inputs
    "bfloat16_products": 1,
    "other_formats": 1,  # NC is the one format for rank 2
}


@pytest.mark.parametrize(("clause_id", "count"), OPEN_OUTCOMES.items())
def test_a_break_of_an_open_clause_touches_it_in_a_good_call(clause_id: str, count: int) -> None:
    """Where the sources are silent, the call that touches the clause breaks no error clause."""
    found = breaks(clause_id, "equal shapes")
    assert len(found) == count
    for each in found:
        touched = OPERATOR.open_clauses(each.call, "atlas_training")
        assert ([c.id for c in touched], broken(OPERATOR, each.call)) == ([clause_id], set())


@pytest.mark.parametrize(
    ("clause_id", "also"),
    [
        ("integer_mix", {"deducible": 9, "supported": 3, "castable": 9, "": 18}),
        ("wide_output", {"castable": 9, "": 4}),
    ],
)
def test_breaks_of_a_list_of_types(clause_id: str, also: dict[str, int]) -> None:
    """A type outside a parameter's row touches the open clause; some such types break an error clause as well."""
    counted: dict[str, int] = {}
    for each in breaks(clause_id, "equal shapes"):
        names = sorted(broken(OPERATOR, each.call))
        counted[names[0] if names else ""] = counted.get(names[0] if names else "", 0) + 1
        assert not rule_of(OPERATOR.clause(clause_id)).holds(OPERATOR.facts(each.call))
    assert counted == also


def test_a_break_by_aliasing_names_what_is_shared() -> None:
    """A TensorDesc has no memory, so the break says which parameter shares whose, and takes that one's shape."""
    found = breaks("aliasing", "broadcast")
    assert [(each.slug, dict(each.alias)) for each in found] == [
        ("gradInput-is-gradOutput", {"gradInput": "gradOutput"}),
        ("gradInput-is-self", {"gradInput": "self"}),
        ("gradInput-is-target", {"gradInput": "target"}),
    ]
    assert [desc(each.call, "gradInput").shape for each in found] == [(4, 3), (1, 3), (4, 1)]


def test_aliasing_is_sharing_a_storage() -> None:
    """Only the very same storage is shared memory; descriptions without one, and nulls, share nothing."""
    rule = rule_of(OPERATOR.clause("aliasing"))
    storage, other = bytearray(24), bytearray(24)

    def holds(output: object, grad: object) -> bool:
        plain = SimpleNamespace(storage=bytearray(24))
        return rule.holds(OPERATOR.facts({"gradInput": output, "gradOutput": grad, "self": plain, "target": None}))

    assert holds(SimpleNamespace(storage=storage), SimpleNamespace(storage=other))
    assert holds(tensor(), tensor())
    assert holds(None, None)
    assert not holds(SimpleNamespace(storage=storage), SimpleNamespace(storage=storage))


def test_reductions_that_turn_good_when_bits_are_lost() -> None:
    """Among the wrong values are those that 8, 16 or 32 bits, signed or not, would take for a right one."""
    values = {each.call["reduction"] for each in breaks("reduction", "equal shapes")}
    assert {-1, 3, 4, 256, 257, 258, 65536, 65537, 65538, 2**32, 2**32 + 1, 2**32 + 2} <= values
    assert {-(2**32), 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)} <= values
    assert values.isdisjoint({0, 1, 2})


TEXTS: dict[str, tuple[dict[str, Any], Text, Text]] = {
    "nullptr": (
        {"self": None, "gradInput": None},
        Text(
            zh="gradOutput、self、target、gradInput 不得为空指针",
            en="gradOutput, self, target and gradInput must not be null",
        ),
        Text(zh="self、gradInput 为空指针", en="self and gradInput are null"),
    ),
    "null_handles": (
        {"executor": None},
        Text(zh="workspaceSize、executor 不得为空指针", en="workspaceSize and executor must not be null"),
        Text(zh="executor 为空指针", en="executor is null"),
    ),
    "deducible": (
        {"target": tensor("UINT16")},
        Text(
            zh="gradOutput、self、target 的数据类型可推导出公共类型",
            en="the types of gradOutput, self and target have a common type",
        ),
        Text(zh="FLOAT、FLOAT、UINT16 之间无法推导", en="FLOAT, FLOAT and UINT16 have no common type"),
    ),
    "supported": (
        {"self": tensor("DOUBLE")},
        Text(
            zh="gradOutput、self、target 推导出的类型属于 FLOAT、FLOAT16、BFLOAT16",
            en="the common type of gradOutput, self and target is FLOAT, FLOAT16 or BFLOAT16",
        ),
        Text(zh="推导结果为 DOUBLE", en="the common type is DOUBLE"),
    ),
    "castable": (
        {"gradInput": tensor("INT32"), "self": None},
        Text(
            zh="gradOutput、self、target 推导出的类型可转换为 gradInput 的数据类型",
            en="the common type of gradOutput, self and target can be cast to gradInput's type",
        ),
        Text(zh="FLOAT 不能转换为 INT32", en="FLOAT cannot be cast to INT32"),
    ),
    "broadcastable": (
        {"target": tensor(shape=(2, 4)), "gradOutput": None},
        Text(
            zh="gradOutput、self、target 的形状可以一起广播",
            en="the shapes of gradOutput, self and target broadcast together",
        ),
        Text(zh="[2, 3]、[2, 4] 之间无法广播", en="[2, 3] and [2, 4] do not broadcast together"),
    ),
    "max_rank": (
        {"self": tensor(shape=(1,) * 9), "target": tensor(shape=(1,) * 10)},
        Text(
            zh="gradOutput、self、target 不超过 8 维",
            en="gradOutput, self and target have at most 8 dimensions",
        ),
        Text(zh="self 有 9 维、target 有 10 维", en="self has 9 dimensions and target has 10 dimensions"),
    ),
    "max_rank_output": (
        {"gradInput": tensor(shape=(1,) * 9)},
        Text(zh="gradInput 不超过 8 维", en="gradInput has at most 8 dimensions"),
        Text(zh="gradInput 有 9 维", en="gradInput has 9 dimensions"),
    ),
    "output_shape": (
        {"gradInput": tensor(shape=(3,))},
        Text(
            zh="gradInput 的形状等于 gradOutput、self、target 广播后的形状",
            en="gradInput has the broadcast shape of gradOutput, self and target",
        ),
        Text(zh="得到 [3]，广播后为 [2, 3]", en="[3], the broadcast shape is [2, 3]"),
    ),
    "reduction": (
        {"reduction": -1},
        Text(zh="reduction 取 0、1、2 之一", en="reduction is 0, 1 or 2"),
        Text(zh="reduction=-1", en="reduction=-1"),
    ),
    "rank_0": (
        {"self": tensor(shape=())},
        Text(
            zh="gradOutput、self、target、gradInput 至少 1 维",
            en="gradOutput, self, target and gradInput have at least 1 dimension",
        ),
        Text(zh="self 为 0 维", en="self has 0 dimensions"),
    ),
    "integer_mix": (
        {"self": tensor("INT32"), "target": tensor("BOOL")},
        Text(
            zh="gradOutput、self、target 的数据类型为 FLOAT、FLOAT16、BFLOAT16",
            en="the type of gradOutput, self and target is FLOAT, FLOAT16 or BFLOAT16",
        ),
        Text(zh="self=INT32、target=BOOL", en="self=INT32 and target=BOOL"),
    ),
    "wide_output": (
        {"gradInput": tensor("DOUBLE")},
        Text(
            zh="gradInput 的数据类型为 FLOAT、FLOAT16、BFLOAT16",
            en="the type of gradInput is FLOAT, FLOAT16 or BFLOAT16",
        ),
        Text(zh="gradInput=DOUBLE", en="gradInput=DOUBLE"),
    ),
    "bfloat16_products": (
        {"self": tensor("BFLOAT16")},
        Text(
            zh="gradOutput、self、target、gradInput 的数据类型不是 BFLOAT16",
            en="the type of gradOutput, self, target and gradInput is not BFLOAT16",
        ),
        Text(zh="self=BFLOAT16", en="self=BFLOAT16"),
    ),
    "other_formats": (
        {"self": tensor(layout="NC")},
        Text(
            zh="gradOutput、self、target、gradInput 的数据格式为 ND",
            en="the format of gradOutput, self, target and gradInput is ND",
        ),
        Text(zh="self=NC", en="self=NC"),
    ),
}


@pytest.mark.parametrize("clause_id", TEXTS)
def test_a_rule_says_what_must_hold_and_what_it_found(clause_id: str) -> None:
    """Both sentences name the parameters, the types, the shapes and the values of the call."""
    changes, explained, found = TEXTS[clause_id]
    rule, facts = rule_of(OPERATOR.clause(clause_id)), OPERATOR.facts({**BASES["equal shapes"], **changes})
    assert not rule.holds(facts)
    assert (rule.explain(), rule.found(facts)) == (explained, found)


def test_the_rule_on_memory_says_what_is_shared() -> None:
    """The found sentence names every input whose storage the output has."""
    rule, shared = rule_of(OPERATOR.clause("aliasing")), SimpleNamespace(storage=bytearray(4))
    facts = OPERATOR.facts({"gradInput": shared, "gradOutput": shared, "self": shared, "target": None})
    assert rule.explain() == Text(
        zh="gradInput 与 gradOutput、self、target 不共用内存",
        en="gradInput shares no memory with gradOutput, self or target",
    )
    assert rule.found(facts) == Text(
        zh="gradInput 与 gradOutput 共用内存、gradInput 与 self 共用内存",
        en="gradInput shares gradOutput's memory and gradInput shares self's memory",
    )


def test_several_possible_types_are_all_named() -> None:
    """Where a null leaves the common type open, the found sentence lists what it could be."""
    facts = OPERATOR.facts({**BASES["equal shapes"], "gradOutput": tensor("DOUBLE"), "self": None})
    assert rule_of(OPERATOR.clause("supported")).found(facts).en == "the common type is DOUBLE"
    halves = {"gradOutput": None, "self": tensor("FLOAT16"), "target": None, "gradInput": tensor("INT8")}
    found = rule_of(OPERATOR.clause("castable")).found(OPERATOR.facts({**BASES["equal shapes"], **halves}))
    assert found == Text(zh="FLOAT、FLOAT16 不能转换为 INT8", en="FLOAT or FLOAT16 cannot be cast to INT8")


REASONS = {
    "nullptr": ("gradOutput 为空指针", "gradOutput is null"),
    "deducible": (
        "gradOutput 为 UINT16，与 FLOAT、FLOAT 无法推导",
        "gradOutput is UINT16, which has no common type with FLOAT and FLOAT",
    ),
    "supported": (
        "gradOutput、self、target 为 INT8，推导结果 INT8 不受支持",
        "gradOutput, self and target are INT8: the common type INT8 is not supported",
    ),
    "castable": (
        "结果类型 FLOAT 不能转换为 gradInput 的 INT8",
        "the result is FLOAT, which cannot be cast to gradInput's INT8",
    ),
    "broadcastable": (
        "gradOutput 的形状 [2, 4] 与 [2, 3]、[2, 3] 无法广播",
        "gradOutput's shape [2, 4] does not broadcast with [2, 3] and [2, 3]",
    ),
    "max_rank": ("gradOutput、self、target 有 9 维", "gradOutput, self and target have 9 dimensions"),
    "output_shape": ("gradInput 的形状为 [1, 2, 3]，应为 [2, 3]", "gradInput's shape is [1, 2, 3] where [2, 3] is due"),
    "reduction": ("reduction 为 -9223372036854775808", "reduction is -9223372036854775808"),
    "rank_0": ("gradOutput、self、target、gradInput 为 0 维", "gradOutput, self, target and gradInput have rank 0"),
    "integer_mix": ("gradOutput 为 INT8", "gradOutput is INT8"),
    "bfloat16_products": ("全部张量为 BFLOAT16", "all tensors are BFLOAT16"),
    "other_formats": ("全部张量的数据格式为 NC", "all tensors have format NC"),
    "aliasing": ("gradInput 与 gradOutput 共用内存", "gradInput shares gradOutput's memory"),
}


@pytest.mark.parametrize("clause_id", REASONS)
def test_a_break_says_why_it_is_one(clause_id: str) -> None:
    """A case's reason is that of the break it is made from."""
    reason = breaks(clause_id, "equal shapes")[0].reason
    assert (reason.zh, reason.en) == REASONS[clause_id]


def test_rules_and_schema_agree() -> None:
    """Each kind of rule has an entry in the schema with exactly the fields of its class, and no entry is left over."""
    definitions = load_schemas().documents["operator"]["$defs"]
    entries = {
        name.removeprefix("rule_"): set(schema["properties"]) - {"kind"}
        for name, schema in definitions.items()
        if name.startswith("rule_")
    }
    assert entries == {kind: {field.name for field in fields(cls)} for kind, cls in RULES.items()}  # type: ignore[arg-type]


def test_a_rule_is_built_from_its_json() -> None:
    """Lists become tuples, so that a rule can be compared and cannot be changed."""
    rule = rule_from({"kind": "max_rank", "on": ["x", "y"], "rank": 8})
    assert rule == RULES["max_rank"](on=("x", "y"), rank=8)  # type: ignore[call-arg]
    assert (rule.kind, rule.on) == ("max_rank", ("x", "y"))  # type: ignore[attr-defined]


def test_changing_a_call() -> None:
    """Fields change in a copy that is densely packed again, an argument may be replaced, and a null stays null."""
    base: Call = {
        "x": TensorDesc(dtype="FLOAT", shape=(2, 3), strides=(6, 2), offset=1, storage_shape=(13,)),
        "y": None,
    }
    changed = changed_call(base, x={"shape": (4,)}, y={"dtype": "INT8"}, z=3)
    assert changed == {"x": TensorDesc(dtype="FLOAT", shape=(4,)), "y": None, "z": 3}
    with pytest.raises(TypeError, match=r"^y: a good call has a tensor here, found None$"):
        desc(base, "y")


def test_a_bare_rule_does_nothing() -> None:
    """The base class only names what a kind must offer."""
    facts, rule = OPERATOR.facts({}), Rule()
    for use in (
        lambda: rule.holds(facts),
        rule.explain,
        lambda: rule.found(facts),
        lambda: rule.breaks({}, facts.tables),
    ):
        with pytest.raises(NotImplementedError):
            use()

"""The quick check says yes exactly when the rules, one by one, find nothing broken and nothing null."""

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aclnn_spec.spec.model import DType, TensorDesc
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.quick import Quick, quick_check
from aclnn_spec.spec.read import load_spec
from aclnn_spec.spec.rules import RULES, Condition, Rule, When, rule_from
from aclnn_spec.spec.tables import Tables, broadcast

OPERATOR = load_spec().operator("aclnnL1LossBackward")
TABLES = OPERATOR.tables
TENSORS = ("gradOutput", "self", "target", "gradInput")
TABLE_DTYPES = sorted({str(row) for row, _ in TABLES.deduction})
FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")
SHAPES = ((), (1,), (3,), (2, 3), (2, 1), (1, 3), (3, 2), (0, 3), (2, 0), (4, 2, 3), (1,) * 7 + (3,), (1,) * 8 + (3,))
REALS = (1.0, 0.0, -0.0, 0.5, 1e-45, -1e-46, -1.0, math.inf, -math.inf, math.nan)
REDUCTIONS = (0, 1, 2, 3, -1, 257, 2**32, 2**31 - 1, 2**63 - 1, -(2**63), 2**63, True, 1.0, None, "1")


def rules_of(operator: Operator) -> list[Rule]:
    """Give the rules of the error clauses."""
    return [clause.rule for clause in operator.clauses if clause.outcome == "error" and clause.rule]


def quick_of(operator: Operator, tables: Tables) -> Quick:
    """Compile the operator's rules with these tables."""
    tensors = [each.name for each in operator.parameters if each.kind == "tensor"]
    attributes = {each.name: each.kind for each in operator.parameters if each.kind != "tensor"}
    return quick_check(tensors, attributes, rules_of(operator), tables)


def is_good(arguments: dict[str, Any], operator: Operator = OPERATOR) -> bool:
    """Ask the rules one by one; a handle among the arguments is null, and a null makes no good call."""
    if None in arguments.values() or type(arguments["reduction"]) is not int:
        return False
    facts = operator.facts(arguments)
    return all(rule.holds(facts) for rule in rules_of(operator))


def drawing() -> random.Random:
    """Give a source of random numbers that is the same in each run."""
    return random.Random(20260)  # noqa: S311  # nothing here is secret


def random_call(source: random.Random, operator: Operator = OPERATOR) -> dict[str, Any]:
    """Draw a call that is good about one time in four, and wrong in any of the ways there are."""
    tensors: dict[str, Any] = {}
    few = source.random() < 0.6
    pool = [source.choice(SHAPES)] if few else [*SHAPES]
    kinds = FLOATS if source.random() < 0.6 else TABLE_DTYPES
    *inputs, output = (parameter.name for parameter in operator.parameters if parameter.role != "attribute")
    for name in (*inputs, output):
        shape = source.choice(SHAPES) if source.random() < 0.1 else source.choice(pool)
        dtype = source.choice(TABLE_DTYPES) if source.random() < 0.1 else source.choice(kinds)
        tensors[name] = None if source.random() < 0.04 else TensorDesc(dtype=dtype, shape=shape)
    common = broadcast(tensors[name].shape for name in inputs if tensors[name] is not None)
    tensors["reduction"] = source.choice(REDUCTIONS[:3] if source.random() < 0.8 else REDUCTIONS)
    if tensors[output] is not None and common is not None and source.random() < 0.7:
        shape = common if operator.output.reduced is None or tensors["reduction"] == 0 else ()
        tensors[output] = replace(tensors[output], shape=shape, strides=None, storage_shape=None)
    for name in (parameter.name for parameter in operator.parameters if parameter.kind == "float"):
        tensors[name] = source.choice(REALS[:4] if source.random() < 0.7 else REALS)
    for handle in ("workspaceSize", "executor"):
        if source.random() < 0.03:
            tensors[handle] = None
    return tensors


def test_the_quick_answer_is_that_of_the_rules() -> None:
    """In twenty thousand drawn calls, good and bad in every way, both say the same."""
    source, quick, seen = drawing(), quick_of(OPERATOR, TABLES), Counter[bool]()
    for _ in range(20_000):
        arguments = random_call(source)
        good = is_good(arguments)
        assert (quick(arguments), arguments) == (good, arguments)
        seen[good] += 1
    assert min(seen[True], seen[False]) > 3_000


@pytest.mark.parametrize("name", [name for name in load_spec().operators if name != OPERATOR.name])
def test_the_quick_answer_of_every_operator(name: str) -> None:
    """The same of drawn calls of the others, whose rules are of more kinds; every error clause is broken many times."""
    operator, source, seen = load_spec().operator(name), drawing(), Counter[str]()
    quick = quick_of(operator, operator.tables)
    for _ in range(4_000):
        arguments = random_call(source, operator)
        good = is_good(arguments, operator)
        assert (quick(arguments), arguments) == (good, arguments)
        seen["good"] += good
        if type(arguments["reduction"]) is int and abs(arguments["reduction"]) < 2**63:
            seen.update(clause.id for clause in operator.validate(arguments).broken)
    errors = {clause.id for clause in operator.clauses if clause.outcome == "error" and clause.rule}
    assert {clause for clause, count in seen.items() if count > 20} == {*errors, "good"}


def test_every_clause_is_met_in_the_drawn_calls() -> None:
    """The draws break each error clause many times, so that the comparison is about all of them."""
    source, seen = drawing(), Counter[str]()
    for _ in range(4_000):
        arguments = random_call(source)
        if type(arguments["reduction"]) is int and abs(arguments["reduction"]) < 2**63:
            seen.update(clause.id for clause in OPERATOR.validate(arguments).broken)
    errors = {clause.id for clause in OPERATOR.clauses if clause.outcome == "error" and clause.rule}
    assert {name for name, count in seen.items() if count > 20} == errors


def test_all_types_with_all_types() -> None:
    """Each of the 4096 triples of input types, with each of three outputs, gets the rules' answer."""
    quick = quick_of(OPERATOR, TABLES)
    packed = {name: TensorDesc(dtype=name, shape=(2, 3)) for name in TABLE_DTYPES}
    good = 0
    for a in TABLE_DTYPES:
        for b in TABLE_DTYPES:
            for c in TABLE_DTYPES:
                for output in ("FLOAT16", "COMPLEX64", "INT8"):
                    arguments = dict(zip(TENSORS, map(packed.get, (a, b, c, output)), strict=True)) | {"reduction": 0}
                    answer = is_good(arguments)
                    assert (quick(arguments), a, b, c, output) == (answer, a, b, c, output)
                    good += answer
    # Three floats and six integer types go together, unless all are integers; FLOAT16 and COMPLEX64 can hold it.
    assert good == 2 * (9**3 - 6**3)


shapes = st.lists(st.integers(0, 4), max_size=9).map(tuple)
descs = st.none() | st.builds(
    TensorDesc, dtype=st.sampled_from(TABLE_DTYPES), shape=shapes, format=st.sampled_from(list(TABLES.formats))
)
integers = st.integers(-(2**63), 2**63 - 1) | st.integers(-1, 4)


@settings(max_examples=400, deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(TENSORS, descs) | {"reduction": integers}))
def test_the_quick_answer_for_any_shapes(arguments: dict[str, Any]) -> None:
    """Whatever the shapes, types and formats, the quick check says what the rules say."""
    assert quick_of(OPERATOR, TABLES)(arguments) == is_good(arguments)


@settings(max_examples=400, deadline=None)
@given(st.lists(shapes, min_size=3, max_size=3), st.data())
def test_the_quick_answer_for_broadcast_shapes(inputs: list[tuple[int, ...]], data: st.DataObject) -> None:
    """The output's shape is that of the broadcast, or near it, so that the last rule decides."""
    tensors = {n: TensorDesc(dtype="FLOAT", shape=s) for n, s in zip(TENSORS, inputs, strict=False)}
    shape = OPERATOR.facts(tensors).broadcast(TENSORS[:3])[0] or ()
    near = data.draw(st.sampled_from([shape, (1, *shape), shape[1:], shape[::-1]]))
    arguments = tensors | {"gradInput": TensorDesc(dtype="FLOAT", shape=near), "reduction": 2}
    assert quick_of(OPERATOR, TABLES)(arguments) == is_good(arguments)


def with_deduction(pair: tuple[str, str], common: str | None) -> Tables:
    """Give the tables with one cell of the deduction table changed."""
    changed: dict[tuple[str, str], DType | None] = dict(TABLES.deduction)
    changed[pair] = None if common is None else TABLES.dtypes[common]
    return replace(TABLES, deduction=MappingProxyType(changed))


@pytest.mark.parametrize(
    "tables",
    [
        with_deduction(("FLOAT", "FLOAT16"), "DOUBLE"),
        with_deduction(("FLOAT", "FLOAT16"), None),
        with_deduction(("FLOAT16", "BFLOAT16"), "INT32"),
        with_deduction(("FLOAT", "UINT16"), "FLOAT"),
        replace(TABLES, casting=MappingProxyType({**TABLES.casting, "float": frozenset({"float", "int"})})),
        replace(TABLES, casting=MappingProxyType({**TABLES.casting, "float": frozenset({"complex"})})),
    ],
    ids=["wider", "none", "integer", "one too many", "cast too many", "cast missing"],
)
def test_a_wrong_table_is_noticed(tables: Tables) -> None:
    """Planted in the quick check alone, a wrong cell makes it disagree: the comparison above can fail."""
    source, quick = drawing(), quick_of(OPERATOR, tables)
    calls = [random_call(source) for _ in range(20_000)]
    assert sum(quick(arguments) != is_good(arguments) for arguments in calls) > 0


@pytest.mark.parametrize("clause_id", [c.id for c in OPERATOR.clauses if c.outcome == "error" and c.rule])
def test_a_lost_rule_is_noticed(clause_id: str) -> None:
    """Without one of the rules the quick check lets bad calls pass, but for nulls, which it never lets pass."""
    left = [c.rule for c in OPERATOR.clauses if c.outcome == "error" and c.rule and c.id != clause_id]
    source, quick = drawing(), quick_check(TENSORS, {"reduction": "int64"}, left, TABLES)
    wrong = sum(quick(arguments) != is_good(arguments) for arguments in (random_call(source) for _ in range(20_000)))
    # Whoever breaks one of these breaks another as well: no common type is none of the supported ones, no broadcast
    # shape is no output's shape, and inputs of 9 dimensions have an output of 9, or one of the wrong shape.
    entailed = {"nullptr", "null_handles", "deducible", "broadcastable", "max_rank", "max_rank_output"}
    assert (wrong > 0) == (clause_id not in entailed)


GOOD = {name: TensorDesc(dtype="FLOAT", shape=(2, 3)) for name in TENSORS} | {"reduction": 1}


def foreign(**changes: Any) -> SimpleNamespace:
    """Give something that looks like a good tensor but for the changes."""
    return SimpleNamespace(**{"dtype": "FLOAT", "shape": (2, 3), "format": "ND"} | changes)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        None,
        7,
        [1, 2, 3, 4, 5],
        {**GOOD, "out": None},
        {**GOOD, "executor": None},
        {**GOOD, "self": None},
        {**GOOD, "self": 1.5},
        {**GOOD, "self": foreign(dtype=["FLOAT"])},
        {**GOOD, "self": foreign(dtype="FLOAT32")},
        {**GOOD, "self": foreign(shape=[2, 3])},
        {**GOOD, "self": foreign(format="NX")},
        {**GOOD, "self": foreign(format=["ND"])},
        dict.fromkeys(TENSORS, foreign(shape=[2, 3])) | {"reduction": 1},
        {**GOOD, "reduction": True},
        {**GOOD, "reduction": 1.0},
        {**GOOD, "reduction": [1]},
        {name: value for name, value in GOOD.items() if name != "reduction"} | {"Reduction": 1},
    ],
)
def test_what_is_no_good_call_is_not_passed(arguments: Any) -> None:
    """The quick check raises nothing and passes nothing that it is not sure of."""
    assert quick_of(OPERATOR, TABLES)(arguments) is False


def test_what_looks_like_a_tensor_is_passed() -> None:
    """A tensor is whatever has a dtype, a shape and a format."""
    assert quick_of(OPERATOR, TABLES)({**GOOD, "self": foreign(), "gradInput": foreign(format="NCHW")}) is True


def one_rule(data: dict[str, Any]) -> Callable[[dict[str, Any]], tuple[bool, bool]]:
    """Give a function that asks the quick form of a single rule, and the rule itself."""
    rule = rule_from({key: value for key, value in data.items() if key != "when"})
    if "when" in data:
        rule = When(rule=rule, when=(Condition(name="n", numbers=tuple(data["when"]), words=("some",)),))
    quick = quick_check(("a", "b"), {"n": "int64", "x": "float"}, [rule], TABLES)

    def answers(arguments: dict[str, Any]) -> tuple[bool, bool]:
        return quick(arguments), rule.holds(OPERATOR.facts(arguments))

    return answers


RULE_DATA: list[dict[str, Any]] = [
    {"kind": "deducible", "on": ["a", "b"]},
    {"kind": "deducible", "on": ["a"]},
    {"kind": "deduced_in", "on": ["a", "b"], "dtypes": ["FLOAT", "INT8"]},
    {"kind": "castable", "of": ["a"], "to": "b"},
    {"kind": "broadcastable", "on": ["a", "b"]},
    {"kind": "max_rank", "on": ["a", "b"], "rank": 1},
    {"kind": "min_rank", "on": ["a", "b"], "rank": 1},
    {"kind": "shape_is_broadcast", "of": ["a"], "on": ["b"]},
    {"kind": "one_of", "on": ["n"], "values": [0, 2]},
    {"kind": "one_of", "on": ["n"], "values": [1]},
    {"kind": "dtype_in", "on": ["a", "b"], "dtypes": ["FLOAT"]},
    {"kind": "dtype_not_in", "on": ["a", "b"], "dtypes": ["FLOAT"]},
    {"kind": "format_in", "on": ["a", "b"], "formats": ["ND"]},
    {"kind": "shape_is", "on": ["a"], "shape": [4]},
    {"kind": "same_dtype", "on": ["a", "b"]},
    {"kind": "not_both", "one": "a", "one_dtypes": ["INT8"], "other": "b", "other_dtypes": ["FLOAT", "UINT16"]},
    {"kind": "at_least", "on": ["x"], "value": 0},
    {"kind": "finite", "on": ["x"]},
    {"kind": "max_rank", "on": ["a"], "rank": 0, "when": [1, 2]},
]


@pytest.mark.parametrize("data", RULE_DATA, ids=lambda data: data["kind"])
def test_the_quick_form_of_each_kind(data: dict[str, Any]) -> None:
    """An error clause may have a rule of any kind, and its quick form is as strict as the rule."""
    answers, seen = one_rule(data), set()
    tensors = [
        TensorDesc(dtype=dtype, shape=shape, format=layout)
        for dtype in ("FLOAT", "INT8", "UINT16", "HIFLOAT8")
        for shape in ((), (4,), (2, 3), (2, 1))
        for layout in ("ND", "NC")
    ]
    for a in tensors:
        for b in tensors:
            for n in (0, 1, 2):
                x = (1.5, math.nan, -1e-50, -1, math.inf, 10**400, 0)[(len(a.shape) + 2 * len(b.shape) + n) % 7]
                quick, rule = answers({"a": a, "b": b, "n": n, "x": x})
                # Types without a common one do not break a rule on the common type, but are no good call either.
                undecided = data["kind"] in ("deduced_in", "castable") and not TABLES.deduce(
                    {"a": a, "b": b}[name].dtype for name in data.get("on") or data["of"]
                )
                assert quick == (rule and not undecided)
                seen.add(quick)
    assert seen == {True, False}


def test_kinds_without_a_quick_form_go_the_long_way() -> None:
    """Shared memory, and any kind still to come, is never passed in haste: the rules themselves decide."""
    known = {data["kind"] for data in RULE_DATA} | {"not_null", "no_alias"}
    assert known == set(RULES)
    a, b = TensorDesc(dtype="FLOAT", shape=()), TensorDesc(dtype="FLOAT", shape=())
    assert one_rule({"kind": "no_alias", "on": ["a"], "of": ["b"]})({"a": a, "b": b, "n": 0}) == (False, True)


def test_parameters_may_have_any_name() -> None:
    """Names that mean something in Python, or to the quick check itself, are names like others."""
    names = ("lambda", "type", "len", "arguments", "deduction", "broadcast", "in")
    rules = [
        rule_from({"kind": "deduced_in", "on": list(names), "dtypes": ["FLOAT"]}),
        rule_from({"kind": "broadcastable", "on": list(names)}),
    ]
    quick = quick_check(names, {"None": "int64"}, rules, TABLES)
    good: dict[str, Any] = {name: TensorDesc(dtype="FLOAT", shape=(2, 3)) for name in names} | {"None": 0}
    assert quick(good) is True
    assert quick({**good, "len": TensorDesc(dtype="FLOAT", shape=(4,))}) is False


def test_no_rules_at_all() -> None:
    """An operator without error clauses passes every call that has its arguments."""
    quick = quick_check(("a",), {}, [], TABLES)
    assert (quick({"a": TensorDesc(dtype="INT8", shape=())}), quick({"a": None}), quick({})) == (True, False, False)

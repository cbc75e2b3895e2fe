"""The runner and the judge: what they condemn, what they let pass, and what they say."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aclnn_spec.certification.entry import Entry, explain
from aclnn_spec.certification.fault import KINDS, LONGEST, fault
from aclnn_spec.certification.implementation import PhaseOne, from_function
from aclnn_spec.certification.memory import GUARD, fresh
from aclnn_spec.certification.runner import in_scope, run_case
from aclnn_spec.golden.case import Case, Outcome, Tolerance
from aclnn_spec.golden.tensor import CANARY, Tensor
from aclnn_spec.implementations.numpy_reference import NumpyImplementation
from aclnn_spec.spec.errors import InputError
from miniatures import (
    AGAIN,
    BASIC,
    CASES,
    CROSSED,
    EMPTY,
    GRAD,
    LAYOUT,
    MEAN,
    NAME,
    NULL,
    ON_THE_WAY,
    OPERATOR,
    OTHER,
    RANK_0,
    REDUCTION,
    RIGHT,
    RIGHT_ONES,
    SELF,
    SPEC,
    SUBNORMAL,
    TARGET,
    WRONG_ONES,
    Accumulates,
    Flushing,
    LastCallOnly,
    MeanBySelf,
    RefusesRank0,
    Right,
    ScaleFirst,
    WrongSign,
    call,
    case,
    output,
    partner_of,
    refused,
    tensor,
)


def run(one: Case, implementation: Any, **options: Any) -> Entry:
    """Run a case with the partner it names."""
    return run_case(one, implementation, operator=OPERATOR, partner=partner_of(one), **options)


@pytest.mark.parametrize("made", RIGHT_ONES)
@pytest.mark.parametrize("one", CASES, ids=lambda one: one.id)
def test_right_implementations_pass(made: Any, one: Case) -> None:
    """A right implementation passes every case, whatever freedom it takes."""
    assert run(one, made()).faults == ()


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.id)
def test_reference_passes(one: Case) -> None:
    """The reference behind the two-phase call passes every case."""
    assert run(one, NumpyImplementation(SPEC)).verdict == "pass"


@pytest.mark.parametrize(("made", "kind"), WRONG_ONES)
def test_wrong_implementations_fail(made: Any, kind: str) -> None:
    """Every wrong implementation fails a case, with the kind of fault that names its mistake."""
    implementation = made()
    entries = [run(one, implementation) for one in CASES]
    assert kind in {each.kind for entry in entries if entry.verdict == "fail" for each in entry.faults}


@pytest.mark.parametrize(("made", "kind"), WRONG_ONES)
def test_wrong_implementations_show_no_other_fault(made: Any, kind: str) -> None:
    """A wrong implementation is blamed for its own mistake alone, and for what that entails."""
    implementation = made()
    entries = [run(one, implementation) for one in CASES]
    also = {Accumulates: {"not_repeatable"}, LastCallOnly: {"stray_write"}}.get(made, set())
    assert {each.kind for entry in entries for each in entry.faults} == {kind} | also


class Early(Right):
    """Computes in phase 1 already."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        if not found.status:
            self.store(arguments["gradInput"], self.compute(arguments))
        return found


class Scribbles(Right):
    """Clears the output of a call that it refuses."""

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        if found.status:
            self.store(arguments["gradInput"], np.zeros((), np.float32))
        return found


@pytest.mark.parametrize(("made", "one"), [(Early, BASIC), (Early, CROSSED), (Scribbles, REDUCTION)])
def test_phase_one_writes_no_output(made: Any, one: Case) -> None:
    """What phase 1 writes to the output is a stray write, whether the call goes on or is refused."""
    entry = run(one, made())
    assert (entry.verdict, {each.kind for each in entry.faults}) == ("fail", {"stray_write"})
    assert entry.faults[0].message.en == "phase 1 wrote gradInput"


class Exchanges(Right):
    """Runs in phase 2 the call that was started last, and forgets it."""

    def __init__(self) -> None:
        self.started: list[Any] = []

    def get_workspace_size(self, operator: str, arguments: Any) -> Any:
        found = super().get_workspace_size(operator, arguments)
        self.started.append(arguments)
        return found

    def execute(self, operator: str, phase_one: PhaseOne) -> Any:
        return super().execute(operator, PhaseOne(phase_one.status, 0, self.started.pop()))


def test_phase_two_writes_its_own_output() -> None:
    """Two executors that exchange their calls are found out though both results are right in the end."""
    entry = run(CROSSED, Exchanges())
    assert [each.message.en for each in entry.faults] == [
        "partner aclnnL1LossBackward/basic/other: phase 2 of the other executor wrote gradInput"
    ]


def test_statuses_of_each_call() -> None:
    """An entry lists the statuses of both phases for each call; a refusal ends after phase 1."""
    statuses = [run(one, Right()).statuses for one in (BASIC, CROSSED, NULL, REDUCTION)]
    assert statuses == [((0, 0), (0, 0)), ((0, 0),), ((161001,), (161001,)), ((161002,), (161002,))]


def test_once_is_called_once() -> None:
    """A case in the order `once` makes one call."""
    assert run(replace(BASIC, order="once"), Right()).statuses == ((0, 0),)


def test_largest_error_is_recorded() -> None:
    """The entry holds the largest error of a right result, in ULP."""
    assert run(MEAN, Right()).ulp == 0
    assert run(replace(MEAN, expected=tensor(np.full((3, 2), 0.83333325))), ScaleFirst()).ulp in (1, 2)


def test_value_message_tells_where_and_what() -> None:
    """A value fault names the element, what went in, what was expected, what came out and how far off."""
    (found,) = run(BASIC, WrongSign()).faults
    count, first, worst = found.message.en.splitlines()
    assert count == "3 of 4 elements are wrong"
    assert first == (
        "first [0]: gradOutput=1.5, self=1.0, target=2.0, reduction=2 -> expected -1.5, got 1.5, "
        "2139095040 ULP off, 0 ULP allowed"
    )
    assert worst == (
        "worst [3]: gradOutput=4.0, self=4.0, target=0.0, reduction=2 -> expected 4.0, got -4.0, "
        "2164260864 ULP off, 0 ULP allowed"
    )


def test_value_message_broadcasts_the_inputs() -> None:
    """The inputs' values at a wrong element are those that broadcast there."""
    grad, one = np.arange(6.0).reshape(3, 2), [[1.0], [2.0], [3.0]]
    wrong = case("broadcast/at", call(grad, one, [0.0, 0.0]), [[0, 1], [2, 3], [4, 6]])
    (found,) = run(wrong, Right()).faults
    assert "[2, 1]: gradOutput=5.0, self=3.0, target=0.0" in found.message.en
    assert "1 of 6 elements is wrong" in found.message.en


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_infinite_distance_is_said_so(value: float) -> None:
    """A number where NaN or infinity is expected is infinitely far off."""
    (found,) = run(case("special/x", call([1.0], [1.0], [0.0]), [value]), Right()).faults
    assert "∞ ULP off" in found.message.en


def test_untouched_output_is_wrong() -> None:
    """An implementation that writes nothing leaves canary, which is no right value."""
    lazy = from_lambda(lambda *_: PhaseOne(0, 0, None), lambda *_: 0)
    assert [each.kind for each in run(BASIC, lazy).faults] == ["value"]


def from_lambda(first: Any, second: Any) -> Any:
    """An implementation of two functions."""
    return SimpleNamespace(name="two", version="1", operators=(NAME,), get_workspace_size=first, execute=second)


@pytest.mark.parametrize("status", [0.0, False, "0", None, 2**31, np.float32(0), np.True_])
def test_status_of_a_wrong_type(status: Any) -> None:
    """A status must be an integer of 32 bits; floats, booleans and texts are none."""
    found = run(BASIC, from_lambda(lambda *_: PhaseOne(status, 0, None), lambda *_: 0)).faults
    assert [each.kind for each in found] == ["wrong_type"]


def test_numpy_integers_are_statuses() -> None:
    """A status may come as NumPy's integer."""
    code = np.int32(161001)
    assert run(NULL, from_lambda(lambda *_: PhaseOne(code, np.uint64(0), None), lambda *_: 0)).verdict == "pass"


@pytest.mark.parametrize("size", [1.0, None, "0", True])
def test_workspace_of_a_wrong_type(size: Any) -> None:
    """A workspace size must be an integer."""
    found = run(BASIC, from_lambda(lambda *_: PhaseOne(0, size, None), lambda *_: 0)).faults
    assert "wrong_type" in [each.kind for each in found]


@pytest.mark.parametrize(("size", "kinds"), [(-1, ["workspace"]), (2**30, []), (2**30 + 5000, ["workspace"])])
def test_workspace_limits(size: int, kinds: list[str]) -> None:
    """A workspace size lies between 0 and 2^30 plus 64 bytes for each byte of the tensors."""

    class Asks(Right):
        def get_workspace_size(self, operator: str, arguments: Any) -> Any:
            return replace(super().get_workspace_size(operator, arguments), workspace_size=size)

    assert [each.kind for each in run(BASIC, Asks()).faults] == kinds


def test_exception_names_its_line() -> None:
    """A fault `raised` holds the last line of the traceback and the place it came from."""

    def fail(*_: Any) -> None:
        raise ZeroDivisionError("no such thing")

    (found,) = run(BASIC, from_lambda(fail, fail)).faults
    assert found.kind == "raised"
    assert "ZeroDivisionError: no such thing (" in found.message.en
    assert "test_runner.py:" in found.message.en


def test_any_text_of_an_exception_can_be_kept() -> None:
    """Half characters and endless texts do not keep a fault out of the certificate."""

    def fail(*_: Any) -> None:
        raise ValueError("\udc80" + "x" * 10_000)

    (found,) = run(BASIC, from_lambda(fail, fail)).faults
    assert found.message.en.encode().startswith(b"phase 1 raised ValueError: ?xxx")
    assert len(found.message.en) == LONGEST


def test_keyboard_interrupt_passes_through() -> None:
    """The user's interrupt is nobody's fault and ends the run."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(BASIC, from_lambda(stop, stop))


def test_floating_point_warnings_are_no_faults() -> None:
    """An implementation may divide by zero and multiply 0 by infinity on its way."""
    one = case("special/inf", call([np.inf], [1.0], [1.0]), [np.nan])
    assert run(one, Right()).verdict == "pass"


def test_refused_error_case_is_not_executed() -> None:
    """A call that had to be refused goes no further when phase 1 accepts it."""
    executed = []
    accepting = from_lambda(lambda *_: PhaseOne(0, 0, None), lambda *_: executed.append(1) or 0)
    assert [each.kind for each in run(REDUCTION, accepting).faults] == ["status"]
    assert executed == []


def test_unspecified_may_fail_in_either_phase() -> None:
    """A call that the spec leaves open may be refused by phase 2 as well."""
    late = from_lambda(lambda *_: PhaseOne(0, 0, None), lambda *_: 161002)
    entry = run(RANK_0, late)
    assert (entry.verdict, entry.statuses) == ("pass", ((0, 161002), (0, 161002)))
    assert entry.observed == {"rank_0": ("ACLNN_ERR_PARAM_INVALID",)}


def test_any_error_accepts_every_code_but_success_needs_the_value() -> None:
    """`any_error` accepts codes without a name too; success is held to the value."""
    shared = call(GRAD, SELF, TARGET)
    one = case(
        "open/alias",
        shared | {"gradInput": shared["gradOutput"]},
        RIGHT,
        clauses=("aliasing",),
        alias={"gradInput": "gradOutput"},
        outcome=Outcome(kind="unspecified", codes=("ACLNN_SUCCESS", "any_error")),
    )
    odd = from_lambda(lambda *_: PhaseOne(4711, 0, None), lambda *_: 0)
    assert run(one, odd).observed == {"aliasing": ("4711",)}
    assert run(one, Right()).observed == {"aliasing": ("value",)}
    assert run(one, NumpyImplementation(SPEC)).observed == {"aliasing": ("value",)}
    assert [each.kind for each in run(one, WrongSign()).faults] == ["value"]


def test_error_code_outside_the_list() -> None:
    """An open call that ends in a code nobody named fails, and shows nothing."""
    entry = run(RANK_0, from_lambda(lambda *_: PhaseOne(561000, 0, None), lambda *_: 0))
    assert ([each.kind for each in entry.faults], entry.observed) == (["status"], {})
    assert "ACLNN_ERR_INNER (561000)" in entry.faults[0].message.en
    assert "ACLNN_ERR_PARAM_INVALID (161002)" in entry.faults[0].message.en


@pytest.mark.parametrize(
    ("one", "made", "observed"),
    [
        (SUBNORMAL, Right, {"subnormals": ("keep",)}),
        (SUBNORMAL, Flushing, {"subnormals": ("flush",)}),
        (ON_THE_WAY, Right, {"subnormals_on_the_way": ("keep",)}),
        (ON_THE_WAY, Flushing, {"subnormals_on_the_way": ("flush",)}),
        (RANK_0, Right, {"rank_0": ("value",)}),
        (RANK_0, RefusesRank0, {"rank_0": ("ACLNN_ERR_PARAM_INVALID",)}),
        (BASIC, Right, {}),
        (SUBNORMAL, WrongSign, {}),
    ],
)
def test_observed(one: Case, made: Any, observed: dict[str, tuple[str, ...]]) -> None:
    """An entry says what an implementation showed where the spec leaves it free; a wrong result shows nothing."""
    assert run(one, made()).observed == observed


def test_product_widens_the_outcome() -> None:
    """BFLOAT16 may be refused on the products that the clause names, and only there."""
    given = call(GRAD, SELF, TARGET)
    names = ("gradOutput", "self", "target")
    given |= {name: tensor(given[name].array, "BFLOAT16") for name in names}
    one = case("basic/bfloat16", given | {"gradInput": output((4,), "BFLOAT16")}, RIGHT)
    refusing = from_lambda(lambda *_: PhaseOne(161002, 0, None), lambda *_: 0)
    entries = [run(one, refusing, product=product) for product in ("atlas_training", "atlas_a2", None)]
    assert [entry.verdict for entry in entries] == ["pass", "fail", "fail"]
    assert entries[0].observed == {"bfloat16_products": ("ACLNN_ERR_PARAM_INVALID",)}
    accepting = run(one, NumpyImplementation(SPEC), product="atlas_training")
    assert accepting.observed == {"bfloat16_products": ("value",)}


def test_refusal_is_evidence_of_one_clause() -> None:
    """What may be refused for two reasons, or must be for another, tells nothing of a clause that leaves it open."""
    scalar = {name: tensor(2.0, "BFLOAT16") for name in ("gradOutput", "self", "target")}
    both = replace(RANK_0, arguments=call(2.0, 1.0, 3.0) | scalar)
    refusing = from_lambda(lambda *_: PhaseOne(161002, 0, None), lambda *_: 0)
    bad = refused("status/bfloat16", "reduction", "ACLNN_ERR_PARAM_INVALID", {**both.arguments, "reduction": 3})
    for one in (both, bad):
        entry = run(one, refusing, product="atlas_training")
        assert (entry.verdict, entry.observed) == ("pass", {})
    assert run(both, refusing, product="atlas_a2").observed == {"rank_0": ("ACLNN_ERR_PARAM_INVALID",)}


def test_community_policy_is_the_looser_one() -> None:
    """A mean that the strict policy refuses may be near enough for the community's."""
    off = replace(MEAN, expected=tensor(np.full((3, 2), 0.8334)), tolerance=replace(MEAN.tolerance, ulp=4))
    verdicts = [run(off, Right(), policy=policy).verdict for policy in ("strict", "community")]
    assert verdicts == ["fail", "pass"]


def test_partner_is_judged_too() -> None:
    """A fault of the partner's call is reported with the partner's id."""
    entry = run(CROSSED, LastCallOnly())
    texts = [each.message.en for each in entry.faults]
    assert any(text.startswith("4 of 4 elements are wrong") for text in texts)
    assert entry.verdict == "fail"
    wrong = case("basic/other", call([7.0, 8.0], [1.0, 2.0], [3.0, 1.0]), [1.0, 8.0])
    entry = run_case(CROSSED, Right(), operator=OPERATOR, partner=wrong)
    assert [each.message.en.split(": ")[0] for each in entry.faults] == [f"partner {OTHER.id}"]
    assert entry.faults[0].message.zh.startswith(f"同伴用例 {OTHER.id}：")


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("crossed", ["1 small", "1 other", "2 small", "2 other"]),
        ("nested", ["1 small", "1 other", "2 other", "2 small"]),
        ("after", ["1 other", "2 other", "1 small", "2 small"]),
    ],
)
def test_orders(order: str, expected: list[str]) -> None:
    """The orders with a partner interleave the phases as their names say."""
    log = []

    class Logs(Right):
        def get_workspace_size(self, operator: str, arguments: Any) -> Any:
            log.append(f"1 {'small' if arguments['gradOutput'].size == 4 else 'other'}")
            return super().get_workspace_size(operator, arguments)

        def execute(self, operator: str, phase_one: PhaseOne) -> Any:
            arguments: Any = phase_one.executor
            log.append(f"2 {'small' if arguments['gradOutput'].size == 4 else 'other'}")
            return super().execute(operator, phase_one)

    entry = run(replace(CROSSED, order=order), Logs())
    assert (log, entry.verdict, entry.statuses) == (expected, "pass", ((0, 0),))


def test_again_uses_the_same_tensors_and_twice_fresh_ones() -> None:
    """`again` calls twice on the same memory, `twice` on memory of its own each time."""
    seen: list[Any] = []

    class Remembers(Right):
        def get_workspace_size(self, operator: str, arguments: Any) -> Any:
            seen.append(arguments["gradInput"])
            return super().get_workspace_size(operator, arguments)

    run(AGAIN, Remembers())
    run(BASIC, Remembers())
    same = [np.shares_memory(seen[i].storage, seen[i + 1].storage) for i in (0, 2)]
    assert same == [True, False]


def test_missing_partner_is_refused() -> None:
    """A case that names a partner cannot run without it."""
    with pytest.raises(InputError, match="expected aclnnL1LossBackward/basic/other"):
        run_case(CROSSED, Right(), operator=OPERATOR)


@pytest.mark.parametrize("one", [NULL, RANK_0, CROSSED, BASIC, AGAIN])
def test_numerics_scope(one: Case) -> None:
    """Functions are judged by the values of good calls, run by themselves; all else is skipped."""
    function = from_function("f", "1", {NAME: lambda **a: np.sign(a["self"] - a["target"]) * a["gradOutput"]})
    judged = one in (BASIC, AGAIN)
    assert in_scope(one, "numerics") == judged
    assert run(one, function) == Entry(
        id=one.id,
        verdict="pass" if judged else "skipped",
        statuses=((0, 0), (0, 0)) if judged else (),
        ulp=0.0 if judged else None,
    )


def test_fresh_memory() -> None:
    """A call runs on copies in the prototype's order, its output and all guards canary."""
    shuffled = replace(LAYOUT, arguments=dict(reversed(LAYOUT.arguments.items())))
    memory = fresh(shuffled, OPERATOR)
    assert list(memory.arguments) == ["gradOutput", "self", "target", "reduction", "gradInput"]
    given = memory.arguments["gradOutput"]
    assert given.array.tolist() == GRAD
    assert not np.shares_memory(given.storage, LAYOUT.arguments["gradOutput"].storage)
    assert (given.strides, given.offset, given.storage_shape) == ((3,), 2, (14,))
    assert set(memory.arguments["gradInput"].storage.tobytes()) == {CANARY}
    assert set(memory.buffers["self"][:GUARD].tolist()) == {CANARY}
    assert list(memory.faults()) == []


def test_alias_shares_memory() -> None:
    """An aliased output lies on its input's memory, which then may change."""
    shared = call(GRAD, SELF, TARGET)
    one = case("open/alias", shared, RIGHT, alias={"gradInput": "self"})
    memory = fresh(one, OPERATOR)
    memory.arguments["gradInput"].array[...] = 9
    assert memory.arguments["self"].array.tolist() == [9, 9, 9, 9]
    assert list(memory.faults()) == []


def test_alias_leaves_the_rest_of_the_storage() -> None:
    """Around an aliased output the input's own bytes must stay."""
    shared = call(GRAD, SELF, TARGET, self=tensor(SELF, gap=2))
    one = case("open/alias", shared | {"gradInput": shared["self"]}, RIGHT, alias={"gradInput": "self"})
    memory = fresh(one, OPERATOR)
    memory.arguments["self"].storage[1] = 5
    assert [each.kind for each in memory.faults()] == ["stray_write"]


@pytest.mark.parametrize("dtype", ["BFLOAT16", "FLOAT16", "DOUBLE", "COMPLEX32", "COMPLEX128"])
def test_every_output_type_is_judged(dtype: str) -> None:
    """The reference passes whatever the output's type, and a wrong value in it is found."""
    names = {"COMPLEX32": [(-1.5, 0), (-2.25, 0), (0, 0), (4, 0)]}
    values = np.array(names.get(dtype, RIGHT), object if dtype not in names else [("real", "<f2"), ("imag", "<f2")])
    expected = Tensor(**vars(output((4,), dtype)) | {"storage": tensor_of(values, dtype)})
    one = case(
        "open/wide",
        call(GRAD, SELF, TARGET, gradInput=output((4,), dtype)),
        expected=None,
        outcome=Outcome(kind="unspecified", codes=("ACLNN_SUCCESS",)),
    )
    one = replace(one, expected=expected, tolerance=Tolerance(ulp=0, dtype=dtype, common="FLOAT"))
    assert run(one, NumpyImplementation(SPEC)).verdict == "pass"
    swapped = replace(one, arguments=one.arguments | {"self": tensor(TARGET), "target": tensor(SELF)})
    assert [each.kind for each in run(swapped, NumpyImplementation(SPEC)).faults] == ["value"]


def tensor_of(values: Any, dtype: str) -> Any:
    """The values as a storage of this type."""
    return values if dtype == "COMPLEX32" else tensor(values.astype(np.float64), dtype).storage


@pytest.mark.parametrize("made", [Right, WrongSign, MeanBySelf, Flushing])
def test_entries_survive_json(made: Any) -> None:
    """An entry is the same after a way through JSON."""
    entries = [run(one, made()) for one in CASES]
    assert [Entry.from_json(entry.to_json()) for entry in entries] == entries


def test_explain_tells_all_a_developer_needs() -> None:
    """The explanation has the id, the clauses' texts, the mistake hunted, the faults and a snippet."""
    entry = run(BASIC, WrongSign())
    lines = explain(entry, BASIC, "mine.py:make", operator=OPERATOR).splitlines()
    assert lines[0] == BASIC.id
    assert lines[1] == f"  sign: {OPERATOR.clause('sign').text.en}"
    assert lines[2] == "  hunts: made by hand"
    assert lines[3] == "  [value] 3 of 4 elements are wrong"
    assert lines[-2:] == [
        "      import aclnn_spec",
        f'      aclnn_spec.check("mine.py:make", "{BASIC.id}")',
    ]
    chinese = explain(entry, BASIC, "mine.py:make", operator=OPERATOR, lang="zh")
    assert "此例查找的错误：手工用例" in chinese
    assert "3 / 4 个元素错误" in chinese


def test_kinds_are_closed() -> None:
    """A fault of an unknown kind cannot be made, and the certificate's schema lists the same kinds."""
    with pytest.raises(ValueError, match="expected one of status, value"):
        fault("odd", zh="怪", en="odd")
    schema = SPEC.schemas.documents["certificate"]["$defs"]["fault"]["properties"]["kind"]["enum"]
    assert tuple(schema) == KINDS


def test_empty_case_has_no_error_to_speak_of() -> None:
    """An empty call passes with an error of 0 ULP."""
    entry = run(EMPTY, Right())
    assert (entry.verdict, entry.ulp) == ("pass", 0)

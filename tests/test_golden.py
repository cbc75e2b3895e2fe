"""The golden data itself: the cases against the oracle, the trace from clauses to cases, and the build."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclnn_spec.golden import build as builder
from aclnn_spec.golden import expected
from aclnn_spec.golden.build import build, parts_of, stale
from aclnn_spec.golden.case import GROUPS, Case
from aclnn_spec.golden.cases import basic, core_cases, mean, policy
from aclnn_spec.golden.cases.author import Author
from aclnn_spec.golden.store import Golden, write_part
from aclnn_spec.golden.tensor import bits
from aclnn_spec.reference import REFERENCES, oracle
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import CHECKOUT, Spec, load_spec

NAME = "aclnnL1LossBackward"
CORE = CHECKOUT / "golden" / "core"
COMPLEX = {"COMPLEX32": "FLOAT16", "COMPLEX64": "FLOAT", "COMPLEX128": "DOUBLE"}
SAMPLE = 40
MOST_TERMS = 600


@pytest.fixture(scope="module")
def spec() -> Spec:
    """The packaged spec."""
    return load_spec()


@pytest.fixture(scope="module", params=list(load_spec().operators))
def operator(request: pytest.FixtureRequest, spec: Spec) -> Operator:
    """Each of the operators in turn."""
    return spec.operator(request.param)


@pytest.fixture(scope="module")
def first(spec: Spec) -> Operator:
    """The operator that there was first, for what need not be seen of all."""
    return spec.operator(NAME)


@pytest.fixture(scope="module")
def golden(spec: Spec) -> Golden:
    """The committed core tier."""
    return Golden(CORE, spec)


@pytest.fixture(scope="module")
def cases(golden: Golden, operator: Operator) -> list[Case]:
    """All cases of the operator's core tier."""
    return list(golden.part_cases(operator.name))


@pytest.fixture(scope="module")
def first_cases(golden: Golden) -> list[Case]:
    """All cases of the first operator's core tier."""
    return list(golden.part_cases(NAME))


def quiet(_done: int, _total: int) -> None:
    """Show no progress."""


def element_of(case: Case, operator: Operator, shape: Sequence[int], index: tuple[int, ...]) -> dict[str, Any]:
    """The operands of one element of the broadcast shape, as the oracle takes them."""
    operands = {}
    for p in operator.inputs:
        tensor = case.arguments[p.name]
        raw = np.asarray(bits(np.broadcast_to(bits(tensor.array), shape)[index]))
        is_integer = operator.tables.dtypes[tensor.dtype].kind in ("int", "uint", "bool")
        operands[p.name] = (int(raw) if is_integer or tensor.dtype == "BFLOAT16" else word(raw), str(tensor.dtype))
    return operands


def oracle_bits(case: Case, operator: Operator, index: tuple[int, ...]) -> Any:
    """The oracle's result for one element of a case, in the bits of the output's type, or of its real part."""
    assert case.expected is not None
    assert case.tolerance is not None
    shape = np.broadcast_shapes(*(case.arguments[p.name].shape for p in operator.inputs))
    given: dict[str, Any] = {
        "common": case.tolerance.common,
        "output": COMPLEX.get(case.expected.dtype, str(case.expected.dtype)),
        "attributes": {p.name: case.arguments[p.name] for p in operator.parameters if p.role == "attribute"},
    }
    if operator.reduces(case.arguments):
        rows = [element_of(case, operator, shape, each) for each in np.ndindex(*shape)]
        return oracle.compute_sum(case.operator, rows, **given)
    operands = element_of(case, operator, shape, index)
    return oracle.compute(case.operator, operands, **given, count=int(np.prod(shape, dtype=object)))


def too_long(case: Case, operator: Operator) -> bool:
    """Whether a case sums more terms than fractions can in a test."""
    sizes = [np.asarray(case.arguments[p.name].shape, object) for p in operator.inputs]
    shape = np.broadcast_shapes(*(tuple(each) for each in sizes))
    return operator.reduces(case.arguments) and int(np.prod(shape, dtype=object)) > MOST_TERMS


def word(array: Any) -> int:
    """The bits of one number."""
    return int(np.asarray(array).reshape(1).view(f"u{array.dtype.itemsize}")[0])


def real(element: Any) -> Any:
    """The real part of an element, as an array of one."""
    array = np.asarray(element).reshape(1)
    if array.dtype.names:
        return array["real"]
    return array.real if array.dtype.kind == "c" else bits(array)


def indices(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """All indices of a small shape, some of a large one."""
    size = int(np.prod(shape, dtype=object))
    flat = range(size) if size <= SAMPLE else [i * (size - 1) // (SAMPLE - 1) for i in range(SAMPLE)]
    return [tuple(int(i) for i in np.unravel_index(i, tuple(shape))) for i in flat]


def test_expected_values_are_the_oracles(cases: list[Case], operator: Operator) -> None:
    """Every expected element (of large tensors, 40 of them) has the bits that exact rational arithmetic gives."""
    seen = 0
    for case in cases:
        if case.expected is None or too_long(case, operator):
            continue
        array = case.expected.array
        for index in indices(case.expected.shape):
            found, exact = real(array[index]), oracle_bits(case, operator, index)
            dtype = COMPLEX.get(case.expected.dtype, str(case.expected.dtype))
            if found.dtype.kind == "i":
                assert int(found[0]) == exact, f"{case.id} at {index}: {found[0]} is not {exact}"
            else:
                values = [oracle.decode(each, dtype).number for each in (word(found), exact)]
                same = values[0] == values[1] or all(map(np.isnan, map(float, values)))
                assert same, f"{case.id} at {index}: {word(found):#x} is not {exact:#x}"
            seen += 1
    assert seen > 3_000


def test_every_clause_and_group_has_cases(cases: list[Case], operator: Operator) -> None:
    """The trace from clauses to cases has no hole, and every group of the core tier is there."""
    assert {c.id for c in operator.clauses} == set(chain.from_iterable(case.clauses for case in cases))
    special = {"threshold"} if any(p.samples for p in operator.parameters) else set()
    special |= set() if operator.output.reduced is None else {"sums"}
    assert {case.group for case in cases} == set(GROUPS) - {"policy", "threshold", "sums"} | special


def test_beyond_the_common_range_the_number_itself_is_right_too(golden: Golden) -> None:
    """What FLOAT16 cannot hold is infinite in a FLOAT output, or, of those who do not round first, the number."""
    case = golden.case("aclnnMseLoss/special/FLOAT16-FLOAT-8-none-beyond-common")
    d = case.arguments["self"].array.astype(np.float64) - case.arguments["target"].array.astype(np.float64)
    assert case.expected is not None
    assert np.isinf(case.expected.array).all()
    others = {(each.clause, each.label): each.values.array for each in case.alternatives}
    assert np.array_equal(others["overflow_before_cast", "value"], np.square(d).astype(np.float32))


def test_what_a_new_operator_lacks_is_said(first: Operator) -> None:
    """An operator without a reference function, or with inputs that no group of cases knows, is refused in one line."""
    with pytest.raises(InputError, match=r"^aclnnOther: found no reference function, expected one in REFERENCES$"):
        core_cases(replace(first, name="aclnnOther"))
    unary = replace(first, parameters=tuple(each for each in first.parameters if each.name != "target"))
    with pytest.raises(InputError, match="found the inputs gradOutput, self, expected self and target"):
        core_cases(unary)


def test_ids_are_unique_and_readable(cases: list[Case], operator: Operator) -> None:
    """An id is the operator, the group and a name in plain characters."""
    ids = [case.id for case in cases]
    assert len(set(ids)) == len(ids)
    assert [i for i in ids if not i.isascii() or " " in i or i.split("/")[0] != operator.name] == []
    assert [case.id for case in cases if case.id.split("/")[1] != case.group] == []


def test_every_case_says_what_it_hunts_in_both_languages(cases: list[Case]) -> None:
    """The reason is there in Chinese and in English."""
    bad = [c.id for c in cases if not any("\u4e00" <= x <= "\u9fff" for x in c.reason.zh) or not c.reason.en.isascii()]
    assert bad == []


def test_outcomes_follow_the_spec(cases: list[Case], operator: Operator) -> None:
    """A case's codes are those of what its call breaks or touches."""
    for case in cases:
        diagnosis = operator.validate(case.arguments)
        if case.outcome.kind == "error":
            assert set(case.outcome.codes) == {code for c in diagnosis.broken for code in c.accepts}, case.id
        else:
            assert diagnosis.broken == (), case.id
            assert (case.outcome.kind == "unspecified") == bool(operator.open_clauses(case.arguments)), case.id


def test_all_mixes_of_types_are_there(first_cases: list[Case]) -> None:
    """The 27 input mixes come with each of the three output types, for none and for mean."""
    names = ("gradOutput", "self", "target", "gradInput")
    found = {
        (*(str(c.arguments[n].dtype) for n in names), c.arguments["reduction"])
        for c in first_cases
        if c.group == "deduction" and c.id.endswith("-mix")
    }
    assert len(found) == 27 * 3 * 2


def test_mean_hunts_every_wrong_divisor(first_cases: list[Case]) -> None:
    """In the broadcast cases of mean no input has the size of the broadcast shape."""
    for case in first_cases:
        if case.group == "mean" and case.id.endswith("-broadcast"):
            sizes = [case.arguments[n].size for n in ("gradOutput", "self", "target", "gradInput")]
            assert sizes[3] > max(sizes[:3]), case.id
    sizes = {c.arguments["gradInput"].size for c in first_cases if c.group == "mean"}
    assert {1, 65536} <= sizes
    assert max(sizes) > 2**24


def test_adding_a_case_changes_no_other(first: Operator, first_cases: list[Case]) -> None:
    """A case's data depends on its own id alone: made by itself, it is the same."""
    author = Author(operator=first)
    for draft in policy.drafts(author):
        one, two = author.good(draft()), author.good(draft())
        assert one.id == two.id
        assert all(
            np.array_equal(bits(one.arguments[n].storage), bits(two.arguments[n].storage)) for n in author.inputs
        )
        break
    alone = next(c for c in basic.cases(author) if c.id == first_cases[3].id)
    assert [bits(alone.arguments[n].storage).tobytes() for n in author.inputs] == [
        bits(first_cases[3].arguments[n].storage).tobytes() for n in author.inputs
    ]


def test_the_committed_cases_are_what_the_spec_builds(first: Operator, tmp_path: Path) -> None:
    """A fresh build gives the committed bytes, here of the first operator; `.ci/run` holds all of them so."""
    write_part(tmp_path, first, "core", NAME, core_cases(first))
    for suffix in (".json", ".npz"):
        assert (tmp_path / f"{NAME}{suffix}").read_bytes() == (CORE / f"{NAME}{suffix}").read_bytes()


def test_the_tier_is_small(golden: Golden) -> None:
    """The core tier of all operators stays under 20 MB."""
    assert sum(entry["bytes"] for entry in golden.files.values()) < 20_000_000


def test_staleness_names_changed_missing_and_foreign_files(
    spec: Spec, first_cases: list[Case], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file that differs is named, and nothing is written."""
    one = next(part for part in parts_of(spec, "core") if part.name == NAME)
    small = first_cases[:3]
    monkeypatch.setattr(
        builder, "parts_of", lambda *_: [builder.Part(name=one.name, operator=one.operator, make=lambda: small)]
    )
    build(spec, "core", tmp_path, progress=quiet)
    assert stale(spec, "core", tmp_path, progress=quiet) == []
    (tmp_path / f"{NAME}.json").write_bytes(b"{}")
    (tmp_path / "other.npz").write_bytes(b"")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert stale(spec, "core", tmp_path, progress=quiet) == [f"{NAME}.json", "other.npz"]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_interrupted_build_leaves_the_old_tier(spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a build leaves every old file as it was."""
    shutil.copytree(CORE, tmp_path / "core")
    before = {path.name: path.read_bytes() for path in (tmp_path / "core").iterdir()}
    one = next(part for part in parts_of(spec, "core") if part.name == NAME)

    def interrupted() -> list[Case]:
        raise KeyboardInterrupt

    monkeypatch.setattr(
        builder, "parts_of", lambda *_: [builder.Part(name=one.name, operator=one.operator, make=interrupted)]
    )
    with pytest.raises(KeyboardInterrupt):
        build(spec, "core", tmp_path / "core", progress=quiet)
    assert {path.name: path.read_bytes() for path in (tmp_path / "core").iterdir()} == before


def test_a_forgotten_reading_is_found(first: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that a clause leaves open and no case holds stops the build, which names both."""
    known = REFERENCES[NAME]
    less = replace(known, readings=tuple(each for each in known.readings if each.label != "plus_minus_grad"))
    monkeypatch.setattr(expected, "REFERENCES", {NAME: less})
    complaint = f"{NAME}: clause nan_operand: no case holds the value plus_minus_grad, expected a Reading that gives it"
    with pytest.raises(InputError, match=f"^{complaint}$"):
        core_cases(first)


def test_an_operator_without_reference_stops_the_build_at_once(spec: Spec) -> None:
    """Before the first part is made."""
    other = replace(spec, operators={**spec.operators, "aclnnOther": replace(spec.operator(NAME), name="aclnnOther")})
    with pytest.raises(InputError, match=r"^aclnnOther: found no reference function, expected one in REFERENCES$"):
        parts_of(other, "core")


def test_the_full_tier_is_large_and_divides(spec: Spec, first: Operator) -> None:
    """The full tier has 20 000 cases or more, and its shards together are the whole."""
    assert len(list(policy.drafts(Author(operator=first)))) >= 20_000
    whole = [part.name for part in parts_of(spec, "full")]
    shards = [[part.name for part in parts_of(spec, "full", f"{i}/4")] for i in range(1, 5)]
    assert sorted(chain.from_iterable(shards)) == sorted(whole)


def test_policy_cases_are_what_the_policy_asks_for(first: Operator) -> None:
    """Every type, rank 1 to 8 and reduction; sizes 2^k or 2^k - 1; half uniform, half normal."""
    author = Author(operator=first)
    drafts = [draft() for draft in list(policy.drafts(author))[::71]]
    sizes = {
        size for draft in drafts for size in (draft.shapes if isinstance(draft.shapes, tuple) else draft.shapes["self"])
    }
    assert {size for size in sizes if size and (size & (size - 1)) and ((size + 1) & size)} == set()
    assert {draft.what.split("-")[0] for draft in drafts} >= {"uniform", "normal"}
    assert {draft.reduction for draft in drafts} == {"none", "mean", "sum"}
    assert isinstance(drafts[0].reason, Text)


def test_outputs_take_no_memory_while_a_tier_is_built(first: Operator) -> None:
    """The largest case, of 2^24 elements and more, is made without the 64 MiB of its output."""
    tracemalloc.start()
    cases = list(mean.cases(Author(operator=first)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(case.arguments["gradInput"].size for case in cases) > 2**24
    assert peak < 64 * 2**20

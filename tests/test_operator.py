"""The answer to a call: its status, all the clauses it breaks, those it leaves open, and its tolerance."""

from collections.abc import Mapping
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aclnn_spec.spec.argument import parse_argument
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import TensorDesc, contiguous_strides
from aclnn_spec.spec.operator import component_bits
from aclnn_spec.spec.read import load_spec

SPEC = load_spec()
OPERATOR = SPEC.operator("aclnnL1LossBackward")
SUCCESS, NULLPTR, INVALID = 0, 161001, 161002

GOOD = "gradOutput=FLOAT[2,3] self=FLOAT[2,3] target=FLOAT[2,3] reduction=1 gradInput=FLOAT[2,3]"


def call(changes: str = "") -> dict[str, Any]:
    """Give the good call with some arguments changed, in the words of the command line."""
    pairs = (text.split("=", 1) for text in f"{GOOD} {changes}".split())
    return {name: parse_argument(value) for name, value in pairs}


def verdict(changes: str) -> tuple[int, list[str]]:
    """Give a call's status and the ids of the clauses it breaks, in the order of the host code."""
    diagnosis = OPERATOR.validate(call(changes))
    return int(diagnosis.status), [clause.id for clause in diagnosis.broken]


def refused(arguments: Any) -> list[str]:
    """Give the faults of what is no call at all."""
    with pytest.raises(InputError) as caught:
        OPERATOR.validate(arguments)
    return list(caught.value.faults)


GOOD_CALLS = [
    "",
    "reduction=0",
    "reduction=2",
    "gradOutput=FLOAT[1] self=FLOAT[4,1] target=FLOAT[1,5] gradInput=FLOAT[4,5]",
    "gradOutput=FLOAT[3] self=FLOAT[2,1] target=FLOAT[4,1,1] gradInput=FLOAT[4,2,3]",
    "gradOutput=FLOAT16[2,3] target=BFLOAT16[2,3] gradInput=FLOAT16[2,3]",
    "gradOutput=FLOAT[] self=FLOAT[] target=FLOAT[] gradInput=FLOAT[]",
    "gradOutput=FLOAT[0,3] self=FLOAT[0,3] target=FLOAT[0,3] gradInput=FLOAT[0,3]",
    "gradOutput=FLOAT[1,3] self=FLOAT[0,1] target=FLOAT[1] gradInput=FLOAT[0,3]",
    "gradOutput=INT32[2,3] self=BOOL[2,3]",
    "gradOutput=INT64[2,3] self=INT64[2,3] target=FLOAT16[2,3] gradInput=FLOAT16[2,3]",
    "gradInput=DOUBLE[2,3]",
    "gradInput=COMPLEX32[2,3]",
    "self=FLOAT[2,3]:NC gradInput=FLOAT[2,3]:FRACTAL_NZ",
    "gradOutput=FLOAT[1,1,1,1,1,1,2,3] gradInput=FLOAT[1,1,1,1,1,1,2,3]",
]


@pytest.mark.parametrize("changes", GOOD_CALLS)
def test_a_call_that_breaks_nothing(changes: str) -> None:
    """Broadcasting, mixed types, empty tensors and what the sources leave open break no clause."""
    assert verdict(changes) == (SUCCESS, [])


ERRORS = [
    ("gradOutput=null", NULLPTR, ["nullptr"]),
    ("self=null", NULLPTR, ["nullptr"]),
    ("target=null", NULLPTR, ["nullptr"]),
    ("gradInput=null", NULLPTR, ["nullptr"]),
    ("gradOutput=null self=null target=null gradInput=null", NULLPTR, ["nullptr"]),
    ("workspaceSize=null", NULLPTR, ["null_handles"]),
    ("executor=null", NULLPTR, ["null_handles"]),
    ("executor=null self=null", NULLPTR, ["nullptr", "null_handles"]),
    ("self=UINT16[2,3]", INVALID, ["deducible"]),
    ("target=STRING[2,3]", INVALID, ["deducible"]),
    ("gradOutput=HIFLOAT8[2,3] self=HIFLOAT8[2,3] target=HIFLOAT8[2,3]", INVALID, ["deducible"]),
    ("gradOutput=INT32[2,3] self=INT32[2,3] target=INT32[2,3]", INVALID, ["supported"]),
    ("gradOutput=INT32[2,3] self=INT32[2,3] target=INT32[2,3] gradInput=INT32[2,3]", INVALID, ["supported"]),
    ("gradOutput=BOOL[2,3] self=BOOL[2,3] target=BOOL[2,3] gradInput=BOOL[2,3]", INVALID, ["supported"]),
    ("self=DOUBLE[2,3]", INVALID, ["supported"]),
    ("self=COMPLEX64[2,3]", INVALID, ["castable", "supported"]),
    ("self=COMPLEX64[2,3] gradInput=COMPLEX64[2,3]", INVALID, ["supported"]),
    ("gradInput=INT32[2,3]", INVALID, ["castable"]),
    ("gradInput=BOOL[2,3]", INVALID, ["castable"]),
    ("gradInput=STRING[2,3]", INVALID, ["castable"]),
    ("self=FLOAT[2,4]", INVALID, ["broadcastable"]),
    ("self=FLOAT[3,2]", INVALID, ["broadcastable"]),
    ("self=FLOAT[0,3] gradInput=FLOAT[0,3]", INVALID, ["broadcastable"]),
    ("self=FLOAT[1,1,1,1,1,1,1,2,3]", INVALID, ["max_rank", "output_shape"]),
    ("self=FLOAT[1,1,1,1,1,1,1,2,3] gradInput=FLOAT[1,1,1,1,1,1,1,2,3]", INVALID, ["max_rank", "max_rank_output"]),
    ("gradInput=FLOAT[1,1,1,1,1,1,1,2,3]", INVALID, ["max_rank_output", "output_shape"]),
    ("gradInput=FLOAT[3,2]", INVALID, ["output_shape"]),
    ("gradInput=FLOAT[6]", INVALID, ["output_shape"]),
    ("gradInput=FLOAT[1,2,3]", INVALID, ["output_shape"]),
    ("gradInput=FLOAT[]", INVALID, ["output_shape"]),
    ("gradOutput=FLOAT[0,3] self=FLOAT[0,3] target=FLOAT[0,3] gradInput=FLOAT[3,0]", INVALID, ["output_shape"]),
    ("reduction=3", INVALID, ["reduction"]),
    ("reduction=-1", INVALID, ["reduction"]),
    ("reduction=4294967297", INVALID, ["reduction"]),
    ("reduction=9223372036854775807", INVALID, ["reduction"]),
    ("reduction=-9223372036854775808", INVALID, ["reduction"]),
]


@pytest.mark.parametrize(("changes", "status", "clauses"), ERRORS)
def test_a_call_that_breaks_clauses(changes: str, status: int, clauses: list[str]) -> None:
    """Each row of the sources' error tables answers its code, and every clause broken is named."""
    assert verdict(changes) == (status, clauses)


def test_several_faults_at_once() -> None:
    """A null hides neither the reduction nor the cast, and the first in the host's order gives the status."""
    changes = "gradOutput=FLOAT16[2,3] self=FLOAT[2,3] target=null reduction=3 gradInput=INT32[2,3]"
    assert verdict(changes) == (NULLPTR, ["nullptr", "reduction", "castable"])


def test_all_that_can_be_broken_together() -> None:
    """The broken clauses come in the order of the host code, whatever their order in the file."""
    changes = (
        "gradOutput=UINT16[2] self=FLOAT[1,1,1,1,1,1,1,1,3] target=null reduction=9 gradInput=FLOAT[1] executor=null"
    )
    assert verdict(changes) == (
        NULLPTR,
        ["nullptr", "null_handles", "reduction", "deducible", "max_rank", "broadcastable"],
    )


@pytest.mark.parametrize(
    ("changes", "clauses"),
    [
        # A float in the null's place would make the common type a good one.
        ("gradOutput=INT32[2,3] self=null target=INT32[2,3]", ["nullptr"]),
        ("gradOutput=INT32[2,3] self=null target=INT32[2,3] gradInput=INT32[2,3]", ["nullptr", "castable"]),
        # No type in the null's place would.
        ("gradOutput=DOUBLE[2,3] self=null", ["nullptr", "supported"]),
        ("gradOutput=UINT16[2,3] self=null", ["nullptr", "deducible"]),
        ("gradOutput=null self=UINT16[2,3] target=UINT16[2,3]", ["nullptr", "deducible"]),
        # gradInput may be larger than the shapes that are known, for the null's is not; it cannot be smaller.
        ("self=null gradInput=FLOAT[4,2,3]", ["nullptr"]),
        ("self=null gradInput=FLOAT[2,4]", ["nullptr", "output_shape"]),
        ("self=null gradInput=FLOAT[3]", ["nullptr", "output_shape"]),
        ("self=null gradOutput=FLOAT[2,1] target=FLOAT[1] gradInput=FLOAT[2,9]", ["nullptr"]),
        ("self=null gradOutput=FLOAT[2,4]", ["nullptr", "broadcastable"]),
        # Without gradInput nothing can be said of the cast or of its shape.
        ("gradInput=null self=DOUBLE[2,3]", ["nullptr", "supported"]),
        ("gradInput=null self=FLOAT[1,1,1,1,1,1,1,2,3]", ["nullptr", "max_rank"]),
        ("gradOutput=null self=null target=null gradInput=BOOL[2,3]", ["nullptr", "castable"]),
        ("gradOutput=null self=null target=null gradInput=FLOAT[2,3]", ["nullptr"]),
    ],
)
def test_a_null_leaves_open_what_it_leaves_open(changes: str, clauses: list[str]) -> None:
    """A rule counts as broken only if it is broken whatever stood in the null's place."""
    assert verdict(changes) == (NULLPTR, clauses)


def test_a_verdict_can_be_read() -> None:
    """The status compares equal to its number and knows its name; a good call always gets the same verdict."""
    status = OPERATOR.validate(call("reduction=3")).status
    assert (status, status.name, str(status)) == (
        INVALID,
        "ACLNN_ERR_PARAM_INVALID",
        "ACLNN_ERR_PARAM_INVALID (161002)",
    )
    assert OPERATOR.validate(call()) is OPERATOR.validate(call("reduction=0"))


def without(name: str) -> dict[str, Any]:
    """Give the good call without an argument."""
    arguments = call()
    del arguments[name]
    return arguments


NAME = "aclnnL1LossBackward"
DTYPES = ", ".join(SPEC.tables.dtypes)
FORMATS = ", ".join(SPEC.tables.formats)
PARAMETERS = "gradOutput, self, target, reduction, gradInput"


def foreign(**changes: Any) -> SimpleNamespace:
    """Give something that looks like a tensor."""
    return SimpleNamespace(**{"dtype": "FLOAT", "shape": (2, 3), "format": "ND"} | changes)


REFUSED: dict[str, tuple[Any, list[str]]] = {
    "argument missing": (without("self"), ["self: not given"]),
    "attribute missing": (without("reduction"), ["reduction: not given"]),
    "two missing": ({"reduction": 1, "self": None, "target": None}, ["gradInput: not given", "gradOutput: not given"]),
    "nothing given": ({}, [f"{name}: not given" for name in sorted(PARAMETERS.split(", "))]),
    "unknown argument": (call() | {"out": None}, [f"out: no such parameter; expected {PARAMETERS}"]),
    "unknown for known": (
        without("gradInput") | {"out": None},
        ["gradInput: not given", f"out: no such parameter; expected {PARAMETERS}"],
    ),
    "no tensor": (call() | {"self": 1.5}, ["self: found 1.5, expected a tensor or null"]),
    "tensor for the reduction": (call() | {"reduction": None}, ["reduction: found None, expected a 64-bit integer"]),
    "text": (call() | {"reduction": "mean"}, ["reduction: found 'mean', expected a 64-bit integer"]),
    "bool": (call() | {"reduction": True}, ["reduction: found True, expected a 64-bit integer"]),
    "NumPy bool": (call() | {"reduction": np.True_}, ["reduction: found np.True_, expected a 64-bit integer"]),
    "float": (call() | {"reduction": 1.0}, ["reduction: found 1.0, expected a 64-bit integer"]),
    "65 bits": (call() | {"reduction": 2**63}, ["reduction: found 9223372036854775808, expected a 64-bit integer"]),
    "65 bits below zero": (
        call() | {"reduction": -(2**63) - 1},
        ["reduction: found -9223372036854775809, expected a 64-bit integer"],
    ),
    "unsigned 64 bits": (
        call() | {"reduction": np.uint64(2**63)},
        ["reduction: found np.uint64(9223372036854775808), expected a 64-bit integer"],
    ),
    "spelling of a page": (call("self=FLOAT32[2,3]"), ["self: found type FLOAT32, expected FLOAT (its API name)"]),
    "another spelling": (call("gradInput=BF16[2,3]"), ["gradInput: found type BF16, expected BFLOAT16 (its API name)"]),
    "unknown type": (call("self=HALF[2,3]"), [f"self: found type HALF, expected one of {DTYPES}"]),
    "type in lower case": (call("self=float[2,3]"), [f"self: found type float, expected one of {DTYPES}"]),
    "type that is no name": (
        call() | {"self": foreign(dtype=["FLOAT"])},
        [f"self: found type ['FLOAT'], expected one of {DTYPES}"],
    ),
    "unknown format": (call("self=FLOAT[2,3]:NX"), [f"self: found format NX, expected one of {FORMATS}"]),
    "format that is a number": (
        call() | {"self": foreign(format=2)},
        [f"self: found format 2, expected one of {FORMATS}"],
    ),
    "list for a shape": (call() | {"self": foreign(shape=[2, 3])}, ["self: found shape [2, 3], expected a tuple"]),
    "number for a shape": (call() | {"self": foreign(shape=6)}, ["self: found shape 6, expected a tuple"]),
    "lists for all shapes": (
        {n: foreign(shape=[2, 3]) for n in ("gradOutput", "self", "target", "gradInput")} | {"reduction": 1},
        [f"{name}: found shape [2, 3], expected a tuple" for name in ("gradInput", "gradOutput", "self", "target")],
    ),
    "pointer for a handle": (
        call() | {"executor": 7},
        ["executor: found 7, expected null, or the argument left out"],
    ),
    "all at once": (
        call("self=HALF[2,3]:NX reduction=null") | {"gradInput": "x", "colour": 1},
        [
            f"colour: no such parameter; expected {PARAMETERS}",
            "gradInput: found 'x', expected a tensor or null",
            "reduction: found None, expected a 64-bit integer",
            f"self: found format NX, expected one of {FORMATS}",
            f"self: found type HALF, expected one of {DTYPES}",
        ],
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_call_is_refused(kind: str) -> None:
    """Every fault of a mapping that is no call of this operator is named, even where a clause is broken as well."""
    arguments, lines = REFUSED[kind]
    assert refused(arguments) == [f"{NAME}: {line}" for line in lines]
    if "reduction" not in " ".join(lines) and kind != "nothing given":
        assert refused({**arguments, "reduction": 3}) == [f"{NAME}: {line}" for line in lines]


@pytest.mark.parametrize("thing", [None, 7, [("self", None)], "self=null"])
def test_what_is_no_mapping_is_refused(thing: object) -> None:
    """Arguments come by name."""
    assert refused(thing) == [f"{NAME}: found {thing!r}, expected a mapping from parameter names to arguments"]


class Reduction(IntEnum):
    """Names for the values, as a user might have them."""

    MEAN = 1
    WRONG = 3


@pytest.mark.parametrize("number", [np.int64(1), np.int8(1), np.uint64(1), Reduction.MEAN])
def test_numbers_that_python_indexes_with_are_integers(number: object) -> None:
    """NumPy's integers and enums stand for the number they index with."""
    assert OPERATOR.validate(call() | {"reduction": number}) is not None
    assert int(OPERATOR.validate(call() | {"reduction": number}).status) == SUCCESS
    assert OPERATOR.ulp(call() | {"reduction": number}) == 4


@pytest.mark.parametrize("number", [np.int64(-1), np.int32(3), Reduction.WRONG])
def test_wrong_numbers_of_other_types_break_the_rule(number: object) -> None:
    """Such a number is held against the values like any other."""
    assert [c.id for c in OPERATOR.validate(call() | {"reduction": number}).broken] == ["reduction"]


def test_any_mapping_will_do() -> None:
    """A call may be any mapping, and is not changed."""

    class Frozen(Mapping[str, Any]):
        def __init__(self, inner: dict[str, Any]) -> None:
            self.inner = inner

        def __getitem__(self, key: str) -> Any:
            return self.inner[key]

        def __iter__(self) -> Any:
            return iter(self.inner)

        def __len__(self) -> int:
            return len(self.inner)

    assert int(OPERATOR.validate(Frozen(call())).status) == SUCCESS
    assert int(OPERATOR.validate(Frozen(call("executor=null"))).status) == NULLPTR
    assert int(OPERATOR.validate(Frozen(call("reduction=3"))).status) == INVALID


OPEN = [
    ("", "atlas_a2", []),
    ("gradOutput=FLOAT[]", None, ["rank_0"]),
    ("self=INT32[2,3]", "ascend950", ["integer_mix"]),
    ("gradInput=DOUBLE[2,3]", "atlas_a3", ["wide_output"]),
    ("self=FLOAT[2,3]:NC", None, ["other_formats"]),
    ("self=BFLOAT16[2,3]", None, []),
    ("self=BFLOAT16[2,3]", "ascend950", []),
    ("self=BFLOAT16[2,3]", "atlas_a3", []),
    ("self=BFLOAT16[2,3]", "atlas_a2", []),
    ("self=BFLOAT16[2,3]", "atlas_training", ["bfloat16_products"]),
    ("self=BFLOAT16[2,3]", "atlas_inference", ["bfloat16_products"]),
    ("gradInput=BFLOAT16[2,3]", "atlas_inference", ["bfloat16_products"]),
    (
        "gradOutput=BFLOAT16[]:NC self=BOOL[2,3] gradInput=COMPLEX64[2,3]",
        "atlas_training",
        ["rank_0", "integer_mix", "wide_output", "bfloat16_products", "other_formats"],
    ),
]


@pytest.mark.parametrize(("changes", "product", "clauses"), OPEN)
def test_open_clauses(changes: str, product: str | None, clauses: list[str]) -> None:
    """The unspecified clauses that a call touches by its arguments are those of its product."""
    assert [clause.id for clause in OPERATOR.open_clauses(call(changes), product)] == clauses


def test_an_aliased_output_is_open() -> None:
    """Sharing a storage with an input is left open by the sources."""
    storage = bytearray(24)
    shared = {name: foreign(storage=storage) for name in ("self", "gradInput")}
    assert [clause.id for clause in OPERATOR.open_clauses(call() | shared)] == ["aliasing"]


FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")
SHAPES = {
    0: "[] [] [] []",
    1: "[3] [1] [3] [3]",
    2: "[2,3] [3] [1,1] [2,3]",
    3: "[2,1] [4,1,1] [3] [4,2,3]",
    8: "[3] [2,1] [1,1,1,1,1,1,1,1] [1,1,1,1,1,1,2,3]",
}


@pytest.mark.parametrize("rank", SHAPES)
@pytest.mark.parametrize("output", [*FLOATS, "DOUBLE", "COMPLEX64", "COMPLEX32"])
@pytest.mark.parametrize("inputs", FLOATS)
def test_ulp(inputs: str, output: str, rank: int) -> None:
    """None and sum are exact; mean allows 2 ULP where either type is a half, COMPLEX32 included, else rank + 2."""
    names = ("gradOutput", "self", "target", "gradInput")
    types = (inputs, inputs, inputs, output)
    text = " ".join(f"{n}={t}{s}" for n, t, s in zip(names, types, SHAPES[rank].split(" "), strict=True))
    coarse = 2 if {inputs, output} & {"FLOAT16", "BFLOAT16", "COMPLEX32"} else rank + 2
    assert verdict(text) == (SUCCESS, [])
    assert [OPERATOR.ulp(call(f"{text} reduction={r}")) for r in (0, 1, 2)] == [0, coarse, 0]


@pytest.mark.parametrize(
    ("changes", "ulp"),
    [
        ("gradOutput=FLOAT16[2,3] self=BFLOAT16[2,3]", 4),
        ("gradOutput=FLOAT16[2,3] self=FLOAT16[2,3] target=FLOAT16[2,3]", 2),
        ("gradOutput=INT32[2,3] self=BOOL[2,3]", 4),
        ("gradOutput=INT32[2,3] self=BOOL[2,3] target=FLOAT16[2,3]", 2),
    ],
)
def test_ulp_of_mixed_types(changes: str, ulp: int) -> None:
    """Mixed inputs count by the type they are deduced to."""
    assert OPERATOR.ulp(call(changes)) == ulp


def test_a_call_without_a_result_has_no_tolerance() -> None:
    """Where there is no common type or shape, a tolerance would mean nothing."""
    for changes in ("self=UINT16[2,3]", "self=FLOAT[5]"):
        with pytest.raises(ValueError, match="no result, so no tolerance"):
            OPERATOR.ulp(call(changes))


def test_component_bits() -> None:
    """A complex type counts by one of its two parts; a type without a size by none."""
    dtypes = SPEC.tables.dtypes
    names = ("FLOAT", "BFLOAT16", "DOUBLE", "COMPLEX32", "COMPLEX64", "COMPLEX128", "INT4", "STRING")
    assert [component_bits(dtypes[name]) for name in names] == [32, 16, 64, 16, 32, 64, 4, 0]


def test_strides_of_a_packed_tensor() -> None:
    """A dimension of size 0 counts as one, as it does in NumPy."""
    shapes = ((), (5,), (2, 3), (4, 1, 7), (2, 0, 3))
    assert [contiguous_strides(shape) for shape in shapes] == [(), (1,), (3, 1), (7, 7, 1), (3, 3, 1)]


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("null", None),
        ("3", 3),
        ("-1", -1),
        ("+2", 2),
        ("FLOAT[]", TensorDesc(dtype="FLOAT", shape=())),
        ("FLOAT16[2, 3]", TensorDesc(dtype="FLOAT16", shape=(2, 3))),
        ("FLOAT[1,2,3]:NCL", TensorDesc(dtype="FLOAT", shape=(1, 2, 3), format="NCL")),
    ],
)
def test_an_argument_in_words(text: str, argument: object) -> None:
    """The command line's words for an argument are null, an integer, and a type with a shape and a format."""
    assert parse_argument(text) == argument


@pytest.mark.parametrize(
    "text", ["", "nil", "1.5.2", "FLOAT", "FLOAT[2,]", "FLOAT[-1]", "[2]", "FLOAT[2]:", "FLOAT[9223372036854775808]"]
)
def test_words_that_are_no_argument(text: str) -> None:
    """Anything else is refused with what was expected."""
    with pytest.raises(ValueError, match=r"^expected "):
        parse_argument(text)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"shape": (2, 3), "strides": (1,)}, r"^strides: found \(1,\), expected one for each dimension of \(2, 3\)$"),
        ({"shape": (-2,)}, "^sizes, strides and offset are not negative"),
        ({"shape": (2,), "strides": (-1,)}, "^sizes, strides and offset are not negative"),
        ({"shape": (2,), "offset": -1}, "^sizes, strides and offset are not negative"),
        ({"shape": (2,), "storage_shape": (-1,)}, "^sizes, strides and offset are not negative"),
    ],
)
def test_a_description_that_describes_nothing(fields: dict[str, Any], message: str) -> None:
    """A tensor has a stride for each dimension and nothing negative."""
    with pytest.raises(ValueError, match=message):
        TensorDesc(dtype="FLOAT", **fields)


def test_the_extent_of_a_description() -> None:
    """The end is one past the last element that the view reaches; an empty view reaches nothing."""
    view = TensorDesc(dtype="FLOAT", shape=(2, 3), strides=(10, 2), offset=4, storage_shape=(20,))
    empty = TensorDesc(dtype="FLOAT", shape=(2, 0), offset=7)
    scalar = TensorDesc(dtype="FLOAT", shape=(), offset=7)
    assert [(each.size, each.end) for each in (view, empty, scalar)] == [(6, 19), (0, 0), (1, 8)]
    assert [str(each) for each in (view, empty, scalar)] == ["FLOAT[2,3]", "FLOAT[2,0]", "FLOAT[]"]

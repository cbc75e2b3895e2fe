"""The spec that ships says what the sources say, and a spec that is malformed is refused with its faults named."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import Source, Text
from aclnn_spec.spec.read import Spec, data_root, load_spec, spec_files

OPERATOR = "aclnnL1LossBackward"
FILE = f"operators/{OPERATOR}.json"

SHORT = {
    "f32": "FLOAT", "f16": "FLOAT16", "f64": "DOUBLE", "bf16": "BFLOAT16", "s8": "INT8", "u8": "UINT8", "s16": "INT16",
    "u16": "UINT16", "s32": "INT32", "u32": "UINT32", "s64": "INT64", "u64": "UINT64", "bool": "BOOL",
    "c32": "COMPLEX32", "c64": "COMPLEX64", "c128": "COMPLEX128",
}  # fmt: skip

# Half of the symmetrical table of FACTS section 2: each row from its own type to the right.
DEDUCTION = """
f32  f32 f32 f64 f32 f32 f32 f32 - f32 - f32 - f32 c64 c64 c128
f16  f16 f64 f32 f16 f16 f16 - f16 - f16 - f16 c32 c64 c128
f64  f64 f64 f64 f64 f64 - f64 - f64 - f64 c128 c128 c128
bf16 bf16 bf16 bf16 bf16 - bf16 - bf16 - bf16 c32 c64 c128
s8   s8 s16 s16 - s32 - s64 - s8 c32 c64 c128
u8   u8 s16 - s32 - s64 - u8 c32 c64 c128
s16  s16 - s32 - s64 - s16 c32 c64 c128
u16  u16 - - - - - - - -
s32  s32 - s64 - s32 c32 c64 c128
u32  u32 - - - - - -
s64  s64 - s64 c32 c64 c128
u64  u64 - - - -
bool bool c32 c64 c128
c32  c32 c64 c128
c64  c64 c128
c128 c128
"""

DTYPE_NUMBERS = {
    "UNDEFINED": -1, "FLOAT": 0, "FLOAT16": 1, "INT8": 2, "INT32": 3, "UINT8": 4, "INT16": 6, "UINT16": 7, "UINT32": 8,
    "INT64": 9, "UINT64": 10, "DOUBLE": 11, "BOOL": 12, "STRING": 13, "COMPLEX64": 16, "COMPLEX128": 17, "BFLOAT16": 27,
    "INT4": 29, "UINT1": 30, "COMPLEX32": 33, "HIFLOAT8": 34, "FLOAT8_E5M2": 35, "FLOAT8_E4M3FN": 36,
    "FLOAT8_E8M0": 37, "FLOAT6_E3M2": 38, "FLOAT6_E2M3": 39, "FLOAT4_E2M1": 40, "FLOAT4_E1M2": 41,
}  # fmt: skip

FORMAT_NUMBERS = {
    "UNDEFINED": -1, "NCHW": 0, "NHWC": 1, "ND": 2, "NC1HWC0": 3, "FRACTAL_Z": 4, "NC1HWC0_C04": 12, "HWCN": 16,
    "NDHWC": 27, "FRACTAL_NZ": 29, "NCDHW": 30, "NDC1HWC0": 32, "FRACTAL_Z_3D": 33, "NC": 35, "NCL": 47,
}  # fmt: skip

STATUS_NUMBERS = {
    "ACLNN_SUCCESS": 0, "ACLNN_ERR_PARAM_NULLPTR": 161001, "ACLNN_ERR_PARAM_INVALID": 161002,
    "ACLNN_ERR_RUNTIME_ERROR": 361001, "ACLNN_ERR_INNER": 561000,
} | {
    f"ACLNN_ERR_INNER_{name}": number
    for name, number in {
        "INFERSHAPE_ERROR": 561001, "TILING_ERROR": 561002, "FIND_KERNEL_ERROR": 561003, "CREATE_EXECUTOR": 561101,
        "NOT_TRANS_EXECUTOR": 561102, "NULLPTR": 561103, "WRONG_ATTR_INFO_SIZE": 561104, "KEY_CONFLICT": 561105,
        "INVALID_IMPL_MODE": 561106, "OPP_PATH_NOT_FOUND": 561107, "LOAD_JSON_FAILED": 561108,
        "JSON_VALUE_NOT_FOUND": 561109, "JSON_FORMAT_INVALID": 561110, "JSON_DTYPE_INVALID": 561111,
        "OPP_KERNEL_PKG_NOT_FOUND": 561112, "OP_FILE_INVALID": 561113, "ATTR_NUM_OUT_OF_BOUND": 561114,
        "ATTR_LEN_NOT_ENOUGH": 561115, "INPUT_NUM_IN_JSON_TOO_LARGE": 561116, "INPUT_JSON_IS_NULL": 561117,
        "STATIC_WORKSPACE_INVALID": 561118, "STATIC_BLOCK_DIM_INVALID": 561119,
    }.items()
}  # fmt: skip

PRODUCT_OF_SOC = {
    "Ascend950PR_9599": "ascend950", "Ascend910_93": "atlas_a3", "Ascend910_9392": "atlas_a3",
    "Ascend910B": "atlas_a2", "Ascend910B4-1": "atlas_a2", "Ascend910A": "atlas_training",
    "Ascend910ProA": "atlas_training", "Ascend910ProB": "atlas_training", "Ascend910": "atlas_training",
    "Ascend310B1": "atlas_200i_500_a2_inference", "Ascend310P3": "atlas_inference", "Ascend310": None, "": None,
}  # fmt: skip

KINDS = (
    "not_null, deducible, deduced_in, castable, broadcastable, max_rank, min_rank, shape_is_broadcast, shape_is, "
    "one_of, at_least, finite, dtype_in, dtype_not_in, same_dtype, not_both, format_in, no_alias"
)
KEYS = (
    "$schema, name, status, version, cann, title, summary, formula, header, products, deterministic, prototypes, "
    "parameters, clauses, accuracy, errata, example"
)
OUTCOMES = "'value' or an object with error or an object with unspecified"
CODE = "^ACLNN_(SUCCESS|ERR_[A-Z_]+)$"
LABELS = "value, any_error, zero, nan, plus_minus_grad, infinity, largest, keep, flush"
SOURCES = "page, context, host, kernel, runtime, policy, maths"

Edit = Callable[[Any], object]


@pytest.fixture(scope="module")
def spec() -> Spec:
    """Load the spec that ships."""
    return load_spec()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Copy the spec's directory."""
    return Path(shutil.copytree(data_root() / "spec", tmp_path / "spec"))


def place(document: Any, path: str) -> Any:
    """Follow a path of keys, indexes, and ids or names of list items: `clauses/sign/sources/0`."""
    for step in path.split("/") if path else ():
        if isinstance(document, dict):
            document = document[step]
        elif step.isdecimal():
            document = document[int(step)]
        else:
            [document] = [item for item in document if step in (item.get("id"), item.get("name"))]
    return document


def put(path: str, value: Any) -> Edit:
    """Give an edit that sets the value at the path."""
    *parents, last = path.split("/")

    def edit(document: Any) -> None:
        owner = place(document, "/".join(parents))
        owner[int(last) if isinstance(owner, list) else last] = value

    return edit


def drop(path: str) -> Edit:
    """Give an edit that removes the key at the path."""
    *parents, last = path.split("/")
    return lambda document: place(document, "/".join(parents)).pop(last)


def change(root: Path, file: str, *edits: Edit) -> None:
    """Edit a JSON file of the copied spec."""
    path = root / file
    document = json.loads(path.read_text(encoding="utf-8"))
    for edit in edits:
        edit(document)
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def faults(root: Path) -> list[str]:
    """Load the spec in this directory and give the faults, with the directory's name cut out."""
    with pytest.raises(InputError) as caught:
        load_spec(root)
    return [fault.replace(str(root), "<root>") for fault in caught.value.faults]


def numbered(line: str) -> str:
    """Replace `clauses[id]` in a line by `clauses[index]`, for the lines count and the tests should not."""
    clauses = json.loads((data_root() / "spec" / FILE).read_text(encoding="utf-8"))["clauses"]
    index = {clause["id"]: i for i, clause in enumerate(clauses)}
    return re.sub(r"clauses\[(\w+)\]", lambda match: f"clauses[{index[match[1]]}]", line)


def test_deduction_is_the_table_of_the_sources(spec: Spec) -> None:
    """All 256 cells are those of the concept page, both ways round."""
    rows = [line.split() for line in DEDUCTION.split("\n") if line]
    columns = [row[0] for row in rows]
    expected = {}
    for i, (name, *cells) in enumerate(rows):
        for column, cell in zip(columns[i:], cells, strict=True):
            pair, common = (SHORT[name], SHORT[column]), SHORT.get(cell)
            expected[pair] = expected[pair[::-1]] = common
    actual = {pair: None if common is None else str(common) for pair, common in spec.tables.deduction.items()}
    assert (actual, len(actual)) == (expected, 256)


@pytest.mark.parametrize(
    ("dtypes", "common"),
    [
        (["FLOAT16", "BFLOAT16"], "FLOAT"),
        (["FLOAT16", "BFLOAT16", "DOUBLE"], "DOUBLE"),
        (["INT8", "UINT8", "BOOL"], "INT16"),
        (["FLOAT", "UINT16", "FLOAT"], None),
        (["UINT16", "UINT16"], "UINT16"),
        (["BOOL"], "BOOL"),
        (["HIFLOAT8"], None),
        (["HIFLOAT8", "FLOAT"], None),
        (["STRING", "STRING"], None),
    ],
)
def test_deduce(spec: Spec, dtypes: list[str], common: str | None) -> None:
    """Several types are deduced from left to right, and a type without a row never can be."""
    assert spec.tables.deduce(dtypes) == common


def test_casting_by_kind(spec: Spec) -> None:
    """Integers and BOOL go to all but BOOL, floats to floats and complex, complex to complex, and each to itself."""
    kinds = {
        "float": ["FLOAT", "FLOAT16", "DOUBLE", "BFLOAT16"],
        "int": ["INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64"],
        "bool": ["BOOL"],
        "complex": ["COMPLEX32", "COMPLEX64", "COMPLEX128"],
    }
    allowed = {"float": "float complex", "int": "int float complex", "bool": "int float complex", "complex": "complex"}
    expected = {
        (a, b)
        for kind, targets in allowed.items()
        for a in kinds[kind]
        for b in [name for target in targets.split() for name in kinds[target]]
    } | {("BOOL", "BOOL")}
    names = [name for group in kinds.values() for name in group]
    assert {(a, b) for a in names for b in names if spec.tables.castable(a, b)} == expected
    assert [spec.tables.castable(a, b) for a, b in (("STRING", "STRING"), ("STRING", "FLOAT"), ("FLOAT", "INT4"))] == [
        True,
        False,
        False,
    ]


def test_numbers_of_the_enums(spec: Spec) -> None:
    """Every value of aclDataType, aclFormat and aclnnStatus is there under its name, and no other."""
    tables = spec.tables
    assert {name: dtype.number for name, dtype in tables.dtypes.items()} == DTYPE_NUMBERS
    assert {name: layout.number for name, layout in tables.formats.items()} == FORMAT_NUMBERS
    assert {name: int(code) for name, code in tables.status_codes.items()} == STATUS_NUMBERS
    assert [dtype.name for dtype in tables.dtypes.values()] == list(tables.dtypes)


def test_spellings(spec: Spec) -> None:
    """Readers of official pages find FLOAT32, BF16 and FLOAT64 under their API names."""
    spellings = spec.tables.spellings
    assert [spellings[s] for s in ("FLOAT32", "BF16", "FLOAT64", "FLOAT", "BFLOAT16", "INT8")] == [
        "FLOAT", "BFLOAT16", "DOUBLE", "FLOAT", "BFLOAT16", "INT8",
    ]  # fmt: skip


def test_status_by_number(spec: Spec) -> None:
    """A number is found under its name, an unknown one is not, and a code reads as name and number."""
    assert str(spec.tables.status(561103)) == "ACLNN_ERR_INNER_NULLPTR (561103)"
    assert spec.tables.status(561103) == 561103
    assert spec.tables.status(161003) is None


@pytest.mark.parametrize(("soc", "product"), PRODUCT_OF_SOC.items())
def test_product_of_soc(spec: Spec, soc: str, product: str | None) -> None:
    """The longest prefix decides, so Ascend910_93 and Ascend910B are not taken for the training series."""
    found = spec.tables.product_of_soc(soc)
    assert (found and found.id) == product


def test_policies(spec: Spec) -> None:
    """The community's policy has the figures of its standard, and strict has none."""
    policies = spec.tables.policies
    community = policies["community"]
    assert list(policies) == ["strict", "community"]
    assert (dict(policies["strict"].dtypes), community.share, community.max_ulp) == ({}, 0.99, 32)
    assert community.dtypes == {
        "FLOAT": {"rtol": 2**-10, "atol": 2**-16, "limit": 0.01},
        "FLOAT16": {"rtol": 2**-9, "atol": 2**-9, "limit": 0.1},
        "BFLOAT16": {"rtol": 2**-6, "atol": 2**-6, "limit": 1},
    }


def test_operator_facts(spec: Spec) -> None:
    """The operator has the signature, the parameters and the products of its page."""
    operator = spec.operator(OPERATOR)
    phase_one, phase_two = operator.get_workspace_size, operator.execute
    assert (operator.header, operator.cann, operator.deterministic) == (
        "aclnnop/aclnn_l1_loss_backward.h", "9.2.0-beta1", True,
    )  # fmt: skip
    assert (phase_one.name, dict(phase_one.parameters)) == (
        "aclnnL1LossBackwardGetWorkspaceSize",
        {
            "gradOutput": "const aclTensor*", "self": "const aclTensor*", "target": "const aclTensor*",
            "reduction": "int64_t", "gradInput": "aclTensor*", "workspaceSize": "uint64_t*",
            "executor": "aclOpExecutor**",
        },
    )  # fmt: skip
    assert (phase_two.name, dict(phase_two.parameters)) == (
        "aclnnL1LossBackward",
        {
            "workspace": "void*", "workspaceSize": "uint64_t", "executor": "aclOpExecutor*", "stream": "aclrtStream",
        },
    )  # fmt: skip
    assert [product for product, supported in operator.products.items() if not supported] == [
        "atlas_200i_500_a2_inference"
    ]
    assert operator.parameter("reduction").values == {"none": 0, "mean": 1, "sum": 2}
    assert [p.name for p in operator.inputs] == ["gradOutput", "self", "target"]
    for parameter in (*operator.inputs, operator.output):
        facts = (parameter.dtypes, parameter.formats, parameter.rank, parameter.non_contiguous)
        assert facts == (("FLOAT", "FLOAT16", "BFLOAT16"), ("ND",), (1, 8), True)


def test_clauses_have_the_outcomes_of_the_sources(spec: Spec) -> None:
    """Each clause is of its class, with the codes or labels it accepts."""
    invalid, null = ("ACLNN_ERR_PARAM_INVALID",), ("ACLNN_ERR_PARAM_NULLPTR",)
    either = ("value", "ACLNN_ERR_PARAM_INVALID")
    assert {clause.id: (clause.outcome, clause.accepts) for clause in spec.operator(OPERATOR).clauses} == {
        **dict.fromkeys(
            (
                "sign",
                "none_sum",
                "mean",
                "deduction",
                "broadcast",
                "layout",
                "empty",
                "determinism",
                "grad_nonfinite",
                "executors",
            ),
            ("value", ()),
        ),
        **dict.fromkeys(("nullptr", "null_handles"), ("error", null)),
        **dict.fromkeys(
            ("deducible", "supported", "castable", "broadcastable", "max_rank", "max_rank_output", "output_shape"),
            ("error", invalid),
        ),
        "reduction": ("error", invalid),
        "precedence": ("error", null + invalid),
        **dict.fromkeys(("rank_0", "integer_mix", "bfloat16_products", "other_formats"), ("unspecified", either)),
        "wide_output": ("unspecified", (*either, "ACLNN_ERR_INNER_NULLPTR")),
        "aliasing": ("unspecified", ("value", "any_error")),
        "nan_operand": ("unspecified", ("zero", "nan", "plus_minus_grad")),
        "grad_nonfinite_at_tie": ("unspecified", ("nan", "zero")),
        "equal_infinities": ("unspecified", ("zero", "nan")),
        "subnormals": ("unspecified", ("keep", "flush")),
        "subnormals_on_the_way": ("unspecified", ("keep", "flush")),
        "cast_overflow": ("unspecified", ("infinity", "largest")),
        "infinity_in_cast": ("unspecified", ("infinity", "largest")),
    }


def test_a_clause_keeps_all_that_its_file_says(spec: Spec) -> None:
    """Products, order, uniformity, sources and conflicts arrive in the objects."""
    operator = spec.operator(OPERATOR)
    mean, silent = operator.clause("mean"), operator.clause("aliasing").sources
    assert operator.clause("bfloat16_products").products == ("atlas_training", "atlas_inference")
    assert operator.clause("precedence").order[:4] == ("nullptr", "null_handles", "reduction", "deducible")
    assert [c.id for c in operator.clauses if c.uniform] == ["subnormals", "cast_overflow"]
    assert {c.id: c.follows for c in operator.clauses if c.follows} == {
        "subnormals_on_the_way": "subnormals",
        "infinity_in_cast": "cast_overflow",
    }
    assert [source.of for source in mean.sources] == ["page", "host", "maths"]
    assert [conflict.between for conflict in mean.conflicts] == [("page", "host")]
    assert silent == (Source(of="page", where=Text(zh="全文未提及", en="says nothing about it")),)
    assert (silent[0].where["zh"], silent[0].where["en"]) == ("全文未提及", "says nothing about it")
    with pytest.raises(KeyError, match="nowhere"):
        operator.clause("nowhere")


def test_an_unknown_operator_is_named(spec: Spec) -> None:
    """Asking for an operator that is not covered says which are."""
    with pytest.raises(InputError, match=f"^operator: found 'aclnnAdd', expected one of {', '.join(spec.operators)}$"):
        spec.operator("aclnnAdd")


def test_the_digest_depends_on_names_and_bytes_alone(root: Path) -> None:
    """A copy elsewhere has the same digest; another byte, another name, another file each change it."""
    before = spec_files(root)
    assert (load_spec(root).digest, len(load_spec().digest), load_spec().files) == (load_spec().digest, 64, before)
    (root / "README.md").write_text("not part of it", encoding="utf-8")
    os.utime(root / FILE, (1, 1))
    assert spec_files(root) == before
    digests = {str(before)}
    (root / FILE).write_text((root / FILE).read_text(encoding="utf-8") + " ", encoding="utf-8")
    digests.add(str(spec_files(root)))
    (root / "tables/casting.json").rename(root / "tables/castings.json")
    digests.add(str(spec_files(root)))
    (root / "operators/empty.json").write_text("{}", encoding="utf-8")
    digests.add(str(spec_files(root)))
    assert len(digests) == 4


def test_the_digest_is_the_same_in_another_process(spec: Spec) -> None:
    """Python's own hashing, which differs from process to process, has no part in the digest."""
    code = "from aclnn_spec.spec.read import load_spec; print(load_spec().digest)"
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        output = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
        assert output.strip() == spec.digest


MALFORMED: dict[str, tuple[Edit, str]] = {
    "unknown key": (put("colour", 1), f"(whole file): unknown key colour, expected only {KEYS}"),
    "unknown key inside": (put("title/fr", "x"), "title: unknown key fr, expected only zh, en"),
    "unknown product key": (
        put("products/Atlas A9", value=True),
        "products: unknown key Atlas A9, expected only keys of the form ^[a-z][a-z0-9_]*$",
    ),
    "missing key": (drop("errata"), f"(whole file): 'errata' is missing, expected {KEYS}"),
    "missing language": (drop("title/zh"), "title: 'zh' is missing, expected zh, en"),
    "empty text": (put("title/en", ""), "title.en: found '', expected at least 1 character"),
    "wrong type": (put("deterministic", "yes"), "deterministic: found 'yes', expected boolean"),
    "number for text": (put("name", 3), "name: found 3, expected string"),
    "object for text": (put("formula", {}), "formula: found {}, expected string"),
    "null": (put("errata", None), "errata: found null, expected array"),
    "wrong enum": (put("status", "final"), "status: 'final' is not one of stable, draft"),
    "wrong version": (put("version", "1.0"), r"version: '1.0' does not match ^[0-9]+\.[0-9]+\.[0-9]+$"),
    "wrong $schema": (
        put("$schema", "operator.json"),
        "$schema: found 'operator.json', expected 'https://aclnn-spec.dev/schema/operator.json'",
    ),
    "wrong role": (
        put("parameters/0/role", "inout"),
        "parameters[0].role: 'inout' is not one of input, output, attribute",
    ),
    "wrong role of an attribute": (
        put("parameters/3/role", "input"),
        "parameters[3].role: found 'input', expected 'attribute'",
    ),
    "unknown parameter kind": (
        put("parameters/3/kind", "double"),
        "parameters[3].kind: 'double' is not one of tensor, int64, float",
    ),
    "missing parameter kind": (
        drop("parameters/3/kind"),
        "parameters[3]: 'kind' is missing, expected one of tensor, int64, float",
    ),
    "key of the other kind": (
        put("parameters/3/rank", [1, 8]),
        "parameters[3]: unknown key rank, expected only name, role, kind, values, summary, sources",
    ),
    "parameter that is no object": (
        put("parameters/3", "reduction"),
        "parameters[3]: found 'reduction', expected an object whose kind is one of tensor, int64, float",
    ),
    "repeated type": (
        put("parameters/0/dtypes", ["FLOAT", "FLOAT16", "FLOAT"]),
        "parameters[0].dtypes: found 'FLOAT' more than once, expected distinct items",
    ),
    "type in lower case": (
        put("parameters/0/dtypes/0", "float"),
        "parameters[0].dtypes[0]: 'float' does not match ^[A-Z][A-Z0-9_]*$",
    ),
    "rank too high": (put("parameters/0/rank", [1, 9]), "parameters[0].rank[1]: found 9, expected at most 8"),
    "rank below zero": (put("parameters/0/rank", [-1, 8]), "parameters[0].rank[0]: found -1, expected at least 0"),
    "rank of three": (
        put("parameters/0/rank", [1, 2, 3]),
        "parameters[0].rank: found [1, 2, 3], expected at most 2 items",
    ),
    "float for an integer": (put("parameters/0/rank", [1.0, 8]), "parameters[0].rank[0]: found 1.0, expected integer"),
    "outcome that is no word": (
        put("clauses/sign/outcome", "valu"),
        f"clauses[sign].outcome: found 'valu', expected {OUTCOMES}",
    ),
    "outcome that is a number": (
        put("clauses/sign/outcome", 5),
        f"clauses[sign].outcome: found 5, expected {OUTCOMES}",
    ),
    "outcome that is no kind": (
        put("clauses/nullptr/outcome", {"errors": ["ACLNN_SUCCESS"]}),
        f"clauses[nullptr].outcome: found {{'errors': ['ACLNN_SUCCESS']}}, expected {OUTCOMES}",
    ),
    "two outcomes": (
        put("clauses/nullptr/outcome/unspecified", ["value", "nan"]),
        "clauses[nullptr].outcome: unknown key unspecified, expected only error",
    ),
    "outcome missing": (
        drop("clauses/sign/outcome"),
        "clauses[sign]: 'outcome' is missing, expected id, outcome, text, sources",
    ),
    "outcome missing beside a rule": (
        drop("clauses/nullptr/outcome"),
        "clauses[nullptr]: 'outcome' is missing, expected id, outcome, text, sources",
    ),
    "no code": (
        put("clauses/nullptr/outcome/error", []),
        "clauses[nullptr].outcome.error: found [], expected at least 1 item",
    ),
    "code that is no list": (
        put("clauses/nullptr/outcome/error", "ACLNN_SUCCESS"),
        "clauses[nullptr].outcome.error: found 'ACLNN_SUCCESS', expected array",
    ),
    "code that is a number": (
        put("clauses/nullptr/outcome/error", ["161001"]),
        f"clauses[nullptr].outcome.error[0]: '161001' does not match {CODE}",
    ),
    "one label": (
        put("clauses/rank_0/outcome/unspecified", ["value"]),
        "clauses[rank_0].outcome.unspecified: found ['value'], expected at least 2 items",
    ),
    "unknown label": (
        put("clauses/rank_0/outcome/unspecified/1", "whatever"),
        f"clauses[rank_0].outcome.unspecified[1]: found 'whatever', expected one of {LABELS} or the form {CODE}",
    ),
    "uniform false": (
        put("clauses/subnormals/outcome/uniform", value=False),
        "clauses[subnormals].outcome.uniform: found false, expected true",
    ),
    "unknown key of an outcome": (
        put("clauses/subnormals/outcome/unifrm", value=True),
        "clauses[subnormals].outcome: unknown key unifrm, expected only unspecified, uniform, follows",
    ),
    "unknown source": (
        put("clauses/sign/sources/0/of", "hearsay"),
        f"clauses[sign].sources[0].of: 'hearsay' is not one of {SOURCES}",
    ),
    "no source": (put("clauses/sign/sources", []), "clauses[sign].sources: found [], expected at least 1 item"),
    "sources missing": (
        drop("clauses/sign/sources"),
        "clauses[sign]: 'sources' is missing, expected id, outcome, text, sources",
    ),
    "conflict of one": (
        put("clauses/mean/conflicts/0/between", ["page"]),
        "clauses[mean].conflicts[0].between: found ['page'], expected at least 2 items",
    ),
    "clause id": (put("clauses/sign/id", "Sign"), "clauses[sign].id: 'Sign' does not match ^[a-z][a-z0-9_]*$"),
    "error clause without a rule": (
        drop("clauses/nullptr/rule"),
        "clauses[nullptr]: found none of the keys rule, order, expected exactly one",
    ),
    "error clause with rule and order": (
        put("clauses/nullptr/order", ["castable", "reduction"]),
        "clauses[nullptr]: found rule, order of the keys rule, order, expected exactly one",
    ),
    "value clause with a rule": (
        put("clauses/sign/rule", {"kind": "not_null", "on": ["self"]}),
        "clauses[sign].rule: found {'kind': 'not_null', 'on': ['self']}, expected no such key here",
    ),
    "value clause with an order": (
        put("clauses/sign/order", ["castable", "reduction"]),
        "clauses[sign].order: found ['castable', 'reduction'], expected no such key here",
    ),
    "products without a rule": (
        put("clauses/sign/products", ["atlas_a3"]),
        "clauses[sign]: 'rule' is missing, expected wherever there is 'products'",
    ),
    "unknown rule kind": (
        put("clauses/max_rank/rule/kind", "max_size"),
        f"clauses[max_rank].rule.kind: 'max_size' is not one of {KINDS}",
    ),
    "misspelt rule kind": (
        put("clauses/castable/rule/kind", "castabel"),
        f"clauses[castable].rule.kind: 'castabel' is not one of {KINDS}",
    ),
    "rule without a kind": (
        drop("clauses/max_rank/rule/kind"),
        f"clauses[max_rank].rule: 'kind' is missing, expected one of {KINDS}",
    ),
    "rule that is empty": (
        put("clauses/max_rank/rule", {}),
        f"clauses[max_rank].rule: 'kind' is missing, expected one of {KINDS}",
    ),
    "rule that is no object": (
        put("clauses/max_rank/rule", "max_rank"),
        f"clauses[max_rank].rule: found 'max_rank', expected an object whose kind is one of {KINDS}",
    ),
    "key of a rule missing": (
        drop("clauses/max_rank/rule/rank"),
        "clauses[max_rank].rule: 'rank' is missing, expected kind, on, rank",
    ),
    "unknown key of a rule": (
        put("clauses/max_rank/rule/min", 1),
        "clauses[max_rank].rule: unknown key min, expected only kind, on, rank",
    ),
    "wrong type in a rule": (
        put("clauses/max_rank/rule/rank", "8"),
        "clauses[max_rank].rule.rank: found '8', expected integer",
    ),
    "tolerance of no form": (
        put("accuracy/1/ulp", "rank+2"),
        r"accuracy[1].ulp: 'rank+2' does not match ^(rank|[0-9]{1,6} \* sqrt\(count\)) \+ [0-9]{1,6}$",
    ),
    "negative tolerance": (put("accuracy/1/ulp", -1), "accuracy[1].ulp: found -1, expected at least 0"),
    "fractional tolerance": (put("accuracy/1/ulp", 2.0), "accuracy[1].ulp: found 2.0, expected integer or string"),
    "null in the example": (
        put("example/arguments/target", None),
        "example.arguments.target: found null, expected an object with dtype, shape or number",
    ),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_operator_file(root: Path, kind: str) -> None:
    """What the schema forbids is one line: file, path, what is there, what should be."""
    edit, line = MALFORMED[kind]
    change(root, FILE, edit)
    assert faults(root) == [f"{OPERATOR}.json: {numbered(line)}"]


MALFORMED_TABLES: dict[str, tuple[str, Edit, str]] = {
    "number in text": ("dtypes", put("dtypes/FLOAT/number", "0"), "dtypes[1].number: found '0', expected integer"),
    "two types allowed": (
        "dtypes",
        put("dtypes/FLOAT/bits", "32"),
        "dtypes[1].bits: found '32', expected integer or null",
    ),
    "storage": (
        "dtypes",
        put("dtypes/FLOAT/storage", "f4"),
        "dtypes[1].storage: 'f4' does not match ^[<|][fiubc][1-9][0-9]?$",
    ),
    "cell that is a number": ("deduction", put("rows/FLOAT/0", 7), "rows.FLOAT[0]: found 7, expected string or null"),
    "cell in lower case": (
        "deduction",
        put("rows/FLOAT/0", "float"),
        "rows.FLOAT[0]: 'float' does not match ^[A-Z][A-Z0-9_]*$",
    ),
    "kind": (
        "casting",
        put("rules/0/from", "complecks"),
        "rules[0].from: 'complecks' is not one of float, int, uint, bool, complex",
    ),
    "SoC": (
        "products",
        put("products/1/soc_prefixes/0", "Kirin"),
        "products[1].soc_prefixes[0]: 'Kirin' does not match ^Ascend[A-Za-z0-9_]+$",
    ),
    "share": ("accuracy", put("policies/community/share", 2), "policies[1].share: found 2, expected at most 1"),
    "unknown key": (
        "formats",
        put("formats/ND/size", 1),
        "formats[3]: unknown key size, expected only name, number, rank",
    ),
}


@pytest.mark.parametrize("kind", MALFORMED_TABLES)
def test_a_malformed_table(root: Path, kind: str) -> None:
    """The tables are held against their schemas like the operators."""
    table, edit, line = MALFORMED_TABLES[kind]
    change(root, f"tables/{table}.json", edit)
    assert faults(root) == [f"{table}.json: {line}"]


BROKEN = {
    "no JSON": (
        b'{"a": 1,}',
        "line 1, column 9: found no JSON (Expecting property name enclosed in double quotes)",
        "JSON",
    ),
    "empty": (b"", "line 1, column 1: found no JSON (Expecting value)", "JSON"),
    "cut short": (b'{"a": [1, 2', "line 1, column 12: found no JSON (Expecting ',' delimiter)", "JSON"),
    "not UTF-8": (b'{"a": "\xff"}', "found the byte 0xff at 7", "UTF-8"),
    "repeated key": (b'{"a": 1, "b": 2, "a": 1}', "found the key 'a' more than once in one object", "distinct keys"),
    "NaN": (b'{"a": NaN}', "found the number NaN", "a finite one"),
    "infinity": (b'{"a": [-Infinity]}', "found the number -Infinity", "a finite one"),
    "too large": (b'{"a": 1e999}', "found the number 1e999", "a finite one"),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("file", [FILE, "tables/casting.json", "schema/common.json"])
def test_a_file_that_is_no_clean_json(root: Path, file: str, kind: str) -> None:
    """What is no JSON, or what Python would read past the standard, is named with the file's path."""
    content, found, expected = BROKEN[kind]
    (root / file).write_bytes(content)
    where = "" if found.startswith("line") else " "
    assert faults(root) == [f"<root>/{file}:{where or ' '}{found}, expected {expected}"]


@pytest.mark.parametrize(("content", "found"), [("[]", "[]"), ("null", "null"), ("7", "7")])
def test_a_file_that_holds_no_object(root: Path, content: str, found: str) -> None:
    """A table must be an object with the table's keys."""
    (root / "tables/formats.json").write_text(content, encoding="utf-8")
    assert faults(root) == [f"formats.json: (whole file): found {found}, expected an object with $schema, formats"]


def test_missing_files(root: Path) -> None:
    """Every table that is not there is named, beside the faults of the files that are."""
    (root / "tables/dtypes.json").unlink()
    (root / "tables/casting.json").unlink()
    missing = [f"{name}.json: not found in <root>/tables" for name in ("casting", "dtypes")]
    assert faults(root) == missing
    change(root, FILE, put("status", "final"))
    assert faults(root) == [f"{OPERATOR}.json: status: 'final' is not one of stable, draft", *missing]


def test_a_table_nobody_knows(root: Path) -> None:
    """A table without a schema of its name is refused."""
    (root / "tables/colours.json").write_text("{}", encoding="utf-8")
    assert faults(root) == ["colours.json: no schema of this name in <root>/schema"]


def test_no_operator(root: Path) -> None:
    """A spec without operators is refused, whether the folder is empty or not there."""
    for path in (root / "operators").iterdir():
        path.unlink()
    assert faults(root) == ["<root>/operators: found no operator file there"]
    (root / "operators").rmdir()
    assert faults(root) == ["<root>/operators: found no operator file there"]


def test_no_spec_at_all(tmp_path: Path) -> None:
    """A directory that holds no spec is refused for want of schemas."""
    with pytest.raises(InputError) as caught:
        load_spec(str(tmp_path))
    assert caught.value.faults == (f"{tmp_path / 'schema'}: found no schema there",)


BAD_SCHEMAS: dict[str, tuple[str, str]] = {
    "wrong keyword": (
        '{"$id": "https://x.dev/a", "type": "objekt"}',
        "not a JSON schema: 'objekt' is not valid under any of the given schemas",
    ),
    "list": ("[]", "not a JSON schema: [] is not of type 'object', 'boolean'"),
    "no $id": ('{"type": "object"}', "$id: found none, expected the schema's own URI"),
    "true": ("true", "$id: found none, expected the schema's own URI"),
    "lost reference": (
        '{"$id": "https://x.dev/a", "$ref": "https://aclnn-spec.dev/schema/common.json#/$defs/texts"}',
        "$ref: found https://aclnn-spec.dev/schema/common.json#/$defs/texts, expected a schema that exists",
    ),
    "lost document": (
        '{"$id": "https://x.dev/a", "allOf": [{"$ref": "b#/x"}, {"$ref": "b#/y"}]}',
        "$ref: found b, expected a schema that exists",
    ),
}


@pytest.mark.parametrize("kind", BAD_SCHEMAS)
def test_a_schema_that_is_none(root: Path, kind: str) -> None:
    """A schema that cannot be used is named before any document is held against it."""
    content, line = BAD_SCHEMAS[kind]
    (root / "schema/operator.json").write_text(content, encoding="utf-8")
    assert faults(root) == [f"operator.json: {line}"]


def test_all_faults_of_all_files_are_collected(root: Path) -> None:
    """One run names the faults of every file, and all of a file's, in the order of the files."""
    (root / "tables/casting.json").write_text("{", encoding="utf-8")
    change(root, "tables/dtypes.json", put("dtypes/FLOAT/number", "0"), put("dtypes/INT8/kind", "integer"))
    change(
        root,
        FILE,
        drop("cann"),
        drop("header"),
        put("status", "final"),
        put("parameters/0/role", "inout"),
        put("parameters/0/rank", [1, 9]),
        put("clauses/max_rank/rule/kind", "max_size"),
        put("clauses/sign/sources", []),
    )
    assert faults(root) == [
        (
            "<root>/tables/casting.json: line 1, column 2: found no JSON (Expecting property name enclosed in double "
            "quotes), expected JSON"
        ),
        "dtypes.json: dtypes[1].number: found '0', expected integer",
        "dtypes.json: dtypes[3].kind: 'integer' is not one of float, int, uint, bool, complex, other",
        f"{OPERATOR}.json: status: 'final' is not one of stable, draft",
        f"{OPERATOR}.json: parameters[0].role: 'inout' is not one of input, output, attribute",
        f"{OPERATOR}.json: parameters[0].rank[1]: found 9, expected at most 8",
        numbered(f"{OPERATOR}.json: clauses[sign].sources: found [], expected at least 1 item"),
        f"{OPERATOR}.json: {numbered('clauses[max_rank]')}.rule.kind: 'max_size' is not one of {KINDS}",
        f"{OPERATOR}.json: (whole file): 'cann' is missing, expected {KEYS}",
        f"{OPERATOR}.json: (whole file): 'header' is missing, expected {KEYS}",
    ]


def test_the_message_holds_one_line_per_fault(root: Path) -> None:
    """The exception's text is the faults, one a line."""
    change(root, FILE, put("status", "final"), put("version", 1))
    with pytest.raises(InputError) as caught:
        load_spec(root)
    assert str(caught.value).split("\n") == list(caught.value.faults)
    assert len(caught.value.faults) == 2

"""What the schemas cannot say: names that lead nowhere, tables that contradict themselves, texts in one language."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec.spec import lint
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.read import data_root, load_spec

OPERATOR = "aclnnL1LossBackward"
DTYPES = (
    "UNDEFINED, FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, UINT16, UINT32, INT64, UINT64, DOUBLE, BOOL, STRING, "
    "COMPLEX64, COMPLEX128, BFLOAT16, INT4, UINT1, COMPLEX32, HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0, "
    "FLOAT6_E3M2, FLOAT6_E2M3, FLOAT4_E2M1, FLOAT4_E1M2"
)
COLUMNS = (
    "FLOAT, FLOAT16, DOUBLE, BFLOAT16, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, BOOL, COMPLEX32, "
    "COMPLEX64, COMPLEX128"
)
FORMATS = (
    "UNDEFINED, NCHW, NHWC, ND, NC1HWC0, FRACTAL_Z, NC1HWC0_C04, HWCN, NDHWC, FRACTAL_NZ, NCDHW, NDC1HWC0, "
    "FRACTAL_Z_3D, NC, NCL"
)
INNER = (
    "INFERSHAPE_ERROR, TILING_ERROR, FIND_KERNEL_ERROR, CREATE_EXECUTOR, NOT_TRANS_EXECUTOR, NULLPTR, "
    "WRONG_ATTR_INFO_SIZE, KEY_CONFLICT, INVALID_IMPL_MODE, OPP_PATH_NOT_FOUND, LOAD_JSON_FAILED, "
    "JSON_VALUE_NOT_FOUND, JSON_FORMAT_INVALID, JSON_DTYPE_INVALID, OPP_KERNEL_PKG_NOT_FOUND, OP_FILE_INVALID, "
    "ATTR_NUM_OUT_OF_BOUND, ATTR_LEN_NOT_ENOUGH, INPUT_NUM_IN_JSON_TOO_LARGE, INPUT_JSON_IS_NULL, "
    "STATIC_WORKSPACE_INVALID, STATIC_BLOCK_DIM_INVALID"
)
CODES = (
    "ACLNN_SUCCESS, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR, ACLNN_ERR_INNER, "
    + ", ".join(f"ACLNN_ERR_INNER_{name}" for name in INNER.split(", "))
)
PRODUCTS = "ascend950, atlas_a3, atlas_a2, atlas_200i_500_a2_inference, atlas_inference, atlas_training"
TENSORS = "gradOutput, self, target, gradInput"
PROTOTYPE = "gradOutput, self, target, reduction, gradInput, workspaceSize, executor"
BACKWARDS = "executor, workspaceSize, gradInput, reduction, target, self, gradOutput"
CHECKED = (
    "nullptr, null_handles, reduction, deducible, castable, supported, max_rank, max_rank_output, broadcastable, "
    "output_shape"
)
ERRORS = (
    "nullptr, null_handles, deducible, supported, castable, broadcastable, max_rank, max_rank_output, output_shape, "
    "reduction"
)

Edit = Callable[[Any], object]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Copy the spec's directory, with one operator."""
    copy = Path(shutil.copytree(data_root() / "spec", tmp_path / "spec"))
    for path in (copy / "operators").glob("*.json"):
        if path.stem != OPERATOR:
            path.unlink()
    return copy


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
    """Give an edit that removes what is at the path."""
    *parents, last = path.split("/")

    def edit(document: Any) -> None:
        owner = place(document, "/".join(parents))
        del owner[int(last) if isinstance(owner, list) else last]

    return edit


def change(root: Path, file: str, *edits: Edit) -> None:
    """Edit a JSON file of the copied spec."""
    path = root / file
    document = json.loads(path.read_text(encoding="utf-8"))
    for edit in edits:
        edit(document)
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def faults(root: Path) -> list[str]:
    """Load the spec in this directory and give the faults."""
    with pytest.raises(InputError) as caught:
        load_spec(root)
    return list(caught.value.faults)


def numbered(line: str) -> str:
    """Replace `<id>` by `clauses[index] (id)`, and `clauses[id]` by `clauses[index]`."""
    clauses = json.loads((data_root() / f"spec/operators/{OPERATOR}.json").read_text(encoding="utf-8"))["clauses"]
    for i, clause in enumerate(clauses):
        name = clause["id"]
        line = line.replace(f"<{name}>", f"clauses[{i}] ({name})").replace(f"clauses[{name}]", f"clauses[{i}]")
    return line


def test_an_untouched_copy_has_no_fault(root: Path) -> None:
    """The helpers of this file change nothing by themselves."""
    change(root, f"operators/{OPERATOR}.json")
    change(root, "tables/deduction.json")
    assert list(load_spec(root).operators) == [OPERATOR]


OPERATOR_FAULTS: dict[str, tuple[Edit, str]] = {
    "name": (put("name", "aclnnL1Loss"), f"name: found aclnnL1Loss, expected the file's own name {OPERATOR}"),
    "identical languages": (
        put("title/zh", "Gradient of the L1 loss"),
        "title: zh and en are identical: 'Gradient of the L1 loss'",
    ),
    "no Chinese in zh": (put("title/zh", "L1"), "title.zh: found no Chinese in 'L1'"),
    "Chinese in en": (put("title/en", "Gradient 梯度"), "title.en: found Chinese in 'Gradient 梯度'"),
    "Chinese comma in en": (put("clauses/sign/text/en", "a，b"), "clauses[sign].text.en: found Chinese in 'a，b'"),
    "blank text": (put("errata/0/reading/en", " \n"), "errata[0].reading.en: found an empty text"),
    "blank zh": (put("errata/0/reading/zh", " "), "errata[0].reading.zh: found an empty text"),
    "product missing": (
        drop("products/atlas_a3"),
        f"products: found {PRODUCTS.replace('atlas_a3, ', '')}, expected exactly {PRODUCTS}",
    ),
    "product too many": (
        put("products/atlas_a9", value=True),
        f"products: found {PRODUCTS}, atlas_a9, expected exactly {PRODUCTS}",
    ),
    "unknown product": (
        put("clauses/bfloat16_products/products/1", "atlas_a9"),
        f"<bfloat16_products>.products: found atlas_a9, expected a product: {PRODUCTS}",
    ),
    "unknown type": (
        put("parameters/self/dtypes/0", "FLOAT32"),
        f"parameters[1] (self).dtypes: found FLOAT32, expected a data type: {DTYPES}",
    ),
    "unknown format": (
        put("parameters/self/formats/0", "NX"),
        f"parameters[1] (self).formats: found NX, expected a format: {FORMATS}",
    ),
    "rank": (
        put("parameters/self/rank", [8, 1]),
        "parameters[1] (self).rank: found [8, 1], expected the smaller first",
    ),
    "repeated parameter": (
        put("parameters/1/name", "gradOutput"),
        "parameters: name gradOutput is given 2 times, expected once",
    ),
    "prototype too short": (
        drop("prototypes/get_workspace_size/parameters/6"),
        f"prototypes.get_workspace_size.parameters: found {PROTOTYPE.removesuffix(', executor')}, expected {PROTOTYPE}",
    ),
    "prototype in another order": (
        lambda data: data["prototypes"]["get_workspace_size"]["parameters"].reverse(),
        f"prototypes.get_workspace_size.parameters: found {BACKWARDS}, expected {PROTOTYPE}",
    ),
    "two outputs": (
        put("parameters/self/role", "output"),
        "parameters: found no single output, expected one parameter of role output",
    ),
    "repeated clause": (put("clauses/1/id", "sign"), "clauses: id sign is given 2 times, expected once"),
    "unknown code": (
        put("clauses/nullptr/outcome/error/0", "ACLNN_ERR_PARAM_NULL"),
        f"<nullptr>.outcome.error: found ACLNN_ERR_PARAM_NULL, expected a status code: {CODES}",
    ),
    "unknown code among labels": (
        put("clauses/rank_0/outcome/unspecified/1", "ACLNN_ERR_NOPE"),
        f"<rank_0>.outcome.unspecified: found ACLNN_ERR_NOPE, expected a status code: {CODES}",
    ),
    "follows what is not uniform": (
        put("clauses/subnormals_on_the_way/outcome/follows", "nan_operand"),
        "<subnormals_on_the_way>.outcome.follows: found nan_operand, expected the id of a clause that is uniform",
    ),
    "follows what has one outcome": (
        put("clauses/subnormals_on_the_way/outcome/follows", "sign"),
        "<subnormals_on_the_way>.outcome.follows: found sign, expected the id of a clause that is uniform",
    ),
    "follows nothing": (
        put("clauses/subnormals_on_the_way/outcome/follows", "nowhere"),
        "<subnormals_on_the_way>.outcome.follows: found nowhere, expected the id of a clause that is uniform",
    ),
    "rule on an unknown parameter": (
        put("clauses/nullptr/rule/on/3", "out"),
        f"<nullptr>.rule.on: found out, expected a parameter of this kind: {TENSORS}, workspaceSize, executor",
    ),
    "rule of an unknown parameter": (
        put("clauses/output_shape/rule/of/0", "grad"),
        f"<output_shape>.rule.of: found grad, expected a parameter of this kind: {TENSORS}",
    ),
    "rule to an unknown parameter": (
        put("clauses/castable/rule/to", "out"),
        f"<castable>.rule.to: found out, expected a parameter of this kind: {TENSORS}",
    ),
    "rank of an attribute": (
        put("clauses/max_rank/rule/on/0", "reduction"),
        f"<max_rank>.rule.on: found reduction, expected a parameter of this kind: {TENSORS}",
    ),
    "values of a tensor": (
        put("clauses/reduction/rule/on", ["self"]),
        "<reduction>.rule.on: found self, expected a parameter of this kind: reduction",
    ),
    "values that are not those declared": (
        put("clauses/reduction/rule/values", [0, 1]),
        "<reduction>.rule.values: found [0, 1], expected [0, 1, 2] as parameter reduction lists them",
    ),
    "unknown type in a rule": (
        put("clauses/supported/rule/dtypes/0", "HALF"),
        f"<supported>.rule.dtypes: found HALF, expected a data type: {DTYPES}",
    ),
    "unknown format in a rule": (
        put("clauses/other_formats/rule/formats/0", "NX"),
        f"<other_formats>.rule.formats: found NX, expected a format: {FORMATS}",
    ),
    "order incomplete": (
        drop("clauses/precedence/order/9"),
        f"<precedence>.order: found {CHECKED.removesuffix(', output_shape')}, expected each of {ERRORS} once",
    ),
    "order of other clauses": (
        put("clauses/precedence/order", ["sign", "mean"]),
        f"<precedence>.order: found sign, mean, expected each of {ERRORS} once",
    ),
    "unknown reduction": (
        put("accuracy/0/when/reduction/0", "nil"),
        "accuracy[0].when.reduction: found nil, expected a reduction: none, mean, sum",
    ),
    "unknown type in accuracy": (
        put("accuracy/1/when/dtype/0", "FLOAT32"),
        f"accuracy[1].when.dtype: found FLOAT32, expected a data type: {DTYPES}",
    ),
    "unknown condition": (
        put("accuracy/0/when/colour", ["red"]),
        "accuracy[0].when: found colour, expected a key: reduction, dtype",
    ),
    "reduction without tolerance": (
        put("accuracy/0/when/reduction", ["none"]),
        "accuracy: found nothing on sum with FLOAT, FLOAT16, BFLOAT16, expected a tolerance",
    ),
    "type without tolerance": (
        put("accuracy/2/when/dtype", ["FLOAT16"]),
        "accuracy: found nothing on mean with BFLOAT16, expected a tolerance",
    ),
    "repeated erratum": (
        put("errata/1/id", "out_in_null_row"),
        "errata: id out_in_null_row is given 2 times, expected once",
    ),
    "example lacks an argument": (
        drop("example/arguments/target"),
        (
            "example.arguments: found gradOutput, self, reduction, gradInput, "
            "expected gradOutput, self, target, reduction, gradInput"
        ),
    ),
    "number for a tensor": (
        put("example/arguments/target", 1),
        "example.arguments.target: found 1, expected a value of kind tensor",
    ),
    "value not declared": (
        put("example/arguments/reduction", 7),
        "example.arguments.reduction: found 7, expected a value of reduction: 0, 1, 2",
    ),
    "unknown type in the example": (
        put("example/arguments/self/dtype", "HALF"),
        f"example.arguments.self.dtype: found HALF, expected a data type: {DTYPES}",
    ),
    "data that do not fill the shape": (
        put("example/arguments/self/data", [1, 2]),
        "example.arguments.self.data: found 2 numbers, expected 4 for [2, 2]",
    ),
    "result that does not fill the shape": (
        put("example/result", [0]),
        "example.result: found 1 numbers, expected 4 for [2, 2]",
    ),
}


@pytest.mark.parametrize("kind", OPERATOR_FAULTS)
def test_a_fault_in_an_operator_file(root: Path, kind: str) -> None:
    """Each fault is one line: file, path with the clause or parameter by name, what is there, what should be."""
    edit, line = OPERATOR_FAULTS[kind]
    change(root, f"operators/{OPERATOR}.json", edit)
    assert faults(root) == [f"{OPERATOR}.json: {numbered(line)}"]


TABLE_FAULTS: dict[str, tuple[str, Edit, str]] = {
    "asymmetrical": (
        "deduction",
        put("rows/FLOAT/3", "DOUBLE"),
        "rows.FLOAT[3]: found DOUBLE, expected FLOAT as in rows.BFLOAT16[0] (symmetry)",
    ),
    "asymmetrical null": (
        "deduction",
        put("rows/UINT16/0", "FLOAT"),
        "rows.FLOAT[7]: found null, expected FLOAT as in rows.UINT16[0] (symmetry)",
    ),
    "not itself": (
        "deduction",
        put("rows/BOOL/12", "INT8"),
        "rows.BOOL[12]: found INT8, expected BOOL: a type and itself",
    ),
    "itself null": (
        "deduction",
        put("rows/BOOL/12", None),
        "rows.BOOL[12]: found null, expected BOOL: a type and itself",
    ),
    "row missing": (
        "deduction",
        drop("rows/FLOAT"),
        f"rows: found {COLUMNS.removeprefix('FLOAT, ')}, expected one for each of {COLUMNS}, in that order",
    ),
    "cell missing": ("deduction", drop("rows/FLOAT/15"), "rows.FLOAT: found 15 cells, expected 16"),
    "cell too many": (
        "deduction",
        lambda data: data["rows"]["INT8"].append(None),
        "rows.INT8: found 17 cells, expected 16",
    ),
    "cell outside the table": (
        "deduction",
        put("rows/FLOAT/3", "HIFLOAT8"),
        f"rows.FLOAT[3]: found HIFLOAT8, expected a data type of this table: {COLUMNS}",
    ),
    "unknown column": (
        "deduction",
        put("dtypes/0", "FLOAT32"),
        f"dtypes: found FLOAT32, expected a data type: {DTYPES}",
    ),
    "repeated number": ("dtypes", put("dtypes/INT8/number", 1), "dtypes: number 1 is given 2 times, expected once"),
    "repeated spelling": (
        "dtypes",
        put("dtypes/INT8/spellings", ["INT8", "FLOAT32"]),
        "dtypes: spelling FLOAT32 is given 2 times, expected once",
    ),
    "own name not among the spellings": (
        "dtypes",
        put("dtypes/FLOAT16/spellings", ["HALF"]),
        "dtypes[2].spellings: found HALF, expected FLOAT16 among them",
    ),
    "repeated format": ("formats", put("formats/NCL/name", "NC"), "formats: name NC is given 2 times, expected once"),
    "repeated format number": (
        "formats",
        put("formats/NCL/number", 2),
        "formats: number 2 is given 2 times, expected once",
    ),
    "repeated code": (
        "status_codes",
        put("status_codes/ACLNN_ERR_INNER/number", 0),
        "status_codes: number 0 is given 2 times, expected once",
    ),
    "no code of success": (
        "status_codes",
        put("status_codes/0/name", "ACLNN_ERR_FINE"),
        "status_codes: found no ACLNN_SUCCESS, expected the code of a good call",
    ),
    "repeated product": (
        "products",
        put("products/1/id", "ascend950"),
        "products: id ascend950 is given 2 times, expected once",
    ),
    "repeated SoC": (
        "products",
        put("products/1/soc_prefixes", ["Ascend950"]),
        "products: SoC prefix Ascend950 is given 2 times, expected once",
    ),
    "repeated source": (
        "sources",
        lambda data: data["sources"].append(data["sources"][0]),
        "sources: id page is given 2 times, expected once",
    ),
    "repeated cast": ("casting", put("rules/1/from", "float"), "rules: from float is given 2 times, expected once"),
    "no strict policy": ("accuracy", drop("policies/0"), "policies: found community, expected strict among them"),
    "unknown type in a policy": (
        "accuracy",
        put("policies/community/dtypes/HALF", {"rtol": 1, "atol": 1, "limit": 1}),
        f"policies[1].dtypes: found HALF, expected a data type: {DTYPES}",
    ),
    "texts of a table": (
        "status_codes",
        put("status_codes/0/meaning/zh", "ok"),
        "status_codes[0].meaning.zh: found no Chinese in 'ok'",
    ),
}


@pytest.mark.parametrize("kind", TABLE_FAULTS)
def test_a_fault_in_a_table(root: Path, kind: str) -> None:
    """A table that repeats or contradicts itself, or names what no table has, is one line."""
    table, edit, line = TABLE_FAULTS[kind]
    change(root, f"tables/{table}.json", edit)
    assert faults(root) == [f"{table}.json: {line}"]


def test_a_type_given_twice(root: Path) -> None:
    """A repeated type repeats its spellings, so both are said."""
    copied = {"name": "INT4", "number": 41, "spellings": ["INT4"], "kind": "other", "bits": 4, "storage": None}
    change(root, "tables/dtypes.json", put("dtypes/27", copied))
    assert faults(root) == [
        "dtypes.json: dtypes: name INT4 is given 2 times, expected once",
        "dtypes.json: dtypes: spelling INT4 is given 2 times, expected once",
    ]


def test_a_source_that_its_table_lost(root: Path) -> None:
    """A source must be in the table of sources, wherever it is named."""
    change(root, "tables/sources.json", drop("sources/5"))
    known = "page, context, host, kernel, runtime, maths"
    assert faults(root) == [f"accuracy.json: policies[1].sources[0].of: found policy, expected a source: {known}"]
    change(root, "tables/accuracy.json", put("policies/1/sources/0/of", "page"))
    assert faults(root) == [
        numbered(f"{OPERATOR}.json: clauses[{clause}].sources[0].of: found policy, expected a source: {known}")
        for clause in ("subnormals", "subnormals_on_the_way")
    ]


def test_a_conflict_between_sources_that_the_table_lost(root: Path) -> None:
    """The sources a conflict is between must be in the table, too."""
    change(root, "tables/sources.json", drop("sources/2"))
    lines = [line for line in faults(root) if "conflicts" in line]
    assert lines[0] == numbered(
        f"{OPERATOR}.json: <mean>.conflicts[0].between: found host, "
        "expected a source: page, context, kernel, runtime, policy, maths"
    )


def test_all_faults_are_collected(root: Path) -> None:
    """One run names every fault of the tables; once those are mended, every fault of the operators."""
    change(root, "tables/deduction.json", put("rows/FLOAT/3", "DOUBLE"), put("rows/BOOL/12", "INT8"))
    change(root, "tables/products.json", put("products/1/id", "ascend950"), put("products/0/name/en", "昇腾"))
    assert faults(root) == [
        "products.json: products[0].name.en: found Chinese in '昇腾'",
        "products.json: products: id ascend950 is given 2 times, expected once",
        "deduction.json: rows.FLOAT[3]: found DOUBLE, expected FLOAT as in rows.BFLOAT16[0] (symmetry)",
        "deduction.json: rows.BOOL[12]: found INT8, expected BOOL: a type and itself",
    ]
    for table in ("deduction", "products"):
        shutil.copy(data_root() / f"spec/tables/{table}.json", root / f"tables/{table}.json")
    change(
        root,
        f"operators/{OPERATOR}.json",
        put("title/en", "梯度"),
        put("parameters/self/rank", [8, 1]),
        put("clauses/1/id", "sign"),
        put("clauses/castable/rule/to", "out"),
        put("errata/1/id", "out_in_null_row"),
        put("example/result", [0]),
    )
    assert faults(root) == [
        f"{OPERATOR}.json: {numbered(line)}"
        for line in (
            "title.en: found Chinese in '梯度'",
            "parameters[1] (self).rank: found [8, 1], expected the smaller first",
            "clauses: id sign is given 2 times, expected once",
            f"<castable>.rule.to: found out, expected a parameter of this kind: {TENSORS}",
            "errata: id out_in_null_row is given 2 times, expected once",
            "example.result: found 1 numbers, expected 4 for [2, 2]",
        )
    ]


def test_lint_stands_by_itself() -> None:
    """An error clause that the schema let through without a rule is refused with the kinds of rule there are."""
    spec = load_spec()
    data = json.loads((data_root() / f"spec/operators/{OPERATOR}.json").read_text(encoding="utf-8"))
    drop("clauses/nullptr/rule")(data)
    put("clauses/sign/sources", [])(data)
    put("clauses/precedence/order", spec.operator(OPERATOR).clause("precedence").order[1:])(data)
    assert lint.lint_operator(OPERATOR, data, spec.tables) == [
        numbered(f"{OPERATOR}.json: <sign>.sources: found none, expected at least one"),
        numbered(
            f"{OPERATOR}.json: <nullptr>: an error clause without a rule; expected one of not_null, deducible, "
            "deduced_in, castable, broadcastable, max_rank, min_rank, shape_is_broadcast, shape_is, one_of, at_least, "
            "finite, dtype_in, dtype_not_in, same_dtype, not_both, format_in, no_alias"
        ),
    ]

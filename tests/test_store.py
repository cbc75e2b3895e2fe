"""Golden data on disk: what is written comes back, byte for byte the same each time, and no fault passes."""

import hashlib
import io
import json
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclnn_spec.golden import npz, store
from aclnn_spec.golden.case import GROUPS, ORDERS, Alternative, Case, Outcome, Tolerance
from aclnn_spec.golden.store import Golden, load_golden
from aclnn_spec.golden.tensor import COMPLEX32, Array, Tensor, bfloat16, bits, blank, numpy_dtype
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.files import canonical_json
from aclnn_spec.spec.model import TensorDesc, Text
from aclnn_spec.spec.read import Spec, load_spec

NAME = "aclnnL1LossBackward"
REASON = Text(zh="试", en="A test")
SUCCESS = Outcome(kind="value", codes=("ACLNN_SUCCESS",))
INVALID = Outcome(kind="error", codes=("ACLNN_ERR_PARAM_INVALID",))
ALIASED = Outcome(kind="unspecified", codes=("ACLNN_SUCCESS", "any_error"))
PartEdit = Callable[[Any, dict[str, Array]], object]
"""Changes a part's JSON and its arrays."""


@pytest.fixture(scope="module")
def spec() -> Spec:
    """Give the packaged spec."""
    return load_spec()


def tensor(spec: Spec, dtype: str, shape: tuple[int, ...], size: int | None = None, **layout: Any) -> Tensor:
    """Make a tensor whose storage, of `size` elements, holds a different value in every byte."""
    kind = spec.tables.dtypes[dtype]
    desc = TensorDesc(dtype=kind, shape=shape, **layout)
    size = int(np.prod(desc.storage_shape)) if size is None else size
    raw = np.arange(size * numpy_dtype(kind).itemsize).astype(np.uint8)
    storage = (raw % 2 if dtype == "BOOL" else raw).view(numpy_dtype(kind))
    return Tensor(**vars(desc), storage=storage)


def make(spec: Spec, what: str, dtype: str = "FLOAT", shape: tuple[int, ...] = (2, 3), **fields: Any) -> Case:
    """Make a case of one type and shape; the values mean nothing."""
    dtypes = spec.tables.dtypes
    arguments: dict[str, Any] = {name: tensor(spec, dtype, shape) for name in ("gradOutput", "self", "target")}
    arguments |= {"reduction": 1, "gradInput": blank(arguments["self"], dtypes[dtype])}
    expected = tensor(spec, dtype, shape)
    given = {
        "group": "basic",
        "clauses": ("sign", "mean"),
        "reason": REASON,
        "arguments": arguments,
        "outcome": SUCCESS,
        "expected": replace(expected, storage_shape=(expected.storage.size,)),
        "tolerance": Tolerance(ulp=4, dtype=dtypes[dtype], common=dtypes["FLOAT"]),
    }
    return Case(id=f"{NAME}/{what}", operator=NAME, **{**given, **fields})


def failing(spec: Spec, what: str, **arguments: Any) -> Case:
    """Make a case of a call that fails, with some arguments replaced; its inputs are all canary, like its output."""
    plain = make(spec, what, group="status", clauses=("nullptr",), outcome=INVALID)
    output = plain.arguments["gradInput"]
    canary = dict.fromkeys(("gradOutput", "self", "target"), blank(output, spec.tables.dtypes[output.dtype]))
    return replace(plain, arguments={**plain.arguments, **canary, **arguments}, expected=None, tolerance=None)


def repeated(spec: Spec, what: str) -> Case:
    """Make a case whose expected output and alternatives are stored with stride 0."""
    values: dict[str, Any] = {"strides": (0, 1), "storage_shape": (3,)}
    zero = Alternative(clause="nan_operand", label="zero", values=tensor(spec, "FLOAT", (2, 3), **values))
    nan = replace(
        zero, label="nan", values=replace(zero.values, strides=(3, 1), storage_shape=(6,), storage=np.zeros(6, "f4"))
    )
    return make(spec, what, group="special", expected=zero.values, alternatives=(zero, nan))


def aliased(spec: Spec, what: str) -> Case:
    """Make a case whose output lies in the storage of an input."""
    plain = make(spec, what, group="open", clauses=("aliasing",), outcome=ALIASED, alias={"gradInput": "self"})
    return replace(plain, arguments={**plain.arguments, "gradInput": plain.arguments["self"]})


def strided(spec: Spec, what: str) -> Case:
    """Make a case of tensors with gaps, an offset, a format, and a storage of another shape."""
    layout: dict[str, Any] = {
        "strides": (8, 2),
        "offset": 3,
        "storage_shape": (4, 5),
        "format": spec.tables.formats["NCHW"],
    }
    view = tensor(spec, "FLOAT", (2, 3), **layout)
    output = blank(view, spec.tables.dtypes["FLOAT"])
    plain = make(spec, what, group="layout")
    return replace(plain, arguments={**plain.arguments, "self": view, "gradInput": output})


def every_kind(spec: Spec) -> list[Case]:
    """Give one case of everything that a part can hold."""
    return [
        make(spec, "basic/plain"),
        *(
            make(spec, f"basic/{dtype}", dtype)
            for dtype in ("FLOAT16", "BFLOAT16", "COMPLEX32", "COMPLEX128", "BOOL", "INT64")
        ),
        make(spec, "empty/middle", shape=(2, 0, 3)),
        make(spec, "empty/BFLOAT16", "BFLOAT16", shape=(0,)),
        make(spec, "basic/scalar", "BFLOAT16", shape=()),
        strided(spec, "layout/gaps"),
        repeated(spec, "special/repeated"),
        aliased(spec, "open/alias"),
        failing(spec, "status/null", self=None, gradInput=None),
        failing(spec, "status/reduction", reduction=-(2**63)),
        failing(spec, "status/handle", executor=None),
        make(spec, "lifecycle/again", group="lifecycle", order="again"),
        make(spec, "lifecycle/nested", group="lifecycle", order="nested", partner=f"{NAME}/basic/plain"),
    ]


def write_tier(directory: Path, spec: Spec, *parts: list[Case]) -> None:
    """Write a tier: core if there is one part, else full."""
    tier = "core" if len(parts) == 1 else "full"
    files: list[store.GoldenFile] = []
    for i, cases in enumerate(parts):
        name = NAME if tier == "core" else f"{NAME}-{i:03d}"
        files += store.write_part(directory, spec.operator(NAME), tier, name, cases)
    hashes = spec.files
    (directory / "manifest.json").write_bytes(store.manifest_bytes(tier, hashes, files))


def edit_part(directory: Path, edit: PartEdit, part: str = NAME) -> None:
    """Change a part's JSON and arrays, and make the manifest fit them again."""
    document = json.loads((directory / f"{part}.json").read_bytes())
    arrays = dict(npz.read((directory / f"{part}.npz").read_bytes(), "npz"))
    edit(document, arrays)
    (directory / f"{part}.json").write_bytes(canonical_json(document))
    with (directory / f"{part}.npz").open("wb") as file:
        npz.write(file, arrays.items())
    edit_manifest(directory, lambda manifest: reseal(directory, manifest))


def reseal(directory: Path, manifest: Any) -> None:
    """Make the manifest's figures those of the files."""
    for entry in manifest["files"]:
        data = (directory / entry["name"]).read_bytes()
        entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        if "cases" in entry and isinstance(json.loads(data), dict):
            cases = json.loads(data).get("cases")
            entry["cases"] = len(cases) if isinstance(cases, list) else 0


def edit_manifest(directory: Path, edit: Callable[[Any], object]) -> None:
    """Change the manifest."""
    path = directory / "manifest.json"
    manifest = json.loads(path.read_bytes())
    edit(manifest)
    path.write_bytes(canonical_json(manifest))


def faults_of(read: Callable[[], object]) -> tuple[str, ...]:
    """Give the faults that reading raises."""
    with pytest.raises(InputError) as caught:
        read()
    return caught.value.faults


def read_all(directory: Path, spec: Spec) -> list[Case]:
    """Read every case of a tier."""
    return list(Golden(directory, spec).cases())


def plain(value: Any) -> Any:
    """Give a value in which tensors are told apart by all they hold, storages byte by byte."""
    if isinstance(value, Tensor):
        fields = {name: plain(field) for name, field in vars(value).items() if name != "storage"}
        return fields | {"storage": (value.storage.dtype, bits(value.storage).tobytes())}
    if isinstance(value, Case | Alternative):
        return {name: plain(field) for name, field in vars(value).items()}
    if isinstance(value, dict):
        return {name: plain(field) for name, field in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.fixture
def tier(tmp_path: Path, spec: Spec) -> Path:
    """Write a core tier with one case of every kind."""
    write_tier(tmp_path, spec, every_kind(spec))
    return tmp_path


def test_everything_comes_back(tier: Path, spec: Spec) -> None:
    """Types, layouts, empty and repeated tensors, aliases, nulls and alternatives survive the round trip."""
    assert [plain(case) for case in read_all(tier, spec)] == [plain(case) for case in every_kind(spec)]


def test_bytes_never_vary(tier: Path, spec: Spec, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two writes give identical files, and so does writing what was read."""
    second, third = tmp_path_factory.mktemp("second"), tmp_path_factory.mktemp("third")
    write_tier(second, spec, every_kind(spec))
    write_tier(third, spec, load_golden(tier / f"{NAME}.json", spec))
    contents = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in (tier, second, third)]
    assert contents[0].keys() == {f"{NAME}.json", f"{NAME}.npz", "manifest.json"}
    assert contents == [contents[0]] * 3


def test_part_files_are_what_write_part_writes(tier: Path, spec: Spec) -> None:
    """The bytes of a part can be had without touching the disk."""
    text, write = store.part_files(spec.operator(NAME), "core", NAME, every_kind(spec))
    file = io.BytesIO()
    write(file)
    assert text == (tier / f"{NAME}.json").read_bytes()
    assert file.getvalue() == (tier / f"{NAME}.npz").read_bytes()


def test_defaults_are_left_out(spec: Spec) -> None:
    """The JSON of a plain case holds nothing that its reader would assume anyway."""
    text, _ = store.part_files(spec.operator(NAME), "core", NAME, [make(spec, "basic/plain")])
    desc = {"dtype": "FLOAT", "shape": [2, 3]}
    assert json.loads(text) == {
        "$schema": "https://aclnn-spec.dev/schema/golden.json",
        "operator": NAME,
        "tier": "core",
        "part": NAME,
        "generated_from": f"spec/operators/{NAME}.json",
        "canary": 165,
        "cases": [
            {
                "id": f"{NAME}/basic/plain",
                "group": "basic",
                "clauses": ["sign", "mean"],
                "reason": {"zh": "试", "en": "A test"},
                "arguments": {
                    "gradOutput": desc,
                    "self": desc,
                    "target": desc,
                    "reduction": 1,
                    "gradInput": desc,
                },
                "outcome": {"kind": "value", "codes": ["ACLNN_SUCCESS"]},
                "expected": {},
                "tolerance": {"ulp": 4, "dtype": "FLOAT", "common": "FLOAT"},
            }
        ],
    }


def test_members_are_named_by_case_and_parameter(spec: Spec) -> None:
    """Inputs, the expected output and the alternatives are stored; outputs and aliases are not."""
    _, write = store.part_files(
        spec.operator(NAME), "core", NAME, [repeated(spec, "special/a"), aliased(spec, "open/b")]
    )
    file = io.BytesIO()
    write(file)
    with np.load(io.BytesIO(file.getvalue()), allow_pickle=False) as loaded:
        assert loaded.files == [
            *(f"{NAME}/special/a/{name}" for name in ("gradOutput", "self", "target", "expected")),
            *(f"{NAME}/special/a/alternative.{i}" for i in (0, 1)),
            *(f"{NAME}/open/b/{name}" for name in ("gradOutput", "self", "target", "expected")),
        ]
        assert loaded[f"{NAME}/special/a/expected"].shape == (3,)


def test_an_output_that_is_not_canary_is_not_written(spec: Spec) -> None:
    """Outputs are not stored, so that a prepared one would be lost in silence."""
    case = make(spec, "basic/plain")
    case.arguments["gradInput"].storage[1] = 0
    _, write = store.part_files(spec.operator(NAME), "core", NAME, [case])
    with pytest.raises(ValueError, match="basic/plain: gradInput: found other bytes, expected the canary"):
        write(io.BytesIO())


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("kind", [str, Path])
def test_load_golden_gives_true_types(tier: Path, spec: Spec, suffix: str, kind: type[str | Path]) -> None:
    """Either file of a part names it; arrays have the types they stand for and cannot be changed."""
    cases = {case.id.split("/")[-1]: case for case in load_golden(kind(tier / f"{NAME}{suffix}"), spec)}
    storages = {name: cases[name].arguments["self"].storage for name in ("BFLOAT16", "COMPLEX32", "BOOL")}
    assert {name: storage.dtype for name, storage in storages.items()} == {
        "BFLOAT16": bfloat16(),
        "COMPLEX32": COMPLEX32,
        "BOOL": np.dtype(np.bool),
    }
    assert not any(storage.flags.writeable for storage in storages.values())
    assert cases["alias"].arguments["gradInput"].storage is cases["alias"].arguments["self"].storage


def test_load_golden_uses_the_packaged_spec(tier: Path, spec: Spec) -> None:
    """Without a spec, the packaged one says what the files mean."""
    found = [case.id for case in load_golden(tier / f"{NAME}.json")]
    assert found == [case.id for case in every_kind(spec)]


@pytest.mark.parametrize("name", ["other.json", f"{NAME}.txt", "manifest.json"])
def test_load_golden_refuses_what_is_no_part(tier: Path, spec: Spec, name: str) -> None:
    """A path that is not in the manifest is named, with those that are."""
    (fault,) = faults_of(lambda: load_golden(tier / name, spec))
    assert fault == f"{tier / name}: found no such part in manifest.json, expected one of {NAME}"


def test_a_tier_is_read_part_by_part(tmp_path: Path, spec: Spec) -> None:
    """Ids, operators, digest and cases of several parts; the shards together are the whole."""
    first, second = [make(spec, f"basic/{i}") for i in range(3)], [make(spec, f"mean/{i}") for i in range(2)]
    write_tier(tmp_path, spec, first, second)
    golden = Golden(tmp_path, spec)
    ids = tuple(case.id for case in [*first, *second])
    assert golden.case_ids() == ids
    assert golden.operators == (NAME,)
    assert golden.tier == "full"
    assert golden.shard is None
    assert golden.digest == hashlib.sha256((tmp_path / "manifest.json").read_bytes()).hexdigest()
    assert golden.case(ids[4]).id == ids[4]
    assert [case.id for case in golden.cases("1/2")] == list(ids[:3])
    assert [case.id for case in golden.cases("2/2")] == list(ids[3:])
    assert [case.id for case in golden.cases()] == list(ids)
    assert golden.ids("2/9") == ids[3:]
    assert golden.ids("9/9") == ()


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "1/2/3", "a/b", "", "1/0", "²/3", "-1/2"])
def test_a_shard_that_is_none_is_refused(tier: Path, spec: Spec, shard: str) -> None:
    """A shard is two numbers, the first not above the second."""
    (fault,) = faults_of(lambda: Golden(tier, spec).cases(shard))
    assert fault == f"shard: found {shard!r}, expected i/n with i from 1 to n, as in 1/4"


def test_a_partial_tier_is_its_own_shard(tier: Path, spec: Spec) -> None:
    """A tier built as a shard gives all it has for that shard, and refuses any other."""
    edit_manifest(tier, lambda manifest: manifest.update(shard="1/4"))
    golden = Golden(tier, spec)
    assert golden.shard == "1/4"
    assert [case.id for case in golden.cases("1/4")] == list(golden.case_ids())
    (fault,) = faults_of(lambda: golden.cases("2/4"))
    assert fault == f"shard: found 2/4, expected 1/4: there is no more in {tier}"


def test_a_case_that_is_none_is_named(tier: Path, spec: Spec) -> None:
    """Asking for an unknown case says so."""
    (fault,) = faults_of(lambda: Golden(tier, spec).case("x"))
    assert fault == f"{tier}: found no case 'x', expected an id of the core tier"


def test_each_file_is_read_and_parsed_once(tier: Path, spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all cases of a part touches the manifest and each file one time."""
    touched: list[str] = []

    def reading(path: Path) -> bytes:
        touched.append(path.name)
        return path.read_bytes()

    monkeypatch.setattr(store, "read_bytes", reading)
    golden = Golden(tier, spec)
    assert len([golden.case(case_id) for case_id in golden.case_ids()]) == len(every_kind(spec))
    assert touched == ["manifest.json", f"{NAME}.json", f"{NAME}.npz"]


def test_a_case_costs_no_copy(tmp_path: Path, spec: Spec) -> None:
    """A case's arrays are views: a second read takes no memory for 16 MiB of inputs, and a part is held once."""
    case = aliased(spec, "open/large")
    large = tensor(spec, "FLOAT", (2**21,))
    arguments = {**case.arguments, "gradOutput": large, "self": large, "gradInput": large}
    one = tensor(spec, "FLOAT", (2**21,), strides=(0,), storage_shape=(1,))
    write_tier(tmp_path, spec, [replace(case, arguments=arguments, expected=one)])
    golden = Golden(tmp_path, spec)
    tracemalloc.start()
    kept = golden.case(case.id)
    first = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    again = golden.case(case.id)
    second = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.shares_memory(kept.arguments["self"].storage, again.arguments["self"].storage)
    assert first < 18 * 2**20
    assert second - 16 * 2**20 < 2**20


def test_the_schemas_agree_with_the_code(spec: Spec) -> None:
    """The closed lists of groups and orders are the same in the schema and in the code."""
    case = spec.schemas.documents["golden"]["$defs"]["case"]["properties"]
    assert (tuple(case["group"]["enum"]), tuple(case["order"]["enum"])) == (GROUPS, ORDERS)


@pytest.mark.parametrize("name", ["golden", "manifest"])
def test_the_schemas_describe_every_field(spec: Spec, name: str) -> None:
    """The schema is the documentation: no field without a description, no object open to unknown keys."""

    def objects(node: Any) -> Iterator[dict[str, Any]]:
        if isinstance(node, dict):
            if node.get("type") == "object":
                yield node
            for child in node.values():
                yield from objects(child)
        if isinstance(node, list):
            for child in node:
                yield from objects(child)

    found = list(objects(spec.schemas.documents[name]))
    assert len(found) > 1
    assert [node for node in found if "additionalProperties" not in node] == []
    fields = [field for node in found for field in node.get("properties", {}).items()]
    assert [key for key, field in fields if not field.get("description")] == []


def case_of(document: Any, what: str) -> Any:
    """Give a case's record."""
    return next(record for record in document["cases"] if record["id"] == f"{NAME}/{what}")


def setting(what: str, path: str, value: Any) -> PartEdit:
    """Make an edit that sets a field of a case, its path written with dots; None as the value deletes it."""
    *outer, last = (int(key) if key.isdecimal() else key for key in path.split("."))

    def edit(document: Any, _: dict[str, Array]) -> None:
        node = case_of(document, what)
        for key in outer:
            node = node[key]
        if value is None:
            del node[last]
        else:
            node[last] = value

    return edit


def heading(**fields: Any) -> PartEdit:
    """Make an edit that sets fields of the part itself."""
    return lambda document, _: document.update(fields)


def storing(member: str, array: Array | None) -> PartEdit:
    """Make an edit that sets an array, or takes it away."""

    def edit(_: Any, arrays: dict[str, Array]) -> None:
        if array is None:
            del arrays[f"{NAME}/{member}"]
        else:
            arrays[f"{NAME}/{member}"] = array

    return edit


PLAIN = f"{NAME}/basic/plain"
FAULTS: dict[str, tuple[PartEdit, str]] = {
    "key missing": (setting("basic/plain", "group", None), f"{PLAIN}: (whole file): 'group' is missing"),
    "key unknown": (setting("basic/plain", "colour", 1), f"{PLAIN}: (whole file): unknown key colour"),
    "group": (setting("basic/plain", "group", "x"), f"{PLAIN}: group: 'x' is not one of basic, ties"),
    "order": (setting("basic/plain", "order", "x"), f"{PLAIN}: order: 'x' is not one of twice, once"),
    "clause": (setting("basic/plain", "clauses", ["x"]), f"{PLAIN}: clauses: found 'x', expected one of sign"),
    "code": (setting("basic/plain", "outcome.codes", ["ACLNN_ERR_X"]), f"{PLAIN}: outcome.codes: found 'ACLNN_ERR_X'"),
    "tolerance dtype": (setting("basic/plain", "tolerance.dtype", "X"), f"{PLAIN}: tolerance: found 'X', expected one"),
    "tolerance missing": (
        setting("basic/plain", "tolerance", None),
        "'tolerance' is missing, expected wherever there is 'expected'",
    ),
    "label": (
        setting("special/repeated", "alternatives.0.label", "keep"),
        "alternatives: found 'nan_operand/keep', expected one of",
    ),
    "clause that is not open": (
        setting("special/repeated", "alternatives.0.clause", "sign"),
        "alternatives: found 'sign/zero', expected one of",
    ),
    "dtype": (
        setting("basic/plain", "arguments.self.dtype", "X"),
        f"{PLAIN}: arguments.self: dtype: found 'X', expected",
    ),
    "dtype that is not stored": (
        setting("basic/plain", "arguments.self.dtype", "STRING"),
        "dtype: found 'STRING', expected",
    ),
    "format": (setting("basic/plain", "arguments.self.format", "X"), f"{PLAIN}: arguments.self: format: found 'X'"),
    "parameter unknown": (setting("basic/plain", "arguments.x", 1), f"{PLAIN}: {NAME}: x: no such parameter"),
    "parameter missing": (setting("basic/plain", "arguments.target", None), f"{PLAIN}: {NAME}: target: not given"),
    "attribute": (setting("basic/plain", "arguments.reduction", 1.5), f"{PLAIN}: {NAME}: reduction: found 1.5"),
    "handle": (setting("status/handle", "arguments.executor", 1), f"{NAME}: executor: found 1, expected null"),
    "strides beyond the storage": (
        setting("basic/plain", "arguments.self.strides", [9, 1]),
        f"{PLAIN}: arguments.self: storage: found 6 elements, expected 12",
    ),
    "output's strides beyond": (
        setting("basic/plain", "arguments.gradInput.offset", 1),
        f"{PLAIN}: arguments.gradInput: storage: found 6 elements, expected 7",
    ),
    "strides of another rank": (setting("basic/plain", "arguments.self.strides", [1]), "strides: found (1,), expected"),
    "negative size": (
        setting("basic/plain", "arguments.self.shape", [-1]),
        f"{PLAIN}: arguments.self.shape[0]: found -1, expected at least 0",
    ),
    "size beyond memory": (
        setting("basic/plain", "arguments.self.shape", [2**62, 0]),
        "arguments.self: found FLOAT[4611686018427387904,0], expected a tensor that memory can address",
    ),
    "output beyond reason": (
        setting("basic/plain", "arguments.gradInput.storage_shape", [2**31]),
        "arguments.gradInput: found a storage of 2147483648 elements, expected at most 4294967296 bytes",
    ),
    "storage shape": (
        setting("basic/plain", "arguments.self.storage_shape", [7]),
        f"{PLAIN}: arguments.self: found a float32 array of shape (6,), expected float32 and (7,)",
    ),
    "expected missing": (
        lambda document, arrays: (
            [case_of(document, "basic/plain").pop(key) for key in ("expected", "tolerance")],
            arrays.pop(f"{PLAIN}/expected"),
        ),
        f"{PLAIN}: expected: found none, expected the values of a call that may succeed",
    ),
    "expected of a null output": (
        lambda document, arrays: (
            case_of(document, "basic/plain")["arguments"].update(gradInput=None),
            arrays,
        ),
        f"{PLAIN}: expected: found values for a null output, expected a tensor",
    ),
    "expected strides": (
        setting("special/repeated", "expected.strides", [0, 2]),
        "expected: found a float32 array of shape (3,), expected float32 and (5,)",
    ),
    "alternative strides": (
        setting("special/repeated", "alternatives.0.strides", [3, 1]),
        "alternative.0: found a float32 array of shape (3,), expected float32 and (6,)",
    ),
    "alias of nothing": (
        setting("open/alias", "alias", {"gradInput": "x"}),
        "alias: found gradInput on x, expected two",
    ),
    "alias of itself": (setting("open/alias", "alias", {"self": "self"}), "alias: found self on self, expected two"),
    "alias of a number": (
        setting("open/alias", "alias", {"gradInput": "reduction"}),
        "gradInput on reduction, expected",
    ),
    "alias of another type": (
        setting("open/alias", "arguments.gradInput.dtype", "FLOAT16"),
        "alias: found FLOAT16[2,3] on FLOAT[2,3], expected one type and size of storage",
    ),
    "alias beyond the storage": (
        setting("open/alias", "arguments.gradInput.offset", 1),
        "arguments.gradInput: storage: found 6 elements, expected 7",
    ),
    "partner unknown": (
        setting("lifecycle/nested", "partner", "x"),
        f"{NAME}/lifecycle/nested: partner: found no case 'x', expected its id",
    ),
    "partner missing": (setting("lifecycle/nested", "partner", None), "'partner' is missing, expected partner"),
    "id twice": (setting("basic/scalar", "id", PLAIN), f"cases[9]: found the id '{PLAIN}', expected one of its own"),
    "id missing": (setting("basic/scalar", "id", None), "cases[9]: found the id None, expected one of its own"),
    "id of another operator": (
        lambda document, arrays: (
            case_of(document, "basic/plain").update(id="x/y"),
            arrays.update({key.replace(PLAIN, "x/y"): array for key, array in list(arrays.items())}),
            [arrays.pop(key) for key in list(arrays) if key.startswith(f"{PLAIN}/")],
        ),
        f"x/y: id: found 'x', expected one of {NAME}",
    ),
    "member missing": (
        storing("basic/plain/self", None),
        f"{PLAIN}: arguments.self: found no array of it in {NAME}.npz, expected {PLAIN}/self",
    ),
    "member of no parameter": (storing("basic/plain/x", np.zeros(1)), f"{PLAIN}: npz file: found 'x', expected one of"),
    "member of the output": (
        storing("basic/plain/gradInput", np.zeros(6, "f4")),
        "npz file: found 'gradInput', expected",
    ),
    "member of no case": (
        storing("basic/x/self", np.zeros(1)),
        f"{NAME}.npz: member '{NAME}/basic/x/self': found no case '{NAME}/basic/x', expected its id",
    ),
    "member dtype": (
        storing("basic/BFLOAT16/self", np.zeros(6, "f2")),
        "arguments.self: found a float16 array of shape (6,), expected uint16 and (6,)",
    ),
    "member rank": (
        storing("basic/plain/self", np.zeros((2, 3), "f4")),
        "arguments.self: found a float32 array of shape (2, 3), expected float32 and (6,)",
    ),
    "another operator": (heading(operator="aclnnX"), f"{NAME}.json: operator: found 'aclnnX', expected '{NAME}'"),
    "another tier": (heading(tier="full"), f"{NAME}.json: tier: found 'full', expected 'core'"),
    "another part": (heading(part="x"), f"{NAME}.json: part: found 'x', expected '{NAME}'"),
    "another source": (
        heading(generated_from="x"),
        f"generated_from: found 'x', expected 'spec/operators/{NAME}.json'",
    ),
    "another canary": (heading(canary=1), f"{NAME}.json: canary: found 1, expected 165"),
    "cases of no kind": (heading(cases=7), f"{NAME}.json: cases: found 7, expected array"),
    "a case that is none": (lambda document, _: document["cases"].insert(0, 5), "cases[0]: found the id None"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_in_a_part_are_named(tier: Path, spec: Spec, fault: str) -> None:
    """Whatever is wrong in a part, with a manifest that fits it, is one clear line."""
    edit, expected = FAULTS[fault]
    edit_part(tier, edit)
    faults = faults_of(lambda: read_all(tier, spec))
    assert [line for line in faults if expected in line] != [], faults
    assert [line for line in faults if "\n" in line or not line.startswith(str(tier))] == []


def test_a_part_that_is_no_object_is_refused(tier: Path, spec: Spec) -> None:
    """A list in place of a part is named by the schema's own words."""
    (tier / f"{NAME}.json").write_bytes(b"[]")
    edit_manifest(tier, lambda manifest: reseal(tier, manifest))
    keys = "$schema, operator, tier, part, generated_from, canary, cases"
    assert faults_of(lambda: read_all(tier, spec)) == (
        f"{tier / NAME}.json: (whole file): found [], expected an object with {keys}",
    )


@pytest.mark.parametrize("name", [f"{NAME}.json", f"{NAME}.npz", "manifest.json"])
def test_a_missing_file_is_named(tier: Path, spec: Spec, name: str) -> None:
    """The manifest and both files of every part must be there."""
    (tier / name).unlink()
    (fault,) = faults_of(lambda: read_all(tier, spec))
    assert fault == f"{tier / name}: found No such file or directory, expected a readable file"


@pytest.mark.parametrize("name", [f"{NAME}.json", f"{NAME}.npz"])
def test_changed_bytes_are_named(tier: Path, spec: Spec, name: str) -> None:
    """One flipped bit and one byte more are both found, by the hash and by the size."""
    data = (tier / name).read_bytes()
    changed = bytes([*data[:100], data[100] ^ 1, *data[101:]])
    (tier / name).write_bytes(changed)
    hashes = [hashlib.sha256(each).hexdigest() for each in (changed, data)]
    (fault,) = faults_of(lambda: read_all(tier, spec))
    assert (
        fault == f"{tier / name}: found {hashes[0]}, expected {hashes[1]} as manifest.json says, run aclnn-spec build"
    )
    (tier / name).write_bytes(data + b"\n")
    (fault,) = faults_of(lambda: read_all(tier, spec))
    assert fault.startswith(f"{tier / name}: found {len(data) + 1} bytes, expected {len(data)} bytes as manifest.json")


def test_a_file_that_is_no_zip_is_refused(tier: Path, spec: Spec) -> None:
    """The archive's own faults are passed on with its path."""
    (tier / f"{NAME}.npz").write_bytes(b"x" * 100)
    edit_manifest(tier, lambda manifest: reseal(tier, manifest))
    (fault,) = faults_of(lambda: read_all(tier, spec))
    assert fault.startswith(f"{tier / NAME}.npz: found bytes that do not begin as a zip file does")


MANIFEST_FAULTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "key missing": (lambda m: m.pop("tier"), "(whole file): 'tier' is missing"),
    "key unknown": (lambda m: m.update(x=1), "(whole file): unknown key x"),
    "tier": (lambda m: m.update(tier="x"), "tier: 'x' is not one of smoke, core, full"),
    "hash": (lambda m: m["files"][0].update(sha256="x"), "files[0].sha256: 'x' does not match"),
    "name with a path": (lambda m: m["files"][0].update(name="../a.json"), "files[0].name: '../a.json' does not match"),
    "count missing": (lambda m: m["files"][0].pop("cases"), "files[0]: 'cases' is missing"),
    "count wrong": (lambda m: m["files"][0].update(cases=1), ""),
    "file missing": (lambda m: m["files"].pop(), f"files: found {NAME}.json, expected each part's .json and .npz once"),
    "file twice": (lambda m: m["files"].append(m["files"][0]), f"files: found {NAME}.json, {NAME}.npz, {NAME}.json"),
    "shard": (lambda m: m.update(shard="x"), "shard: 'x' does not match"),
}


@pytest.mark.parametrize("fault", MANIFEST_FAULTS)
def test_faults_in_the_manifest_are_named(tier: Path, spec: Spec, fault: str) -> None:
    """A manifest that does not fit its schema or its files is refused."""
    edit, expected = MANIFEST_FAULTS[fault]
    edit_manifest(tier, edit)
    (found,) = faults_of(lambda: read_all(tier, spec))
    where = f"{tier / NAME}.json: cases: found {len(every_kind(spec))}, expected 1"
    assert found.startswith(f"{tier / 'manifest.json'}: {expected}" if expected else where)


def test_a_part_of_an_unknown_operator_is_refused(tmp_path: Path, spec: Spec) -> None:
    """The operator comes from the part's name, and must be in the spec."""
    write_tier(tmp_path, spec, [make(spec, "basic/plain")])
    for suffix in ("json", "npz"):
        (tmp_path / f"{NAME}.{suffix}").rename(tmp_path / f"aclnnX.{suffix}")
    edit_manifest(tmp_path, lambda m: [f.update(name=f["name"].replace(NAME, "aclnnX")) for f in m["files"]])
    (fault,) = faults_of(lambda: read_all(tmp_path, spec))
    assert fault.startswith(f"{tmp_path / 'aclnnX.json'}: operator: found 'aclnnX', expected one of {NAME}")


def test_a_case_in_two_parts_is_refused(tmp_path: Path, spec: Spec) -> None:
    """An id is one case's in the whole tier."""
    write_tier(tmp_path, spec, [make(spec, "basic/a")], [make(spec, "basic/a")])
    (fault,) = faults_of(lambda: Golden(tmp_path, spec).case_ids())
    assert fault == f"{tmp_path}: {NAME}/basic/a: found in {NAME}-000 and {NAME}-001, expected once"


def test_a_partner_may_stand_in_another_part(tmp_path: Path, spec: Spec) -> None:
    """A partner is looked for in the whole tier, also when one part alone is loaded."""
    pair = make(spec, "lifecycle/b", order="after", partner=f"{NAME}/basic/a")
    write_tier(tmp_path, spec, [make(spec, "basic/a")], [pair])
    (case,) = load_golden(tmp_path / f"{NAME}-001.npz", spec)
    assert plain(case) == plain(pair)


def test_another_spec_is_named(tier: Path, spec: Spec) -> None:
    """Data built from other spec files is refused, with the files that differ."""
    edit_manifest(tier, lambda m: m["spec"].update({"tables/dtypes.json": "0" * 64, "tables/old.json": "1" * 64}))
    assert faults_of(lambda: Golden(tier, spec)) == (
        (
            f"{tier / 'manifest.json'}: golden data was built from another spec: tables/dtypes.json, tables/old.json,"
            " run aclnn-spec build"
        ),
    )


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the path to everything in a JSON value but the value itself."""
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield (*path, key)
        yield from places(node[key], (*path, key))


@pytest.mark.parametrize("value", [None, True, -1, 0, 1.5, 2.0, 2**70, "x", "", [], [[]], {}, {"x": 1}, [1] * 65])
def test_nothing_in_a_case_surprises_the_reader(tmp_path: Path, spec: Spec, value: Any) -> None:
    """With anything in a case replaced by something else, it is read or refused, and never fails otherwise."""
    cases = [repeated(spec, "special/repeated"), strided(spec, "layout/gaps"), aliased(spec, "open/alias")]
    outcomes = set()
    for case in cases:
        write_tier(tmp_path, spec, [case])
        original = (tmp_path / f"{NAME}.json").read_bytes()
        for path in places(json.loads(original)["cases"][0]):
            document = json.loads(original)
            node = document["cases"][0]
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = value
            (tmp_path / f"{NAME}.json").write_bytes(canonical_json(document))
            edit_manifest(tmp_path, partial(reseal, tmp_path))
            try:
                load_golden(tmp_path / f"{NAME}.json", spec)
                outcomes.add("read")
            except InputError as error:
                outcomes.add("refused" if all(line.isprintable() for line in error.faults) else str(path))
    assert outcomes <= {"read", "refused"}
    assert "refused" in outcomes

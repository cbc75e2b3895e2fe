"""Generated files: what is among them, that compilers and Pythons take them, and that stale ones are named."""

import ast
import doctest
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from aclnn_spec.commands import build as command
from aclnn_spec.emit.c_check import c_check, c_declaration, c_number, c_string
from aclnn_spec.emit.files import emitted, stale_emitted, write_emitted
from aclnn_spec.emit.headers import acl_name, operator_header
from aclnn_spec.emit.python_check import python_check
from aclnn_spec.emit.text import MARK, MOST_CLAUSES
from aclnn_spec.spec import read
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import CHECKOUT, Spec, load_spec, tools_root
from aclnn_spec.spec.rules import rule_from

SPEC = load_spec()
OPERATOR = SPEC.operator("aclnnL1LossBackward")
INCLUDE = tools_root() / "host" / "include"
CHECK = "host/include/aclnn_spec/aclnnL1LossBackward_check.h"
MODULE = "validators/aclnnL1LossBackward_check.py"
HEADER = "host/include/aclnnop/aclnn_l1_loss_backward.h"
ENUMS = "host/include/aclnn_spec/enums.h"
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wshadow", "-Wundef")
Ran = subprocess.CompletedProcess[str]


def with_rules(*data: dict[str, Any]) -> Operator:
    """Give the operator with other error clauses."""
    clause = OPERATOR.clause("nullptr")
    clauses = [replace(clause, id=f"rule_{i}", rule=rule_from(each)) for i, each in enumerate(data)]
    return replace(OPERATOR, clauses=tuple(clauses))


def with_attribute(c_type: str) -> Operator:
    """Give the operator with an attribute of another C type before its executor."""
    prototype = OPERATOR.get_workspace_size
    parameters = (*prototype.parameters[:-2], ("beta", c_type), *prototype.parameters[-2:])
    return replace(OPERATOR, name="aclnnOther", get_workspace_size=replace(prototype, parameters=parameters))


def test_what_is_emitted() -> None:
    """The enums are there once; each operator has a header, and a check in each language."""
    files = {f"host/include/aclnn_spec/{name}_check.h" for name in SPEC.operators} | {ENUMS}
    files |= {f"validators/{name}_check.py" for name in SPEC.operators}
    files |= {f"host/include/{operator.header}" for operator in SPEC.operators.values()}
    assert set(emitted(SPEC)) == files >= {CHECK, MODULE, HEADER}


def test_only_stable_operators_are_emitted() -> None:
    """A draft has no golden data and no generated files; the enums do not depend on any."""
    draft = replace(SPEC, operators=MappingProxyType({OPERATOR.name: replace(OPERATOR, status="draft")}))
    assert set(emitted(draft)) == {ENUMS}


@pytest.mark.parametrize("name", [CHECK, MODULE, HEADER, ENUMS])
def test_first_line_says_where_a_file_is_from(name: str) -> None:
    """The first line names the source and forbids editing; no placeholder is left, and no line ends in blanks."""
    text = emitted(SPEC)[name]
    source = "spec/tables" if name == ENUMS else "spec/operators/aclnnL1LossBackward.json"
    assert text.splitlines()[0].strip("/*# ") == f"Generated from {source} {MARK}"
    assert [line for line in text.splitlines() if "$" in line or line != line.rstrip()] == []
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_the_committed_files_are_up_to_date() -> None:
    """What lies in `tools` is what a build would write there."""
    assert stale_emitted(SPEC, tools_root()) == []


def test_where_the_files_lie(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a checkout they are in its `tools`, in an installed package among its data."""
    assert tools_root() == CHECKOUT / "tools"
    monkeypatch.setattr(read, "data_root", lambda: tmp_path / "data")
    assert tools_root() == tmp_path / "data"


def test_stale_files_are_named(tmp_path: Path) -> None:
    """An edited file, a missing one and one too many are named; a build puts them right, and leaves a stranger's."""
    spec = replace(SPEC, operators=MappingProxyType({OPERATOR.name: OPERATOR}))
    assert stale_emitted(spec, tmp_path) == sorted([CHECK, MODULE, HEADER, ENUMS])
    write_emitted(spec, tmp_path)
    assert stale_emitted(spec, tmp_path) == []
    (tmp_path / ENUMS).write_text("int x;\n", encoding="utf-8")
    (tmp_path / MODULE).unlink()
    (tmp_path / "validators" / "aclnnOld_check.py").write_text(f"# Generated from x {MARK}\n", encoding="utf-8")
    (tmp_path / "host/include/aclnnop/mine.h").write_text("int y;\n", encoding="utf-8")
    (tmp_path / "validators" / "__pycache__").mkdir()
    stranger = "host/include/aclnnop/mine.h"
    assert stale_emitted(spec, tmp_path) == [ENUMS, stranger, MODULE, "validators/aclnnOld_check.py"]
    write_emitted(spec, tmp_path)
    assert stale_emitted(spec, tmp_path) == [stranger]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, main: Callable[..., Ran]) -> Callable[..., Ran]:
    """Run `aclnn-spec build` with the generated files in a folder of the test's, and no golden data to be made."""
    monkeypatch.setattr(command, "tools_root", lambda: tmp_path / "tools")
    monkeypatch.setattr(command, "golden_directory", lambda tier: tmp_path / tier)
    monkeypatch.setattr(command, "build", lambda *_, **__: None)
    monkeypatch.setattr(command, "stale", lambda *_, **__: ["manifest.json"])
    return lambda *arguments: main("build", *arguments)


def test_build_writes_and_checks(built: Callable[..., Ran], tmp_path: Path) -> None:
    """A build of the core tier in its place writes the files; --check names each that is stale by its path."""
    line = "{}: stale; run aclnn-spec build\n".format
    golden = "".join(line(tmp_path / tier / "manifest.json") for tier in ("core", "smoke"))
    ran = built("--check")
    assert (ran.returncode, ran.stdout) == (
        1,
        "".join(line(tmp_path / "tools" / name) for name in sorted(emitted(SPEC))) + golden,
    )
    ran = built()
    assert (ran.returncode, ran.stdout) == (
        0,
        "".join(f"{tmp_path / name}: written\n" for name in ("tools", "core", "smoke")),
    )
    assert built("--check").stdout == golden


@pytest.mark.parametrize("arguments", [("--tier", "full"), ("--output", "elsewhere")])
def test_build_of_other_golden_data_leaves_the_files_alone(
    arguments: tuple[str, ...], built: Callable[..., Ran], tmp_path: Path
) -> None:
    """The full tier, or golden data for another place, is built without them."""
    assert built(*arguments).returncode == 0
    assert not (tmp_path / "tools").exists()
    assert built("--check", *arguments).stdout.count("stale") == 1


COUNT = "on errors with a rule, expected 1 to 64, so that their set is a number of 64 bits"


@pytest.mark.parametrize("emit", [c_check, python_check])
@pytest.mark.parametrize(
    ("operator", "fault"),
    [
        (
            with_rules({"kind": "no_alias", "on": ["gradInput"], "of": ["self"]}),
            "aclnnL1LossBackward: rule_0: found a rule no_alias, which has no generated form",
        ),
        (
            with_attribute("void*"),
            "aclnnOther: beta: found the C type void*, expected one of aclTensor*, int64_t, float, double, bool",
        ),
        (
            replace(OPERATOR, clauses=()),
            f"aclnnL1LossBackward: clauses: found 0 {COUNT}",
        ),
        (
            with_rules(*[{"kind": "not_null", "on": ["self"]}] * (MOST_CLAUSES + 1)),
            f"aclnnL1LossBackward: clauses: found 65 {COUNT}",
        ),
    ],
    ids=["kind", "attribute", "none", "many"],
)
def test_what_has_no_generated_form(emit: Callable[[Operator], str], operator: Operator, fault: str) -> None:
    """A kind of rule or parameter that the checks cannot express is an error that names it."""
    with pytest.raises(InputError) as caught:
        emit(operator)
    assert caught.value.faults == (fault,)


def test_a_header_lies_in_its_folder() -> None:
    """An operator whose header lies elsewhere than in aclnnop is refused: its folder might not be ours."""
    astray: Spec = replace(SPEC, operators=MappingProxyType({"x": replace(OPERATOR, header="../x.h")}))
    with pytest.raises(InputError, match=r"aclnnL1LossBackward: header: found \.\./x\.h, expected aclnnop/<file>\.h"):
        emitted(astray)


def test_a_header_is_of_one_operator() -> None:
    """An operator that was copied along with its header does not write into the other's."""
    both = replace(SPEC, operators=MappingProxyType({"a": OPERATOR, "b": replace(OPERATOR, name="aclnnOther")}))
    with pytest.raises(
        InputError, match=rf"^aclnnOther: header: found {OPERATOR.header}, which is another operator's$"
    ):
        emitted(both)


def test_c_literals() -> None:
    """Texts, numbers and declarations come out as C spells them, at the ends of the range too."""
    assert c_string('a"b\\c??=d???\n') == '"a\\"b\\\\c?\\?=d?\\?\\?\\n"'
    assert [c_number(value, "int64_t") for value in (0, -1, 2**63 - 1, -(2**63))] == [
        "INT64_C(0)",
        "INT64_C(-1)",
        "INT64_C(9223372036854775807)",
        "INT64_MIN",
    ]
    assert [c_number(1, kind) for kind in ("float", "double", "bool")] == ["1.0f", "1.0", "true"]
    assert [c_number(value, "float") for value in (0.1, 1e30)] == ["0.1f", "1e+30f"]
    assert [c_declaration(kind, "x") for kind in ("const aclTensor*", "aclOpExecutor **", "int64_t")] == [
        "const aclTensor *x",
        "aclOpExecutor **x",
        "int64_t x",
    ]


def test_names_of_the_enum() -> None:
    """Data types have the names of CANN's headers, which are not always those of the pages."""
    names = {name: acl_name(dtype) for name, dtype in SPEC.tables.dtypes.items()}
    odd = {name: found for name, found in names.items() if found != f"ACL_{name}"}
    assert odd == {"UNDEFINED": "ACL_DT_UNDEFINED", "BFLOAT16": "ACL_BF16"}
    assert len(set(names.values())) == len(names)


OTHER = with_attribute("float")
USES = """
#include "aclnn_spec/aclnnL1LossBackward_check.h"
#include "aclnn_spec/enums.h"
#include "aclnn_spec/enums.h"
#include "aclnn_spec/aclnnL1LossBackward_check.h"
#include "other_check.h"

int main(void) {
  const int64_t shape[] = {2, 3};
  const aclnn_spec_tensor x = {ACL_BF16, ACL_FORMAT_ND, 2, shape};
  if (aclnnL1LossBackward_check(&x, &x, &x, 1, &x, shape, shape).status != ACLNN_SUCCESS) return 1;
  return aclnnOther_check(&x, &x, NULL, 1, &x, 1.0f, shape, shape).status != ACLNN_ERR_PARAM_NULLPTR;
}
"""
DECLARED = '#include "aclnnop/aclnn_l1_loss_backward.h"\n#include "aclnnop/aclnn_l1_loss_backward.h"\nint x;\n'
LANGUAGES = [
    (compiler, standard, source)
    for compiler in ("gcc", "g++", "clang", "clang++")
    for source in (("use", USES), ("declare", DECLARED))
    for standard in [("c++", "-std=c++11") if compiler.endswith("++") else ("c", "-std=c11")]
]


@pytest.mark.parametrize(("compiler", "standard", "source"), LANGUAGES)
def test_headers_compile_without_a_warning(
    compiler: str, standard: tuple[str, str], source: tuple[str, str], tmp_path: Path
) -> None:
    """In C11 and C++11 they need nothing else, stand in one file together, twice, and say what they should."""
    if shutil.which(compiler) is None:
        pytest.skip(f"found no {compiler} on PATH")
    (tmp_path / "other_check.h").write_text(c_check(OTHER), encoding="utf-8")
    (tmp_path / "source").write_text(source[1], encoding="utf-8")
    link = [] if source[0] == "use" else ["-c"]
    flags = [*WARNINGS, "-x", standard[0], standard[1], "-I", INCLUDE, "-I", tmp_path, *link]
    ran = subprocess.run(
        [compiler, *flags, tmp_path / "source", "-o", tmp_path / "out"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    if not link:
        assert subprocess.run([tmp_path / "out"], check=False).returncode == 0


def test_both_phases_are_declared() -> None:
    """The declarations are the prototypes of the spec."""
    text = " ".join(operator_header(OPERATOR).split())
    assert (
        "aclnnStatus aclnnL1LossBackwardGetWorkspaceSize( const aclTensor *gradOutput, const aclTensor *self," in text
    )
    assert (
        "aclnnStatus aclnnL1LossBackward( void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, "
        "aclrtStream stream);" in text
    )


def module(source: str) -> SimpleNamespace:
    """Load a generated module from its text."""
    scope: dict[str, Any] = {"__name__": "check"}
    exec(compile(source, "check.py", "exec"), scope)  # noqa: S102  # our own
    return SimpleNamespace(**scope)


def test_the_module_needs_nothing() -> None:
    """Its syntax is that of Python 3.8, and all it imports is in every standard library."""
    tree = ast.parse(python_check(OPERATOR), feature_version=(3, 8))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"__future__", "collections.abc", "typing"}
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert plain == {"math", "struct"}


def test_the_module_works_where_it_is_copied(tmp_path: Path) -> None:
    """Alone in a folder, in a Python without site packages, it answers as its docstring says."""
    shutil.copy(tools_root() / MODULE, tmp_path / "my_check.py")
    line = (
        "import sys; sys.path.insert(0, '.'); import my_check, doctest; print(doctest.testmod(my_check)); "
        "print(my_check.check(gradOutput=None, self=None, target=None, reduction=7, gradInput=None, executor=None))"
    )
    ran = subprocess.check_output([sys.executable, "-I", "-S", "-c", line], cwd=tmp_path, text=True)
    assert ran.splitlines() == [
        str(doctest.TestResults(0, 1)),
        "Diagnosis(status=161001, broken=('nullptr', 'null_handles', 'reduction'))",
    ]


def test_the_module_knows_the_texts() -> None:
    """Each clause on errors is there with its status and its text in both languages, in the order of checking."""
    clauses = module(python_check(OPERATOR)).CLAUSES
    assert {name: tuple(clause) for name, clause in clauses.items()} == {
        clause.id: (SPEC.tables.status_codes[clause.accepts[0]], clause.text.zh, clause.text.en)
        for clause in OPERATOR.checks
    }
    assert list(clauses) == [clause.id for clause in OPERATOR.checks]


TENSOR = SimpleNamespace(dtype="FLOAT", shape=[2, 3], format="ND")
GOOD: dict[str, Any] = dict.fromkeys(("gradOutput", "self", "target", "gradInput"), TENSOR) | {"reduction": 0}


def test_anything_may_be_a_tensor() -> None:
    """Whatever has a type, a shape and a format is one; pointers that are not null may be given or left out."""
    check = module(python_check(OPERATOR)).check
    assert check(**GOOD) == check(**GOOD, executor=object(), workspaceSize=7) == (0, ())


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"out": None}, TypeError, "out: no such parameter; expected gradOutput, self, target, reduction, gradInput, "),
        ({"self": 3}, TypeError, "self: found 3, expected a tensor or None"),
        ({"self": SimpleNamespace(dtype="FLOAT", shape=3, format="ND")}, TypeError, "self: found namespace"),
        (
            {"self": SimpleNamespace(dtype="FLOAT32", shape=(), format="ND")},
            ValueError,
            "self: found type FLOAT32, expe",
        ),
        (
            {"self": SimpleNamespace(dtype="FLOAT", shape=(), format="NX")},
            ValueError,
            "self: found format NX, expected",
        ),
        ({"reduction": None}, TypeError, "reduction: found None, expected int64_t"),
        ({"reduction": True}, TypeError, "reduction: found True, expected int64_t"),
        ({"reduction": 1.0}, TypeError, "reduction: found 1.0, expected int64_t"),
        ({"reduction": 2**63}, ValueError, "reduction: found 9223372036854775808, expected a 64-bit integer"),
    ],
)
def test_what_is_no_call_is_refused(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    """The module says which argument is no argument of this call, and what it should be."""
    with pytest.raises(error) as caught:
        module(python_check(OPERATOR)).check(**GOOD | changes)
    assert str(caught.value).startswith(message)


def test_an_argument_must_be_given() -> None:
    """Only the two pointers may be left out."""
    with pytest.raises(TypeError, match="reduction: not given"):
        module(python_check(OPERATOR)).check(**{name: TENSOR for name in GOOD if name != "reduction"})


@pytest.mark.parametrize(
    ("c_type", "good", "bad"),
    [
        ("float", (0.5, 1, -0.0), (True, None, "1")),
        ("double", (0.5, 1), (False, [])),
        ("bool", (True, False), (1, 0.0)),
    ],
)
def test_attributes_of_other_types(c_type: str, good: tuple[Any, ...], bad: tuple[Any, ...]) -> None:
    """A float may be given as an integer; a truth value is nothing but that."""
    check = module(python_check(with_attribute(c_type))).check
    assert [check(**GOOD, beta=value).status for value in good] == [0] * len(good)
    for value in bad:
        with pytest.raises(TypeError, match=f"beta: found .*, expected {c_type}"):
            check(**GOOD, beta=value)

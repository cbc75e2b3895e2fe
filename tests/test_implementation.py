"""The ways to an implementation: names, modules, files, functions; and the two that come with the package."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclnn_spec.certification.implementation import (
    Implementation,
    PhaseOne,
    ResultError,
    from_function,
    last_line,
    scope_of,
    store,
)
from aclnn_spec.certification.resolve import registered, resolve
from aclnn_spec.certification.runner import run_case
from aclnn_spec.golden.tensor import Tensor, bits
from aclnn_spec.implementations import torch_autograd
from aclnn_spec.implementations.numpy_reference import NumpyImplementation
from aclnn_spec.implementations.torch_autograd import TorchImplementation
from aclnn_spec.reference import REFERENCES
from aclnn_spec.reference.oracle import Value, encode
from aclnn_spec.spec.errors import InputError
from miniatures import (
    BASIC,
    CASES,
    GRAD,
    MEAN,
    NAME,
    OPERATOR,
    RIGHT,
    SELF,
    SPEC,
    TARGET,
    Right,
    call,
    case,
    output,
    partner_of,
    tensor,
)

GOOD = """
class Mine:
    name = "mine"
    version = "2"
    operators = ("aclnnL1LossBackward",)
    def get_workspace_size(self, operator, arguments): ...
    def execute(self, operator, phase_one): ...
made = Mine()
def make(): return Mine()
def make_with(device): return Mine()
def fail(): raise OSError("no driver")
def leave(): raise SystemExit(1)
class Nameless:
    version = "2"
number = 3
class Wrong(Mine):
    operators = "aclnnL1LossBackward"
class Unknown(Mine):
    scope = "some"
class Empty(Mine):
    name = ""
class Uncallable(Mine):
    execute = 3
class Holder:
    inner = made
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory with a module of implementations, good and bad."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "e_mine.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "e_broken.py").write_text("import e_absent\n", encoding="utf-8")
    (tmp_path / "e_syntax.py").write_text("def f(:\n", encoding="utf-8")
    (tmp_path / "e_exit.py").write_text("raise SystemExit(2)\n", encoding="utf-8")
    (tmp_path / "e_text.txt").write_text("", encoding="utf-8")
    sys.modules.pop("e_mine", None)
    return tmp_path


@pytest.mark.parametrize("attribute", ["Mine", "made", "make", "Holder.inner"])
@pytest.mark.parametrize("place", ["e_mine", "e_mine.py", "./e_mine.py"])
def test_module_and_file(folder: Path, place: str, attribute: str) -> None:
    """A class, an object or a function is found in a module of the current directory and in a file."""
    assert folder.is_dir()
    assert resolve(f"{place}:{attribute}").version == "2"


def test_absolute_file(folder: Path) -> None:
    """A file may be given by its whole path, and is run once."""
    text = f"{folder / 'e_mine.py'}:made"
    assert resolve(text) is resolve(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e_nothing:made", "e_nothing:made: found no module 'e_nothing', in "),
        ("e_mine.inner:made", "e_mine.inner:made: "),
        ("e_mine:gone", "e_mine:gone: e_mine has no attribute 'gone', expected one of Mine, made, make"),
        (
            "e_mine:Nameless",
            "e_mine:Nameless: found a value of type Nameless without 'name', expected an implementation",
        ),
        ("e_mine:number", "e_mine:number: found a value of type int without 'name', expected an implementation"),
        ("e_mine:fail", "e_mine:fail: cannot be made: OSError: no driver ("),
        ("e_mine:leave", "e_mine:leave: cannot be made: SystemExit: 1 ("),
        ("e_mine:make_with", "e_mine:make_with: found no argument for make_with, which has another signature"),
        ("e_mine:Wrong", "e_mine:Wrong: operators: found 'aclnnL1LossBackward', expected a collection"),
        ("e_mine:Unknown", "e_mine:Unknown: scope: found 'some', expected full or numerics"),
        ("e_mine:Empty", "e_mine:Empty: name: found '', expected a text"),
        ("e_mine:Uncallable", "e_mine:Uncallable: execute: found 3, expected a method"),
        ("e_broken:made", "e_broken:made: importing e_broken failed: ModuleNotFoundError: No module named 'e_absent'"),
        ("e_broken.py:made", "e_broken.py:made: running e_broken.py failed: ModuleNotFoundError"),
        ("e_syntax:made", "e_syntax:made: importing e_syntax failed: SyntaxError: "),
        ("e_syntax.py:made", "e_syntax.py:made: running e_syntax.py failed: SyntaxError: "),
        ("e_exit:made", "e_exit:made: importing e_exit failed: SystemExit: 2"),
        ("e_exit.py:made", "e_exit.py:made: running e_exit.py failed: SystemExit: 2"),
        ("gone/e_mine.py:made", "gone/e_mine.py:made: found no file gone/e_mine.py, expected a Python file"),
        ("e_mine:", "implementation: found 'e_mine:', expected one of mine, "),
        (":made", "implementation: found ':made', expected one of mine, "),
        ("", "implementation: found '', expected one of mine, "),
        ("nobody", "implementation: found 'nobody', expected one of mine, "),
        ("mine:fast", "mine:fast: found an argument 'fast', expected none"),
    ],
)
def test_resolve_errors(folder: Path, text: str, message: str) -> None:
    """Whatever is wrong with a text is said in one line that begins with it."""
    assert folder.is_dir()
    with pytest.raises(InputError) as caught:
        resolve(text, {"mine": Right()})
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1


def test_extra_names_come_first() -> None:
    """A name handed in stands for its object, class or function, and takes an argument if that does."""
    right = Right()
    devices: list[str] = []

    def make(device: str = "none") -> Any:
        devices.append(device)
        return right

    assert resolve("mine", {"mine": right}) is right
    assert isinstance(resolve("mine", {"mine": Right}), Right)
    assert resolve("mine:npu:0", {"mine": make}) is right
    assert resolve("mine", {"mine": make}) is right
    assert devices == ["npu:0", "none"]


def test_own_input_errors_pass_unchanged() -> None:
    """What a maker says of wrong input is not wrapped."""

    def make() -> None:
        raise InputError("mine: no card found")

    with pytest.raises(InputError, match=r"^mine: no card found$"):
        resolve("mine", {"mine": make})


def test_registered_names_are_sorted() -> None:
    """The registered names are those of the installed packages, each once."""
    assert list(registered()) == sorted(set(registered()))


def test_scope() -> None:
    """An implementation that says nothing is judged in full; functions are judged by their numbers."""
    assert [scope_of(each) for each in (Right(), from_function("f", "1", {}))] == ["full", "numerics"]
    assert from_function("f", "1", {}, scope="full").scope == "full"
    with pytest.raises(InputError, match="scope: found 'half', expected full or numerics"):
        from_function("f", "1", {}, scope="half")


def test_phase_one_is_positional() -> None:
    """PhaseOne takes its fields in the order of the contract."""
    assert PhaseOne(1, 2, "e") == PhaseOne(status=1, workspace_size=2, executor="e")


def function_of(f: Any) -> Implementation:
    """The function as an implementation of the operator."""
    return from_function("f", "1", {NAME: f})


def test_function_gets_views_and_attributes() -> None:
    """A function gets arrays and attributes by the API's names, the output not among them."""
    seen: dict[str, Any] = {}

    def f(**given: Any) -> Any:
        seen.update(given)
        return RIGHT

    entry = run_case(BASIC, function_of(f), operator=OPERATOR)
    assert entry.verdict == "pass"
    assert list(seen) == ["gradOutput", "self", "target", "reduction"]
    assert (seen["gradOutput"].tolist(), seen["reduction"]) == (GRAD, 2)


def test_function_gets_bfloat16_as_such() -> None:
    """BFLOAT16 arrives with ml_dtypes' own type, and may be returned in it."""
    names = ("gradOutput", "self", "target")
    given = call(GRAD, SELF, TARGET)
    given |= {name: tensor(given[name].array, "BFLOAT16") for name in names}
    one = case("basic/bfloat16", given | {"gradInput": output((4,), "BFLOAT16")}, RIGHT)

    def f(gradOutput: Any, self: Any, target: Any, reduction: int) -> Any:
        assert (gradOutput.dtype, reduction) == (ml_dtypes.bfloat16, 2)
        return np.sign(self - target) * gradOutput

    assert run_case(one, function_of(f), operator=OPERATOR).faults == ()


def test_function_cannot_reach_golden_data() -> None:
    """A function that scribbles over its inputs is told so, and the case is unharmed."""

    def f(gradOutput: Any, **_: Any) -> Any:
        gradOutput[...] = 0
        return RIGHT

    entry = run_case(BASIC, function_of(f), operator=OPERATOR)
    assert [each.kind for each in entry.faults] == ["input_changed"]
    assert BASIC.arguments["gradOutput"].array.tolist() == GRAD


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (np.zeros((2, 2)), r"phase 2: found a result of shape (2, 2), expected (4,)"),
        (0.0, r"phase 2: found a result of shape (), expected (4,)"),
        (None, r"phase 2: found a result of shape (), expected (4,)"),
        (["a", "b", "c", "d"], "phase 2: found a result of type <U1, expected real numbers"),
        ([None] * 4, "phase 2: found a result of type object, expected real numbers"),
        (np.zeros(4, complex), "phase 2: found a result of type complex128, expected real numbers"),
        (np.zeros(4, "V3"), "phase 2: found a result of type |V3, expected real numbers"),
    ],
)
def test_function_result_that_does_not_fit(result: Any, message: str) -> None:
    """A result of a wrong shape or type is a fault that says what was found and expected."""
    (found,) = run_case(BASIC, function_of(lambda **_: result), operator=OPERATOR).faults
    assert (found.kind, found.message.en) == ("wrong_type", message)


def test_function_that_raises() -> None:
    """An exception in a function is a fault that names its line."""

    def f(**_: Any) -> None:
        raise LookupError("nothing here")

    (found,) = run_case(BASIC, function_of(f), operator=OPERATOR).faults
    assert found.message.en.startswith("phase 2 raised LookupError: nothing here (")


def stored(values: Any, dtype: str) -> Tensor:
    """The values stored in an output of this type."""
    made = output(np.shape(values), dtype)
    store(values, made)
    return made


FLOATS = np.concatenate(
    [
        np.random.default_rng(1).integers(0, 2**64, 4000, np.uint64).view(np.float64),
        np.random.default_rng(2).normal(0, 1, 2000) * 2.0 ** np.random.default_rng(3).integers(-140, 130, 2000),
        # Ties of BFLOAT16 and FLOAT16 that a rounding to FLOAT on the way would fabricate.
        [1 + 2**-8 + 2**-40, 1 + 2**-8 - 2**-40, 1 + 2**-11 + 2**-40, 65519.999999999, 65520.0, 3.4028236e38],
        [0.0, -0.0, 2.0**-149, 2.0**-150, 2.0**-133, 2.0**-134, 2.0**-24, 2.0**-25, 2.0**-25 + 2.0**-60],
    ]
)


@pytest.mark.parametrize("dtype", ["FLOAT", "FLOAT16", "BFLOAT16"])
def test_results_are_rounded_once(dtype: str) -> None:
    """A float64 result is rounded to nearest even once, as exact arithmetic says."""
    finite = FLOATS[np.isfinite(FLOATS)]
    expected = [encode(Value(bool(np.signbit(x)), abs(Fraction(float(x)))), dtype) for x in finite]
    found = stored(finite, dtype).storage
    assert found.view(f"u{found.itemsize}").tolist() == expected


@pytest.mark.parametrize("dtype", ["FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE", "COMPLEX32", "COMPLEX64"])
def test_nonfinite_results_stay(dtype: str) -> None:
    """Infinities keep their sign, NaN stays NaN."""
    values = stored(np.array([np.inf, -np.inf, np.nan]), dtype).array
    real = (values["real"] if dtype == "COMPLEX32" else values).astype(np.complex128).real
    assert (real[0], real[1], bool(np.isnan(real[2]))) == (np.inf, -np.inf, True)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long double is no wider than double here")
def test_long_double_is_rounded_once() -> None:
    """A long double just above a tie is rounded up, though as a double it would be the tie."""
    above = np.longdouble(1) + np.longdouble(2) ** -8 + np.longdouble(2) ** -60
    below = np.longdouble(1) + 3 * np.longdouble(2) ** -8 - np.longdouble(2) ** -60
    values = stored(np.array([above, below]), "BFLOAT16").array.astype(np.float64)
    assert values.tolist() == [1 + 2**-7, 1 + 2**-7]


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([True, False], "FLOAT", [1.0, 0.0]),
        ([2**24 + 1, 2**24 + 3], "FLOAT", [2.0**24, 2.0**24 + 4]),
        (np.array([2**63 + 2**39 + 1], np.uint64), "FLOAT", [2.0**63 + 2.0**40]),
        (np.array([0.1], np.float16), "FLOAT", [float(np.float16(0.1))]),
        (np.array([0.1], np.float32), "DOUBLE", [float(np.float32(0.1))]),
        (np.array([1.5], ml_dtypes.bfloat16), "FLOAT16", [1.5]),
        (np.array([1.5], ml_dtypes.float8_e5m2), "BFLOAT16", [1.5]),
        (np.array([1 + 2j]), "COMPLEX64", [1 + 2j]),
        ([0.5], "COMPLEX128", [0.5 + 0j]),
    ],
)
def test_results_of_any_type(values: Any, dtype: str, expected: list[Any]) -> None:
    """Booleans, integers, narrow floats and complex numbers are stored as the values they are."""
    assert stored(values, dtype).array.astype(complex if "COMPLEX" in dtype else float).tolist() == expected


def test_complex32_result() -> None:
    """A complex result is stored as two halves."""
    assert stored(np.array([1.5 - 2j]), "COMPLEX32").array.tolist() == [(1.5, -2.0)]


def test_store_writes_the_view_alone() -> None:
    """Storing respects strides and offset."""
    made = output((2,), "FLOAT16", gap=2, offset=1)
    before = made.storage.tobytes()
    store([1.0, 2.0], made)
    after = made.storage.tobytes()
    assert (after[:2], after[4:6], made.array.tolist()) == (before[:2], before[4:6], [1.0, 2.0])
    with pytest.raises(ResultError):
        store([1.0], made)


def test_last_line() -> None:
    """An exception in one line: its type, its first line of text, and where it was raised."""
    with pytest.raises(InputError) as caught:
        from_function("f", "1", {}, scope="half")
    assert last_line(caught.value).startswith("aclnn_spec.spec.errors.InputError: scope: found 'half'")
    assert "implementation.py:" in last_line(caught.value)
    assert last_line(ValueError("one\ntwo")) == "ValueError: one"
    assert last_line(KeyError("k")) == "KeyError: 'k'"


def numpy_implementation() -> NumpyImplementation:
    """The reference behind the call."""
    return NumpyImplementation(SPEC)


def test_numpy_says_who_it_is() -> None:
    """The reference has NumPy's name and version and all referenced operators, and is judged in full."""
    made = numpy_implementation()
    assert (made.name, made.version, made.operators, scope_of(made)) == (
        "numpy",
        np.__version__,
        tuple(REFERENCES),
        "full",
    )


def test_numpy_page_example() -> None:
    """The page's own example gives the page's own result."""
    example = OPERATOR.example["arguments"]
    given = {
        name: tensor(np.reshape(each["data"], each["shape"])) if "data" in each else output((2, 2))
        for name, each in ((n, a) for n, a in example.items() if isinstance(a, dict))
    }
    given = {p.name: given.get(p.name, 1) for p in OPERATOR.parameters}
    made = numpy_implementation()
    found = made.get_workspace_size(NAME, given)
    assert (found.status, found.workspace_size, made.execute(NAME, found)) == (0, 0, 0)
    assert given["gradInput"].array.reshape(-1).tolist() == OPERATOR.example["result"]


def test_numpy_uses_an_executor_once() -> None:
    """An executor that has run, or is none, is refused."""
    made = numpy_implementation()
    found = made.get_workspace_size(NAME, call(GRAD, SELF, TARGET))
    assert [made.execute(NAME, found) for _ in range(2)] == [0, 561103]
    assert made.execute(NAME, PhaseOne(0, 0, None)) == 561103


def test_numpy_null_handles() -> None:
    """Null handles are answered with 161001."""
    made = numpy_implementation()
    given = call(GRAD, SELF, TARGET)
    found = [made.get_workspace_size(NAME, given | {name: None}).status for name in ("workspaceSize", "executor")]
    assert found == [161001, 161001]


@pytest.mark.parametrize("shift", [0, 1, 3])
def test_numpy_overlapping_output(shift: int) -> None:
    """An output that overlaps an input, wholly or shifted, still gets the right values."""
    storage = tensor(np.arange(1.0, 20.0))
    grad = Tensor(dtype="FLOAT", shape=(10,), storage=storage.storage, offset=shift)
    result = Tensor(dtype="FLOAT", shape=(10,), storage=storage.storage, offset=2)
    expected = (-grad.array).tolist()
    made = numpy_implementation()
    given = call(np.ones(10), np.zeros(10), np.ones(10)) | {"gradOutput": grad, "gradInput": result}
    assert made.execute(NAME, made.get_workspace_size(NAME, given)) == 0
    assert result.array.tolist() == expected


torch_is_here = pytest.mark.skipif(torch_autograd.torch is None, reason="PyTorch is not installed")


@torch_is_here
@pytest.mark.parametrize("one", CASES, ids=lambda one: one.id)
def test_torch_passes(one: Any) -> None:
    """PyTorch's autograd gives right values in every case within its scope."""
    made = TorchImplementation(spec=SPEC)
    entry = run_case(one, made, operator=OPERATOR, partner=partner_of(one))
    assert (entry.faults, entry.verdict in ("pass", "skipped")) == ((), True)


@torch_is_here
@pytest.mark.parametrize("dtype", ["FLOAT", "FLOAT16", "BFLOAT16"])
@pytest.mark.parametrize("out", ["FLOAT", "FLOAT16", "BFLOAT16"])
@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_torch_agrees_with_the_reference(dtype: str, out: str, reduction: int) -> None:
    """Over mixed types, broadcast shapes and strides PyTorch and the reference agree within 2 ULP."""
    results = []
    for made in (TorchImplementation(spec=SPEC), numpy_implementation()):
        given = call(np.arange(6.0).reshape(3, 2), [[1.0], [0.0], [3.0]], [0.5, 2.0], reduction)
        given["gradOutput"] = tensor(given["gradOutput"].array, dtype, gap=3, offset=1)
        given["gradInput"] = output((3, 2), out, gap=2)
        assert made.execute(NAME, made.get_workspace_size(NAME, given)) == 0
        results.append(bits(given["gradInput"].array).copy())
    difference = [abs(one.view(f"i{one.itemsize}").astype(np.int64)) for one in results]
    assert np.abs(difference[0] - difference[1]).max() <= 2


@torch_is_here
def test_torch_says_who_it_is() -> None:
    """PyTorch's version and device stand in the certificate."""
    made = TorchImplementation(spec=SPEC)
    assert (made.name, made.scope, made.operators) == ("torch", "numerics", tuple(REFERENCES))
    assert made.details() == {"device": "cpu"}


@torch_is_here
@pytest.mark.parametrize("device", ["cuda:99", "warp", "meta"])
def test_torch_device_that_is_none(device: str) -> None:
    """A device that PyTorch does not know or cannot compute on is an InputError."""
    with pytest.raises(InputError, match=f"torch: found device '{device}', expected one it can use: "):
        TorchImplementation(device, spec=SPEC)


def test_torch_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without PyTorch the implementation says what to install."""
    monkeypatch.setattr(torch_autograd, "torch", None)
    with pytest.raises(InputError, match=r"pip install aclnn-spec\[torch\]"):
        TorchImplementation(spec=SPEC)


def test_torch_module_imports_without_torch() -> None:
    """The module can be imported where PyTorch cannot."""
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from aclnn_spec.implementations import torch_autograd as t\n"
        "assert t.torch is None"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_mean_of_a_function_in_double_is_exact() -> None:
    """A mean computed in float64 is rounded to FLOAT correctly."""

    def f(gradOutput: Any, self: Any, target: Any, reduction: int) -> Any:
        assert reduction == 1
        values = np.sign(self.astype(np.float64) - target) * gradOutput
        return values / values.size

    assert run_case(MEAN, function_of(f), operator=OPERATOR).ulp == 0

"""The generated checks in Python and C give the interpreter's answer: the same status, the same clauses broken."""

import math
import random
import shutil
import struct
import subprocess
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from aclnn_spec.emit.c_check import c_check
from aclnn_spec.emit.python_check import python_check
from aclnn_spec.emit.text import check_parameters
from aclnn_spec.golden.cases import policy
from aclnn_spec.golden.cases.author import Author
from aclnn_spec.spec.attributes import SPELT
from aclnn_spec.spec.files import read_json
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import data_root, load_spec
from aclnn_spec.spec.rules import RULES, Condition, When, rule_from
from aclnn_spec.spec.tables import broadcast

SPEC = load_spec()
OPERATOR = SPEC.operator("aclnnL1LossBackward")
TENSORS = ("gradOutput", "self", "target", "gradInput")
HANDLES = ("workspaceSize", "executor")
DTYPES, FORMATS = tuple(SPEC.tables.dtypes), tuple(SPEC.tables.formats)
FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")
ROWS = tuple(dict.fromkeys(row for row, _ in SPEC.tables.deduction))
EXTREMES = (-(2**63), -(2**31), -1, 3, 2**31, 2**32 + 1, 2**63 - 1)
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="found no cc, gcc or clang on PATH")

Call = dict[str, Any]
Answer = tuple[int, tuple[str, ...]]


class Tensor(NamedTuple):
    """What every check takes for a tensor."""

    dtype: str
    shape: tuple[int, ...]
    format: str = "ND"


def shapes(source: random.Random) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Draw shapes for three inputs, which mostly go together, and one for the output, which mostly fits them."""
    most = 10 if source.random() < 0.3 else 4
    full = tuple(source.choices((1, 2, 3, 5, 0, 2**40), (3, 6, 6, 4, 1, 0.3), k=source.randint(0, most)))
    inputs = []
    for _ in range(3):
        shape = full
        if source.random() < 0.4:
            shape = tuple(1 if source.random() < 0.3 else size for size in full[source.randint(0, len(full)) :])
        if source.random() < 0.05:
            shape = (*shape[:-1], source.choice((7, 0, 2**63 - 1, -1, -(2**63))))
        inputs.append(shape)
    output = broadcast(inputs) if source.random() < 0.9 else full
    chance = source.random()
    if output is None or chance < 0.03:
        output = source.choice((full, full[::-1], full[1:], (1, *full), (*full[:-1], 1)))
    elif chance < 0.08:
        output = (1,) * source.randint(1, 9) + output
    return inputs, output


def drawn(count: int) -> Iterator[Call]:
    """Draw calls, the same in every run: good ones, null pointers, and every rule broken, often several at once."""
    source = random.Random(20261202)  # noqa: S311  # nothing here is secret
    scenes = [shapes(source) for _ in range(20_000)]
    for _ in range(count):
        inputs, output = source.choice(scenes)
        kinds = FLOATS if source.random() < 0.6 else ROWS if source.random() < 0.8 else DTYPES
        layouts = ("ND",) if source.random() < 0.8 else FORMATS
        # One type for all in half of the calls: without it hardly any would be good.
        types = (source.choice(kinds),) if source.random() < 0.5 else kinds
        call: Call = {
            name: Tensor(source.choice(types), shape, source.choice(layouts))
            for name, shape in zip(TENSORS, (*inputs, output), strict=True)
        }
        if source.random() < 0.25:
            call |= dict.fromkeys(source.sample(TENSORS, source.randint(1, 4)))
        call["reduction"] = source.choice((0, 1, 2)) if source.random() < 0.8 else source.choice(EXTREMES)
        if source.random() < 0.05:
            call[source.choice(HANDLES)] = None
        yield call


@cache
def calls(count: int) -> tuple[Call, ...]:
    """Give the first drawn calls."""
    return tuple(drawn(count))


def interpreter(operator: Operator) -> Callable[[Call], Answer]:
    """Give the check that all others must agree with."""

    def answer(call: Call) -> Answer:
        diagnosis = operator.validate(call)
        return int(diagnosis.status), tuple(clause.id for clause in diagnosis.broken)

    return answer


def python(source: str) -> Callable[[Call], Answer]:
    """Load a generated module from its text."""
    scope: dict[str, Any] = {"__name__": "check"}
    exec(compile(source, "check.py", "exec"), scope)  # noqa: S102  # our own
    return lambda call: tuple(scope["check"](**call))  # type: ignore[return-value]


PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t next(void) {
  int64_t number;
  if (fread(&number, sizeof number, 1, stdin) != 1) exit(0);
  return number;
}

static double real(void) {
  int64_t bits = next();
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* Read a tensor: rank (-1: null), type, format, sizes. The sizes lie in memory of their own, so that a read beyond
   them is one that a sanitizer sees. */
static const aclnn_spec_tensor *tensor(void) {
  aclnn_spec_tensor *one;
  int64_t rank = next(), *sizes;
  if (rank < 0) return NULL;
  one = malloc(sizeof *one);
  one->rank = (uint64_t)rank;
  one->dtype = (int32_t)next();
  one->format = (int32_t)next();
  sizes = rank ? malloc((size_t)rank * sizeof *sizes) : NULL;
  for (int64_t i = 0; i < rank; i++) sizes[i] = next();
  one->shape = sizes;
  return one;
}

static void release(const aclnn_spec_tensor *one) {
  if (one) free((void *)(uintptr_t)one->shape);
  free((void *)(uintptr_t)one);
}

int main(void) {
  static const char there = 0;
  (void)real;
  for (;;) {
    READ
    const aclnn_spec_diagnosis found = CHECK;
    const int64_t answer[] = {found.status, found.clause, (int64_t)found.broken};
    RELEASE
    if (fwrite(answer, sizeof answer, 1, stdout) != 1) return 1;
  }
}
"""


def compiled(operator: Operator, header: str, directory: Path, *flags: str) -> Path:
    """Compile a program that reads packed calls and writes packed answers."""
    directory.mkdir(parents=True, exist_ok=True)
    read, release = [], []
    for name, kind in check_parameters(operator).items():
        read.append(
            {
                "tensor": f"const aclnn_spec_tensor *{name} = tensor();",
                "pointer": f"const void *{name} = next() ? &there : NULL;",
                "float": f"float {name} = (float)real();",
            }.get(kind, f"{kind} {name} = ({kind})next();")
        )
        release += [f"release({name});"] if kind == "tensor" else []
    call = f"{operator.name}_check({', '.join(check_parameters(operator))})"
    program = PROGRAM.replace("READ", "\n    ".join(read)).replace("CHECK", call).replace("RELEASE", " ".join(release))
    (directory / "check.h").write_text(header, encoding="utf-8")
    (directory / "program.c").write_text(f'#include "check.h"\n{program}', encoding="utf-8")
    target = directory / "program"
    ran = subprocess.run(
        [str(COMPILER), *STRICT, *flags, "-o", target, directory / "program.c"],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        pytest.fail(ran.stderr)
    return target


def packed(operator: Operator, given: Sequence[Call]) -> bytes:
    """Write calls as 64-bit numbers."""
    dtypes = {name: dtype.number for name, dtype in operator.tables.dtypes.items()}
    formats = {name: layout.number for name, layout in operator.tables.formats.items()}
    numbers = array("q")
    kinds = tuple(check_parameters(operator).items())
    for call in given:
        for name, kind in kinds:
            value = call.get(name, name)
            if kind == "pointer":
                numbers.append(value is not None)
            elif kind == "float":
                numbers.frombytes(struct.pack("d", value))
            elif kind != "tensor":
                numbers.append(value)
            elif value is None:
                numbers.append(-1)
            else:
                numbers.extend((len(value.shape), dtypes[value.dtype], formats[value.format], *value.shape))
    return numbers.tobytes()


def run(operator: Operator, program: Path, given: Sequence[Call]) -> Iterator[Answer]:
    """Give the C check's answers; the first clause and the status must go together."""
    ran = subprocess.run([program], input=packed(operator, given), capture_output=True, check=False, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, b"")
    clauses = [(clause.id, clause.accepts[0]) for clause in operator.checks]
    for status, first, broken in np.frombuffer(ran.stdout, np.int64).reshape(-1, 3).tolist():
        ids = tuple(name for i, (name, _) in enumerate(clauses) if broken >> i & 1)
        assert [first] == ([i for i, (name, _) in enumerate(clauses) if name in ids][:1] or [-1])
        yield status, ids


def differences(answers: Iterator[Answer], expected: Sequence[Answer]) -> int:
    """Count the calls that two checks disagree about."""
    return sum(a != b for a, b in zip(answers, expected, strict=True))


@cache
def expected(count: int) -> tuple[Answer, ...]:
    """Give the interpreter's answers to the drawn calls."""
    return tuple(map(interpreter(OPERATOR), calls(count)))


DRAWN = 200_000
FEW = 5_000


def test_the_draws_are_about_everything() -> None:
    """Among them are good calls and null pointers in number, every clause broken, alone where it can be, every rank."""
    answers, given = expected(DRAWN), calls(DRAWN)
    broken = Counter(clause for _, ids in answers for clause in ids)
    alone = Counter(ids[0] for _, ids in answers if len(ids) == 1)
    assert set(broken) == {clause.id for clause in OPERATOR.checks}
    assert min(broken.values()) > 1_000
    # The inputs' and the output's limits on the rank are broken together, or the output's shape is wrong as well.
    assert {clause for clause, count in alone.items() if count > 100} == set(broken) - {"max_rank", "max_rank_output"}
    assert 0.2 < sum(not ids for _, ids in answers) / DRAWN < 0.6
    assert 0.1 < sum(None in call.values() for call in given) / DRAWN < 0.5
    assert {len(call["self"].shape) for call in given if call["self"]} >= set(range(11))
    assert {call["target"].dtype for call in given if call["target"]} == set(DTYPES)


def test_python_agrees_on_drawn_calls() -> None:
    """The standalone module gives the interpreter's answer to each of the drawn calls."""
    assert differences(map(python(python_check(OPERATOR)), calls(DRAWN)), expected(DRAWN)) == 0


@needs_compiler
def test_c_agrees_on_drawn_calls(tmp_path: Path) -> None:
    """The C header gives the interpreter's answer to each of the drawn calls."""
    program = compiled(OPERATOR, c_check(OPERATOR), tmp_path)
    assert differences(run(OPERATOR, program, calls(DRAWN)), expected(DRAWN)) == 0


@needs_compiler
def test_c_has_no_undefined_behaviour(tmp_path: Path) -> None:
    """Under AddressSanitizer and UndefinedBehaviorSanitizer the answers are the same, and nothing is reported."""
    sanitize = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    probe = tmp_path / "probe.c"
    probe.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    probed = [str(COMPILER), *sanitize, "-o", tmp_path / "probe", probe]
    if subprocess.run(probed, capture_output=True, check=False).returncode:
        pytest.skip(f"{COMPILER} has no sanitizers here")
    program = compiled(OPERATOR, c_check(OPERATOR), tmp_path, *sanitize)
    assert differences(run(OPERATOR, program, calls(FEW)), expected(FEW)) == 0


def core_tier(name: str) -> Iterator[Call]:
    """Give the call of each case of an operator's core tier, from its file."""
    for record in read_json(data_root() / "golden" / "core" / f"{name}.json")["cases"]:
        yield {
            name: Tensor(value["dtype"], tuple(value["shape"]), value.get("format", "ND"))
            if isinstance(value, dict)
            else SPELT.get(value, value)
            for name, value in record["arguments"].items()
        }


@needs_compiler
@pytest.mark.parametrize("name", list(SPEC.operators))
def test_all_agree_on_the_core_tier(name: str, tmp_path: Path) -> None:
    """Every operator's module and header give the interpreter's answer to its cases, which break every clause."""
    operator, given = SPEC.operator(name), list(core_tier(name))
    answers = [*map(interpreter(operator), given)]
    assert {clause for _, ids in answers for clause in ids} == {clause.id for clause in operator.checks}
    assert differences(map(python(python_check(operator)), given), answers) == 0
    assert differences(run(operator, compiled(operator, c_check(operator), tmp_path), given), answers) == 0


def full_tier(monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Give the call of each case of the full tier: the core's from its file, the policy's without their data."""
    yield from core_tier(OPERATOR.name)
    monkeypatch.setattr(policy, "_data", lambda _key, _kind, count: np.empty(count))
    author = Author(operator=OPERATOR)
    yield from (author.call(draft()) for draft in policy.drafts(author))


@needs_compiler
def test_all_agree_on_the_full_tier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpreter, module and header give one answer to the call of every case, and the cases break every clause."""
    given = list(full_tier(monkeypatch))
    answers = [*map(interpreter(OPERATOR), given)]
    assert len(given) > 20_000
    assert {clause for _, ids in answers for clause in ids} == {clause.id for clause in OPERATOR.checks}
    assert differences(map(python(python_check(OPERATOR)), given), answers) == 0
    assert differences(run(OPERATOR, compiled(OPERATOR, c_check(OPERATOR), tmp_path), given), answers) == 0


RULE_DATA: tuple[dict[str, Any], ...] = (
    {"kind": "not_null", "on": ["gradInput", "executor"]},
    {"kind": "deducible", "on": ["self"]},
    {"kind": "deducible", "on": ["gradInput", "target"]},
    {"kind": "deduced_in", "on": ["self", "target"], "dtypes": ["INT8", "DOUBLE", "COMPLEX64"]},
    {"kind": "castable", "of": ["gradInput"], "to": "self"},
    {"kind": "castable", "of": ["self", "gradOutput", "target", "gradInput"], "to": "target"},
    {"kind": "broadcastable", "on": ["target"]},
    {"kind": "broadcastable", "on": ["gradInput", "self"]},
    {"kind": "shape_is_broadcast", "of": ["self"], "on": ["target", "gradOutput"]},
    {"kind": "shape_is_broadcast", "of": ["self", "target", "gradOutput"], "on": ["gradInput"]},
    {"kind": "max_rank", "on": ["self", "target"], "rank": 3},
    {"kind": "min_rank", "on": ["self", "gradInput"], "rank": 2},
    {"kind": "one_of", "on": ["reduction"], "values": [3, -(2**63), 2**63 - 1]},
    {"kind": "dtype_in", "on": ["self", "target"], "dtypes": ["FLOAT", "UNDEFINED", "INT4"]},
    {"kind": "dtype_not_in", "on": ["gradInput"], "dtypes": ["BFLOAT16", "FLOAT4_E1M2"]},
    {"kind": "format_in", "on": ["gradOutput", "self"], "formats": ["ND", "UNDEFINED", "NCL"]},
    {"kind": "shape_is", "on": ["gradInput", "self"], "shape": [3, 3]},
    {"kind": "shape_is", "on": ["target"], "shape": []},
    {"kind": "at_least", "on": ["beta"], "value": 0},
    {"kind": "finite", "on": ["beta"]},
    {"kind": "same_dtype", "on": ["self", "target", "gradInput"]},
    {
        "kind": "not_both",
        "one": "self",
        "one_dtypes": ["FLOAT", "INT8"],
        "other": "target",
        "other_dtypes": ["FLOAT", "UINT16"],
    },
)
#: The same under a condition on the reduction.
CONDITIONS = ((0, 2), (1,))


def with_rules(*data: dict[str, Any]) -> Operator:
    """Give the operator with other rules, one clause each, and types in its lists that the deduction does not know."""
    error = OPERATOR.clause("nullptr")
    rules = [rule_from(each) for each in data]
    some = [Condition(name="reduction", numbers=numbers, words=("some",)) for numbers in CONDITIONS]
    rules += [When(rule=rule, when=(some[i % 2],)) for i, rule in enumerate(rules)]
    clauses = tuple(replace(error, id=f"rule_{i}", rule=rule) for i, rule in enumerate(rules))
    listed = tuple(SPEC.tables.dtypes[name] for name in ("INT8", "STRING", "UINT16", "COMPLEX64"))
    parameters = [replace(p, dtypes=listed) if p.name == "self" else p for p in OPERATOR.parameters]
    beta = replace(OPERATOR.parameter("reduction"), name="beta", kind="float", values={}, samples=(1.0,))
    prototype = OPERATOR.get_workspace_size
    first = replace(prototype, parameters=(("beta", "float"), *prototype.parameters))
    return replace(
        OPERATOR, name="aclnnOther", clauses=clauses, parameters=(beta, *parameters), get_workspace_size=first
    )


@needs_compiler
def test_all_agree_on_every_kind_of_rule(tmp_path: Path) -> None:
    """An operator may have rules of any kind that has a generated form, on one tensor or several."""
    assert {data["kind"] for data in RULE_DATA} == set(RULES) - {"no_alias"}
    operator, betas = with_rules(*RULE_DATA), cycle((1.0, -0.0, -1.0, -1e-50, math.nan, math.inf, -math.inf, 1e300))
    given = [{**call, "beta": beta} for call, beta in zip(calls(FEW), betas, strict=False)]
    answers = [*map(interpreter(operator), given)]
    broken = Counter(clause for _, ids in answers for clause in ids)
    never = {"rule_6", f"rule_{6 + len(RULE_DATA)}"}  # a tensor always broadcasts with itself
    assert min(broken[clause.id] for clause in operator.checks if clause.id not in never) > 20
    assert [broken[each] for each in never] == [0, 0]
    assert differences(map(python(python_check(operator)), given), answers) == 0
    assert differences(run(operator, compiled(operator, c_check(operator), tmp_path), given), answers) == 0


PLANTED_IN_PYTHON = (
    ("len(tensor.shape) <= rank", "len(tensor.shape) < rank"),
    ('"FLOAT16": "DOUBLE", "DOUBLE"', '"FLOAT16": "FLOAT", "DOUBLE"'),
    ('"reduction": _one_of(arguments, ("reduction",), (0, 1, 2))', '"reduction": True'),
    ("LISTED[name] if", "(None,) if"),
    ("if complete:", "if True:"),
    ("if a not in (1, b) and b != 1", "if a not in (1, b)"),
)


@pytest.mark.parametrize(("right", "wrong"), PLANTED_IN_PYTHON)
def test_a_fault_planted_in_the_module_is_found(right: str, wrong: str) -> None:
    """The comparison can fail: a wrong limit, table entry, rule, null pointer, output or broadcast shows."""
    source = python_check(OPERATOR)
    assert right in source
    assert differences(map(python(source.replace(right, wrong)), calls(FEW)), expected(FEW)) > 0


PLANTED_IN_C = (
    ("tensor->rank <= rank", "tensor->rank < rank"),
    ("/* FLOAT16    */ { 0,  1,  2,  3,", "/* FLOAT16    */ { 0,  1,  2,  1,"),
    ("reduction == INT64_C(0) || reduction == INT64_C(1) || reduction == INT64_C(2)", "reduction == reduction + 0"),
    (" : listed;", " : listed | 1;"),
    ("(complete || size != 1)", "size != 1"),
    ("if (own == 1 || own == *size) continue;", "if (own == *size) continue;"),
    ("for (int i = count - 1; i >= 0; i--)", "for (int i = count - 1; i > 0; i--)"),
    ("/* INT8          */ 0x03fe0", "/* INT8          */ 0x03ffe"),
)


@needs_compiler
@pytest.mark.parametrize(("right", "wrong"), PLANTED_IN_C)
def test_a_fault_planted_in_the_header_is_found(right: str, wrong: str, tmp_path: Path) -> None:
    """The comparison can fail: a wrong limit, table entry, rule, null pointer, output, broadcast or cast shows."""
    source = c_check(OPERATOR)
    assert right in source
    program = compiled(OPERATOR, source.replace(right, wrong), tmp_path)
    assert differences(run(OPERATOR, program, calls(FEW)), expected(FEW)) > 0


GOOD: Call = dict.fromkeys(TENSORS, Tensor("FLOAT", (2, 3))) | {"reduction": 1}


@needs_compiler
def test_c_takes_numbers_that_are_in_no_enum(tmp_path: Path) -> None:
    """A number that no type has is deduced with nothing and cast to nothing, at the ends of the range too."""
    program, answers = compiled(OPERATOR, c_check(OPERATOR), tmp_path), []
    for number in (5, 63, 64, 2**31 - 1, -2, -(2**31)):
        strange = array("q", packed(OPERATOR, [GOOD, GOOD]))
        one = len(strange) // 2
        assert [strange[6], strange[one + 17]] == [0, 0]  # the type of the first call's self, the second's gradInput
        strange[6] = strange[one + 17] = number
        ran = subprocess.run([program], input=strange.tobytes(), capture_output=True, check=True)
        answers += np.frombuffer(ran.stdout, np.int64).reshape(2, 3).tolist()
    ids = [clause.id for clause in OPERATOR.checks]
    deducible, castable = ids.index("deducible"), ids.index("castable")
    assert answers == [[161002, deducible, 1 << deducible], [161002, castable, 1 << castable]] * 6


@needs_compiler
@pytest.mark.parametrize("rank", [0, 1, 8, 9, 40, 5000])
def test_any_rank(rank: int, tmp_path: Path) -> None:
    """There is no buffer that a high rank could overflow, and a rank of 0 has no size to be read."""
    tall = Tensor("FLOAT", (1,) * rank)
    given = [
        dict.fromkeys(TENSORS, tall) | {"reduction": 0},
        GOOD | {"self": tall},
        GOOD | {"gradInput": tall},
        GOOD | {"gradOutput": tall, "target": None},
    ]
    answers = [*map(interpreter(OPERATOR), given)]
    assert differences(run(OPERATOR, compiled(OPERATOR, c_check(OPERATOR), tmp_path), given), answers) == 0
    assert differences(map(python(python_check(OPERATOR)), given), answers) == 0

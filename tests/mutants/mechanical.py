"""Mutants made from the reference's own source: one operation, comparison, constant or index changed in each."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from aclnn_spec.golden.cases.author import Author
from aclnn_spec.golden.tensor import Tensor, bits, is_bfloat16
from aclnn_spec.reference import REFERENCES, evaluate, exact, floats
from aclnn_spec.reference.exact import Terms
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator

from .equivalent import arguments, computes_in_integers
from .kernel import Call, Kernel, Running
from .mutant import Mutant

GROUPS = (
    *("basic", "ties", "threshold", "mean", "sums", "broadcast", "deduction"),
    *("layout", "special", "empty", "lifecycle", "open"),
)
"""All groups of calls that succeed: which one must tell depends on the line."""

_APART = frozenset(
    {
        *("_BLOCK", "_divide_to_odd", "_once", "_repeated"),
        *("_BITS", "_LOW", "_SPLIT", "_UNIT", "_distilled", "_halves", "_sign", "_to_odd", "_two_product", "_units"),
        *("two_sum", "quotients"),
    }
)
"""What is not changed: the size of a block, which decides about speed alone; the division for counts of 2^29 and more,
tensors of gigabytes that no case has; what skips axes along which the output does not move, which the output of a call
never has; and what looks once at operands that repeat, for speed again. `tests/test_reference.py` holds the last three
against the oracle. The last two lines are the arithmetic that carries more bits than float64 has: no operator's
tolerance tells of these, and the same test holds them against the oracle, bit by bit."""
_REDUCING, _WHOLE = frozenset({"_reduced", "_shape_of"}), frozenset({"WHOLE"})
"""What only operators that reduce, or that compute in integers, make use of."""

_EVALUATE: ModuleType = inspect.getmodule(evaluate)  # type: ignore[assignment]  # the function hides its module's name
_REFERENCE = tuple(inspect.getmodule(each.function) for each in REFERENCES.values())
_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], str, str]] = {
    ast.Add: (ast.Sub, "+", "-"),
    ast.Sub: (ast.Add, "-", "+"),
    ast.Mult: (ast.Div, "*", "/"),
    ast.Div: (ast.Mult, "/", "*"),
    ast.FloorDiv: (ast.Mult, "//", "*"),
    ast.Pow: (ast.Mult, "**", "*"),
    ast.LShift: (ast.RShift, "<<", ">>"),
    ast.RShift: (ast.LShift, ">>", "<<"),
    ast.BitAnd: (ast.BitOr, "&", "|"),
    ast.BitOr: (ast.BitAnd, "|", "&"),
    ast.BitXor: (ast.BitAnd, "^", "&"),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[tuple[type[ast.cmpop], str, str], ...]] = {
    ast.Gt: ((ast.GtE, ">", ">="), (ast.Lt, ">", "<")),
    ast.Lt: ((ast.LtE, "<", "<="), (ast.Gt, "<", ">")),
    ast.GtE: ((ast.Gt, ">=", ">"),),
    ast.LtE: ((ast.Lt, "<=", "<"),),
    ast.Eq: ((ast.NotEq, "==", "!="),),
    ast.NotEq: ((ast.Eq, "!=", "=="),),
    ast.Is: ((ast.IsNot, "is", "is not"),),
    ast.IsNot: ((ast.Is, "is not", "is"),),
}


@dataclass(frozen=True, kw_only=True)
class Change:
    """One change of a source: where, what from and to, and the expressions around it before and after."""

    file: str
    line: int
    column: int
    function: str
    before: str
    after: str
    was: str
    code: CodeType
    module: int
    count: int

    @property
    def key(self) -> str:
        """What the change is called where line numbers may move."""
        place = f"{self.function}: {self.was}" if self.was != self.before else self.function
        return f"{place}: {self.before} -> {self.after}" + (f" ({self.count})" if self.count > 1 else "")


def _variants(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """A node changed in every way there is, with both signs."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        kind, before, after = _OPERATORS[type(node.op)]
        yield ast.BinOp(left=node.left, op=kind(), right=node.right), before, after
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for kind_, before, after in _COMPARISONS.get(type(node.ops[0]), ()):
            yield ast.Compare(left=node.left, ops=[kind_()], comparators=node.comparators), before, after
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        value = node.value
        changed = (
            [not value] if isinstance(value, bool) else [value + 1, value - 1] if isinstance(value, int) else [-value]
        )
        for each in changed:
            yield ast.Constant(value=each), repr(value), repr(each)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert | ast.Not):
        sign = {ast.USub: "-", ast.Invert: "~", ast.Not: "not"}[type(node.op)]
        yield node.operand, sign, "(nothing)"
    elif isinstance(node, ast.BoolOp):
        kind__: type[ast.boolop] = ast.Or if isinstance(node.op, ast.And) else ast.And
        before, after = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        yield ast.BoolOp(op=kind__(), values=node.values), before, after
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(test=node.test, body=node.orelse, orelse=node.body), "a if c else b", "b if c else a"


class _Put(ast.NodeTransformer):
    """Put another node in one's place."""

    def __init__(self, place: tuple[Any, ...], new: ast.AST) -> None:
        self.place, self.new = place, new

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if _place(node) == self.place:
            return ast.copy_location(deepcopy(self.new), node)
        return super().generic_visit(node)


def _place(node: ast.AST) -> tuple[Any, ...]:
    return (
        type(node),
        getattr(node, "lineno", 0),
        getattr(node, "col_offset", 0),
        getattr(node, "end_col_offset", 0),
        getattr(node, "end_lineno", 0),
    )


def _modules(operator: Operator) -> tuple[ModuleType, ...]:
    """The modules an operator's reference is made of, each after those it needs."""
    own = inspect.getmodule(REFERENCES[operator.name].function)
    if own is None:
        return (floats, _EVALUATE)
    # What it shares with another operator, and what it needs of exact arithmetic, by the functions it names.
    near = {inspect.getmodule(value) for value in vars(own).values() if inspect.isfunction(value)}
    needed = [each for each in _REFERENCE if each in near and each is not own]
    exactly = [exact] if Terms in vars(own).values() else []
    return (floats, *exactly, _EVALUATE, *needed, own)


def _tops(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """A module's functions, those of its classes, and its constants, by name."""
    for top in tree.body:
        if isinstance(top, ast.FunctionDef):
            yield top.name, top
        elif isinstance(top, ast.Assign) and isinstance(top.targets[0], ast.Name):
            yield top.targets[0].id, top.value
        elif isinstance(top, ast.ClassDef):
            yield top.name, top
            yield from ((each.name, each) for each in top.body if isinstance(each, ast.FunctionDef))


def _mutable(tree: ast.Module, used: frozenset[str], apart: frozenset[str]) -> Iterator[tuple[str, ast.AST]]:
    """The nodes that may be changed: those of functions and constants in use."""
    for name, top in _tops(tree):
        if name in used and not isinstance(top, ast.ClassDef):
            for each in _statements(top, apart):
                yield from ((name, node) for node in _parts(each))


def _statements(top: ast.AST, apart: frozenset[str]) -> Iterator[ast.AST]:
    """A function's statements, or a constant's value, but for what never runs."""
    if not isinstance(top, ast.FunctionDef):
        yield top
        return
    for statement in top.body:
        if isinstance(statement, ast.If) and any(isinstance(each, ast.Raise) for each in statement.body):
            continue  # what refuses a call that the suite never makes
        if isinstance(statement, ast.If) and any(
            isinstance(n, ast.Name) and n.id in apart for n in ast.walk(statement.test)
        ):
            continue  # what is for operators of another kind
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            yield statement


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all in it, but for annotations."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield from _parts(each)


def _unused(operator: Operator) -> frozenset[str]:
    """The names that are not looked at."""
    reducing = frozenset() if operator.output.reduced else _REDUCING
    return _APART | reducing | (frozenset() if computes_in_integers(operator) else _WHOLE)


def _used(trees: list[ast.Module], start: str, apart: frozenset[str]) -> list[frozenset[str]]:
    """The names of each module that a function of the last one needs, by way of those it calls, but for some."""
    tops = [dict(_tops(tree)) for tree in trees]
    found: list[set[str]] = [set() for _ in trees]
    todo = [(len(trees) - 1, start), (len(trees) - 1, "evaluate")]
    while todo:
        user, name = todo.pop()
        # Its own, or else one of a module before it, from which it comes.
        home = next((number for number in (user, *range(user)) if name in tops[number]), None)
        if home is None or name in found[home] or name in apart or name.startswith("_check"):
            continue
        found[home].add(name)
        todo += [
            (home, node.id)
            for each in _statements(tops[home][name], apart)
            for node in ast.walk(each)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        ]
    return [frozenset(names) for names in found]


def changes(operator: Operator) -> Iterator[Change]:
    """Every change of the operator's reference."""
    modules = _modules(operator)
    trees = [ast.parse(inspect.getsource(module)) for module in modules]
    seen: Counter[tuple[str, ...]] = Counter()
    apart = _unused(operator)
    used = _used(trees, REFERENCES[operator.name].function.__name__, apart)
    for number, (module, tree, names) in enumerate(zip(modules, trees, used, strict=True)):
        file = Path(str(module.__file__)).name
        if module is floats and not Author(operator=operator).exact:
            continue  # the operator whose results are exact tells of every bit that is rounded
        for function, node in _mutable(tree, names, apart):
            for new, before, after in _variants(node):
                was = ast.unparse(node)
                seen[function, was, before, after] += 1
                yield Change(
                    file=file,
                    line=node.lineno,
                    column=node.col_offset,
                    function=function,
                    before=before,  # type: ignore[attr-defined]
                    after=after,
                    was=was,
                    code=partial(_compiled, tree, node, new, file),
                    module=number,
                    count=seen[function, was, before, after],
                )


def _compiled(tree: ast.Module, node: ast.AST, new: ast.AST, file: str) -> CodeType:
    """The module with another node in one's place."""
    return compile(ast.fix_missing_locations(_Put(_place(node), new).visit(deepcopy(tree))), file, "exec")


def _namespace(operator: Operator, change: Change) -> dict[str, Any]:
    """Run the modules again, one of them changed, each seeing the names of those before it."""
    made: dict[str, Any] = {}
    for number, module in enumerate(_modules(operator)):
        code = (
            change.code()
            if number == change.module
            else compile(inspect.getsource(module), str(module.__file__), "exec")
        )
        scope: dict[str, Any] = {"__name__": module.__name__}
        exec(code, scope)  # noqa: S102 - it is our own source
        # Its imports brought the unchanged ones in.
        imported = {
            each.asname or each.name
            for each in ast.walk(ast.parse(inspect.getsource(module)))
            if isinstance(each, ast.alias)
        }
        scope |= {name: value for name, value in made.items() if name in imported}
        made |= scope
    return made


def _made(operator: Operator, change: Change) -> Running:
    def run(call: Call) -> int:
        scope = call.state.get("scope")
        if scope is None:
            scope = call.state["scope"] = _namespace(operator, change)
        result: Tensor = call.output
        output = result.array
        scope["evaluate"](
            scope[REFERENCES[operator.name].function.__name__],
            {
                name: (bits(_apart(call.arguments[name].array, output)), str(call.arguments[name].dtype))
                for name in call.inputs
            },
            common=call.common,
            output=(output.view(np.uint16) if is_bfloat16(output) else output, call.out),
            attributes={p.name: call.arguments[p.name] for p in operator.parameters if p.role == "attribute"},
            reduces=call.reduces,
        )
        return 0

    return Running(
        name=f"{change.file}:{change.line}", operator=operator, kernel=Kernel(is_empty=lambda _: True, nothing=run)
    )


def _apart(array: Any, output: Any) -> Any:
    return array.copy() if np.may_share_memory(array, output) else array


def mutants(operator: Operator) -> Iterator[Mutant]:
    """The mutants."""
    argued = arguments(operator)
    seen: Counter[str] = Counter()
    for change in changes(operator):
        place = f"{change.file}:{change.line}:{change.column}: {change.before} -> {change.after}"
        seen[place] += 1  # a * b * c holds two products that begin in one place
        yield Mutant(
            id=f"source/{place}" + (f" ({seen[place]})" if seen[place] > 1 else ""),
            text=Text(
                zh=f"{change.function} 中的 {change.was}：{change.before} 变为 {change.after}",
                en=f"{change.was} in {change.function}: {change.before} becomes {change.after}",
            ),
            groups=GROUPS,
            make=lambda change=change: _made(operator, change),
            late=True,
            equivalent=argued.get(change.key),
        )

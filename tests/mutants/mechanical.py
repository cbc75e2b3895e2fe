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

from aclnn_spec.golden.tensor import Tensor, bits, is_bfloat16
from aclnn_spec.reference import REFERENCES, evaluate, floats
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator

from .equivalent import EQUIVALENT
from .kernel import Call, Kernel, Running
from .mutant import Mutant

GROUPS = ("basic", "ties", "mean", "broadcast", "deduction", "layout", "special", "empty", "lifecycle", "open")
"""All groups of calls that succeed: which one must tell depends on the line."""

_APART = frozenset({"_BLOCK", "_divide_to_odd", "_once"})
"""What is not changed: the size of a block, which decides about speed alone; the division for counts of 2^29 and more,
tensors of gigabytes that no case has; and what skips axes along which the output does not move, which the output of a
call never has. `tests/test_reference.py` holds the last two against the oracle."""

_EVALUATE: ModuleType = inspect.getmodule(evaluate)  # type: ignore[assignment]  # the function hides its module's name
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
    return tuple(each for each in (floats, _EVALUATE, own) if each)


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


def _mutable(tree: ast.Module, used: frozenset[str]) -> Iterator[tuple[str, ast.AST]]:
    """The nodes that may be changed: those of functions and constants in use."""
    for name, top in _tops(tree):
        if name in used and not isinstance(top, ast.ClassDef):
            for each in _statements(top) if isinstance(top, ast.FunctionDef) else [top]:
                yield from ((name, node) for node in _parts(each))


def _statements(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in function.body:
        if isinstance(statement, ast.If) and any(isinstance(each, ast.Raise) for each in statement.body):
            continue  # what refuses a call that the suite never makes
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


def _used(trees: list[ast.Module], start: str) -> frozenset[str]:
    """The names that a function needs, by way of those it calls."""
    tops = {name: top for tree in trees for name, top in _tops(tree)}
    found: set[str] = set()
    todo = [start, "evaluate"]
    while todo:
        name = todo.pop()
        if name in tops and name not in found and name not in _APART and not name.startswith("_check"):
            found.add(name)
            top = tops[name]
            looked_at = _statements(top) if isinstance(top, ast.FunctionDef) else [top]
            todo += [node.id for each in looked_at for node in ast.walk(each) if isinstance(node, ast.Name)]
    return frozenset(found)


def changes(operator: Operator) -> Iterator[Change]:
    """Every change of the operator's reference."""
    modules = _modules(operator)
    trees = [ast.parse(inspect.getsource(module)) for module in modules]
    seen: Counter[tuple[str, ...]] = Counter()
    used = _used(trees, REFERENCES[operator.name].function.__name__)
    for number, (module, tree) in enumerate(zip(modules, trees, strict=True)):
        file = Path(str(module.__file__)).name
        for function, node in _mutable(tree, used):
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
        if made:  # its imports brought the unchanged ones in
            scope |= {name: value for name, value in made.items() if name in scope and not name.startswith("__")}
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
        )
        return 0

    return Running(
        name=f"{change.file}:{change.line}", operator=operator, kernel=Kernel(is_empty=lambda _: True, nothing=run)
    )


def _apart(array: Any, output: Any) -> Any:
    return array.copy() if np.may_share_memory(array, output) else array


def mutants(operator: Operator) -> Iterator[Mutant]:
    """The mutants."""
    for change in changes(operator):
        yield Mutant(
            id=f"source/{change.file}:{change.line}:{change.column}: {change.before} -> {change.after}",
            text=Text(
                zh=f"{change.function} 中的 {change.was}：{change.before} 变为 {change.after}",
                en=f"{change.was} in {change.function}: {change.before} becomes {change.after}",
            ),
            groups=GROUPS,
            make=lambda change=change: _made(operator, change),
            late=True,
            equivalent=EQUIVALENT.get(change.key),
        )

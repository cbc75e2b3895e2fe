"""Life cycle, state and empties: plans kept too long, calls mixed up, results that depend on what went before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from aclnn_spec.golden.tensor import Array, Tensor, with_storage
from aclnn_spec.spec.operator import Operator

from . import results
from .kernel import Arguments, Call, Kernel, State, check, is_empty, view
from .layouts import at
from .mutant import Sketch, wrong

INNER = 561103
Key = Callable[[Call], Any]


def _clear(call: Call) -> None:
    call.output.array[...] = np.zeros((), call.output.storage.dtype)


def _shapes(call: Call) -> tuple[Any, ...]:
    return tuple(call.arguments[name].shape for name in call.inputs)


def _types(call: Call) -> tuple[Any, ...]:
    return (*call.types, call.out)


def cached(field: str, key: Key) -> dict[str, Any]:
    """A kernel that works out a field of the call once for each key, and uses it for ever."""

    def plan(call: Call) -> None:
        known = call.state.setdefault(field, {})
        setattr(call, field, known.setdefault(key(call), getattr(call, field)))

    return {"plan": plan}


def cached_layout(which: Callable[[Call, str], bool], key: Key, *, strides: bool) -> dict[str, Any]:
    """A kernel that remembers an input's strides, or its offset, for each key."""

    def viewed(call: Call, name: str) -> Array:
        tensor: Tensor = call.arguments[name]
        if not which(call, name) or not 0 < tensor.size < 2**20:
            return view(call, name)
        known = call.state.setdefault("layout", {})
        old_strides, old_offset = known.setdefault((name, key(call)), (tensor.strides, tensor.offset))
        kept = (old_strides, tensor.offset) if strides else (tensor.strides, old_offset)
        return view(call, name) if kept == (tensor.strides, tensor.offset) else tensor.storage[at(tensor, *kept)]

    return {"view": viewed}


def _last_call(arguments: Arguments, state: State) -> None:
    state["last"] = dict(arguments)


def _pushed(arguments: Arguments, state: State) -> None:
    state.setdefault("all", []).append(dict(arguments))


def _noted(name: str) -> Callable[[Arguments, State], Any]:
    def keep(arguments: Arguments, state: State) -> dict[str, Any]:
        state[name] = arguments[name]
        return dict(arguments)

    return keep


def _same_kind(executor: Any, state: State, name: str) -> Arguments:
    one, other = state[name], executor[name]
    return {**executor, name: one} if (one.shape, one.dtype) == (other.shape, other.dtype) else executor


def _caches(operator: Operator) -> Iterator[Sketch]:
    names = tuple(p.name for p in operator.inputs)
    yield wrong(
        "count-of-first-call",
        "N is worked out in the first call alone",
        "N 只在第一次调用时计算",
        **cached("count", lambda _: 0),
    )
    for name, en, zh, key in (
        ("rank", "rank", "维数", lambda c: len(c.shape)),
        ("type", "common type", "公共类型", lambda c: c.common),
        *((each, f"shape of {each}", f"{each} 的形状", lambda c, n=each: c.arguments[n].shape) for each in names),
    ):
        yield wrong(f"count-by-{name}", f"N is cached by the {en} alone", f"N 只按{zh}缓存", **cached("count", key))
    for name in names:
        others = tuple(each for each in names if each != name)
        yield wrong(
            f"count-without-{name}",
            f"N is cached by the shapes of {' and '.join(others)} alone",
            f"N 只按 {'、'.join(others)} 的形状缓存",
            **cached("count", lambda c, o=others: tuple(c.arguments[n].shape for n in o)),
        )
    yield wrong(
        "reduction-by-shapes",
        "reduction is cached by the shapes alone",
        "reduction 只按形状缓存",
        **cached("reduction", _shapes),
    )
    yield wrong(
        "reduction-by-shapes-and-types",
        "reduction is cached by shapes and types",
        "reduction 按形状和类型缓存",
        **cached("reduction", lambda c: (_shapes(c), _types(c))),
    )
    yield wrong(
        "type-by-shapes",
        "the common type is cached by shapes and output type",
        "公共类型按形状和输出类型缓存",
        **cached("common", lambda c: (_shapes(c), c.out)),
    )
    for i, name in enumerate(names):
        yield wrong(
            f"type-without-{name}",
            f"the common type is cached without {name}'s",
            f"公共类型的缓存不含 {name} 的类型",
            **cached("common", lambda c, i=i: (_shapes(c), c.types[:i] + c.types[i + 1 :], c.out)),
        )
        yield wrong(
            f"strides-of-{name}",
            f"{name}'s strides are cached by shapes, types and reduction",
            f"{name} 的步长按形状、类型和 reduction 缓存",
            "layout lifecycle",
            **cached_layout(
                lambda _, n, name=name: n == name, lambda c: (_shapes(c), _types(c), c.reduction), strides=True
            ),
        )
    yield wrong(
        "offsets",
        "offsets are cached by shapes, types, strides and reduction",
        "偏移按形状、类型、步长和 reduction 缓存",
        "layout lifecycle",
        **cached_layout(
            lambda _, __: True,
            lambda c: (_shapes(c), _types(c), c.reduction, tuple(c.arguments[n].strides for n in c.inputs)),
            strides=False,
        ),
    )


def _executors(operator: Operator) -> Iterator[Sketch]:
    names, out = tuple(p.name for p in operator.inputs), operator.output.name

    def snapshot(arguments: Arguments, _: State) -> dict[str, Any]:
        taken = {name: with_storage(arguments[name], arguments[name].storage.copy()) for name in names}
        return {**arguments, **taken}

    yield wrong(
        "last-call-for-all",
        "all executors hold the last call",
        "所有执行器都指向最后一次调用",
        keep=_last_call,
        recall=lambda _, s: s["last"],
    )
    yield wrong(
        "executors-stacked",
        "phase 2 takes the call that was started last",
        "第二段总取最后开始的调用",
        keep=_pushed,
        recall=lambda _, s: s["all"].pop(),
    )
    yield wrong(
        "executors-queued",
        "phase 2 takes the call that was started first",
        "第二段总取最先开始的调用",
        keep=_pushed,
        recall=lambda _, s: s["all"].pop(0),
    )
    yield wrong(
        "global-reduction",
        "reduction is kept in a global",
        "reduction 存在全局变量里",
        keep=_noted("reduction"),
        recall=lambda e, s: {**e, "reduction": s["reduction"]},
    )
    for name in (*names, out):
        yield wrong(
            f"global-{name}",
            f"{name} is kept in a global, for calls of one kind",
            f"同类调用的 {name} 存在全局变量里",
            keep=_noted(name),
            recall=lambda e, s, n=name: _same_kind(e, s, n),
        )
    yield wrong(
        "computed-in-phase-1",
        "the work is done in phase 1, and phase 2 does nothing",
        "第一段就计算，第二段什么也不做",
        keep=lambda a, s: (Kernel().run(Call(operator=operator, arguments=a, state=s)), dict(a))[1],
        is_empty=lambda _: True,
    )
    yield wrong(
        "output-touched-in-phase-1",
        "phase 1 clears the output",
        "第一段清零输出",
        keep=lambda a, _: (results.zero(a[out]), dict(a))[1],
        is_empty=lambda c: c.mode == "sum" or is_empty(c),
    )
    yield wrong(
        "inputs-read-in-phase-1",
        "phase 1 copies the inputs, phase 2 works on the copies",
        "第一段就复制输入，第二段用副本计算",
        keep=snapshot,
    )


def _after_errors(operator: Operator) -> Iterator[Sketch]:
    def sticky(one: Operator, arguments: Arguments, state: State) -> int:
        status, before = check(one, arguments, state), state.get("failed", 0)
        state["failed"] = status
        return status or (INNER if before else 0)

    def noting(clause: str) -> Callable[[Operator, Arguments, State], int]:
        def checked(one: Operator, arguments: Arguments, state: State) -> int:
            broken = one.validate(arguments).broken
            if broken and broken[0].id == clause:
                state["failed"] = True
            return check(one, arguments, state)

        return checked

    yield wrong(
        "error-sticks",
        "the call after a refused one is refused as well",
        "被拒绝的调用之后，下一次调用也被拒绝",
        check=sticky,
    )
    for clause in operator.checks:
        yield wrong(
            f"wrong-after-{clause.id}",
            f"the first result after a call that breaks {clause.id} is 0",
            f"违反条款 {clause.id} 的调用之后，首个结果为 0",
            check=noting(clause.id),
            after=lambda c: _clear(c) if c.state.pop("failed", False) else None,
        )


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family."""
    yield from _caches(operator)
    yield from _executors(operator)
    yield from _after_errors(operator)
    yield from results.mutants(operator)

"""Life cycle, state and empties: plans kept too long, calls mixed up, results that depend on what went before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from aclnn_spec.certification.implementation import PhaseOne
from aclnn_spec.golden.tensor import CANARY, Array, Tensor, with_storage
from aclnn_spec.spec.operator import Operator

from .kernel import FLOATS, Arguments, Call, Kernel, State, check, is_empty, view, write
from .layouts import around, at
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
            **cached_layout(
                lambda _, n, name=name: n == name, lambda c: (_shapes(c), _types(c), c.reduction), strides=True
            ),
        )
    yield wrong(
        "offsets",
        "offsets are cached by shapes, types, strides and reduction",
        "偏移按形状、类型、步长和 reduction 缓存",
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
        keep=lambda a, _: (_zero(a[out]), dict(a))[1],
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


def _every(step: int, spoil: Callable[[Call], None]) -> Callable[[Call], None]:
    return lambda call: spoil(call) if call.state["calls"] % step == 0 else None


def _nudge(call: Call) -> None:
    """Move every element of a FLOAT mean by one unit in the last place."""
    if call.mode == "mean" and call.out == "FLOAT":
        array = call.output.array
        array[...] = np.nextafter(array, np.float32(np.inf))


def _nudge_last(call: Call) -> None:
    """Move the last element of a FLOAT16 mean by one unit in the last place."""
    if call.mode == "mean" and call.out == "FLOAT16":
        array, last = call.output.array, tuple(size - 1 for size in call.shape)
        array[last] = np.nextafter(array[last], np.float16(np.inf))


def _flip_zeros(call: Call) -> None:
    if call.out == "FLOAT":
        array = call.output.array
        array[...] = np.where(array == 0, np.float32(-0.0), array)


def _zero(tensor: Tensor) -> None:
    if tensor.size:
        tensor.array[...] = np.zeros((), tensor.storage.dtype)


def _spoil_first(tensor: Tensor) -> None:
    if tensor.size:
        tensor.array[(0,) * len(tensor.shape)] = np.ones((), tensor.storage.dtype)


def _spoil_last(call: Call) -> None:
    call.output.array[tuple(size - 1 for size in call.shape)] = np.zeros((), call.output.storage.dtype)


def _added(call: Call, where: Array, values: Array) -> None:
    before = where.copy()
    write(call, where, values)
    if call.out in FLOATS and before.size and set(before.tobytes()[:1]) != {CANARY}:
        where[...] = (before.astype(np.float32) + where.astype(np.float32)).astype(where.dtype)


def _results(operator: Operator) -> Iterator[Sketch]:
    names = tuple(p.name for p in operator.inputs)
    yield wrong(
        "adds-to-output",
        "the result is added to what the output holds from the call before",
        "结果累加到输出里上一次调用留下的值上",
        write=_added,
    )
    for name in names:
        yield wrong(
            f"overwrites-{name}",
            f"the first element of {name} is overwritten",
            f"改写 {name} 的首个元素",
            "basic",
            after=lambda c, n=name: _spoil_first(c.arguments[n]),
        )
    yield wrong(
        f"overwrites-{names[0]}-for-mean",
        f"{names[0]} is scaled in place with mean",
        f"mean 时原地缩放 {names[0]}",
        "mean",
        after=lambda c: (
            c.arguments[c.inputs[0]].array.__imul__(0.5) if c.mode == "mean" and c.types[0] == "FLOAT" else None
        ),
    )
    for step, en, zh in ((2, "every other", "每两次"), (3, "every third", "每三次"), (37, "every 37th", "每三十七次")):
        yield wrong(
            f"wrong-every-{step}",
            f"{en} call has a wrong last element",
            f"{zh}调用有一次末元素错误",
            "basic lifecycle mean",
            after=_every(step, _spoil_last),
        )
    for name, en, zh, spoil in (
        ("float-mean", "FLOAT's mean is one ULP off", "FLOAT 的平均相差 1 ULP", _nudge),
        (
            "last-half-mean",
            "the last element of FLOAT16's mean is one ULP off",
            "FLOAT16 的平均末元素相差 1 ULP",
            _nudge_last,
        ),
        ("zeros", "FLOAT's zeros are negative", "FLOAT 的零为负", _flip_zeros),
    ):
        yield wrong(
            f"drifts-{name}",
            f"in every other call {en}",
            f"每两次调用有一次，{zh}",
            "basic mean lifecycle",
            after=_every(2, spoil),
        )


def _sizes(operator: Operator) -> Iterator[Sketch]:
    names = tuple(p.name for p in operator.inputs)

    def empty(arguments: Arguments) -> bool:
        return any(prod(arguments[name].shape) == 0 for name in names)

    for name, en, zh, size in (
        ("negative", "is −1", "为 −1", -1),
        ("half-of-all", "is 2⁶³", "为 2⁶³", 2**63),
        ("all", "is 2⁶⁴ − 1", "为 2⁶⁴ − 1", 2**64 - 1),
        ("canary", "is not written: 0xA5 throughout", "没有写：全是 0xA5", 0xA5A5A5A5A5A5A5A5),
        ("float", "is a float", "是浮点数", 0.0),
        ("none", "is missing", "没有给出", None),
    ):
        yield wrong(
            f"workspace-{name}",
            f"the size of the workspace {en}",
            f"workspace 大小{zh}",
            "basic empty",
            remembers=False,
            workspace=lambda _, __, ___, size=size: size,
        )
    for name, en, zh, when in (
        ("always", "an empty call asks for 32 bytes as all do", "空调用也要 32 字节", lambda _: True),
        (
            "for-mean",
            "an empty call asks for 32 bytes with mean",
            "mean 时空调用要 32 字节",
            lambda a: a["reduction"] == 1,
        ),
        ("negative", "an empty call asks for −1 bytes", "空调用要 −1 字节", lambda _: True),
    ):
        size = -1 if name == "negative" else 32
        yield wrong(
            f"empty-workspace-{name}",
            en,
            zh,
            "empty",
            remembers=False,
            workspace=lambda _, a, __, when=when, size=size: size if empty(a) and when(a) else 0,
        )
    for name in names:
        yield wrong(
            f"empty-{name}-unseen",
            f"a call is not seen to be empty by {name}, and wants a workspace",
            f"没看出 {name} 为空，仍要 workspace",
            "empty",
            remembers=False,
            workspace=lambda _, a, __, n=name: 0 if any(prod(a[o].shape) == 0 for o in names if o != n) else 64,
        )
    for name, en, zh, result in (
        ("fails", "phase 2 of an empty call fails", "空调用的第二段失败", lambda _: INNER),
        (
            "fails-for-mean",
            "phase 2 of an empty call fails with mean",
            "mean 时空调用的第二段失败",
            lambda c: INNER if c.mode == "mean" else 0,
        ),
        (
            "divides",
            "the mean of nothing divides by 0 and raises",
            "空张量求平均时除以 0，抛出异常",
            lambda c: 0 * (1 // c.count) if c.mode == "mean" else 0,
        ),
        (
            "writes",
            "an empty call writes an element all the same",
            "空调用仍写一个元素",
            lambda c: around(c.output, 0, 4) or 0,
        ),
    ):
        yield wrong(f"empty-{name}", en, zh, "empty", remembers=False, nothing=result)


def _answers(operator: Operator) -> Iterator[Sketch]:
    out = operator.output.name

    def late(given: PhaseOne, arguments: Arguments, state: State) -> PhaseOne:
        state["late"] = given.status
        return PhaseOne(0, 0, dict(arguments)) if given.status else given

    def scribbling(given: PhaseOne, arguments: Arguments, _: State) -> PhaseOne:
        if given.status and arguments[out] is not None and arguments[out].storage.size:
            arguments[out].storage.view(np.uint8)[0] = 0
        return given

    for name, en, zh, groups, answer in (
        ("late", "what must be refused is accepted in phase 1", "该拒绝的调用在第一段被接受", "status", late),
        ("scribbles", "a refused call writes to the output", "被拒绝的调用改写了输出", "status", scribbling),
        (
            "tuple",
            "phase 1 answers with a tuple",
            "第一段返回元组",
            "basic",
            lambda g, _, __: (g.status, g.workspace_size, g.executor),
        ),
        (
            "bool",
            "phase 1 answers with a truth value",
            "第一段返回布尔值",
            "basic",
            lambda g, _, __: replace(g, status=bool(g.status)),
        ),
    ):
        yield wrong(f"answer-{name}", en, zh, groups, remembers=False, answer=answer)
    for name, en, zh, status in (
        ("positive", "phase 2 answers 1, a success of another API", "第二段返回 1，即别的接口的成功", 1),
        ("bool", "phase 2 answers False", "第二段返回 False", False),
        ("float", "phase 2 answers 0.0", "第二段返回 0.0", 0.0),
        ("none", "phase 2 answers nothing", "第二段没有返回值", None),
    ):
        yield wrong(f"finish-{name}", en, zh, "basic", remembers=False, finish=lambda _, status=status: status)


def mutants(operator: Operator) -> Iterator[Sketch]:
    """The family."""
    yield from _caches(operator)
    yield from _executors(operator)
    yield from _after_errors(operator)
    yield from _results(operator)
    yield from _sizes(operator)
    yield from _answers(operator)

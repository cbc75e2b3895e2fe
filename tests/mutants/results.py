"""Results that differ from call to call, workspaces and answers of the wrong kind, and what empty calls do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod

import numpy as np

from aclnn_spec.certification.implementation import PhaseOne
from aclnn_spec.golden.tensor import CANARY, Array, Tensor
from aclnn_spec.spec.operator import Operator

from .kernel import FLOATS, Arguments, Call, State, write
from .mutant import Sketch, wrong
from .strays import around

INNER = 561103


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


def zero(tensor: Tensor) -> None:
    """Clear a tensor."""
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
    """Part of the family of life cycles."""
    yield from _results(operator)
    yield from _sizes(operator)
    yield from _answers(operator)

"""Rules on ranks and shapes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from aclnn_spec.spec.facts import Facts
from aclnn_spec.spec.model import TensorDesc, Text
from aclnn_spec.spec.rules.base import Break, Call, Rule, changed_call, counted, desc, have, joined, listed, tensors
from aclnn_spec.spec.tables import Tables, broadcast


@dataclass(frozen=True, kw_only=True)
class Broadcastable(Rule):
    """These tensors' shapes broadcast together."""

    kind = "broadcastable"
    on: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        return facts.broadcast(self.on)[0] is not None

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 的形状可以一起广播",
            en=f"the shapes of {joined(self.on, 'and')} broadcast together",
        )

    def found(self, facts: Facts) -> Text:
        shapes = [str(list(tensor.shape)) for _, tensor in tensors(facts.arguments, self.on)]
        return Text(zh=f"{listed(shapes)} 之间无法广播", en=f"{joined(shapes, 'and')} do not broadcast together")

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        for name in self.on:
            shape = desc(call, name).shape
            others = [desc(call, other).shape for other in self.on if other != name]
            first, last = (shape[0] + 1, *shape[1:]), (*shape[:-1], shape[-1] + 1)
            candidates = {
                "last": last,
                "first": first,
                "zero": (*shape[:-1], 0),
                "extra": (2, *shape[1:], shape[-1] + 2),
                "transposed": shape[::-1],
            }
            for what, candidate in candidates.items():
                if broadcast([candidate, *others]) is None:
                    found = "x".join(map(str, candidate))
                    shapes = [str(list(other)) for other in others]
                    reason = Text(
                        zh=f"{name} 的形状 {list(candidate)} 与 {listed(shapes)} 无法广播",
                        en=f"{name}'s shape {list(candidate)} does not broadcast with {joined(shapes, 'and')}",
                    )
                    yield Break(
                        slug=f"{name}-{what}-{found}",
                        reason=reason,
                        call=changed_call(call, **{name: {"shape": candidate}}),
                    )


@dataclass(frozen=True, kw_only=True)
class MaxRank(Rule):
    """These tensors have at most so many dimensions."""

    kind = "max_rank"
    on: tuple[str, ...]
    rank: int

    def holds(self, facts: Facts) -> bool:
        arguments = facts.arguments
        for name in self.on:
            tensor = arguments[name]
            if tensor is not None and len(tensor.shape) > self.rank:
                return False
        return True

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 不超过 {self.rank} 维",
            en=f"{joined(self.on, 'and')} {have(self.on)} at most {counted(self.rank)}",
        )

    def found(self, facts: Facts) -> Text:
        over = [
            (name, len(tensor.shape))
            for name, tensor in tensors(facts.arguments, self.on)
            if len(tensor.shape) > self.rank
        ]
        return Text(
            zh=listed([f"{name} 有 {rank} 维" for name, rank in over]),
            en=joined([f"{name} has {counted(rank)}" for name, rank in over], "and"),
        )

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        others = [name for name, tensor in call.items() if isinstance(tensor, TensorDesc) and name not in self.on]
        for names in ((name,) for name in self.on) if len(self.on) == 1 else (self.on, *((name,) for name in self.on)):
            for rank in (self.rank + 1, self.rank + 2):
                shapes = {n: (1,) * (rank - len(desc(call, n).shape)) + desc(call, n).shape for n in names}
                changes: dict[str, Any] = {n: {"shape": shape} for n, shape in shapes.items()}
                full = max(len(desc(call, n).shape) for n in self.on)
                for other in others if len(self.on) > 1 else ():  # an output of the inputs' rank follows them
                    shape = desc(call, other).shape
                    changes |= {other: {"shape": (1,) * (rank - full) + shape}} if len(shape) == full else {}
                who = "all" if names == self.on and len(names) > 1 else names[0]
                reason = Text(
                    zh=f"{listed(names)} 有 {rank} 维",
                    en=f"{joined(names, 'and')} {have(names)} {counted(rank)}",
                )
                yield Break(slug=f"{who}-rank{rank}", reason=reason, call=changed_call(call, **changes))


@dataclass(frozen=True, kw_only=True)
class MinRank(Rule):
    """These tensors have at least so many dimensions."""

    kind = "min_rank"
    on: tuple[str, ...]
    rank: int

    def holds(self, facts: Facts) -> bool:
        arguments = facts.arguments
        return all(arguments[name] is None or len(arguments[name].shape) >= self.rank for name in self.on)

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 至少 {self.rank} 维",
            en=f"{joined(self.on, 'and')} {have(self.on)} at least {counted(self.rank)}",
        )

    def found(self, facts: Facts) -> Text:
        under = [
            (name, len(tensor.shape))
            for name, tensor in tensors(facts.arguments, self.on)
            if len(tensor.shape) < self.rank
        ]
        return Text(
            zh=listed([f"{name} 为 {rank} 维" for name, rank in under]),
            en=joined([f"{name} has {counted(rank)}" for name, rank in under], "and"),
        )

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        tensors_of_call = [name for name, tensor in call.items() if isinstance(tensor, TensorDesc)]
        *inputs, output = tensors_of_call
        for names in (self.on, *((name,) for name in self.on if name != output)):
            changes: dict[str, Any] = {name: {"shape": ()} for name in names}
            if output not in self.on and desc(call, output).shape == broadcast(desc(call, n).shape for n in inputs):
                shapes = [() if name in names else desc(call, name).shape for name in inputs]
                changes[output] = {"shape": broadcast(shapes)}
            who = "all" if names == self.on else names[0]
            reason = Text(
                zh=f"{listed(names)} 为 0 维",
                en=f"{joined(names, 'and')} {have(names)} rank 0",
            )
            yield Break(slug=f"{who}-rank0", reason=reason, call=changed_call(call, **changes))


@dataclass(frozen=True, kw_only=True)
class ShapeIsBroadcast(Rule):
    """The outputs have the broadcast shape of the inputs."""

    kind = "shape_is_broadcast"
    of: tuple[str, ...]
    on: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        shape, complete = facts.broadcast(self.of)
        if shape is None:
            return True
        for name in self.on:
            output = facts.arguments[name]
            if output is None or output.shape == shape:
                continue
            if complete or broadcast([shape, output.shape]) != output.shape:
                return False
        return True

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 的形状等于 {listed(self.of)} 广播后的形状",
            en=f"{joined(self.on, 'and')} {have(self.on)} the broadcast shape of {joined(self.of, 'and')}",
        )

    def found(self, facts: Facts) -> Text:
        shape = list(facts.broadcast(self.of)[0] or ())
        outputs = [str(list(tensor.shape)) for _, tensor in tensors(facts.arguments, self.on)]
        return Text(
            zh=f"得到 {listed(outputs)}，广播后为 {shape}",
            en=f"{joined(outputs, 'and')}, the broadcast shape is {shape}",
        )

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        shape = broadcast(desc(call, name).shape for name in self.of) or ()
        candidates = {
            "lead1": (1, *shape),
            "trail1": (*shape, 1),
            "short": shape[1:],
            "last1": (*shape[:-1], 1),
            "first1": (1, *shape[1:]),
            "longer": (*shape[:-1], shape[-1] + 1),
            "shorter": (*shape[:-1], shape[-1] - 1),
            "transposed": shape[::-1],
            "scalar": (),
            "one": (1,),
            "flat": (desc(call, self.of[0]).size,),
            "empty": (*shape[:-1], 0),
        } | {f"like-{name}": desc(call, name).shape for name in self.of}
        for name in self.on:
            for what, candidate in candidates.items():
                if candidate != shape:
                    reason = Text(
                        zh=f"{name} 的形状为 {list(candidate)}，应为 {list(shape)}",
                        en=f"{name}'s shape is {list(candidate)} where {list(shape)} is due",
                    )
                    yield Break(
                        slug=f"{name}-{what}",
                        reason=reason,
                        call=changed_call(call, **{name: {"shape": candidate}}),
                    )


@dataclass(frozen=True, kw_only=True)
class ShapeIs(Rule):
    """These tensors have this shape."""

    kind = "shape_is"
    on: tuple[str, ...]
    shape: tuple[int, ...]

    def holds(self, facts: Facts) -> bool:
        return all(tensor.shape == self.shape for _, tensor in tensors(facts.arguments, self.on))

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 的形状为 {list(self.shape)}",
            en=f"{joined(self.on, 'and')} {have(self.on)} the shape {list(self.shape)}",
        )

    def found(self, facts: Facts) -> Text:
        other = [
            f"{name}={list(tensor.shape)}"
            for name, tensor in tensors(facts.arguments, self.on)
            if tensor.shape != self.shape
        ]
        return Text(zh=listed(other), en=joined(other, "and"))

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        for name in self.on:
            for shape in ((), (1,), (1, 1)):
                if shape != self.shape:
                    reason = Text(
                        zh=f"{name} 的形状为 {list(shape)}，而非 {list(self.shape)}",
                        en=f"{name}'s shape is {list(shape)}, not {list(self.shape)}",
                    )
                    sizes = "x".join(map(str, shape)) or "scalar"
                    yield Break(
                        slug=f"{name}-{sizes}", reason=reason, call=changed_call(call, **{name: {"shape": shape}})
                    )

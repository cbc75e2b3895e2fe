"""Rules on data types and formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclnn_spec.spec.facts import Facts
from aclnn_spec.spec.model import TensorDesc, Text
from aclnn_spec.spec.rules.base import Break, Call, Rule, are, changed_call, desc, joined, listed, tensors
from aclnn_spec.spec.tables import Tables


@dataclass(frozen=True, kw_only=True)
class Deducible(Rule):
    """These tensors' types have a common type in the deduction table."""

    kind = "deducible"
    on: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        return any(common is not None for common in facts.deduced(self.on))

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 的数据类型可推导出公共类型",
            en=f"the types of {joined(self.on, 'and')} have a common type",
        )

    def found(self, facts: Facts) -> Text:
        types = [str(tensor.dtype) for _, tensor in tensors(facts.arguments, self.on)]
        return Text(zh=f"{listed(types)} 之间无法推导", en=f"{joined(types, 'and')} have no common type")

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:
        for name in self.on:
            others = [desc(call, other).dtype for other in self.on if other != name]
            for dtype in tables.dtypes:
                if tables.deduce([dtype]) and not tables.deduce([dtype, *others]):
                    reason = Text(
                        zh=f"{name} 为 {dtype}，与 {listed(others)} 无法推导",
                        en=f"{name} is {dtype}, which has no common type with {joined(others, 'and')}",
                    )
                    yield Break(
                        slug=f"{name}-{dtype}",
                        reason=reason,
                        call=changed_call(call, **{name: {"dtype": dtype}}),
                    )


@dataclass(frozen=True, kw_only=True)
class DeducedIn(Rule):
    """The common type of these tensors is one of a list."""

    kind = "deduced_in"
    on: tuple[str, ...]
    dtypes: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        return any(common is None or common in self.dtypes for common in facts.deduced(self.on))

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 推导出的类型属于 {listed(self.dtypes)}",
            en=f"the common type of {joined(self.on, 'and')} is {joined(self.dtypes, 'or')}",
        )

    def found(self, facts: Facts) -> Text:
        common = listed(sorted({str(common) for common in facts.deduced(self.on)}))
        return Text(zh=f"推导结果为 {common}", en=f"the common type is {common.replace('、', ' or ')}")

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:
        outputs = [name for name, tensor in call.items() if isinstance(tensor, TensorDesc) and name not in self.on]
        for dtype in tables.dtypes:
            for names in (self.on, *((name,) for name in self.on)):
                types = [dtype if name in names else desc(call, name).dtype for name in self.on]
                common = tables.deduce(types)
                if common is None or common in self.dtypes:
                    continue
                changes = {name: {"dtype": dtype} for name in names}
                # The result must still be castable, or a second rule would be broken.
                changes |= {o: {"dtype": common} for o in outputs if not tables.castable(common, desc(call, o).dtype)}
                who = "all" if names == self.on else names[0]
                given = f"{joined(names, 'and')} {are(names)} {dtype}"
                reason = Text(
                    zh=f"{listed(names)} 为 {dtype}，推导结果 {common} 不受支持",
                    en=f"{given}: the common type {common} is not supported",
                )
                yield Break(slug=f"{who}-{dtype}", reason=reason, call=changed_call(call, **changes))


@dataclass(frozen=True, kw_only=True)
class Castable(Rule):
    """The common type of these tensors may be cast to the output's."""

    kind = "castable"
    of: tuple[str, ...]
    to: str

    def holds(self, facts: Facts) -> bool:
        output = facts.arguments[self.to]
        if output is None:
            return True
        return any(common is None or facts.tables.castable(common, output.dtype) for common in facts.deduced(self.of))

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.of)} 推导出的类型可转换为 {self.to} 的数据类型",
            en=f"the common type of {joined(self.of, 'and')} can be cast to {self.to}'s type",
        )

    def found(self, facts: Facts) -> Text:
        common = listed(sorted({str(common) for common in facts.deduced(self.of) if common}))
        target = facts.arguments[self.to].dtype
        return Text(zh=f"{common} 不能转换为 {target}", en=f"{common.replace('、', ' or ')} cannot be cast to {target}")

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:
        common = tables.deduce([desc(call, name).dtype for name in self.of])
        for dtype in tables.dtypes:
            if common and tables.deduce([dtype]) and not tables.castable(common, dtype):
                reason = Text(
                    zh=f"结果类型 {common} 不能转换为 {self.to} 的 {dtype}",
                    en=f"the result is {common}, which cannot be cast to {self.to}'s {dtype}",
                )
                yield Break(
                    slug=f"{self.to}-{dtype}",
                    reason=reason,
                    call=changed_call(call, **{self.to: {"dtype": dtype}}),
                )


@dataclass(frozen=True, kw_only=True)
class DtypeIn(Rule):
    """Each of these tensors has one of the listed types."""

    kind = "dtype_in"
    on: tuple[str, ...]
    dtypes: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        arguments = facts.arguments
        return all(arguments[name] is None or arguments[name].dtype in self.dtypes for name in self.on)

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 的数据类型为 {listed(self.dtypes)}",
            en=f"the type of {joined(self.on, 'and')} is {joined(self.dtypes, 'or')}",
        )

    def found(self, facts: Facts) -> Text:
        odd = [
            f"{name}={tensor.dtype}"
            for name, tensor in tensors(facts.arguments, self.on)
            if tensor.dtype not in self.dtypes
        ]
        return Text(zh=listed(odd), en=joined(odd, "and"))

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:
        for dtype in tables.dtypes:
            if dtype in self.dtypes or not tables.deduce([dtype]):
                continue
            for name in self.on:
                reason = Text(zh=f"{name} 为 {dtype}", en=f"{name} is {dtype}")
                yield Break(slug=f"{name}-{dtype}", reason=reason, call=changed_call(call, **{name: {"dtype": dtype}}))


@dataclass(frozen=True, kw_only=True)
class DtypeNotIn(Rule):
    """None of these tensors has one of the listed types."""

    kind = "dtype_not_in"
    on: tuple[str, ...]
    dtypes: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        arguments = facts.arguments
        return all(arguments[name] is None or arguments[name].dtype not in self.dtypes for name in self.on)

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 的数据类型不是 {listed(self.dtypes)}",
            en=f"the type of {joined(self.on, 'and')} is not {joined(self.dtypes, 'or')}",
        )

    def found(self, facts: Facts) -> Text:
        odd = [f"{n}={tensor.dtype}" for n, tensor in tensors(facts.arguments, self.on) if tensor.dtype in self.dtypes]
        return Text(zh=listed(odd), en=joined(odd, "and"))

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:  # noqa: ARG002
        for dtype in self.dtypes:
            reason = Text(zh=f"全部张量为 {dtype}", en=f"all tensors are {dtype}")
            changes = {name: {"dtype": dtype} for name in self.on}
            yield Break(slug=f"all-{dtype}", reason=reason, call=changed_call(call, **changes))


@dataclass(frozen=True, kw_only=True)
class FormatIn(Rule):
    """Each of these tensors has one of the listed formats."""

    kind = "format_in"
    on: tuple[str, ...]
    formats: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        arguments = facts.arguments
        return all(arguments[name] is None or arguments[name].format in self.formats for name in self.on)

    def explain(self) -> Text:
        return Text(
            zh=f"{listed(self.on)} 的数据格式为 {listed(self.formats)}",
            en=f"the format of {joined(self.on, 'and')} is {joined(self.formats, 'or')}",
        )

    def found(self, facts: Facts) -> Text:
        odd = [
            f"{name}={tensor.format}"
            for name, tensor in tensors(facts.arguments, self.on)
            if tensor.format not in self.formats
        ]
        return Text(zh=listed(odd), en=joined(odd, "and"))

    def breaks(self, call: Call, tables: Tables) -> Iterator[Break]:
        rank = len(desc(call, self.on[0]).shape)
        for name in tables.formats:
            if name not in self.formats and tables.formats[name].rank == rank:
                reason = Text(zh=f"全部张量的数据格式为 {name}", en=f"all tensors have format {name}")
                yield Break(
                    slug=f"all-{name}",
                    reason=reason,
                    call=changed_call(call, **{on: {"format": name} for on in self.on}),
                )

"""A suite ready to run: the spec, the golden data, and what of it an implementation is to be judged by.

The three doors (the command, pytest, a function call) all open a Suite and run cases through it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aclnn_spec.certification.certificate import Certificate, assemble
from aclnn_spec.certification.entry import Entry
from aclnn_spec.certification.fault import fault
from aclnn_spec.certification.implementation import Implementation, scope_of
from aclnn_spec.certification.runner import in_scope, run_case
from aclnn_spec.certification.waivers import Waiver, load_waivers
from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import TIERS
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.read import CHECKOUT, Spec, cache_root, data_root, load_spec


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a user may ask of a certification; every field has the command's default."""

    operators: tuple[str, ...] = ()
    tier: str = "core"
    golden: Path | None = None
    """Where the tier lies; the packaged data, or the usual place of the full tier, if left out."""
    product: str | None = None
    policy: str = "strict"
    shard: str | None = None
    waivers: Path | None = None
    cases: tuple[str, ...] = ()
    """Only these cases are run, for debugging; all of them stay expected, so that the run is incomplete."""

    def __post_init__(self) -> None:
        # Files are read as they are needed, and an implementation may change the working directory before.
        for name in ("golden", "waivers"):
            path = getattr(self, name)
            object.__setattr__(self, name, path and path.absolute())


@dataclass(frozen=True, kw_only=True)
class Suite:
    """The cases an implementation with these operators is judged by."""

    options: Options
    spec: Spec
    golden: Golden
    operators: tuple[str, ...]
    waivers: tuple[Waiver, ...] = ()
    ids: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        chosen = self.golden.ids(self.options.shard)
        object.__setattr__(self, "ids", tuple(i for i in chosen if i.partition("/")[0] in self.operators))
        for case_id in self.options.cases:
            if case_id not in self.ids:
                raise InputError(f"case: found {case_id!r}, expected an id of the {self.options.tier} tier")

    @property
    def selected(self) -> tuple[str, ...]:
        """The cases to run: all of them, or those asked for."""
        return tuple(dict.fromkeys(self.options.cases)) or self.ids

    def operator(self, case_id: str) -> Operator:
        """The operator a case is of."""
        return self.spec.operators[case_id.partition("/")[0]]

    def run(self, case_id: str, implementation: Implementation) -> Entry:
        """Run one case."""
        case = self.golden.case(case_id)
        if not in_scope(case, scope_of(implementation)):
            return Entry(id=case_id, verdict="skipped")
        return run_case(
            case,
            implementation,
            operator=self.operator(case_id),
            product=self.options.product,
            policy=self.options.policy,
            partner=self.golden.case(case.partner) if case.partner else None,
        )

    def certificate(self, entries: Iterable[Entry], description: Mapping[str, Any]) -> Certificate:
        """Draw up the certificate of a run; `description` is what `describe` says of the implementation."""
        return assemble(
            entries,
            spec=self.spec,
            golden_digest=self.golden.digest,
            implementation=description,
            expected=self.ids,
            operators=self.operators,
            tier=self.options.tier,
            product=self.options.product,
            policy=self.options.policy,
            shard=self.options.shard,
            waivers=self.waivers,
        )


def open_suite(options: Options, offered: Collection[str], name: str, spec: Spec | None = None) -> Suite:
    """Check the options and open the golden data for an implementation that offers these operators.

    Of operators that are not asked for by name, those count that the data has cases of and the product supports.
    InputError for a name that does not exist, for an operator asked for that lacks either, and for what the files have
    wrong.
    """
    known = spec or load_spec()
    check_options(options, known)
    stable = {n: operator for n, operator in known.operators.items() if operator.status == "stable"}
    has = ", ".join(offered) or "none"
    for asked in options.operators:
        if asked not in offered:
            raise InputError(f"operator: {name} does not offer {asked}, expected one of {has}")
    operators = tuple(n for n in stable if n in (options.operators or offered))
    if not operators:
        raise InputError(f"operators: {name} offers {has}, expected one of {', '.join(stable)}")
    waivers = load_waivers(options.waivers, known.schemas) if options.waivers else ()
    operators = on_product(options, operators, known)
    golden = Golden(options.golden or golden_directory(options.tier), known)
    if golden.tier != options.tier:
        raise InputError(f"{golden.directory}: found the {golden.tier} tier, expected {options.tier}")
    missing = [n for n in operators if n not in golden.operators]
    if missing and (options.operators or len(missing) == len(operators)):
        raise InputError(
            f"{golden.directory}: found cases of {', '.join(golden.operators)}, none of {', '.join(missing)}"
        )
    operators = tuple(n for n in operators if n in golden.operators)
    return Suite(options=options, spec=known, golden=golden, operators=operators, waivers=waivers)


def settled(suite: Suite, implementation: Implementation) -> Suite:
    """The suite for an open implementation: judged by the product that it runs on, unless the options name one."""
    if suite.options.product is not None:
        return suite
    return judged_by(suite, getattr(implementation, "product", None))


def judged_by(suite: Suite, product: str | None) -> Suite:
    """The suite, judged by what holds on this product."""
    if product == suite.options.product:
        return suite
    options = replace(suite.options, product=product)
    check_options(options, suite.spec)
    return replace(suite, options=options, operators=on_product(options, suite.operators, suite.spec))


def on_product(options: Options, operators: tuple[str, ...], spec: Spec) -> tuple[str, ...]:
    """The operators that the product supports; InputError for one asked for that it does not, and if there is none."""
    if options.product is None:
        return operators
    found = tuple(each for each in operators if spec.operators[each].products[options.product])
    missing = [each for each in operators if each not in found]
    if missing and (options.operators or not found):
        where = f"{options.product} ({spec.tables.products[options.product].name.en})"
        raise InputError(f"product: {', '.join(missing)} {'are' if missing[1:] else 'is'} not supported on {where}")
    return found


def check_options(options: Options, spec: Spec) -> None:
    """Hold the options' names against the spec; InputError names the first that does not exist."""
    stable = [name for name, operator in spec.operators.items() if operator.status == "stable"]
    listed: Sequence[tuple[str, Collection[str], Collection[str]]] = (
        ("operator", options.operators, stable),
        ("tier", (options.tier,), TIERS),
        ("product", (options.product,) if options.product else (), spec.tables.products),
        ("policy", (options.policy,), spec.tables.policies),
    )
    for what, found, known in listed:
        for value in found:
            if value not in known:
                raise InputError(f"{what}: found {value!r}, expected one of {', '.join(known)}")


def check_target(path: Path, option: str) -> None:
    """Refuse a place where no file can be written, before a long run rather than after it."""
    if not path.parent.is_dir():
        raise InputError(f"{option}: found no directory {path.parent}")
    if path.exists() and not path.is_file():  # a device, say, in whose place a file would be put
        what = "directory" if path.is_dir() else "special file"
        raise InputError(f"{option}: found the {what} {path}, expected the name of a file")


def golden_directory(tier: str) -> Path:
    """Where a tier lies: the checkout, the installed package, or, for the full tier of a package, the user's cache."""
    root = data_root()
    if tier != "full" or root == CHECKOUT:
        return root / "golden" / tier
    return cache_root() / "golden" / tier


@contextmanager
def opened(implementation: Implementation) -> Iterator[Implementation]:
    """Open an implementation if it can be opened, and close it afterwards."""
    for_open, for_close = (getattr(implementation, name, None) for name in ("open", "close"))
    if callable(for_open):
        for_open()
    try:
        yield implementation
    finally:
        if callable(for_close):
            for_close()


def lost(case_id: str, kind: str, zh: str, en: str) -> Entry:
    """The entry of a case whose process did not live to tell."""
    return Entry(id=case_id, verdict="fail", faults=(fault(kind, zh=zh, en=en),))

"""The rooms of the package import one way, at the top of their modules, and stay small."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import aclnn_spec

PACKAGE = Path(aclnn_spec.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if "data" not in path.parts)
ROOMS = ("spec", "page", "reference", "golden", "certification", "implementations", "emit")
"""In the order of imports: a room may import itself and those before it. All else are doors, which may import any.

Nothing but a door imports `page`: what is certified does not depend on how pages are read."""
LAZY = "plugin.py"
"""Every pytest run in the environment loads it, so it imports the rest only when its options are used."""
MOST_LINES = 320


def room_of(module: str) -> str:
    """Give the room of a module's path, or `doors`."""
    first = module.split("/", maxsplit=1)[0]
    return first if first in ROOMS else "doors"


def is_type_checking(node: ast.AST) -> bool:
    """Whether a node is `if TYPE_CHECKING:`, which never runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports(node: ast.AST, *, inside: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Give the imports that can run, each with whether it stands in a function or a class."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, inside
        elif is_type_checking(child):
            assert isinstance(child, ast.If)
            yield from (found for each in child.orelse for found in imports(ast.Module([each], []), inside=inside))
        else:
            deeper = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda)
            yield from imports(child, inside=inside or deeper)


def names_in(statement: ast.Import | ast.ImportFrom, module: str) -> list[str]:
    """Give the full names of the modules that a statement may import."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    base = statement.module or ""
    if statement.level:
        package = ["aclnn_spec", *module.split("/")[:-1]]
        base = ".".join([*package[: len(package) - statement.level + 1], *([base] if base else [])])
    names = []
    for alias in statement.names:
        path = PACKAGE.joinpath(*base.split(".")[1:], alias.name)
        is_module = base.split(".")[0] == "aclnn_spec" and (path.is_dir() or path.with_suffix(".py").is_file())
        names.append(f"{base}.{alias.name}" if is_module else base)
    return names


def imported(module: str, source: str) -> set[str]:
    """Give the full names of all modules that a module may import when it is loaded or run."""
    return {name for statement, _ in imports(ast.parse(source)) for name in names_in(statement, module)}


def not_allowed(module: str, source: str) -> set[str]:
    """Give the imports of a module that its room must not make."""
    room, bad = room_of(module), set()
    for name in imported(module, source):
        top, _, rest = name.partition(".")
        if top != "aclnn_spec":
            outside = top not in sys.stdlib_module_names and top != "numpy"
            if room == "reference" and outside:
                bad.add(name)
        elif room == "reference":
            if name != "aclnn_spec.spec.errors" and rest.split(".")[0] != "reference":
                bad.add(name)
        elif (rest.split(".")[0] == "page" and room not in ("page", "doors")) or (
            room != "doors" and (rest.split(".")[0] not in ROOMS[: ROOMS.index(room) + 1])
        ):
            bad.add(name)
    return bad


def hidden(source: str) -> list[int]:
    """Give the lines of imports inside functions and classes."""
    return [statement.lineno for statement, inside in imports(ast.parse(source)) if inside]


def text_of(module: str) -> str:
    """Read a module of the package."""
    return (PACKAGE / module).read_text(encoding="utf-8")


def test_the_walk_finds_the_package() -> None:
    """The tests below look at real modules: each room but the last to be built is among them."""
    assert {room_of(module) for module in MODULES} >= {"spec", "reference", "golden", "doors"}
    assert {"spec/read.py", "spec/rules/types.py", "reference/l1_loss_backward.py"} <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_imports_run_one_way(module: str) -> None:
    """A room imports itself and those before it; the reference knows NumPy and its own room alone."""
    assert not_allowed(module, text_of(module)) == set()


@pytest.mark.parametrize("module", MODULES)
def test_imports_stand_at_the_top(module: str) -> None:
    """What a module needs can be read at its top, but for the plugin's."""
    assert module == LAZY or hidden(text_of(module)) == []


@pytest.mark.parametrize("module", MODULES)
def test_modules_are_small(module: str) -> None:
    """A module can be read in one sitting."""
    lines = len(text_of(module).splitlines())
    assert lines <= MOST_LINES, f"{module} has {lines} lines"


@pytest.mark.parametrize(
    ("module", "source", "bad"),
    [
        ("spec/read.py", "from aclnn_spec.golden.store import Golden", {"aclnn_spec.golden.store"}),
        ("spec/read.py", "from ..golden import store", {"aclnn_spec.golden.store"}),
        ("spec/read.py", "import aclnn_spec", {"aclnn_spec"}),
        ("spec/read.py", "from aclnn_spec import load_spec", {"aclnn_spec"}),
        ("spec/rules/types.py", "from ..errors import InputError\nfrom . import base", set()),
        ("spec/rules/types.py", "if TYPE_CHECKING:\n    from aclnn_spec.golden.store import Golden", set()),
        ("spec/rules/types.py", "if TYPE_CHECKING:\n    pass\nelse:\n    import aclnn_spec.cli", {"aclnn_spec.cli"}),
        (
            "spec/rules/types.py",
            "def f():\n    from aclnn_spec.certification import judge",
            {"aclnn_spec.certification.judge"},
        ),
        ("golden/store.py", "from aclnn_spec.spec.read import load_spec\nimport ml_dtypes", set()),
        ("golden/store.py", "from aclnn_spec import certification", {"aclnn_spec.certification"}),
        ("reference/x.py", "import numpy as np\nimport math\nfrom aclnn_spec.spec.errors import InputError", set()),
        ("reference/x.py", "import ml_dtypes", {"ml_dtypes"}),
        ("page/x.py", "from aclnn_spec.reference import oracle", {"aclnn_spec.reference.oracle"}),
        ("golden/x.py", "from aclnn_spec.page.parse import parse", {"aclnn_spec.page.parse"}),
        ("page/lint/x.py", "from aclnn_spec.spec.model import Text", set()),
        ("reference/x.py", "from aclnn_spec.spec import model", {"aclnn_spec.spec.model"}),
        ("cli.py", "from aclnn_spec.certification.judge import Judge\nimport rich", set()),
    ],
)
def test_a_wrong_import_is_found(module: str, source: str, bad: set[str]) -> None:
    """The check sees absolute and relative imports, of modules and from packages, wherever they stand."""
    assert not_allowed(module, source) == bad


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import a\nif x:\n    import b\ntry:\n    import c\nexcept ImportError:\n    pass", []),
        ("def f():\n    import a", [2]),
        ("class A:\n    def f(self):\n        with x:\n            from a import b", [4]),
        ("async def f():\n    if TYPE_CHECKING:\n        import a\n    import b", [4]),
        ("class A:\n    import a", [2]),
    ],
)
def test_a_hidden_import_is_found(source: str, lines: list[int]) -> None:
    """Imports in functions, methods and classes are found; branches and guarded imports of a module are not hidden."""
    assert hidden(source) == lines


@pytest.mark.parametrize(
    ("module", "strangers"),
    [
        ("aclnn_spec.spec.read", {"numpy", "pytest", "ml_dtypes", "torch"}),
        ("aclnn_spec.reference", {"pytest", "ml_dtypes", "torch", "jsonschema"}),
        ("aclnn_spec.page.parse", {"numpy", "pytest", "ml_dtypes", "torch"}),
        ("aclnn_spec", {"numpy", "pytest", "ml_dtypes", "torch", "jsonschema", "markdown_it"}),
    ],
)
def test_a_room_loads_nothing_that_it_does_not_need(module: str, strangers: set[str]) -> None:
    """In a fresh interpreter, importing the room leaves the libraries of other rooms unloaded."""
    code = f"import sys, {module}; print(*sorted({strangers!r} & set(sys.modules)))"
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    assert subprocess.check_output([sys.executable, "-c", code], env=environment, text=True) == "\n"

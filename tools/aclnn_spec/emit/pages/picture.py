"""A picture of how an operator's tensors broadcast: each a grid, the elements that broadcasting repeats pale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.tables import Shape, broadcast

_SHAPES = ((1, 4), (3, 4), (3, 1))
"""What the inputs have in turn."""
_CELL, _GAP, _TOP = 24, 36, 40
_STYLE = (
    ".cells text{font:13px sans-serif;fill:currentColor}.cells rect{stroke:#3f51b5;fill:#7986cb}"
    ".cells .again{fill-opacity:.2;stroke-dasharray:3 2}.cells .out{fill:#4db6ac;stroke:#00695c}"
)


def example_shapes(operator: Operator) -> Mapping[str, Shape]:
    """Shapes of the inputs that broadcast in both dimensions, and that of the output."""
    shapes = {parameter.name: _SHAPES[i % len(_SHAPES)] for i, parameter in enumerate(operator.inputs)}
    common = broadcast(shapes.values())
    if common is None:
        raise AssertionError(f"{operator.name}: {shapes} do not broadcast")
    return shapes | {operator.output.name: common}


def broadcast_picture(operator: Operator, title: str) -> str:
    """The picture as SVG to stand in a page, with its title below."""
    shapes = example_shapes(operator)
    rows, columns = shapes[operator.output.name]
    step = columns * _CELL + _GAP
    width, height = step * len(shapes) - _GAP + 2, rows * _CELL + _TOP + 2
    output = operator.output.name
    body: list[str] = []
    for i, (name, shape) in enumerate(shapes.items()):
        body += _grid(name, shape, shapes[output], i * step, out=name == output)
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" class="cells" role="img"'
    return "\n".join(
        [
            "<figure>",
            f'{opening} style="max-width:{width}px;width:100%" aria-label="{title}">',
            f"<style>{_STYLE}</style>",
            *body,
            "</svg>",
            f"<figcaption>{title}</figcaption>",
            "</figure>",
        ]
    )


def _grid(name: str, shape: Shape, common: Shape, left: int, *, out: bool) -> Iterator[str]:
    """The cells of a tensor as broadcasting to the common shape has them."""
    rows, columns = common
    yield f'<text x="{left}" y="14">{name}</text>'
    yield f'<text x="{left}" y="31">[{", ".join(map(str, shape))}]</text>'
    for row in range(rows):
        for column in range(columns):
            again = row >= shape[0] or column >= shape[1]
            kind = "out" if out else "again" if again else "own"
            x, y = left + 1 + column * _CELL, _TOP + row * _CELL
            yield f'<rect class="{kind}" x="{x}" y="{y}" width="{_CELL - 2}" height="{_CELL - 2}"/>'

"""Validate a good call by the spec's rules, and an equivalent JSON document by jsonschema, in one run."""

from __future__ import annotations

from timeit import repeat

from jsonschema import Draft202012Validator

from aclnn_spec.spec.model import TensorDesc
from aclnn_spec.spec.read import load_spec

OPERATOR = "aclnnL1LossBackward"
SHAPE = (2, 3)


def document_schema(name: str) -> dict[str, object]:
    """What a schema alone can say of a call: the parameters, their types, ranks and values."""
    operator = load_spec().operator(name)
    tensor = {
        "type": "object",
        "properties": {
            "dtype": {"enum": [str(dtype) for dtype in operator.inputs[0].dtypes]},
            "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": 8},
            "format": {"enum": ["ND"]},
        },
        "required": ["dtype", "shape", "format"],
        "additionalProperties": False,
    }
    kinds = {p.name: tensor if p.kind == "tensor" else {"enum": list(p.values.values())} for p in operator.parameters}
    return {"type": "object", "properties": kinds, "required": list(kinds), "additionalProperties": False}


def seconds(function: object, number: int) -> float:
    """The shortest of seven measured times of one call."""
    return min(repeat(function, number=number, repeat=7)) / number  # type: ignore[arg-type]


def main() -> None:
    """Print the two times and their ratio."""
    operator = load_spec().operator(OPERATOR)
    names = [p.name for p in operator.parameters]
    call = {name: 1 if name == "reduction" else TensorDesc(dtype="FLOAT", shape=SHAPE) for name in names}
    plain = {"dtype": "FLOAT", "shape": list(SHAPE), "format": "ND"}
    document = {name: 1 if name == "reduction" else plain for name in names}
    validator = Draft202012Validator(document_schema(OPERATOR))
    if operator.validate(call).broken or not validator.is_valid(document):
        raise SystemExit("the call is meant to be good")
    ours = seconds(lambda: operator.validate(call), 20_000)
    theirs = seconds(lambda: list(validator.iter_errors(document)), 500)
    print(f"{'':28}{'µs per call':>12}{'ratio':>8}")
    print(f"{'operator.validate':28}{ours * 1e6:12.2f}{1:8.1f}")
    print(f"{'jsonschema, same document':28}{theirs * 1e6:12.2f}{theirs / ours:8.1f}")


if __name__ == "__main__":
    main()

"""The example program of a rendered page: one call of the operator with the spec's own example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from aclnn_spec.spec.model import Parameter, Text
from aclnn_spec.spec.operator import Operator

_C_TYPES: Mapping[str, str] = MappingProxyType({"FLOAT": "float", "INT32": "int32_t", "INT64": "int64_t"})
_SCALARS: Mapping[str, str] = MappingProxyType(
    {"int64": "int64_t", "float": "float", "double": "double", "bool": "bool"}
)
_HEAD = """\
#include <cstdint>
#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "{header}"

#define CHECK(call)                                                \\
  do {{                                                             \\
    int code = static_cast<int>(call);                             \\
    if (code != 0) {{                                               \\
      std::printf("%s: %d\\n", #call, code);                        \\
      return 1;                                                    \\
    }}                                                              \\
  }} while (0)

template <typename T>
int MakeTensor(const std::vector<T>& values, const std::vector<int64_t>& shape, aclDataType type, void** memory,
               aclTensor** tensor) {{
  size_t bytes = values.size() * sizeof(T);
  CHECK(aclrtMalloc(memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(*memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {{
    strides[i - 1] = strides[i] * shape[i];
  }}
  *tensor = aclCreateTensor(shape.data(), shape.size(), type, strides.data(), 0, ACL_FORMAT_ND, shape.data(),
                            shape.size(), *memory);
  return *tensor == nullptr ? 1 : 0;
}}

int main() {{
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));
"""
_CALL = """\

  uint64_t workspaceSize = 0;
  aclOpExecutor* executor = nullptr;
  CHECK({first}({arguments}, &workspaceSize, &executor));
  void* workspace = nullptr;
  if (workspaceSize > 0) {{
    CHECK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
  }}
  CHECK({second}(workspace, workspaceSize, executor, stream));
  CHECK(aclrtSynchronizeStream(stream));

  // {comment}
  CHECK(aclrtMemcpy({output}Values.data(), {output}Values.size() * sizeof({output}Values[0]), {output}Memory,
                    {output}Values.size() * sizeof({output}Values[0]), ACL_MEMCPY_DEVICE_TO_HOST));
  for (auto value : {output}Values) {{
    std::printf("%g\\n", static_cast<double>(value));
  }}
"""
_EXPECTED = Text(zh="结果应为 {values}", en="the result should be {values}")


def program(operator: Operator, lang: str) -> Iterator[str]:
    """The lines of a C++ program; the types of the example must be plain C types."""
    arguments = operator.example["arguments"]
    yield from _HEAD.format(header=operator.header).splitlines()
    for parameter in operator.parameters:
        yield ""
        yield from _argument(operator, parameter)
    values = ", ".join(map(str, operator.example["result"]))
    call = _CALL.format(
        first=operator.get_workspace_size.name,
        second=operator.execute.name,
        arguments=", ".join(arguments),
        output=operator.output.name,
        comment=_EXPECTED[lang].format(values=values),
    )
    yield from call.splitlines()
    yield ""
    for name in (parameter.name for parameter in operator.parameters if parameter.kind == "tensor"):
        yield f"  aclDestroyTensor({name});"
        yield f"  aclrtFree({name}Memory);"
    yield "  aclrtFree(workspace);"
    yield "  aclrtDestroyStream(stream);"
    yield "  aclrtResetDevice(0);"
    yield "  aclFinalize();"
    yield "  return 0;"
    yield "}"


def _argument(operator: Operator, parameter: Parameter) -> Iterator[str]:
    value, name = operator.example["arguments"][parameter.name], parameter.name
    if parameter.kind != "tensor":
        yield f"  {_SCALARS.get(parameter.kind, parameter.kind)} {name} = {value};"
        return
    sizes, kind = ", ".join(map(str, value["shape"])), _C_TYPES.get(value["dtype"], "float")
    data = value.get("data")
    if data is None:
        size = 1
        for each in value["shape"]:
            size *= each
        yield f"  std::vector<{kind}> {name}Values({size}, 0);"
    else:
        yield f"  std::vector<{kind}> {name}Values = {{{', '.join(map(str, data))}}};"
    yield f"  void* {name}Memory = nullptr;"
    yield f"  aclTensor* {name} = nullptr;"
    yield f"  CHECK(MakeTensor<{kind}>({name}Values, {{{sizes}}}, ACL_{value['dtype']}, &{name}Memory, &{name}));"

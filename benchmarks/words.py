"""What the table says, in Chinese; and why a row is slower than its peer, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ZH: Mapping[str, str] = MappingProxyType(
    {
        "One good call validated": "校验一次合法调用",
        "operator.validate": "operator.validate",
        "the generated Python module": "生成的 Python 模块",
        "the generated C header": "生成的 C 头文件",
        "jsonschema, same document": "jsonschema，同一文档",
        "The reference, FLOAT": "参考实现，FLOAT",
        "reduction none": "reduction 为 none",
        "reduction mean": "reduction 为 mean",
        "NumPy, in one expression": "NumPy，一个表达式",
        "PyTorch's autograd, 1 thread": "PyTorch 自动求导，单线程",
        "The judge, FLOAT": "判定，FLOAT",
        "each element 1 ULP off": "每个元素差 1 ULP",
        "the same, and 2 alternatives": "同上，另有 2 组可接受的值",
        "the same, by the community's policy": "同上，按社区策略",
        "equal": "完全相同",
        "numpy assert_allclose": "numpy assert_allclose",
        "numpy assert_array_max_ulp": "numpy assert_array_max_ulp",
        "torch assert_close, 1 thread": "torch assert_close，单线程",
        "The core tier, processor time": "core 级，处理器时间",
        "certify numpy": "certify numpy",
        "pytest --aclnn-certify numpy": "pytest --aclnn-certify numpy",
        "as many empty tests": "同样多的空测试",
        "The full tier": "full 级",
        "build, 1 process": "生成，1 个进程",
        "build, 2 processes": "生成，2 个进程",
        "certify, 1 process": "认证，1 个进程",
        "certify, 2 processes": "认证，2 个进程",
        "1 process": "1 个进程",
        "One large case": "一个大用例",
        "generated, with its expected result": "生成数据和期望结果",
        "certified: two calls, each judged": "认证：两次调用，逐一判定",
    }
)

WHY: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "fixed": (
            "每次调用都要核对类型和形状，耗时与大小无关，小张量上占了大头",
            "each call checks types and shapes first, at a cost that does not grow; a small tensor hides nothing of it",
        ),
        "passes": (
            "参考实现只用 NumPy，每块数据要走几遍；PyTorch 的核函数只走一遍",
            "the reference is plain NumPy, several passes over each block; PyTorch's kernel makes one",
        ),
        "selects": (
            "参考实现按比较结果取值，并列、−0 和 NaN 才符合规范，比一个表达式多走几遍",
            "the reference selects by comparisons, so that ties, −0 and NaN are the spec's: more passes than a formula",
        ),
        "more": (
            "每个元素要和三组值比较，对方只比较一组",
            "each element is held against three values, the peer's against one",
        ),
        "policy": (
            "社区策略要用双精度算两个容差，还要数 ULP",
            "the policy has two tolerances in double precision, and counts ULP besides",
        ),
        "cases": (
            "每个用例都要读数据、在带保护区的新内存上调用两次并逐字节检查；空测试什么也不做",
            "each case reads its data, is called twice in fresh memory and judged byte by byte; a test does nothing",
        ),
    }
)
"""Chinese, English."""

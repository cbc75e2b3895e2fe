"""One call of an operator: its tensors on the device, its executor and workspace, and the release of all of them."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aclnn_spec.certification.fault import FaultError
from aclnn_spec.golden.tensor import Array, Tensor
from aclnn_spec.implementations.cann.runtime import SUCCESS, Phases
from aclnn_spec.implementations.cann.session import Block, Session
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.operator import Operator
from aclnn_spec.spec.tables import Tables


@dataclass(kw_only=True)
class _Held:
    """What a call has taken and must give back."""

    session: Session
    blocks: list[tuple[Block, Array | None]] = field(default_factory=list)
    tensors: list[int] = field(default_factory=list)
    executor: int | None = None
    counted: int = 0
    """1 for an executor that the library counts; the host library does not know that of somebody's own library."""

    def spend(self) -> int | None:
        """Give the executor away; whoever takes it frees it."""
        executor, self.executor = self.executor, None
        self.session.alive["executor"] -= self.counted
        self.counted = 0
        return executor

    def fetch(self) -> tuple[Text, ...]:
        """Copy all storages back, and say which guards have changed."""
        strays = []
        for block, storage in self.blocks:
            strays += self.session.fetch(block, None if storage is None else storage.view(np.uint8))
        return tuple(strays)

    def release(self) -> None:
        """Give everything back, in the reverse order of taking it."""
        runtime, alive = self.session.runtime, self.session.alive
        if self.executor is not None:
            runtime.aclDestroyAclOpExecutor(self.spend())
        while self.tensors:
            alive["tensor"] -= 1
            runtime.aclDestroyTensor(self.tensors.pop())
        while self.blocks:
            self.session.give_back(self.blocks.pop()[0])


class Call:
    """A call between its phases. One that never comes to its phase 2 releases what it holds when it is forgotten."""

    def __init__(self, session: Session, operator: Operator, phases: Phases) -> None:
        self.session, self.operator, self.phases = session, operator, phases
        self._held = _Held(session=session)
        self.workspace_size = 0
        self.strays: tuple[Text, ...] = ()
        """What was overwritten on the device where no tensor lies."""
        self.release = weakref.finalize(self, self._held.release)
        self.release.atexit = False

    def first(self, arguments: Mapping[str, Any]) -> int:
        """Bring the arguments onto the device and run phase 1; whatever fails, nothing stays behind."""
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        try:
            given = self._arguments(arguments)
            for name, target in (("workspaceSize", size), ("executor", executor)):
                given[name] = None if name in arguments else ctypes.byref(target)
            before = self.session.count("executor")
            names = [name for name, _ in self.operator.get_workspace_size.parameters]
            status: int = self.phases.get_workspace_size(*(given[name] for name in names))
            if status == SUCCESS and executor.value is not None:
                self._held.executor = executor.value
                self._held.counted = min(self.session.count("executor") - before, 1)
                self.session.alive["executor"] += self._held.counted
                self.workspace_size = size.value
                return status
            self.strays = self._held.fetch()
        except BaseException:
            self.release()
            raise
        self.release()
        return status

    def second(self) -> int:
        """Run phase 2, wait for it, bring the storages back, and release everything."""
        held = self._held
        if held.executor is None:
            raise FaultError(
                "wrong_type", zh="第一段成功但没有给出执行器", en="phase 1 succeeded and gave no executor to run"
            )
        try:
            workspace = None
            if self.workspace_size:
                workspace = self.session.take("workspace", self.workspace_size)
                held.blocks.append((workspace, None))
            given = {
                "workspace": workspace.data if workspace else None,
                "workspaceSize": self.workspace_size,
                "executor": held.spend(),  # phase 2 frees it, also when it fails
                "stream": self.session.stream,
            }
            status: int = self.phases.execute(*(given[name] for name, _ in self.operator.execute.parameters))
            self.session.synchronise()
            self.strays = held.fetch()
        finally:
            self.release()
        return status

    def _arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as C takes them; tensors that share a storage share its memory."""
        blocks: dict[int, Block] = {}
        given: dict[str, Any] = {}
        for parameter in self.operator.parameters:
            value = arguments[parameter.name]
            if isinstance(value, Tensor):
                block = blocks.get(id(value.storage))
                if block is None:
                    block = self.session.take(parameter.name, value.storage.nbytes, value.storage.view(np.uint8))
                    blocks[id(value.storage)] = block
                    self._held.blocks.append((block, value.storage))
                value = self._tensor(parameter.name, value, block)
            given[parameter.name] = value
        return given

    def _tensor(self, name: str, tensor: Tensor, block: Block) -> int:
        runtime, tables = self.session.runtime, self.operator.tables
        handle: int | None = runtime.aclCreateTensor(*described(tensor, tables), block.data)
        if handle is None:
            text = runtime.recent_error()
            raise FaultError(
                "runtime",
                zh=f"aclCreateTensor 没有给出 {name}（{tensor}）{'：' + text if text else ''}",
                en=f"aclCreateTensor gave no tensor for {name} ({tensor}){': ' + text if text else ''}",
            )
        self._held.tensors.append(handle)
        self.session.alive["tensor"] += 1
        return handle


def described(tensor: Tensor, tables: Tables) -> tuple[Any, ...]:
    """What aclCreateTensor is told of a tensor, but for the address of its storage."""
    rank, stored = len(tensor.shape), len(tensor.storage_shape)
    return (
        _int64s(tensor.shape),
        rank,
        tables.dtypes[tensor.dtype].number,
        _int64s(tensor.strides),
        tensor.offset,
        tables.formats[tensor.format].number,
        _int64s(tensor.storage_shape),
        stored,
    )


def _int64s(numbers: tuple[int, ...]) -> Any:
    return (ctypes.c_int64 * max(len(numbers), 1))(*numbers)

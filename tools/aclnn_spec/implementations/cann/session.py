"""A device in use: initialised, with a stream and the memory taken from it, and a count of all that is not released."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from aclnn_spec.certification.fault import FaultError
from aclnn_spec.golden.tensor import CANARY
from aclnn_spec.implementations.cann.libraries import place_of
from aclnn_spec.implementations.cann.runtime import (
    ALREADY_INITIALISED,
    DEVICE_TO_HOST,
    HOST_TO_DEVICE,
    MALLOC_HUGE_FIRST,
    SUCCESS,
    Runtime,
)
from aclnn_spec.spec.errors import InputError
from aclnn_spec.spec.model import Text
from aclnn_spec.spec.rules.base import counted

GUARD = 256
"""Bytes of canary before and behind every block; a multiple of the alignment that tensor data needs."""

_ALIGNMENT = 32
_KINDS = ("tensor", "executor", "stream", "allocation", "misuse")
"""What the host library counts; misuse: releases of what was not alive."""

_MAKERS: Mapping[str, str] = MappingProxyType(
    {"tensor": "aclCreateTensor", "stream": "aclrtCreateStream", "allocation": "aclrtMalloc"}
)
"""What is counted where it is made: a library that counts knows nothing of what another makes."""

_MOST = ctypes.c_size_t(-1).value

_BEFORE, _BEHIND = Text(zh="之前", en="before"), Text(zh="之后", en="behind")


@dataclass(frozen=True, kw_only=True)
class Block:
    """Device memory of `size` bytes between guards; `life` is the life of the context it was taken in."""

    name: str
    base: int
    size: int
    life: int

    @property
    def data(self) -> int:
        """The address of the first byte after the guard."""
        return self.base + GUARD

    @property
    def total(self) -> int:
        """The bytes taken: guards, content and padding, and as much again as the API asks for."""
        return 2 * GUARD + -(-self.size // _ALIGNMENT) * _ALIGNMENT + _ALIGNMENT

    @property
    def guards(self) -> tuple[tuple[Text, int, int], ...]:
        """What lies before and behind the content: the side, the address, and the bytes."""
        behind = self.data + self.size
        return (_BEFORE, self.base, GUARD), (_BEHIND, behind, self.base + self.total - behind)


@dataclass(kw_only=True)
class Session:
    """One device with one stream. What it hands out it takes back exactly once; a lost context is set up anew."""

    runtime: Runtime
    device: int
    ours: bool
    """Whether this session initialised the process; what others initialised is not finalised or reset."""
    stream: ctypes.c_void_p = field(default_factory=ctypes.c_void_p)
    life: int = 0
    lost: bool = False
    alive: Counter[str] = field(default_factory=Counter)
    stray: Counter[str] = field(default_factory=Counter)
    """What the library counted beyond `alive` when last looked at."""
    counted: tuple[str, ...] = field(init=False)
    """The kinds that the library counts."""

    def __post_init__(self) -> None:
        tell = self.runtime.optional.get("aclnnHostAlive")
        place = tell and place_of(tell)
        makers = {kind: self.runtime.functions[name] for kind, name in _MAKERS.items()}
        foreign = [kind for kind, function in makers.items() if place_of(function) != place]
        self.counted = tuple(kind for kind in _KINDS if kind not in foreign) if tell else ()

    def take(self, name: str, size: int, content: NDArray[np.uint8] | None = None) -> Block:
        """Take memory for a storage, with its content, or for a workspace, with whatever is there."""
        base = ctypes.c_void_p()
        asked = Block(name=name, base=0, size=size, life=self.life)
        if asked.total > _MOST:  # ctypes would cut it
            raise FaultError(
                "runtime",
                zh=f"{name} 需要 {size} 字节，超出地址空间",
                en=f"{name} takes {size} bytes, more than there are addresses",
            )
        self._check("aclrtMalloc", self.runtime.aclrtMalloc(ctypes.byref(base), asked.total, MALLOC_HUGE_FIRST))
        block = replace(asked, base=base.value or 0)
        self.alive["allocation"] += 1
        try:
            for _, address, length in block.guards:
                guard = np.full(length, CANARY, np.uint8)
                self._copy(address, guard.ctypes.data, length, HOST_TO_DEVICE)
            if content is not None and size:
                self._copy(block.data, content.ctypes.data, size, HOST_TO_DEVICE)
        except BaseException:
            self.give_back(block)
            raise
        return block

    def fetch(self, block: Block, content: NDArray[np.uint8] | None) -> list[Text]:
        """Copy a storage's content back, and say which guards have changed."""
        changed = []
        for side, address, length in block.guards:
            guard = np.empty(length, np.uint8)
            self._copy(guard.ctypes.data, address, length, DEVICE_TO_HOST)
            count = int(np.count_nonzero(guard != CANARY))
            if count:
                changed.append(
                    Text(
                        zh=f"设备上 {block.name} 的内存{side.zh}有 {count} 个字节被改写",
                        en=f"{count} bytes {side.en} the device memory of {block.name} were overwritten",
                    )
                )
        if content is not None and block.size:
            self._copy(content.ctypes.data, block.data, block.size, DEVICE_TO_HOST)
        return changed

    def give_back(self, block: Block) -> None:
        """Release memory, unless it went with its context."""
        if block.life == self.life:
            self.alive["allocation"] -= 1
            self.runtime.aclrtFree(block.base)

    def synchronise(self) -> None:
        """Wait for the stream; if that fails its context is lost, and FaultError (runtime) says why."""
        status = self.runtime.aclrtSynchronizeStream(self.stream)
        if status != SUCCESS:
            self.lost = True
            self.life += 1
            self.alive["allocation"] = self.alive["stream"] = 0
            self._check("aclrtSynchronizeStream", status)

    def recover(self) -> None:
        """Set up a lost context anew; FaultError (runtime) where that is not ours to do or fails."""
        if not self.lost:
            return
        if not self.ours:
            raise FaultError(
                "runtime",
                zh="设备上下文已在先前的用例中损坏；本进程的 CANN 由别处初始化，不能由此复位",
                en="the device's context was lost in an earlier case; others initialised CANN, so it is not reset here",
            )
        self._check("aclrtResetDevice", self.runtime.aclrtResetDevice(self.device))
        self._check("aclrtSetDevice", self.runtime.aclrtSetDevice(self.device))
        self._check("aclrtCreateStream", self.runtime.aclrtCreateStream(ctypes.byref(self.stream)))
        self.alive["stream"] += 1
        self.lost = False
        self.recount()

    def astray(self) -> Text | None:
        """How the library's count of what is alive has come to differ from ours since last asked."""
        before = self.stray
        self.recount()
        zh, en = [], []
        for kind, chinese in (("executor", "执行器"), ("tensor", "张量"), ("stream", "流"), ("allocation", "内存块")):
            more = self.stray[kind] - before[kind]
            if more:
                ours = self.alive[kind]
                zh.append(f"库中有 {ours + more} 个{chinese}存活，应为 {ours} 个")
                en.append(f"the library holds {counted(ours + more, kind)} alive, expected {ours}")
        misused = self.stray["misuse"] - before["misuse"]
        if misused:
            zh.append(f"有 {misused} 次释放或使用了并不存活的对象")
            en.append(f"what was not alive was released or used{f', {misused} times' if misused > 1 else ''}")
        return Text(zh="；".join(zh), en="; ".join(en)) if en else None

    def recount(self) -> None:
        """Take the library's present count as the one to start from, if it counts at all."""
        self.stray = Counter({kind: self.count(kind) - self.alive[kind] for kind in self.counted})

    def count(self, kind: str) -> int:
        """How many of a kind are alive by the library's count; 0 if it does not count."""
        tell = self.runtime.optional.get("aclnnHostAlive")
        return int(tell(kind.encode())) if tell else 0

    def _copy(self, target: int, source: int, size: int, kind: int) -> None:
        self._check("aclrtMemcpy", self.runtime.aclrtMemcpy(target, size, source, size, kind))

    def _check(self, name: str, status: int) -> None:
        if status != SUCCESS:
            text = self.runtime.failure(name, status)
            raise FaultError("runtime", zh=f"运行时调用失败：{text}", en=f"a call of the runtime failed: {text}")


@contextmanager
def session(runtime: Runtime, *, device: int | None, worker: int) -> Iterator[Session]:
    """Initialise the process and a device, and undo it in the end.

    Without a device each worker has its own, as far as there are enough. InputError says what failed.
    """

    def must(name: str, status: int) -> None:
        if status != SUCCESS:
            raise InputError(f"cann: {runtime.failure(name, status)}")

    with ExitStack() as stack:
        status = runtime.aclInit(None)
        ours = status != ALREADY_INITIALISED
        if ours:
            must("aclInit", status)
            stack.callback(runtime.aclFinalize)
        else:
            runtime.recent_error()
        count = ctypes.c_uint32()
        must("aclrtGetDeviceCount", runtime.aclrtGetDeviceCount(ctypes.byref(count)))
        if not count.value:
            raise InputError("cann: found no device: aclrtGetDeviceCount gave 0, expected at least 1")
        if device is not None and not 0 <= device < count.value:
            raise InputError(f"cann: device: found {device}, expected 0 to {count.value - 1}")
        number = worker % count.value if device is None else device
        must("aclrtSetDevice", runtime.aclrtSetDevice(number))
        if ours:
            stack.callback(runtime.aclrtResetDevice, number)
        one = Session(runtime=runtime, device=number, ours=ours)
        must("aclrtCreateStream", runtime.aclrtCreateStream(ctypes.byref(one.stream)))
        one.alive["stream"] += 1
        one.recount()
        try:
            yield one
        finally:
            if not one.lost:
                runtime.aclrtDestroyStream(one.stream)

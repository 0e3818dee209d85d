"""Recorded NVTX ranges as an export of Nsight Systems, with GPU work made up: a kernel for each innermost operator that computes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TABLES = """
create table StringIds(id integer primary key, value text not null);
create table META_DATA_EXPORT(name text, value text);
insert into META_DATA_EXPORT values ('EXPORT_SCHEMA_VERSION', '3.13.1');
create table NVTX_EVENTS(start integer not null, end integer, eventType integer not null, rangeId integer, category integer,
    color integer, text text, globalTid integer, endGlobalTid integer, textId integer, domainId integer);
create table CUPTI_ACTIVITY_KIND_RUNTIME(start integer not null, end integer not null, eventClass integer not null,
    globalTid integer, correlationId integer, nameId integer not null, returnValue integer not null, callchainId integer);
create table CUPTI_ACTIVITY_KIND_KERNEL(start integer not null, end integer not null, deviceId integer not null,
    contextId integer not null, greenContextId integer, streamId integer not null, correlationId integer, globalPid integer,
    demangledName integer not null, shortName integer not null, mangledName integer, launchType integer, cacheConfig integer,
    registersPerThread integer not null, gridX integer not null, gridY integer not null, gridZ integer not null,
    blockX integer not null, blockY integer not null, blockZ integer not null, staticSharedMemory integer not null,
    dynamicSharedMemory integer not null, localMemoryPerThread integer not null, localMemoryTotal integer not null,
    gridId integer not null, sharedMemoryExecuted integer, graphNodeId integer, sharedMemoryLimitConfig integer);
"""

PUSH_POP = 59
PROCESS = 4242
#: Ranges in which no kernel is made up: they are not of PyTorch, or change only how a tensor is seen.
VIEWS = tuple(
    "aten::" + name
    for name in "as_strided detach empty expand lift_fresh permute reshape select set_ t transpose unsqueeze view _unsafe_view".split()
)
#: Wrappers of nodes of the backward pass, which run on a thread of their own where there is a GPU.
NODE = "autograd::engine::evaluate_function: "


def write(calls: Iterable[tuple[int, int, str | None]], path: Path, *, own_backward_thread: bool = True) -> None:
    """Writes an export. On the CPU the backward pass runs on the thread that asks for it; with a GPU it has its own."""
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.executescript(TABLES)
    strings: dict[str, int] = {}
    kernels, gpu_free = 0, 0

    def string(text: str) -> int:
        if text not in strings:
            strings[text] = len(strings) + 1
            database.execute("insert into StringIds values (?, ?)", (strings[text], text))
        return strings[text]

    launch = string("cudaLaunchKernel_v7000")
    stacks: dict[int, list[list[Any]]] = {}
    begin = None
    for time, thread, text in calls:
        begin = time - 1000 if begin is None else begin
        now = time - begin
        stack = stacks.setdefault(thread, [])
        if text is not None:
            in_node = text.startswith(NODE) or bool(stack and stack[-1][3])
            stack.append([now, text, False, in_node])
            continue
        if not stack:
            continue
        start, text, has_work, in_node = stack.pop()
        on = thread + 1000 if in_node and own_backward_thread else thread
        system_thread = PROCESS << 24 | on
        values = (start, now, PUSH_POP, text, system_thread)
        database.execute("insert into NVTX_EVENTS values (?, ?, ?, null, null, null, ?, ?, null, null, 0)", values)
        operator = text.split(",")[0]
        is_work = not has_work and operator.startswith("aten::") and operator not in VIEWS and now - start >= 4
        if stack:
            stack[-1][2] |= has_work or is_work
        if not is_work:
            continue
        kernels += 1
        name = string(operator.removeprefix("aten::") + "_kernel")
        values = (start + 1, now - 1, system_thread, kernels, launch)
        database.execute("insert into CUPTI_ACTIVITY_KIND_RUNTIME values (?, ?, 0, ?, ?, ?, 0, null)", values)
        start = max(gpu_free, now)
        gpu_free = start + 2000
        values = (start, gpu_free, kernels, PROCESS << 24, name, name, kernels)
        database.execute(
            "insert into CUPTI_ACTIVITY_KIND_KERNEL values (?, ?, 0, 1, null, 7, ?, ?, ?, ?, null, 0, 0, 32, 1, 1, 1, 128, 1, 1,"
            " 0, 0, 0, 0, ?, 0, null, 0)",
            values,
        )
    database.commit()
    database.close()

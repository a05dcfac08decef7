"""Recordings of a program that was never run: 8 threads on 4 nodes, with known faults.

u       64 MiB, all on node 0: thread 0 writes all of it, then each thread uses its own part
table   16 MiB, all on node 0: read by all threads, written by nobody
index    8 MiB, pages in turn: neighbouring lines belong to different threads
[heap]   1 MiB on node 1, used by a thread of node 1
"""

from pathlib import Path
from typing import Any

import numpy as np

from homenode.profile.record import RECORD, UNKNOWN_ID, Flag, Operation, Source
from homenode.profile.recording import Recording, parse, write_recording

PID, THREADS, NODES = 700, 8, 4
LINE, PAGE, MIB = 64, 4096, 1 << 20
SECOND = 10**9
ADDRESS = {"u": 0x10000000, "table": 0x20000000, "index": 0x30000000, "[heap]": 0x40000000}
BYTES = {"u": 64 * MIB, "table": 16 * MIB, "index": 8 * MIB, "[heap]": MIB}
MACHINE: dict[str, Any] = {
    "schema": "homenode.machine/2",
    "name": "square",
    "nodes": [
        {"id": n, "cpus": [2 * n, 2 * n + 1], "memory_bytes": 1 << 30, "package": n}
        for n in range(NODES)
    ],
    "packages": [{"id": n, "cpus": [2 * n, 2 * n + 1]} for n in range(NODES)],
    "offline_cpus": [],
    "cpus_without_node": [],
    "caches": [],
    "devices": [],
    "distances": {
        "provenance": "declared",
        "nodes": list(range(NODES)),
        "values": [[(10, 16, 22)[(a ^ b).bit_count()] for b in range(NODES)] for a in range(NODES)],
    },
    "pair_values": [
        {
            "kind": "read_bandwidth",
            "unit": "MiB/s",
            "provenance": "declared",
            "from": list(range(NODES)),
            "to": list(range(NODES)),
            "values": [
                [(6100, 3050, 2684)[(a ^ b).bit_count()] for b in range(NODES)]
                for a in range(NODES)
            ],
        }
    ],
    "allowed": {"cpus": list(range(8)), "nodes": list(range(NODES))},
    "info": {},
}


def _part(name: str, thread: Any, line: Any, time: Any, kind: Operation) -> Any:
    """Samples of one object: which thread used which line, and when."""
    made = np.zeros(len(line), RECORD)
    made["address"] = ADDRESS[name] + line * LINE
    made["tid"] = PID + thread
    made["cpu"] = thread
    made["cpu_node"] = thread // 2
    made["time_ns"] = time
    made["operation"] = kind
    homes = {"u": 0, "table": 0, "index": (line * LINE // PAGE) % NODES, "[heap]": 1}
    made["memory_node"] = homes[name]
    made["instruction"] = 0x400100 + 0x10 * list(ADDRESS).index(name)
    return made


def samples(many: int = 20_000, source: Source = Source.PKEYS, seed: int = 1) -> Any:
    """What a source would have seen; `many` of the arrays' main use, fewer of the rest."""
    draw = np.random.default_rng(seed)
    lines = {name: size // LINE for name, size in BYTES.items()}

    def times(count: int, begin: float, end: float) -> Any:
        return np.sort(draw.integers(int(begin * SECOND), int(end * SECOND), count))

    first = np.sort(draw.integers(0, lines["u"], many // 4))
    u = draw.integers(0, lines["u"], many)
    table = draw.integers(0, lines["table"], many // 2)
    index = draw.integers(0, lines["index"], many // 2)
    heap = draw.integers(0, lines["[heap]"], many // 8)
    anyone = draw.integers(0, THREADS, many)
    parts = [
        _part("u", first * 0, first, times(len(first), 10, 11), Operation.WRITE),
        _part("u", u * THREADS // lines["u"], u, times(many, 11, 14), Operation.READ),
        _part("table", anyone[: len(table)], table, times(len(table), 11, 14), Operation.READ),
        _part("index", index % THREADS, index, times(len(index), 14, 16), Operation.WRITE),
        _part("[heap]", heap * 0 + 2, heap, times(len(heap), 11, 16), Operation.READ),
    ]
    made = np.concatenate(parts)
    made = made[np.argsort(made["time_ns"], kind="stable")]
    made["pid"] = PID
    made["source"] = source
    made["weight"] = 1
    made["page_shift"] = 12
    made["flags"] = Flag.COUNTS_USES if source == Source.LAB else Flag.FIRST_TOUCH
    return made


def documents(source: str = "pkeys", **more: Any) -> list[dict[str, Any]]:
    """All documents around the samples; `more` goes into the first."""
    paths = {"u": "/dev/shm/u", "table": "/dev/shm/table", "index": "", "[heap]": "[heap]"}
    mappings = [
        {"begin": ADDRESS[name], "end": ADDRESS[name] + BYTES[name], "permissions": "rw-p",
         "offset": 0, "path": path}
        for name, path in paths.items()
    ]  # fmt: skip
    code = {"begin": 0x400000, "end": 0x401000, "permissions": "r-xp", "offset": 0x1000,
            "path": "/opt/solver"}  # fmt: skip
    threads = [{"tid": PID + t, "name": "solver"} for t in range(THREADS)]
    begin = {
        "kind": "begin",
        "schema": "homenode.samples/1",
        "pid": PID,
        "command": ["./solver", "--steps", "5"],
        "time_ns": 10 * SECOND,
        "realtime_ns": 1_760_000_000 * SECOND,
        "hostname": "square",
        "source": {
            "name": source,
            "sees": "the first use of each page by each thread, again and again",
            "cannot_see": "memory that is mapped from files",
            "cost": "some µs for each sample",
            "needs": "a CPU with protection keys",
        },
        "refused": {"pmu": "this machine has no PMU"},
        "machine": MACHINE,
        "page_bytes": PAGE,
    } | more
    return [
        begin,
        {"kind": "mappings", "time_ns": 10 * SECOND, "pid": PID, "mappings": [code, *mappings]},
        {"kind": "threads", "time_ns": 10 * SECOND, "pid": PID, "threads": threads},
        {
            "kind": "end",
            "time_ns": 16 * SECOND,
            "samples": 0,
            "lost": 12,
            "overhead": {"cpu_ns": 1, "faults_ns": 2, "program_cpu_ns": 3, "share": 0.0082},
            "exit_code": 0,
            "why": "program ended",
        },
    ]


def solver(path: Path, many: int = 20_000, source: Source = Source.PKEYS) -> Path:
    """Writes the recording of the program to a file."""
    name = {Source.PKEYS: "pkeys", Source.LAB: "lab"}[source]
    write_recording(path, samples(many, source), documents(name))
    return path


def recording(path: Path, some: Any, docs: list[dict[str, Any]]) -> Recording:
    """What is read back of some samples and documents."""
    write_recording(path, some, docs)
    return parse(path.read_bytes())


UNKNOWN = UNKNOWN_ID

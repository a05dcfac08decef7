"""The mappings and threads of each process, from perf's events of both. Pure.

perf says what was mapped but never what was unmapped, so a later mapping hides an earlier one, and
one that has ended looks as if it were still there. The heap and anonymous memory are reported anew
whenever they grow; each is one mapping here, as it is in /proc/PID/maps.
"""

import re
from dataclasses import dataclass, field

from homenode.profile.perf_text import Line, PerfText
from homenode.profile.recording import Document

NUMBER = r"(?:0x)?[0-9a-f]{1,16}"
MAPPING = re.compile(
    rf"PERF_RECORD_MMAP2?\s+(-?\d+)/(-?\d+):\s*\[({NUMBER})\(({NUMBER})\) @ ({NUMBER})[^\]]*\]:"
    r"\s+([-rwxsp]{1,4})(?: (.*))?",
    re.ASCII,
)
NAMED = re.compile(r"PERF_RECORD_COMM( exec)?:\s*(.*):(-?\d+)/(-?\d+)\s*$", re.ASCII)
STARTED = re.compile(r"PERF_RECORD_FORK\((-?\d+):(-?\d+)\):\((-?\d+):(-?\d+)\)", re.ASCII)
ANONYMOUS = ("//anon", "//toolong", "//enomem")
GROWING = ("", "[heap]")
# MMAP, unlike MMAP2, says only whether a mapping is data ("r") or code ("x").
PERMISSIONS = {"r": "rw-p", "x": "r-xp"}


@dataclass
class Process:
    """What is known of one process."""

    mappings: list[Document] = field(default_factory=list)
    threads: dict[int, str] = field(default_factory=dict)


def _grown(process: Process, found: Document) -> bool:
    """Whether it was joined to the mapping that it continues."""
    if found["path"] not in GROWING:
        return False
    for known in reversed(process.mappings):
        alike = known["path"] == found["path"] and known["permissions"] == found["permissions"]
        if alike and found["begin"] <= known["end"] and known["begin"] <= found["end"]:
            known["begin"] = min(known["begin"], found["begin"])
            known["end"] = max(known["end"], found["end"])
            return True
    return False


def _map(processes: dict[int, Process], match: re.Match[str]) -> None:
    pid, begin, size = int(match[1]), int(match[3], 16), int(match[4], 16)
    if pid < 0 or begin + size >= 1 << 63:
        return
    path = (match[7] or "").strip()
    found: Document = {
        "begin": begin,
        "end": begin + size,
        "permissions": PERMISSIONS.get(match[6], match[6]),
        "offset": int(match[5], 16),
        "path": "" if path in ANONYMOUS else path,
    }
    process = processes.setdefault(pid, Process())
    if not _grown(process, found):
        process.mappings.append(found)


def _start(processes: dict[int, Process], match: re.Match[str]) -> None:
    """A thread has its starter's name, and a process its starter's mappings too."""
    pid, tid, parent, starter = (int(match[group]) for group in (1, 2, 3, 4))
    known = processes.get(parent, Process())
    process = processes.setdefault(pid, Process())
    process.threads[tid] = known.threads.get(starter, "")
    if pid != parent and not process.mappings:
        process.mappings = [dict(mapping) for mapping in known.mappings]


def _name(processes: dict[int, Process], match: re.Match[str]) -> None:
    """A process that executes another program has none of its mappings any more."""
    process = processes.setdefault(int(match[3]), Process())
    process.threads[int(match[4])] = match[2]
    if match[1]:
        process.mappings = []


def _used(processes: dict[int, Process], samples: list[Line]) -> dict[int, Process]:
    """The processes that have samples; their threads have at least the names that samples show."""
    used: dict[int, Process] = {}
    for line in samples:
        if line.pid < 0:
            continue
        process = used.setdefault(line.pid, processes.get(line.pid, Process()))
        if not process.threads.get(line.tid):
            process.threads[line.tid] = line.comm
    return used


def read_events(text: PerfText) -> dict[int, Process]:
    """Of each process that has samples."""
    processes: dict[int, Process] = {}
    readers = ((MAPPING, _map), (NAMED, _name), (STARTED, _start))
    for event in text.events:
        for pattern, read in readers:
            if match := pattern.search(event):
                read(processes, match)
                break
    return _used(processes, text.samples)

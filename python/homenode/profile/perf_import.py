"""Turns what `perf mem record` recorded, here or elsewhere, into a sample file.

`import_perf` takes perf's own file, which the perf command reads for us, or the text that
`perf script` or `perf mem report -D` printed where it was recorded. docs/profile-pmu.md says how to
record.
"""

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from homenode.profile.data_source import decode
from homenode.profile.errors import ProfileError
from homenode.profile.perf_space import Process, read_events
from homenode.profile.perf_text import FIELDS, HOW, OPTIONAL, Line, PerfText, read_text
from homenode.profile.record import RECORD, UNKNOWN_ID, Flag, Level, Operation, Source
from homenode.profile.recording import Document, Samples, write_recording

PERF_MAGIC = (b"PERFILE2", b"2ELIFREP", b"PERFFILE")
KERNEL_HALF = 1 << 63
ANOTHER_FIELD = re.compile(r"[Cc]annot print '(\w+)' field")
CLOCK = re.compile(r"@ *([\d.]+) *GHz")
MOST = {"weight": 2**32 - 1, "id": UNKNOWN_ID - 1}


@dataclass(frozen=True)
class Imported:
    """What was taken over, and what was not and why: `dropped` counts samples by reason."""

    samples: int
    dropped: dict[str, int] = field(default_factory=dict)
    skipped_lines: int = 0
    latency_unit: str = "cycles"  #: "ns" where the clock is known.


def _perf(words: Sequence[str], path: Path) -> subprocess.CompletedProcess[str]:
    command = shutil.which("perf")
    if command is None:
        raise ProfileError(
            f"{path} can be read by perf alone, which is not installed: install it (Debian: "
            "linux-perf), or import the text that 'perf script' prints where it was recorded"
        )
    environment = dict(os.environ, LC_ALL="C", PAGER="cat")
    return subprocess.run(
        [command, *words, "-i", str(path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env=environment,
        check=False,
    )


def _reason(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return lines[-1] if lines else "perf gave no reason"


def _print_data(path: Path) -> tuple[str, tuple[str, ...]]:
    """What perf prints of its file, and the fields of it: those that the recording has."""
    words = ["script", "--header", "--ns", "-G", "--show-mmap-events", "--show-task-events"]
    if "arm_spe" in _perf(["evlist"], path).stdout:
        # SPE is decoded into several events for each access, of which this one has them all.
        words.append("--itrace=M")
    fields: tuple[str, ...] = FIELDS
    while True:
        done = _perf([*words, "--show-lost-events", "-F", ",".join(fields)], path)
        if done.returncode == 0:
            return done.stdout, fields
        lacking = ANOTHER_FIELD.search(done.stderr)
        if lacking is None:
            raise ProfileError(
                f"perf cannot read {path} ({_reason(done.stderr)}); read it with the perf that "
                "recorded it, and import the text: " + HOW
            )
        if lacking[1] not in OPTIONAL or lacking[1] not in fields:
            raise ProfileError(
                f"the samples of {path} have no '{lacking[1]}': record with 'perf mem record'"
            )
        fields = tuple(name for name in fields if name != lacking[1])


def read_perf(path: Path, fields: Sequence[str] | None = None) -> PerfText:
    """What a file of perf's, or a text that perf printed, holds."""
    try:
        with path.open("rb") as file:
            magic = file.read(8)
        if magic in PERF_MAGIC:
            text, printed = _print_data(path)
            return read_text(text.splitlines(), printed)
        with path.open(encoding="utf-8", errors="replace") as lines:
            return read_text(lines, fields)
    except OSError as error:
        raise ProfileError(f"cannot read {path}: {error.strerror}; check its name") from error


def _nodes(machine: Document | None) -> dict[int, int]:
    """The node of each CPU; a CPU that the machine does not name has none."""
    nodes = machine.get("nodes", []) if machine else []
    return {int(cpu): int(node["id"]) for node in nodes for cpu in node["cpus"]}


def _memory_node(level: Level, node: int, memories: Sequence[int]) -> int:
    """The node of memory that a level leaves no doubt about."""
    if node == UNKNOWN_ID:
        return UNKNOWN_ID
    if level is Level.LOCAL_MEMORY and node in memories:
        return node
    others = [other for other in memories if other != node]
    return others[0] if level is Level.REMOTE_MEMORY and len(others) == 1 else UNKNOWN_ID


def _unwanted(line: Line) -> str:
    if line.address == 0:
        return "no data address"
    if line.address >= KERNEL_HALF:
        return "the kernel's memory"
    return "not of a process" if line.pid < 0 or line.tid < 0 else ""


def _operation(line: Line, known: Operation) -> Operation:
    if known is not Operation.UNKNOWN:
        return known
    names = {"load": Operation.READ, "store": Operation.WRITE}
    return next((what for name, what in names.items() if name in line.event), known)


def _records(lines: Sequence[Line], machine: Document | None, ghz: float | None) -> Samples:
    nodes = _nodes(machine)
    memories = [
        int(node["id"]) for node in (machine or {}).get("nodes", []) if node["memory_bytes"]
    ]
    samples = np.zeros(len(lines), RECORD)
    samples["source"] = Source.IMPORT
    for sample, line in zip(samples, lines, strict=True):
        source = decode(line.data_source)
        node = nodes.get(line.cpu, UNKNOWN_ID)
        latency = round(line.weight / ghz) if ghz else line.weight
        sample["time_ns"] = min(line.time_ns, 2**64 - 1)
        sample["address"], sample["physical"] = line.address, line.physical
        sample["instruction"] = line.instruction
        sample["latency_ns"] = min(latency, MOST["weight"])
        sample["pid"] = min(line.pid, MOST["weight"])
        sample["tid"] = min(line.tid, MOST["weight"])
        sample["cpu"] = line.cpu if 0 <= line.cpu <= MOST["id"] else UNKNOWN_ID
        sample["cpu_node"] = node
        sample["memory_node"] = _memory_node(source.level, node, memories)
        sample["operation"] = _operation(line, source.operation)
        sample["level"] = source.level
        sample["flags"] = Flag.KERNEL if line.instruction >= KERNEL_HALF else 0
    return samples


def _clock(text: PerfText, ghz: float | None) -> float | None:
    """The clock in GHz, by which latencies in cycles become nanoseconds."""
    named = CLOCK.search(text.header.get("cpudesc", ""))
    try:
        return ghz or (float(named[1]) if named else None) or None
    except ValueError:
        return None


def _documents(
    text: PerfText,
    samples: Samples,
    processes: dict[int, Process],
    machine: Document | None,
    about: Document,
) -> list[Document]:
    """What stands before and after the samples."""
    first = int(samples["time_ns"].min()) if len(samples) else 0
    last = int(samples["time_ns"].max()) if len(samples) else 0
    by_pid = Counter(samples["pid"].tolist())
    begin = {
        "kind": "begin",
        "schema": "homenode.samples/1",
        "pid": by_pid.most_common(1)[0][0] if by_pid else 0,
        "command": text.header.get("cmdline", "").split(),
        "time_ns": first,
        "realtime_ns": 0,
        "hostname": text.header.get("hostname", ""),
        "source": {
            "name": "import",
            "sees": "loads and stores that a PMU sampled: address, level, latency, thread",
            "cannot_see": "what the recording left out; mappings that ended are shown as if there",
            "cost": "none here; 1-5 % where it was recorded",
            "needs": "a file of 'perf mem record', or its text",
        },
        "refused": {},
        "machine": machine,
        "page_bytes": 4096,
    }
    documents = [begin, {"kind": "import", **about}]
    for pid in sorted(processes):
        kept = {"time_ns": first, "pid": pid}
        documents.append({"kind": "mappings", "mappings": processes[pid].mappings, **kept})
        names = [{"tid": tid, "name": name} for tid, name in sorted(processes[pid].threads.items())]
        documents.append({"kind": "threads", "threads": names, **kept})
    end = {
        "kind": "end",
        "time_ns": last,
        "samples": len(samples),
        "lost": text.lost,
        "overhead": {"cpu_ns": 0, "faults_ns": 0, "program_cpu_ns": 0, "share": 0},
        "exit_code": None,
        "why": "program ended",
    }
    return [*documents, end]


def import_perf(
    path: Path,
    output: Path,
    *,
    fields: Sequence[str] | None = None,
    machine: Document | None = None,
    ghz: float | None = None,
) -> Imported:
    """Writes the samples of `path` to the sample file `output`.

    `fields`: what 'perf script -F' was given, where `path` is a text with other fields than FIELDS.
    `machine`: what 'homenode topology --json' prints where it was recorded; without it no sample
    has a node. `ghz`: the cores' clock, where perf's header does not name it; without either,
    latencies stay in cycles, as the document `import` says. Raises ProfileError.
    """
    text = read_perf(path, fields)
    if not text.samples:
        found = f" ({text.first_skipped})" if text.first_skipped else ""
        raise ProfileError(f"{path} holds no memory samples that can be read{found}: {HOW}")
    dropped: Counter[str] = Counter(filter(None, map(_unwanted, text.samples)))
    kept = [line for line in text.samples if not _unwanted(line)]
    if any(line.event.startswith("memory:") or line.event == "memory" for line in kept):
        # One event of those that SPE is decoded into; the others show the same accesses again.
        of_memory = [line for line in kept if line.event.split(":")[0] == "memory"]
        dropped["shown by another event"] = len(kept) - len(of_memory)
        kept = of_memory
    clock = _clock(text, ghz)
    unit = "ns" if clock else "cycles"
    try:
        samples = _records(kept, machine, clock)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ProfileError(
            "the machine is none: give what 'homenode topology --json' prints"
        ) from error
    left_out = {reason: count for reason, count in dropped.items() if count}
    about: Document = {"file": str(path), "latency_unit": unit, "dropped": left_out}
    documents = _documents(text, samples, read_events(text), machine, about)
    try:
        write_recording(output, samples, documents)
    except OSError as error:
        raise ProfileError(f"cannot write {output}: {error.strerror}") from error
    return Imported(len(samples), left_out, text.skipped, unit)

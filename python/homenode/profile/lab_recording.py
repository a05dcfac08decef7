"""Makes a sample file's content of what the lab's plugin counted and its guest saw.

The plugin numbers threads and processes by their registers; here they get their ids, the CPUs their
nodes, and what is not the program's, the lab's own init, is left out. Pure but for the machine's
description.
"""

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from homenode import capi
from homenode.lab.catalogue import find_file
from homenode.lab.errors import LabError
from homenode.lab.lab import Lab
from homenode.lab.result import Result
from homenode.lab.watched import Look, looks
from homenode.profile.lab_threads import Thread, named
from homenode.profile.record import UNKNOWN_ID
from homenode.profile.recording import BLOCK, EVENTS, HEAD, Document, Samples, parse

SOURCE = {
    "name": "lab",
    "sees": "each access of user code that misses the modelled private cache, loads and stores "
    "apart: thread, unit of memory, CPU, node of the CPU and node of the memory; nothing is "
    "estimated",
    "cannot_see": "when an access was made, which instruction made it, what the kernel used for "
    "the program, mappings and threads that were there for less than a tenth of a second",
    "cost": "the program runs in a virtual machine, tens of times slower; looking up its mappings "
    "takes up to a third of one CPU",
    "needs": "QEMU with plugins, 9.0 or newer to tell threads apart, 9.2 or newer for their ids",
}
PAGE_BYTES = 4096
INIT = 1


@dataclass(frozen=True)
class LabRecording:
    """A sample file's content. `notes` say in words what it lacks."""

    samples: Samples
    documents: list[Document]
    notes: list[str] = field(default_factory=list)
    events: NDArray[np.void] = field(default_factory=lambda: np.empty(0, EVENTS))


def recording_of(lab: Lab, result: Result, command: Sequence[str], roi: str) -> LabRecording:
    """The recording of a program that has ended in the lab. Raises LabError."""
    return assemble(
        lab.samples(result.samples_from),
        list(looks(result.watched)),
        begin_of(lab, result, command),
        lab.machine.node_of_vcpu,
        end_of(result),
        unit_bytes=lab.sample_unit or PAGE_BYTES,
        init_began=roi == "all",
    )


def begin_of(lab: Lab, result: Result, command: Sequence[str]) -> Document:
    """The first document."""
    return {
        "kind": "begin",
        "schema": "homenode.samples/1",
        "pid": result.pid,
        "command": list(command),
        "time_ns": 0,
        "realtime_ns": time.time_ns(),
        "hostname": lab.machine.name,
        "source": SOURCE,
        "refused": {},
        "machine": _machine_of(lab),
        "page_bytes": PAGE_BYTES,
    }


def _machine_of(lab: Lab) -> Document | None:
    """What `homenode topology --json` prints of the machine's file; None where the guest's nodes
    and caches are not those of the file."""
    if lab.renumbered or lab.machine.scale is not None:
        return None
    try:
        return capi.machine(find_file(lab.source))
    except (capi.HomenodeError, LabError):
        return None


def end_of(result: Result) -> Document:
    """The last document, without what the samples tell."""
    return {
        "kind": "end",
        "overhead": {"cpu_ns": None, "faults_ns": None, "program_cpu_ns": None, "share": None},
        "exit_code": result.exit_code,
        "why": "time is up" if result.timed_out else "program ended",
    }


def _raw(raw: bytes, begin: Document) -> tuple[Samples, list[Document]]:
    """The plugin's samples, and its lists of threads."""
    payload = json.dumps(begin).encode()
    head = HEAD + BLOCK.pack(b"JSON", len(payload)) + payload
    recording = parse(head + raw, "what the plugin counted")
    return recording.samples.copy(), recording.of("lab_threads")


def assemble(
    raw: bytes,
    seen: Iterable[Look],
    begin: Document,
    node_of_vcpu: Sequence[int],
    end: Document,
    *,
    unit_bytes: int,
    init_began: bool,
) -> LabRecording:
    """What the plugin wrote and the guest saw, as one recording.

    `unit_bytes` is the unit that was asked for; `init_began`: the lab's init began the regions, so
    the process that owns them is none of the program's.
    """
    seen = list(seen)
    samples, regions = _raw(raw, begin)
    known = np.array([*node_of_vcpu, UNKNOWN_ID], np.uint16)
    samples["cpu_node"] = known[np.minimum(samples["cpu"], len(known) - 1)]
    kept = np.zeros(len(samples), bool)
    documents: list[Document] = []
    for region in regions:
        threads = named(region, seen, begin["pid"], init_began=init_began)
        here = samples["round"] == region["region"] % (1 << 16)
        kept |= _rename(samples, here, threads)
        documents.append(_threads_of(region["region"], threads))
    lost = sum(int(region["lost"]) for region in regions)
    samples = samples[kept]
    notes = _notes(samples, unit_bytes, lost)
    told = end | {
        "time_ns": max((look.time_ns for look in seen), default=0),
        "samples": len(samples),
        "lost": lost,
        "notes": notes,
    }
    looked = [look.document() for look in seen]
    documents = [begin, *looked, *documents, *_names(documents, seen), told]
    return LabRecording(samples, documents, notes)


def _names(regions: Iterable[Document], seen: Iterable[Look]) -> list[Document]:
    """All threads of each process at last: those that nobody saw are called as it is, as a new
    thread is."""
    names: dict[int, str] = {}
    process_of: dict[int, int] = {}
    last_ns = 0
    for look in seen:
        names |= look.threads
        process_of |= dict.fromkeys(look.threads, look.pid)
        last_ns = max(last_ns, look.time_ns)
    for region in regions:
        process_of |= {one["tid"]: one["pid"] for one in region["threads"] if one["pid"] != INIT}
    return [
        {
            "kind": "threads",
            "time_ns": last_ns,
            "pid": pid,
            "threads": [
                {"tid": tid, "name": names.get(tid, names.get(pid, ""))}
                for tid, of in sorted(process_of.items())
                if of == pid
            ],
        }
        for pid in sorted(set(process_of.values()))
    ]


def _rename(samples: Samples, here: np.ndarray, threads: dict[int, Thread]) -> np.ndarray:
    """Gives the samples that are `here` their ids; says which of them are the program's."""
    most = max(threads, default=0) + 1
    table = np.zeros((most, 3), np.int64)
    for number, thread in threads.items():
        table[number] = thread.pid, thread.tid, thread.pid != INIT
    rows = table[samples["tid"][here]]
    samples["pid"][here], samples["tid"][here] = rows[:, 0], rows[:, 1]
    mine = np.zeros(len(samples), bool)
    mine[here] = rows[:, 2] != 0
    return mine


def _threads_of(region: int, threads: dict[int, Thread]) -> Document:
    """The numbers that the lab's counts have for the threads of a region."""
    return {
        "kind": "lab_threads",
        "region": region,
        "threads": [
            {"id": number, "pid": thread.pid, "tid": thread.tid, "guessed": thread.guessed}
            for number, thread in sorted(threads.items())
        ],
    }


def _notes(samples: Samples, unit_bytes: int, lost: int) -> list[str]:
    notes = []
    largest = 1 << int(samples["page_shift"].max(initial=0))
    if largest > unit_bytes:
        notes.append(
            f"there were too many units of {unit_bytes} bytes to count each: some have "
            f"{largest} bytes; no access is missing"
        )
    if lost:
        notes.append(f"{lost} accesses are counted for their threads, but for no unit of memory")
    return notes

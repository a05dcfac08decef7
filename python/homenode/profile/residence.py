"""On which nodes the objects of a live process are: `homenode where PID --objects`.

`homenode sample --with pages` asks the kernel for each page; a page then belongs to an object as a
sample does.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homenode.lab.text import table
from homenode.profile.attribution import attribute
from homenode.profile.errors import ProfileError
from homenode.profile.objects import NO_OBJECT, Kind, Object
from homenode.profile.record import RECORD, Source
from homenode.profile.recording import Recording, Samples, read_recording
from homenode.profile.taking import Request, command_line
from homenode.study.command import find_command

SCHEMA = "homenode.where.objects/1"
# Pages that are attributed at once: 64 bytes each.
AT_ONCE = 1 << 20
SHOWN = 25
MIB = 1 << 20


@dataclass(frozen=True)
class Resident:
    """An object, and its bytes by node (as the nodes of Residence)."""

    name: str
    kind: Kind
    source: tuple[str, ...]
    bytes: tuple[int, ...]


@dataclass(frozen=True)
class Residence:
    """What a process has on which nodes, the largest object first."""

    pid: int
    command: tuple[str, ...]
    nodes: tuple[int, ...]
    objects: tuple[Resident, ...]


def taken(pid: int) -> Recording:
    """Where the pages of a process are now. Raises ProfileError."""
    with tempfile.TemporaryDirectory(prefix="homenode-where-") as folder:
        file = Path(folder) / "pages"
        request = Request("pages", pid, (), None, 0.001, None)
        words = command_line(request, file, find_command())
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            line = done.stderr.strip().rpartition("\n")[2].removeprefix("homenode sample: ")
            raise ProfileError(line or f"cannot look at process {pid}; check it", done.returncode)
        return read_recording(file)


def _chunks(recording: Recording, page: int) -> Iterator[Samples]:
    """Each page as a sample, so many at once."""
    pid = int(recording.begin["pid"])
    for document in recording.of("pages"):
        for begin, end, node, thread in document["pages"]:
            for first in range(begin, end, AT_ONCE * page):
                last = min(end, first + AT_ONCE * page)
                addresses = np.arange(first, last, page, dtype=np.uint64)
                samples = np.zeros(len(addresses), RECORD)
                samples["address"], samples["pid"], samples["tid"] = addresses, pid, thread
                samples["memory_node"], samples["source"] = node, Source.PAGES
                yield samples


def _batches(recording: Recording, page: int) -> Iterator[Samples]:
    """The same, of several runs together."""
    kept: list[Samples] = []
    for samples in _chunks(recording, page):
        if kept and sum(map(len, kept)) + len(samples) > AT_ONCE:
            yield np.concatenate(kept)
            kept = []
        kept.append(samples)
    if kept:
        yield np.concatenate(kept)


def _sums(samples: Samples, of: NDArray[np.int64], count: int, nodes: NDArray[Any]) -> Any:
    """Pages by [object, node]; what belongs to none is the last object."""
    cells = np.zeros((count + 1, len(nodes)), np.int64)
    rows = np.where(of == NO_OBJECT, count, of)
    np.add.at(cells, (rows, np.searchsorted(nodes, samples["memory_node"])), 1)
    return cells


def residence(recording: Recording) -> Residence:
    """Adds up the pages of each object. Raises ProfileError for documents of another form."""
    page = int(recording.begin.get("page_bytes") or 4096)
    used = {int(run[2]) for document in recording.of("pages") for run in document["pages"]}
    machine = recording.begin.get("machine") or {"nodes": []}
    nodes = np.array(sorted(used | {int(node["id"]) for node in machine["nodes"]}), np.int64)
    found: dict[tuple[str, Kind, tuple[str, ...]], NDArray[np.int64]] = {}
    for samples in _batches(recording, page):
        attributed = attribute(replace(recording, samples=samples))
        unknown = Object("memory of no mapping", Kind.ANONYMOUS, ())
        cells = _sums(samples, attributed.object_of, len(attributed.objects), nodes)
        for item, pages in zip([*attributed.objects, unknown], cells, strict=True):
            key = (item.name, item.kind, item.source)
            found[key] = found.get(key, np.zeros(len(nodes), np.int64)) + pages * page
    objects = [
        Resident(name, kind, source, tuple(int(one) for one in sums))
        for (name, kind, source), sums in found.items()
        if sums.any()
    ]
    objects.sort(key=lambda item: -sum(item.bytes))
    begin = recording.begin
    command = tuple(str(word) for word in begin.get("command") or ())
    return Residence(int(begin["pid"]), command, tuple(int(n) for n in nodes), tuple(objects))


def _mebibytes(size: int) -> str:
    return f"{size / MIB:.2f}" if size else "-"


def _row(sizes: tuple[int, ...]) -> list[str]:
    return [_mebibytes(size) for size in (*sizes, sum(sizes))]


def as_text(found: Residence) -> str:
    """The largest objects, a line each."""
    shown = found.objects[:SHOWN]
    everything = [item.bytes for item in found.objects] or [(0,) * len(found.nodes)]
    whole = tuple(sum(column) for column in zip(*everything, strict=True))
    head = ["MiB on", *(f"node {node}" for node in found.nodes), "all"]
    rows = [head, *(["", *_row(item.bytes)] for item in shown), ["", *_row(whole)]]
    names = ["object", *(f"{item.name} ({item.kind})" for item in shown), "all objects"]
    lines = [
        f"{numbers}  {name}" for numbers, name in zip(table(rows).split("\n"), names, strict=True)
    ]
    more = len(found.objects) - len(shown)
    if more:
        lines.append(f"and {more} more; --json lists all")
    title = f"process {found.pid} ({found.command[0] if found.command else '?'}), objects by node"
    return "\n".join([title, "", *lines]) + "\n"


def as_json(found: Residence) -> str:
    """Schema homenode.where.objects/1."""
    document = {
        "schema": SCHEMA,
        "pid": found.pid,
        "command": list(found.command),
        "objects": [
            {
                "name": item.name,
                "kind": str(item.kind),
                "source": list(item.source),
                "bytes": sum(item.bytes),
                "on_node_bytes": {
                    str(node): size
                    for node, size in zip(found.nodes, item.bytes, strict=True)
                    if size
                },
            }
            for item in found.objects
        ],
    }
    return json.dumps(document, ensure_ascii=False)

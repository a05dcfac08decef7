"""From a recording to a profile: who used what, where it was, and how sure that is. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from homenode.profile.attribution import attribute
from homenode.profile.code import code_places
from homenode.profile.correlation import Floats
from homenode.profile.facts import NOWHERE, Facts, Integers, facts
from homenode.profile.load import controllers, ways
from homenode.profile.locality import locality
from homenode.profile.object_use import Whole, object_use
from homenode.profile.objects import Attribution
from homenode.profile.recording import Recording, is_closing, number_in
from homenode.profile.timeline import timeline
from homenode.profile.values import (
    EXACT,
    SAMPLED,
    Locality,
    ObjectUse,
    Profile,
    Table,
    Taken,
    Thread,
)

MOST_OBJECTS = 200
LEAST_SHARE = 1e-4
NS_PER_S = 1e9


def _seconds(recording: Recording) -> float:
    """How long was watched: to its end, or to the last sample of a file that was cut."""
    looks = [float(document.get("time_ns") or 0) for document in recording.of("mappings")]
    begin = number_in(recording.begin, "time_ns") or min(looks, default=0.0)
    ends = [float(recording.samples["time_ns"].max())] if len(recording.samples) else []
    if recording.end is not None:
        ends.append(number_in(recording.end, "time_ns") or 0.0)
    return max(0.0, (max(ends, default=begin) - begin) / NS_PER_S)


def _started(recording: Recording) -> str:
    """When it began, in UTC; "" where the file does not say."""
    found = number_in(recording.begin, "realtime_ns")
    try:
        moment = datetime.fromtimestamp((found or 0.0) / NS_PER_S, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC") if found else ""


def _cost(end: Mapping[str, Any]) -> float | None:
    """The share of the program's CPU time that watching it cost; None where nobody measured it."""
    overhead = end.get("overhead")
    return number_in(overhead, "share") if isinstance(overhead, dict) else None


def _taken(recording: Recording, columns: Facts, attribution: Attribution) -> Taken:
    begin, end = recording.begin, recording.end or {}
    source = begin["source"]
    refused = begin.get("refused")
    exit_code = number_in(end, "exit_code")
    return Taken(
        command=tuple(str(word) for word in begin.get("command") or ()),
        pid=int(begin.get("pid") or 0),
        hostname=str(begin.get("hostname") or ""),
        started=_started(recording),
        source=recording.source,
        provenance=EXACT if columns.exact or recording.source == "lab" else SAMPLED,
        sees=str(source.get("sees") or ""),
        cannot_see=str(source.get("cannot_see") or ""),
        refused={str(k): str(v) for k, v in refused.items()} if isinstance(refused, dict) else {},
        samples=int((~is_closing(recording.samples)).sum()),
        lost=int(number_in(end, "lost") or 0),
        attributed=attribution.share,
        kernel_share=columns.kernel_share,
        seconds=_seconds(recording),
        cost_share=_cost(end),
        exit_code=None if exit_code is None else int(exit_code),
        ended=str(end.get("why") or ""),
        cut=recording.cut,
    )


def _names(recording: Recording) -> dict[tuple[int, int], str]:
    """The threads' names, as the last list that has them says."""
    return {
        (int(document["pid"]), int(thread["tid"])): str(thread.get("name") or "")
        for document in recording.of("threads")
        for thread in document["threads"]
    }


def _threads(recording: Recording, columns: Facts) -> tuple[Thread, ...]:
    names = _names(recording)
    count, nodes = len(columns.threads), len(columns.nodes)
    known = columns.cpu_node != NOWHERE
    cells = columns.thread[known] * max(1, nodes) + columns.cpu_node[known]
    summed = np.bincount(cells, weights=columns.weight[known], minlength=count * nodes)
    ran = summed.reshape(count, nodes)
    use = np.bincount(columns.thread, weights=columns.weight, minlength=count)
    everything = max(float(use.sum()), 1e-9)
    found = []
    order = np.argsort(columns.thread, kind="stable")
    pieces = np.split(order, np.cumsum(np.bincount(columns.thread, minlength=count))[:-1])
    for rank, (pid, tid) in enumerate(columns.threads):
        mostly = columns.nodes[int(ran[rank].argmax())] if nodes and ran[rank].any() else None
        share = float(use[rank]) / everything
        own = locality(columns, pieces[rank])
        found.append(Thread(pid, tid, names.get((pid, tid), ""), mostly, share, own))
    return tuple(found)


def _matrix_profile(recording: Recording) -> tuple[tuple[Thread, ...], tuple[int, ...], Floats]:
    """Threads, nodes and thread x node of a source without addresses: the last matrix."""
    names = _names(recording)
    document = recording.of("matrix")[-1]
    pid = int(document["pid"])
    nodes = tuple(int(node) for node in document["nodes"])
    rows = np.zeros((len(document["threads"]), len(nodes)))
    rows[:] = np.array(document["cells"], np.float64).reshape(rows.shape)
    rows = np.maximum(np.nan_to_num(rows), 0.0)
    everything = max(float(rows.sum()), 1e-9)
    unknown = Locality(0.0, 0.0, 0, None)
    threads = tuple(
        Thread(pid, int(tid), names.get((pid, int(tid)), ""), None, float(row.sum()) / everything,
               unknown)
        for tid, row in zip(document["threads"], rows, strict=True)
    )  # fmt: skip
    return threads, nodes, rows


def _memory_nodes(machine: Any, nodes: tuple[int, ...], by_node: Floats) -> Integers:
    """The indices of the nodes that have memory: by the machine, else by what was used."""
    if isinstance(machine, dict):
        having = {int(node["id"]) for node in machine["nodes"] if node["memory_bytes"]}
    else:
        having = {node for at, node in enumerate(nodes) if by_node[:, at].any()}
    return np.array([at for at, node in enumerate(nodes) if node in having], np.int64)


def _objects(
    whole: Whole, attribution: Attribution
) -> tuple[tuple[ObjectUse, ...], tuple[int, ...], int]:
    """The objects that were used, those with the most remote use first, their indices, and how
    many are left out."""
    columns = whole.facts
    of = columns.object_of
    count = len(attribution.objects)
    known = np.flatnonzero((of >= 0) & (of < count))
    use = np.bincount(of[known], weights=columns.weight[known], minlength=count)
    many = np.bincount(of[known], minlength=count)
    pieces = np.split(known[np.argsort(of[known], kind="stable")], np.cumsum(many)[:-1])
    used = np.flatnonzero(use > 0)
    most = used[np.argsort(-use[used], kind="stable")]
    listed = [int(i) for i in most[:MOST_OBJECTS] if use[i] >= LEAST_SHARE * whole.use]
    found = [(object_use(whole, attribution.objects[i], pieces[i]), i) for i in listed]
    found.sort(key=lambda pair: (-pair[0].remote_share, -pair[0].share))
    return (
        tuple(item for item, _ in found),
        tuple(index for _, index in found),
        len(used) - len(listed),
    )


def analyse(recording: Recording) -> Profile:
    """The profile of a recording. A damaged document ends in an error of its kind (KeyError,
    TypeError, ValueError, …), which load() turns into one line."""
    attribution = attribute(recording)
    columns = facts(recording, attribution)
    machine = recording.begin.get("machine")
    machine = machine if isinstance(machine, dict) else None
    nodes = columns.nodes
    by_node = columns.table(columns.cpu_node, len(nodes))
    threads = _threads(recording, columns)
    by_thread = columns.table(columns.thread, len(columns.threads))
    if len(columns.samples) == 0 and recording.of("matrix"):
        threads, matrix_nodes, rows = _matrix_profile(recording)
        by_thread = np.zeros((3, len(threads), len(nodes) + 1))
        place = [nodes.index(node) for node in matrix_nodes]
        by_thread[0][:, place] = rows
    node_table = Table(nodes, by_node)
    everything = locality(columns, np.arange(len(columns.samples)))
    memory = _memory_nodes(machine, nodes, node_table.all)
    whole = Whole(columns, float(columns.weight.sum()), everything.remote, memory)
    objects, listed, dropped = _objects(whole, attribution)
    return Profile(
        taken=_taken(recording, columns, attribution),
        machine=machine,
        nodes=nodes,
        threads=threads,
        by_thread=Table(nodes, by_thread),
        by_node=node_table,
        locality=everything,
        objects=objects,
        dropped_objects=dropped,
        timeline=timeline(columns, listed),
        controllers=controllers(node_table.all, nodes, [int(i) for i in memory], machine),
        ways=ways(node_table.all, nodes, machine),
        code=code_places(recording, columns, listed),
    )

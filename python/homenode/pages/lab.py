"""The page of one run in the lab, from the JSON of `homenode lab run --json`. Pure."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from homenode.id_list import join
from homenode.matrix import total
from homenode.pages.content import (
    Cell,
    Code,
    Drawing,
    Element,
    Facts,
    Matrix,
    Page,
    Section,
    Table,
    Text,
    name,
    share,
    size,
)
from homenode.report.words import duration, number

Json = Mapping[str, Any]
LINE_BYTES = 64
MOST_THREADS = 64
LEAST_SHARE = 0.001
# What a thread's time goes to, in the words of `lab run --stats`, by its key.
SPENT = {
    "computed_s": "computing",
    "own_cache_s": "own caches",
    "l3_s": "L3",
    "other_cache_s": "other CPU's cache",
    "kernel_s": "kernel",
    "spun_s": "spinning",
    "slept_s": "asleep",
    "ready_s": "waiting for a CPU",
}
EXACT = (
    "Accesses are exact: the lab counts every load and store of the program's own code that misses "
    "the modelled private cache, in the regions of interest."
)
MODELLED = (
    "Times are modelled, not measured: the lab adds up what instructions, caches and memory would "
    "take on this machine."
)


def page(run: Json, timeline: str = "") -> Page:
    """The page; `timeline`: an SVG of what each thread did when, or nothing."""
    time = run["time"]
    return Page(
        over=f"homenode · lab · {run['machine']['name']}",
        title=PurePath(run["command"][0]).name,
        lead=[_lead(run)],
        notes=[EXACT, *([MODELLED] if time else [])],
        sections=[
            Section("The run", [Code(shlex.join(run["command"])), _facts_of(run)]),
            Section("Who uses whose memory", _accesses(run)),
            *(_times(time) if time else []),
            *([Section("What each thread did when", [Drawing(timeline)])] if timeline else []),
            Section("The machine", [_machine(run["machine"])]),
        ],
    )


def _lead(run: Json) -> str:
    user, time = run["matrices"]["user"], run["time"]
    if not run["rois"]:
        return (
            "Nothing was counted: the program has no region of interest. Mark one with "
            "homenode/roi.h, or count everything with --roi all."
        )
    local = user["local_share"]
    where = "no access missed" if local is None else f"{share(local)} of the misses are local"
    took = f"{duration(time['seconds'])} of modelled time; " if time else ""
    return f"{took}{number(user['misses'])} misses of the private caches, {where}."


def _facts_of(run: Json) -> Facts:
    ended = f"exit code {run['exit_code']}"
    if run["signal"]:
        ended = f"signal {run['signal']}"
    if run["timed_out"]:
        ended = "stopped after its time was up"
    user = run["matrices"]["user"]
    whole = any(roi.get("provisional") for roi in run["rois"])  # Older ones do not say.
    return Facts(
        [
            ("ended with", ended),
            ("regions of interest", "none: all is counted" if whole else str(len(run["rois"]))),
            ("accesses of the program", number(user["references"])),
            ("of these, misses", number(user["misses"])),
        ]
    )


def _accesses(run: Json) -> list[Element]:
    nodes, user = run["nodes"], run["matrices"]["user"]
    if not user["misses"]:
        return [Text("No access of the program missed the private caches.")]
    both = [
        [load + store for load, store in zip(loads, stores, strict=True)]
        for loads, stores in zip(user["loads"], user["stores"], strict=True)
    ]
    matrices = [
        Matrix(title, nodes, rows, noun)
        for title, rows, noun in (
            ("All misses", both, "misses"),
            ("Loads", user["loads"], "loads"),
            ("Stores", user["stores"], "stores"),
        )
        if total(rows)
    ]
    whole = total(both)
    rows = [
        [name(f"node {node}"), *(Cell(number(v), v / whole) for v in row), Cell(number(sum(row)))]
        for node, row in zip(nodes, both, strict=True)
    ]
    head = ["CPUs of", *(f"memory of {node}" for node in nodes), "all"]
    return [*matrices, Table("Misses; bars: the share of all", head, rows)]


def _times(time: Json) -> list[Section]:
    facts = Facts(
        [
            ("length of the regions", duration(time["seconds"])),
            ("instructions", number(time["instructions"])),
            ("instructions per busy cycle", "–" if time["ipc"] is None else f"{time['ipc']:.2f}"),
            *(
                (f"{level.upper()} hits", share(rate))
                for level, rate in time["hit_rates"].items()
                if rate is not None
            ),
            ("lines from another CPU's cache", number(time["cache_to_cache"])),
        ]
    )
    threads = [_threads(time["threads"])] if time["threads"] else []
    return [
        Section("Where the time went", [facts, *threads]),
        Section("Controllers and links", [_controllers(time["controllers"]), *_links(time)]),
    ]


def _spent(thread: Json) -> dict[str, float]:
    """The shares of a thread's time, by what it went to."""
    spent = {what: thread[key] for key, what in SPENT.items()}
    spent |= {f"memory of {node}": seconds for node, seconds in thread["memory_s"].items()}
    whole = sum(spent.values())
    return {what: seconds / whole for what, seconds in spent.items()} if whole else {}


def _threads(threads: Sequence[Json]) -> Table:
    parts = [_spent(one) for one in threads[:MOST_THREADS]]
    # What none of them spent a thousandth on has no column.
    used = [
        what
        for what in dict.fromkeys(key for one in parts for key in one)
        if any(one.get(what, 0) >= LEAST_SHARE for one in parts)
    ]
    rows = [
        [
            name(one["id"] if one["rank"] is None else one["rank"]),
            *(Cell(share(part.get(what, 0.0)), part.get(what, 0.0)) for what in used),
        ]
        for one, part in zip(threads, parts, strict=False)
    ]
    head = ["thread", *used]
    left = len(threads) - MOST_THREADS
    note = f"{left} threads more are in the JSON." if left > 0 else ""
    return Table("Each thread's time; bars: the share of its own", head, rows, note)


def _controllers(controllers: Sequence[Json]) -> Table:
    rows = [
        [
            name(f"node {one['node']}"),
            Cell(size(one["read_lines"] * LINE_BYTES)),
            Cell(size(one["write_lines"] * LINE_BYTES)),
            Cell(share(one["utilisation"]), min(1.0, one["utilisation"])),
        ]
        for one in controllers
    ]
    return Table("Memory controllers", ["controller", "read", "written", "in use"], rows)


def _links(time: Json) -> list[Table]:
    rows = [
        [
            name(f"{'link ' if one['shared'] else 'all from '}{one['from']} → {one['to']}"),
            Cell(size(one["lines"] * LINE_BYTES)),
            Cell(share(one["utilisation"]), min(1.0, one["utilisation"])),
        ]
        for one in time["links"]
    ]
    return [Table("Links between nodes", ["link", "carried", "in use"], rows)] if rows else []


def _machine(machine: Json) -> Facts:
    rows = [
        (
            f"node {node['id']}",
            f"CPUs {join(node['cpus'])}" if node["cpus"] else "no CPUs",
        )
        for node in machine["nodes"]
    ]
    described = [("description", machine["description"])] if machine["description"] else []
    return Facts([("name", machine["name"]), *described, *rows])

"""The pages of `homenode where`: a process, the whole machine, a file's page cache. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from homenode.id_list import join
from homenode.pages.content import Cell, Facts, Page, Section, Table, amounts, name, share, size
from homenode.report.words import number

Json = Mapping[str, Any]
PROCESS = "homenode.where/2"
SYSTEM = "homenode.where.system/1"
FILE = "homenode.where.file/1"

GROUPS = {
    "heap": "heap",
    "stacks": "stacks",
    "anonymous": "anonymous",
    "files": "files (page cache)",
    "shared": "shared memory",
    "huge": "huge pages (hugetlbfs)",
}
MOST_MAPPINGS = 30
COUNTERS = {
    "hit": "hit",
    "miss": "miss",
    "foreign": "foreign",
    "interleave_hit": "interleave hit",
    "local": "local",
    "other": "other",
}
WHAT_COUNTS = (
    "Memory that several processes map counts for each. Local is the part on nodes where the "
    "process's threads last ran."
)


def of_process(facts: Json) -> Page:
    """A process: its memory by group and node, its largest mappings, its threads."""
    nodes = _nodes(facts)
    whole = sum(facts["on_node_bytes"].values())
    return Page(
        over=f"homenode · where · process {facts['pid']}",
        title=facts["name"],
        lead=[_locality(facts, whole)],
        notes=facts["notes"],
        sections=[
            Section("Memory by node", [_groups(facts, nodes, whole)]),
            *_policies(facts),
            Section("Largest mappings", [_mappings(facts, nodes)]),
            *_threads(facts),
            Section("Nodes", [_memory_of_nodes(facts["nodes"])]),
        ],
    )


def _nodes(facts: Json) -> list[int]:
    """All nodes when they are few, else those with memory of the process."""
    known = [int(node["id"]) for node in facts["nodes"]]
    used = [int(node) for node in facts["on_node_bytes"]]
    return known if len(known) <= 8 else sorted(used)


def _head(first: str, nodes: Sequence[int], *more: str) -> list[str]:
    return [first, *(f"node {node}" for node in nodes), "all", *more]


def _locality(facts: Json, whole: int) -> str:
    on = sorted({t["node"] for t in facts["threads"] or [] if t["node"] is not None})
    if not on or not whole:
        return f"{size(whole)} of memory."
    near = sum(facts["on_node_bytes"].get(str(node), 0) for node in on) / whole
    plural = "" if len(on) == 1 else "s"
    verb = "has" if len(on) == 1 else "have"
    return (
        f"Its threads last ran on node{plural} {join(on)}, which {verb} {share(near)} of its "
        f"{size(whole)} of memory."
    )


def _groups(facts: Json, nodes: Sequence[int], whole: int) -> Table:
    rows = [
        [name(label), *amounts(facts["groups"][group], nodes, whole)]
        for group, label in GROUPS.items()
        if facts["groups"][group]
    ]
    rows += [
        [name(f"heap of {owner}"), *amounts(by_node, nodes, whole)]
        for owner, by_node in facts["heaps_by_owner"].items()
    ]
    rows.append([name("all"), *amounts(facts["on_node_bytes"], nodes, whole)])
    return Table("Bars: the share of all its memory", _head("memory", nodes), rows)


def _policies(facts: Json) -> list[Section]:
    """What is not where its policy says."""
    rows = [
        [
            name(one["mapping"]),
            name(_policy(one["policy"])),
            Cell(size(sum(one["off_bytes"].values()))),
            name(f"on node {', '.join(one['off_bytes'])}"),
            name(one["explanation"]),
        ]
        for one in facts["off_policy"]
    ]
    if not rows:
        return []
    head = ["mapping", "policy", "elsewhere", "where", "why"]
    return [Section("Not where the policy says", [Table("Mappings", head, rows)])]


def _policy(policy: Json) -> str:
    nodes = f":{join(policy['nodes'])}" if policy["nodes"] else ""
    return f"{policy['mode']}{nodes}"


def _mappings(facts: Json, nodes: Sequence[int]) -> Table:
    present = [m for m in facts["mappings"] if m["bytes"]]
    largest = sorted(present, key=lambda m: -int(m["bytes"]))[:MOST_MAPPINGS]
    rows = [
        [
            name(m["first"]),
            *amounts(m["on_node_bytes"], nodes, m["bytes"]),
            name(m["group"]),
            name(_policy(m["policy"])),
            name(m["name"]),
        ]
        for m in largest
    ]
    title = f"{len(largest)} of {len(present)} mappings with memory; bars: the share of each"
    return Table(title, _head("mapping", nodes, "group", "policy", "name"), rows)


def _threads(facts: Json) -> list[Section]:
    if not facts["threads"]:
        return []
    rows = [
        [
            name(thread["id"]),
            Cell("?" if thread["node"] is None else str(thread["node"])),
            Cell(str(thread["last_cpu"])),
            name(thread["state"]),
            name("?" if thread["allowed_cpus"] is None else join(thread["allowed_cpus"])),
            name(thread["name"]),
        ]
        for thread in facts["threads"]
    ]
    head = ["thread", "node", "CPU", "state", "may run on", "name"]
    return [Section("Threads", [Table("Where each last ran", head, rows)])]


def _memory_of_nodes(nodes: Sequence[Json]) -> Table:
    rows = [
        [
            name(node["id"]),
            name(join(node["cpus"] or []) or "none"),
            Cell(size(node["memory_bytes"] or 0)),
            Cell(
                size(node["free_bytes"] or 0),
                (node["free_bytes"] or 0) / node["memory_bytes"] if node["memory_bytes"] else None,
            ),
        ]
        for node in nodes
    ]
    return Table("Bars: the share that is free", ["node", "CPUs", "memory", "free"], rows)


def of_system(facts: Json) -> Page:
    """The machine: what its nodes' memory is used for, and every process."""
    with_tiers = any(node["tier"] is not None for node in facts["nodes"])
    return Page(
        over="homenode · where · system",
        title="Memory by node and process",
        lead=[f"{facts['process_count']} processes on {len(facts['nodes'])} nodes."],
        notes=facts["notes"],
        sections=[
            Section("Nodes", [_uses(facts["nodes"], with_tiers), *_counters(facts["nodes"])]),
            Section("Processes", [_processes(facts)]),
        ],
    )


def _uses(nodes: Sequence[Json], with_tiers: bool) -> Table:
    uses = {
        "free": "free_bytes",
        "anonymous": "anonymous_bytes",
        "of it in huge pages": "transparent_huge_bytes",
        "page cache": "page_cache_bytes",
        "slab": "slab_bytes",
    }
    rows = []
    for node in nodes:
        whole = node["memory_bytes"]
        huge = sum(pages["page_bytes"] * pages["page_count"] for pages in node["huge_pages"])
        row = [name(node["id"]), name(join(node["cpus"]) or "none")]
        if with_tiers:
            row.append(Cell("?" if node["tier"] is None else str(node["tier"])))
        row.append(Cell(size(whole)))
        row += [
            Cell(size(node[key]), node[key] / whole if whole else None) for key in uses.values()
        ]
        rows.append([*row, Cell(size(huge), huge / whole if whole else None)])
    head = ["node", "CPUs", *(["tier"] if with_tiers else []), "memory", *uses, "huge pages"]
    return Table("What memory is used for; bars: the share of the node's", head, rows)


def _counters(nodes: Sequence[Json]) -> list[Table]:
    if any(node["page_counters"] is None for node in nodes):
        return []
    rows = [
        [name(node["id"]), *(Cell(number(node["page_counters"][key])) for key in COUNTERS)]
        for node in nodes
    ]
    note = (
        "Hit: wanted on this node and found there. Miss: wanted elsewhere, and here for want of "
        "memory there. Foreign: wanted here, and elsewhere. Local and other: by a CPU of this "
        "node or of another."
    )
    return [Table("Pages since the system started", ["node", *COUNTERS.values()], rows, note)]


def _processes(facts: Json) -> Table:
    nodes = [int(node["id"]) for node in facts["nodes"]]
    rows = []
    for one in facts["processes"]:
        memory = one["on_node_bytes"]
        cells = (
            [*(Cell("?") for _ in nodes), Cell(size(one["bytes"]))]
            if memory is None
            else amounts(memory, nodes, one["bytes"])
        )
        on = join(sorted(int(node) for node in one["threads_on_node"])) or "?"
        rows.append(
            [
                name(one["pid"]),
                name(one["name"]),
                *cells,
                Cell(share(one["local_share"])),
                Cell(str(one["thread_count"])),
                name(on),
            ]
        )
    head = ["process", "name", *(f"node {node}" for node in nodes), "all", "local", "threads"]
    return Table(
        "The largest first; bars: the share of each", [*head, "on nodes"], rows, WHAT_COUNTS
    )


def of_file(facts: Json) -> Page:
    """A file: how much of it each node has in its page cache."""
    cached = facts["cached_bytes"]
    rows = [
        [name(node), Cell(size(amount), amount / cached)]
        for node, amount in facts["on_node_bytes"].items()
    ]
    part = min(1.0, cached / facts["bytes"]) if facts["bytes"] else 0.0
    facts_of_file = [
        ("size", size(facts["bytes"])),
        ("page size", size(facts["page_bytes"])),
        ("cached", f"{size(cached)} ({share(part)})"),
    ]
    return Page(
        over="homenode · where · file",
        title=facts["file"],
        lead=[f"{share(part)} of the file is in the page cache."],
        sections=[
            Section(
                "Cached on each node",
                [
                    Facts(facts_of_file),
                    Table("Bars: the share of the cache", ["node", "cached"], rows),
                ],
            )
        ],
    )


PAGES: Mapping[str, Callable[[Json], Page]] = {
    PROCESS: of_process,
    SYSTEM: of_system,
    FILE: of_file,
}


def page(facts: Json) -> Page:
    """The page of any of the three."""
    return PAGES[facts["schema"]](facts)

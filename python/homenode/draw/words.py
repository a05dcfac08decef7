"""What drawings say of a machine, from its JSON (homenode.machine/2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homenode.id_list import join
from homenode.sizes import size_text

Json = Mapping[str, Any]
PROVENANCE = {
    "firmware": "from the firmware",
    "measured": "measured",
    "declared": "declared by the file",
}


def count(number: int, noun: str) -> str:
    """A number of things: "1 node", "4 nodes"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def machine(facts: Json) -> str:
    """A machine in a line: "8 nodes, 4 packages, 32 CPUs, 128 GiB"."""
    nodes = facts["nodes"]
    bytes_of_all = sum(int(node["memory_bytes"]) for node in nodes)
    parts = [count(len(nodes), "node")]
    if facts["packages"]:
        parts.append(count(len(facts["packages"]), "package"))
    parts.append(count(len(all_cpus(facts)), "CPU"))
    return ", ".join([*parts, size_text(bytes_of_all) if bytes_of_all else "memory unknown"])


def all_cpus(facts: Json) -> set[int]:
    """The CPUs of all nodes."""
    return {cpu for node in facts["nodes"] for cpu in node["cpus"]}


def memory(node: Json) -> str:
    """How much memory a node has: "16 GiB", "no memory"."""
    return size_text(int(node["memory_bytes"])) if node["memory_bytes"] else "no memory"


def cpus(ids: Sequence[int]) -> str:
    """CPUs in words: "CPUs 0-3", "CPU 5", "no CPUs"."""
    if not ids:
        return "no CPUs"
    return f"CPU{'' if len(ids) == 1 else 's'} {join(ids)}"


def caches(facts: Json, ids: Sequence[int]) -> str:
    """The caches that these CPUs use: "L1 32 KiB per CPU, L3 16 MiB per 4 CPUs"."""
    wanted = set(ids)
    levels: dict[int, dict[int, list[int]]] = {}  # The CPUs that share each, by level and size.
    for cache in facts["caches"]:
        sharing = cache["cpus"]
        if wanted.intersection(sharing):
            sizes = levels.setdefault(int(cache["level"]), {})
            sizes.setdefault(int(cache["size_bytes"] or 0), []).append(len(sharing))
    return ", ".join(
        f"L{level} "
        + " or ".join(f"{size_text(b)} {_sharing(counts)}" for b, counts in sorted(sizes.items()))
        for level, sizes in sorted(levels.items())
    )


def _sharing(counts: Sequence[int]) -> str:
    least, most = min(counts), max(counts)
    if most == 1:
        return "per CPU"
    return f"per {most if least == most else f'{least}-{most}'} CPUs"


def devices(facts: Json, nodes: Sequence[int]) -> str:
    """The devices local to exactly these nodes: "eth0 (network), sda (block)"."""
    there = [device for device in facts["devices"] if device["nodes"] == list(nodes)]
    return ", ".join(f"{device['name']} ({device['kind']})" for device in there)


def limits(facts: Json) -> str:
    """What affinity and cpuset take from the process that asked; empty when it takes nothing."""
    with_memory = {int(node["id"]) for node in facts["nodes"] if node["memory_bytes"]}
    parts = (
        ("CPUs", all_cpus(facts), set(facts["allowed"]["cpus"])),
        ("the memory of nodes", with_memory, with_memory & set(facts["allowed"]["nodes"])),
    )
    return " and ".join(
        f"{what} {join(allowed) or 'none'} ({len(allowed)} of {len(every)})"
        for what, every, allowed in parts
        if allowed != every
    )


def tiers(facts: Json) -> str:
    """The nodes of each memory tier, the fastest first; empty where all memory is in one."""
    found: dict[int, list[int]] = {}
    for node in facts["nodes"]:
        if node.get("tier") is not None:
            found.setdefault(node["tier"], []).append(node["id"])
    if len(found) < 2:
        return ""
    return ", ".join(
        f"node{'' if len(found[tier]) == 1 else 's'} {join(found[tier])} (tier {tier})"
        for tier in sorted(found)
    )


@dataclass(frozen=True)
class Group:
    """Nodes that are drawn together; the title is empty when the machine has no packages."""

    title: str
    nodes: Sequence[Json]


def groups(facts: Json) -> list[Group]:
    """The nodes of each package, those across packages and those outside."""
    nodes = facts["nodes"]
    inside = [
        Group(f"package {p['id']}", [n for n in nodes if n["package"] == p["id"]])
        for p in facts["packages"]
    ]
    loose = [node for node in nodes if node["package"] is None]
    if not facts["packages"]:
        return [Group("", loose)] if loose else []
    found = [
        *inside,
        Group("across packages", [node for node in loose if node["cpus"]]),
        Group("outside the packages", [node for node in loose if not node["cpus"]]),
    ]
    return [group for group in found if group.nodes]

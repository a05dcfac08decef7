"""How the lab's guest numbers nodes and CPUs, which is not always as the machine's file does. Pure.

Linux gives the nodes of a virtual machine numbers without gaps: those with CPUs first, in the order
of their CPUs, then those with memory alone. QEMU's CPUs have no gaps either. So the machine is
renumbered once, before anything is built from it, and all that the lab shows has the guest's
numbers.
"""

from dataclasses import dataclass, replace

from homenode.lab.machine import CacheInstance, Cpu, Machine, PairValues
from homenode.lab.machine_links import parse_links, parse_routes, shortest
from homenode.node import Node

MOST_NAMED = 8


@dataclass(frozen=True)
class Numbered:
    """A machine as the guest numbers it. `notes` say what differs from the file, a line each."""

    machine: Machine
    notes: tuple[str, ...]


def numbered(machine: Machine) -> Numbered:
    """The machine with the guest's numbers, without CPUs that belong to no node.

    A machine that has them already comes back as it is.
    """
    placed = {cpu for node in machine.nodes for cpu in node.cpus}
    kept = [cpu for cpu in machine.cpus if cpu.id in placed]
    cpus = {cpu.id: number for number, cpu in enumerate(kept)}
    order = sorted(machine.nodes, key=_in_guest)
    nodes = {node.id: number for number, node in enumerate(order)}
    notes = (
        *_left_out([cpu.id for cpu in machine.cpus if cpu.id not in placed]),
        *_renamed("node", nodes),
        *_renamed("CPU", cpus),
    )
    if not notes:
        return Numbered(machine, ())
    return Numbered(_renumbered(machine, kept, nodes, cpus), notes)


def _in_guest(node: Node) -> tuple[int, int, int]:
    """Sorts nodes as Linux meets them in the firmware's table."""
    if node.cpus:
        return (0, min(node.cpus), node.id)
    return (1 if node.memory_bytes else 2, 0, node.id)


def _renumbered(
    machine: Machine, kept: list[Cpu], nodes: dict[int, int], cpus: dict[int, int]
) -> Machine:
    packages = _ranks([cpu.package for cpu in kept])
    cores = _ranks([cpu.core for cpu in kept])
    old_ids = sorted(nodes, key=lambda node: nodes[node])
    return replace(
        machine,
        nodes=tuple(
            Node(nodes[node.id], tuple(cpus[cpu] for cpu in node.cpus), node.memory_bytes)
            for node in sorted(machine.nodes, key=lambda node: nodes[node.id])
        ),
        cpus=tuple(Cpu(cpus[cpu.id], packages[cpu.package], cores[cpu.core]) for cpu in kept),
        distances=machine.distances
        and tuple(tuple(machine.distance(a, b) for b in old_ids) for a in old_ids),
        info=machine.info | _links(machine, nodes),
        caches=_caches(machine.caches, cpus),
        pair_values={
            name: PairValues(
                table.provenance, {(nodes[a], nodes[b]): v for (a, b), v in table.values.items()}
            )
            for name, table in machine.pair_values.items()
        },
        instruction_caches=_caches(machine.instruction_caches, cpus),
    )


def _ranks(numbers: list[int]) -> dict[int, int]:
    return {number: rank for rank, number in enumerate(sorted(set(numbers)))}


def _caches(caches: tuple[CacheInstance, ...], cpus: dict[int, int]) -> tuple[CacheInstance, ...]:
    kept = (
        replace(cache, cpus=tuple(cpus[cpu] for cpu in cache.cpus if cpu in cpus))
        for cache in caches
    )
    return tuple(cache for cache in kept if cache.cpus)


def _links(machine: Machine, nodes: dict[int, int]) -> dict[str, str]:
    """Links and every way over them: the shortest may be another one among the new numbers."""
    if "Links" not in machine.info:
        return {}
    links = parse_links(machine.info["Links"])
    routes = parse_routes(machine.info.get("Routes", ""))
    ways = [routes.get((a, b)) or shortest(links, a, b) for a, b in machine.pairs if a != b]
    return {
        "Links": ",".join(f"{nodes[a]}-{nodes[b]}:{mib}" for (a, b), mib in links.items()),
        "Routes": ";".join(
            f"{nodes[way[0]]}>{nodes[way[-1]]}:{','.join(str(nodes[node]) for node in way)}"
            for way in ways
        ),
    }


def _left_out(cpus: list[int]) -> list[str]:
    if not cpus:
        return []
    named = ", ".join(map(str, cpus[:MOST_NAMED])) + (", ..." if len(cpus) > MOST_NAMED else "")
    return [f"CPUs that belong to no node are left out: {named}"]


def _renamed(what: str, numbers: dict[int, int]) -> list[str]:
    changed = [f"{old} is {new}" for old, new in numbers.items() if old != new]
    if not changed:
        return []
    named = ", ".join(changed[:MOST_NAMED]) + (", ..." if len(changed) > MOST_NAMED else "")
    return [f"the guest numbers {what}s without gaps, and so does all that is shown: {named}"]

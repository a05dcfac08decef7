"""A machine made smaller, so that a small problem shows on it what a large one would. Pure."""

from dataclasses import replace

from homenode.errors import USAGE
from homenode.lab.errors import LabError
from homenode.lab.machine import MIB, Cache, CacheInstance, Machine
from homenode.lab.memory import SMALLEST_NODE_MIB
from homenode.node import Node

# Whole huge pages, so that nodes begin where a huge page does.
GRAIN = 2 * MIB
# What the guest's kernel and the lab's own programs take of the first node, which stays as it is:
# of 64 MiB they had left 4, and "all on the first node" was on its neighbours.
KERNELS_OWN = 64 * MIB


def scaled(machine: Machine, divisor: int) -> Machine:
    """The machine with caches and memory divided together; times stay. Raises LabError below 1.

    Caches lose sets and keep their ways, down to one set. The memory of a node starts from what the
    machine declares, not from what the lab gives otherwise, and keeps at least 64 MiB; the first
    one has the kernel's besides.
    """
    if divisor < 1:
        raise LabError(
            f"cannot scale a machine by {divisor}; give a whole number of at least 1", USAGE
        )
    first = next((node.id for node in machine.nodes if node.memory_bytes), None)
    return replace(
        machine,
        nodes=tuple(
            _node(node, divisor, KERNELS_OWN if node.id == first and divisor > 1 else 0)
            for node in machine.nodes
        ),
        private_cache=machine.private_cache and _cache(machine.private_cache, divisor),
        caches=_all(machine.caches, divisor),
        instruction_caches=_all(machine.instruction_caches, divisor),
        scale=divisor,
    )


def _all(caches: tuple[CacheInstance, ...], divisor: int) -> tuple[CacheInstance, ...]:
    return tuple(replace(cache, shape=_cache(cache.shape, divisor)) for cache in caches)


def _cache(cache: Cache, divisor: int) -> Cache:
    set_bytes = max(cache.ways, 1) * cache.line
    sets = max(1, cache.size // divisor // set_bytes)
    return replace(cache, size=sets * set_bytes)


def _node(node: Node, divisor: int, more: int) -> Node:
    if not node.memory_bytes:
        return node
    memory = node.memory_bytes // divisor // GRAIN * GRAIN
    return replace(node, memory_bytes=max(memory, SMALLEST_NODE_MIB * MIB) + more)

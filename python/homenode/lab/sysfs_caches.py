"""The machine's caches as Linux tells them: /sys/devices/system/cpu/cpu*/cache. Pure.

QEMU describes caches of its own to the guest's kernel, and has no option for their sizes. The
guest's init puts this tree in the place of the kernel's. Figures are apart from the rest, so that
machines which differ by them alone start from the same snapshot.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from homenode.lab.machine import Cache, CacheInstance, Machine
from homenode.lab.text import cpu_list

KIB = 1 << 10
BITS_PER_WORD = 32


@dataclass(frozen=True)
class CacheTree:
    """Lines for folders ("cpu0/index0/") and files ("cpu0/index0/level 1").

    In `layout` a figure's file has no value: the first one of a kind of cache says "=", the others
    "=" and the first one's path. `figures` has the values of the first ones.
    """

    layout: str
    figures: str


def cache_tree(machine: Machine) -> CacheTree:
    """The tree of a machine; empty for one without caches.

    CPUs have the numbers that the guest's kernel gives them.
    """
    vcpu_of = {cpu.id: number for number, cpu in enumerate(machine.cpus)}
    caches = [(cache, "Unified" if cache.level > 1 else "Data") for cache in machine.caches]
    caches += [(cache, "Instruction") for cache in machine.instruction_caches]
    numbered = list(_numbered(sorted(caches, key=lambda item: (item[0].level, item[1]))))
    layout: list[str] = []
    figures: list[str] = []
    first_of: dict[tuple[int, str, Cache], str] = {}
    for cpu, vcpu in vcpu_of.items() if numbered else ():
        layout.append(f"cpu{vcpu}/")
        own = [item for item in numbered if cpu in item[0].cpus]
        for index, (cache, kind, number) in enumerate(own):
            sharing = sorted(vcpu_of[other] for other in cache.cpus)
            folder = f"cpu{vcpu}/index{index}/"
            layout.append(folder)
            layout += (f"{folder}{line}" for line in _files(cache, kind, number, sharing))
            first = first_of.setdefault((cache.level, kind, cache.shape), folder)
            for file, value in _figures(cache.shape):
                layout.append(f"{folder}{file} ={'' if first == folder else first + file}")
                if first == folder:
                    figures.append(f"{folder}{file} {value}")
    return CacheTree(_text(layout), _text(figures))


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _numbered(
    caches: Iterable[tuple[CacheInstance, str]],
) -> Iterator[tuple[CacheInstance, str, int]]:
    """Each cache with its number among those of its level and kind."""
    seen: dict[tuple[int, str], int] = {}
    for cache, kind in caches:
        number = seen.get((cache.level, kind), 0)
        seen[cache.level, kind] = number + 1
        yield cache, kind, number


def _files(cache: CacheInstance, kind: str, number: int, sharing: list[int]) -> Iterator[str]:
    yield f"id {number}"
    yield f"level {cache.level}"
    yield f"type {kind}"
    yield "physical_line_partition 1"
    yield f"shared_cpu_list {cpu_list(sharing)}"
    yield f"shared_cpu_map {_map(sharing)}"


def _figures(shape: Cache) -> Iterator[tuple[str, object]]:
    # The kernel tells whole KiB; a scaled cache may be smaller than one.
    yield "size", f"{max(1, round(shape.size / KIB))}K"
    yield "coherency_line_size", shape.line
    if shape.ways:
        yield "ways_of_associativity", shape.ways
        yield "number_of_sets", max(1, shape.size // (shape.ways * shape.line))


def _map(numbers: list[int]) -> str:
    """The kernel's hexadecimal words of 32 CPUs, the highest first."""
    bits = sum(1 << number for number in numbers)
    words = range(max(numbers) // BITS_PER_WORD, -1, -1)
    return ",".join(f"{bits >> word * BITS_PER_WORD & 0xFFFFFFFF:08x}" for word in words)

"""The machine's caches as Linux tells them: /sys/devices/system/cpu/cpu*/cache. Pure.

QEMU describes caches of its own to the guest's kernel, and has no option for their sizes. The
guest's init puts this tree in the place of the kernel's.
"""

from collections.abc import Iterable, Iterator

from homenode.lab.machine import CacheInstance, Machine
from homenode.lab.text import cpu_list

KIB = 1 << 10
BITS_PER_WORD = 32


def cache_tree(machine: Machine) -> str:
    """The tree, a line for each folder and file: "cpu0/index0/" or "cpu0/index0/level 1".

    CPUs have the numbers that the guest's kernel gives them. Empty for a machine without caches.
    """
    vcpu_of = {cpu.id: number for number, cpu in enumerate(machine.cpus)}
    caches = [(cache, "Unified" if cache.level > 1 else "Data") for cache in machine.caches]
    caches += [(cache, "Instruction") for cache in machine.instruction_caches]
    numbered = list(_numbered(sorted(caches, key=lambda item: (item[0].level, item[1]))))
    lines: list[str] = []
    for cpu, vcpu in vcpu_of.items() if numbered else ():
        lines.append(f"cpu{vcpu}/")
        own = [item for item in numbered if cpu in item[0].cpus]
        for index, (cache, kind, number) in enumerate(own):
            sharing = sorted(vcpu_of[other] for other in cache.cpus)
            folder = f"cpu{vcpu}/index{index}/"
            lines.append(folder)
            lines += (f"{folder}{line}" for line in _files(cache, kind, number, sharing))
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
    shape = cache.shape
    yield f"id {number}"
    yield f"level {cache.level}"
    yield f"type {kind}"
    # The kernel tells whole KiB; a scaled cache may be smaller than one.
    yield f"size {max(1, round(shape.size / KIB))}K"
    yield f"coherency_line_size {shape.line}"
    yield "physical_line_partition 1"
    if shape.ways:
        yield f"ways_of_associativity {shape.ways}"
        yield f"number_of_sets {max(1, shape.size // (shape.ways * shape.line))}"
    yield f"shared_cpu_list {cpu_list(sharing)}"
    yield f"shared_cpu_map {_map(sharing)}"


def _map(numbers: list[int]) -> str:
    """The kernel's hexadecimal words of 32 CPUs, the highest first."""
    bits = sum(1 << number for number in numbers)
    words = range(max(numbers) // BITS_PER_WORD, -1, -1)
    return ",".join(f"{bits >> word * BITS_PER_WORD & 0xFFFFFFFF:08x}" for word in words)

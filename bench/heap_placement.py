"""Where allocators put blocks on NUMA machines of the lab: the share on the nodes of their threads.

tests/heap/programs/placement.c says what the five phases are. The kernel says where each block is;
then each thread reads its blocks, and the lab's plugin counts on which node the misses are served.
"""

import argparse
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from heap import allocators

from homenode.lab import Lab, access_matrix

MACHINES = ("tiny-2x2", "quad-4x2", "hp-8x4", "cxl-3x4")
PHASES = ("fresh", "local_frees", "remote_frees", "moved", "reborn")
HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
MESSAGES_ON = "quad-4x2"
ROUNDS = 100


@dataclass(frozen=True)
class Local:
    """Percent on the node of the thread, phase by phase."""

    blocks: list[float]  # Of blocks of 16 B to 32 KiB, as the kernel says.
    misses: list[float]  # Of their lines that no private cache had, as the plugin counts.


def five_phases(lab: Lab, program: Path, library: str, huge_pages: str, blocks: int) -> Local:
    """One run of the program under an allocator."""
    script = f"echo {huge_pages} > {HUGE_PAGES}; LD_PRELOAD=$1 exec {program} {blocks}"
    result = lab.run(["sh", "-c", script, "sh", library], timeout_s=1200)
    assert result.status == 0, result.stderr
    said = json.loads(result.stdout)
    assert Path(said["allocator"]).resolve() == Path(library).resolve(), said["allocator"]
    assert len(result.rois) == len(PHASES)
    small = [100 * said[phase]["small"][0] / said[phase]["small"][1] for phase in PHASES]
    counted = [access_matrix([roi], lab.machine).local_share or 0 for roi in result.rois]
    return Local(small, [100 * share for share in counted])


def built(name: str) -> Path:
    """A program of tests/heap/programs."""
    found = shutil.which(name)
    assert found, f"{name} is not on PATH; './dev build' makes it"
    return Path(found).resolve()


def compare(machine: str, compared: list[allocators.Allocator], blocks: int) -> None:
    """One line per setting of huge pages and allocator."""
    program = built("heap_placement")
    with Lab(machine, timing=False) as lab:
        for huge_pages in ("always", "never"):
            for allocator in compared:
                library = str(Path(allocator.library).resolve())
                local = five_phases(lab, program, library, huge_pages, blocks)
                rows = [
                    " / ".join(f"{share:.1f}" for share in shares)
                    for shares in (local.blocks, local.misses)
                ]
                where = f"{machine}, huge pages {huge_pages}"
                print(f"{where}, {allocator.name}: blocks {'; misses '.join(rows)}", flush=True)


def main(words: list[str]) -> int:
    """Blocks on the machines that are named, or all; then messages between threads."""
    it = argparse.ArgumentParser(prog="./dev bench heap-placement", description=__doc__)
    it.add_argument("machines", nargs="*", default=MACHINES, help=f"such as {MACHINES[0]} (four)")
    it.add_argument("--blocks", type=int, default=2000, help="of each thread (2000)")
    it.add_argument("--allocators", help="some of them, as glibc,homenode (all that are here)")
    it.add_argument("--no-messages", action="store_true", help="blocks alone")
    options = it.parse_args(words)
    ours = built("heap_placement").parents[1] / "lib" / "libhomenode-malloc.so"
    compared, missing = allocators.find(ours)
    if options.allocators:
        compared = [one for one in compared if one.name in options.allocators.split(",")]
    elif missing:
        print(f"not here: {', '.join(missing)}; 'apt install' them to compare with them too")
    print(f"% on the thread's node, {' / '.join(PHASES)}: of {options.blocks} small blocks per")
    print("thread, as the kernel says; of the misses of reading them, as the plugin counts")
    for machine in options.machines:
        compare(machine, compared, options.blocks)
    if not options.no_messages:
        heap_messages(compared)
    return 0


def heap_placement() -> None:
    """As one of all benchmarks."""
    main([])


def heap_messages(compared: list[allocators.Allocator]) -> None:
    """Who uses whose memory while threads send messages round a ring (heap_neighbours.c), counted.

    Each allocator as it is, and ours interleaved too. The local share says little of an allocator
    here: of the six who read a message of a bound one, one is on the node where it is.
    """
    print(f"messages on {MESSAGES_ON}: pages on their sender's node; pages on each node;")
    print("misses of the private caches, counted: local share, then node x node, in thousands")
    settings = [(one, "") for one in compared]
    settings += [(one, "interleave") for one in compared if one.name == allocators.OURS]
    program = built("heap_neighbours")
    with Lab(MESSAGES_ON) as lab:
        for allocator, policy in settings:
            print(message_line(lab, program, allocator, policy), flush=True)


def message_line(lab: Lab, program: Path, allocator: allocators.Allocator, policy: str) -> str:
    """What the kernel and the plugin say of one run."""
    library = str(Path(allocator.library).resolve())
    script = f"LD_PRELOAD=$1 HOMENODE_MALLOC_POLICY={policy or 'bind'} exec {program} {ROUNDS}"
    result = lab.run(["sh", "-c", script, "sh", library], timeout_s=600)
    assert result.status == 0, result.stderr
    said = json.loads(result.stdout)
    counted = access_matrix(result.rois, lab.machine)
    rows = "; ".join(" ".join(str(round(cell / 1000)) for cell in row) for row in counted.cells)
    own = 100 * said["own_pages"] / said["all_pages"]
    nodes = " ".join(f"{node}:{pages}" for node, pages in said["pages_on_node"].items())
    share = 100 * (counted.local_share or 0)
    return f"{allocator.name} {policy}: {own:.1f} %; {nodes}; {share:.1f} %; {rows}"

"""Where allocators put blocks on NUMA machines of the lab: the share on the nodes of their threads.

tests/heap/programs/placement.c says what the five phases are; the kernel says where each block is.
"""

import json
import shutil
from pathlib import Path

from heap import allocators

from homenode.lab import Lab

MACHINES = ("tiny-2x2", "quad-4x2", "hp-8x4", "cxl-3x4")
PHASES = ("fresh", "local_frees", "remote_frees", "moved", "reborn")
HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
BLOCKS = 2000


def shares(lab: Lab, program: Path, library: str, huge_pages: str) -> list[float]:
    """Percent of the blocks on their thread's node, phase by phase."""
    script = f"echo {huge_pages} > {HUGE_PAGES}; LD_PRELOAD=$1 exec {program} {BLOCKS}"
    result = lab.run(["sh", "-c", script, "sh", library], timeout_s=600)
    assert result.status == 0, result.stderr
    said = json.loads(result.stdout)
    assert Path(said["allocator"]).resolve() == Path(library).resolve(), said["allocator"]
    return [100 * said[phase]["small"][0] / said[phase]["small"][1] for phase in PHASES]


def heap_placement() -> None:
    """One line per machine, setting of huge pages and allocator."""
    found = shutil.which("heap_placement")
    assert found, "heap_placement is not on PATH; './dev build' makes it"
    program = Path(found).resolve()
    compared, missing = allocators.find(program.parents[1] / "lib" / "libhomenode-malloc.so")
    if missing:
        print(f"not here: {', '.join(missing)}; 'apt install' them to compare with them too")
    print(f"% of {BLOCKS} blocks per thread on its node, {' / '.join(PHASES)}")
    for machine in MACHINES:
        with Lab(machine, plugin=False) as lab:
            for huge_pages in ("always", "never"):
                for allocator in compared:
                    library = str(Path(allocator.library).resolve())
                    percent = shares(lab, program, library, huge_pages)
                    row = " / ".join(f"{share:.1f}" for share in percent)
                    where = f"{machine}, huge pages {huge_pages}"
                    print(f"{where}, {allocator.name}: {row}", flush=True)


if __name__ == "__main__":
    heap_placement()

"""Blocks lie on the node of the thread that asked for them, whatever happened before; and memory
that goes from node to node stays bounded.

The kernel says where each block is (tests/heap/programs/placement.c). The C library's own
allocator, which knows no nodes, shows that the program can tell.
"""

import json
from dataclasses import dataclass

import pytest
from heap_programs import preload, program

from homenode.lab import Lab

PHASES = ["fresh", "local_frees", "remote_frees", "moved", "reborn"]
LEAST = 0.99
BLOCKS = 600
ROUNDS = 20_000
HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"


@dataclass
class Placed:
    """Local and all blocks, or pages of large ones, of one phase."""

    local: int
    all: int

    @property
    def share(self) -> float:
        return self.local / self.all


def run(lab: Lab, command: str, library: str) -> str:
    """What a script of the guest prints, when its last command has the library preloaded."""
    env = {"LIBRARY": library}
    result = lab.run(["sh", "-c", command], env=env, timeout_s=300)
    assert result.status == 0, result.stdout + result.stderr
    return result.stdout.decode()


def placed(lab: Lab, library: str, huge_pages: str) -> dict[str, Placed]:
    command = (
        f"echo {huge_pages} > {HUGE_PAGES}; "
        f"LD_PRELOAD=$LIBRARY {program('placement')} {BLOCKS}; "
        f"code=$?; echo madvise > {HUGE_PAGES}; exit $code"
    )
    said = json.loads(run(lab, command, library))
    assert said["nodes"] == 4
    assert said["allocator"] == library or not library
    kinds = [(phase, kind) for phase in PHASES for kind in ("small", "large")]
    return {f"{phase} {kind}": Placed(*said[phase][kind]) for phase, kind in kinds}


def test_the_c_library_loses_the_node(quad: Lab) -> None:
    found = placed(quad, "", "never")
    assert found["fresh small"].share >= LEAST
    assert found["moved small"].share < 0.5


@pytest.mark.parametrize("huge_pages", ["always", "never"])
def test_blocks_are_on_the_node_of_their_thread(quad: Lab, huge_pages: str) -> None:
    found = placed(quad, preload(), huge_pages)
    assert {what: f.share for what, f in found.items() if f.share < LEAST} == {}
    assert {f.all for what, f in found.items() if what.endswith("small")} == {8 * BLOCKS}


def test_memory_that_crosses_nodes_stays_bounded(quad: Lab) -> None:
    run(quad, f"LD_PRELOAD=$LIBRARY {program('bounds')} {ROUNDS}", preload())


def test_memory_that_the_kernel_refuses_is_an_error_to_the_program_alone(quad: Lab) -> None:
    strict = "/proc/sys/vm/overcommit_memory"
    command = (
        f"echo 2 > {strict}; LD_PRELOAD=$LIBRARY {program('limits')} committed; "
        f"code=$?; echo 0 > {strict}; exit $code"
    )
    run(quad, command, preload())

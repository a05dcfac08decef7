"""Blocks lie on the node of the thread that asked for them, whatever happened before; and memory
that goes from node to node stays bounded.

The kernel says where each block is (tests/heap/programs/placement.c), and the plugin where the
misses are served when its thread reads it. The C library's own allocator, which knows no nodes,
shows that the program can tell.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from heap_programs import preload, program
from lab_start import lab_or_skip

from homenode.lab import Lab, access_matrix
from homenode.lab.machine import MIB, Cpu, Machine
from homenode.lab.result import Result
from homenode.node import Node

PHASES = ["fresh", "local_frees", "remote_frees", "moved", "reborn"]
LEAST = 0.99
BLOCKS = 600
ROUNDS = 20_000
MESSAGES = 4
# Nodes 0 and 2 have CPUs and no memory, node 4 memory and no CPUs.
ODD = Machine(
    "odd-heap",
    (
        Node(0, (0,), 0),
        Node(1, (1,), 256 * MIB),
        Node(2, (2,), 0),
        Node(3, (3,), 256 * MIB),
        Node(4, (), 256 * MIB),
    ),
    tuple(Cpu(number, number, number) for number in range(4)),
    (
        (10, 40, 20, 25, 50),
        (40, 10, 25, 35, 45),
        (20, 25, 10, 20, 40),
        (25, 35, 20, 10, 30),
        (50, 45, 40, 30, 10),
    ),
)
EIGHT = Machine(
    "eight-heap",
    tuple(Node(number, (number,), 256 * MIB) for number in range(8)),
    tuple(Cpu(number, number, number) for number in range(8)),
    tuple(tuple(10 if row == column else 20 for column in range(8)) for row in range(8)),
)
HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"


@dataclass
class Placed:
    """Local and all blocks, or pages of large ones, of one phase."""

    local: int
    all: int

    @property
    def share(self) -> float:
        return self.local / self.all


def finished(lab: Lab, command: str, library: str) -> Result:
    """A script of the guest, whose last command has the library preloaded."""
    result = lab.run(["sh", "-c", command], env={"LIBRARY": library}, timeout_s=600)
    assert result.status == 0, result.stdout + result.stderr
    return result


def run(lab: Lab, command: str, library: str) -> str:
    """What it prints."""
    return finished(lab, command, library).stdout.decode()


def placed(lab: Lab, library: str, huge_pages: str) -> dict[str, Placed]:
    """Blocks, pages of large ones, and misses of reading the blocks, in each phase."""
    cpus = len(lab.machine.node_of_vcpu)
    result = finished(
        lab,
        f"echo {huge_pages} > {HUGE_PAGES}; "
        f"LD_PRELOAD=$LIBRARY {program('placement')} {BLOCKS}; "
        f"code=$?; echo madvise > {HUGE_PAGES}; exit $code",
        library,
    )
    said = json.loads(result.stdout)
    assert (said["nodes"], said["threads"]) == (len(lab.machine.nodes), cpus)
    assert said["allocator"] == library or not library
    found = {}
    for phase, roi in zip(PHASES, result.rois, strict=True):
        counted = access_matrix([roi], lab.machine)
        own = sum(counted.cells[i][i] for i in range(len(counted.cells)))
        found[f"{phase} small"] = Placed(*said[phase]["small"])
        found[f"{phase} large"] = Placed(*said[phase]["large"])
        found[f"{phase} misses"] = Placed(own, counted.misses)
        assert found[f"{phase} small"].all == cpus * BLOCKS < counted.misses, (phase, roi)
    return found


def test_the_c_library_loses_the_node(quad: Lab) -> None:
    found = placed(quad, "", "never")
    for what in ("small", "misses"):
        assert found[f"fresh {what}"].share >= LEAST
        assert found[f"moved {what}"].share < 0.5


def check_blocks_are_local(lab: Lab) -> None:
    for huge_pages in ("always", "never"):
        found = placed(lab, preload(), huge_pages)
        assert {what: f.share for what, f in found.items() if f.share < LEAST} == {}, huge_pages


def test_blocks_are_on_the_node_of_their_thread(quad: Lab) -> None:
    check_blocks_are_local(quad)


@pytest.mark.long
@pytest.mark.parametrize("machine", ["tiny-2x2", EIGHT], ids=["two nodes", "eight nodes"])
def test_blocks_are_on_the_node_of_their_thread_on_others(
    machine: str | Machine, tmp_path: Path
) -> None:
    with lab_or_skip(machine, tmp_path) as lab:
        check_blocks_are_local(lab)


def test_memory_that_crosses_nodes_stays_bounded(quad: Lab) -> None:
    run(quad, f"LD_PRELOAD=$LIBRARY {program('bounds')} {ROUNDS}", preload())


def messages(lab: Lab, policy: str) -> dict[str, Any]:
    """Where the pages of messages are that a ring of threads sends and gets back."""
    command = (
        f"HOMENODE_MALLOC_POLICY={policy} LD_PRELOAD=$LIBRARY {program('neighbours')} {MESSAGES}"
    )
    said: dict[str, Any] = json.loads(run(lab, command, preload()))
    return said


def test_messages_that_are_bound_stay_with_their_sender(quad: Lab) -> None:
    said = messages(quad, "bind")
    assert said["own_pages"] == said["all_pages"] >= 8 * 6 * 4
    assert len(set(said["pages_on_node"].values())) == 1, said


def test_messages_that_are_interleaved_are_on_all_nodes(quad: Lab) -> None:
    said = messages(quad, "interleave")
    pages = said["pages_on_node"]
    assert sorted(pages) == ["0", "1", "2", "3"]
    # Three messages of five pages fill 15 of the 16 that their sizes share: one node has less.
    assert max(pages.values()) * 3 <= 4 * min(pages.values()), said


def test_where_names_the_node_that_a_heap_belongs_to(quad: Lab, command: str) -> None:
    # taskset itself starts on any CPU: only what it starts has the library.
    script = f"""taskset -c 5 env LD_PRELOAD=$LIBRARY sleep 1000 & pid=$!
        until {command} where $pid --json > /tmp/heaps && grep -q '"of"' /tmp/heaps; do :; done
        cat /tmp/heaps; {command} where $pid; kill $pid"""
    json_text, text = run(quad, script, preload()).split("\n", 1)
    said = json.loads(json_text)
    assert set(said["heaps_by_owner"]) == {"malloc node 2"}
    assert set(said["heaps_by_owner"]["malloc node 2"]) == {"2"}
    owned = [mapping for mapping in said["mappings"] if mapping["heap_owners"]]
    assert {mapping["group"] for mapping in owned} == {"heap"}
    assert owned[0]["heap_owners"] == [{"of": "malloc", "node": 2}]
    assert re.search(r"^heap of .*\nmalloc node 2 ", text, re.MULTILINE), text


def test_mappings_that_have_run_out_are_an_error_to_the_program_alone(quad: Lab) -> None:
    limit = "/proc/sys/vm/max_map_count"
    command = f"echo 4000 > {limit}; LD_PRELOAD=$LIBRARY {program('limits')} no_mappings_left"
    run(quad, command, preload())


def test_what_is_free_on_one_node_is_had_on_another_that_gets_no_more(quad: Lab) -> None:
    run(quad, f"LD_PRELOAD=$LIBRARY {program('limits')} after_a_move", preload())


def test_nodes_without_memory_use_the_nearest_that_has_some(tmp_path: Path) -> None:
    with lab_or_skip(ODD, tmp_path, plugin=False) as lab:
        pages = messages(lab, "bind")["pages_on_node"]
    # CPU 1 has memory on its node, 1; of the others node 3 is the nearest that has some.
    assert sorted(pages) == ["1", "3"]
    assert pages["3"] == 3 * pages["1"]


def test_memory_that_the_kernel_refuses_is_an_error_to_the_program_alone(quad: Lab) -> None:
    strict = "/proc/sys/vm/overcommit_memory"
    command = (
        f"echo 2 > {strict}; LD_PRELOAD=$LIBRARY {program('limits')} committed; "
        f"code=$?; echo 0 > {strict}; exit $code"
    )
    run(quad, command, preload())

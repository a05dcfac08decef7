"""homenode.lab.scale and memory: what a scaled machine has, and whether a machine fits the host."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.lab import LabError
from homenode.lab.catalogue import find_machine
from homenode.lab.machine import MIB
from homenode.lab.memory import check_fits, host_memory_bytes, node_sizes
from homenode.lab.scale import scaled


def test_without_scaling_every_node_has_the_labs_memory():
    assert set(node_sizes(find_machine("cxl-3x4")).values()) == {256 * MIB}


def test_a_scaled_machine_keeps_the_proportions_of_its_memory():
    sizes = node_sizes(scaled(find_machine("cxl-3x4"), 256))
    kernels = 64 * MIB  # On the first node, where the guest's kernel lies.
    assert sizes == {0: 256 * MIB + kernels, 1: 256 * MIB, 2: 512 * MIB}
    assert node_sizes(scaled(find_machine("cxl-3x4"), 1))[0] == 64 << 30


def test_a_node_keeps_64_mib_and_a_cache_one_set():
    tiny = scaled(find_machine("tiny-2x2"), 1_000_000)
    assert node_sizes(tiny) == {0: 128 * MIB, 1: 64 * MIB}
    assert {(c.level, c.shape.size) for c in tiny.caches} == {(1, 128), (2, 1024), (3, 2048)}
    assert tiny.private_cache is not None and tiny.private_cache.ways == 16


def test_a_node_without_memory_stays_without():
    path = Path(__file__).resolve().parents[2] / "machines/memoryless-4x2.xml"
    sizes = node_sizes(scaled(find_machine(str(path)), 64))
    assert [sizes[node] == 0 for node in (0, 1, 2, 3)] == [False, True, False, True]


def test_the_caller_may_still_name_the_memory():
    assert set(node_sizes(scaled(find_machine("tiny-2x2"), 8), 128).values()) == {128 * MIB}


@pytest.mark.parametrize("divisor", [0, -1])
def test_a_machine_cannot_be_scaled_by_less_than_one(divisor: int):
    with pytest.raises(
        LabError, match=rf"by {divisor}; give a whole number of at least 1"
    ) as caught:
        scaled(find_machine("tiny-2x2"), divisor)
    assert caught.value.exit_code == 2


def test_more_memory_than_the_host_has_is_named_with_what_to_do():
    machine = find_machine("quad-4x2")
    check_fits(machine, node_sizes(machine), 1024 * MIB)
    check_fits(machine, node_sizes(machine), None)
    with pytest.raises(
        LabError,
        match=r"4096 MiB of memory .1024 MiB on node 0.*1000 MiB; give "
        "each of its 4 nodes at most 250 MiB with --node-memory",
    ):
        check_fits(machine, node_sizes(machine, 1024), 1000 * MIB)
    large = scaled(machine, 2)
    with pytest.raises(LabError, match="raise --scale, as in --scale 10"):
        check_fits(large, node_sizes(large), 2048 * MIB)


def test_the_hosts_memory_is_what_linux_says(tmp_path: Path):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemFree: 5 kB\nMemTotal:       2048 kB\n")
    assert host_memory_bytes(meminfo) == 2 * MIB
    meminfo.write_text("")
    assert host_memory_bytes(meminfo) is None


@pytest.mark.lab
def test_any_verb_scales_the_machine_that_it_runs_on():
    command = shutil.which("homenode")
    if command is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    lab_or_skip("cxl-3x4", plugin=False, scale=512)
    script = "cat /sys/devices/system/node/node*/meminfo"
    done = subprocess.run(
        [command, "run", "--machine", "cxl-3x4", "--scale", "512", "--", "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    totals = [int(kib) >> 10 for kib in re.findall(r"MemTotal:\s+(\d+) kB", done.stdout)]
    declared = [size // MIB for size in node_sizes(scaled(find_machine("cxl-3x4"), 512)).values()]
    assert declared == [192, 128, 256]
    assert all(size * 0.6 < total <= size for total, size in zip(totals, declared, strict=True))


@pytest.mark.lab
def test_a_scaled_machine_has_room_on_its_first_node_and_no_huge_pages():
    """With 64 MiB a node, the kernel leaves room for what a program puts on the first one; and no
    huge page puts all of a small array beside its first user."""
    script = (
        "awk '/MemFree/ {print int($4 / 1024)}' /sys/devices/system/node/node0/meminfo; "
        "cat /sys/kernel/mm/transparent_hugepage/enabled"
    )
    with lab_or_skip("tiny-2x2", plugin=False, scale=1024) as lab:
        free, huge = lab.run(["sh", "-c", script]).stdout.decode().splitlines()
    assert int(free) >= 48
    assert "[never]" in huge

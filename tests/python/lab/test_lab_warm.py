"""A guest that goes on from a snapshot is as good as one that booted, on a real kernel."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.lab import CountMatrix, Lab, access_matrix, find_machine

pytestmark = pytest.mark.lab


@dataclass(frozen=True)
class Answers:
    """What one guest said: its time, a random number, and where a known program's accesses went."""

    seconds: int
    random: bytes
    matrix: CountMatrix


def ask(lab: Lab, program: str) -> Answers:
    said = lab.run(["sh", "-c", "date +%s; cat /proc/sys/kernel/random/uuid"]).stdout.split()
    counted = lab.run([program], timeout_s=120)
    assert counted.status == 0
    return Answers(int(said[0]), said[1], access_matrix(counted.rois, lab.machine))


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    kernel = lab_or_skip("tiny-2x2").kernel
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOMENODE_LAB_KERNEL", str(kernel.image))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield Path(os.environ["XDG_CACHE_HOME"]) / "homenode/lab/snapshots"


def test_two_labs_go_on_from_one_snapshot_at_once_and_are_as_one_that_booted(
    own_cache: Path, reader_and_writer: str, tmp_path: Path
):
    with lab_or_skip("quad-4x2") as lab:
        if not lab.emulator.snapshots:
            pytest.skip("this QEMU takes no snapshots")
        assert not lab.from_snapshot
        booted = ask(lab, reader_and_writer)
    snapshot = list(own_cache.iterdir())
    assert len(snapshot) == 1
    before = int(time.time())
    with lab_or_skip("quad-4x2", tmp_path) as first, lab_or_skip("quad-4x2") as second:
        assert first.from_snapshot and second.from_snapshot
        answers = [ask(lab, reader_and_writer) for lab in (first, second)]
        first.run(["touch", str(tmp_path / "new")])
    assert list(own_cache.iterdir()) == snapshot
    # The guest's time is the host's, although its snapshot was taken earlier.
    assert all(before <= answer.seconds <= time.time() for answer in answers)
    assert before <= (tmp_path / "new").stat().st_mtime <= time.time()
    # No guest draws the random numbers of another.
    assert len({booted.random, *(answer.random for answer in answers)}) == 3
    for answer in answers:
        assert answer.matrix.loads[0][2] == pytest.approx(booted.matrix.loads[0][2], rel=0.001)
        assert answer.matrix.stores[1][2] == pytest.approx(booted.matrix.stores[1][2], rel=0.001)
        assert answer.matrix.misses == pytest.approx(booted.matrix.misses, rel=0.001)


def test_a_guest_from_the_snapshot_of_other_figures_shows_its_own(own_cache: Path):
    shown = []
    for factor in (1, 2):
        machine = find_machine("tiny-2x2")
        shapes = [replace(cache.shape, size=factor * cache.shape.size) for cache in machine.caches]
        caches = map(lambda cache, shape: replace(cache, shape=shape), machine.caches, shapes)
        with lab_or_skip(replace(machine, caches=tuple(caches))) as lab:
            assert lab.from_snapshot == (factor == 2 and lab.emulator.snapshots)
            sizes = "/sys/devices/system/cpu/cpu[03]/cache/index?/size"
            shown.append(lab.run(["sh", "-c", f"cat {sizes}"]).stdout.split())
    instruction = 1  # The index of the only cache that keeps its size.
    for index, (before, after) in enumerate(zip(*shown, strict=True)):
        factor = 1 if index % (len(shown[0]) // 2) == instruction else 2
        assert int(after[:-1]) == factor * int(before[:-1])


def test_a_cold_lab_boots_beside_a_snapshot(own_cache: Path):
    with lab_or_skip("quad-4x2", plugin=False, warm=False) as lab:
        assert not lab.from_snapshot

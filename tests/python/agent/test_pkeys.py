"""Sampling by protection keys, in the lab, whose processor has them: nothing breaks, and what is
seen is what was done. At a budget without bounds, so that windows follow one another."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from lab_start import lab_or_skip

from homenode.lab import Lab
from homenode.lab.result import Result
from homenode.profile.record import RECORD, Flag, Operation
from homenode.profile.recording import Recording, read_recording, write_recording

pytestmark = pytest.mark.lab

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / "tests/agent/pkeys"
ALWAYS = "budget_ppm=1000000000 pause_us=0 pages=8"
BEGIN = {"kind": "begin", "pid": 0, "source": {"name": "pkeys"}}
ENOUGH_S = 240


def library() -> Path:
    """The library, where HOMENODE_LIBEXEC says or beside the command's folder."""
    folders = os.environ.get("HOMENODE_LIBEXEC", "").split(":")
    folders.append(str(ROOT / "build/release/lib"))
    found = [Path(folder) / "libhomenode-pkeys.so" for folder in folders if folder]
    there = [path for path in found if path.exists()]
    if not there:
        pytest.skip("libhomenode-pkeys.so is not built here (x86-64 only)")
    return there[0]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    for source in PROGRAMS.glob("*.c"):
        words = ["gcc", "-std=c11", "-O1", "-w", "-pthread", str(source)]
        subprocess.run([*words, "-o", str(folder / source.stem)], check=True)
    return folder


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def tiny(results: Path) -> Iterator[Lab]:
    with lab_or_skip("tiny-2x2", results, timing=False) as lab:
        yield lab


def sampled(
    lab: Lab, results: Path, words: list[str], settings: str = ALWAYS
) -> tuple[Result, Recording]:
    """Runs a command with the library in it; what it gave, and the samples."""
    file = results / f"{len(list(results.iterdir()))}.samples"
    write_recording(file, np.empty(0, RECORD), [BEGIN])
    environment = [
        f"LD_PRELOAD={library()}",
        f"HOMENODE_SAMPLE={file}",
        f"HOMENODE_SAMPLE_PKEYS={settings}",
    ]
    result = lab.run(["env", *environment, *words], timeout_s=ENOUGH_S)
    return result, read_recording(file)


def windows(recording: Recording) -> int:
    return len(recording.of("round"))


def test_each_half_of_an_array_is_seen_with_the_thread_that_uses_it(
    tiny: Lab, results: Path, programs: Path
):
    result, recording = sampled(tiny, results, [str(programs / "divided_array"), "8"])
    assert result.status == 0, result.stderr.decode()
    array, size, reader, writer = map(int, result.stdout.split())
    samples = recording.samples
    within = (samples["address"] >= array) & (samples["address"] < array + size)
    mine = samples[within & np.isin(samples["tid"], (reader, writer))]
    assert len(mine) >= 5
    second = mine["address"] >= array + size // 2
    assert (second == (mine["tid"] == writer)).all()
    assert ((mine["operation"] == Operation.WRITE) == (mine["tid"] == writer)).all()
    assert (mine["flags"] & Flag.FIRST_TOUCH).all()
    # Both go through their half in order, and so touch the first page of each range that is armed:
    # where all ranges began with an even page, none of an odd number would have a sample.
    odd = (mine["address"].astype(np.int64) - array) // 4096 % 2 == 1
    assert len(mine) < 20 or 0.2 < odd.mean() < 0.8
    assert (mine["memory_node"] < 2).all()
    assert (mine["weight"] > 0).all()
    assert set(mine["round"]) <= {one["round"] % 65536 for one in recording.of("round")}


def test_huge_pages_stay_whole(tiny: Lab, results: Path, programs: Path):
    """The kernel would divide one of which a part is armed. And these eight are mostly touched at
    their first bytes, so that at the ends of several windows the same access faults."""
    switch = "/sys/kernel/mm/transparent_hugepage/enabled"
    tiny.run(["sh", "-c", f"echo madvise > {switch}"])
    result, recording = sampled(tiny, results, [str(programs / "huge_pages"), "4"])
    tiny.run(["sh", "-c", f"echo never > {switch}"])
    assert result.status == 0, result.stderr.decode()
    before, after, array, size = map(int, result.stdout.split())
    assert after == before >= size // 1024
    samples = recording.samples
    within = (samples["address"] >= array) & (samples["address"] < array + size)
    assert (samples["page_shift"][within] == 21).sum() >= 5
    assert (samples["memory_node"][within] < 2).all()


def test_threads_that_take_turns_on_a_cpu_are_waited_for(tiny: Lab, results: Path, programs: Path):
    """A thread that has no CPU when a window opens is not seen before its turn."""
    words = ["taskset", "-c", "0", str(programs / "divided_array"), "8"]
    result, recording = sampled(tiny, results, words)
    assert result.status == 0, result.stderr.decode()
    *_, reader, writer = map(int, result.stdout.split())
    assert {reader, writer} <= set(recording.samples["tid"].tolist())
    (account,) = [one for one in recording.of("pkeys") if "windows" in one]
    assert account["windows"]["opened"] > account["windows"]["thread_busy"] / 4


def test_system_calls_into_armed_memory_succeed(tiny: Lab, results: Path, programs: Path):
    result, recording = sampled(tiny, results, [str(programs / "calls_into_memory"), "10"])
    assert result.status == 0, result.stdout.decode()
    (account,) = recording.of("pkeys")
    assert windows(recording) > 0 and account["calls"] > 0


@pytest.mark.parametrize(
    "part",
    [
        *("segv", "alarms", "jumps", "processes", "threads", "mappings", "fibers", "remote"),
        *("hidden", "own-keys"),
    ],
)
def test_a_hostile_program_runs_as_without_it(part: str, tiny: Lab, results: Path, programs: Path):
    result, recording = sampled(tiny, results, [str(programs / "hostile_program"), part, "3"])
    assert (result.status, result.stdout.decode()) == (0, f"{part}\n"), result.stderr.decode()
    refusals = [one["refused"] for one in recording.of("pkeys") if "refused" in one]
    assert refusals == (["it uses protection keys itself"] if part == "own-keys" else [])


def test_a_thread_that_libc_alone_made_is_watched_once_it_has_a_name(
    tiny: Lab, results: Path, programs: Path
) -> None:
    result, recording = sampled(tiny, results, [str(programs / "hostile_program"), "hidden", "9"])
    assert result.status == 0, result.stdout.decode()
    assert len(set(recording.samples["tid"].tolist())) == 3


@pytest.mark.long
@pytest.mark.parametrize("part", ["many-mappings", "very-many-mappings"])
def test_thousands_of_mappings_are_no_harm(
    part: str, tiny: Lab, results: Path, programs: Path
) -> None:
    """5,000 or 50,000, within the budget that people have: each window reads the list of them."""
    words = [str(programs / "hostile_program"), part, "3"]
    result, recording = sampled(tiny, results, words, "budget_ppm=10000 pages=8")
    assert (result.status, result.stdout.decode()) == (0, f"{part}\n"), result.stderr.decode()
    assert not [one for one in recording.of("pkeys") if "refused" in one]


def test_python_with_threads_and_children_runs_as_without_it(tiny: Lab, results: Path):
    text = (
        "import subprocess, threading\n"
        "sums = []\n"
        "def add(n): sums.append(sum(range(n)))\n"
        "all = [threading.Thread(target=add, args=(20000,)) for _ in range(3)]\n"
        "[one.start() for one in all]; [one.join() for one in all]\n"
        "print(sums, subprocess.check_output(['echo', 'child']))\n"
    )
    result, recording = sampled(tiny, results, ["/usr/bin/python3", "-c", text])
    expected = f"{[sum(range(20000))] * 3} b'child\\n'\n"
    assert (result.status, result.stdout.decode()) == (0, expected), result.stderr.decode()
    assert recording.of("pkeys")


def test_sampling_ends_with_the_process_that_watches(tiny: Lab, results: Path, programs: Path):
    words = [str(programs / "divided_array"), "2"]
    nobody = 4194305  # Above all process ids.
    result, recording = sampled(tiny, results, words, f"{ALWAYS} watch={nobody}")
    assert result.status == 0
    assert windows(recording) == 0 and len(recording.of("pkeys")) == 1

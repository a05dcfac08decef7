"""Programs that are hard to sample run as without it, under every source that works in the lab:
with a handler of their own for SIGSEGV, and with tens of thousands of mappings."""

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.lab import Lab
from homenode.profile.attribution import attribute
from homenode.profile.recording import read_recording

pytestmark = pytest.mark.lab

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ("pkeys", "soft-dirty", "hint-faults", "sched")
PARTS = ("segv", "many-mappings", "very-many-mappings")
# Not with --long only: these sources go through the mappings themselves, to arm them.
OFTEN = {("many-mappings", "pkeys"), ("many-mappings", "soft-dirty")}
SECONDS = "4"
# Each window of protection keys, and each round, reads the list of mappings: for those with tens of
# thousands it is the budget that people have which matters.
OVERHEAD = {"segv": "50%"}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def program(results: Path) -> Path:
    source = ROOT / "tests/agent/pkeys/hostile_program.c"
    built = results / "hostile_program"
    words = ["gcc", "-std=c11", "-O1", "-w", "-pthread", str(source), "-o", str(built)]
    subprocess.run(words, check=True)
    return built


@pytest.fixture(scope="module")
def tiny(results: Path) -> Iterator[Lab]:
    with lab_or_skip("tiny-2x2", results, timing=False) as lab:
        yield lab


@pytest.mark.parametrize(
    ("part", "source"),
    [
        pytest.param(
            part,
            source,
            marks=() if part == "segv" or (part, source) in OFTEN else pytest.mark.long,
        )
        for part in PARTS
        for source in SOURCES
    ],
)
def test_it_runs_as_without_a_sampler(
    part: str, source: str, tiny: Lab, results: Path, program: Path
) -> None:
    file = results / f"{part}-{source}"
    # The folder of results is a 9p share, where two processes that append to a file lose data.
    words = [
        "--with",
        source,
        "--overhead",
        OVERHEAD.get(part, "1%"),
        "--output",
        "/dev/shm/samples",
    ]
    line = shlex.join(["homenode", "sample", *words, "--", str(program), part, SECONDS])
    script = f"{line}; status=$?; cp /dev/shm/samples {file}; exit $status"
    result = tiny.run(["bash", "-c", script], timeout_s=500)
    assert (result.status, result.stdout.decode()) == (0, f"{part}\n"), result.stderr.decode()
    recording = read_recording(file)
    assert recording.end is not None and recording.end["exit_code"] == 0 and recording.cut == ""
    assert not [one for one in recording.of("pkeys") if "refused" in one]
    found = attribute(recording)
    assert found.share >= 0.99
    print(part, source, f"{len(recording.samples)} samples, {file.stat().st_size >> 20} MiB")

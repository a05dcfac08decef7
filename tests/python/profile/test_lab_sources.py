"""`homenode sample` in the lab: its samples against what the plugin counted of the same run."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from lab_start import lab_or_skip
from numpy.typing import NDArray

from homenode.lab import Lab
from homenode.lab.counts import thread_matrix
from homenode.profile.exposure import weights
from homenode.profile.record import Flag, Operation
from homenode.profile.recording import Recording, read_recording

pytestmark = pytest.mark.lab

NODES = 4
FEWEST = 30
# The distance that soft-dirty bits may have. A page that two threads write to between two looks is
# the first one's alone: of "partial", a sixth of a thread's accesses is to such pages.
PATTERNS = {"divided": 0.02, "interleaved": 0.02, "partial": 0.2}
WORKLOAD = ["homenode", "bench", "map", "--size", "4M", "--threads", "3", "--pages", "small"]
# Where the sampler alone may write to the file.
ALONE = ["--no-allocations"]
BALANCING = "/proc/sys/kernel/numa_balancing"
LONGEST_PERIOD = "/sys/kernel/debug/sched/numa_balancing/scan_period_max_ms"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def quad(results: Path) -> Iterator[Lab]:
    with lab_or_skip("quad-4x2", results, timing=False) as lab:
        yield lab


def sampled(lab: Lab, file: Path, *words: str) -> tuple[Recording, NDArray[np.float64]]:
    """The samples of a command line, and what the plugin counted: [thread][node]."""
    # The folder of results is a 9p share, where two processes that append to a file lose data.
    line = shlex.join(["homenode", "sample", "--output", "/dev/shm/samples", *words])
    script = f"{line}; status=$?; cp /dev/shm/samples {file}; exit $status"
    result = lab.run(["sh", "-c", script], timeout_s=300)
    assert result.status == 0, result.stderr.decode()
    counted = thread_matrix(list(result.rois), lab.machine)
    return read_recording(file), np.array([counted[rank] for rank in sorted(counted)], float)


def array_of(recording: Recording) -> NDArray[np.bool_]:
    """The samples of the mapping that has most of them: the workload's array."""
    touched = (recording.samples["flags"] & Flag.FIRST_TOUCH) != 0
    address = recording.samples["address"]
    parts = [
        touched & (address >= mapping["begin"]) & (address < mapping["end"])
        for document in recording.of("mappings")
        for mapping in document["mappings"]
        if mapping["end"] <= 1 << 63
    ]
    return max(parts, key=np.count_nonzero)


def threads_of(recording: Recording) -> NDArray[np.int64]:
    """The threads of the process that used the array, in order of creation."""
    pids, counts = np.unique(recording.samples["pid"][array_of(recording)], return_counts=True)
    pid = int(pids[counts.argmax()])
    return np.unique(
        [
            entry["tid"]
            for document in recording.of("threads")
            for entry in document["threads"]
            if document["pid"] == pid and entry["name"] != "homenode"  # The sampler's own.
        ]
    )


def uses(recording: Recording) -> NDArray[np.bool_]:
    """The samples of the array in the region that is counted.

    The first thread fills the array alone, before that region. On a busy host this may be in as
    many looks as the region itself, so the region's samples begin with those of a second thread.
    """
    inside = array_of(recording) & (recording.samples["memory_node"] < NODES)
    time = recording.samples["time_ns"]
    others = inside & (recording.samples["tid"] != threads_of(recording)[0])
    assert others.any(), "the first thread alone has samples"
    return inside & (time >= time[others].min())


def observed(recording: Recording) -> NDArray[np.float64]:
    """First touches of the array since arming, weighed: [thread in order of creation][node]."""
    inside, threads = uses(recording), threads_of(recording)
    samples, weight = recording.samples[inside], weights(recording)[inside]
    matrix = np.zeros((len(threads), NODES))
    np.add.at(matrix, (np.searchsorted(threads, samples["tid"]), samples["memory_node"]), weight)
    return matrix


def distance(recording: Recording, exact: NDArray[np.float64]) -> float:
    """The mean L1 distance, between sampled and counted, of the shares in the rows of threads that
    have samples: where the host gives a virtual CPU little time, others win all its pages."""
    matrix = observed(recording)
    assert matrix.shape == exact.shape
    seen = matrix.sum(axis=1) >= FEWEST
    assert seen.any()
    shares = [one[seen] / one[seen].sum(axis=1, keepdims=True) for one in (matrix, exact)]
    return float(np.abs(shares[0] - shares[1]).sum(axis=1).mean())


@pytest.mark.parametrize("pattern", PATTERNS)
def test_soft_dirty_sees_who_writes_where(pattern: str, quad: Lab, results: Path):
    words = ["--with", "soft-dirty", "--overhead", "90%", "--", *WORKLOAD, "--op", "write"]
    recording, exact = sampled(
        quad, results / f"dirty-{pattern}", *words, "--pattern", pattern, "--method", "api",
        "--passes", "400",
    )  # fmt: skip
    assert distance(recording, exact) <= PATTERNS[pattern]
    touches = recording.samples[array_of(recording)]
    assert (touches["operation"] == Operation.WRITE).all()
    assert (touches["weight"] > 0).all()
    assert np.mean(touches["physical"] > 0) > 0.9  # The kernel looks without waiting.
    assert recording.end is not None and recording.end["exit_code"] == 0


def test_hint_faults_see_who_uses_what_and_balancing_is_off_again(quad: Lab, results: Path):
    words = ["--with", "hint-faults", "--overhead", "100%", "--", *WORKLOAD]
    words += ["--op", "readwrite", "--pattern", "divided"]
    # The kernel looks when its clock says so: on a busy host more work has to last until then.
    for passes in (800, 2400, 7200):
        recording, exact = sampled(quad, results / "hints", *words, "--passes", str(passes))
        seen_threads = np.unique(recording.samples["tid"][array_of(recording)], return_counts=True)
        if (seen_threads[1] >= FEWEST).sum() == 3:
            break
    samples = recording.samples[uses(recording)]
    address = samples["address"] - samples["address"].min()
    users = np.searchsorted(threads_of(recording), samples["tid"])
    assert np.mean(users == address * 3 // (address.max() + 1)) > 0.95
    # Balancing moves pages meanwhile, so when it looked decides how often each node was seen.
    seen = observed(recording) >= FEWEST
    assert seen.any()
    assert (exact[seen] > 10_000).all()
    assert quad.run(["cat", BALANCING]).stdout == b"0\n"


def shell(lab: Lab, script: str) -> tuple[int, str, str]:
    result = lab.run(["bash", "-c", script], timeout_s=120)
    return result.status, result.stdout.decode(), result.stderr.decode()


def test_a_killed_sampler_leaves_no_balancing_behind(quad: Lab, results: Path):
    script = f"""
    longest() {{ cat {LONGEST_PERIOD}; }}
    before=$(longest)
    balancing() {{ read -r value <{BALANCING}; echo $value; }}
    until_is() {{ for _ in $(seq 400); do [ "$(balancing)" = $1 ] && return; sleep 0.05; done; }}
    sleep 1000 &
    program=$!
    homenode sample --with hint-faults --output {results}/killed $program &
    until_is 1; balancing
    [ "$(longest)" -lt $before ] && echo shorter
    kill -9 $!
    until_is 0; balancing
    for _ in $(seq 400); do [ "$(longest)" = $before ] && break; sleep 0.05; done
    [ "$(longest)" = $before ] && echo as before
    kill -0 $program && echo lives
    """
    status, out, err = shell(quad, script)
    assert (status, out) == (0, "1\nshorter\n0\nas before\nlives\n"), err
    assert read_recording(results / "killed").end is None


@pytest.mark.parametrize(
    ("program", "status"), [("exit 7", 7), ("kill -SEGV $$", 139), ("no-such-program", 127)]
)
def test_the_programs_end_is_passed_on(program: str, status: int, quad: Lab, results: Path):
    words = [
        "--with",
        "soft-dirty",
        *ALONE,
        "--output",
        str(results / "end"),
        "--",
        "sh",
        "-c",
        program,
    ]
    result = quad.run(["homenode", "sample", *words], timeout_s=120)
    assert result.status == status, result.stderr
    recording = read_recording(results / "end")
    assert recording.end is not None and recording.end["exit_code"] == status


def test_children_and_what_they_execute_are_followed(quad: Lab, results: Path):
    script = "head -c 1000000 /dev/zero | tail -c 1 | wc -c; (exit 3)"
    words = ["--with", "soft-dirty", *ALONE, "--output", str(results / "children"), "--"]
    result = quad.run(["homenode", "sample", *words, "sh", "-c", script], timeout_s=120)
    assert (result.status, result.stdout) == (3, b"1\n"), result.stderr
    recording = read_recording(results / "children")
    names = {entry["name"] for document in recording.of("threads") for entry in document["threads"]}
    assert {"head", "tail", "wc"} <= names
    assert len(np.unique(recording.samples["pid"])) >= 4
    paths = [m["path"] for d in recording.of("mappings") for m in d["mappings"]]
    assert any(path.endswith("/head") for path in paths)


@pytest.mark.parametrize("signal", ["INT", "TERM"])
def test_a_stop_ends_the_sampling_of_a_process_and_not_the_process(
    signal: str, quad: Lab, results: Path
):
    file = results / f"attached-{signal}"
    script = f"""
    (while :; do :; done) & program=$!
    set -m
    homenode sample --with soft-dirty --overhead 50% --output {file} $program &
    sampler=$!
    for _ in $(seq 400); do grep -q '"kind":"round"' {file} && break; sleep 0.05; done
    kill -{signal} $sampler; wait $sampler; echo $?
    kill -0 $program && echo lives
    """
    status, out, err = shell(quad, script)
    assert (status, out) == (0, "0\nlives\n"), err
    end = read_recording(file).end
    assert end is not None and (end["why"], end["exit_code"]) == ("stopped", None)


def test_time_is_up_for_the_sampling_alone(quad: Lab, results: Path):
    words = ["--with", "sched", *ALONE, "--duration", "0.5", "--output", str(results / "time")]
    result = quad.run(["homenode", "sample", *words, "--", "sh", "-c", "sleep 2; exit 5"])
    assert result.status == 5
    recording = read_recording(results / "time")
    assert recording.end is not None and recording.end["why"] == "time is up"
    [matrix] = [one for one in recording.of("matrix") if one["pid"] == recording.begin["pid"]]
    assert len(matrix["cells"]) == len(matrix["threads"])


def test_within_the_lab_the_plugin_counts_and_others_are_refused_by_name(quad: Lab, results: Path):
    # Lives until the sampler has looked at it, as `true` need not.
    program = ["sleep", "0.5"]
    result = quad.run(
        ["homenode", "sample", *ALONE, "--output", str(results / "auto"), "--", *program]
    )
    assert result.status == 0, result.stderr
    recording = read_recording(results / "auto")
    assert recording.source == "lab" and len(recording.samples) == 0
    assert recording.of("mappings") and recording.of("threads")


@pytest.mark.parametrize(
    ("words", "status", "what"),
    [
        (["999999"], 1, "no process 999999"),
        (["--output", "/proc/x", "--", "true"], 125, "cannot write /proc/x"),
        (["--with", "no-such", "--", "true"], 125, "no source of samples"),
        (["--overhead", "much", "--", "true"], 125, "--overhead"),
        (["--duration", "-1", "--", "true"], 125, "--duration"),
        (["--json", "--", "true"], 125, "--list"),
    ],
)
def test_what_cannot_be_is_one_line_that_says_what_to_do(
    words: list[str], status: int, what: str, quad: Lab
):
    result = quad.run(["homenode", "sample", *words])
    error = result.stderr.decode()
    assert (result.status, result.stdout) == (status, b""), error
    assert what in error and error.count("\n") == 1 and re.search("; ", error)

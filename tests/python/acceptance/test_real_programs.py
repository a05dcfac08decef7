"""Real programs, unchanged, end up where `homenode run --explain` said, thread by thread.

What must be is read from --explain, what is from the kernel: each thread asks for its CPUs, and for
the nodes of pages that it touched. All programs of a machine run in one boot.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_start import lab_or_skip
from test_threads import LIBOMP, PROGRAM, Thread, built, counts, numbers, threads_of

from homenode.lab import Lab
from homenode.lab.machine import Machine

HERE = Path(__file__).resolve().parent
PROBE = "thread_probe"
THREADS = 5
END = "=== end of one program"

PROGRAMS = {
    "pthreads": f"{PROBE} pthreads {THREADS}",
    "C++ threads": f"{PROBE} threads {THREADS}",
    "libgomp": f"{PROBE} openmp {THREADS}",
    "LLVM OpenMP": f"{PROBE} openmp {THREADS}",
    "Python threads": f"{sys.executable} {PROGRAM} {THREADS}",
}
QUAD_MAPS = {
    "lists": ["--threads", "6,0,2-5", "--thread-memory", "bind@0/preferred@3/bind@1-2"],
    "likwid": ["--threads", "S3:1@E:N:3:1:2"],
    "places": ["--threads", "{0:2}:4:2", "--thread-memory", "bind@3/bind@2/bind@1/bind@0"],
    "Charm++'s words": shlex.split(
        "+setcpuaffinity +pemap 1-7:2 +maffinity +nodemap 3,1,2,0 +mempol bind"
    ),
}
CXL_MAPS = {
    "memory without CPUs": ["--threads", "0,4,7", "--thread-memory", "bind@2/bind@2/bind@0"],
    "numa_domains": ["--threads", "numa_domains"],
}


@dataclass
class Explained:
    """What --explain --json says of threads, and the machine where it said so."""

    json: dict
    machine: Machine

    def thread(self, number: int) -> dict:
        """The entry of a thread, by its number in the order of creation."""
        entries = self.json["threads"]
        return entries[number % len(entries)] if entries else self.json

    def check(self, number: int, cpus: set[int], memory: dict[int, int]) -> None:
        """Fails unless a thread may run where it should, and pages are where it should touch them.

        Without a policy they are on the node of its CPUs.
        """
        wanted = self.thread(number)
        assert cpus == set(wanted["cpus"]), f"thread {number}"
        local = {node.id for node in self.machine.nodes if cpus & set(node.cpus)}
        nodes = set(wanted["memory"]["nodes"]) if wanted["memory"] else local
        assert memory, f"thread {number}"
        assert set(memory) <= nodes, f"thread {number}"


def answers(lab: Lab, commands: list[str]) -> list[str]:
    """The standard output of each command, all in one program of the guest.

    Without huge pages: one may lie across the memory of two threads, and the first to touch it has
    it on its node.
    """
    path = f"{built(PROBE).parent}:{Path(sys.executable).parent}"
    script = f"export PATH={path}:$PATH\n"
    script += "".join(f"{command}\necho $? {shlex.quote(END)}\n" for command in commands)
    watched = [sys.executable, str(HERE / "watched.py"), "280"]
    result = lab.run([*watched, "sh", "-c", script], timeout_s=300)
    parts = re.split(rf"(\d+) {re.escape(END)}\n", result.stdout.decode())[:-1]
    assert parts[1::2] == ["0"] * len(commands), result.stderr.decode()
    return parts[::2]


def runs(command: str, words: list[str], program: str) -> tuple[str, str]:
    """What explains a placement, and what starts the program under it."""
    placed = shlex.join(words)
    return f"{command} run --explain --json {placed} {program}", f"{command} run {placed} {program}"


Cases = dict[tuple[str, str], tuple[Explained, list[tuple[int, Thread]]]]


def run_threads(lab: Lab, command: str, maps: dict[str, list[str]], programs: list[str]) -> Cases:
    """Each program under each map: what was explained, and what its threads then said."""
    assert LIBOMP.exists(), "install libomp-dev"
    starts = {
        (program, name): ("", f"LD_PRELOAD={LIBOMP} ")[program == "LLVM OpenMP"]
        + runs(command, words, PROGRAMS[program])[1]
        for program in programs
        for name, words in maps.items()
    }
    explains = [runs(command, words, "true")[0] for words in maps.values()]
    texts = iter(answers(lab, explains + list(starts.values())))
    explained = {name: Explained(json.loads(next(texts)), lab.machine) for name in maps}
    return {case: (explained[case[1]], threads_of(next(texts))) for case in starts}


@pytest.fixture(scope="module")
def on_quad(quad: Lab, command: str) -> Cases:
    return run_threads(quad, command, QUAD_MAPS, list(PROGRAMS))


@pytest.fixture(scope="module")
def on_cxl(command: str, tmp_path_factory: pytest.TempPathFactory) -> Cases:
    """A machine with a node that has memory and no CPUs."""
    with lab_or_skip("cxl-3x4", tmp_path_factory.mktemp("cxl")) as lab:
        return run_threads(lab, command, CXL_MAPS, ["C++ threads"])


def check_threads(case: tuple[Explained, list[tuple[int, Thread]]]) -> None:
    explained, threads = case
    assert [number for number, _ in threads] == list(range(THREADS))
    for number, thread in threads:
        explained.check(number, thread.cpus, thread.memory)


@pytest.mark.parametrize("which", QUAD_MAPS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_threads_are_where_the_map_says(on_quad: Cases, program: str, which: str) -> None:
    check_threads(on_quad[program, which])


@pytest.mark.parametrize("which", CXL_MAPS)
def test_threads_use_memory_without_cpus(on_cxl: Cases, which: str) -> None:
    check_threads(on_cxl["C++ threads", which])


def test_the_maps_tell_threads_apart(on_quad: Cases, on_cxl: Cases) -> None:
    """Else the tests above would show nothing."""
    for explained, _ in [*on_quad.values(), *on_cxl.values()]:
        cpus = [tuple(entry["cpus"]) for entry in explained.json["threads"]]
        assert len(set(cpus)) == len(cpus) > 1
    _, threads = on_cxl["C++ threads", "memory without CPUs"]
    assert threads[0][1].memory.keys() == {2}


RANKS = [
    ["--per-rank", "node"],
    ["--per-rank", "node", "--threads", "6,3,2", "--thread-memory", "bind@2/bind@3"],
]
MPI = {"Open MPI": "openmpi", "MPICH": "mpich"}
LAUNCHERS = {
    "Open MPI": "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none",
    "MPICH": "mpirun.mpich",
}
RANK_VARIABLES = {"Open MPI": "OMPI_COMM_WORLD_LOCAL_RANK", "MPICH": "MPI_LOCALRANKID"}
RANK_LINE = re.compile(r"(\d+) (\d+) cpus=(\S*) memory=(\S*)")


@pytest.fixture(scope="module")
def mpi_programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same program, compiled for each MPI."""
    folder = tmp_path_factory.mktemp("mpi")
    options = ["-O1", "-Wall", "-Wextra", "-Werror", "-pthread", str(HERE / "placed_mpi.c")]
    for suffix in MPI.values():
        compiler = shutil.which(f"mpicc.{suffix}")
        assert compiler, f"install lib{suffix}-dev"
        subprocess.run([compiler, *options, "-o", str(folder / suffix)], check=True)
    return {name: folder / suffix for name, suffix in MPI.items()}


@pytest.mark.parametrize("mpi", ["Open MPI", pytest.param("MPICH", marks=pytest.mark.long)])
def test_ranks_and_their_threads_are_where_the_map_says(
    quad: Lab, command: str, mpi_programs: dict[str, Path], mpi: str
) -> None:
    commands = [runs(command, words, str(mpi_programs[mpi])) for words in RANKS]
    explains = [
        f"{RANK_VARIABLES[mpi]}={rank} {explain}" for rank, (explain, _) in enumerate(commands)
    ]
    launch = f"{LAUNCHERS[mpi]} " + " : ".join(f"-n 1 {start}" for _, start in commands)
    *explained, text = answers(quad, [*explains, launch])
    lines = RANK_LINE.findall(text)
    assert sorted(rank for rank, *_ in lines) == ["0", "0", "1", "1"]
    for rank, number, cpus, memory in lines:
        wanted = Explained(json.loads(explained[int(rank)]), quad.machine)
        wanted.check(int(number), numbers(cpus), counts(memory))


# As in pyproject.toml, where it is not asked for then.
NO_CHARM = sys.version_info >= (3, 14)
PE_LINE = re.compile(r"(\d+) cpus=(\S*) policy=(\S*) memory=(\S*)")


@pytest.mark.skipif(NO_CHARM, reason="charm4py has no wheels for this Python")
def test_the_pes_of_charm4py_are_where_charm_words_say(quad: Lab, command: str) -> None:
    program = f"{sys.executable} -m charmrun.start +p4 {HERE / 'placed_charm.py'}"
    words = shlex.split("+setcpuaffinity +pemap 6,4,1,3 +maffinity +nodemap 0,1,3,2 +mempol bind")
    explained, text = answers(quad, list(runs(command, words, program)))
    wanted = Explained(json.loads(explained), quad.machine)
    found = {int(pe): rest for pe, *rest in PE_LINE.findall(text)}
    assert sorted(found) == [0, 1, 2, 3], text
    for pe, (cpus, policy, memory) in found.items():
        wanted.check(pe, numbers(cpus), counts(memory))
        assert policy == f"bind:{wanted.thread(pe)['memory']['nodes'][0]}"

"""Programs that nobody changed run thread by thread where the agent was told to put them.

Each program says what the kernel says of it; quad-4x2 has the CPUs 2n and 2n+1 on its node n.
"""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from homenode.lab import Lab

PROGRAM = Path(__file__).resolve().parents[1] / "support" / "thread_program.py"
LIBOMP = Path("/usr/lib/x86_64-linux-gnu/libomp.so.5")  # Debian's libomp-dev has this link.
BIND, INTERLEAVE = 2, 3
PAGES = 256
LINE = re.compile(r"(\d+) cpus=(\S*) policy=(\d+) policy_nodes=(\S*) memory=(\S*)(?: stack=(\S*))?")


def built(name: str) -> Path:
    """A program of the tests' own build."""
    found = shutil.which(name)
    assert found, f"{name} is not on PATH; run the tests through ./dev test"
    return Path(found)


def agent(name: str = "agent") -> Path:
    return built("thread_probe").parents[1] / "lib" / f"libhomenode-{name}.so"


@dataclass
class Thread:
    """What one thread said."""

    cpus: set[int]
    mode: int
    nodes: set[int]
    memory: dict[int, int]
    stack: dict[int, int]


def numbers(text: str) -> set[int]:
    return {int(number) for number in text.split(",") if number}


def counts(text: str | None) -> dict[int, int]:
    pairs = (part.split(":") for part in (text or "").split("+") if part)
    return {int(node): int(count) for node, count in pairs}


def threads_of(text: str) -> list[tuple[int, Thread]]:
    """The threads in the order of their ranks."""
    found = [
        (
            int(rank),
            Thread(numbers(cpus), int(mode), numbers(nodes), counts(memory), counts(stack)),
        )
        for rank, cpus, mode, nodes, memory, stack in LINE.findall(text)
    ]
    return sorted(found, key=lambda pair: pair[0])


PROBE = "thread_probe"
PROGRAMS = {
    "pthreads": f"{PROBE} pthreads 5",
    "C++ threads": f"{PROBE} threads 5",
    "C11 threads": f"{PROBE} c11 5",
    "libgomp": f"{PROBE} openmp 5",
    "LLVM OpenMP": f"{PROBE} openmp 5",
    "Python threads": f"{sys.executable} {PROGRAM} 5",
    "through a shell": f"sh -c '{PROBE} threads 5'",
}
MAPS = {
    "memory against the CPUs": "1 cpus=0,2,4,6 threads=0/2/4/6 memory=2@3/2@2/2@1/2@0",
    "CPUs alone": "1 cpus=0-7 threads=0-1/2-3/4-5/6-7",
    "a helper thread": "1 cpus=0,6 threads=6/0 skip=1",
    "heap": "1 cpus=0,2,4,6 threads=0/2/4/6 heap=3@0-3",
}
CASES = [(program, which) for program in PROGRAMS for which in MAPS]
END = "=== end of one program"


@pytest.fixture(scope="module")
def said(quad: Lab) -> dict[tuple[str, str], list[tuple[int, Thread]]]:
    """All programs under all maps, in one program of the guest."""
    assert LIBOMP.exists(), "install libomp-dev"
    script = f"export PATH={built(PROBE).parent}:$PATH KMP_AFFINITY=disabled\n"
    for program, which in CASES:
        preload = f"{agent()}:{LIBOMP}" if program == "LLVM OpenMP" else f"{agent()}"
        script += (
            f"HOMENODE_AGENT={shlex.quote(MAPS[which])} LD_PRELOAD={preload} {PROGRAMS[program]}\n"
            f"echo $? {shlex.quote(END)}\n"
        )
    result = quad.run(["sh", "-c", script], timeout_s=600)
    parts = re.split(rf"(\d+) {re.escape(END)}\n", result.stdout.decode())[:-1]
    assert len(parts) == 2 * len(CASES), result.stderr
    assert set(parts[1::2]) == {"0"}, result.stderr
    return dict(zip(CASES, map(threads_of, parts[::2]), strict=True))


@pytest.mark.parametrize("program", PROGRAMS)
class TestPrograms:
    def test_cpus_and_policies_are_those_of_the_rank(self, said: dict, program: str) -> None:
        threads = said[program, "memory against the CPUs"]
        assert [rank for rank, _ in threads] == [0, 1, 2, 3, 4]
        for rank, thread in threads:
            entry = rank % 4  # A fifth thread starts again at the first entry.
            assert thread.cpus == {2 * entry}
            assert (thread.mode, thread.nodes) == (BIND, {3 - entry})
            assert thread.memory == {3 - entry: PAGES}

    def test_memory_is_local_where_no_policy_is_given(self, said: dict, program: str) -> None:
        for rank, thread in said[program, "CPUs alone"]:
            entry = rank % 4
            assert thread.cpus == {2 * entry, 2 * entry + 1}
            assert thread.mode == 0
            assert thread.memory == {entry: PAGES}

    def test_a_skipped_thread_takes_no_rank_and_all_cpus(self, said: dict, program: str) -> None:
        cpus = [thread.cpus for _, thread in said[program, "a helper thread"]]
        assert cpus == [{6}, {0, 6}, {0}, {6}, {0}]

    def test_the_heap_is_interleaved_and_stacks_are_local(self, said: dict, program: str) -> None:
        for rank, thread in said[program, "heap"]:
            assert (thread.mode, thread.nodes) == (INTERLEAVE, {0, 1, 2, 3})
            assert sum(thread.memory.values()) == PAGES
            # The kernel's own page tables take turns in between.
            assert max(thread.memory.values()) - min(thread.memory.values()) <= 4
            if thread.stack:
                assert set(thread.stack) == {rank % 4}


def test_a_forked_child_goes_on_where_its_parent_was(quad: Lab) -> None:
    environment = f"HOMENODE_AGENT='1 cpus=0-7 threads=2/4/6/0' LD_PRELOAD={agent()}"
    result = quad.run(["sh", "-c", f"{environment} {built(PROBE)} fork 9"])
    assert result.status == 0, result.stderr
    found = [(rank, thread.cpus) for rank, thread in threads_of(result.stdout.decode())]
    # Parent and child are both rank 0; the child's thread and the parent's later one are both the
    # first that their process creates.
    assert found == [(0, {2}), (0, {2}), (1, {4}), (9, {4})]


def test_a_forked_child_takes_the_next_entry_where_forks_count(quad: Lab) -> None:
    environment = f"HOMENODE_AGENT='1 cpus=0-7 threads=2/4/6/0 forks' LD_PRELOAD={agent()}"
    result = quad.run(["sh", "-c", f"{environment} {built(PROBE)} fork 9"])
    assert result.status == 0, result.stderr
    found = [(rank, thread.cpus) for rank, thread in threads_of(result.stdout.decode())]
    # The child is number 1; its thread and its parent's, after it, are number 2 of their processes.
    assert sorted(found, key=str) == [(0, {2}), (0, {4}), (1, {6}), (9, {6})]


def test_a_runtime_counts_the_cpus_of_the_whole_map() -> None:
    """libgomp counts in its constructor, before main() is put on the CPUs of rank 0."""
    environment = {
        "LD_PRELOAD": str(agent()),
        "HOMENODE_AGENT": "1 cpus=0-1 threads=0/1",
    }
    result = subprocess.run(
        [built(PROBE), "openmp", "2"], env=environment, capture_output=True, text=True, check=True
    )
    assert "most threads=2\n" in result.stdout


MOVES_AND_RETURNS = """
import os
told = os.sched_getaffinity(0)
os.sched_setaffinity(0, {0})
os.sched_setaffinity(0, told)
print(*told, *[line for line in open("/proc/self/status") if line.startswith("Cpus_allowed_list")])
"""


def test_a_main_thread_that_puts_back_the_whole_map_gets_its_own_cpus() -> None:
    """As hwloc does: told the whole map, it binds itself for a moment and sets what it was told."""
    environment = {"LD_PRELOAD": str(agent()), "HOMENODE_AGENT": "1 cpus=0-1 threads=1/0"}
    command = [sys.executable, "-c", MOVES_AND_RETURNS]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["0", "1", "Cpus_allowed_list:", "1"]


SIZE = 1_000_000
RULES = {
    "cyclic": ("pattern:1x0,1x1,1x2,1x3", [0, 1, 2, 3]),
    "blocks of 3 pages": ("pattern:3x2,3x0", [2, 2, 2, 0, 0, 0]),
    "weighted": ("pattern:2x1,1x3", [1, 1, 3]),
    "block": ("block:0,2-3", None),
    "bind": ("policy:2@3", [3]),
}
WAYS = ["early", "malloc", "calloc", "posix_memalign", "new", "realloc", "mmap", "noreserve"]


@pytest.fixture(scope="module")
def allocated(quad: Lab) -> dict[str, dict[str, tuple[list[int], int]]]:
    """By rule and way: the node of each page, and how many mappings hold them."""
    script = ""
    for wire, _ in RULES.values():
        script += (
            f"GLIBC_TUNABLES=glibc.malloc.mmap_threshold=65536 LD_PRELOAD={agent('allocations')} "
            f"HOMENODE_AGENT={shlex.quote(f'1 place=65536:{wire} verbose')} "
            f"{built('allocation_probe')} {SIZE}; echo $? {shlex.quote(END)}\n"
        )
    # On one CPU: what nobody places is where its thread runs, which the kernel may move.
    result = quad.run(["taskset", "-c", "2", "sh", "-c", script], timeout_s=300)
    parts = re.split(rf"(\d+) {re.escape(END)}\n", result.stdout.decode())[:-1]
    assert parts[1::2] == ["0"] * len(RULES), result.stderr
    assert result.stdout.count(b"address space possible") == len(RULES)
    told = re.findall(r"; left where they are: (\d+) mappings", result.stderr.decode())
    assert told == ["2"] * (len(RULES) - 1), result.stderr  # A policy suits these too.
    return dict(zip(RULES, map(maps_of, parts[::2]), strict=True))


def maps_of(text: str) -> dict[str, tuple[list[int], int]]:
    found = {}
    for way, runs, mappings in re.findall(r"(\w+) pages=\d+ map=(\S+) mappings=(\d+)", text):
        pages: list[int] = []
        for run in runs.split(","):
            count, node = run.split("x")
            pages += [int(node)] * int(count)
        found[way] = (pages, int(mappings))
    return found


def blocks(pages: int, nodes: list[int]) -> list[int]:
    """As equal as can be, the first ones a page longer."""
    shortest, longer = divmod(pages, len(nodes))
    parts = [[node] * (shortest + (i < longer)) for i, node in enumerate(nodes)]
    return [node for part in parts for node in part]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rule", RULES)
def test_large_allocations_land_page_for_page(allocated: dict, rule: str, way: str) -> None:
    pages, mappings = allocated[rule][way]
    pattern = RULES[rule][1]
    wanted = (
        blocks(len(pages), [0, 2, 3])
        if pattern is None
        else [pattern[i % len(pattern)] for i in range(len(pages))]
    )
    assert pages == wanted
    assert mappings == 1  # No placement splits a mapping.


def test_small_allocations_are_left_alone(allocated: dict) -> None:
    for rule in RULES:
        pages, _ = allocated[rule]["small"]
        assert len(set(pages)) == 1


@pytest.mark.parametrize("library", ["agent", "allocations"])
def test_the_libraries_need_libc_alone(library: str) -> None:
    dynamic = subprocess.run(
        ["readelf", "-d", agent(library)], capture_output=True, text=True, check=True
    ).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    assert set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2"}
    symbols = subprocess.run(
        ["nm", "-D", "--undefined-only", agent(library)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert not re.search(r"__cxa_guard|_ZS|__gxx_personality|printf|__cxa_throw", symbols)


COUNTING = """
import ctypes, os, threading
libc = ctypes.CDLL(None)
libc.pthread_self.restype = ctypes.c_void_p
def told():
    bits = ctypes.create_string_buffer(128)
    libc.pthread_getaffinity_np(ctypes.c_void_p(libc.pthread_self()), 128, bits)
    mask = int.from_bytes(bits.raw, "little")
    return os.sched_getaffinity(0), {cpu for cpu in range(1024) if mask >> cpu & 1}
def ask(): answers.append(told())
answers = [told()]
os.sched_setaffinity(0, {1})
ask()
os.sched_setaffinity(0, {0})
other = threading.Thread(target=ask)
other.start()
other.join()
ask()
print(answers)
"""


def told_to(words: str) -> Any:
    """What COUNTING is told of its CPUs under these words to the agent."""
    environment = os.environ | {"HOMENODE_AGENT": words, "LD_PRELOAD": str(agent())}
    command = [sys.executable, "-c", COUNTING]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return ast.literal_eval(done.stdout)


def test_a_process_that_is_one_of_the_map_counts_its_own_cpu() -> None:
    """As one of Charm++, whose numerical library would start threads for the others' CPUs."""
    counted, *_ = told_to("1 cpus=0-1 threads=0/1 forks")
    assert counted == ({0}, {0})


def test_a_program_that_counts_its_cpus_before_it_has_threads_counts_all_of_the_map() -> None:
    counted, own, second, then = told_to("1 cpus=0-1 threads=0/1")
    assert counted == ({0, 1}, {0, 1})
    assert own == ({1}, {1})  # It has bound itself.
    assert (second, then) == (({1}, {1}), ({0}, {0}))  # What they are bound to.

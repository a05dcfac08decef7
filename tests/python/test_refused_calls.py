"""Whole commands, each of their system calls refused once: homenode's, libc's and hwloc's.

tests/os/every_refusal.h refuses what goes through os::Os, with all errors that a call has. Here
strace refuses, in the command as people start it. A command whose call is refused does without, or
ends with the exit code of a failure and one line that says why.

hwloc takes a file that it is refused for one that is not there. CPUs, nodes and memory are held
against the kernel's own files; packages, caches and devices that it loses are hwloc's own matter,
and it may only say less of them than before.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from refused_calls import Command, check

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(
    not (shutil.which("strace") and shutil.which("homenode")), reason="needs strace and homenode"
)

# Keys of JSON that differ between any two runs, and those that say what was refused.
CHANGING = {"free_bytes", "most_sharers", "seconds"}
TELLING = {"not_audited", "notes", "refusal"}

# hwloc's plugins, of which some load hundreds of files, are part of one test: of this machine.
WITHOUT_PLUGINS = {"HWLOC_PLUGINS_PATH": "/nonexistent"}


def facts(value: Any, path: str = "") -> Iterator[str]:
    """Those of a JSON value. What is not known is no fact, nor is how much memory a guest has."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in CHANGING | TELLING:
                yield from facts(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from facts(inner, path)
    elif value not in (None, "", 0):
        yield path if path.endswith("memory_bytes") else f"{path} = {value}"


def facts_in(text: str) -> set[str]:
    return set(facts(json.loads(text)))


def has_same_facts(clean: str, done: str) -> bool:
    return facts_in(clean) == facts_in(done)


def tells_what_it_leaves_out(clean: str, done: str) -> bool:
    """What is left out of maps or threads leaves the kind of other memory open."""
    before, after = facts_in(clean), facts_in(done)
    new = {fact for fact in after - before if not fact.startswith((".groups", ".mappings.group"))}
    told = any(json.loads(done).get(key) for key in TELLING)
    return not new and (after == before or told)


def has_each_cpu_and_node(clean: str, done: str) -> bool:
    def core(text: str) -> list[object]:
        machine = json.loads(text)
        nodes = [(n["id"], n["cpus"], n["memory_bytes"] > 0) for n in machine["nodes"]]
        return [nodes, machine["allowed"]]

    return core(clean) == core(done) and facts_in(done) <= facts_in(clean)


def is_verified(clean: str, done: str) -> bool:
    def pages(text: str) -> list[int]:
        memories = json.loads(text)["memories"]
        kinds = ("pages_on_node", "pages_on_no_node")
        return [sum(sum(memory[kind].values()) for kind in kinds) for memory in memories]

    told = all(memory["not_audited"] for memory in json.loads(done)["memories"])
    return json.loads(done)["verified"] is True and (told or pages(clean) == pages(done))


@pytest.fixture
def waiting() -> Iterator[int]:
    """A process of two threads, both asleep."""
    program = (
        "import sys, threading\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "print(flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-I", "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        tasks = Path(f"/proc/{process.pid}/task")
        while {(task / "stat").read_text().split()[2] for task in tasks.iterdir()} != {"S"}:
            pass
        yield process.pid
        process.kill()


def captured_system(folder: Path) -> None:
    """The files of a machine of two nodes, as hwloc reads them of one that it runs on."""
    for line in (ROOT / "tests/machines/offline-2x4.sysfs").read_text().splitlines():
        path, _, text = line.partition(":")
        file = folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as lines:
            lines.write(text + "\n")


def older_picture(folder: Path) -> None:
    """Longer than the one to come, and not for everybody's eyes."""
    picture = folder / "picture.svg"
    picture.write_text("older" * 100_000)
    picture.chmod(0o600)
    (folder / "link.svg").symlink_to("picture.svg")


def test_a_program_is_where_it_should_be_or_not_started(tmp_path: Path) -> None:
    look = ["grep", "-ohm1", r"bind:[0-9,-]*\|Cpus_allowed_list.*"]
    files = ["/proc/self/numa_maps", "/proc/self/status"]
    cpu = str(min(os.sched_getaffinity(0)))
    check(Command(["run", "-m", "all", "-C", cpu, "--", *look, *files]), tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ["run", "-i", "all", "--show", "--json"],
        ["run", "-w", "all", "--explain", "--json", "--", "true"],
        ["run", "--place", "name=optarg: interleave", "--explain", "--json", "--", "true"],
    ],
    ids=" ".join,
)
def test_what_a_run_says_of_itself_is_the_same(words: list[str], tmp_path: Path) -> None:
    check(Command(words), tmp_path, tells_what_it_leaves_out)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_interface_towards_a_host_is_the_same(host: str, tmp_path: Path) -> None:
    """A host's name would be looked up, and libc does not tell what it is refused in that."""
    words = ["run", "--near", f"ip:{host}", "--", "true"]
    check(Command(words, after='"/proc/self/status"'), tmp_path)


def test_where_says_what_it_leaves_out(waiting: int, tmp_path: Path) -> None:
    check(Command(["where", str(waiting), "--json"]), tmp_path, tells_what_it_leaves_out)


def test_a_repair_plans_all_or_nothing(waiting: int, tmp_path: Path) -> None:
    words = ["where", str(waiting), "--repair=interleave", "--dry-run", "--json"]
    check(Command(words), tmp_path, has_same_facts)


@pytest.mark.long  # The next has two nodes, and no plugins of hwloc, which load hundreds of files.
def test_a_topology_has_each_cpu_and_node(tmp_path: Path) -> None:
    check(Command(["topology", "--json"]), tmp_path, has_each_cpu_and_node)


def test_a_topology_of_two_nodes_has_each_cpu_and_node(tmp_path: Path) -> None:
    captured_system(tmp_path / "system")
    captured = {"HWLOC_FSROOT": str(tmp_path / "system")}
    command = Command(["topology", "--json"], captured | WITHOUT_PLUGINS)
    check(command, tmp_path, has_each_cpu_and_node)


def test_a_machine_file_is_read_whole(tmp_path: Path) -> None:
    words = ["topology", "--json", "--input", str(ROOT / "machines/quad-4x2.xml")]
    check(Command(words, WITHOUT_PLUGINS), tmp_path)


def test_a_picture_is_the_older_or_the_newer(tmp_path: Path) -> None:
    """From where the machine is known: each run that gets there draws, which takes a while."""
    words = ["topology", "--input=synthetic:numa:2 core:1 pu:1", "--svg={folder}/link.svg"]
    check(Command(words, prepare=older_picture, after="homenode-draw"), tmp_path)


def test_a_kernel_of_the_benchmark_is_as_planned_or_fails(tmp_path: Path) -> None:
    words = ["bench", "map", "--size=1M", "--threads=2", "--method=api", "--json"]
    check(Command(words, after='"/proc/self/status"'), tmp_path, tells_what_it_leaves_out)


def test_processes_of_the_benchmark_are_verified_or_it_fails(tmp_path: Path) -> None:
    words = ["bench", "numa-mem", "-p2", "-t2", "-P1", "-l2", "--json"]
    check(Command(words, after='"/proc/self/status"'), tmp_path, is_verified)

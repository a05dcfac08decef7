"""The real runners: how they see their machines, and what they say when they cannot."""

import os
import stat
import sys
from pathlib import Path

import pytest

from homenode import lab
from homenode.errors import NOT_SUPPORTED, USAGE
from homenode.node import Node
from homenode.study import command, host_runner, lab_runner
from homenode.study.errors import StudyError
from homenode.study.host_runner import HostRunner, read_machine
from homenode.study.lab_runner import LabRunner, machine_from
from homenode.study.machine import Machine
from homenode.study.runner import Outcome
from homenode.study.runners import runner_for_machine


def add_node(root: Path, node: int, cpus: str, memory_kib: int, distance: str) -> None:
    folder = root / f"node{node}"
    folder.mkdir(parents=True)
    (folder / "cpulist").write_text(cpus + "\n")
    (folder / "meminfo").write_text(
        f"Node {node} MemTotal:       {memory_kib} kB\nNode {node} MemFree:        17 kB\n"
    )
    (folder / "distance").write_text(distance + "\n")


def test_a_host_is_read_from_sysfs_with_sparse_ids_and_nodes_without_cpus(tmp_path: Path) -> None:
    add_node(tmp_path, 0, "0-2,8", 1024, "10 21 30")
    add_node(tmp_path, 10, "", 2048, "30 30 10")
    add_node(tmp_path, 2, "3", 0, "21 10 30")
    (tmp_path / "possible").write_text("0-10\n")
    machine = read_machine(tmp_path, "host-x")
    assert machine == Machine(
        "host-x",
        "",
        "host",
        (Node(0, (0, 1, 2, 8), 1 << 20), Node(2, (3,), 0), Node(10, (), 2 << 20)),
        ((10, 21, 30), (21, 10, 30), (30, 30, 10)),
    )
    assert Machine.from_json(machine.to_json()) == machine


def test_a_host_with_one_node_is_not_supported_and_says_what_to_do(tmp_path: Path) -> None:
    add_node(tmp_path, 0, "0", 1024, "10")
    with pytest.raises(StudyError, match="leave out --machine host") as raised:
        read_machine(tmp_path)
    assert raised.value.exit_code == NOT_SUPPORTED


def test_unreadable_nodes_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "node0").mkdir()
    with pytest.raises(StudyError, match="cannot read this machine's nodes"):
        read_machine(tmp_path)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostRunner:
    """A host with two nodes whose homenode is a small script."""
    add_node(tmp_path / "nodes", 0, "0", 1024, "10 20")
    add_node(tmp_path / "nodes", 1, "1", 1024, "20 10")
    two = read_machine(tmp_path / "nodes")
    monkeypatch.setattr(host_runner, "read_machine", lambda name: two)
    script = tmp_path / "homenode"
    script.write_text(
        f"#!{sys.executable}\nimport sys, time\n"
        "word = sys.argv[1]\n"
        "if word == '--version': print('homenode 9.9.9')\n"
        "elif word == 'hang': time.sleep(600)\n"
        "else: print('out', word); print('err', file=sys.stderr); sys.exit(3)\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(command.LIBEXEC, f"{tmp_path / 'none'}:{tmp_path}")
    return HostRunner()


def test_a_host_runs_commands_itself(host: HostRunner) -> None:
    with host as runner:
        words = [runner.program, "bench"]
        assert runner.run(words, 60) == Outcome(3, "out bench\n", "err\n", None, True)
        assert runner.versions()["homenode"] == runner.homenode_version == "9.9.9"
        assert runner.run(["/nonexistent"], 60).exit_code == 127


def test_the_clock_of_a_guest_is_not_a_real_one(
    host: HostRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert host.run([host.program, "bench"], 60).real_clock
    monkeypatch.setenv("HOMENODE_LAB", "quad-4x2")
    assert not host.run([host.program, "bench"], 60).real_clock


def test_a_command_that_does_not_end_is_killed(host: HostRunner) -> None:
    with pytest.raises(TimeoutError):
        host.run([host.program, "hang"], 0.01)


def test_without_a_command_the_error_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_candidates", lambda: iter([tmp_path / "homenode"]))
    with pytest.raises(StudyError, match="not on PATH"):
        command.find_command()
    with pytest.raises(StudyError, match="cannot get the version"):
        command.version_of(tmp_path / "homenode")


def test_the_guest_numbers_cpus_densely_and_has_the_labs_memory() -> None:
    described = lab.Machine(
        "odd",
        (Node(0, (0, 4), 1 << 40), Node(3, (2, 6), 0)),
        tuple(lab.machine.Cpu(cpu, 0, cpu) for cpu in (0, 2, 4, 6)),
        ((10, 20), (20, 10)),
        None,
        {"LabNodeMemoryMiB": "128"},
    )
    machine = machine_from(described, "d")
    assert machine.nodes == (Node(0, (0, 2), 128 << 20), Node(3, (1, 3), 0))
    assert (machine.kind, machine.distances) == ("lab", ((10, 20), (20, 10)))


@pytest.fixture
def made_up_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of which nobody asks the version."""
    monkeypatch.setattr(lab_runner, "find_command", lambda: Path("homenode"))
    monkeypatch.setattr(lab_runner, "version_of", lambda path: "9.9.9")


@pytest.mark.usefixtures("made_up_command")
@pytest.mark.parametrize("time", [None, False, True])
def test_the_lab_models_time_as_the_study_says(
    monkeypatch: pytest.MonkeyPatch, time: bool | None
) -> None:
    asked: list[object] = []

    class NoLab:
        def __init__(
            self,
            machine: lab.Machine,
            *,
            timing: bool | None,
            scale: int,
            huge_pages: bool | None,
            node_memory_mib: int | None,
        ) -> None:
            asked.append((timing, scale, huge_pages, node_memory_mib))
            raise lab.LabError("no lab here", NOT_SUPPORTED)

    monkeypatch.setattr(lab, "Lab", NoLab)
    runner = runner_for_machine("tiny-2x2", time, 4, huge_pages=False, node_memory_mib=96)
    with pytest.raises(StudyError, match="no lab here"), runner:
        pass
    assert asked == [(time, 4, False, 96)]


@pytest.mark.usefixtures("made_up_command")
def test_a_scaled_machine_is_another_machine() -> None:
    whole, quarter = LabRunner("quad-4x2").machine, LabRunner("quad-4x2", scale=4).machine
    assert quarter.name == "quad-4x2 1:4"
    assert quarter.digest != whole.digest
    assert quarter.nodes[1].memory_bytes == 1 << 30


@pytest.mark.usefixtures("made_up_command")
def test_a_machine_without_huge_pages_is_another_machine() -> None:
    with_some = LabRunner("quad-4x2").machine
    without = LabRunner("quad-4x2", huge_pages=False).machine
    assert without.name == with_some.name and without.digest != with_some.digest


@pytest.mark.usefixtures("made_up_command")
def test_a_machine_with_other_memory_is_another_machine() -> None:
    usual, more = (LabRunner("quad-4x2", node_memory_mib=mib).machine for mib in (None, 1024))
    assert more.nodes[1].memory_bytes == 1 << 30 > usual.nodes[1].memory_bytes
    assert more.digest != usual.digest
    with pytest.raises(StudyError, match="a node cannot have 1 MiB in the lab"):
        LabRunner("quad-4x2", node_memory_mib=1)


def test_this_machine_is_not_scaled() -> None:
    with pytest.raises(StudyError, match="only machines in the lab can be scaled") as raised:
        runner_for_machine("host", None, 2)
    assert raised.value.exit_code == USAGE


def test_an_unknown_machine_is_bad_usage() -> None:
    with pytest.raises(StudyError, match="no-such-machine") as raised:
        LabRunner("no-such-machine")
    assert raised.value.exit_code == USAGE


@pytest.mark.usefixtures("made_up_command")
@pytest.mark.parametrize(
    ("available", "at_once"), [(100 << 30, 3), (9 << 30, 2), (0, 1), (None, 1)]
)
def test_as_many_guests_as_cpus_where_memory_is_available(
    monkeypatch: pytest.MonkeyPatch, available: int | None, at_once: int
) -> None:
    monkeypatch.setattr(lab_runner, "host_memory_bytes", lambda *, available: available_bytes)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 5, 7})
    available_bytes = available
    assert LabRunner("quad-4x2", scale=4).at_once == at_once

"""Messages between PEs on four nodes lie where --messages says, and the access counts show it.

charm4py, which is real Charm++, runs the same two programs under maps of `homenode run`.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from homenode.lab import Lab, access_matrix

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NODES = range(4)
# One PE on each CPU, so two on each node, and neighbours of PE p on both sides: node n sends to
# itself and to both nodes beside it.
RING = "bench kneighbor --iterations 2 --steps 5 --message-size 16k --json"
GAS = "bench molecular2d --particles 200 --steps 2 --json"


def counted(lab: Lab, line: str) -> tuple[dict[str, Any], Any]:
    """The report of a command and its node x node counts."""
    result = lab.run(["sh", "-c", line], timeout_s=300)
    assert result.status == 0, result.stderr
    return json.loads(result.stdout), access_matrix(result.rois, lab.machine)


@pytest.fixture(scope="module")
def rings(quad: Lab, command: str) -> dict[str, tuple[dict[str, Any], Any]]:
    """The ring with messages on the node of either end."""
    return {
        rule: counted(quad, f"{command} {RING} --messages {rule}")
        for rule in ("sender", "receiver")
    }


def pages_on_nodes(report: dict[str, Any]) -> dict[str, int]:
    pages: dict[str, int] = report["runs"][0]["pages"]["messages"]["pages_on_node"]
    return pages


def figures(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {figure["name"]: figure for figure in report["runs"][0]["figures"]}


@pytest.mark.parametrize("rule", ["sender", "receiver"])
def test_all_message_pages_are_on_the_node_that_the_option_says(
    rings: dict[str, tuple[dict[str, Any], Any]], rule: str
) -> None:
    report, _ = rings[rule]
    found = figures(report)[f"message pages with the {rule}"]
    assert found["unit"] == f"of {found['value']:.0f}"
    assert set(pages_on_nodes(report)) == {str(node) for node in NODES}
    assert sum(pages_on_nodes(report).values()) == found["value"]
    assert [place["cpu"] for place in report["thread_places"]] == list(range(8))
    assert report["runs"][0]["verified"]


def share(rows: Any) -> float:
    """How much of some counts is local."""
    total = sum(sum(row) for row in rows)
    return sum(rows[node][node] for node in NODES) / total


def test_senders_write_locally_or_receivers_read_locally(
    rings: dict[str, tuple[dict[str, Any], Any]],
) -> None:
    with_sender, with_receiver = rings["sender"][1], rings["receiver"][1]
    assert share(with_sender.stores) > share(with_receiver.stores) + 0.2
    assert share(with_receiver.loads) > share(with_sender.loads) + 0.2


def test_a_policy_from_outside_places_what_is_touched_first(quad: Lab, command: str) -> None:
    line = f"{command} run --membind=2 -- {command} {RING} --messages first-touch"
    report, _ = counted(quad, line)
    assert set(pages_on_nodes(report)) == {"2"}


def test_a_strategy_places_messages_and_particles_alike(quad: Lab, command: str) -> None:
    report, _ = counted(quad, f"{command} {GAS} --messages strategy --strategy round-robin")
    for array in ("messages", "particles"):
        counts = report["runs"][0]["pages"][array]["pages_on_node"].values()
        assert len(counts) == 4
        assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("rule", ["sender", "receiver"])
def test_particles_are_those_of_the_serial_run_on_eight_pes(
    quad: Lab, command: str, rule: str
) -> None:
    report, _ = counted(quad, f"{command} {GAS} --messages {rule}")
    checks = {check["name"]: check for check in report["runs"][0]["checks"]}
    assert checks["particles other than in the serial run"]["value"] == 0
    assert all(check["passed"] for check in checks.values())


def test_a_run_that_is_killed_leaves_nothing_behind(command: str, tmp_path: Path) -> None:
    line = f"{command} bench kneighbor --threads 2 --iterations 1000000 --output report.json"
    process = subprocess.Popen(shlex.split(line), cwd=tmp_path, start_new_session=True)
    tasks = Path(f"/proc/{process.pid}/task")
    while len(list(tasks.iterdir())) < 2:  # Until the second PE is there.
        assert process.poll() is None
        os.sched_yield()
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert not list(tmp_path.iterdir())


# As in pyproject.toml, where it is not asked for then.
charm = pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="charm4py has no wheels for this Python"
)
MAP = "+setcpuaffinity +pemap"


def charm_run(command: str, cpus: str, program: str) -> list[str]:
    """A program of charm4py, one PE on each of the CPUs."""
    pes = len(cpus.split(","))
    start = f"{sys.executable} -m charmrun.start +p{pes} {EXAMPLES / program}"
    return shlex.split(f"{command} run {MAP} {cpus} -- {start}")


def answer(output: bytes) -> dict[str, Any]:
    lines = [line for line in output.decode().splitlines() if line.startswith("{")]
    found: dict[str, Any] = json.loads(lines[-1])
    return found


@charm
def test_charm4py_sums_what_kneighbor_sends_under_a_map(quad: Lab, command: str) -> None:
    line = charm_run(command, "6,0,3", "charm_kneighbor.py 7 2 3 256")
    result = quad.run(line, timeout_s=300)
    assert result.status == 0, result.stdout + result.stderr
    said = answer(result.stdout)
    assert said["pes"] == 3
    assert said["received"] == 7 * 6 * (1 + 2) * 3  # One iteration before those that are timed.
    assert said["wrong_sums"] == 0


@charm
@pytest.mark.parametrize("pes", [1, 2])
def test_charm4py_and_homenode_agree_on_the_particles(command: str, pes: int) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    chosen = ",".join(str(cpus[pe % len(cpus)]) for pe in range(pes))
    line = charm_run(command, chosen, "charm_molecular2d.py 400 60")
    peer = answer(subprocess.run(line, check=True, capture_output=True, timeout=300).stdout)
    own = subprocess.run(
        shlex.split(f"{command} bench molecular2d --particles 400 --steps 60 --threads 2 --json"),
        check=True,
        capture_output=True,
    )
    found = figures(json.loads(own.stdout))
    assert peer["particles"] == 400
    assert peer["momentum"] < 1e-9
    assert peer["moves"] == found["moves to another patch"]["value"] > 0
    drift = found["drift of the energy"]["value"]
    assert peer["energy_drift_percent"] == pytest.approx(drift, rel=1e-6)

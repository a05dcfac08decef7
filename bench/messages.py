"""Message-driven programs, natively and on charm4py, which is real Charm++: kNeighbor with messages
on the node of either end and from malloc, Molecular2D, each in turn with the same on charm4py."""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from messages_lab import compare
from ours import homenode

ROOT = Path(__file__).resolve().parents[1]
RULES = ("sender", "receiver", "malloc")
ELEMENTS = 7
PARTICLES = 5000


def last_json(words: list[str]) -> dict[str, Any]:
    """The last line of a command's output that is an object of JSON."""
    output = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    lines = [line for line in output.splitlines() if line.startswith("{")]
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def figure(report: dict[str, Any], name: str) -> float:
    """One of what a run says of itself."""
    run = report["runs"][0]
    assert run["verified"]
    return next(float(one["value"]) for one in run["figures"] if one["name"] == name)


def native(workload: str, pes: int, rule: str, options: list[str]) -> dict[str, Any]:
    """The report of one run of ours."""
    words = [homenode(), "bench", workload, "--threads", str(pes), "--messages", rule, "--json"]
    return last_json([*words, *options])


def charm(program: str, pes: int, numbers: list[int]) -> dict[str, Any]:
    """A program of examples/ on charm4py, its PEs on the CPUs that ours are on."""
    allowed = sorted(os.sched_getaffinity(0))
    cpus = ",".join(str(allowed[pe % len(allowed)]) for pe in range(pes))
    words = [homenode(), "run", "+setcpuaffinity", "+pemap", cpus, "--", sys.executable]
    words += ["-m", "charmrun.start", f"+p{pes}", str(ROOT / "examples" / program)]
    return last_json([*words, *map(str, numbers)])


def row(what: str, values: list[float], unit: str) -> None:
    """One line of the table."""
    print(
        f"{what:<52} {statistics.median(values):>12.3f} {unit} "
        f"(min {min(values):.3f}, max {max(values):.3f}, {len(values)} runs)",
        flush=True,
    )


def kneighbor(pes: int, size: int, runs: int, iterations: int) -> None:
    """The median step of each run, ours by rule and charm4py's in turn."""
    found: dict[str, list[float]] = {}
    options = ["--elements", str(ELEMENTS), "--message-size", str(size)]
    options += ["--iterations", str(iterations)]
    for _ in range(runs):
        for rule in RULES:
            report = native("kneighbor", pes, rule, options)
            found.setdefault(f"messages {rule}", []).append(figure(report, "median"))
        peer = charm("charm_kneighbor.py", pes, [ELEMENTS, max(iterations // 20, 1), 20, size])
        assert peer["wrong_sums"] == 0
        found.setdefault("charm4py", []).append(peer["us_a_step"])
    for who, values in found.items():
        row(f"kneighbor, {size} bytes, {pes} PEs, {who}", values, "us a step")


def molecular2d(pes: int, runs: int, steps: int) -> None:
    """Time of a step; both start alike, and must end with the same energy."""
    found: dict[str, list[float]] = {}
    options = ["--particles", str(PARTICLES), "--steps", str(steps)]
    for _ in range(runs):
        for rule in RULES:
            report = native("molecular2d", pes, rule, options)
            found.setdefault(f"messages {rule}", []).append(figure(report, "a step"))
        peer = charm("charm_molecular2d.py", pes, [PARTICLES, steps])
        drift = figure(report, "drift of the energy")
        assert abs(peer["energy_drift_percent"] - drift) <= 1e-6 * abs(drift), (peer, drift)
        found.setdefault("charm4py", []).append(peer["ms_a_step"])
    for who, values in found.items():
        row(f"molecular2d, {pes} PEs, {who}", values, "ms a step")


def messages(runs: int = 3, iterations: int = 100, steps: int = 51) -> None:
    """The table, with one and two PEs."""
    for pes in (1, 2):
        for size in (1024, 65536):
            kneighbor(pes, size, runs, iterations)
        molecular2d(pes, runs, steps)


def main(words: list[str]) -> int:
    """`./dev bench messages` with its options."""
    parser = argparse.ArgumentParser(prog="./dev bench messages", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--steps", type=int, default=51)
    parser.add_argument("--machine", help="of the lab: places of messages alone, modelled times")
    chosen = parser.parse_args(words)
    if chosen.machine:
        compare(chosen.machine, chosen.runs)
        return 0
    messages(chosen.runs, chosen.iterations, chosen.steps)
    return 0

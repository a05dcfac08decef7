"""What the lab costs: real programs and two walks, counted, timed, and under plain TCG, in turn."""

import json
import os
import random
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ours import homenode

from homenode.lab import Lab, Result

# Published rates, to compare ours with. Each is of one core of a host.
PUBLISHED = (
    "gem5, one detailed out-of-order core: about 0.1 million instructions per second (Sandberg, "
    "Hagersten and Black-Schaffer, Full Speed Ahead, IISWC 2015)",
    "Sniper, 16 cores on a host of 8: up to 2.0 million in all (Carlson, Heirman and Eeckhout, "
    "Sniper, SC 2011)",
)
IMPORTS = "import argparse, asyncio, decimal, email.message, json, subprocess"
REDIS_PORT = "7379"
REDIS = f"""
redis-server --port {REDIS_PORT} --save '' --daemonize no >/dev/null & server=$!
until redis-cli -p {REDIS_PORT} ping >/dev/null 2>&1; do sleep 0.1; done
redis-benchmark -p {REDIS_PORT} -n 1000 -c 10 -q -t set,get
kill $server; wait
"""
LINES = 180_000


@dataclass(frozen=True)
class Program:
    """What is run; `needs` is what has to be installed for it."""

    name: str
    command: list[str]
    needs: str = ""
    roi: Literal["markers", "all"] = "all"


def walk(order: str) -> list[str]:
    """A memory-bound loop: passes over an array far above any cache."""
    return [
        homenode(), "bench", "map", "--pattern", "shared", "--op", "read", "--threads", "1",
        "--order", order, "--size", "128M", "--passes", "4", "--json",
    ]  # fmt: skip


def programs(lines: Path) -> list[Program]:
    """The real programs, and the walks at the end."""
    cg = [homenode(), "bench", "npb", "cg", "--class", "S", "--threads", "2"]
    return [
        Program("CPython with imports", [sys.executable, "-I", "-c", IMPORTS]),
        Program("GNU sort", ["sort", str(lines), "-o", "/dev/null"], "sort"),
        Program("NPB CG S, 2 threads", ["env", "OMP_WAIT_POLICY=passive", *cg]),
        Program("Redis under load", ["sh", "-c", REDIS], "redis-server"),
        Program("random walk", walk("random"), roi="markers"),
        Program("sequential walk", walk("sequential"), roi="markers"),
    ]


def write_lines(path: Path) -> None:
    """Lines in no order, always the same ones."""
    source = random.Random(1)
    path.write_text("".join(f"{source.getrandbits(128):032x}\n" for _ in range(LINES)))


def programs_here(folder: Path) -> list[Program]:
    """The programs that are installed, with what they read in a folder; says which are not."""
    lines = folder / "lines"
    write_lines(lines)
    found = []
    for program in programs(lines):
        if program.needs and not shutil.which(program.needs):
            print(f"{program.name}: skipped, {program.needs} is not installed")
        else:
            found.append(program)
    return found


def cpu_seconds(lab: Lab) -> float:
    """The CPU time of the lab's QEMU since it began: user and system."""
    fields = Path(f"/proc/{lab.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cost(lab: Lab, program: Program) -> tuple[float, Result]:
    """The CPU time of QEMU for one run; for a walk, the host's time of its loop alone."""
    before = cpu_seconds(lab)
    result = lab.run(program.command, roi=program.roi)
    assert result.status == 0, (program.name, result.stderr.decode())
    if program.roi == "markers":
        return float(json.loads(result.stdout)["seconds"]["wall"]), result
    return cpu_seconds(lab) - before, result


def instructions(result: Result) -> int:
    """What the guest executed in the regions of interest, by the plugin's clocks."""
    return sum(
        int(vcpu["time"]["instructions"])
        for region in result.rois
        for vcpu in region.raw["vcpus"]
        if vcpu.get("time")
    )


def compare(program: Program, labs: dict[str, Lab], nothing: dict[str, float], runs: int) -> None:
    """Runs one program in every lab in turn, and prints what it cost."""
    ratios: dict[str, list[float]] = {"counted": [], "timed": []}
    rates, plain_s = [], []
    for _ in range(runs):
        row = {mode: cost(lab, program) for mode, lab in labs.items()}
        fixed = nothing if program.roi == "all" else dict.fromkeys(labs, 0.0)
        net = {mode: max(0.01, row[mode][0] - fixed[mode]) for mode in labs}
        plain_s.append(net["plain"])
        for mode, column in ratios.items():
            column.append(net[mode] / net["plain"])
        rates.append(instructions(row["timed"][1]) / net["timed"] / 1e6)
    words = ", ".join(
        f"{mode} / plain TCG {statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"
        for mode, values in ratios.items()
    )
    spent = "CPU time" if program.roi == "all" else "the loop"
    print(
        f"{program.name}: {words}; {statistics.median(rates):.1f} million modelled instructions "
        f"per second of {spent}; plain {statistics.median(plain_s):.2f} s, {runs} runs",
        flush=True,
    )


def lab_cost(runs: int = 3) -> None:
    """CPU time of QEMU for real programs, less that of `true`: counted and timed over plain TCG."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Lab("tiny-2x2", node_memory_mib=512, timing=True) as timed,
        Lab("tiny-2x2", node_memory_mib=512, timing=False) as counted,
        Lab("tiny-2x2", node_memory_mib=512, plugin=False) as plain,
    ):
        labs = {"plain": plain, "counted": counted, "timed": timed}
        true = Program("true", ["true"])
        for lab in labs.values():
            cost(lab, true)
        nothing = {
            mode: statistics.median(cost(lab, true)[0] for _ in range(3))
            for mode, lab in labs.items()
        }
        for program in programs_here(Path(folder)):
            for lab in labs.values():  # Once before it counts: files are read into the guest.
                cost(lab, program)
            compare(program, labs, nothing, runs)
    for rate in PUBLISHED:
        print(f"published: {rate}")

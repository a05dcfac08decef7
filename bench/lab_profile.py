"""Where QEMU's CPU time goes as the lab runs real programs: alone, counted and timed, by perf."""

import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tables
from lab_cost import Program, cost, programs_here

from homenode.lab import Lab

PARTS = ("plugin", "translated code", "QEMU", "host's kernel", "libraries")
SAMPLES_PER_S = 499


def part_of(module: str) -> str:
    """What the code of a module, as perf names it, is part of. The code that QEMU translates has
    memory without a name."""
    if module.startswith("homenode-lab"):
        return "plugin"
    if module.startswith("qemu-system"):
        return "QEMU"
    if module.startswith(("[kernel", "[vdso")):
        return "host's kernel"
    return "libraries" if ".so" in module else "translated code"


@contextmanager
def recorded(pid: int, file: Path) -> Iterator[None]:
    """perf samples a process, at so many points of its CPU time a second."""
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(SAMPLES_PER_S)]
    with subprocess.Popen([*command, "-p", str(pid), "-o", str(file)]) as perf:
        try:
            yield
        finally:
            perf.send_signal(signal.SIGINT)


def parts(file: Path) -> Counter[str]:
    """Samples by part."""
    command = ["perf", "report", "-i", str(file), "--sort", "dso", "-F", "sample,dso"]
    printed = subprocess.run(
        [*command, "--field-separator", "\t", "--stdio"], check=True, capture_output=True, text=True
    ).stdout
    found: Counter[str] = Counter()
    for line in printed.splitlines():
        samples, tab, module = line.strip().partition("\t")
        if tab and samples.strip().isdigit():
            found[part_of(module.strip())] += int(samples)
    return found


def shares(lab: Lab, program: Program, file: Path) -> list[str]:
    """The cells of a row: CPU time, and the share of each part."""
    with recorded(lab.pid, file):
        seconds, _ = cost(lab, program)
    found = parts(file)
    every = found.total()
    return [f"{seconds:.1f} s", *(f"{100 * found[part] / every:.0f} %" for part in PARTS)]


def lab_profile() -> None:
    """QEMU's CPU time by what its code is part of, for the programs of `./dev bench lab`."""
    if shutil.which("perf") is None:
        sys.exit("bench: perf is not installed (Debian: apt install linux-perf)")
    modes = {"counted": {"timing": False}, "timed": {"timing": True}, "plain": {"plugin": False}}
    with tempfile.TemporaryDirectory() as folder:
        here, file = programs_here(Path(folder)), Path(folder) / "perf.data"
        print(tables.head(("program", "the lab", "CPU time", *PARTS)))
        for mode, options in modes.items():
            with Lab("tiny-2x2", node_memory_mib=512, **options) as lab:
                for program in here:
                    cost(lab, program)
                    cells = shares(lab, program, file)
                    print(tables.row([program.name, mode, *cells]), flush=True)

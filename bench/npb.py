"""The NAS Parallel Benchmarks with one and two threads, beside other builds of them where a folder
of theirs is named: files such as cg.A.x, as NPB's own make files call them."""

import argparse
import json
import math
import shlex
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

KERNELS = ("ep", "cg", "mg", "ft", "is", "bt", "sp", "lu")


def peer_of(folder: Path, kernel: str, size: str) -> list[str]:
    """The option for the peer's binary, if the folder has it under one of NPB's names."""
    for name in (f"{kernel}.{size}.x", f"{kernel}.{size}"):
        if (folder / name).is_file():
            return ["--peer", shlex.quote(str((folder / name).resolve()))]
    return []


def measured(kernel: str, size: str, threads: int, options: list[str]) -> dict[str, Any]:
    """One report of `homenode bench npb`."""
    command = [shutil.which("homenode") or "homenode", "bench", "npb", kernel, "--class", size]
    command += ["--threads", str(threads), "--json", *options]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def npb(size: str = "A", runs: int = 5, folders: tuple[Path, ...] = ()) -> None:
    """Median rates, and with peers how many times as fast ours are, over all kernels too."""
    for threads in (1, 2):
        ratios = []
        for kernel in KERNELS:
            peers = [word for folder in folders for word in peer_of(folder, kernel, size)]
            report = measured(kernel, size, threads, ["--runs", str(runs), *peers])
            rate = statistics.median(run["rate"] for run in report["runs"])
            line = f"npb {kernel}, class {size}, {threads} threads: {rate:.1f} Mop/s"
            rates = [
                statistics.median(run["rate"] for run in peer["runs"]) for peer in report["peers"]
            ]
            if rates:
                ratios.append(rate / max(rates))
                line += f", best peer {max(rates):.1f}: {ratios[-1]:.2f} times as fast"
            print(line, flush=True)
        if ratios:
            mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
            print(f"npb, {threads} threads, geometric mean of {len(ratios)} kernels: {mean:.2f}")


def main(words: list[str]) -> int:
    """`./dev bench npb` with its options."""
    parser = argparse.ArgumentParser(prog="./dev bench npb", description=__doc__)
    parser.add_argument("--class", dest="size", default="A", choices=list("SWABCD"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peers", type=Path, action="append", default=[], metavar="FOLDER")
    chosen = parser.parse_args(words)
    npb(chosen.size, chosen.runs, tuple(chosen.peers))
    return 0

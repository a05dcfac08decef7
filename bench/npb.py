"""The NAS Parallel Benchmarks with one and two threads, beside other builds of them where a folder
of theirs is named: files such as cg.A.x, as NPB's own make files call them. With --verify, no rates
but every kernel with several numbers of threads under every strategy: is each run right?"""

import argparse
import json
import math
import shlex
import statistics
import subprocess
from pathlib import Path
from typing import Any

from npb_verify import KERNELS, THREADS, cases_of, runner_on, verify
from ours import homenode


def peer_of(folder: Path, kernel: str, size: str) -> list[str]:
    """The option for the peer's binary, if the folder has it under one of NPB's names."""
    for name in (f"{kernel}.{size}.x", f"{kernel}.{size}"):
        if (folder / name).is_file():
            return ["--peer", shlex.quote(str((folder / name).resolve()))]
    return []


def measured(kernel: str, size: str, threads: int, options: list[str]) -> dict[str, Any]:
    """One report of `homenode bench npb`."""
    command = [homenode(), "bench", "npb", kernel, "--class", size]
    command += ["--threads", str(threads), "--json", *options]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def compared(kernel: str, report: dict[str, Any], rate: float) -> tuple[str, float | None]:
    """What to say of the peers of one kernel, and how many times as fast as the best ours is."""
    runs = [run for peer in report["peers"] for run in peer["runs"]]
    if not runs:
        return "", None
    if any(run["rate"] is None for run in runs):
        return f"; a peer of {kernel} prints no rate", None
    best = max(statistics.median(run["rate"] for run in peer["runs"]) for peer in report["peers"])
    unsure = sum(run["verified"] is not True for run in runs)
    said = f", best peer {best:.1f}: {rate / best:.2f} times as fast"
    if unsure:
        said += f" ({unsure} of the peers' {len(runs)} runs do not report that they were verified)"
    return said, rate / best


def npb(
    size: str = "A",
    runs: int = 5,
    folders: tuple[Path, ...] = (),
    kernels: tuple[str, ...] = KERNELS,
    threads: tuple[int, ...] = (1, 2),
) -> None:
    """Median rates, and with peers how many times as fast ours are, over all kernels too."""
    for team in threads:
        ratios = []
        for kernel in kernels:
            peers = [word for folder in folders for word in peer_of(folder, kernel, size)]
            report = measured(kernel, size, team, ["--runs", str(runs), *peers])
            rate = statistics.median(run["rate"] for run in report["runs"])
            said, ratio = compared(kernel, report, rate)
            print(f"npb {kernel}, class {size}, {team} threads: {rate:.1f} Mop/s{said}", flush=True)
            if ratio is not None:
                ratios.append(ratio)
        if ratios:
            mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
            print(f"npb, {team} threads, geometric mean of {len(ratios)} kernels: {mean:.2f}")


def main(words: list[str]) -> int:
    """`./dev bench npb` with its options."""
    parser = argparse.ArgumentParser(prog="./dev bench npb", description=__doc__)
    parser.add_argument("--class", dest="sizes", action="append", choices=list("SWABCD"))
    parser.add_argument("--kernel", dest="kernels", action="append", choices=KERNELS)
    parser.add_argument("--threads", type=int, action="append", metavar="N")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peers", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--verify", action="store_true", help="look whether each run is right")
    parser.add_argument("--machine", help="with --verify: in the lab, on this machine")
    chosen = parser.parse_args(words)
    kernels = tuple(chosen.kernels or KERNELS)
    if chosen.verify:
        cases = cases_of(chosen.sizes or ["S"], kernels, chosen.threads or THREADS)
        with runner_on(chosen.machine) as run:
            return verify(cases, run)
    for size in chosen.sizes or ["A"]:
        npb(size, chosen.runs, tuple(chosen.peers), kernels, tuple(chosen.threads or (1, 2)))
    return 0

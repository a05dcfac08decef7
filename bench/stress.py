"""The daemon stress test of De Santis' study, mode by mode, in the lab: plain, numad, membind and
the kernel's balancing side by side, as a table of the document. Counts of pages and places of a
real kernel and a real numad; the lab's times say nothing here and are left out.

    ./dev bench stress                             on quad-4x2
    ./dev bench stress --machine desantis-8x4 --threads-per-node 4 --block 24m
"""

import argparse
import json
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import tables
from ours import homenode

from homenode.lab import Lab

MODES = ("plain", "numad", "membind", "kernel", "balance")
HEADINGS = (
    "mode",
    "pattern",
    "pages moved, of those looked at",
    "useless moves of all",
    "pages moved, system",
    "local share, start to end",
)


def guest_script(command: str, options: argparse.Namespace) -> str:
    """What runs in the guest, one pattern after the other."""
    lines = []
    for pattern in options.pattern.split(","):
        words = [
            command, "bench", "stress", "--json", "--pattern", pattern,
            "--modes", options.modes, "--seconds", str(options.seconds),
            "--block", options.block, "--interval", "2",
        ]  # fmt: skip
        if "membind" in options.modes.split(","):
            words += ["--membind", options.membind]
        if options.threads_per_node:
            words += ["--threads-per-node", str(options.threads_per_node)]
        lines.append(shlex.join(words) + " || exit $?")
    return "\n".join(lines)


def row(mode: str, report: Mapping[str, Any]) -> list[str]:
    """A line of the table."""
    moves, shares = report["moves"], [sample["local_share"] for sample in report["samples"]]
    return [
        mode,
        report["options"]["pattern"],
        f"{moves['pages_moved']} of {report['sampled_pages']}",
        f"{moves['useless']} of {moves['moves']}",
        str(report["system_moves"]["pgmigrate_success"]),
        f"{100 * shares[0]:.1f} to {100 * shares[-1]:.1f} %",
    ]


def table(lines: Sequence[str]) -> str:
    """The comparisons that the guest printed, as a table in Markdown."""
    modes = [each for line in lines for each in json.loads(line)["modes"]]
    rows = [tables.row(row(each["mode"], each["report"])) for each in modes]
    return "\n".join([tables.head(HEADINGS), *rows])


def stress(arguments: Sequence[str] = ()) -> None:
    """Runs the comparison in one lab and prints its table."""
    options = _options(arguments)
    command = homenode()
    if "numad" in options.modes.split(",") and not shutil.which("numad"):
        sys.exit("bench stress: there is no numad here; install it, or leave it out of --modes")
    with Lab(options.machine, node_memory_mib=options.node_memory, plugin=False) as lab:
        result = lab.run(["sh", "-c", guest_script(command, options)], timeout_s=options.timeout)
    if result.status != 0:
        sys.exit(f"bench stress: exit code {result.status}: {result.stderr.decode().strip()}")
    print(table(result.stdout.decode().splitlines()))


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench stress", description=__doc__)
    parser.add_argument("--machine", default="quad-4x2", help="of the lab's catalogue")
    parser.add_argument(
        "--modes", default=",".join(MODES), help="plain, numad, membind, kernel, balance"
    )
    parser.add_argument("--membind", default="1,3", help="nodes of the mode membind")
    parser.add_argument("--pattern", default="1,2", help="1, 2, random")
    parser.add_argument("--threads-per-node", type=int, default=1, help="0: one for each CPU")
    parser.add_argument("--block", default="90m", help="memory of each thread; numad wants 300 MB")
    parser.add_argument(
        "--seconds", type=float, default=45, help="of each mode, on the host's clock"
    )
    parser.add_argument(
        "--node-memory", type=int, default=1024, help="MiB of each of the lab's nodes"
    )
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for all of it")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """The benchmark by its own command line."""
    stress(arguments)
    return 0

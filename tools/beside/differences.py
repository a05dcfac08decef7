"""Every known difference between numactl 2.0.19 and `homenode run`, for docs/beside-numactl.md.

`PYTHONPATH=tools python3 -m beside.differences > docs/beside-numactl.md` writes that page, and
`NUMACTL_SOURCE=... ./dev bench numactl --lines` checks the rows against both commands.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

WITH_POLICIES = ("full", "cpuset", "taskset")
UNLIMITED_MEMORY = ("full", "taskset")
# Of lines.txt: what numactl would do without the filter.
BY_NODE = (
    *(f"-N {nodes}" for nodes in ("0", "1", "2", "3", "1-2", "0,3", "0-3", "all")),
    *(f"-N {nodes}" for nodes in ("!0", "!1", "!3", "+0", "+1", "+2", "+0-1", "!+0")),
    *("-c 1", "-c 3", "--cpubind=0", "--cpubind=1", "--cpunodebind=all", "--cpunodebind=!1"),
    *("--cpunode 2", "-N 0 -N 2", "-C 0 -N 2", "-N 2 -C 2", "-a -N 3", "-a -N all"),
)
LIMITS = {
    "full": "nothing is limited",
    "cpuset": "a cpuset allows CPUs 2-5 and the memory of nodes 1-2",
    "taskset": "the affinity is CPUs 0-1, those of node 0",
    "seccomp": "a filter forbids the system calls of memory policies, as containers do",
}


@dataclass(frozen=True)
class Difference:
    """One row. `refused` is whether homenode refuses the lines."""

    lines: tuple[str, ...]
    surroundings: tuple[str, ...]
    numactl: str
    homenode: str
    refused: bool = False


DIFFERENCES = (
    Difference(
        ("-i 2-1",),
        WITH_POLICIES,
        "takes the first number of a range that runs backwards",
        "refuses it",
        refused=True,
    ),
    Difference(
        ("-C 3-2",),
        ("full", "cpuset", "seccomp"),
        "takes the first number of a range that runs backwards",
        "refuses it",
        refused=True,
    ),
    Difference(
        ("-C !0", "-C !+0"),
        ("taskset",),
        "excludes from all CPUs, and so leaves the affinity",
        "excludes from the CPUs of the affinity; with --all from all",
    ),
    Difference(
        BY_NODE,
        ("seccomp",),
        "refuses to bind CPUs by node where policies are forbidden, which it does not need",
        "binds",
    ),
    Difference(
        ("-H", "--hardware", "--hardware --cpu-compress"),
        ("seccomp",),
        "prints no hardware where policies are forbidden",
        "prints it",
    ),
    Difference(
        ('-i ""',),
        WITH_POLICIES,
        "takes an empty list for no policy",
        "refuses it",
        refused=True,
    ),
    Difference(
        ("-i !0-3",),
        UNLIMITED_MEMORY,
        "starts the program without a policy where a list excludes every node",
        "refuses it",
        refused=True,
    ),
    Difference(
        ("-m 1 -b",),
        WITH_POLICIES,
        "wants --balancing before --membind",
        "takes both orders",
    ),
    Difference(
        ("-s -m 1",),
        WITH_POLICIES,
        "prints at --show and forgets what follows",
        "sets everything, then prints what holds",
    ),
    Difference(
        ("--length 64k --file F -p 1 --touch --dump",),
        WITH_POLICIES,
        "sets preferred-many of one node for --preferred on shared memory",
        "sets preferred",
    ),
    Difference(
        ("--length 64k --file F -P 1,2 --dump",),
        WITH_POLICIES,
        "takes the first node alone for --preferred-many on shared memory",
        "takes all nodes",
    ),
    Difference(
        ("--length 64k --file F -w 1,2 --dump",),
        WITH_POLICIES,
        "interleaves shared memory without weights for --weighted-interleave",
        "sets weighted interleave",
    ),
    Difference(
        ("--offset 16k --length 16k --file F -m 1 --touch --dump",),
        WITH_POLICIES,
        "refuses --touch where the offset is not below the length",
        "touches the range",
    ),
)

PAGE = (Path(__file__).parent / "page.md").read_text()


def page(count: int) -> str:
    """The document, for so many lines."""
    limits = "\n".join(f"- {name}: {what}" for name, what in LIMITS.items())
    rows = []
    for row in DIFFERENCES:
        shown = ", ".join(f"`{line}`" for line in row.lines[:3])
        if len(row.lines) > 3:
            shown += f" and {len(row.lines) - 3} more"
        rows.append(f"| {shown} | {', '.join(row.surroundings)} | {row.numactl} | {row.homenode} |")
    return PAGE.format(count=count, limits=limits, rows="\n".join(rows))


if __name__ == "__main__":
    from beside.lines import LINES

    sys.stdout.write(page(len(LINES)))

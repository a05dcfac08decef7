"""Starting a program through `homenode run` and through numactl, in turn, on this host."""

import shutil

from side_by_side import compare

CASES = (
    ("no option", []),
    ("--interleave=all", ["--interleave=all"]),
    ("--cpunodebind=0 --membind=0", ["--cpunodebind=0", "--membind=0"]),
)


def start(runs: int = 301) -> None:
    """The time of a program that does nothing, by us and by numactl."""
    programs = [shutil.which(name) for name in ("homenode", "numactl", "true")]
    homenode, numactl, true = (path or "" for path in programs)
    if not all(programs):
        print("start: left out, homenode or numactl is not on PATH")
        return
    for name, options in CASES:
        ours = [homenode, "run", *options, "--", true]
        theirs = [numactl, *options, "--", true]
        what = f"start of a program, {name}, homenode run / numactl"
        compare(what, ours, theirs, runs)

"""What it takes to start: a program through `homenode run` and through numactl, the help and the
version beside numactl's, and `homenode topology` beside lstopo; in turn, on this host."""

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
    for option in ("--help", "--version"):
        # numactl takes either for a mistake and prints its usage.
        ours, theirs = [homenode, option], [numactl, option]
        what = f"homenode {option} / numactl {option}"
        compare(what, ours, theirs, runs, silent=True, their_exit_code=1)
    lstopo = shutil.which("lstopo-no-graphics")
    if lstopo is None:
        print("start: topology left out, lstopo-no-graphics (Debian's hwloc) is not on PATH")
        return
    what = "homenode topology / lstopo-no-graphics"
    compare(what, [homenode, "topology"], [lstopo], runs, silent=True)

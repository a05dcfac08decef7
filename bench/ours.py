"""The command that the benchmarks measure."""

import shutil
import sys


def homenode() -> str:
    """The first `homenode` on PATH; ends the benchmark where there is none."""
    return shutil.which("homenode") or sys.exit("homenode is not on PATH; './dev build' makes it")

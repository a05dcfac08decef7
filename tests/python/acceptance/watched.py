"""Runs, in the guest, a program without huge pages; says what every thread waits for if it hangs.

watched.py SECONDS PROGRAM…
"""

import contextlib
import ctypes
import subprocess
import sys
from pathlib import Path

PR_SET_THP_DISABLE = 41


def tell_of_threads() -> None:
    for task in sorted(Path("/proc").glob("[0-9]*/task/[0-9]*")):
        with contextlib.suppress(OSError):
            facts = [(task / name).read_text().strip() for name in ("comm", "wchan", "syscall")]
            print(task, *facts, file=sys.stderr)


def main() -> int:
    # Of this process, and so of all that it starts.
    assert ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0
    program = subprocess.Popen(sys.argv[2:])
    try:
        return program.wait(float(sys.argv[1]))
    except subprocess.TimeoutExpired:
        tell_of_threads()
        program.kill()
        return 1


if __name__ == "__main__":
    sys.exit(main())

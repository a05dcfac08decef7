"""What a study asks of an engine: to run command lines of homenode on whatever computers it has.

An engine knows nothing of cases and records. The study keeps the records, in its one store.
"""

import subprocess
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Ended:
    """How one of the commands ended; `index` is its place among those that were given.

    `exit_code` is None where the computer that ran it was lost, and `stderr` then says so.
    """

    index: int
    exit_code: int | None
    stdout: str
    stderr: str


class Engine(Protocol):
    """Computers that can run `homenode ARGUMENTS`, each with this version of homenode."""

    def run(self, commands: Sequence[Sequence[str]]) -> Generator[Ended, None, None]:
        """Runs the commands' arguments, and yields each one's end once, as they come.

        Closing the iterator early ends what still runs. Raises StudyError where the engine
        itself cannot be had.
        """


def run_here(arguments: Sequence[str]) -> tuple[int, str, str]:
    """Runs a Python verb of homenode on this computer: exit code, output, errors."""
    command = [sys.executable, "-m", "homenode.command", *arguments]
    done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return (
        done.returncode,
        done.stdout.decode(errors="replace"),
        done.stderr.decode(errors="replace"),
    )

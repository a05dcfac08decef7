"""Commands that leave no process behind, however they or this program end.

Each command has a session of its own, whose processes are killed when it has ended. A shell writes
the session's number to a file before it becomes the command; a guard, another shell, waits for the
end of this program, be it by SIGKILL, and then kills what the file names.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from homenode.tune.errors import TuneError

# The file's name is an argument, and the command follows: no quoting.
START = '[ -e "$0" ] && echo $$ >>"$0" && exec "$@"'
# It reads until this program says that nothing runs, or its end of the pipe is gone. Then a command
# may be about to start: it looks twice, and what comes later finds no file.
GUARD = (
    'trap "" INT TERM HUP; read -r word; if [ "$word" != done ]; then for again in 1 2; do '
    'while read -r one; do kill -s KILL -- "-$one" 2>/dev/null; done <"$0"; sleep 0.2; done; fi; '
    'rm -f "$0"'
)
NOT_STARTED = (126, 127)
PATIENCE_S = 5.0  # From SIGTERM to SIGKILL.


@dataclass(frozen=True)
class Ended:
    """The end of a command: its exit code as of subprocess, and its time."""

    code: int
    seconds: float
    timed_out: bool = False


class Command:
    """One command that was started."""

    def __init__(
        self, words: Sequence[str], running: Path, output: IO[bytes], errors: IO[bytes], stdin: int
    ) -> None:
        self._began = time.monotonic()
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", START, str(running), *words],
            stdin=stdin,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )

    def wait(self, limit_s: float | None) -> Ended:
        """Waits for its end; kills it after `limit_s`."""
        try:
            code = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.kill(signal.SIGKILL)
            return Ended(self.process.wait(), self.seconds, timed_out=True)
        return Ended(code, self.seconds)

    @property
    def seconds(self) -> float:
        """Since its start."""
        return time.monotonic() - self._began

    def kill(self, number: signal.Signals) -> None:
        """Sends a signal to all its processes."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def end(self) -> None:
        """As one ends a server: SIGTERM, and SIGKILL for what does not heed it."""
        self.kill(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE_S)

    def close(self) -> None:
        """Kills what remains of it."""
        self.kill(signal.SIGKILL)
        self.process.wait()


class Processes:
    """Starts commands in the folder `folder`, which has the file that the guard reads."""

    def __init__(self, folder: Path) -> None:
        self._running = folder / "running"
        self._open = 0  # Commands that were to start and are not known to have ended.

    @contextmanager
    def started(
        self,
        words: Sequence[str],
        output: IO[bytes],
        errors: IO[bytes],
        stdin: int = subprocess.DEVNULL,
    ) -> Iterator[Command]:
        """A command that runs until its end or that of the block. Raises TuneError.

        An interrupt may come at any point of this; what is not counted back is the guard's.
        """
        self._open += 1
        try:
            command = Command(words, self._running, output, errors, stdin)
        except OSError as error:
            self._open -= 1
            raise TuneError(f"cannot start /bin/sh: {error.strerror}") from error
        try:
            yield command
        finally:
            command.close()
            self._forget(command.process.pid)
            self._open -= 1

    def _forget(self, session: int) -> None:
        lines = self._running.read_text().splitlines(keepends=True)
        self._running.write_text("".join(line for line in lines if line != f"{session}\n"))

    def __enter__(self) -> Self:
        try:
            self._running.write_text("")
            self._guard = subprocess.Popen(
                ["/bin/sh", "-c", GUARD, str(self._running)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise TuneError(
                f"cannot write to {self._running.parent}: {error.strerror}; name another folder "
                "with --results"
            ) from error
        return self

    def __exit__(self, *error: object) -> None:
        assert self._guard.stdin is not None
        with suppress(BrokenPipeError):
            self._guard.communicate(b"done\n" if self._open == 0 else b"")

"""Starts one program under one allocator; says what it used and whose malloc it called."""

import json
import os
import re
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

FAMILY = ("malloc", "free", "calloc", "realloc")
BINDING = re.compile(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `(\w+)'")


class FailedError(Exception):
    """A program that did not end as it should; the text says how."""


@dataclass(frozen=True)
class Usage:
    """What a program and the children that it waited for used."""

    user_s: float
    system_s: float
    wall_s: float
    peak_kib: int

    @property
    def cpu_s(self) -> float:
        """All CPU time: work that an allocator leaves to the kernel counts."""
        return self.user_s + self.system_s


def environment(extra: dict[str, str]) -> dict[str, str]:
    """Ours without what would change an allocator's behaviour, and with what a program needs."""
    changing = ("MALLOC_", "MIMALLOC_", "TCMALLOC_", "TBB_", "HOMENODE_MALLOC_", "LD_", "GLIBC_")
    kept = {key: text for key, text in os.environ.items() if not key.startswith(changing)}
    return {**kept, **extra}


class Launched:
    """A command that runs under the launcher; what it prints goes to a file of its own."""

    def __init__(
        self, launcher: Path, preload: str, command: list[str], folder: Path, extra: dict[str, str]
    ) -> None:
        handle, report = tempfile.mkstemp(dir=folder, suffix=".json")
        os.close(handle)
        self._report = Path(report)
        self._command = command
        self._output = (folder / "output").open("w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            [str(launcher), report, preload, *command],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment(extra),
        )

    def stop(self) -> None:
        """Ends it; nothing is left running."""
        self._process.send_signal(signal.SIGTERM)  # The launcher passes it on.
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()  # What it started dies with it.
            self._process.wait()
        self._output.close()

    def finish(self, timeout_s: float = 300.0) -> tuple[Usage, str]:
        """What it used and what it printed."""
        try:
            code = self._process.wait(timeout_s)
        except BaseException as error:
            self.stop()
            if isinstance(error, subprocess.TimeoutExpired):
                raise FailedError(f"{self._command[0]} did not end in {timeout_s:.0f} s") from error
            raise
        with self._output as output:
            output.seek(0)
            printed = output.read()
        report = self._report.read_text()
        self._report.unlink()
        if code != 0:
            last = printed.strip().splitlines()[-1:]
            raise FailedError(f"{Path(self._command[0]).name} ended with {code}: {' '.join(last)}")
        return Usage(**json.loads(report)), printed


def owners(log: str, preload: str) -> set[str]:
    """The libraries that others than the allocator itself got the malloc family from, by what the
    dynamic linker logged of one process. A program that takes a function's address has an entry of
    its own that jumps there, which others are then bound to; it is followed."""
    own = str(Path(preload).resolve())
    bound: dict[tuple[str, str], str] = {}
    for user, library, symbol in BINDING.findall(log):
        if symbol in FAMILY and str(Path(user).resolve()) != own:
            bound[symbol, user] = library
    ends = (bound.get((symbol, library), library) for (symbol, _), library in bound.items())
    return {str(Path(end).resolve()) for end in ends}


def traced(command: list[str], log: Path) -> list[str]:
    """A command whose dynamic linker writes what it binds to files `log`.PID."""
    return ["/usr/bin/env", "LD_DEBUG=bindings", f"LD_DEBUG_OUTPUT={log}", *command]

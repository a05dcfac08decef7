"""A command line in the lab: each line is a program of one guest, and the next goes on from it."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from signal import SIGINT
from typing import IO

from homenode.lab import render
from homenode.lab.errors import StoppedError
from homenode.lab.lab import Lab
from homenode.lab.own_region import RoiChoice, chosen
from homenode.lab.signals import ending
from homenode.lab.text import say

# What a line leaves for the next one lies in the guest, which forgets it with everything else.
STATE = "/tmp/.homenode-lab-enter"
# A line is the shell's first argument, so that nothing in it needs quoting. Its directory is PWD in
# what `export -p` prints. A line that cannot be parsed, or ends the shell, leaves its state, too.
SCRIPT = f"""
if [ -r {STATE} ]; then . {STATE}; cd -- "$PWD"; fi
trap 'export PWD; export -p > {STATE}' EXIT
eval "$1"
"""


def words(line: str) -> list[str]:
    """The program that runs a line."""
    return ["/bin/sh", "-c", SCRIPT, "sh", line]


def exit_code_of(line: str, last: int) -> int | None:
    """The exit code if the line ends the command line: `exit`, alone or with a number."""
    name, *rest = line.split() or [""]
    if name != "exit" or len(rest) > 1 or not all(word.isdecimal() for word in rest):
        return None
    return int(rest[0]) & 0xFF if rest else last


class Shell:
    """Reads lines and runs them in a lab that was entered."""

    def __init__(self, lab: Lab, roi: RoiChoice | None, stats: bool):
        self._lab = lab
        self._roi = roi
        self._stats = stats

    def read(self, source: IO[str]) -> int:
        """Runs every line to the end of the input; returns the exit code of the last."""
        status = 0
        for line in self._lines(source):
            code = exit_code_of(line, status)
            if code is not None:
                return code
            if line.strip():
                status = self._run(line)
        return status

    def _run(self, line: str) -> int:
        command = words(line)
        roi = chosen(self._roi, self._stats, command)
        result = self._lab.run(command, roi=roi, stdout=sys.stdout.buffer, stderr=sys.stderr.buffer)
        if self._lab.ran_out_of_memory:
            say("the guest ran out of memory and killed the program; raise --node-memory")
        if self._stats:
            rois = self._lab.rois(result.counts_from)
            text = render.stats_text(rois, self._lab.machine, everything=roi == "all")
            with suppress(BrokenPipeError):
                print(text, file=sys.stderr, flush=True)
        return result.status

    def _lines(self, source: IO[str]) -> Iterator[str]:
        """From a terminal with a prompt and a history, else as they come."""
        if source.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401 - its presence gives input() a history.
        while (line := self._next(source)) is not None:
            yield line

    def _next(self, source: IO[str]) -> str | None:
        """The next line, None at the end. At a prompt, Ctrl-C only begins a new line."""
        try:
            with ending():
                if source.isatty():
                    return input(f"{self._lab.machine.name}> ")
                line = source.readline()
                return line.removesuffix("\n") if line else None
        except EOFError:
            print()
            return None
        except StoppedError as error:
            if error.number != SIGINT or not source.isatty():
                raise
            print()
            return ""

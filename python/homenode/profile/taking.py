"""Has `homenode sample` or the lab write samples, shows how that goes, and waits for its end.

Ctrl-C ends the sampling of a process that ran before, and not the process; a program that was
started for the profile gets it as it would without, and what was seen until then is shown.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rich.console import Console

from homenode.errors import USAGE
from homenode.profile.errors import ProfileError
from homenode.profile.record import RECORD
from homenode.profile.recording import BLOCK, HEADER
from homenode.study.command import find_command
from homenode.study.errors import StudyError

AUTO, LAB = "auto", "lab"
LOOK_S = 0.5
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Request:
    """What to sample: a process, or a program to start; here, or in the lab on a machine."""

    source: str
    pid: int | None
    program: tuple[str, ...]
    machine: str | None
    duration_s: float | None
    overhead: str | None


def take(request: Request, samples: Path) -> int:
    """Writes the sample file; returns the exit code of what wrote it. Raises ProfileError."""
    if request.machine is not None and request.source in (AUTO, LAB):
        return _in_lab(request, request.machine, samples)
    return _sampled(request, samples)


def _in_lab(request: Request, machine: str, samples: Path) -> int:
    """Exact counts: the lab counts every access of the program from its start to its end."""
    if request.pid is not None:
        raise ProfileError("the lab profiles programs that it starts; write one after --", USAGE)
    if request.duration_s is not None:
        raise ProfileError(
            "the lab counts a program from its start to its end; leave --duration out", USAGE
        )
    from homenode.lab.errors import LabError
    from homenode.profile import lab_source

    try:
        done = lab_source.record(machine, request.program, samples, stdin=sys.stdin.fileno())
    except LabError as error:
        raise ProfileError(str(error), error.exit_code) from error
    return int(done.status)


def command_line(request: Request, samples: Path, command: Path) -> list[str]:
    """The words of `homenode sample`."""
    words = [str(command), "sample", "--with", request.source, "--output", str(samples)]
    if request.machine is not None:
        words += ["--machine", request.machine]
    if request.duration_s is not None:
        words += ["--duration", f"{request.duration_s:g}"]
    if request.overhead is not None:
        words += ["--overhead", request.overhead]
    return [*words, "--", *request.program] if request.program else [*words, str(request.pid)]


def _sampled(request: Request, samples: Path) -> int:
    try:
        command = find_command()
    except StudyError as error:
        raise ProfileError(str(error), error.exit_code) from error
    try:
        sampler = subprocess.Popen(command_line(request, samples, command))
    except OSError as error:
        raise ProfileError(f"cannot start {command}: {error.strerror}; reinstall homenode") from (
            error
        )
    with _passed_on(sampler, only_others=request.pid is None):
        return _wait(sampler, samples, shown=_has_terminal(request))


def _has_terminal(request: Request) -> bool:
    """A moving line stands in nobody's way: the program does not write to the same terminal."""
    return sys.stderr.isatty() and (request.pid is not None or not sys.stdout.isatty())


def _wait(sampler: "subprocess.Popen[bytes]", samples: Path, *, shown: bool) -> int:
    """Waits for the sampler's end; returns its exit code as a shell would."""
    growth = Growth(samples)
    with _status(shown) as say:
        while True:
            try:
                code = sampler.wait(LOOK_S)
            except subprocess.TimeoutExpired:
                say(f"{growth.look():,} samples; Ctrl-C shows what was seen")
                continue
            return code if code >= 0 else 128 - code


@contextmanager
def _status(shown: bool) -> Iterator[Callable[[str], None]]:
    """The moving line on a terminal; elsewhere nothing is said."""
    if not shown:
        yield lambda text: None
        return
    with Console(stderr=True).status("starting") as status:
        yield lambda text: status.update(text)


@contextmanager
def _passed_on(sampler: "subprocess.Popen[bytes]", *, only_others: bool) -> Iterator[None]:
    """Signals end the sampling, not this command. A Ctrl-C for a program that was started reaches
    it by itself, through the terminal, when `only_others`."""

    def pass_on(number: int, _: FrameType | None) -> None:
        if not (only_others and number == signal.SIGINT and os.isatty(0)):
            sampler.send_signal(number)

    before = {
        number: signal.signal(number, pass_on)
        for number in PASSED_ON
        if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


class Growth:
    """Counts the samples of a file that grows, block by block."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = HEADER.size
        self._samples = 0

    def look(self) -> int:
        """The samples until now; those of the last time while the file cannot be read."""
        try:
            with self._path.open("rb") as file:
                while True:
                    file.seek(self._at)
                    head = file.read(BLOCK.size)
                    if len(head) < BLOCK.size:
                        break
                    kind, size = BLOCK.unpack(head)
                    self._at += BLOCK.size + size
                    if kind == b"SMPL":
                        self._samples += size // RECORD.itemsize
        except OSError:
            pass
        return self._samples

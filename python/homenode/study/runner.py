"""What the study asks of whoever runs its cases: a lab machine, this host, or a test's fake."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

from homenode.study.machine import Machine

Roi = Literal["markers", "all"]  # What the lab counts, as `lab run --roi`.


@dataclass(frozen=True)
class Outcome:
    """How one command ended. `counts` are the plugin's lines; None where nothing counts.

    `real_clock`: whether the seconds that the command printed are those of a real machine.
    """

    exit_code: int
    stdout: str
    stderr: str
    counts: Sequence[Mapping[str, Any]] | None
    real_clock: bool = False


class RunnerLostError(Exception):
    """The machine went away under a running command (a killed QEMU, a guest that panicked)."""


class Runner(Protocol):
    """A machine that runs commands. Entering it starts it; leaving it leaves nothing behind.

    Entering raises RunnerLostError when the machine died while it started.
    """

    @property
    def machine(self) -> Machine:
        """The machine's nodes, CPUs and distances; known before it is started."""

    @property
    def homenode_version(self) -> str:
        """The version of the command; known before the machine is started."""

    @property
    def at_once(self) -> int:
        """How many of these this computer can run side by side."""

    def versions(self) -> Mapping[str, str]:
        """What a repetition needs: homenode, kernel, and QEMU where there is one. pre: entered."""

    @property
    def program(self) -> str:
        """Where homenode itself is on this machine."""

    def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
        """Runs one command. Raises RunnerLostError when the machine went away, TimeoutError."""

    def interrupt(self) -> None:
        """Called from another thread: what this one starts or runs ends early, in whatever way."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


RunnerFactory = Callable[[str], Runner]

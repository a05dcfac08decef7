"""How a program in the lab ended."""

from dataclasses import dataclass

from homenode.lab.counts import Roi
from homenode.lab.errors import NOT_EXECUTABLE, NOT_FOUND, SIGNAL_BASE, TIMED_OUT


@dataclass(frozen=True)
class Result:
    """The end of one program: exactly one of exit_code, signal and failure is set.

    `failure` says why the program could not be started, as errno's name and text. `stdout` and
    `stderr` hold what was written, unless the caller gave files for it. `lost` names the streams of
    which a part could not be kept, or "output" for a file; `strays` counts the files that the
    program wrote beside its outputs, which are gone. `guest_ms` is the guest's clock, not a measure
    of speed. `pid` is the program's in the guest, and `watched` what the guest saw of its mappings
    and threads (watched.py).
    """

    exit_code: int | None = None
    signal: int | None = None
    failure: tuple[str, str] | None = None
    timed_out: bool = False
    guest_ms: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    lost: tuple[str, ...] = ()
    strays: int = 0
    pid: int = 0
    watched: bytes = b""
    rois: tuple[Roi, ...] = ()
    counts_from: int = 0
    samples_from: int = 0

    @property
    def status(self) -> int:
        """The exit code that a shell would report, with 124 for a time-out as timeout(1) does."""
        if self.timed_out:
            return TIMED_OUT
        if self.failure is not None:
            return NOT_FOUND if self.failure[0] == "ENOENT" else NOT_EXECUTABLE
        if self.signal is not None:
            return SIGNAL_BASE + self.signal
        return self.exit_code or 0

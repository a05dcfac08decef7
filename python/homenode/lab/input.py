"""The standard input of a program in the lab, which the guest asks for chunk by chunk.

Nothing here waits: a terminal, or a pipe that nobody writes to, must not keep the driver from the
program's output, its end and Ctrl-C.
"""

import os
import select
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from homenode.lab.channel import Channel

CHUNK = 1 << 20


def _without_waiting(descriptor: int, mode: int) -> int:
    """A descriptor of the same pipe or terminal whose reads never wait; else a duplicate.

    The flag belongs to what was opened, which the caller's shell shares, so it is opened again.
    """
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
        with suppress(OSError):
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            return os.open(f"/proc/self/fd/{descriptor}", flags)
    return os.dup(descriptor)


class Input:
    """Reads a descriptor when the guest wants more. It stays the caller's."""

    def __init__(self, descriptor: int):
        mode = os.fstat(descriptor).st_mode
        self._own = _without_waiting(descriptor, mode)
        self._is_file = stat.S_ISREG(mode)
        self._is_terminal = os.isatty(self._own)
        self._wanted = False
        self._sent = 0

    @classmethod
    def of(cls, descriptor: int | None) -> Self | None:
        """None where there is nothing to read: no descriptor, a closed one, or /dev/null."""
        try:
            if descriptor is None or _is_null(descriptor):
                return None
            return cls(descriptor)
        except OSError:
            return None

    def want(self) -> None:
        """The guest has room for a chunk."""
        self._wanted = True

    @property
    def waits_for(self) -> int | None:
        """The descriptor to wait for; None while nothing is to be read."""
        return self._own if self._wanted and self._in_foreground() else None

    def _in_foreground(self) -> bool:
        """A background job that reads its terminal would be stopped."""
        if not self._is_terminal:
            return True
        with suppress(OSError):
            return os.tcgetpgrp(self._own) == os.getpgrp()
        return False

    def feed(self, job: str, file: Path, channel: Channel) -> None:
        """Sends a chunk if it is wanted and there is one. An error is the end, as for a pipe."""
        if self.waits_for is None or not select.select([self._own], [], [], 0)[0]:
            return
        try:
            chunk = os.read(self._own, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        self._wanted = False
        self._sent += len(chunk)
        if chunk:
            file.write_bytes(chunk)
        channel.send("input", job, len(chunk))

    def give_back(self, read: int) -> None:
        """Sets a file to where the program stopped, as if it had read it here.

        So `while read line; do ... lab run ...; done < list` goes on with the next line.
        """
        if self._is_file:
            os.lseek(self._own, read - self._sent, os.SEEK_CUR)
            self._sent = read

    def close(self) -> None:
        """Lets go of the own descriptor."""
        os.close(self._own)


def _is_null(descriptor: int) -> bool:
    status = os.fstat(descriptor)
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == Path(os.devnull).stat().st_rdev


@contextmanager
def opened(descriptor: int | None) -> Iterator[Input | None]:
    """The input from a descriptor, closed at the end; None where there is nothing to read."""
    source = Input.of(descriptor)
    try:
        yield source
    finally:
        if source is not None:
            source.close()

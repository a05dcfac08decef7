"""The driver's end of the wire to the guest: lines of ASCII over a Unix socket."""

import select
import socket
from dataclasses import dataclass

READ_SIZE = 65536


@dataclass(frozen=True)
class Message:
    """One line from the guest: its first word, the job it is about, and the words after that."""

    kind: str
    job: str = ""
    words: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """The first of the words, as a number."""
        return int(self.words[0])


def parse_message(line: str) -> Message:
    """Reads one line. Pure. Raises ValueError for an empty one."""
    kind, *rest = line.split(" ")
    if not kind:
        raise ValueError("an empty line")
    if kind in ("booted", "ready"):
        return Message(kind, "", tuple(rest))
    return Message(kind, rest[0] if rest else "", tuple(rest[1:]))


class Channel:
    """Sends lines, and returns the guest's messages one by one."""

    def __init__(self) -> None:
        self._ours, self._qemus = socket.socketpair()
        self._buffer = b""
        self.closed = False

    def descriptor_for_qemu(self) -> int:
        """The other end; QEMU inherits it."""
        return self._qemus.fileno()

    def started(self) -> None:
        """To be called once QEMU has its end: from then on, the end of QEMU is seen here."""
        self._qemus.close()

    def send(self, *words: object) -> None:
        """Sends one line; a guest that is gone is noticed by the next receive."""
        try:
            self._ours.sendall((" ".join(map(str, words)) + "\n").encode("ascii"))
        except OSError:
            self.closed = True

    def receive(self, timeout_s: float, other: int | None = None) -> Message | None:
        """The next message, or None after `timeout_s`, or at once when the guest is gone.

        None as well once the descriptor `other` can be read.
        """
        waits_for: list[socket.socket | int] = [self._ours]
        if other is not None:
            waits_for.append(other)
        while b"\n" not in self._buffer:
            if self.closed or self._ours not in select.select(waits_for, [], [], timeout_s)[0]:
                return None
            try:
                data = self._ours.recv(READ_SIZE)
            except OSError:
                data = b""
            if not data:
                self.closed = True
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return parse_message(line.decode("ascii", "replace"))

    def close(self) -> None:
        """Lets go of both ends."""
        self._ours.close()
        self._qemus.close()
        self.closed = True

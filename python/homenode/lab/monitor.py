"""QEMU's machine protocol (QMP): one JSON object per line over a socket that QEMU inherits."""

import json
import socket
import time
from collections import deque
from pathlib import Path
from typing import Any

# Far beyond what any of the commands takes on a host that swaps.
ANSWER_S = 60.0
RETRY_S = 0.01
# As fast as the disk takes it; QEMU's own limit is made for networks that others use too.
UNLIMITED = 1 << 40


class MonitorError(Exception):
    """QEMU refused a command, or went away. The lab goes on without what it asked for."""


class Monitor:
    """The driver's end. Of QEMU's events only the progress of a migration matters here."""

    def __init__(self) -> None:
        self._progress: deque[str] = deque()
        self._gone = False
        self._ours, self._qemus = socket.socketpair()
        self._ours.settimeout(ANSWER_S)
        self._lines = self._ours.makefile("rb")

    def descriptor_for_qemu(self) -> int:
        """The other end; QEMU inherits it."""
        return self._qemus.fileno()

    def started(self) -> None:
        """To be called once QEMU has its end: from then on, the end of QEMU is seen here."""
        self._qemus.close()

    def close(self) -> None:
        """Lets go of both ends."""
        self._lines.close()
        self._ours.close()
        self._qemus.close()

    def save(self, path: Path) -> None:
        """Writes the whole machine to a file, then lets it go on.

        It is not stopped for it, because QEMU would write that down, too: a machine that goes on
        from the file would stand still. QEMU stops it itself at the end.

        Raises MonitorError when that failed; the machine goes on all the same if it can.
        """
        self._receive()
        self._execute("qmp_capabilities")
        self._execute(
            "migrate-set-capabilities", capabilities=[{"capability": "events", "state": True}]
        )
        self._execute("migrate-set-parameters", **{"max-bandwidth": UNLIMITED})
        try:
            self._execute("migrate", uri=f"file:{path}")
            while (status := self._next_progress()) != "completed":
                if status in ("failed", "cancelled"):
                    raise MonitorError(f"QEMU could not write {path}")
        finally:
            self._go_on()

    def _go_on(self) -> None:
        """QEMU says that it has completed a moment before it lets the machine go on."""
        end = time.monotonic() + ANSWER_S
        while True:
            try:
                return self._execute("cont")
            except MonitorError:
                if time.monotonic() > end or self._gone:
                    raise
            time.sleep(RETRY_S)

    def _execute(self, command: str, **arguments: object) -> None:
        request = {"execute": command, "arguments": arguments}
        try:
            self._ours.sendall(json.dumps(request).encode() + b"\n")
        except OSError as error:
            self._gone = True
            raise MonitorError(str(error)) from error
        while "return" not in (answer := self._receive()):
            if "error" in answer:
                raise MonitorError(f"{command}: {answer['error']['desc']}")

    def _next_progress(self) -> str:
        while not self._progress:
            self._receive()
        return self._progress.popleft()

    def _receive(self) -> dict[str, Any]:
        """The next message, whatever it is."""
        try:
            line = self._lines.readline()
        except OSError as error:
            self._gone = True
            raise MonitorError(str(error)) from error
        if not line:
            self._gone = True
            raise MonitorError("QEMU has ended")
        message: dict[str, Any] = json.loads(line)
        if message.get("event") == "MIGRATION":
            self._progress.append(message["data"]["status"])
        return message

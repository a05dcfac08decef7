"""A booted guest: the QEMU process, the wire to it, and the session that both use."""

from pathlib import Path

from homenode.lab.channel import Channel, Message
from homenode.lab.diagnosis import guest_died, keep_console, why_lost
from homenode.lab.errors import LabLostError
from homenode.lab.machine import Machine
from homenode.lab.monitor import Monitor
from homenode.lab.process import QemuProcess
from homenode.lab.session import Session
from homenode.lab.sysfs_caches import cache_tree

POLL_S = 0.05
WAIT_FOR_END_S = 5.0


class Guest:
    """Holds what close() must let go of. Started by start(), which may be called once."""

    def __init__(self, machine: Machine, results: Path | None, timing: str | None = None):
        self.session = Session.create(machine.name, results, timing, cache_tree(machine))
        self.channel = Channel()
        self.from_snapshot = False
        self._results = results
        self._process: QemuProcess | None = None

    @property
    def pid(self) -> int | None:
        """QEMU's process id; None before it is started."""
        return self._process.pid if self._process else None

    @property
    def console(self) -> Path:
        """The log of the guest's console."""
        return self.session.folder / "console.log"

    @property
    def counts(self) -> Path:
        """Where the plugin appends what it counted."""
        return self.session.folder / "counts.jsonl"

    @property
    def timeline(self) -> Path:
        """Where the plugin appends what each thread did when."""
        return self.session.folder / "timeline.jsonl"

    @property
    def samples(self) -> Path:
        """Where the plugin appends what it counted by unit of memory."""
        return self.session.jobs / "samples"

    def start(self, command: list[str], monitor: Monitor | None = None) -> None:
        """Starts QEMU with its ends of the wire and the monitor; hear() then brings `booted`."""
        wires: list[Channel | Monitor] = [self.channel]
        if monitor is not None:
            wires.append(monitor)
        log = self.session.folder / "qemu.log"
        descriptors = [wire.descriptor_for_qemu() for wire in wires]
        self._process = QemuProcess(command, descriptors, log)
        for wire in wires:
            wire.started()

    def hear(self, other: int | None = None) -> Message | None:
        """The guest's next message, None after a moment, or at once if it is gone.

        None as well once the descriptor `other` can be read.
        """
        return self.channel.receive(POLL_S, other)

    def receive(self, other: int | None = None) -> Message | None:
        """As hear(). Raises LabLostError if the guest is gone."""
        message = self.hear(other)
        if message is None and self.channel.closed:
            raise self.lost()
        return message

    def lost(self) -> LabLostError:
        """The error that says why the guest is gone. Waits a moment for QEMU to end."""
        code = self._process.wait(WAIT_FOR_END_S) if self._process else None
        said = self._process.last_words() if self._process else ""
        console = self.console_text()
        why = why_lost(console, code, said)
        kept = keep_console(self.console, self._results)
        where = f"; the console's log is {kept}" if kept else ""
        return LabLostError(why + where, guest_died=guest_died(console, code, said))

    def console_text(self, start: int = 0) -> str:
        """What the guest printed on its console, from an offset on."""
        if not self.console.exists():
            return ""
        return self.console.read_bytes()[start:].decode("utf-8", "replace")

    def stop(self) -> None:
        """Ends QEMU; the session's files stay until close()."""
        if self._process is not None:
            self._process.stop()

    def close(self) -> None:
        """Ends QEMU and removes everything; to be called once."""
        self.stop()
        self.channel.close()
        self.session.remove()

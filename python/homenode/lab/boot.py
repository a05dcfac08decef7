"""How a guest comes up: from a snapshot of an earlier boot where there is one, else by booting.

A snapshot is taken on the way of a boot: it costs that boot some tenths of a second, while a second
boot in the background would outlive the command that caused it, or slow it down on few cores.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from homenode.lab import snapshots
from homenode.lab.channel import Message
from homenode.lab.emulator import Emulator
from homenode.lab.errors import LabError, LabLostError
from homenode.lab.guest import Guest
from homenode.lab.machine import Machine
from homenode.lab.memory import node_sizes
from homenode.lab.monitor import Monitor, MonitorError
from homenode.lab.preload import cpu_line
from homenode.lab.qemu import Files, LabOptions, command_line
from homenode.lab.sysfs_caches import cache_tree
from homenode.lab.text import say

BOOT_TIMEOUT_S = 180.0
# What a boot takes on a busy host: a guest that does not wake up by then is booted instead.
WAKE_TIMEOUT_S = 60.0
NS_PER_S = 10**9


@dataclass(frozen=True)
class Boot:
    """What is needed to bring up guests. `check` is called often, and raises to give up.

    `timing` is the text of the timing file for the plugin, None to count only.
    """

    emulator: Emulator
    machine: Machine
    options: LabOptions
    kernel: Path
    initramfs: Path
    results: Path | None
    plugin: Path | None
    timing: str | None
    warm: bool
    check: Callable[[], None]

    def guest(self) -> Guest:
        """A guest that is ready for jobs, to be closed by the caller. Raises LabError."""
        name = self._snapshot_name()
        return self._woken(name) or self._booted_twice(name)

    def _snapshot_name(self) -> str | None:
        """None where nothing is to be kept, or can be."""
        if not self.warm or not self.emulator.snapshots:
            return None
        # QEMU 10.0 ends itself as it keeps memories of unlike sizes (tlb_reset_dirty_range_all).
        sizes = node_sizes(self.machine, self.options.node_memory_mib).values()
        if len({size for size in sizes if size > 0}) > 1:
            return None
        anywhere = Files(self.kernel, self.initramfs, Path("/session"), 0)
        try:
            words = command_line(self.emulator.command(), self.machine, anywhere, self.options)
            snapshots.folder()
            qemu, version = self.emulator.path, self.emulator.version_text
            words.append(cache_tree(self.machine).layout)
            return snapshots.key(words, qemu, version, cpu_line("model name"))
        except (OSError, LabError):
            return None

    def _woken(self, name: str | None) -> Guest | None:
        """A guest that went on from the snapshot; None if there is none that can be used."""
        snapshot = snapshots.find(name) if name is not None else None
        if snapshot is None:
            return None
        guest = self._new_guest()
        try:
            guest.start(self._command(guest, snapshot=snapshot))
            # Read while QEMU reads it too. The host's time is told once the guest can hear it.
            if snapshots.whole(snapshot):
                guest.channel.send("hello")
                if self._heard(guest, "booted", WAKE_TIMEOUT_S) and self._made_ready(guest):
                    guest.from_snapshot = True
                    return guest
        except BaseException:
            guest.close()
            raise
        guest.close()
        snapshots.discard(snapshot)
        return None

    def _new_guest(self) -> Guest:
        guest = Guest(self.machine, self.results, self.timing)
        if self.options.sample_unit is not None:
            guest.samples.touch()  # Or jobs would not be shown the file.
        return guest

    def _booted_twice(self, name: str | None) -> Guest:
        try:
            return self._booted(name)
        except LabLostError as error:
            if not error.guest_died:
                raise
            # Under multi-threaded emulation a kernel panics early, rarely; the next boot goes well.
            say(f"while booting, {error.why}; booting a second time")
            return self._booted(name)

    def _booted(self, name: str | None) -> Guest:
        monitor = Monitor() if name is not None else None
        guest = self._new_guest()
        try:
            guest.start(self._command(guest, monitor=monitor), monitor)
            booted = self._heard(guest, "booted", BOOT_TIMEOUT_S)
            if booted is None:
                raise guest.lost()
            self._check_cpus(booted)
            if name is not None and monitor is not None:
                _keep(name, monitor)
            if not self._made_ready(guest):
                raise guest.lost()
        except BaseException:
            guest.close()
            raise
        finally:
            if monitor is not None:
                monitor.close()
        return guest

    def _command(
        self, guest: Guest, *, monitor: Monitor | None = None, snapshot: Path | None = None
    ) -> list[str]:
        files = Files(
            self.kernel,
            self.initramfs,
            guest.session.folder,
            guest.channel.descriptor_for_qemu(),
            results=self.results,
            plugin=self.plugin,
            timed=self.timing is not None,
            monitor=None if monitor is None else monitor.descriptor_for_qemu(),
            snapshot=snapshot,
        )
        return command_line(self.emulator.command(), self.machine, files, self.options)

    def _made_ready(self, guest: Guest) -> bool:
        """Tells the guest what is this lab's own, and waits until it has taken it in."""
        seconds, ns = divmod(time.time_ns(), NS_PER_S)
        guest.channel.send("go", f"{seconds}.{ns:09}", secrets.token_hex(32))
        return self._heard(guest, "ready", BOOT_TIMEOUT_S) is not None

    def _check_cpus(self, booted: Message) -> None:
        """The init starts all CPUs but the first; one of another version may not have."""
        started, wanted = booted.words[-1], len(self.machine.cpus)
        if len(booted.words) < 2 or int(started) != wanted:
            raise LabError(
                f"the guest did not start all of its {wanted} CPUs; homenode-lab-init may be of "
                "another version: rebuild it with './dev build'"
            )

    def _heard(self, guest: Guest, kind: str, timeout_s: float) -> Message | None:
        """What the guest said of this kind in time; None if it is gone, or hangs."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            message = guest.hear()
            if message is not None and message.kind == kind:
                return message
            if guest.channel.closed:
                return None
            self.check()
        return None


def _keep(name: str, monitor: Monitor) -> None:
    """Takes a snapshot. Where that fails, for want of room for one, the next lab boots again."""
    try:
        with snapshots.storing(name) as path:
            monitor.save(path)
    except (MonitorError, OSError, LabError):
        return

"""The lab as a context manager: boot a machine, run programs in it, leave nothing behind."""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from signal import SIGKILL, SIGPIPE
from typing import IO, Self

from homenode.errors import NOT_SUPPORTED, USAGE
from homenode.lab import artefacts, initramfs, kernel
from homenode.lab.boot import Boot
from homenode.lab.catalogue import find_machine
from homenode.lab.counts import Roi, parse_rois
from homenode.lab.diagnosis import OUT_OF_MEMORY
from homenode.lab.emulator import find_emulator
from homenode.lab.errors import LabError, StoppedError
from homenode.lab.input import opened
from homenode.lab.job import ENDS, End, Job, JobSpec
from homenode.lab.limits import LIMITS
from homenode.lab.machine import Machine
from homenode.lab.memory import check_fits, host_memory_bytes, node_sizes
from homenode.lab.numbering import numbered
from homenode.lab.outputs import find_outputs
from homenode.lab.own_region import RoiChoice
from homenode.lab.patience import Patience
from homenode.lab.qemu import LabOptions
from homenode.lab.result import Result
from homenode.lab.scale import scaled
from homenode.lab.text import say
from homenode.lab.timeline import parse_timelines
from homenode.lab.timing import timing_text
from homenode.timeline import Timeline

WITHOUT_CLOCK = "HOMENODE_LAB_WITHOUT_CLOCK"
DAY_MS = 24 * 60 * 60 * 1000


class Lab:
    """A virtual NUMA machine. Entering boots it; leaving ends it and removes its files.

    The first lab of a machine boots and keeps a snapshot; later ones go on from it, unless `warm`
    is False. `machine` has the guest's numbers of nodes and CPUs; standard error says where the
    file's differ. A guest that dies while it boots is booted a second time, and standard error says
    so.
    `timing` None models time where QEMU can; `timeline` records what each thread does when;
    `sample_unit` counts misses by thread and unit of so many bytes, and watches which mappings and
    threads programs have: samples() and the result's `watched`.
    `scale` above 1 divides the machine's own memory and caches.
    Not for use by several threads at once, but several labs may run at once. `results` is a folder
    that programs may write to, under the same path as on the host; all else is read-only to them.
    """

    def __init__(
        self,
        machine: Machine | str,
        results: Path | str | None = None,
        *,
        plugin: bool = True,
        node_memory_mib: int | None = None,
        numa_balancing: bool = False,
        warm: bool = True,
        timing: bool | None = None,
        scale: int = 1,
        timeline: bool = False,
        sample_unit: int | None = None,
        huge_pages: bool | None = None,
    ):
        """Checks everything that can be checked before booting. Raises LabError."""
        known = find_machine(machine) if isinstance(machine, str) else machine
        as_guest = numbered(known)
        self.source = machine if isinstance(machine, str) else machine.name
        self.renumbered = bool(as_guest.notes)
        for note in as_guest.notes:
            say(f"{known.name}: {note}")
        self.machine = as_guest.machine if scale == 1 else scaled(as_guest.machine, scale)
        self._warm = warm
        self._options = LabOptions(
            node_memory_mib, numa_balancing, timeline, sample_unit, huge_pages
        )
        self.sample_unit = sample_unit
        check_fits(self.machine, node_sizes(self.machine, node_memory_mib), host_memory_bytes())
        self.results = _results_folder(results)
        self.emulator = find_emulator()
        self.kernel = kernel.find_kernel()
        self._init = artefacts.find(artefacts.INIT)
        self._plugin = artefacts.find(artefacts.PLUGIN) if plugin else None
        if sample_unit is not None:
            check_unit(sample_unit, counted=plugin)
        if plugin and not self.emulator.plugins:
            raise LabError(
                f"{self.emulator.path} was built without plugins, so nothing can be counted; "
                "run './dev setup' for one that has them, or run with --no-plugin",
                NOT_SUPPORTED,
            )
        # Without modelled time there is nothing to record.
        self.timing = self._timing(True if timeline and timing is None else timing)
        self.boot_s = 0.0
        self._jobs = 0
        self._interrupts: list[int] = []

    def _timing(self, wanted: bool | None) -> bool:
        """Whether time is modelled. None: where it can be, and standard error says where not."""
        possible = self._plugin is not None and self.emulator.time
        if wanted is None and self._plugin is not None and not possible:
            say(f"{self._no_time()}: only accesses are counted; './dev setup' installs a newer one")
        if wanted and not possible:
            raise LabError(
                f"{self._no_time()}; run './dev setup', or run with --no-time", NOT_SUPPORTED
            )
        return possible if wanted is None else wanted

    def environment(self) -> dict[str, str]:
        """What a program gets when its caller names no environment: this process's own, and what
        tells the program that it is in the lab."""
        env = job_environment(os.environ, self.machine.name)
        if self._plugin is None:
            return env | {WITHOUT_CLOCK: "--no-plugin"}
        return env if self.timing or not self.emulator.time else env | {WITHOUT_CLOCK: "--no-time"}

    def _no_time(self) -> str:
        if self._plugin is None:
            return "cannot model time without the plugin"
        return f"cannot model time with {self.emulator.path} {self.emulator.version_text}"

    def __enter__(self) -> Self:
        # What is made once and cached is made before anything that must be cleaned up.
        image = kernel.bootable(self.kernel)
        first_files = initramfs.build(self.kernel, self._init)
        boot = Boot(
            self.emulator,
            self.machine,
            self._options,
            image,
            first_files,
            self.results,
            self._plugin,
            timing_text(self.machine) if self.timing else None,
            self._warm,
            self._give_up_if_interrupted,
        )
        started = time.monotonic()
        self._guest = boot.guest()
        self.boot_s = time.monotonic() - started
        return self

    def __exit__(self, *error: object) -> None:
        self._guest.close()

    @property
    def versions(self) -> dict[str, str]:
        """What a repetition needs to know: the versions of QEMU and of the guest's kernel."""
        return {"qemu": self.emulator.version_text, "kernel": self.kernel.release}

    @property
    def from_snapshot(self) -> bool:
        """Whether the guest went on from an earlier boot."""
        return self._guest.from_snapshot

    @property
    def pid(self) -> int | None:
        """QEMU's process id."""
        return self._guest.pid

    def run(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | str | None = None,
        timeout_s: float | None = None,
        roi: RoiChoice = "markers",
        stdout: IO[bytes] | None = None,
        stderr: IO[bytes] | None = None,
        outputs: Sequence[str] = (),
        stdin: int | None = None,
    ) -> Result:
        """Runs one program to its end; its output goes to the files given, else into the result.

        Its standard input is the descriptor `stdin`, empty without one. It is read ahead: of a pipe
        or a terminal, the program may leave less for others than it would on the host.
        `outputs` are files that it writes and that are to be on the host: once it has ended, each
        that it wrote replaces the host's. Relative ones are below this process's own folder.
        `env` and `cwd` default to this process's own. Raises LabLostError when the machine went
        away, StoppedError when interrupt() ended it; after either the lab is over.
        """
        self._jobs += 1
        spec = JobSpec(
            list(command),
            self.environment() if env is None else dict(env),
            str(_current_folder() if cwd is None else cwd),
            roi,
            find_outputs(outputs, self.results),
            self.sample_unit is not None,
        )
        counts_from = _size(self._guest.counts)
        samples_from = _size(self._guest.samples)
        console_from = _size(self._guest.console)
        name = f"job{self._jobs}"
        jobs = self._guest.session.jobs
        with opened(stdin) as source, Job(name, jobs, spec, stdout, stderr, source) as job:
            self._guest.channel.send("run", name)
            end = self._follow(job, timeout_s)
            result = job.result(end, self.rois(counts_from), counts_from, samples_from)
            job.land_outputs()
        self.ran_out_of_memory = result.signal == SIGKILL and (
            OUT_OF_MEMORY in self._guest.console_text(console_from)
        )
        return result

    ran_out_of_memory = False
    """Whether the guest's kernel killed the last program for want of memory."""

    def interrupt(self, signal_number: int) -> None:
        """Passes a signal on to the running program. May be called from a signal handler."""
        self._interrupts.append(signal_number)

    def rois(self, counts_from: int = 0) -> tuple[Roi, ...]:
        """The regions of interest that the plugin wrote after `counts_from`, an offset in bytes."""
        if not self._guest.counts.exists():
            return ()
        return tuple(parse_rois(self._guest.counts.read_bytes()[counts_from:].decode()))

    def timelines(self) -> tuple[Timeline, ...]:
        """What each thread did when, by region of interest. Nothing without `timeline`."""
        path = self._guest.timeline
        return parse_timelines(path.read_text()) if path.exists() else ()

    def samples(self, samples_from: int = 0) -> bytes:
        """What the plugin counted by unit of memory, as it wrote it, after an offset in bytes."""
        path = self._guest.samples
        return path.read_bytes()[samples_from:] if path.exists() else b""

    def stop(self) -> None:
        """Ends the machine; regions that programs left unfinished are then in rois()."""
        self._guest.stop()

    def _give_up_if_interrupted(self) -> None:
        if self._interrupts:
            raise StoppedError(self._interrupts[0])

    def _follow(self, job: Job, timeout_s: float | None) -> End:
        """Carries output and signals until the job ends."""
        channel = self._guest.channel
        patience = Patience(
            time.monotonic, lambda number: channel.send("kill", job.name, number), timeout_s
        )
        lost: list[str] = []
        strays = pid = 0
        while True:
            message = self._guest.receive(job.waits_for)
            job.feed(channel)
            if not job.forward():
                channel.send("kill", job.name, int(SIGPIPE))
            if message is not None and message.job == job.name:
                if message.kind in ENDS:
                    return End(message, patience.timed_out, tuple(lost), strays, pid)
                if message.kind == "started":
                    patience.started()
                    pid = message.number
                elif message.kind == "lost":
                    lost.append(message.words[0])
                elif message.kind == "strays":
                    strays = message.number
                else:
                    job.hear_of_input(message)
            while self._interrupts:
                patience.interrupt(self._interrupts.pop(0))
            if patience.exhausted():
                if patience.interrupted_by is not None:
                    raise StoppedError(patience.interrupted_by)
                raise self._guest.lost()


def job_environment(host: Mapping[str, str], machine: str) -> dict[str, str]:
    """The host's environment without what would point to folders that the guest lacks. Pure.

    homenode's malloc does not age there, if not told to: by the guest's clock it would give back
    what a real machine uses again within microseconds.
    """
    env = {key: value for key, value in host.items() if key not in ("TMPDIR", "XDG_RUNTIME_DIR")}
    return {"HOMENODE_MALLOC_PURGE_MS": str(DAY_MS)} | env | {"HOMENODE_LAB": machine}


def check_unit(unit_bytes: int, *, counted: bool) -> None:
    """Raises LabError for a unit that the plugin does not take, or without the plugin."""
    limit = LIMITS["sample_unit_bytes"]
    if not limit.holds(unit_bytes) or unit_bytes.bit_count() != 1:
        raise LabError(
            f"a unit of {unit_bytes} bytes cannot be counted; give a power of two from "
            f"{limit.least} to {limit.most}",
            USAGE,
        )
    if not counted:
        raise LabError("samples need the plugin; run without --no-plugin", USAGE)


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise LabError(
            f"cannot start in the current folder: {error.strerror}; change to a folder that exists"
        ) from error


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _results_folder(results: Path | str | None) -> Path | None:
    if results is None:
        return None
    folder = Path(results)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        usable = os.access(folder, os.W_OK | os.X_OK)
    except OSError as error:
        raise LabError(
            f"cannot create the results folder {folder}: {error.strerror}; name one that you "
            "can write to",
            USAGE,
        ) from error
    if not usable:
        raise LabError(
            f"cannot write to the results folder {folder}; name one that you can write to",
            USAGE,
        )
    return folder.resolve()

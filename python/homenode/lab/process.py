"""The QEMU process: it never outlives the driver, whatever ends the driver."""

import os
import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from homenode.errors import NOT_SUPPORTED
from homenode.lab.errors import LabError
from homenode.lab.preload import environment

STOP_S = 5.0


@cache
def _spawner() -> ThreadPoolExecutor:
    """A thread that lives as long as the driver.

    The kernel kills QEMU when the thread that started it ends, so no shorter-lived one may do it.
    """
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="homenode-lab-spawn")


class QemuProcess:
    """A started QEMU, which inherits `descriptors`. What it says goes to `log`.

    It may run on the CPUs that the calling thread may run on.
    """

    def __init__(self, command: list[str], descriptors: list[int], log: Path):
        self.log = log
        setpriv = shutil.which("setpriv", path="/usr/bin:/bin:/usr/local/bin")
        if setpriv is None:
            raise LabError("setpriv is missing; install the package util-linux", NOT_SUPPORTED)

        cpus = os.sched_getaffinity(0)

        def spawn() -> subprocess.Popen[bytes]:
            os.sched_setaffinity(0, cpus)
            with log.open("wb") as said:
                # Its own session: Ctrl-C in the terminal is for the driver, which passes it on.
                return subprocess.Popen(
                    [setpriv, "--pdeathsig", "KILL", "--", *command],
                    env=environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    pass_fds=descriptors,
                    start_new_session=True,
                )

        try:
            self._process = _spawner().submit(spawn).result()
        except OSError as error:
            raise LabError(f"cannot start QEMU: {error.strerror}") from error

    @property
    def pid(self) -> int:
        """QEMU's process id."""
        return self._process.pid

    def wait(self, timeout_s: float) -> int | None:
        """QEMU's exit code (negative: the signal that killed it), or None if it still runs."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def stop(self) -> None:
        """Ends QEMU: kindly, so that the plugin writes what it counted, then by force."""
        for how in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                self._process.send_signal(how)
                self.wait(STOP_S)

    def last_words(self) -> str:
        """The last line that QEMU said, if any."""
        lines = self.log.read_text(errors="replace").split("\n") if self.log.exists() else []
        said = [line.strip() for line in lines if line.strip()]
        return said[-1] if said else ""

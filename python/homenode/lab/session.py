"""A session's temporary folder: made for one lab, gone with it, swept if its driver died.

    <base>/homenode-lab-<uid>/<id>/lock, console.log, clock, timing, counts.jsonl, jobs/<job>/argv

The driver holds a lock on the file "lock" for as long as it lives, so a folder whose lock is free
belongs to nobody.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from homenode.lab.errors import LabError
from homenode.lab.qemu import CLOCK_BYTES
from homenode.lab.sysfs_caches import CacheTree

NO_CACHES = CacheTree("", "")


def sessions_folder() -> Path:
    """Where the user's sessions are: XDG_RUNTIME_DIR if it can be used, else the temporary one."""
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    usable = runtime.is_absolute() and os.access(runtime, os.W_OK | os.X_OK)
    base = runtime if usable else Path(tempfile.gettempdir())
    folder = base / f"homenode-lab-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            raise LabError(f"{folder} belongs to another user; set TMPDIR to a folder that you own")
    except OSError as error:
        raise LabError(
            f"cannot create the session folder {folder}: {error.strerror}; set TMPDIR to a "
            "folder that you can write to"
        ) from error
    return folder


@contextmanager
def _everything_locked(folder: Path) -> Iterator[None]:
    """Keeps a sweep from taking a session that another driver is just making."""
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> list[str]:
    """Removes the sessions in `folder` whose driver is gone; returns their names."""
    gone = []
    for path in folder.iterdir():
        if not path.is_dir():
            continue
        try:
            descriptor = os.open(path / "lock", os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            descriptor = -1
        try:
            if descriptor >= 0:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
            gone.append(path.name)
        except BlockingIOError:
            pass
        finally:
            if descriptor >= 0:
                os.close(descriptor)
    return gone


class Session:
    """The folder of one lab. A context manager; leaving it removes the folder."""

    def __init__(self, folder: Path, lock: int):
        self.folder = folder
        self._lock = lock

    @classmethod
    def create(
        cls,
        machine: str,
        results: Path | None,
        timing: str | None = None,
        caches: CacheTree = NO_CACHES,
    ) -> Self:
        """Makes the folder, after sweeping those of dead drivers. Raises LabError.

        `timing` is the text of the timing file; None: the guest has no clock of modelled time.
        `caches` is what its /sys says of caches; NO_CACHES: what QEMU makes up.
        """
        base = sessions_folder()
        try:
            with _everything_locked(base):
                sweep(base)
                folder = Path(tempfile.mkdtemp(dir=base, prefix=f"{os.getpid()}-"))
                lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                fcntl.flock(lock, fcntl.LOCK_EX)
            session = cls(folder, lock)
            session.jobs.mkdir(mode=0o700)
            (folder / "nothing").mkdir(mode=0o700)
            (folder / "clock").write_bytes(bytes(CLOCK_BYTES))
            (session.jobs / "machine").write_text(machine)
            (session.jobs / "caches").write_text(caches.layout)
            (session.jobs / "figures").write_text(caches.figures)
            if timing is not None:
                (folder / "timing").write_text(timing)
                (session.jobs / "clock").touch()
            if results is not None:
                (session.jobs / "results").write_text(str(results))
        except OSError as error:
            raise LabError(
                f"cannot create a session in {base}: {error.strerror}; free some space there, "
                "or set TMPDIR to another folder"
            ) from error
        return session

    @property
    def jobs(self) -> Path:
        """The part that the guest sees, and may write to."""
        return self.folder / "jobs"

    def remove(self) -> None:
        """Removes the folder and lets go of its lock; to be called once."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)

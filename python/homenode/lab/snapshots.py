"""Snapshots of booted guests, kept for later labs of the same machine.

    <cache>/lab/snapshots/<key>-<checksum>.snapshot

The key says all that the guest depends on, so a snapshot is never changed, only replaced or thrown
away. A file gets its name when it is whole; while it is written, its writer holds a lock on it.
"""

import fcntl
import json
import os
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from homenode.lab.cache import lab_cache

# To be raised when what a snapshot holds changes its meaning without changing the command line.
FORMAT = 1
SUFFIX = ".snapshot"
PARTIAL = ".partial"
# About fifteen machines of the catalogue. The least recently used go first.
MAX_BYTES = 2 << 30
CHUNK = 1 << 22


def key(words: Sequence[str], qemu: Path, version: str, host: str) -> str:
    """What tells guests apart: QEMU's words without a session's own, its binary, the host's CPU.

    The words name the kernel and the first files by what they hold. The host's CPU counts because
    a guest keeps the speed of the clock that it found when it booted.
    """
    status = qemu.resolve().stat()
    parts = [FORMAT, list(words), str(qemu), status.st_size, status.st_mtime_ns, version, host]
    return sha256(json.dumps(parts).encode()).hexdigest()[:24]


def folder() -> Path:
    """Where the snapshots are. Raises LabError or OSError where none can be kept."""
    path = lab_cache() / "snapshots"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def find(name: str) -> Path | None:
    """The snapshot of a key, marked as used now; None if there is none."""
    found = sorted(folder().glob(f"{name}-*{SUFFIX}"))
    if not found:
        return None
    with suppress(OSError):
        os.utime(found[0])
    return found[0]


def whole(snapshot: Path) -> bool:
    """Whether the file holds what was written into it. Reads all of it."""
    try:
        return snapshot.stem.rpartition("-")[2] == checksum(snapshot)
    except OSError:
        return False


def checksum(path: Path) -> str:
    """Against damage, not against somebody who may write to the user's own cache."""
    value = 0
    with path.open("rb") as file:
        while data := file.read(CHUNK):
            value = zlib.crc32(data, value)
    return f"{value:08x}"


def discard(snapshot: Path) -> None:
    """Throws a snapshot away; it may be gone already."""
    with suppress(OSError):
        snapshot.unlink()


@contextmanager
def storing(name: str) -> Iterator[Path]:
    """A file to write the snapshot of a key into. Kept under its name unless an error leaves this.

    Several may store one key at once. Raises OSError when it cannot be kept.
    """
    where = folder()
    _sweep(where)
    descriptor, text = tempfile.mkstemp(dir=where, prefix=f"{name}-", suffix=PARTIAL)
    partial = Path(text)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield partial
        partial.rename(where / f"{name}-{checksum(partial)}{SUFFIX}")
        make_room(where, MAX_BYTES)
    finally:
        partial.unlink(missing_ok=True)
        os.close(descriptor)


def _sweep(where: Path) -> None:
    """Removes what a driver that was killed had half written."""
    for partial in where.glob(f"*{PARTIAL}"):
        with suppress(OSError), partial.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            partial.unlink()


def make_room(where: Path, most_bytes: int) -> None:
    """Removes the snapshots that were used least recently, until the rest fits."""
    known = []
    for path in where.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            status = path.stat()
            known.append((status.st_mtime_ns, status.st_size, path))
    size = 0
    for _, bytes_of_one, path in sorted(known, reverse=True):
        size += bytes_of_one
        if size > most_bytes:
            discard(path)

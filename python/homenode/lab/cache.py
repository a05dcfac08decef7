"""The folder for what is made once and used by every lab: unpacked kernels, initramfs images."""

import os
import tempfile
from pathlib import Path

from homenode.files import write_whole
from homenode.lab.errors import LabError


def cache_home() -> Path:
    """Where the user's caches are: XDG_CACHE_HOME/homenode, ~/.cache/homenode by default."""
    base = os.environ.get("XDG_CACHE_HOME")
    # Without HOME, as in a service, the user's entry in the passwd file says it.
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is none.
    if not home.is_absolute():
        home = Path("/nonexistent")
    return (Path(base) if base else home / ".cache") / "homenode"


def lab_cache() -> Path:
    """A folder of ours that can be written; in the temporary folder for a user without a home."""
    fallback = Path(tempfile.gettempdir()) / f"homenode-cache-{os.getuid()}"
    for folder in (cache_home() / "lab", fallback):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK):
            return folder
    raise LabError(f"cannot write to {fallback}; set XDG_CACHE_HOME to a folder that you own")


def store(name: str, content: bytes) -> Path:
    """Keeps `content` under `name`, all of it or nothing, however many do so at once."""
    path = lab_cache() / name
    try:
        write_whole(path, content, mode=0o600)
    except OSError as error:
        raise LabError(
            f"cannot write {path}: {error.strerror}; free some space there, or set XDG_CACHE_HOME"
        ) from error
    return path

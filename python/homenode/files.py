"""Writes a file so that a reader sees the old one or the new one, never half of one."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Replaces `path`, or leaves what was there and raises OSError, however many do so at once.

    `mode` None: the permissions that any new file gets. What is no regular file (a device, a pipe)
    is written to directly.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    target = path.resolve()  # A symbolic link stays; the file that it names is replaced.
    with tempfile.NamedTemporaryFile(
        dir=target.parent, prefix=f".{target.name}.", delete=False
    ) as file:
        temporary = Path(file.name)
        try:
            file.write(content)
            file.flush()
            temporary.chmod(0o666 & ~_umask() if mode is None else mode)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""Files that a program in the lab writes for the host, whose files it otherwise only reads.

The guest covers the folder of each with one that can be written to, so the program uses the path
that it was given; what it leaves there is brought to the host once it has ended.
"""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from homenode.files import write_whole
from homenode.lab.errors import LabError

# The guest has its own of these: what is written there goes to the program's own streams, or away.
OF_THE_GUEST = (Path("/dev"), Path("/proc"), Path("/sys"))
SHARED_MEMORY = Path("/dev/shm")


@dataclass(frozen=True)
class Output:
    """One file: as the caller named it, and its absolute path without symbolic links."""

    name: str
    path: Path

    def land(self, content: Path) -> None:
        """Replaces the host's file by what the guest left in `content`. Raises LabError."""
        try:
            mode = stat.S_IMODE(self.path.stat().st_mode) if self.path.exists() else None
            write_whole(self.path, content.read_bytes(), mode)
        except OSError as error:
            raise LabError(
                f"cannot write {self.name}: {error.strerror}; free some space there, or name "
                "another file"
            ) from error


def find_outputs(names: Sequence[str], results: Path | None = None) -> tuple[Output, ...]:
    """The files that are to be brought to the host. Raises LabError for one that cannot be.

    What lies in `results` is written there at once, and devices are the guest's own.
    """
    found: dict[Path, Output] = {}
    for name in names:
        output = Output(name, _resolved(name))
        if _of_the_guest(name, output.path) or (results and output.path.is_relative_to(results)):
            continue
        problem = _problem(output.path, results)
        if problem:
            raise LabError(f"cannot write {name} from the lab: {problem}")
        found.setdefault(output.path, output)
    return tuple(found.values())


def check_place(path: Path) -> None:
    """Raises LabError where the driver itself cannot write a file, as far as can be seen now."""
    folder = path.parent
    if not folder.is_dir():
        problem = f"the folder {folder} does not exist; create it, or name a file elsewhere"
    elif path.is_dir():
        problem = "it is a folder; name a file"
    elif not os.access(folder, os.W_OK | os.X_OK):
        problem = f"you cannot write to the folder {folder}; name a file elsewhere"
    elif os.statvfs(folder).f_bavail == 0:
        problem = "the disk is full; free some space, or name a file elsewhere"
    else:
        return
    raise LabError(f"cannot write {path}: {problem}")


def _resolved(name: str) -> Path:
    try:
        return Path(name).resolve()
    except (OSError, RuntimeError) as error:  # A loop of links.
        raise LabError(f"cannot write {name}: {error}; name another file") from error


def _of_the_guest(name: str, path: Path) -> bool:
    wanted = Path(os.path.abspath(name))  # noqa: PTH100 - /dev/stdout, not what it leads to.
    own = any(place.is_relative_to(top) for place in (wanted, path) for top in OF_THE_GUEST)
    return own and not path.is_relative_to(SHARED_MEMORY)


def _problem(path: Path, results: Path | None) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"the folder {folder} does not exist; create it, or name a file elsewhere"
    if path.is_dir() or (path.exists() and not path.is_file()):
        return "it is not a regular file; name another"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"you cannot write to the folder {folder}; name a file elsewhere"
    if folder == Path("/"):
        return "it is in the root folder; name a file in a folder below it"
    if results is not None and results.is_relative_to(folder):
        return (
            f"the results folder {results} is below its folder; name a file in the results folder"
        )
    return ""

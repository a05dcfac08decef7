"""Finds machine files: by path, or by name in the user's catalogue and the one that is shipped."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from homenode import places
from homenode.errors import USAGE
from homenode.lab.errors import LabError
from homenode.lab.machine import Machine
from homenode.lab.machine_file import bad_machine, parse_machine

ENVIRONMENT = "HOMENODE_MACHINES"
VERSION_1 = re.compile(r"<topology\s*>")  # Later formats say theirs.


def user_folder() -> Path:
    """Where a person's own machines are; it need not exist."""
    base = os.environ.get("XDG_DATA_HOME", "")
    # The specification of XDG_DATA_HOME has relative paths ignored.
    data = Path(base) if base.startswith("/") else Path.home() / ".local" / "share"
    return data / "homenode" / "machines"


def folders() -> Iterator[Path]:
    """Where the catalogue may lie, the most specific first; folders that do not exist are left out.

    HOMENODE_MACHINES is a list of folders, separated by colons.
    """
    wanted = [*places.folders_in(ENVIRONMENT), user_folder(), *places.shipped("machines")]
    yield from (folder for folder in wanted if folder.is_dir())


def names() -> list[str]:
    """The names of all machines in the catalogue, sorted."""
    return sorted({path.stem for folder in folders() for path in folder.glob("*.xml")})


def find_file(name: str) -> Path:
    """The file of a machine. Whatever holds a slash or ends in .xml is a path, all else a name."""
    if "/" in name or name.endswith(".xml"):
        return Path(name)
    for folder in folders():
        path = folder / f"{name}.xml"
        if path.is_file():
            return path
    known = ", ".join(names()) or "none"
    raise LabError(
        f"no machine is called {name!r}; choose one of: {known}; or give the path of an hwloc "
        "XML file",
        USAGE,
    )


def find_machine(name: str) -> Machine:
    """The machine of a name or of a path. Raises LabError."""
    path = find_file(name)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        known = ", ".join(names()) or "none"
        raise LabError(
            f"cannot read the machine file {path}: {error.strerror}; known machines are: {known}"
        ) from error
    except UnicodeDecodeError as error:
        raise bad_machine(str(path), "it is not a text file") from error
    return parse_machine(current_format(text, path.stem), path.stem)


def current_format(text: str, name: str) -> str:
    """A machine file as it is, or as hwloc reads one in hwloc 1's format. Raises LabError."""
    if not VERSION_1.search(text):
        return text
    command = shutil.which("homenode") or places.find_built("homenode")
    if command is None:
        raise LabError(
            f"the machine file {name} is in hwloc 1's format, which the command homenode converts, "
            "and that is not on PATH; install homenode whole, or build it with './dev build'"
        )
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            words = [str(command), "topology", "--input", file.name, "--xml=-"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise LabError(
            f"cannot convert the machine file {name} from hwloc 1's format: {error}"
        ) from error
    if done.returncode != 0:
        why = done.stderr.strip().partition("machine file: ")[2] or done.stderr.strip()
        raise bad_machine(name, f"in hwloc 1's format, {why.rpartition('; ')[0] or why}")
    return done.stdout

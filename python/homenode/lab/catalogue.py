"""Finds machine files: by path, or by name in the catalogue of the source tree or the package."""

import os
from collections.abc import Iterator
from pathlib import Path

from homenode.lab.errors import BAD_USAGE, LabError
from homenode.lab.machine import Machine, parse_machine

ENVIRONMENT = "HOMENODE_MACHINES"


def folders() -> Iterator[Path]:
    """Where the catalogue may lie, the most specific first; folders that do not exist are left out.

    HOMENODE_MACHINES is a list of folders, separated by colons.
    """
    package = Path(__file__).resolve().parents[1]
    wanted = [Path(item) for item in os.environ.get(ENVIRONMENT, "").split(":") if item]
    wanted += [package / "data" / "machines", package.parents[1] / "machines"]
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
        f"no machine is called {name!r}; known are: {known}; or give the path of an hwloc XML file",
        BAD_USAGE,
    )


def find_machine(name: str) -> Machine:
    """The machine of a name or of a path. Raises LabError."""
    path = find_file(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        known = ", ".join(names()) or "none"
        raise LabError(
            f"cannot read the machine file {path}: {why}; known machines are: {known}", BAD_USAGE
        ) from error
    return parse_machine(text, path.stem)

"""Finds what was built beside the command: QEMU's plugin, the guest's init, the library."""

from collections.abc import Iterator
from pathlib import Path

from homenode import places
from homenode.errors import NOT_SUPPORTED
from homenode.lab.errors import LabError

PLUGIN = "homenode-lab-plugin.so"
INIT = "homenode-lab-init"


def folders() -> Iterator[Path]:
    """HOMENODE_LIBEXEC (folders separated by colons), the installed package, the build tree."""
    yield from places.folders_in(places.LIBEXEC)
    yield from (places.packaged("libexec"), places.packaged("lib"))
    yield from (places.BUILD / "lib", places.BUILD / "bin")


def find(name: str) -> Path:
    """The path of an artefact by name. Raises LabError when it was not built."""
    for folder in folders():
        path = folder / name
        if path.is_file():
            return path.resolve()
    raise LabError(f"{name} is not there; build it with './dev build'", NOT_SUPPORTED)

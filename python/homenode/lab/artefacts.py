"""Finds what was built for the lab: QEMU's plugin and the guest's init."""

import os
from collections.abc import Iterator
from pathlib import Path

from homenode.lab.errors import NOT_SUPPORTED, LabError

ENVIRONMENT = "HOMENODE_LIBEXEC"
PLUGIN = "homenode-lab-plugin.so"
INIT = "homenode-lab-init"


def folders() -> Iterator[Path]:
    """HOMENODE_LIBEXEC (folders separated by colons), the installed package, the build tree."""
    package = Path(__file__).resolve().parents[1]
    yield from (Path(item) for item in os.environ.get(ENVIRONMENT, "").split(":") if item)
    yield package / "data" / "libexec"
    build = package.parents[1] / "build" / "release"
    yield from (build / "lib", build / "bin")


def find(name: str) -> Path:
    """The path of PLUGIN or INIT. Raises LabError when it was not built."""
    for folder in folders():
        path = folder / name
        if path.is_file():
            return path.resolve()
    raise LabError(f"{name} is not there; build it with './dev build'", NOT_SUPPORTED)

"""Finds what was built for the lab: QEMU's plugin and fma(), and the guest's init."""

from pathlib import Path

from homenode import places
from homenode.errors import NOT_SUPPORTED
from homenode.lab.errors import LabError

PLUGIN = "homenode-lab-plugin.so"
INIT = "homenode-lab-init"
FMA = "homenode-lab-fma.so"


def find(name: str) -> Path:
    """The path of an artefact by name. Raises LabError when it was not built."""
    path = places.find_built(name)
    if path is None:
        raise LabError(f"{name} is missing; build it with './dev build'", NOT_SUPPORTED)
    return path

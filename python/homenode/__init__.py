"""homenode in Python: arrays on nodes, the lab driver, studies and their report.

import homenode
a = homenode.zeros((4096, 4096), "cyclic@0-3")
homenode.where(a).pages_on_node
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from homenode import lab, threads
    from homenode.arrays import (
        Receipt,
        Where,
        empty,
        empty_like,
        full,
        full_like,
        name,
        ones,
        ones_like,
        place,
        where,
        zeros,
        zeros_like,
    )
    from homenode.capi import HomenodeError, machine, version
    from homenode.numpy_allocator import placing
    from homenode.region_of_interest import roi

    __version__: str

__all__ = [
    "HomenodeError",
    "Receipt",
    "Where",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "lab",
    "machine",
    "name",
    "ones",
    "ones_like",
    "place",
    "placing",
    "roi",
    "threads",
    "version",
    "where",
    "zeros",
    "zeros_like",
]

_ROOMS = {
    "HomenodeError": "capi",
    "machine": "capi",
    "placing": "numpy_allocator",
    "roi": "region_of_interest",
    "version": "capi",
}


def __getattr__(name: str) -> Any:
    """Loads what is asked for: the verbs, which need no numpy, must start without it."""
    if name in ("lab", "threads"):
        return import_module(f"homenode.{name}")
    if name == "__version__":
        return import_module("homenode.capi").version()
    if name in __all__:
        return getattr(import_module(f"homenode.{_ROOMS.get(name, 'arrays')}"), name)
    raise AttributeError(f"module 'homenode' has no attribute '{name}'")


def __dir__() -> list[str]:
    """What is loaded, and what is loaded when it is asked for."""
    return sorted({*globals(), *__all__, "__version__"})

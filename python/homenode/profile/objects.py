"""What addresses belong to: allocation sites, static data, stacks, files, mappings. Pure."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

NO_OBJECT = -1


class Kind(StrEnum):
    """What an object is."""

    REGION = "region"  #: Named by the program through homenode's library.
    ALLOCATION = "allocation"  #: All that one call stack allocated.
    HEAP = "heap"  #: Allocations of which the stack is not known.
    STATIC = "static data"
    STACK = "stack"
    FILE = "file"
    HUGE_PAGES = "huge pages"
    SHARED = "shared memory"
    ANONYMOUS = "anonymous memory"
    KERNEL = "kernel"  #: vdso and the like.


@dataclass(frozen=True)
class Instance:
    """One address range of an object, and when it was there; `ended_ns` None: to the end."""

    begin: int
    end: int
    began_ns: int = 0
    ended_ns: int | None = None

    @property
    def bytes(self) -> int:
        """Its size."""
        return self.end - self.begin


@dataclass(frozen=True)
class Object:
    """What a person would point at in the source or in the machine.

    `source` says where it comes from, innermost first: "solve() at solver.c:41" where symbols
    tell, else a library and an offset. `place_by` is the condition by which `run --place` finds it
    by a name, in `program`; "" where it does not.
    """

    name: str
    kind: Kind
    instances: tuple[Instance, ...]
    source: tuple[str, ...] = ()
    pid: int = 0
    place_by: str = ""
    program: str = ""

    @property
    def bytes(self) -> int:
        """The size of its largest instance, by which uses are laid over each other."""
        return max((instance.bytes for instance in self.instances), default=0)


@dataclass(frozen=True)
class Attribution:
    """Which object each sample belongs to (index in `objects`, or NO_OBJECT), and at which byte of
    the instance."""

    objects: tuple[Object, ...]
    object_of: NDArray[np.int64]
    offset_of: NDArray[np.int64]

    @property
    def share(self) -> float:
        """The share of the samples that belong to an object; 1 for none."""
        known = self.object_of != NO_OBJECT
        return float(known.mean()) if len(known) else 1.0

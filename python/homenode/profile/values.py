"""What a profile is made of: values that text, JSON, page, exports and comparisons read. Pure."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from homenode.profile.correlation import Floats
from homenode.profile.objects import Object
from homenode.profile.patterns import Pattern
from homenode.profile.record import Operation

EXACT, SAMPLED = "exact", "sampled"


class Trait(StrEnum):
    """What else shows in the use of an object, beside its pattern."""

    MASTER_INITIALISED = "master-initialised"
    READ_MOSTLY = "read-mostly"


@dataclass(frozen=True)
class Table:
    """Use by [operation, row, node of the memory]; the last column is of unknown nodes."""

    nodes: tuple[int, ...]
    cells: Floats

    @property
    def reads(self) -> Floats:
        """Reads [row, node]."""
        return self.cells[Operation.READ, :, :-1]

    @property
    def writes(self) -> Floats:
        """Writes [row, node]."""
        return self.cells[Operation.WRITE, :, :-1]

    @property
    def all(self) -> Floats:
        """All uses [row, node], also those of which the source does not see what they were."""
        return np.asarray(self.cells[:, :, :-1].sum(axis=0))

    @property
    def unplaced(self) -> Floats:
        """By row, the use of memory whose node is not known."""
        return np.asarray(self.cells[:, :, -1].sum(axis=0))

    @property
    def tells_operations(self) -> bool:
        """The source sees what was read and what was written."""
        return float(self.cells[Operation.READ :].sum()) > float(self.cells[0].sum())


@dataclass(frozen=True)
class Locality:
    """Which share of the use was of the CPU's own node, and how sure that is.

    `share` None: no sample has both nodes. `margin`: half the width of the interval that holds the
    share in 95 of 100 cases; 0 where every access was counted, None where samples are too few.
    """

    local: float
    remote: float
    samples: int
    margin: float | None

    @property
    def share(self) -> float | None:
        """Local over all."""
        everything = self.local + self.remote
        return self.local / everything if everything else None


@dataclass(frozen=True)
class Thread:
    """A thread, the node that it mostly ran on (None: not known), and its share of all use."""

    pid: int
    tid: int
    name: str
    node: int | None
    share: float
    locality: Locality


@dataclass(frozen=True)
class Strip:
    """An object from its first byte to its last in equal parts: who used each, where it was.

    `users` is [thread of `threads`, part]; `from_node` is [node of the CPU, part], and `home` the
    index of the node of most of a part's memory, -1 where that is not known.
    """

    threads: tuple[int, ...]
    users: Floats
    from_node: Floats
    home: tuple[int, ...]
    part_bytes: float


@dataclass(frozen=True)
class Predicted:
    """The local share that a placement would have had, if threads had done the same."""

    parts_in_turn: float | None = None  #: Equal contiguous parts, one for each node.
    spread: float | None = None  #: The same amount of everything on each node.
    best: float | None = None  #: Each page on the node that used it most.


@dataclass(frozen=True)
class ObjectUse:
    """How the program used one object. Shares without another word are of all use."""

    object: Object
    samples: int
    share: float
    remote_share: float  #: Of all remote use.
    locality: Locality
    writes_share: float | None  #: Of what is known to be read or written.
    table: Table  #: Rows: the threads of the profile.
    pattern: Pattern
    traits: tuple[Trait, ...]
    first_toucher: int | None  #: The thread (index) that went through it before others used it.
    strip: Strip | None
    later: Locality | None  #: Of its uses after one thread had filled it; None: nobody did.
    predicted: Predicted  #: Of these, else of all.


@dataclass(frozen=True)
class Phase:
    """A time in which the program used its memory alike. Objects are indices, most used first."""

    begin_s: float
    end_s: float
    local_share: float | None
    objects: tuple[int, ...]


@dataclass(frozen=True)
class Timeline:
    """Use in equal steps of time: local, remote and unknown, and by object [object, step]."""

    step_s: float
    local: Floats
    remote: Floats
    unknown: Floats
    objects: tuple[int, ...]
    by_object: Floats
    phases: tuple[Phase, ...]


@dataclass(frozen=True)
class Load:
    """The share of all use that one memory controller, or the way between two nodes, carries.

    `relative` is that share over its part in the machine's bandwidth: 1 is an even load. `known`:
    the machine's figures were used; else each is thought to be as fast as the others.
    """

    source: int | None  #: None: a controller, whose node is `target`.
    target: int
    share: float
    relative: float
    known: bool


@dataclass(frozen=True)
class CodePlace:
    """A place in the program's code, and how much use it makes."""

    where: str
    share: float
    local_share: float | None
    object: int | None  #: The object that it uses most.


@dataclass(frozen=True)
class Taken:
    """How the profile came about: what a person must know before believing it."""

    command: tuple[str, ...]
    pid: int
    hostname: str
    started: str
    source: str
    provenance: str
    sees: str
    cannot_see: str
    refused: dict[str, str]
    samples: int
    lost: int
    attributed: float
    kernel_share: float
    seconds: float
    cost_share: float | None
    exit_code: int | None
    ended: str
    cut: str


@dataclass(frozen=True)
class Profile:
    """Who used what. Objects come with the most remote use first."""

    taken: Taken
    machine: dict[str, Any] | None
    nodes: tuple[int, ...]
    threads: tuple[Thread, ...]
    by_thread: Table
    by_node: Table
    locality: Locality
    objects: tuple[ObjectUse, ...]
    dropped_objects: int  #: Used so little that they are not listed.
    timeline: Timeline | None
    controllers: tuple[Load, ...]
    ways: tuple[Load, ...]
    code: tuple[CodePlace, ...] = field(default=())

    @property
    def exact(self) -> bool:
        """Every access was counted."""
        return self.taken.provenance == EXACT

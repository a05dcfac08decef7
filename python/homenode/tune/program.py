"""Makes the model's program of an exact recording: who uses which pages, and how fast. Pure.

The recording is that of `homenode lab run --samples`, of the region of interest where the program
has one; the regions say what each thread spent its modelled time on. What the recording cannot
tell is worked out as each function says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from homenode.lab.counts import Roi
from homenode.lab.stats import PS_PER_S
from homenode.model import Program, UsedObject
from homenode.profile.attribution import attribute
from homenode.profile.objects import NO_OBJECT, Attribution, Kind, Object
from homenode.profile.record import USED_BEFORE, Flag, Operation
from homenode.profile.recording import Recording, Samples
from homenode.tune.arrays import beginnings
from homenode.tune.errors import TuneError
from homenode.tune.first_users import first_users
from homenode.tune.seen_threads import NOWHERE, Threads, threads_of

PAGE = 4096
MOST_BLOCKS = 4096
# Objects with less of all lines are one, called REST.
LEAST_SHARE = 0.005
REST = "the rest"
# Of one call stack; more are laid over each other.
MOST_INSTANCES = 64
NOBODY = -1
# As long as nobody has worked out how many lines a thread has in flight.
LINES_IN_FLIGHT = 8.0

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Seen:
    """A program as it was seen. `threads` are its thread ids in the order of creation, without
    those that did nothing, which are `skipped`, by number in that order; `objects` is what each
    of program.objects is (None: REST), and `answered` which share of its lines memory answered, the
    others having come from caches that threads share, where that is known; `time_s` is the region's
    modelled time, and `apart_s` what threads spend of it, on average, on what no placement changes.
    `misses_in_flight`: of lines that no prefetcher asked for, how many a thread has in flight while
    it has any, where that is known."""

    program: Program
    threads: tuple[int, ...]
    objects: tuple[Object | None, ...]
    skipped: tuple[int, ...] = ()
    time_s: float | None = None
    apart_s: float = 0.0
    answered: tuple[float, ...] = ()
    misses_in_flight: float | None = None


def program_of(recording: Recording, regions: Sequence[Roi], node_of_cpu: Sequence[int]) -> Seen:
    """The program of a recording that a lab with modelled time made. Raises TuneError."""
    samples = recording.samples
    if len(samples) == 0 or not (samples["flags"] & Flag.COUNTS_USES).all():
        raise TuneError(
            f"the recording of '{recording.source}' holds no exact counts; "
            "record the program with 'homenode lab run --samples'"
        )
    threads = threads_of(recording, regions, node_of_cpu)
    found = attribute(recording)
    pages = found.offset_of // PAGE
    row = {tid: at for at, tid in enumerate(threads.tids)}
    rows = np.array([row.get(int(tid), NOBODY) for tid in samples["tid"]], np.int64)
    # What prepares a page for others is done where only one thread runs, and says who was first.
    left_out = (rows == NOBODY) | _fillings(samples)
    raw = np.where(left_out, 0.0, samples["weight"])
    answered_by_memory = _answered_by_memory(samples, raw, rows, threads)
    before = _used_before(samples, rows)
    kept = _hot(found.object_of, answered_by_memory, len(found.objects))
    objects: list[UsedObject] = []
    sources: list[Object | None] = []
    answered: list[float] = []
    for source, mine in _parts(found, samples, kept):
        mine &= rows != NOBODY
        # What is of many objects counts as one page.
        where = np.zeros_like(pages[mine]) if source is None else pages[mine]
        lines = _spread(answered_by_memory[mine], raw[mine])
        uses = _uses_of(samples[mine], rows[mine], where, lines, before[mine], threads)
        for used in _arrays(uses, source, threads.nodes):
            taken = [one.name for one in objects]
            objects.append(replace(used, name=_free(used.name, taken)))
            sources.append(source)
            answered.append(float(uses.lines.sum() / max(raw[mine].sum(), 1e-9)))
    times = [roi.ended_ps for roi in regions if roi.ended_ps is not None]
    program = Program(threads.nodes, objects, threads.computing_s, threads.independent)
    time_s = sum(times) / PS_PER_S if times else None
    order = tuple(threads.tids)
    return Seen(
        program,
        order,
        tuple(sources),
        threads.skipped,
        time_s,
        threads.apart_s,
        tuple(answered),
        threads.misses_in_flight,
    )


def _answered_by_memory(samples: Samples, raw: Floats, rows: Integers, of: Threads) -> Floats:
    """Of all lines that missed a thread's own caches, those that memory answered: as the recording
    tells, or else the regions by thread."""
    cached = (samples["flags"] & Flag.FROM_CACHE) != 0
    return np.where(cached, 0.0, raw) if cached.any() else raw * of.from_memory[rows]


def _spread(answered: Floats, raw: Floats) -> Floats:
    """The same sum, spread over an object as its misses are: which of several threads finds a line
    in a cache that they share, and whose neighbours keep up with it, is chance."""
    return raw * float(answered.sum() / max(raw.sum(), 1e-9))


def _parts(
    found: Attribution, samples: Samples, kept: Sequence[int]
) -> Iterator[tuple[Object | None, NDArray[np.bool_]]]:
    """Each object that is kept and its samples, and then None with all others'. What one call
    stack allocated several times is as many objects, unless there are too many."""
    begins = samples["address"] - found.offset_of.astype(np.uint64)
    for index in kept:
        source = found.objects[index]
        mine = found.object_of == index
        places = np.unique(begins[mine])
        if source.kind != Kind.ALLOCATION or not 1 < len(places) <= MOST_INSTANCES:
            yield source, mine
            continue
        for begin in places:
            instances = tuple(one for one in source.instances if one.begin == begin)
            yield replace(source, instances=instances), mine & (begins == begin)
    yield None, ~np.isin(found.object_of, kept)


def _used_before(samples: Samples, rows: Integers) -> Floats:
    """The share of its thread's uses that came before the first one of each sample."""
    known = rows != NOBODY
    all_of = np.bincount(rows[known], samples["weight"][known], rows.max(initial=0) + 1)
    before = samples[USED_BEFORE].astype(np.float64)
    return np.where(known, before / np.maximum(all_of[rows], 1.0), 0.0)


def _fillings(samples: Samples) -> NDArray[np.bool_]:
    """Uses of pages by the thread that had written to them before others used them."""
    alone = (samples["flags"] & Flag.ALONE) != 0
    key = (samples["pid"].astype(np.uint64) << np.uint64(36)) + samples["address"] // PAGE
    pages, page = np.unique(key, return_inverse=True)
    wrote, shared = np.zeros((2, len(pages)), bool)
    wrote[page[alone & (samples["operation"] == Operation.WRITE)]] = True
    shared[page[~alone]] = True
    return np.asarray(alone & (wrote & shared)[page], np.bool_)


@dataclass(frozen=True)
class _Uses:
    """Uses of one object, one entry for each sample. `first`: those before any other thread came,
    also where `lines` leaves them out; `ahead`: of `lines`, those that were prefetched; `before`:
    the share of all that the thread uses which it had used before."""

    rows: Integers
    pages: Integers
    lines: Floats
    written: Floats
    nodes: NDArray[np.uint16]
    first: Floats
    ahead: Floats
    before: Floats

    def within(self, begin: int, end: int) -> "_Uses":
        """Those of some pages, which are counted from the first of them."""
        mine = (self.pages >= begin) & (self.pages < end)
        return _Uses(
            self.rows[mine],
            self.pages[mine] - begin,
            self.lines[mine],
            self.written[mine],
            self.nodes[mine],
            self.first[mine],
            self.ahead[mine],
            self.before[mine],
        )


def _uses_of(
    samples: Samples,
    rows: Integers,
    pages: Integers,
    lines: Floats,
    before: Floats,
    of: Threads,
) -> _Uses:
    """Of some samples."""
    back = np.where(samples["operation"] == Operation.WRITE, of.stored_back, of.loaded_back)
    alone = (samples["flags"] & Flag.ALONE) != 0
    first = np.where(alone, samples["weight"], 0).astype(np.float64)
    ahead = np.where(samples["flags"] & Flag.PREFETCHED, lines, 0.0)
    nodes = samples["memory_node"]
    return _Uses(rows, pages, lines, lines * back, nodes, first, ahead, before)


def _arrays(uses: _Uses, source: Object | None, nodes: Sequence[int]) -> list[UsedObject]:
    """The arrays of an object: several, where a mapping has several; none where memory answers
    nothing of it."""
    if not uses.lines.any():
        return []
    if source is None:
        return [_used(REST, 1, uses, nodes)]
    last = int(uses.pages.max()) + 1
    size = max(-(-source.bytes // PAGE), last)
    begins = [0]
    if source.kind == Kind.ANONYMOUS:
        cells = np.bincount(uses.rows * last + uses.pages, uses.lines, len(nodes) * last)
        begins = beginnings(cells.astype(np.float64).reshape(len(nodes), last))
    return [
        _used(source.name, end - begin, uses.within(begin, end), nodes)
        for begin, end in pairwise([*begins, size])
    ]


def _hot(object_of: Integers, weights: Floats, objects: int) -> list[int]:
    """The objects that are worth a placement of their own, the most used first."""
    known = object_of != NO_OBJECT
    lines = np.bincount(object_of[known], weights[known], objects)
    everything = max(float(weights.sum()), 1e-9)
    order = np.argsort(-lines, kind="stable")
    return [int(at) for at in order if lines[at] >= LEAST_SHARE * everything]


def _free(name: str, taken: Sequence[str]) -> str:
    """The name, numbered where another object has it."""
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def _used(name: str, pages: int, uses: _Uses, nodes: Sequence[int]) -> UsedObject:
    per_block = -(-pages // MOST_BLOCKS)
    blocks = -(-pages // per_block)
    cells = uses.rows * blocks + uses.pages // per_block
    shape = (len(nodes), blocks)
    cell_count = len(nodes) * blocks
    fetched = np.bincount(cells, uses.lines, cell_count).astype(np.float64).reshape(shape)
    # A line that is written is fetched first, and goes back to memory later.
    written = np.bincount(cells, uses.written, cell_count).astype(np.float64).reshape(shape)
    homes = _homes(uses, blocks, per_block)
    first = np.bincount(cells, uses.first, cell_count).astype(np.float64).reshape(shape)
    users = first_users(fetched, first, homes, nodes)
    in_order = float(uses.ahead.sum() / max(uses.lines.sum(), 1e-9))
    before = None
    if uses.before.any():
        earliest = np.full(cell_count, 1.0)
        np.minimum.at(earliest, cells, uses.before)
        # As if the thread mixed its uses of this object and of others evenly.
        before = earliest.reshape(shape) * fetched.sum(axis=1, keepdims=True)
    return UsedObject(
        name, pages, per_block, fetched, written, LINES_IN_FLIGHT, users, homes, in_order, before
    )


def _homes(uses: _Uses, blocks: int, per_block: int) -> list[int]:
    """The node that each block was found on: where most of its lines came from. One that nobody
    used lies where the one before it does, if any."""
    known = uses.nodes != NOWHERE
    if not known.any():
        return [0] * blocks
    places, column = np.unique(uses.nodes[known], return_inverse=True)
    cells = (uses.pages[known] // per_block) * len(places) + column
    lines = np.bincount(cells, uses.lines[known], blocks * len(places)).reshape(blocks, -1)
    best = lines.argmax(axis=1)
    used = np.flatnonzero(lines.sum(axis=1) > 0)
    before = used[np.maximum(np.searchsorted(used, np.arange(blocks), side="right") - 1, 0)]
    return [int(places[best[at]]) for at in before]

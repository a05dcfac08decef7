"""The threads of a recording: their order, their nodes, and their time by the lab's clock. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from homenode.lab.counts import Roi, Thread
from homenode.lab.stats import PS_PER_S
from homenode.model import Floats
from homenode.profile.recording import Recording

NOWHERE = 0xFFFF
# A thread with less of the lines, or of the time in user code but for spinning, than this share of
# what another one has is not worth a CPU.
IDLE = 0.02
# Threads without samples did nothing, as these sources tell; others miss what threads do.
TELL_IDLE = ("lab", "pkeys")
# Threads that sleep no more often, and spin for less of the time, wait as they begin and end alone.
FEW_SLEEPS = 8
SPINNING = 0.02
# The thread that samples from within a program has this name.
SAMPLER = "homenode"


@dataclass(frozen=True)
class Threads:
    """The threads of a program that do anything, in the order of creation."""

    tids: list[int]
    skipped: tuple[int, ...]
    nodes: list[int]
    computing_s: list[float] | None
    # Of the lines that miss a thread's own caches, the share that memory answers.
    from_memory: Floats
    # What a thread spends in the kernel and waiting for caches, on average: no memory access of its
    # own is under way then, wherever memory lies.
    apart_s: float = 0.0
    # Of the lines that a store missed, and of those that a load missed, the share that went back
    # to memory modified: what is loaded may be written while it is in a cache.
    stored_back: float = 1.0
    loaded_back: float = 0.0
    # Of lines that memory sent and no prefetcher asked for, how many a thread has in flight while
    # it has any; None where no region tells.
    misses_in_flight: float | None = None
    # No thread waits for others on its way.
    independent: bool = False


@dataclass
class _Account:
    """What the regions say of each thread, by its place in the order of creation."""

    nodes: list[int | None]
    computing_s: Floats
    apart_s: Floats
    user_ps: Floats
    spun_ps: Floats
    sleeps: Floats
    lines: Floats
    answered: Floats
    timed: bool = False

    @classmethod
    def of(cls, nodes: list[int | None]) -> "_Account":
        """Of threads on these nodes, of which nothing is known yet."""
        return cls(nodes, *np.zeros((7, len(nodes))))

    def add(self, at: int, thread: Thread, share: Mapping[int, float], node: int | None) -> None:
        """A thread of one region."""
        if self.nodes[at] is None:
            self.nodes[at] = node
        missed = sum(thread.user.loads) + sum(thread.user.stores)
        parts = [share.get(cpu, 1.0) for cpu in thread.vcpus]
        self.lines[at] += missed
        self.answered[at] += missed * sum(parts) / max(1, len(parts))
        if thread.time is not None and thread.time.spent is not None:
            spent = thread.time.spent
            self.timed = True
            self.user_ps[at] += spent.computed_ps + spent.stalled_ps
            self.spun_ps[at] += spent.spun_ps
            self.sleeps[at] += sum(sleep.times for sleep in spent.sleeps.values())
            away = spent.other_cache_ps + spent.l3_ps + spent.own_cache_ps
            self.computing_s[at] += spent.computed_ps / PS_PER_S
            self.apart_s[at] += (spent.kernel_ps + away) / PS_PER_S


def threads_of(recording: Recording, regions: Sequence[Roi], node_of_cpu: Sequence[int]) -> Threads:
    """Thread maps count threads that do nothing, too."""
    order = _order(recording)
    of = _account(recording, regions, node_of_cpu, {tid: at for at, tid in enumerate(order)})
    active = of.lines > IDLE * of.lines.max(initial=0)
    active |= of.user_ps > IDLE * of.user_ps.max(initial=0)
    active |= recording.source not in TELL_IDLE
    busy = [int(at) for at in np.flatnonzero(active)]
    main = next((node for node in of.nodes if node is not None), 0)
    nodes = [main if node is None else node for node in of.nodes]
    shares = np.where(of.lines > 0, of.answered / np.maximum(of.lines, 1), 1.0)
    return Threads(
        [order[at] for at in busy],
        tuple(at for at in range(len(order)) if not active[at]),
        [nodes[at] for at in busy],
        [float(of.computing_s[at]) for at in busy] if of.timed else None,
        shares[busy],
        float(of.apart_s[busy].mean()) if busy else 0.0,
        *_written_back(regions),
        _misses_in_flight(regions),
        of.timed and _independent(of.spun_ps[busy], of.sleeps[busy], regions),
    )


def _account(
    recording: Recording,
    regions: Sequence[Roi],
    node_of_cpu: Sequence[int],
    row: Mapping[int, int],
) -> _Account:
    number = {
        (int(region["region"]), int(thread["id"])): row.get(int(thread["tid"]))
        for region in recording.of("lab_threads")
        for thread in region["threads"]
    }
    of = _Account.of(_nodes(recording, row))
    for roi in regions:
        share = _memory_share(roi)
        for thread in roi.threads:
            at = None if thread.id is None else number.get((roi.number, thread.id))
            if at is not None:
                node = node_of_cpu[thread.vcpus[0]] if thread.vcpus else None
                of.add(at, thread, share, node)
    if not of.lines.any():  # No region tells: what the samples count.
        for tid, at in row.items():
            of.lines[at] = of.answered[at] = _weight_of(recording, tid)
    return of


def _weight_of(recording: Recording, tid: int) -> float:
    """The lines that the samples of a thread stand for."""
    return float(recording.samples["weight"][recording.samples["tid"] == tid].sum())


def _order(recording: Recording) -> list[int]:
    """Thread ids in the order of creation."""
    used = {int(pid) for pid in np.unique(recording.samples["pid"])}
    tids = {int(tid) for tid in np.unique(recording.samples["tid"])}
    others: set[int] = set()
    for document in recording.of("threads"):
        started = {int(thread["tid"]): thread.get("name") for thread in document["threads"]}
        if int(document["pid"]) in used:
            tids |= {tid for tid, name in started.items() if tid in tids or name != SAMPLER}
        else:
            others |= started.keys()
    if recording.source == "lab" and len(used) == 1:
        # Ids that nobody has are those of threads that ended before anybody saw them.
        tids |= set(range(min(tids), max(tids) + 1)) - others
    return sorted(tids)


def _nodes(recording: Recording, row: Mapping[int, int]) -> list[int | None]:
    """The node from which each thread used most."""
    samples = recording.samples
    found: list[int | None] = [None] * len(row)
    for tid, at in row.items():
        mine = samples[(samples["tid"] == tid) & (samples["cpu_node"] != NOWHERE)]
        if len(mine):
            uses = np.bincount(mine["cpu_node"], mine["weight"])
            found[at] = int(uses.argmax())
    return found


def _memory_share(roi: Roi) -> dict[int, float]:
    """By virtual CPU, of the lines that missed its own caches the share that memory answered; the
    others came from the last level, or from other CPUs' caches."""
    shares = {}
    for vcpu in roi.vcpus:
        if vcpu.time is None:
            continue
        missed = sum(sum(of.loads) + sum(of.stores) for of in (vcpu.user, vcpu.kernel))
        answered = sum(vcpu.time.memory_reads)
        shares[vcpu.id] = min(1.0, answered / missed) if missed else 1.0
    return shares


def _written_back(regions: Sequence[Roi]) -> tuple[float, float]:
    """Threads.stored_back and loaded_back, of all CPUs together; lines that a store missed are the
    first to go back."""
    loads = stores = read = written = 0
    for vcpu in (vcpu for roi in regions for vcpu in roi.vcpus if vcpu.time is not None):
        assert vcpu.time is not None
        loads += sum(vcpu.user.loads) + sum(vcpu.kernel.loads)
        stores += sum(vcpu.user.stores) + sum(vcpu.kernel.stores)
        read += sum(vcpu.time.memory_reads)
        written += sum(vcpu.time.memory_writes)
    missed = loads + stores
    if not missed or not read:
        return 1.0, 0.0
    from_memory = min(1.0, read / missed)
    loads_read, stores_read = loads * from_memory, stores * from_memory
    stored_back = min(1.0, written / stores_read) if stores_read else 1.0
    rest = max(0.0, written - stores_read)
    return stored_back, min(1.0, rest / loads_read) if loads_read else 0.0


def _misses_in_flight(regions: Sequence[Roi]) -> float | None:
    times = [vcpu.time for roi in regions for vcpu in roi.vcpus if vcpu.time is not None]
    any_ps = sum(time.in_flight_ps for time in times)
    return sum(time.latency_ps for time in times) / any_ps if any_ps else None


def _independent(spun_ps: Floats, sleeps: Floats, regions: Sequence[Roi]) -> bool:
    time_ps = sum(roi.ended_ps or 0 for roi in regions)
    return bool(np.median(spun_ps) < SPINNING * time_ps and np.median(sleeps) <= FEW_SLEEPS)

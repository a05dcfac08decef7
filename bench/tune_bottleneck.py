"""What held up a run of ./dev bench tune, by the lab's statistics, as the models name it. Pure.

Memories and links are the bottleneck where they were in use for most of the time: nothing can be
served faster then (the utilisation law of operational analysis). Threads that compute for most of
theirs are it themselves. Of the rest the statistics tell too little: what a thread waited for may
have been distance, or a memory that was full for a moment.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations

from homenode.lab.counts import Roi
from homenode.lab.times import RoiTime

# In use for so much of the time.
SATURATED = 0.75
# What is used as much as the most used, up to this, is as much of a bottleneck.
AS_MUCH = 0.95


def _in_use(time: RoiTime) -> Iterator[tuple[str, int]]:
    """Each memory, path and link, with how long it was in use."""
    for one in time.controllers:
        yield f"bandwidth of the memory of node {one.node}", one.busy_ps
        yield f"bandwidth from node {one.node} to the memory of node {one.node}", one.busy_ps
    for link in time.links:
        if link.shared:
            name = f"bandwidth of the link from node {link.source} to node {link.target}"
            yield name, link.busy_ps
        else:
            # One way of a pair: what the CPUs of one node read, or what those of the other write.
            for cpus, memory in permutations((link.source, link.target)):
                yield f"bandwidth from node {cpus} to the memory of node {memory}", link.busy_ps


def utilisation(regions: Sequence[Roi]) -> dict[str, float]:
    """The share of the time for which each memory, path and link was in use."""
    busy: Counter[str] = Counter()
    for roi in regions:
        if roi.time is not None:
            most: dict[str, int] = {}
            for name, busy_ps in _in_use(roi.time):
                most[name] = max(busy_ps, most.get(name, 0))
            busy.update(most)
    ended = sum(roi.ended_ps or 0 for roi in regions)
    return {name: busy_ps / ended for name, busy_ps in busy.items()} if ended else {}


def bottlenecks(regions: Sequence[Roi]) -> set[str]:
    """The names that a model may give it; none where the statistics do not decide."""
    used = utilisation(regions)
    most = max(used.values(), default=0.0)
    if most >= SATURATED:
        return {name for name, share in used.items() if share >= AS_MUCH * most}
    times = [thread.time for roi in regions for thread in roi.threads if thread.time is not None]
    spent = [time.spent for time in times if time.spent is not None]
    waited = sum(sum(one.memory_ps) + one.l3_ps + one.other_cache_ps for one in spent)
    computed = sum(one.computed_ps + one.own_cache_ps for one in spent)
    return {"computing"} if computed > waited else set()

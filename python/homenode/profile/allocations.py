"""When which memory was allocated, and by which call stack, from what the agent has recorded. Pure.

An allocation ends where it is freed, where its memory is given again (its end was not seen), or
where its process executes another program. A forked child begins with what its parent has.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from homenode.profile.ranges import FOREVER, Ranges, join, ranges
from homenode.profile.recording import EVENTS, Event, Recording

Events = NDArray[np.void]


def _paired(events: Events) -> Ranges:
    """Of allocations: each ends with the next event at its address."""
    order = np.lexsort((-events["event"].astype(np.int64), events["time_ns"], events["address"]))
    events = events[order]
    begins = np.flatnonzero(events["event"] == Event.ALLOCATED)
    follower = np.minimum(begins + 1, len(events) - 1)
    again = (begins + 1 < len(events)) & (events["address"][follower] == events["address"][begins])
    chosen = events[begins]
    return Ranges(
        chosen["address"],
        chosen["address"] + chosen["bytes"],
        chosen["time_ns"],
        np.where(again, events["time_ns"][follower], FOREVER).astype(np.uint64),
        chosen["site"].astype(np.int64),
    )


class _Mappings:
    """Disjoint ranges that are cut where others are laid over them: begin, end, since, site."""

    def __init__(self) -> None:
        self.begins: list[int] = []
        self.live: list[tuple[int, int, int, int]] = []
        self.ended: list[tuple[int, int, int, int, int]] = []

    def cut(self, begin: int, end: int, time_ns: int) -> None:
        """Ends what is there; what sticks out stays."""
        first = max(bisect_right(self.begins, begin) - 1, 0)
        last = bisect_left(self.begins, end)
        kept = []
        for item in self.live[first:last]:
            if item[1] <= begin:
                kept.append(item)
                continue
            self.ended.append((max(item[0], begin), min(item[1], end), item[2], time_ns, item[3]))
            if item[0] < begin:
                kept.append((item[0], begin, *item[2:]))
            if item[1] > end:
                kept.append((end, item[1], *item[2:]))
        self.live[first:last] = kept
        self.begins[first:last] = [item[0] for item in kept]

    def put(self, begin: int, end: int, time_ns: int, site: int) -> None:
        self.cut(begin, end, time_ns)
        at = bisect_left(self.begins, begin)
        self.begins.insert(at, begin)
        self.live.insert(at, (begin, end, time_ns, site))

    def ranges(self) -> Ranges:
        lasting = [(begin, end, since, FOREVER, site) for begin, end, since, site in self.live]
        return ranges(self.ended + lasting)


def _mapped(events: Events) -> Ranges:
    """Of mappings, of which any part may go."""
    mappings = _Mappings()
    for event in events[np.argsort(events["time_ns"], kind="stable")]:
        begin, time_ns = int(event["address"]), int(event["time_ns"])
        # The kernel maps whole pages.
        end = begin + -(-int(event["bytes"]) // 4096) * 4096
        if event["event"] == Event.MAPPED:
            mappings.put(begin, end, time_ns, int(event["site"]))
        else:
            mappings.cut(begin, end, time_ns)
    return mappings.ranges()


def _documented(recording: Recording, pid: int) -> Ranges:
    """Allocations that a document lists whole."""
    rows = [
        (int(begin), int(begin) + int(size), int(since), FOREVER if to is None else int(to), site)
        for document in recording.of("allocations")
        if int(document["pid"]) == pid
        for site, begin, size, since, to in document["allocations"]
    ]
    return ranges(rows)


def _inherited(events: Events, time_ns: int) -> Events:
    """What stands at a time, as events of that time: what a child of fork() begins with."""
    found = []
    for kind, made in ((Event.ALLOCATED, _paired), (Event.MAPPED, _mapped)):
        there = made(events[_is_of(events, kind)])
        there = there.of((there.began_ns <= time_ns) & (time_ns < there.ended_ns))
        part = np.zeros(len(there), EVENTS)
        part["time_ns"], part["event"] = time_ns, kind
        part["address"], part["bytes"] = there.begin, there.end - there.begin
        part["site"] = there.owners
        found.append(part)
    return np.concatenate(found)


def _is_of(events: Events, kind: Event) -> NDArray[np.bool_]:
    return np.asarray((events["event"] == kind) | (events["event"] == kind + 1))


class Allocations:
    """What each process allocated. The owners of ranges are the ids of sites."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._events: dict[int, Events] = {}
        order = np.argsort(recording.events["pid"], kind="stable")
        pids, first = np.unique(recording.events["pid"][order], return_index=True)
        for pid, part in zip(pids, np.split(recording.events[order], first[1:]), strict=False):
            self._events[int(pid)] = part
        self._executed: dict[int, list[int]] = defaultdict(list)
        self._forked: dict[int, tuple[int, int]] = {}
        for document in recording.of("process"):
            pid, time_ns = int(document["pid"]), int(document["time_ns"])
            if document.get("began") == "fork":
                self._forked[pid] = (int(document.get("parent", 0)), time_ns)
            else:
                self._executed[pid].append(time_ns)

    def forked_ns(self, pid: int) -> int:
        """When the process was forked; 0 where that was not seen."""
        return self._forked.get(pid, (0, 0))[1]

    def events(self, pid: int, depth: int = 0) -> Events:
        """What happened in a process, and what it inherited."""
        own = self._events.get(pid, np.empty(0, EVENTS))
        parent, time_ns = self._forked.get(pid, (0, 0))
        if parent in (0, pid) or depth > 100:
            return own
        inherited = _inherited(self.events(parent, depth + 1), time_ns)
        inherited["pid"] = pid
        return np.concatenate([inherited, own])

    def _until_exec(self, pid: int, found: Ranges) -> Ranges:
        executed = np.sort(np.array(self._executed[pid], np.uint64))
        if len(executed) == 0:
            return found
        following = np.searchsorted(executed, found.began_ns, side="right")
        limit = np.append(executed, np.uint64(FOREVER))[following]
        ended = np.minimum(found.ended_ns, limit)
        return Ranges(found.begin, found.end, found.began_ns, ended, found.owners)

    def blocks(self, pid: int) -> Ranges:
        """What malloc and its like gave."""
        events = self.events(pid)
        paired = _paired(events[_is_of(events, Event.ALLOCATED)])
        return self._until_exec(pid, join([paired, _documented(self._recording, pid)]))

    def mappings(self, pid: int) -> Ranges:
        """What mmap gave."""
        events = self.events(pid)
        return self._until_exec(pid, _mapped(events[_is_of(events, Event.MAPPED)]))

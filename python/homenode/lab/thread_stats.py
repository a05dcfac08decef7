"""Where each thread's modelled time went: what `lab run --stats` and `--json` say of it. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homenode.lab.counts import Roi
from homenode.lab.spent import Sleep, Spent, Waiting
from homenode.lab.system_calls import FUTEX, futex_operation, name_of
from homenode.lab.text import table

PS_PER_S = 10**12
MOST_THREADS = 32
LEAST_SHARE = 0.0005  # What is less is shown as 0.0%.
MOST_WAITINGS = 8
MOST_SLEEPERS = 8
MOST_WAKERS = 3


@dataclass(frozen=True)
class ThreadStats:
    """One thread over some regions of interest. `nodes` are those of `spent.memory_ps`."""

    id: int
    rank: int | None
    nodes: tuple[int, ...]
    spent: Spent

    @property
    def name(self) -> str:
        """What people call it: its rank, where it has said it."""
        return str(self.id if self.rank is None else self.rank)


Key = tuple[str, int]  # Its thread pointer, and which one with that it is: processes share them.


def thread_stats(rois: Sequence[Roi]) -> tuple[ThreadStats, ...]:
    """Each thread of the regions, in the order of their numbers."""
    parts = [_parts(roi) for roi in rois]
    order = sorted({part.key for threads in parts for part in threads.values()}, key=_age)
    numbers = {key: number for number, key in enumerate(order)}
    found: dict[Key, ThreadStats] = {}
    for roi, threads in zip(rois, parts, strict=True):
        known = {old: numbers[part.key] for old, part in threads.items()}
        for part in threads.values():
            spent, rank = part.spent.numbered(known.get), part.rank
            before = found.get(part.key)
            if before is not None:
                spent, rank = before.spent + spent, before.rank if rank is None else rank
            found[part.key] = ThreadStats(numbers[part.key], rank, roi.nodes, spent)
    return tuple(found[key] for key in order if found[key].spent.there_ps > 0)


@dataclass(frozen=True)
class _Part:
    """A thread in one region."""

    key: Key
    rank: int | None
    spent: Spent


def _parts(roi: Roi) -> dict[int | None, _Part]:
    """The threads of a region that have a number and an account, by their number."""
    seen: Counter[str] = Counter()
    parts: dict[int | None, _Part] = {}
    for thread in sorted(roi.threads, key=lambda one: -1 if one.id is None else one.id):
        if thread.id is None or thread.time is None or thread.time.spent is None:
            continue
        key = (thread.fs_base, seen[thread.fs_base])
        seen[thread.fs_base] += 1
        parts[thread.id] = _Part(key, thread.rank, thread.time.spent)
    return parts


def _age(key: Key) -> tuple[int, int]:
    """As the plugin numbers them: the highest thread pointer first."""
    return -int(key[0] or "0", 16), key[1]


def threads_text(threads: Sequence[ThreadStats], ps: int) -> str:
    """Shares of the regions' time for people; `ps` is all of it."""
    shown = threads[:MOST_THREADS]
    lines = [
        "where the threads' time went, modelled, of the region of interest "
        "(absent: not begun, or ended)",
        table([["thread", *PARTS, "absent"], *(_parts_row(one, ps) for one in shown)]),
    ]
    if len(threads) > len(shown):
        lines.append(f"and {len(threads) - len(shown)} more threads, which --json lists")
    lines += _memory_lines(shown, ps)
    lines += _sleep_lines(threads, ps)
    return "\n".join(lines)


PARTS = ("computing", "memory", "spinning", "kernel", "asleep", "no CPU")


def _share(part_ps: int, ps: int) -> str:
    return f"{part_ps / ps:.1%}" if ps else "0.0%"


def _parts_row(thread: ThreadStats, ps: int) -> list[object]:
    spent = thread.spent
    parts = (
        spent.computed_ps,
        spent.stalled_ps,
        spent.spun_ps,
        spent.kernel_ps,
        spent.slept_ps,
        spent.ready_ps,
        max(0, ps - spent.there_ps),
    )
    return [thread.name, *(_share(part, ps) for part in parts)]


def _memory_lines(threads: Sequence[ThreadStats], ps: int) -> list[str]:
    """Which node, or cache, made them wait; those that made nobody wait are left out."""
    names = [f"node {node}" for node in threads[0].nodes] + ["other caches", "L3", "own caches"]
    rows = [
        (*one.spent.memory_ps, one.spent.other_cache_ps, one.spent.l3_ps, one.spent.own_cache_ps)
        for one in threads
    ]
    least_ps = LEAST_SHARE * ps
    columns = enumerate(zip(*rows, strict=True))
    used = [i for i, column in columns if max(column) > least_ps]
    if not used:
        return []
    cells = [
        [one.name, *(_share(row[i], ps) for i in used)]
        for one, row in zip(threads, rows, strict=True)
    ]
    return [
        "of it waiting for memory, by where the line came from",
        table([["thread", *(names[i] for i in used)], *cells]),
    ]


def _sleep_lines(threads: Sequence[ThreadStats], ps: int) -> list[str]:
    """The longest sleeps by what it was for: who slept, how long, how often, and who ended it."""
    slept: dict[Waiting, list[tuple[ThreadStats, Sleep]]] = {}
    for one in threads:
        for waiting, sleep in one.spent.sleeps.items():
            slept.setdefault(waiting, []).append((one, sleep))
    if not slept:
        return []
    names = {one.id: one.name for one in threads}
    longest = sorted(slept.items(), key=lambda item: -_total_ps(item[1]))
    lines = ["what they slept in"]
    for waiting, sleeps in longest[:MOST_WAITINGS]:
        lines.append(f"  {waiting_text(waiting, max(one.most_at_once for _, one in sleeps))}")
        sleeps.sort(key=lambda item: (-item[1].slept_ps, item[0].id))
        for thread, sleep in sleeps[:MOST_SLEEPERS]:
            times = "once" if sleep.times == 1 else f"{sleep.times} times"
            share = _share(sleep.slept_ps, ps)
            lines.append(f"    thread {thread.name}: {share}, {times}, {_wakers(sleep, names)}")
        if len(sleeps) > MOST_SLEEPERS:
            lines.append(f"    and {len(sleeps) - MOST_SLEEPERS} more threads")
    if len(longest) > MOST_WAITINGS:
        lines.append(f"  and {len(longest) - MOST_WAITINGS} more, which --json lists")
    return lines


def _total_ps(sleeps: Sequence[tuple[ThreadStats, Sleep]]) -> int:
    return sum(sleep.slept_ps for _, sleep in sleeps)


def waiting_text(waiting: Waiting, most_at_once: int) -> str:
    """What a thread waited for, and no more than is known of it."""
    if waiting.system_call is None:
        return "no system call: a page fault, or since before the region"
    if waiting.system_call != FUTEX or waiting.operation is None:
        return name_of(waiting.system_call)
    place = "several addresses" if waiting.address is None else waiting.address
    what = f"futex {futex_operation(waiting.operation)} {place}"
    if most_at_once > 1:
        return f"{what} (up to {most_at_once} woken at once, as by a barrier or condition)"
    if most_at_once == 1:
        return f"{what} (woken one at a time, as by a lock or hand-over)"
    return what


def _wakers(sleep: Sleep, names: dict[int, str]) -> str:
    by = sorted(sleep.woken_by.items(), key=lambda item: (-item[1], item[0] is None, item[0] or 0))
    parts = [f"{_waker(thread, names)} ({times})" for thread, times in by[:MOST_WAKERS]]
    if len(by) > MOST_WAKERS:
        more = len(by) - MOST_WAKERS
        parts.append(f"{more} other{'s' if more > 1 else ''}")
    if sleep.woken_by_none:
        parts.append(f"timer or device ({sleep.woken_by_none})")
    if sleep.times > sum(sleep.woken_by.values()) + sleep.woken_by_none:
        parts.append("nobody before the end")
    return "woken by " + ", ".join(parts)


def _waker(thread: int | None, names: dict[int, str]) -> str:
    return f"thread {names[thread]}" if thread in names else "another process"


def threads_json(threads: Sequence[ThreadStats]) -> list[dict[str, Any]]:
    """The same as JSON, whole."""
    return [_thread_json(one) for one in threads]


def _thread_json(thread: ThreadStats) -> dict[str, Any]:
    spent = thread.spent
    on_node = zip(thread.nodes, spent.memory_ps, strict=True)
    return {
        "id": thread.id,
        "rank": thread.rank,
        "computed_s": spent.computed_ps / PS_PER_S,
        "memory_s": {str(node): ps / PS_PER_S for node, ps in on_node},
        "other_cache_s": spent.other_cache_ps / PS_PER_S,
        "l3_s": spent.l3_ps / PS_PER_S,
        "own_cache_s": spent.own_cache_ps / PS_PER_S,
        "kernel_s": spent.kernel_ps / PS_PER_S,
        "spun_s": spent.spun_ps / PS_PER_S,
        "slept_s": spent.slept_ps / PS_PER_S,
        "ready_s": spent.ready_ps / PS_PER_S,
        "sleeps": [_sleep_json(*item) for item in spent.sleeps.items()],
    }


def _sleep_json(waiting: Waiting, sleep: Sleep) -> dict[str, Any]:
    number, operation = waiting.system_call, waiting.operation
    return {
        "system_call": None if number is None else name_of(number),
        "futex": None
        if operation is None
        else {"operation": futex_operation(operation), "address": waiting.address},
        "times": sleep.times,
        "slept_s": sleep.slept_ps / PS_PER_S,
        "most_at_once": sleep.most_at_once,
        "woken_by_none": sleep.woken_by_none,
        "woken_by": [{"thread": one, "times": times} for one, times in sleep.woken_by.items()],
    }

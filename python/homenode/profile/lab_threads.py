"""Which thread of the guest each of the plugin's threads is. Pure.

The plugin tells threads apart by their registers, and reads the id of one that glibc made in its
descriptor. Where it cannot, threads that the guest saw are taken in the order of their ids, which
is that of their thread pointers from the highest as a rule.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from homenode.lab.watched import Look
from homenode.profile.recording import Document

INIT = 1


@dataclass(frozen=True)
class Thread:
    """Its process and its own id. `guessed`: by the order of ids."""

    pid: int
    tid: int
    guessed: bool = False


def named(
    region: Document, seen: Iterable[Look], program: int, *, init_began: bool
) -> dict[int, Thread]:
    """The threads of a region by the plugin's numbers."""
    seen = list(seen)
    process_of = {tid: look.pid for look in seen for tid in look.threads}
    groups: dict[int, list[Document]] = {}
    for thread in region["threads"]:
        groups.setdefault(int(thread["process"]), []).append(thread)
    found: dict[int, Thread] = {}
    for number, threads in groups.items():
        if init_began and number == region["owner"]:
            pid = INIT
        else:
            pid = _process(threads, process_of, seen, program)
        found |= _threads(pid, threads, process_of)
    return found


def _process(
    threads: list[Document], process_of: dict[int, int], seen: list[Look], program: int
) -> int:
    """By a thread's id, else by whose memory holds the thread pointers."""
    tids = [int(thread["tid"]) for thread in threads if thread["tid"]]
    for tid in tids:
        if tid in process_of:
            return process_of[tid]
    if tids:
        return min(tids)
    pointers = [int(thread["fs_base"]) for thread in threads]
    for look in seen:
        for mapping in look.mappings:
            if any(mapping["begin"] <= pointer < mapping["end"] for pointer in pointers):
                return look.pid
    return program


def _threads(pid: int, threads: list[Document], process_of: dict[int, int]) -> dict[int, Thread]:
    known = {int(thread["id"]): int(thread["tid"]) for thread in threads if thread["tid"]}
    # Before a process has a thread pointer it has one thread.
    known |= {int(one["id"]): pid for one in threads if not one["tid"] and not one["fs_base"]}
    taken = set(known.values())
    free = sorted(tid for tid, of in process_of.items() if of == pid and tid not in taken)
    found = {number: Thread(pid, tid) for number, tid in known.items()}
    rest = sorted({int(thread["id"]) for thread in threads} - known.keys())
    guesses = _guesses(pid, taken, free, len(rest))
    return found | {
        number: Thread(pid, tid, guessed=True) for number, tid in zip(rest, guesses, strict=True)
    }


def _guesses(pid: int, taken: set[int], free: list[int], count: int) -> list[int]:
    """The ids of threads that have none. One among others that have theirs is the first thread,
    before its C library had made the descriptor."""
    if count == 1 and len(taken) > 1 and not free:
        return [pid]
    # One that nobody saw gets a number that no thread of the process has.
    unseen = max([pid, *taken, *free]) + 1
    return [free[i] if i < len(free) else unseen + i for i in range(count)]

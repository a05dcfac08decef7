"""A timeline in the Trace Event format, which Perfetto and chrome://tracing open. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from homenode.timeline import SLEEPING, Interval, Timeline

PS_PER_US = 10**6
WORDS = {
    "kernel": "in the kernel",
    "spinning": "spinning",
    SLEEPING: "sleeping",
    "ready": "waiting for a CPU",
}
Names = Mapping[int, str]


def trace_json(title: str, timelines: Sequence[Timeline], names: Mapping[int, Names]) -> str:
    """The text of the file; `names` of the threads by the number of the region, and theirs.

    A region is a process of the trace, and begins at 0. Code that runs is called by what it did
    most of the time; its arguments say the rest.
    """
    events = [event for one in timelines for event in _events(one, names.get(one.region, {}))]
    value = {
        "displayTimeUnit": "ns",
        "otherData": {
            "title": title,
            "time": "modelled, not measured",
            "dropped intervals": str(sum(one.dropped for one in timelines)),
        },
        "traceEvents": events,
    }
    return json.dumps(value) + "\n"


def _events(timeline: Timeline, names: Names) -> Iterator[dict[str, Any]]:
    pid = timeline.region
    yield _named("process_name", pid, 0, f"region of interest {pid} (modelled time)")
    for thread in sorted({one.thread for one in timeline.intervals}):
        yield _named("thread_name", pid, thread, names.get(thread, f"thread {thread}"))
        yield {
            **_named("thread_sort_index", pid, thread, ""),
            "args": {"sort_index": thread},
        }
    for number, one in enumerate(timeline.intervals):
        yield _complete(pid, one)
        if one.activity == SLEEPING and one.waker is not None:
            flow = {"cat": "wake-up", "name": "wake-up", "id": f"{pid}.{number}", "pid": pid}
            yield {**flow, "ph": "s", "tid": one.waker, "ts": one.woken_ps / PS_PER_US}
            yield {**flow, "ph": "f", "bp": "e", "tid": one.thread, "ts": one.to_ps / PS_PER_US}


def _named(what: str, pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}


def _complete(pid: int, one: Interval) -> dict[str, Any]:
    length_ps = one.to_ps - one.from_ps
    args: dict[str, Any] = {}
    if one.activity in WORDS:
        name = WORDS[one.activity]
    else:
        name = "waiting for memory" if 2 * one.stall_ps > length_ps else "computing"
        args = {"waiting for memory": f"{one.stall_ps / length_ps:.1%}"}
    return {
        "ph": "X",
        "cat": "modelled",
        "name": name,
        "pid": pid,
        "tid": one.thread,
        "ts": one.from_ps / PS_PER_US,
        "dur": length_ps / PS_PER_US,
        "args": args,
    }

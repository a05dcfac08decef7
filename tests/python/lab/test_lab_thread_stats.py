"""homenode.lab.spent and thread_stats: where threads' modelled time went, as people read it."""

import json
from typing import Any

import pytest

from homenode.lab import Roi
from homenode.lab.counts import parse_rois
from homenode.lab.thread_stats import ThreadStats, thread_stats, threads_json, threads_text

PS = 1_000_000
FUTEX = {"operation": 128, "address": "0x7f00"}


def sleep(slept_ps: int, by: dict[int | None, int] | None = None, **other: Any) -> dict[str, Any]:
    by = {} if by is None else by
    return {
        "system_call": 202,
        "futex": FUTEX,
        "times": sum(by.values()),
        "slept_ps": slept_ps,
        "most_at_once": 1,
        "woken_by_none": 0,
        "woken_by": [{"thread": one, "times": times} for one, times in by.items()],
    } | other


def thread(number: int, sleeps: list[dict[str, Any]] | None = None, **other: Any) -> dict[str, Any]:
    time = {
        "busy_ps": 0,
        "first_ps": 0,
        "last_ps": PS,
        "instructions": 5,
        "computed_ps": 100_000,
        "memory_ps": [0, 0],
        "other_cache_ps": 0,
        "l3_ps": 0,
        "own_cache_ps": 0,
        "kernel_ps": 0,
        "spun_ps": 0,
        "slept_ps": sum(one["slept_ps"] for one in sleeps or []),
        "ready_ps": 0,
        "sleeps": sleeps or [],
    }
    fs_base = f"0x{0x7000 - 16 * number:x}"
    user = {"loads": [0, 0], "stores": [0, 0]}
    whole = {"id": number, "fs_base": fs_base, "rank": None, "vcpus": [0], "user": user}
    return {**whole, "time": time | other}


def region(*threads: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": "homenode.counts/2",
        "roi": 1,
        "ended_by": "marker",
        "registers": True,
        "nodes": [0, 8],
        "vcpus": [],
        "threads": list(threads),
        "time": {
            "modelled": True,
            "ps": PS,
            "epoch_ns": 1000,
            "late_waits": 0,
            "controllers": [],
            "links": [],
        },
    }


def rois(*regions: dict[str, Any]) -> list[Roi]:
    return parse_rois("".join(json.dumps(one) + "\n" for one in regions))


def stats(*threads: dict[str, Any]) -> tuple[ThreadStats, ...]:
    return thread_stats(rois(region(*threads)))


def test_people_read_the_share_of_each_part():
    found = stats(
        thread(
            0,
            memory_ps=[200_000, 50_000],
            other_cache_ps=30_000,
            l3_ps=20_000,
            spun_ps=150_000,
            kernel_ps=50_000,
            ready_ps=125_000,
        ),
        thread(1),
    )
    lines = threads_text(found, PS).splitlines()
    assert "modelled" in lines[0]
    assert lines[1].split("  ")[0] == "thread" and "no CPU" in lines[1]
    assert lines[2].split() == ["0", "10.0%", "30.0%", "15.0%", "5.0%", "0.0%", "12.5%", "27.5%"]
    assert lines[3].split() == ["1", "10.0%", "0.0%", "0.0%", "0.0%", "0.0%", "0.0%", "90.0%"]
    assert lines[5].split() == ["thread", "node", "0", "node", "8", "other", "caches", "L3"]
    assert lines[6].split() == ["0", "20.0%", "5.0%", "3.0%", "2.0%"]
    assert len(lines) == 8


@pytest.mark.parametrize(
    ("made", "what", "who"),
    [
        (
            sleep(100_000, {1: 30, 2: 10}, most_at_once=7),
            "futex wait 0x7f00 (up to 7 woken at once, as by a barrier or condition)",
            "10.0%, 40 times, woken by thread 1 (30), thread 2 (10)",
        ),
        (
            sleep(100_000, {1: 1}),
            "futex wait 0x7f00 (woken one at a time, as by a lock or hand-over)",
            "10.0%, once, woken by thread 1 (1)",
        ),
        (
            sleep(50_000, {1: 1}, futex={"operation": 6, "address": None}),
            "futex lock_pi several addresses (woken one at a time, as by a lock or hand-over)",
            "5.0%, once, woken by thread 1 (1)",
        ),
        (
            sleep(50_000, times=1, most_at_once=0),
            "futex wait 0x7f00",
            "5.0%, once, woken by nobody before the end",
        ),
        (
            sleep(1000, {}, system_call=0, futex=None, times=3, woken_by_none=3),
            "read",
            "0.1%, 3 times, woken by timer or device (3)",
        ),
        (
            sleep(1000, {None: 1}, system_call=999, futex=None),
            "system call 999",
            "0.1%, once, woken by another process (1)",
        ),
        (
            sleep(1000, {1: 1}, system_call=None, futex=None),
            "no system call: a page fault, or since before the region",
            "0.1%, once, woken by thread 1 (1)",
        ),
        (
            sleep(1000, {1: 9, 2: 8, 3: 7, 4: 1}, system_call=7, futex=None),
            "poll",
            "0.1%, 25 times, woken by thread 1 (9), thread 2 (8), thread 3 (7), 1 other",
        ),
    ],
)
def test_people_read_what_a_thread_slept_in_and_who_woke_it(
    made: dict[str, Any], what: str, who: str
):
    found = stats(thread(0, [made]), *(thread(n) for n in range(1, 5)))
    lines = threads_text(found, PS).splitlines()
    assert lines[-2:] == [f"  {what}", f"    thread 0: {who}"]


def test_those_that_wait_for_the_same_stand_together():
    # The first that a wake-up reaches does not know that there are others.
    found = stats(
        thread(0, [sleep(9, {1: 1}), sleep(99, {1: 1}, system_call=7, futex=None)]),
        thread(1, [sleep(80, {0: 1}, most_at_once=3)]),
        thread(2, [sleep(50, {0: 1})]),
    )
    lines = threads_text(found, PS).splitlines()
    assert [
        line.split(":")[0].split(" (")[0] for line in lines[lines.index("what they slept in") :]
    ] == [
        "what they slept in",
        "  futex wait 0x7f00",
        "    thread 1",
        "    thread 2",
        "    thread 0",
        "  poll",
        "    thread 0",
    ]
    assert "up to 3 woken at once" in "\n".join(lines)


def test_only_the_longest_sleeps_and_the_first_threads_are_shown():
    sleeps = [sleep(n + 1, {}, system_call=n, futex=None) for n in range(100)]
    text = threads_text(stats(*(thread(n, sleeps) for n in range(40))), PS)
    assert text.endswith("    and 32 more threads\n  and 92 more, which --json lists")
    assert "and 8 more threads, which --json lists" in text


def test_threads_are_called_by_the_rank_that_they_have_said():
    first = thread(0, [sleep(10, {1: 1})]) | {"rank": 5}
    second = thread(1) | {"rank": 7}
    found = stats(first, second)
    assert [one.name for one in found] == ["5", "7"]
    assert "thread 5: 0.0%, once, woken by thread 7 (1)" in threads_text(found, PS)


def test_regions_add_up_by_thread_though_their_numbers_differ():
    # In the second region a thread is gone, and those after it have other numbers.
    last = {**thread(2, [sleep(10, {0: 1})]), "id": 1}
    both = rois(
        region(thread(0), thread(1), thread(2, [sleep(30, {1: 2})])), region(thread(0), last)
    )
    found = thread_stats(both)
    assert [one.id for one in found] == [0, 1, 2]
    assert [one.spent.computed_ps for one in found] == [200_000, 100_000, 200_000]
    (only,) = found[2].spent.sleeps.values()
    assert (only.times, only.slept_ps, dict(only.woken_by)) == (3, 40, {1: 2, 0: 1})


def test_processes_that_share_thread_pointers_stay_apart():
    child = {**thread(0), "id": 1}
    found = stats(thread(0), child)
    assert [(one.id, one.spent.computed_ps) for one in found] == [(0, 100_000), (1, 100_000)]


def test_records_of_before_have_no_threads():
    old = thread(0)
    del old["id"]
    old["time"] = {"busy_ps": 1, "first_ps": 0, "last_ps": 1, "instructions": 1}
    assert thread_stats(rois(region(old))) == ()
    assert thread_stats([]) == ()


def test_the_json_has_seconds_and_names():
    (value, _) = threads_json(
        stats(thread(0, [sleep(40, {1: 2})], memory_ps=[10**12, 0], spun_ps=10**9), thread(1))
    )
    assert value["memory_s"] == {"0": 1.0, "8": 0.0}
    assert value["spun_s"] == pytest.approx(1e-3)
    assert value["sleeps"] == [
        {
            "system_call": "futex",
            "futex": {"operation": "wait", "address": "0x7f00"},
            "times": 2,
            "slept_s": pytest.approx(40e-12),
            "most_at_once": 1,
            "woken_by_none": 0,
            "woken_by": [{"thread": 1, "times": 2}],
        }
    ]

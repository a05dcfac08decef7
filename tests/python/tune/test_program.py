"""homenode.tune.program: exact counts become the model's program."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from homenode.lab.counts import Roi, roi_from_json
from homenode.profile.record import RECORD, USED_BEFORE, Flag, Operation
from homenode.profile.recording import EVENTS, Event, Recording
from homenode.tune.errors import TuneError
from homenode.tune.program import MOST_INSTANCES, REST, Seen, program_of

PAGE = 4096
BASE, SMALL = 0x7F0000000000, 0x7E0000000000
NODE_OF_CPU = (0, 0, 4, 4)
MAIN, WORKER, WATCHER = 40, 42, 43  # 41 ended before anybody looked.


def use(
    tid: int, page: int, lines: int, home: int, *, base: int = BASE, written: bool = False
) -> tuple[Any, ...]:
    node = {MAIN: 0, WORKER: 4}[tid]
    operation = Operation.WRITE if written else Operation.READ
    return tid, base + page * PAGE, lines, node, home, operation


def flagged(made: Recording, *alone: int) -> Recording:
    """With the samples of these numbers before any other thread came."""
    made.samples["flags"][list(alone)] |= np.uint32(Flag.ALONE)
    return made


def recording(uses: list[tuple[Any, ...]], flags: int = Flag.COUNTS_USES) -> Recording:
    samples = np.zeros(len(uses), RECORD)
    for name, values in zip(
        ("tid", "address", "weight", "cpu_node", "memory_node", "operation"),
        zip(*uses, strict=True),
        strict=True,
    ):
        samples[name] = values
    samples["pid"], samples["page_shift"], samples["flags"] = MAIN, 12, flags
    mappings = [
        {
            "begin": begin,
            "end": begin + pages * PAGE,
            "permissions": "rw-p",
            "offset": 0,
            "path": "",
        }
        for begin, pages in ((SMALL, 1), (BASE, 4))
    ]
    tids = (MAIN, WORKER, WATCHER)
    documents = {
        "mappings": [{"kind": "mappings", "time_ns": 1, "pid": MAIN, "mappings": mappings}],
        "threads": [
            {"time_ns": 1, "pid": MAIN, "threads": [{"tid": tid, "name": ""} for tid in tids]}
        ],
        "lab_threads": [
            {
                "region": 1,
                "threads": [
                    {"id": at, "pid": MAIN, "tid": tid, "guessed": False}
                    for at, tid in enumerate(tids)
                ],
            }
        ],
    }
    return Recording(samples, {"source": {"name": "lab"}}, documents)


def spent(
    computed: int, memory: int, kernel: int = 0, *, spun: int = 0, sleeps: int = 0
) -> dict[str, Any]:
    parts = ("other_cache", "l3", "own_cache", "slept", "ready")
    sleep = {
        "system_call": 202,
        "futex": None,
        "times": sleeps,
        "slept_ps": 0,
        "most_at_once": 1,
        "woken_by_none": sleeps,
        "woken_by": [],
    }
    return {
        "busy_ps": computed + memory,
        "first_ps": 0,
        "last_ps": computed + memory,
        "instructions": 1,
        "computed_ps": computed,
        "memory_ps": [memory, 0],
        "kernel_ps": kernel,
        "spun_ps": spun,
        **{f"{part}_ps": 0 for part in parts},
        "sleeps": [sleep] if sleeps else [],
    }


def region(threads: list[dict[str, Any]], answered: int = 100, written: int = 20) -> Roi:
    none = {"loads": [0, 0], "stores": [0, 0]}
    level = {"hits": 0, "misses": 0}
    vcpus = [
        {
            "vcpu": cpu,
            "user": {"loads": [80, 0], "stores": [20, 0]},
            "kernel": none,
            "time": {
                "ps": 1,
                "busy_ps": 1,
                "stall_ps": 0,
                "instructions": 1,
                "l1": level,
                "l2": level,
                "l3": level,
                "latency_ps": 300,
                "in_flight_ps": 200,
                "cache_to_cache": 0,
                "memory_reads": [answered, 0],
                "memory_writes": [written, 0],
            },
        }
        for cpu in (0, 2)
    ]
    time = {"modelled": True, "ps": 5_000_000, "epoch_ns": 1, "late_waits": 0}
    return roi_from_json(
        {
            "schema": "homenode.counts/2",
            "roi": 1,
            "ended_by": "marker",
            "registers": True,
            "nodes": [0, 4],
            "vcpus": vcpus,
            "threads": threads,
            "time": time | {"controllers": [], "links": []},
        }
    )


def thread(number: int, cpu: int, lines: int, time: dict[str, Any]) -> dict[str, Any]:
    user = {"loads": [lines, 0], "stores": [0, 0]}
    return {"id": number, "rank": None, "vcpus": [cpu], "user": user, "time": time}


def two_threads(answered: int = 100, written: int = 20) -> Roi:
    return region(
        [
            thread(0, 0, 100, spent(2_000_000, 3_000_000)),
            thread(1, 2, 100, spent(1_000_000, 2_000_000, kernel=500_000)),
            thread(2, 0, 0, spent(0, 0, kernel=900_000)),
        ],
        answered=answered,
        written=written,
    )


USES = [
    use(MAIN, 0, 60, 0),
    use(MAIN, 1, 40, 0, written=True),
    use(WORKER, 2, 100, 4),
    use(WORKER, 3, 20, 4),
]


def seen(uses: list[tuple[Any, ...]] | None = None, answered: int = 100) -> Seen:
    return program_of(recording(uses or USES), [two_threads(answered)], NODE_OF_CPU)


def test_threads_stand_in_the_order_of_creation_without_those_that_do_nothing() -> None:
    found = seen()
    assert found.threads == (MAIN, WORKER)
    assert found.skipped == (1, 3)
    assert list(found.program.nodes) == [0, 4]


@pytest.mark.parametrize(("computed", "threads"), [(50, 2), (200_000, 3)])
def test_threads_that_wait_for_memory_do_more_than_one_that_computes_a_moment(
    computed: int, threads: int
) -> None:
    chases = [thread(number, 2 * number, 100, spent(1000, 5_000_000)) for number in (0, 1)]
    helper = thread(2, 0, 0, spent(computed, 0))
    found = program_of(recording(USES), [region([*chases, helper])], NODE_OF_CPU)
    assert len(found.threads) == threads


def test_ids_of_other_processes_and_the_kernel_are_no_threads_of_the_program() -> None:
    made = recording(USES)
    kernel = {"time_ns": 1, "pid": 2, "threads": [{"tid": MAIN + 1, "name": "kernel"}]}
    made.documents["threads"].append(kernel)
    found = program_of(made, [two_threads()], NODE_OF_CPU)
    assert (found.threads, found.skipped) == ((MAIN, WORKER), (2,))


def test_a_thread_computes_in_user_code_and_is_apart_in_the_kernel() -> None:
    assert seen().program.computing_s == pytest.approx([2e-6, 1e-6])
    assert seen().apart_s == pytest.approx(0.25e-6)
    assert seen().time_s == pytest.approx(5e-6)


@pytest.mark.parametrize(
    ("spun", "sleeps", "wanted"), [(0, 0, True), (0, 3, True), (0, 100, False), (500_000, 0, False)]
)
def test_threads_that_wait_for_each_other_on_their_way_are_not_independent(
    spun: int, sleeps: int, wanted: bool
) -> None:
    time = spent(2_000_000, 3_000_000, spun=spun, sleeps=sleeps)
    threads = [thread(number, 2 * number, 100, time) for number in (0, 1)]
    found = program_of(recording(USES), [region(threads)], NODE_OF_CPU)
    assert found.program.independent is wanted


def test_misses_in_flight_are_their_latencies_over_the_time_in_which_there_are_any() -> None:
    assert seen().misses_in_flight == pytest.approx(1.5)


def test_a_region_is_not_over_before_its_last_thread() -> None:
    late = region([thread(0, 0, 100, spent(2_000_000, 5_500_000))])
    assert program_of(recording(USES), [late], NODE_OF_CPU).time_s == pytest.approx(7.5e-6)


def test_objects_have_lines_by_thread_and_page() -> None:
    (array,) = seen().program.objects
    assert (array.pages, array.pages_per_block) == (4, 1)
    assert array.reads.tolist() == [[60, 40, 0, 0], [0, 0, 100, 20]]
    assert array.writes.tolist() == [[0, 40, 0, 0], [0, 0, 0, 0]]


def test_lines_that_a_shared_cache_answered_are_no_memorys() -> None:
    (array,) = seen(answered=50).program.objects
    assert array.reads.sum() == pytest.approx(110)


def test_what_a_cache_had_is_of_the_object_that_it_had() -> None:
    made = recording([*USES, use(MAIN, 0, 100, 0, base=SMALL)])
    made.samples["flags"][[1, 4]] |= np.uint32(Flag.FROM_CACHE)
    found = program_of(made, [two_threads(answered=50)], NODE_OF_CPU)
    # Of the large one 180 of 220 came from memory, of any page alike.
    from_memory = found.program.objects[0].reads * 220 / 180
    assert from_memory[0].tolist() == pytest.approx([60, 40, 0, 0])
    assert from_memory[1].tolist() == pytest.approx([0, 0, 100, 20])
    assert found.answered == pytest.approx((180 / 220,))  # The small one is none.


def test_lines_that_were_loaded_and_then_written_go_back_to_memory() -> None:
    found = program_of(recording(USES), [two_threads(written=60)], NODE_OF_CPU)
    (array,) = found.program.objects
    # 20 of 100 lines were missed by stores; 40 more went back, half of those that loads missed.
    assert array.writes.tolist() == [[30, 40, 0, 0], [0, 0, 50, 10]]


def test_lines_that_stay_in_a_cache_do_not_go_back() -> None:
    found = program_of(recording(USES), [two_threads(written=10)], NODE_OF_CPU)
    (array,) = found.program.objects
    assert array.writes.tolist() == [[0, 20, 0, 0], [0, 0, 0, 0]]


def test_what_was_prefetched_is_a_share_of_each_objects_lines() -> None:
    made = recording([*USES, use(WORKER, 0, 10, 4, base=SMALL)])
    made.samples["flags"][[0, 3, 4]] |= np.uint32(Flag.PREFETCHED)
    array, small = program_of(made, [two_threads()], NODE_OF_CPU).program.objects
    assert array.in_order == pytest.approx(80 / 220)
    assert small.in_order == 1


def test_what_was_used_before_tells_the_order_of_pages() -> None:
    made = recording([*USES, use(WORKER, 0, 40, 4, base=SMALL)])
    assert all(one.used_before is None for one in seen().program.objects)
    # The main thread came to page 1 first; the worker to what is small, then to pages 3 and 2.
    made.samples[USED_BEFORE] = [40, 0, 60, 40, 0]
    array = program_of(made, [two_threads()], NODE_OF_CPU).program.objects[0]
    assert array.used_before is not None
    main, worker = array.used_before
    assert main[:2].tolist() == pytest.approx([40, 0])
    # Of 160 lines, 120 are the array's.
    assert worker[2:].tolist() == pytest.approx([45, 30])


def test_pages_are_at_home_where_their_lines_came_from() -> None:
    (array,) = seen().program.objects
    assert list(array.homes or ()) == [0, 0, 4, 4]
    assert list(array.first_users or ()) == [0, 0, 1, 1]


def test_all_on_the_main_threads_node_was_touched_by_it() -> None:
    (array,) = seen([use(MAIN, 0, 9, 0), use(WORKER, 3, 9, 0)]).program.objects
    assert list(array.homes or ()) == [0, 0, 0, 0]
    assert list(array.first_users or ()) == [0, 0, 0, 0]


def test_who_fills_pages_for_others_is_their_first_user_and_no_more() -> None:
    # The main thread fills page 2 for the worker, and nobody else uses what it wrote to page 1.
    filled = [use(MAIN, 2, 64, 0, written=True), use(MAIN, 1, 50, 0, written=True)]
    uses = [*filled, *USES[:2], use(WORKER, 2, 100, 0), *USES[3:]]
    found = program_of(flagged(recording(uses), 0, 1, 3), [two_threads()], NODE_OF_CPU)
    (array,) = found.program.objects
    assert array.reads.tolist() == [[60, 90, 0, 0], [0, 0, 100, 20]]
    assert array.first_users is not None
    assert list(array.first_users) == [0, 0, 0, 1]


def test_who_comes_first_in_a_region_has_not_filled_memory_that_lies_elsewhere() -> None:
    # Of what the main thread filled before the region began: on node 0 all of it.
    uses = [use(MAIN, 0, 60, 0), use(WORKER, 2, 100, 0), use(WORKER, 3, 20, 0)]
    found = program_of(flagged(recording(uses), 1, 2), [two_threads()], NODE_OF_CPU)
    (array,) = found.program.objects
    assert array.first_users is not None
    assert list(array.first_users) == [0, 0, 0, 0]


def test_what_is_hardly_used_is_one_object() -> None:
    many = [use(MAIN, 0, 100_000, 0), use(WORKER, 3, 100_000, 4)]
    found = seen([*many, use(WORKER, 0, 3, 4, base=SMALL)])
    assert [one.name for one in found.program.objects][1:] == [REST]
    assert found.objects[1] is None
    assert found.program.objects[1].reads.tolist() == [[0], [3]]


def allocated(made: Recording, *ranges: tuple[int, int]) -> Recording:
    """With allocations of one call stack: addresses and bytes."""
    events = np.zeros(len(ranges), EVENTS)
    for event, (address, size) in zip(events, ranges, strict=True):
        event["address"], event["bytes"], event["pid"] = address, size, MAIN
        event["event"], event["site"] = Event.ALLOCATED, 1
    site = {"id": 1, "function": "malloc", "frames": [0x1000]}
    sites = [{"kind": "sites", "time_ns": 0, "pid": MAIN, "sites": [site]}]
    return replace(made, documents={**made.documents, "sites": sites}, events=events)


def test_what_one_call_stack_allocates_twice_is_two_arrays() -> None:
    halves = ((BASE, 2 * PAGE), (BASE + 2 * PAGE, 2 * PAGE))
    found = program_of(allocated(recording(USES), *halves), [two_threads()], NODE_OF_CPU)
    assert [(one.pages, one.reads.sum()) for one in found.program.objects] == [(2, 100), (2, 120)]
    names = [one.name for one in found.program.objects]
    assert names[1] == f"{names[0]} (2)"
    assert [list(one.homes or ()) for one in found.program.objects] == [[0, 0], [4, 4]]
    assert all(one is not None and one.bytes == 2 * PAGE for one in found.objects)


def test_many_small_ones_are_laid_over_each_other() -> None:
    size = 4 * PAGE // (MOST_INSTANCES + 1)
    made = recording(
        [use(MAIN, 0, 1, 0, base=BASE + at * size) for at in range(MOST_INSTANCES + 1)]
    )
    small = [(BASE + at * size, size) for at in range(MOST_INSTANCES + 1)]
    found = program_of(allocated(made, *small), [two_threads()], NODE_OF_CPU)
    assert [one.pages for one in found.program.objects] == [1]


def test_a_sample_file_alone_tells_no_times() -> None:
    found = program_of(recording(USES), [], NODE_OF_CPU)
    assert found.threads == (MAIN, WORKER)
    assert found.program.computing_s is None and found.time_s is None
    assert found.program.objects[0].reads.sum() == 220


def test_samples_that_are_no_counts_are_refused() -> None:
    with pytest.raises(TuneError, match="--samples"):
        program_of(recording(USES, flags=0), [], NODE_OF_CPU)

"""Objects by value: events and documents in, objects out."""

import json
import struct

import numpy as np
import pytest

from homenode.profile.attribution import attribute
from homenode.profile.errors import ProfileError
from homenode.profile.objects import Attribution
from homenode.profile.record import RECORD
from homenode.profile.recording import BLOCK, EVENT, HEADER, Event, Recording, parse

BEGIN = {"kind": "begin", "schema": "homenode.samples/1", "pid": 7, "source": {"name": "lab"}}
SITES = {
    "kind": "sites",
    "pid": 7,
    "time_ns": 1,
    "sites": [
        {"id": 1, "function": "malloc", "frames": [4096]},
        {"id": 2, "function": "mmap", "frames": [8192]},
    ],
}
A, M = "0x1000", "0x2000"  # The sites' only frames, which no module has.
Happened = tuple[int, Event, int, int, int]


def block(kind: bytes, payload: bytes) -> bytes:
    return BLOCK.pack(kind, len(payload)) + payload


def made(
    samples: list[tuple[int, int, int]],
    events: dict[int, list[Happened]],
    *documents: dict[str, object],
) -> Recording:
    """Samples are pid, time and address; events time, kind, address, bytes and site, by pid."""
    content = HEADER.pack(b"HNSAMPLE", 1, RECORD.itemsize)
    for document in (BEGIN, SITES, *documents):
        content += block(b"JSON", json.dumps(document).encode())
    for pid, rows in events.items():
        table = np.zeros(len(rows), EVENT)
        for column, name in enumerate(("time_ns", "event", "address", "bytes", "site")):
            table[name] = [row[column] for row in rows]
        content += block(b"ALOC", struct.pack("<Q", pid) + table.tobytes())
    table = np.zeros(len(samples), RECORD)
    for column, name in enumerate(("pid", "time_ns", "address")):
        table[name] = [row[column] for row in samples]
    return parse(content + block(b"SMPL", table.tobytes()))


def names(found: Attribution) -> list[str]:
    return [found.objects[at].name if at >= 0 else "" for at in found.object_of]


def of(pid: int, *seen: tuple[int, int]) -> list[tuple[int, int, int]]:
    return [(pid, *item) for item in seen]


def test_allocations_end_where_they_are_freed_or_given_again() -> None:
    events = [
        (10, Event.ALLOCATED, 1000, 100, 1),
        (20, Event.FREED, 1000, 0, 0),
        (30, Event.ALLOCATED, 1000, 50, 1),
        (40, Event.ALLOCATED, 1000, 50, 2),
    ]
    seen = ((5, 1000), (10, 1099), (10, 1100), (20, 1000), (35, 1049), (35, 1050), (45, 1010))
    found = attribute(made(of(7, *seen), {7: list(reversed(events))}))
    assert names(found) == ["", A, "", "", A, "", M]
    assert found.offset_of.tolist() == [0, 99, 0, 0, 49, 0, 10]
    assert [(i.began_ns, i.ended_ns) for i in found.objects[0].instances] == [(10, 20), (30, 40)]


def test_parts_of_mappings_go_and_others_are_laid_over_them() -> None:
    events = [
        (10, Event.MAPPED, 0x10000, 0x8000, 2),
        (20, Event.UNMAPPED, 0x12000, 0x1000, 0),
        (30, Event.MAPPED, 0x16000, 0x1, 1),
    ]
    seen = (
        *((time, 0x12000) for time in (15, 25)),
        *((25, address) for address in (0x11FFF, 0x13000, 0x16000)),
        *((35, address) for address in (0x16FFF, 0x17000, 0x18000)),
    )
    found = attribute(made(of(7, *seen), {7: events}))
    assert names(found) == [M, "", M, M, M, A, M, ""]


def test_what_malloc_gives_is_found_within_what_it_has_mapped() -> None:
    events = [
        (10, Event.MAPPED, 0x10000, 0x8000, 2),
        (20, Event.ALLOCATED, 0x11000, 0x1000, 1),
        (30, Event.FREED, 0x11000, 0, 0),
    ]
    found = attribute(made(of(7, (25, 0x11800), (35, 0x11800)), {7: events}))
    assert names(found) == [A, M]


def process(pid: int, time_ns: int, began: str, parent: int = 0) -> dict[str, object]:
    return {"kind": "process", "pid": pid, "time_ns": time_ns, "began": began, "parent": parent}


def test_a_child_inherits_and_another_program_does_not() -> None:
    events = {
        7: [(10, Event.ALLOCATED, 1000, 100, 1), (50, Event.FREED, 1000, 0, 0)],
        8: [(30, Event.FREED, 1000, 0, 0), (35, Event.MAPPED, 0x10000, 4096, 2)],
    }
    documents = (process(7, 1, "exec"), process(8, 20, "fork", 7), process(8, 40, "exec", 7),
                 process(9, 37, "fork", 8))  # fmt: skip
    seen = [
        *of(7, (45, 1000), (55, 1000)),
        *of(8, (15, 1000), (25, 1000), (31, 1000), (38, 0x10000), (41, 0x10000)),
        *of(9, (45, 0x10000), (45, 1000)),
    ]
    found = attribute(made(seen, events, *documents))
    assert names(found) == [A, "", "", A, "", M, "", M, ""]
    assert [item.pid for item in found.objects] == [7, 8, 8, 9]


def test_named_regions_come_first_and_documents_may_list_allocations() -> None:
    regions = {"kind": "regions", "pid": 7, "regions": [{"name": "u", "begin": 1000, "end": 1010}]}
    listed = {
        "kind": "allocations",
        "pid": 7,
        "allocations": [[1, 990, 100, 5, None], [2, 0, 8, 1, 9]],
    }
    found = attribute(made(of(7, (9, 1005), (9, 1010), (8, 0), (9, 0)), {}, regions, listed))
    assert names(found) == ["u", A, M, ""]
    assert [str(item.kind) for item in found.objects] == ["region", "allocation", "allocation"]


def named(pid: int, time_ns: int, name: str, begin: int, end: int) -> dict[str, object]:
    region = {"name": name, "begin": begin, "end": end}
    return {"kind": "regions", "pid": pid, "time_ns": time_ns, "regions": [region]}


def test_a_name_lasts_as_long_as_the_memory_that_it_was_given() -> None:
    events = {
        7: [
            (10, Event.MAPPED, 0x10000, 0x4000, 2),
            (50, Event.UNMAPPED, 0x10000, 0x4000, 0),
            (60, Event.MAPPED, 0x10000, 0x4000, 2),
        ]
    }
    documents = (process(7, 1, "exec"), named(7, 20, "grid", 0x11000, 0x12000),
                 process(8, 30, "fork", 7), process(8, 40, "exec", 7),
                 named(7, 35, "later", 0x12000, 0x13000))  # fmt: skip
    seen = [
        *of(7, (15, 0x11000), (45, 0x11000), (45, 0x12000), (45, 0x13000), (65, 0x11000)),
        *of(8, (35, 0x11000), (36, 0x12000), (45, 0x11000)),
    ]
    found = attribute(made(seen, events, *documents))
    assert names(found) == ["grid", "grid", "later", M, M, "grid", M, ""]


def mappings(time_ns: int, *lines: tuple[int, int, str, str]) -> dict[str, object]:
    keys = ("begin", "end", "permissions", "path")
    return {
        "kind": "mappings",
        "pid": 7,
        "time_ns": time_ns,
        "mappings": [{**dict(zip(keys, line, strict=True)), "offset": 0} for line in lines],
    }


def test_names_that_the_kernel_keeps_are_those_of_regions_and_of_the_librarys_heaps() -> None:
    lines = mappings(
        1,
        (0x1000, 0x3000, "rw-p", "[anon:homenode region grid of u]"),
        (0x5000, 0x7000, "rw-p", "[anon:homenode malloc node 1]"),
        (0x9000, 0xA000, "rw-p", "[anon:something else]"),
    )
    found = attribute(made(of(7, (9, 0x1000), (9, 0x6000), (9, 0x9000)), {}, lines))
    assert [(str(item.kind), item.name) for item in found.objects] == [
        ("region", "grid of u"),
        ("heap", "[anon:homenode malloc node 1]"),
        ("anonymous memory", "[anon:something else]"),
    ]


LISTED = {"kind": "allocations", "pid": 7, "allocations": [[1, 990, 100, 5, None]]}
MODULES = {
    "kind": "modules",
    "pid": 7,
    "time_ns": 1,
    "modules": [{"begin": 0, "end": 9999, "bias": 0, "path": "/nowhere/program"}],
}
MAPS = mappings(2, (4096, 8192, "rw-p", ""), (8192, 12288, "r-xp", "/nowhere/program"))


def test_mappings_come_and_go_between_two_lists() -> None:
    first = mappings(100, (0x1000, 0x2000, "rw-p", "/dev/shm/a"))
    second = mappings(200, (0x1000, 0x2000, "rw-p", "/anon_hugepage"), (0x5000, 0x6000, "rw-p", ""))
    found = attribute(
        made(of(7, (50, 0x1000), (150, 0x5000), (250, 0x1000), (90, 0x5000)), {}, second, first)
    )
    assert names(found) == ["/dev/shm/a", "anonymous memory at 0x5000", "/anon_hugepage", ""]


def test_stacks_and_heaps_of_threads_are_told_by_their_form() -> None:
    stack, arena = 0x7F0000000000, 0x7E0000000000
    lines = mappings(
        1,
        (stack - 4096, stack, "---p", ""),
        (stack, stack + (9 << 20), "rw-p", ""),
        (arena, arena + 8192, "rw-p", ""),
        (arena + 8192, arena + (64 << 20), "---p", ""),
    )
    names_of = {"kind": "threads", "pid": 7, "time_ns": 1, "threads": [{"tid": 0, "name": "io"}]}
    seen = of(7, (2, stack), (2, stack + (8 << 20)), (2, arena))
    found = attribute(made(seen, {}, lines, names_of))
    assert names(found) == [
        "stack of thread 0 (io)",
        f"anonymous memory at {stack + (8 << 20):#x}",
        "heap of threads",
    ]


@pytest.mark.parametrize("seed", range(60))
def test_documents_of_another_form_are_refused_in_one_line(seed: int) -> None:
    random = np.random.default_rng(seed)
    documents = json.loads(
        json.dumps([process(7, 1, "exec"), process(8, 2, "fork", 7), SITES, LISTED, MODULES, MAPS])
    )
    for _ in range(3):
        at: object = documents[int(random.integers(0, len(documents)))]
        while isinstance(at, dict | list) and len(at) > 0:
            keys = [key for key in at if key != "kind"] if isinstance(at, dict) else range(len(at))
            key = keys[int(random.integers(0, len(keys)))]
            inner = at[key]  # type: ignore[index]
            if not isinstance(inner, dict | list) or random.random() < 0.2:
                at[key] = [None, -1, 1 << 70, "x", [], {}, 0.5][int(random.integers(0, 7))]  # type: ignore[index]
                break
            at = inner
    events = {7: [(int(t), Event(int(k)), 4096, 64, 1) for t, k in random.integers(1, 5, (20, 2))]}
    try:
        found = attribute(made(of(7, (3, 4100)) + of(8, (9, 4100)), events, *documents))
        assert len(found.object_of) == 2
    except ProfileError as error:
        assert "\n" not in str(error)


def test_a_block_that_names_no_process_is_damage() -> None:
    content = HEADER.pack(b"HNSAMPLE", 1, 64) + block(b"JSON", json.dumps(BEGIN).encode())
    recording = parse(content + block(b"ALOC", b"1234"))
    assert "damaged" in recording.cut
    with pytest.raises(ProfileError):
        parse(content[:20])

"""homenode.profile.lab_recording: the plugin's numbers become the guest's ids."""

import json
from typing import Any

import numpy as np
import pytest

from homenode.lab.watched import Look
from homenode.profile.lab_recording import LabRecording, assemble
from homenode.profile.lab_threads import Thread, named
from homenode.profile.record import RECORD, UNKNOWN_ID, Flag
from homenode.profile.recording import BLOCK

BEGIN = {"kind": "begin", "pid": 40, "source": {"name": "lab"}}
STACKS = "7f0000000000-7f0000900000 rw-p 00000000 00:00 0 \n"
SEEN = [
    Look("maps", 40, 1, STACKS),
    Look("threads", 40, 2, "40 main\n41 worker\n43 worker\n"),
]


def thread(number: int, process: int, tid: int, fs_base: int = 0x7F0000001000) -> dict[str, Any]:
    return {"id": number, "process": process, "tid": tid, "fs_base": fs_base}


def region(
    threads: list[dict[str, Any]], owner: int | None = None, lost: int = 0
) -> dict[str, Any]:
    return {
        "kind": "lab_threads",
        "region": 1,
        "owner": owner,
        "lost": lost,
        "threads": threads,
    }


def block(kind: bytes, content: bytes) -> bytes:
    return BLOCK.pack(kind, len(content)) + content


def joined(threads: dict[str, Any], tids: list[int], cpus: list[int]) -> LabRecording:
    samples = np.zeros(len(tids), RECORD)
    samples["tid"], samples["cpu"], samples["round"], samples["weight"] = tids, cpus, 1, 5
    samples["flags"], samples["page_shift"] = Flag.COUNTS_USES, 12
    raw = block(b"JSON", json.dumps(threads).encode()) + block(b"SMPL", samples.tobytes())
    end = {"kind": "end", "exit_code": 0}
    return assemble(raw, SEEN, BEGIN, (0, 0, 8, 8), end, unit_bytes=4096, init_began=True)


def test_threads_get_the_ids_that_their_descriptors_hold() -> None:
    found = named(region([thread(0, 0, 40), thread(1, 0, 43)]), SEEN, 40, init_began=False)
    assert found == {0: Thread(40, 40), 1: Thread(40, 43)}


def test_threads_without_a_descriptor_get_ids_in_order() -> None:
    threads = [thread(0, 0, 40), thread(1, 0, 0), thread(2, 0, 0), thread(3, 0, 0)]
    found = named(region(threads), SEEN, 40, init_began=False)
    assert found[1] == Thread(40, 41, guessed=True)
    assert found[2] == Thread(40, 43, guessed=True)
    assert found[3].guessed and found[3].tid not in (40, 41, 43)


def test_one_without_a_descriptor_among_others_is_the_process_before_its_library_was_there() -> (
    None
):
    threads = [thread(0, 0, 40), thread(1, 0, 41), thread(2, 0, 43), thread(3, 0, 0)]
    found = named(region(threads), SEEN, 40, init_began=False)
    assert found[3] == Thread(40, 40, guessed=True)


def test_a_process_is_known_by_its_memory_where_no_id_is() -> None:
    found = named(region([thread(0, 0, 0)]), SEEN, 99, init_began=False)
    assert found == {0: Thread(40, 40, guessed=True)}


def test_a_process_has_one_thread_before_it_has_a_thread_pointer() -> None:
    threads = [thread(0, 0, 40), thread(1, 0, 0, fs_base=0)]
    assert named(region(threads), SEEN, 40, init_began=False)[1] == Thread(40, 40)


def test_samples_get_ids_and_nodes_and_the_labs_own_are_left_out() -> None:
    threads = [thread(0, 0, 43), thread(1, 0, 40), thread(2, 1, 0)]
    recording = joined(region(threads, owner=1), [0, 1, 2, 1], [0, 3, 1, 7])
    assert recording.samples["tid"].tolist() == [43, 40, 40]
    assert recording.samples["pid"].tolist() == [40, 40, 40]
    assert recording.samples["cpu_node"].tolist() == [0, 8, UNKNOWN_ID]
    assert [one["kind"] for one in recording.documents] == [
        "begin",
        "mappings",
        "threads",
        "lab_threads",
        "threads",
        "end",
    ]
    assert recording.documents[-1] == {
        "kind": "end",
        "exit_code": 0,
        "time_ns": 2,
        "samples": 3,
        "lost": 0,
        "notes": [],
    }


def test_the_last_list_of_threads_names_those_that_nobody_saw() -> None:
    recording = joined(region([thread(0, 0, 47), thread(1, 0, 41)]), [0, 1], [0, 0])
    names = {one["tid"]: one["name"] for one in recording.documents[-2]["threads"]}
    assert names == {40: "main", 41: "worker", 43: "worker", 47: "main"}


@pytest.mark.parametrize(("shift", "lost"), [(12, 0), (13, 0), (12, 9)])
def test_what_is_missing_is_said(shift: int, lost: int) -> None:
    samples = np.zeros(1, RECORD)
    samples["round"], samples["page_shift"] = 1, shift
    threads = region([thread(0, 0, 40)], lost=lost)
    raw = block(b"JSON", json.dumps(threads).encode()) + block(b"SMPL", samples.tobytes())
    found = assemble(raw, SEEN, BEGIN, (0,), {}, unit_bytes=4096, init_began=False)
    assert len(found.notes) == (shift > 12) + (lost > 0)
    assert all("accesses" in note or "access" in note for note in found.notes)
    assert found.documents[-1]["lost"] == lost


def test_without_a_region_there_are_no_samples() -> None:
    found = assemble(b"", SEEN, BEGIN, (0,), {}, unit_bytes=64, init_began=True)
    assert len(found.samples) == 0
    assert found.documents[-1]["samples"] == 0

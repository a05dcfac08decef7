"""homenode.tune: samples are read as counts, and what cannot tell who uses what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from homenode.profile.record import RECORD, Flag, Operation
from homenode.profile.recording import Document, Recording
from homenode.tune.errors import TuneError
from homenode.tune.estimating import FEWEST, estimated, from_memory
from homenode.tune.program import program_of

PID, WORKER, SAMPLER = 7, 9, 8
BASE, PAGE, PAGES = 0x7F0000000000, 4096, 4
MS = 1_000_000
ROUNDS = 60


def sample(tid: int, page: int, number: int, after_ns: int, flags: int, node: int = 0) -> tuple:
    return (tid, BASE + page * PAGE, number, number * 100 * MS + after_ns, after_ns, flags, node)


def recording(touches: list[tuple], source: str = "pkeys") -> Recording:
    """Samples of a program with two threads, and a third that samples."""
    samples = np.zeros(len(touches), RECORD)
    samples["pid"], samples["source"] = PID, 5
    for one, (tid, address, number, time, weight, flags, node) in zip(
        samples, touches, strict=True
    ):
        one["tid"], one["address"], one["round"], one["time_ns"] = tid, address, number, time
        one["weight"], one["flags"], one["memory_node"] = weight, flags, node
        one["cpu_node"] = 0 if tid == PID else 1
    mapping = {"begin": BASE, "end": BASE + PAGES * PAGE, "permissions": "rw-p", "offset": 0}
    threads = [(PID, "solver"), (SAMPLER, "homenode"), (WORKER, "solver")]
    documents: dict[str, list[Document]] = {
        "mappings": [{"time_ns": 1, "pid": PID, "mappings": [{**mapping, "path": ""}]}],
        "threads": [
            {
                "time_ns": 1,
                "pid": PID,
                "threads": [{"tid": tid, "name": name} for tid, name in threads],
            }
        ],
        "round": [
            {"round": n, "pid": PID, "armed_ns": n * 100 * MS, "ended_ns": (n + 1) * 100 * MS}
            for n in range(1, ROUNDS + 1)
        ],
    }
    ordered = np.sort(samples, order="time_ns")
    return Recording(ordered, {"source": {"name": source}}, documents)


def in_halves(**keys: Any) -> Recording:
    """The main thread fills all pages, and then uses the first half; the worker uses the other."""
    filled = [sample(PID, page, 1, 0, 0) for page in range(PAGES)]
    used = [
        sample(PID if page < PAGES // 2 else WORKER, page, n, 10 * MS, Flag.FIRST_TOUCH)
        for n in range(1, ROUNDS + 1)
        for page in range(PAGES)
    ]
    return recording([*filled, *used], **keys)


def test_samples_of_first_touches_are_a_program_for_the_models() -> None:
    seen = program_of(estimated(in_halves()), [], [])
    (used,) = [one for one in seen.program.objects if one.pages == PAGES]
    assert seen.threads == (PID, WORKER)
    assert seen.program.nodes == [0, 1]
    assert (used.reads[0, :2] > 1).all() and (used.reads[0, 2:] == 0).all()
    assert (used.reads[1, 2:] > 1).all() and (used.reads[1, :2] == 0).all()
    assert used.first_users == [0] * PAGES  # Who fills memory is who touches it first.
    assert used.homes == [0] * PAGES


def test_a_thread_that_samples_has_no_number() -> None:
    assert program_of(estimated(in_halves()), [], []).skipped == ()


def test_only_sources_that_see_every_thread_tell_that_one_is_idle() -> None:
    alone = recording(
        [sample(PID, 0, n % ROUNDS + 1, MS, Flag.FIRST_TOUCH) for n in range(2 * FEWEST)]
    )
    assert program_of(estimated(alone), [], []).skipped == (1,)
    documents = alone.documents
    faults = Recording(alone.samples, {"source": {"name": "soft-dirty"}}, documents)
    assert program_of(estimated(faults), [], []).skipped == ()


@pytest.mark.parametrize("source", ["sched", "pages"])
def test_what_does_not_see_who_uses_a_page_is_refused(source: str) -> None:
    with pytest.raises(TuneError, match="does not see which thread uses which page"):
        estimated(in_halves(source=source))


def test_few_samples_tell_nothing() -> None:
    few = [sample(PID, 0, n + 1, MS, Flag.FIRST_TOUCH) for n in range(FEWEST - 1)]
    with pytest.raises(TuneError, match=f"took {FEWEST - 1} samples, fewer than {FEWEST}"):
        estimated(recording(few))


def test_what_fits_into_a_cores_own_cache_is_left_out() -> None:
    counts = estimated(in_halves())
    assert len(from_memory(counts, PAGES * PAGE - 1).samples) == len(counts.samples)
    with pytest.raises(TuneError, match="fits into a core's own cache"):
        from_memory(counts, PAGES * PAGE)


def test_few_samples_draw_threads_together_and_many_do_not() -> None:
    def share(times: int) -> float:
        """The worker's part of all uses, where it has three uses for each of the main thread's."""
        counts = estimated(in_halves()).samples
        counts = counts[(counts["flags"] & Flag.ALONE) == 0]
        counts["weight"] = np.where(counts["tid"] == WORKER, 300, 100)
        many = replace(in_halves(), samples=np.tile(counts, times))
        found = from_memory(many, 0).samples
        worker = found["tid"] == WORKER
        return float(found["weight"][worker].sum() / found["weight"].sum())

    assert 0.6 < share(1) < 0.74
    assert share(100) == pytest.approx(0.75, abs=0.005)


def test_the_recording_itself_stays_as_it_was() -> None:
    found = in_halves()
    before = found.samples.copy()
    counts = estimated(found).samples
    assert (found.samples == before).all()
    born = (counts["flags"] & Flag.ALONE) != 0
    assert born.sum() == PAGES and (counts["operation"][born] == Operation.WRITE).all()

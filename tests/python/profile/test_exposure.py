"""Samples of first touches weigh what the exposure of their pages says: against closed forms."""

from typing import Any

import numpy as np
import pytest

from homenode.profile import exposure
from homenode.profile.exposure import weights
from homenode.profile.record import RECORD, Flag
from homenode.profile.recording import Document, Recording

MS = 1_000_000
TOUCH = Flag.FIRST_TOUCH | Flag.MASKED


def rounds(count: int, length: int = 100 * MS, **keys: Any) -> list[Document]:
    """So many rounds of process 7, one behind the other, the first from time 1 s on."""
    start = 1000 * MS
    return [
        {"kind": "round", "round": n + 1, "pid": 7, "armed_ns": start + n * length,
         "ended_ns": start + (n + 1) * length, "ranges": None, "pages": 9} | keys
        for n in range(count)
    ]  # fmt: skip


def touch(number: int, after: int, address: int, tid: int = 1, length: int = 100 * MS) -> tuple:
    """A first touch in a round of rounds(), so long after its arming."""
    return (1000 * MS + (number - 1) * length + after, address, after, number, tid, TOUCH)


def recorded(touches: list[tuple], documents: list[Document]) -> Recording:
    samples = np.zeros(len(touches), RECORD)
    for index, (time, address, weight, number, tid, flags) in enumerate(touches):
        sample = samples[index]
        sample["pid"], sample["tid"], sample["time_ns"] = 7, tid, time
        sample["address"], sample["weight"], sample["round"] = address, weight, number % 65536
        sample["flags"] = flags
    return Recording(np.sort(samples, order="time_ns"), {}, {"round": documents})


@pytest.fixture
def no_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exposure, "PRIOR", 0.0)


@pytest.mark.usefixtures("no_prior")
def test_a_sample_stands_for_armed_time_over_exposure():
    # Touched 10 ms and 30 ms after the arming, and not at all in two rounds: 2 uses in 240 ms.
    found = weights(recorded([touch(1, 10 * MS, 4096), touch(3, 30 * MS, 5000)], rounds(4)))
    assert found == pytest.approx([400 / 240] * 2)


@pytest.mark.usefixtures("no_prior")
def test_pages_have_exposures_of_their_own_and_threads_share_a_pages_uses_as_they_won():
    touches = [touch(n, 10 * MS, 4096, tid=1 + n % 2) for n in range(1, 5)]
    touches += [touch(n, 50 * MS, 8192) for n in range(1, 5)]
    recording = recorded(touches, rounds(4))
    found = weights(recording)
    hot = recording.samples["address"] == 4096
    assert found[hot] == pytest.approx(10.0) and found[~hot] == pytest.approx(2.0)
    by_thread = np.bincount(recording.samples["tid"][hot], found[hot])
    assert by_thread[1] == pytest.approx(by_thread[2])


@pytest.mark.usefixtures("no_prior")
def test_only_rounds_that_armed_the_page_expose_it():
    apart = rounds(2) + [one | {"ranges": [[1 << 20, 2 << 20]]} for one in rounds(4)[2:]]
    found = weights(recorded([touch(1, 10 * MS, 4096)], apart))
    assert found == pytest.approx([200 / 110])


@pytest.mark.usefixtures("no_prior")
def test_a_unit_of_which_a_part_was_armed_counts_by_that_part():
    half = [(1 << 15) + (1 << 14), 1 << 20]
    apart = rounds(2) + [one | {"ranges": [half]} for one in rounds(4)[2:]]
    recording = recorded([touch(1, 10 * MS, 1 << 15)], apart)
    recording.samples["page_shift"] = 15
    assert weights(recording) == pytest.approx([300 / 210])


@pytest.mark.usefixtures("no_prior")
def test_units_within_a_larger_one_have_times_of_their_own():
    # A huge page that was small later on: the unit of 2 MiB ends behind those that begin after it.
    ranges = [[at, at + 4096] for at in (1 << 20, 3 << 19)]
    small = [one | {"ranges": ranges} for one in rounds(4)[1:]]
    touches = [touch(1, 20 * MS, 0), touch(2, 20 * MS, 1 << 20), touch(3, 20 * MS, 1 << 20)]
    recording = recorded(touches, rounds(1) + small)
    recording.samples["page_shift"] = np.where(recording.samples["address"] == 0, 21, 12)
    whole = 100 + 2 * 300 / 512
    assert weights(recording) == pytest.approx([whole / (whole - 80), 400 / 240, 400 / 240])


@pytest.mark.usefixtures("no_prior")
def test_a_page_is_not_exposed_before_it_exists():
    born = (1000 * MS + 250 * MS, 4096, 0, 0, 1, 0)
    found = weights(recorded([born, touch(4, 10 * MS, 4096)], rounds(4)))
    # It came in the third round: armed in the third and fourth at most.
    assert found == pytest.approx([1.0, 200 / 110])


@pytest.mark.usefixtures("no_prior")
def test_a_huge_page_is_one_unit():
    recording = recorded([touch(1, 20 * MS, 0), touch(2, 20 * MS, 1 << 20)], rounds(2))
    assert weights(recording) == pytest.approx([200 / 120] * 2)
    recording.samples["page_shift"] = 21
    assert weights(recording) == pytest.approx([200 / 40] * 2)


def test_few_touches_are_drawn_towards_the_mean():
    # One touch 1 us after the arming: 100,000 times the uses of its round if it were believed.
    touches = [touch(1, 1000, 4096)] + [touch(1, 50 * MS, 8192 + 4096 * n) for n in range(9)]
    found = weights(recorded(touches, rounds(1)))
    mean = 10 / (9 * 50e6 + 1000)
    assert found[0] == pytest.approx(2 / (1000 + 1 / mean) * 100e6)
    assert found[1:] == pytest.approx(2 / (50e6 + 1 / mean) * 100e6)


def test_random_uses_are_counted_again():
    random = np.random.default_rng(3)
    rates = {4096: 5.0, 8192: 50.0, 12288: 500.0}  # Uses per second.
    touches = []
    for number in range(1, 2001):
        for address, rate in rates.items():
            after = int(random.exponential(1e9 / rate))
            if after < 100 * MS:
                touches.append(touch(number, after, address))
    recording = recorded(touches, rounds(2000))
    found = weights(recording)
    for address, rate in rates.items():
        uses = found[recording.samples["address"] == address].sum()
        assert uses == pytest.approx(rate * 200, rel=0.1), address
    plain = np.unique(recording.samples["address"], return_counts=True)[1]
    assert plain[2] / plain[0] < 3  # What samples alone say of a ratio of 100.


def test_rounds_may_wrap_around_and_touches_may_come_before_the_walk_has_ended():
    long = rounds(3)
    for index, one in enumerate(long):
        one["round"] = 65535 + index
    early = (1000 * MS + 100 * MS - 5, 4096, 1, 65536, 1, TOUCH)  # Of the second, 65536 = 0.
    late = (1000 * MS + 250 * MS, 4096, 50 * MS, 65537, 1, TOUCH)
    found = weights(recorded([early, late], long))
    assert (found > 1).all()


def test_without_rounds_or_with_counts_nothing_is_corrected():
    alone = recorded([touch(1, 10 * MS, 4096)], [])
    assert weights(alone).tolist() == [1.0]
    counted = recorded([(5, 4096, 42, 0, 1, Flag.COUNTS_USES)], rounds(2))
    assert weights(counted).tolist() == [42.0]

"""Hint faults weigh as long as their pages stayed where they were."""

import numpy as np
import pytest

from homenode.profile.exposure import weights
from homenode.profile.record import RECORD, Flag, Source
from homenode.profile.recording import Recording
from homenode.profile.stays import with_users

S = 1_000_000_000
TOUCH = Flag.FIRST_TOUCH | Flag.MASKED


def recorded(*rows: tuple[float, int, int, int], end: float = 100) -> Recording:
    """Samples of process 7, each by seconds, page, memory node and flags, until `end`."""
    samples = np.zeros(len(rows), RECORD)
    for sample, (time, page, node, flags) in zip(samples, rows, strict=True):
        sample["time_ns"], sample["address"], sample["pid"] = int(time * S), page << 12, 7
        sample["memory_node"], sample["flags"] = node, flags
    samples["source"] = Source.HINT_FAULTS
    return Recording(samples, {"time_ns": 0}, {"end": [{"time_ns": int(end * S)}]})


def test_a_fault_stands_for_the_time_since_the_one_before() -> None:
    found = weights(recorded((0, 1, 0, 0), (10, 1, 0, TOUCH), (40, 1, 0, TOUCH), end=40))
    assert found == pytest.approx([1.0, 2 * 10 / 40, 2 * 30 / 40])


def test_the_last_fault_stands_for_what_follows_where_it_moved_nothing() -> None:
    found = weights(recorded((0, 1, 0, 0), (10, 1, 0, TOUCH), (40, 1, 0, TOUCH)))
    assert found == pytest.approx([1.0, 2 * 10 / 100, 2 * 90 / 100])


def test_a_closing_sample_stands_for_what_follows_a_move() -> None:
    recording = recorded((0, 1, 0, 0), (10, 1, 0, TOUCH), (100, 1, 1, Flag.CLOSING))
    found = weights(recording)
    assert found == pytest.approx([1.0, 0.1, 0.9])
    by_node = np.bincount(recording.samples["memory_node"][1:], found[1:])
    assert by_node == pytest.approx([0.1, 0.9])


def test_pages_stand_for_as_many_uses_as_they_have_faults_in_any_order() -> None:
    recording = recorded((30, 2, 0, TOUCH), (10, 1, 0, TOUCH), (20, 2, 1, TOUCH), (25, 2, 0, TOUCH))
    found = weights(recording)
    assert found[1] == pytest.approx(1.0)
    assert found[[0, 2, 3]] == pytest.approx([3 * 75 / 100, 3 * 20 / 100, 3 * 5 / 100])


def test_pages_of_two_processes_are_two() -> None:
    recording = recorded((10, 1, 0, TOUCH), (20, 1, 0, TOUCH))
    recording.samples["pid"][1] = 8
    assert weights(recording) == pytest.approx([1.0, 1.0])


def test_without_any_time_a_fault_is_one() -> None:
    recording = recorded((5, 1, 0, TOUCH), end=5)
    recording.begin["time_ns"] = 5 * S
    assert weights(recording) == pytest.approx([1.0])


def closed(users: list[list[int]]) -> list[int]:
    """Who closes each page, of pages that these threads used one after the other."""
    rows = [(n + 1, page, 0, TOUCH) for page, own in enumerate(users) for n in range(len(own))]
    rows += [(100, page, 1, Flag.CLOSING) for page in range(len(users))]
    recording = recorded(*rows)
    recording.samples["tid"] = [tid for own in users for tid in own] + [own[-1] for own in users]
    return with_users(recording).samples["tid"][-len(users) :].tolist()


def test_a_page_with_a_user_of_its_own_is_his_to_the_end() -> None:
    users = [[page % 5] * 3 for page in range(50)]
    assert closed(users) == [own[-1] for own in users]
    assert closed([[4]]) == [4]


def test_a_shared_page_is_not_only_his_to_whom_it_moved() -> None:
    random = np.random.default_rng(1)
    # The last user is on the node that the page goes to.
    users = [[*random.integers(0, 4, 3), 3] for _ in range(400)]
    found = np.bincount(closed(users), minlength=4) / 400
    whole = np.bincount(np.ravel(users), minlength=4) / 1600
    assert found == pytest.approx(whole, abs=0.1)


def test_a_shared_page_is_used_by_all_however_often_one_thread_is_first() -> None:
    """Thread 0 comes first in half of the faults, always to pages that are on its node by then."""
    random = np.random.default_rng(2)
    tids = np.where(random.random(4000) < 0.5, 0, random.integers(1, 4, 4000))
    nodes = np.where(tids == 0, 0, 1)
    recording = recorded(*[(1 + i % 10, i // 10, int(nodes[i]), TOUCH) for i in range(4000)])
    recording.samples["tid"] = recording.samples["cpu_node"] = tids
    found = with_users(recording).samples
    assert np.array_equal(found["cpu_node"], found["tid"])
    assert np.array_equal(found["memory_node"], recording.samples["memory_node"])
    for tid in range(4):
        on_0 = found["memory_node"][found["tid"] == tid] == 0
        assert on_0.mean() == pytest.approx((nodes == 0).mean(), abs=0.05)


def test_what_has_no_stay_keeps_its_thread() -> None:
    recording = recorded((5, 1, 0, 0), (10, 1, 0, TOUCH))
    recording.samples["tid"] = [3, 4]
    assert with_users(recording).samples["tid"].tolist() == [3, 4]
    recording = recorded((5, 1, 0, 0))
    assert with_users(recording) is recording

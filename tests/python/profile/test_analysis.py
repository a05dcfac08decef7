"""What a profile says of a program whose faults are known."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recordings import ADDRESS, BYTES, MACHINE, PID, SECOND, UNKNOWN, documents, recording, samples

from homenode.profile.advice import RULES, Case, advise
from homenode.profile.analysis import analyse
from homenode.profile.patterns import Sharing
from homenode.profile.record import RECORD, Flag, Operation, Source
from homenode.profile.values import EXACT, SAMPLED, ObjectUse, Profile, Trait

U, TABLE, INDEX = "/dev/shm/u", "/dev/shm/table", f"anonymous memory at {ADDRESS['index']:#x}"


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    path = tmp_path_factory.mktemp("solver") / "samples"
    return analyse(recording(path, samples(), documents()))


def use_of(profile: Profile, name: str) -> ObjectUse:
    return next(use for use in profile.objects if use.object.name == name)


def test_threads_are_on_the_node_that_they_mostly_ran_on(profile: Profile) -> None:
    assert [thread.tid for thread in profile.threads] == [PID + rank for rank in range(8)]
    assert [thread.node for thread in profile.threads] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert sum(thread.share for thread in profile.threads) == pytest.approx(1)


def test_the_matrices_add_up_to_all_uses(profile: Profile) -> None:
    everything = len(samples())
    assert profile.by_node.all.sum() == everything
    assert profile.by_thread.all.sum() == everything
    assert (profile.by_thread.reads + profile.by_thread.writes).sum() == everything
    by_hand = np.zeros((4, 4))
    made = samples()
    np.add.at(by_hand, (made["cpu_node"], made["memory_node"]), 1)
    assert (profile.by_node.all == by_hand).all()
    local = np.trace(by_hand) / everything
    assert profile.locality.share == pytest.approx(local)
    assert 0 < (profile.locality.margin or 0) < 0.01


def test_objects_with_the_most_remote_use_come_first(profile: Profile) -> None:
    assert [use.object.name for use in profile.objects] == [U, TABLE, INDEX, "[heap]"]
    assert sum(use.remote_share for use in profile.objects) == pytest.approx(1)
    assert sum(use.share for use in profile.objects) == pytest.approx(1)


def test_patterns_are_those_after_the_array_was_filled(profile: Profile) -> None:
    found = {use.object.name: use.pattern.sharing for use in profile.objects}
    assert found == {
        U: Sharing.DIVIDED,
        TABLE: Sharing.SHARED,
        INDEX: Sharing.INTERLEAVED,
        "[heap]": Sharing.PRIVATE,
    }


def test_traits_tell_who_filled_it_and_what_is_only_read(profile: Profile) -> None:
    u = use_of(profile, U)
    assert u.traits == (Trait.MASTER_INITIALISED, Trait.READ_MOSTLY)
    assert u.first_toucher == 0
    assert use_of(profile, TABLE).traits == (Trait.READ_MOSTLY,)
    assert use_of(profile, INDEX).traits == ()
    assert use_of(profile, INDEX).writes_share == 1


def test_predictions_are_what_the_placement_would_give(profile: Profile) -> None:
    u = use_of(profile, U)
    # A fifth of its uses fill it, from node 0; the others are what a placement is for.
    assert u.predicted.parts_in_turn == pytest.approx(1, abs=0.01)
    assert u.locality.share == pytest.approx(0.2 + 0.8 * 0.25, abs=0.02)
    assert u.later is not None
    assert u.later.share == pytest.approx(0.25, abs=0.02)
    assert use_of(profile, TABLE).later is None
    assert u.predicted.spread == pytest.approx(0.25)
    table = use_of(profile, TABLE)
    assert table.predicted.parts_in_turn == pytest.approx(0.25, abs=0.03)


def test_each_fault_gets_the_advice_that_heals_it(profile: Profile) -> None:
    found = {use.object.name: advise(profile, use) for use in profile.objects}
    assert {name: advice.rule for name, advice in found.items()} == {
        U: "parts in turn",
        TABLE: "read by all",
        INDEX: "neighbours of different threads",
        "[heap]": "local",
    }
    assert "block" in found[U].action and "interleave" in found[TABLE].action
    assert found["[heap]"].action == ""
    for advice in found.values():
        assert advice.why and "\n" not in advice.why and not advice.why.endswith(".")


def test_the_last_rule_always_applies(profile: Profile) -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert RULES[-1].applies(Case(profile, profile.objects[0]))


def test_the_timeline_has_a_phase_for_filling_each_part(profile: Profile) -> None:
    found = profile.timeline
    assert found is not None
    assert [round(phase.begin_s) for phase in found.phases] == [0, 1, 4]
    first = [profile.objects[phase.objects[0]].object.name for phase in found.phases]
    assert first == [U, U, INDEX]
    assert found.phases[0].local_share == 1
    assert (found.local + found.remote).sum() == pytest.approx(len(samples()))


def test_load_is_relative_to_the_bandwidth_of_the_machine(profile: Profile) -> None:
    assert [load.target for load in profile.controllers] == [0, 1, 2, 3]
    assert all(load.known for load in profile.controllers + profile.ways)
    hot = profile.controllers[0]
    assert hot.relative == pytest.approx(4 * hot.share)
    assert sum(load.share for load in profile.controllers) == pytest.approx(1)
    assert all(load.source != load.target for load in profile.ways)


def test_code_is_named_by_file_and_offset(profile: Profile) -> None:
    assert [place.where for place in profile.code][:2] == ["solver+0x1100", "solver+0x1110"]
    assert profile.objects[profile.code[0].object or 0].object.name == U


def small(path: Path, made: Any, docs: Any = None) -> Profile:
    return analyse(recording(path, made, docs or documents()))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "samples"


def test_few_samples_say_nothing(path: Path) -> None:
    found = small(path, samples(40))
    assert all(use.locality.margin is None for use in found.objects if use.samples < 30)
    assert all(use.pattern.sharing == Sharing.UNKNOWN for use in found.objects)
    advice = advise(found, use_of(found, "[heap]"))
    assert advice.rule == "not enough samples" and "--duration" in advice.action


def test_nodes_that_samples_lack_come_from_cpus_and_lists_of_pages(path: Path) -> None:
    made = samples(2000)
    known = small(path, made)
    made["cpu_node"] = UNKNOWN
    index = made["address"] >= ADDRESS["index"]
    index &= made["address"] < ADDRESS["index"] + BYTES["index"]
    made["memory_node"][~index] = UNKNOWN
    ranges = [
        [ADDRESS[name], ADDRESS[name] + BYTES[name], node]
        for name, node in (("u", 0), ("table", 0), ("[heap]", 1))
    ]
    pages = {"kind": "pages", "time_ns": 1, "pid": PID, "pages": ranges}
    found = small(path, made, [*documents(), pages])
    assert (found.by_node.all == known.by_node.all).all()
    without = small(path, made)
    assert without.by_node.unplaced.sum() == (~index).sum()
    assert without.by_node.all.sum() == index.sum()


def test_a_machine_that_is_not_known_leaves_loads_alike(path: Path) -> None:
    found = small(path, samples(2000), documents(machine=None))
    assert found.machine is None and found.nodes == (0, 1, 2, 3)
    assert not any(load.known for load in found.controllers)
    assert found.controllers[0].relative == pytest.approx(4 * found.controllers[0].share)


def test_uses_by_the_kernel_are_left_out_and_said(path: Path) -> None:
    made = samples(2000)
    made["flags"][::4] = Flag.FIRST_TOUCH | Flag.KERNEL
    found = small(path, made)
    assert found.taken.kernel_share == pytest.approx(0.25, abs=0.01)
    assert found.by_thread.all.sum() == (made["flags"] & Flag.KERNEL == 0).sum()


def test_counts_are_exact_and_have_no_margin(path: Path) -> None:
    made = samples(2000, Source.LAB)
    made["weight"] = 7
    found = small(path, made, documents("lab"))
    assert found.taken.provenance == EXACT
    assert found.locality.margin == 0
    assert found.by_node.all.sum() == 7 * len(made)
    assert small(path, samples(500)).taken.provenance == SAMPLED


def test_one_node_has_nothing_to_gain(path: Path) -> None:
    made = samples(2000)
    made["cpu_node"] = made["memory_node"] = made["cpu"] = 0
    one = MACHINE | {"nodes": MACHINE["nodes"][:1], "pair_values": []}
    found = small(path, made, documents(machine=one))
    assert {advise(found, use).rule for use in found.objects} == {"one node"}
    assert found.ways == ()


def test_a_source_without_addresses_gives_threads_and_nodes(path: Path) -> None:
    matrix = {"kind": "matrix", "time_ns": SECOND, "pid": PID, "nodes": [0, 2], "what": "faults",
              "threads": [701, 700], "cells": [[3, 1], [0, 4]]}  # fmt: skip
    found = small(path, np.empty(0, RECORD), [*documents("sched", machine=None), matrix])
    assert [thread.tid for thread in found.threads] == [701, 700]
    assert found.by_thread.all.tolist() == [[3, 1], [0, 4]]
    assert found.objects == () and found.timeline is None


def test_an_empty_recording_is_a_profile_of_nothing(path: Path) -> None:
    found = small(path, np.empty(0, RECORD))
    assert found.threads == () and found.locality.share is None


def test_an_operation_that_is_not_known_is_neither_read_nor_written(path: Path) -> None:
    made = samples(500)
    made["operation"] = 77
    found = small(path, made)
    assert not found.by_thread.tells_operations
    assert {use.writes_share for use in found.objects} == {None}
    assert Operation.UNKNOWN == 0


def filled_once(*, write: bool = True, pages: int = 256) -> np.ndarray:
    """Counts of "u": thread 0 goes through it, then each of 8 threads reads its part once; in the
    order in which the lab sees it, flags and all."""
    lines = np.arange(pages * 64)
    made = np.zeros(2 * len(lines), RECORD)
    made["address"] = ADDRESS["u"] + np.tile(lines, 2) * 64
    rank = np.concatenate([lines * 0, lines * 8 // len(lines)])
    made["pid"], made["tid"], made["cpu"], made["cpu_node"] = PID, PID + rank, rank, rank // 2
    made["weight"], made["page_shift"], made["source"] = 1, 6, Source.LAB
    made["operation"] = Operation.READ
    made["flags"] = Flag.COUNTS_USES
    first = np.arange(len(made)) < len(lines)
    made["operation"][first] = Operation.WRITE if write else Operation.READ
    made["flags"][first | (rank == 0)] |= np.uint32(Flag.ALONE)
    return made


def test_counts_tell_filling_from_use_where_all_is_used_once(path: Path) -> None:
    made = filled_once()
    # Lines that fell out of the cache while they were filled.
    again = made[len(made) // 3 : len(made) // 3 + 999].copy()
    found = small(path, np.concatenate([made, again]), documents("lab")).objects[0]
    assert (found.pattern.sharing, found.pattern.sure) == (Sharing.DIVIDED, True)
    assert (found.first_toucher, found.traits[0]) == (0, Trait.MASTER_INITIALISED)
    # An eighth of the pages is the filling thread's own part: there its uses cannot be told apart.
    assert found.later is not None and found.later.share == pytest.approx(6144 / 18432)


def test_a_few_first_touches_before_others_came_hide_no_parts(path: Path) -> None:
    made = filled_once(pages=256)[256 * 64 :: 121]  # Some of the uses alone.
    began = made[20 :: len(made) // 8].copy()
    began["tid"], began["cpu"], began["cpu_node"] = PID, 0, 0
    made = np.concatenate([began, made])
    made["flags"], made["source"], made["page_shift"] = Flag.FIRST_TOUCH, Source.PKEYS, 12
    made["time_ns"] = SECOND + np.arange(len(made))
    found = small(path, made, documents("pkeys")).objects[0]
    assert (found.pattern.sharing, found.pattern.sure) == (Sharing.DIVIDED, True)
    assert found.samples == len(made) and found.later is None


def test_threads_that_were_counted_by_larger_units_than_others_make_no_pattern(path: Path) -> None:
    made = filled_once(pages=256)[256 * 64 :]  # The uses alone.
    coarse = made["tid"] % 2 == 1
    made = made[~coarse | (made["address"] // 64 % 2 == 0)]
    made["page_shift"][made["tid"] % 2 == 1] = 7
    found = small(path, made, documents("lab")).objects[0].pattern
    assert (found.sharing, found.unit, found.sure) == (Sharing.DIVIDED, 128, True)


def test_whoever_reads_first_has_filled_nothing(path: Path) -> None:
    made = filled_once(write=False)
    found = small(path, made, documents("lab")).objects[0]
    assert found.later is None


def test_an_array_without_a_filling_has_none(path: Path) -> None:
    made = filled_once()
    made = made[len(made) // 2 :]
    made["operation"] = Operation.WRITE
    made["flags"] |= np.uint32(Flag.ALONE)
    shared = made[:64].copy()  # One page of the first thread's is used by another, too.
    shared["tid"] += 1
    shared["flags"] = Flag.COUNTS_USES
    found = small(path, np.concatenate([made, shared]), documents("lab")).objects[0]
    assert (found.pattern.sharing, found.later) == (Sharing.DIVIDED, None)


def test_samples_without_times_find_what_was_there_last(path: Path) -> None:
    made = samples(2000, Source.LAB)
    made["time_ns"] = 0
    found = small(path, made, documents("lab"))
    assert found.taken.attributed == 1
    assert found.timeline is None

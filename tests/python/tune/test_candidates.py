"""homenode.tune: candidates that fit the machine and the program, and their predictions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.tuned_programs import LINES, PAGES, in_parts, program

from homenode import capi
from homenode.lab.catalogue import find_file
from homenode.model import Machine
from homenode.tune.candidate import Candidate
from homenode.tune.candidates import AS_IT_IS, Allowed, Hot, candidates
from homenode.tune.predicting import all_predicted, first_choice, predicted
from homenode.tune.thread_maps import by_sharing, cpus_by_node, sharing, thread_maps

SQUARE = str(find_file("quad-4x2"))
ARRAY = Hot("array", PAGES)


@pytest.fixture(scope="module")
def square() -> Mapping[str, Any]:
    return capi.machine(SQUARE)


def test_the_program_as_it_is_comes_first_and_names_are_unique(square: Mapping[str, Any]) -> None:
    found = candidates(square, 8, [ARRAY])
    assert found[0] == AS_IT_IS
    assert len({one.name for one in found}) == len(found)
    assert len({one.options for one in found}) == len(found)


def test_hints_of_the_user_narrow_the_list(square: Mapping[str, Any]) -> None:
    kept = candidates(square, 8, [ARRAY], Allowed(threads=False))
    assert all(one.threads is None and "--threads" not in one.options for one in kept)
    outside = candidates(square, 8, [ARRAY], Allowed(preload=False))
    words = {word.partition("=")[0] for one in outside for word in one.options}
    assert words == {"--interleave", "--preferred"}
    few = candidates(square, 2, [ARRAY], Allowed(preload=False))
    assert "--cpunodebind=3" in {word for one in few for word in one.options}
    kept = candidates(square, 2, [ARRAY], Allowed(preload=False, threads=False))
    assert "--cpunodebind=3" not in {word for one in kept for word in one.options}


def test_threads_that_do_nothing_take_no_entry(square: Mapping[str, Any]) -> None:
    bound = [one for one in candidates(square, 4, skip=(1, 5)) if one.threads]
    assert bound
    for one in bound:
        at = one.options.index("--skip-threads")
        assert one.options[at + 1] == "1,5"
        assert len(str(one.threads).split(",")) == 4


def test_one_node_leaves_nothing_to_place() -> None:
    node = {"id": 0, "cpus": [0, 1], "memory_bytes": 1 << 30}
    alone = {"nodes": [node], "allowed": {"cpus": [0, 1], "nodes": [0]}}
    left = [one.name for one in candidates(alone, None, [ARRAY], Allowed(threads=False))]
    assert left == ["as it is", "malloc bind"]
    assert all(not one.memory for one in candidates(alone, None, [ARRAY]))


def test_arrays_are_chosen_by_name_else_by_size(square: Mapping[str, Any]) -> None:
    named = Hot("u", 100, condition="name=u")
    options = {word for one in candidates(square, None, [named, ARRAY]) for word in one.options}
    assert "name=u: block" in options
    assert f"size>={(PAGES - 1) * 4096}: block" in options


def test_a_size_reaches_all_that_is_as_large(square: Mapping[str, Any]) -> None:
    arrays = [Hot("a", 100), Hot("b", 60), Hot("u", 50, condition="name=u"), Hot("b (2)", 60)]
    small, mapping = Hot("c", 10), Hot("mapping", 8, least=128 << 10)
    found = {one.name: one for one in candidates(square, None, [*arrays, mapping, small])}
    every = found["place all hot objects: block"]
    assert every.options == ("--place", "name=u: block", "--place", f"size>={59 * 4096}: block")
    assert [name for name, _ in every.memory] == ["u", "a", "b", "b (2)"]
    assert [name for name, _ in found["place a: block"].memory] == ["a"]
    assert [name for name, _ in found["place b: block"].memory] == ["a", "b", "b (2)"]
    assert [name for name, _ in found["place u: block"].memory] == ["u"]
    assert not any(one.startswith(("place mapping", "place c")) for one in found)


def test_a_mapping_whose_allocations_nobody_recorded_is_chosen_from_a_size_on(
    square: Mapping[str, Any],
) -> None:
    found = {one.name: one for one in candidates(square, None, [Hot("m", 8, least=128 << 10)])}
    assert found["place m: block"].options == ("--place", "size>=131072: block")
    assert found["place m: block"].memory == (("m", "block"),)


def test_weights_are_those_of_the_nodes_with_threads() -> None:
    document = capi.machine(find_file("cxl-3x4"))
    rules = [rule for one in candidates(document, 4, [ARRAY]) for _, rule in one.memory]
    weighted = {rule for rule in rules if rule.startswith("weighted:")}
    assert weighted
    for rule in weighted:
        weights = [
            int(word) for word in rule.removeprefix("weighted:").partition("@")[0].split(",")
        ]
        assert weights[0] > weights[-1]  # The memory behind CXL gives least.


def test_maps_put_threads_together_or_on_all_nodes(square: Mapping[str, Any]) -> None:
    maps = {one.name: one.cpus for one in thread_maps(square, 4)}
    assert maps["compact"] == (0, 1, 2, 3)
    assert maps["scatter"] == (0, 2, 4, 6)


def test_few_threads_stay_on_nodes_near_each_other(square: Mapping[str, Any]) -> None:
    # Nodes 0 and 1 are neighbours, and compact takes them already; the same map is not told twice.
    assert [one.name for one in thread_maps(square, 2)] == ["compact", "scatter"]


def test_threads_that_share_pages_share_a_node(square: Mapping[str, Any]) -> None:
    reads = np.zeros((8, PAGES))
    for thread in range(8):
        group = thread % 4  # 0 and 4 share, 1 and 5, ...
        reads[thread, group * 16 : group * 16 + 16] = LINES
    shared = sharing(program(reads))
    assert shared[0, 4] == 16 * LINES and shared[0, 1] == 0
    node_of = {cpu: node for node, cpus in cpus_by_node(square).items() for cpu in cpus}
    nodes = [node_of[cpu] for cpu in by_sharing(cpus_by_node(square), program(reads))]
    assert sorted(nodes) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert nodes[:4] == nodes[4:]


def ranked(found: list[Candidate]) -> dict[str, float]:
    return {one.name: one.predicted for one in found if one.predicted is not None}


def test_parts_are_fastest_with_their_threads(square: Mapping[str, Any]) -> None:
    found = predicted(candidates(square, 8, [ARRAY]), SQUARE, program(in_parts()))
    times = ranked(found)
    assert found[0].name == "as it is" and found[0].predicted == 1.0
    assert min(times, key=lambda name: times[name]) in ("place array: block",)
    # All from one controller before; then each two threads from their own.
    assert times["place array: block"] == pytest.approx(0.25, rel=0.05)
    assert found[0].bottleneck == "bandwidth of the memory of node 0"


def test_time_that_the_model_does_not_explain_stays(square: Mapping[str, Any]) -> None:
    given = candidates(square, 8, [ARRAY])
    told = Machine(SQUARE).predict(program(in_parts())).time
    block = "place array: block"
    explained = ranked(predicted(given, SQUARE, program(in_parts()), time_s=told))[block]
    half = ranked(predicted(given, SQUARE, program(in_parts()), time_s=2 * told))[block]
    assert explained == ranked(predicted(given, SQUARE, program(in_parts())))[block]
    assert half == pytest.approx((explained + 1) / 2)
    alone = replace(program(in_parts()), independent=True)
    assert ranked(predicted(given, SQUARE, alone, time_s=2 * told))[block] == explained


def test_predictions_come_best_first_and_name_each_placement_once(
    square: Mapping[str, Any],
) -> None:
    given = candidates(square, 8, [ARRAY])
    found = predicted(given, SQUARE, program(in_parts()))
    times = [one.predicted for one in found[1:] if one.predicted is not None]
    assert times == sorted(times)
    assert len(found) < len(given)
    everything, others = all_predicted(given, SQUARE, program(in_parts()))
    assert len(everything) == len(given)
    assert [one for one in everything if one.name not in others] == found


def test_what_heaps_and_the_kernel_do_is_not_predicted(square: Mapping[str, Any]) -> None:
    given = candidates(square, 8, allowed=Allowed(balancing=True))
    found = predicted(given, SQUARE, program(in_parts()))
    unknown = {one.name for one in found if one.predicted is None}
    assert {"malloc bind", "heap interleave", "balancing"} <= unknown
    assert not any("place" in name for name in unknown)


def test_what_the_model_cannot_judge_is_kept_at_the_end(square: Mapping[str, Any]) -> None:
    strange = Candidate(
        "weights of the system", ("-w", "all"), None, ((None, "weighted-interleave"),)
    )
    found = predicted([AS_IT_IS, strange], SQUARE, program(in_parts()))
    assert found[-1] == strange


def test_a_gain_that_the_models_may_err_by_is_no_reason_to_change() -> None:
    slightly = Candidate("slightly", ("-i", "all"), predicted=0.97)
    much = Candidate("much", ("-i", "0"), predicted=0.7)
    as_it_is = Candidate("as it is", (), predicted=1.0)
    assert first_choice([as_it_is, slightly]) == as_it_is
    assert first_choice([as_it_is, slightly, much]) == much
    assert first_choice([AS_IT_IS]) == AS_IT_IS


def test_of_what_is_about_as_good_the_one_that_changes_least_is_chosen() -> None:
    less = Candidate("less", ("-i", "0"), predicted=0.702)
    more = Candidate("more", ("-i", "0", "--threads", "0"), predicted=0.7)
    better = Candidate("better", ("-i", "0", "--threads", "1"), predicted=0.68)
    as_it_is = Candidate("as it is", (), predicted=1.0)
    assert first_choice([as_it_is, more, less]) == less
    assert first_choice([as_it_is, better, more, less]) == better

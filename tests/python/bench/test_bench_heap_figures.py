"""bench/heap/figures.py and report.py: what is made of measurements, by value."""

import json
import math
from functools import partial

import pytest
from heap import figures, report
from heap.store import Run

OURS = "homenode"
ROUNDS = {
    "one": {"glibc": [4.0, 2.0, 3.0], "other": [1.0, 2.0, 9.0], OURS: [1.0, 1.0, 1.0]},
    "two": {"glibc": [8.0, 8.0, 8.0], "other": [16.0, 16.0, 16.0], OURS: [4.0, 4.0, 4.0]},
}


def of(by: figures.Ratios) -> dict[str, float]:
    return {name: float(ratio) for name, ratio in by.items()}


def test_a_median_is_the_middle_round() -> None:
    middle = figures.medians(ROUNDS)
    assert of(middle["one"]) == {"glibc": 3.0, "other": 2.0, OURS: 1.0}


def test_ours_is_compared_with_the_best_peer_of_each_benchmark() -> None:
    assert of(figures.over_best(figures.medians(ROUNDS), OURS, OURS)) == {"one": 0.5, "two": 0.5}


def test_a_peer_is_compared_with_the_other_peers_and_not_with_ours() -> None:
    assert of(figures.over_best(figures.medians(ROUNDS), "other", OURS)) == {
        "one": pytest.approx(2 / 3),
        "two": 2.0,
    }


def test_a_ratio_needs_both() -> None:
    middle = figures.medians({"one": {"a": [2.0], "b": [1.0]}, "two": {"a": [1.0]}})
    assert of(figures.over(middle, "a", "b")) == {"one": 2.0}
    assert figures.over(middle, "a", "nobody") == {}


def test_a_geometric_mean_is_the_same_from_either_side() -> None:
    middle = figures.medians({"x": {"a": [1.0], "b": [8.0]}, "y": {"a": [2.0], "b": [1.0]}})
    forth = float(figures.geometric_mean(figures.over(middle, "a", "b")))
    back = float(figures.geometric_mean(figures.over(middle, "b", "a")))
    assert forth == pytest.approx(0.5)
    assert forth * back == pytest.approx(1.0)


def test_drawn_rounds_stay_together() -> None:
    """A load that slows all allocators of a round says nothing about them."""
    rounds = {"x": {"a": [1.0, 10.0, 100.0, 1000.0, 2.0], "b": [2.0, 20.0, 200.0, 2000.0, 4.0]}}
    over = partial(figures.over, who="a", other="b")
    found = figures.mean(figures.medians(rounds), figures.drawn(rounds), over)
    assert found == figures.Mean(0.5, pytest.approx(0.5), pytest.approx(0.5), 1)


def test_the_interval_is_as_wide_as_the_rounds_differ() -> None:
    rounds = {"x": {"a": [1.0, 2.0, 3.0, 4.0, 5.0], "b": [1.0] * 5}}
    over = partial(figures.over, who="a", other="b")
    found = figures.mean(figures.medians(rounds), figures.drawn(rounds), over)
    assert found is not None
    assert found.value == pytest.approx(3.0)
    assert 0.99 < found.low < 2.5
    assert 3.5 < found.high < 5.01
    assert figures.mean(figures.medians(rounds), figures.drawn(rounds), over) == found


def test_without_a_common_benchmark_there_is_no_mean() -> None:
    rounds = {"x": {"a": [1.0]}}
    over = partial(figures.over, who="a", other="b")
    assert figures.mean(figures.medians(rounds), figures.drawn(rounds), over) is None


def test_only_rounds_that_all_have_are_drawn() -> None:
    rounds = {"x": {"a": [1.0, 2.0], "b": [1.0], "c": []}, "y": {"a": []}}
    assert figures.complete(rounds) == {"x": {"a": [1.0], "b": [1.0]}}


def runs() -> list[Run]:
    times = {"glibc": (2.0, 4.0), "other": (1.0, 8.0), OURS: (1.5, 3.0)}
    found = [
        Run(name, group, who, round_, user_s=seconds[i], system_s=0.0, peak_kib=1024 * (i + 1))
        for round_ in range(2)
        for i, (name, group) in enumerate((("churn-1", "1 thread"), ("redis", "real programs")))
        for who, seconds in times.items()
    ]
    return [*found, Run("tree-1", "1 thread", "other", 0, failed="it fell over")]


def test_a_report_gives_means_for_each_group_and_names_the_worst() -> None:
    result = report.value(runs(), ["glibc", "other", OURS], OURS)
    cpu = result["figures"]["cpu_s"]["summaries"]
    assert cpu["1 thread"][OURS]["over"]["other"]["value"] == pytest.approx(1.5)
    assert cpu["real programs"][OURS]["over_best_of_each"]["value"] == pytest.approx(0.75)
    assert cpu["all"][OURS]["over_best_of_each"]["value"] == pytest.approx(math.sqrt(1.5 * 0.75))
    assert cpu["all"][OURS]["worst"] == {"benchmark": "churn-1", "ratio": pytest.approx(1.5)}
    assert result["rounds"] == [2, 2]
    assert result["failed"] == {"tree-1, other": "it fell over"}
    json.dumps(result, allow_nan=False)


def test_a_report_as_text_marks_the_best_peer_and_says_who_failed() -> None:
    text = report.text(report.value(runs(), ["glibc", "other", OURS], OURS), OURS)
    assert "failed: tree-1, other: it fell over" in text
    assert "1.00 s      2.00       1.00*      1.50" in text
    assert "worst 1.50 churn-1" in text
    assert "homenode over other: 0.75" in text


def test_ours_is_no_peer_where_it_is_as_good_as_the_best() -> None:
    same = [Run("x", "g", who, 0, user_s=1.0, peak_kib=1024) for who in (OURS, "glibc")]
    text = report.text(report.value(same, ["glibc", OURS], OURS), OURS)
    assert "1.00 s      1.00*      1.00 " in text


def test_a_report_of_nothing_says_so() -> None:
    assert "nothing measured" in report.text(report.value([], [], OURS), OURS)

"""Verdicts on made-up records: each rule agrees, differs and stays undecided where it should."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from homenode.claims import judge, table
from homenode.claims.gains import gain
from homenode.claims.points import Sample
from homenode.claims.table import parse
from homenode.study.case import Case
from homenode.study.errors import StudyError

HEAD = {"schema": "homenode.claims/1", "paper": "P9", "title": "T", "studies": ["made-up"]}
CLAIM = {"id": "P9-1", "kind": "T", "says": "A is better", "machine": "m-2x2"}
Seconds = Mapping[tuple[str, int], Sequence[float]]  # By strategy and threads, each repetition.


def records(
    seconds: Seconds,
    *,
    kernel: str = "cg",
    study: str = "made-up",
    clock: str = "modelled",
    moves: tuple[int, int] = (0, 0),  # All, and those to no avail.
) -> list[dict[str, Any]]:
    made = []
    for (strategy, threads), values in seconds.items():
        options = (("kernel", kernel), ("strategy", strategy), ("threads", threads))
        case = Case("npb", "m-2x2 1:16", "d", options)
        for repetition, value in enumerate(values, 1):
            figures = {"seconds": {"provenance": clock, "unit": "s", "values": [value]}}
            for name, count in zip(("moves", "useless"), moves, strict=True):
                figures[name] = {"provenance": "observed", "unit": "moves", "values": [count]}
            made.append(
                {
                    "study": study,
                    "case": case.to_json(),
                    "repetition": repetition,
                    "exit_code": 0,
                    "error": None,
                    "matrix": None,
                    "figures": figures,
                }
            )
    return made


def finding(claim: Mapping[str, Any], made: Sequence[Mapping[str, Any]]) -> Any:
    paper = parse(HEAD | {"claim": [CLAIM | claim]})
    ((judged,),) = [each.claims for each in judge.judge([paper], made)]
    return judged.finding


def verdict(claim: Mapping[str, Any], seconds: Seconds, **more: Any) -> str:
    return str(finding(claim, records(seconds, **more)).verdict)


A_OVER_B = {"rule": "better", "strategy": "a", "than": ["b"]}
PERCENT_25 = A_OVER_B | {"percent": 25, "tolerance": 2}


def test_both_readings_of_better_are_computed() -> None:
    got = gain(Sample((80.0,)), Sample((100.0,)))
    assert (got.saved.value, got.faster.value) == pytest.approx((20, 25))
    assert not got.known_noise


def test_the_noise_is_every_combination_of_the_repetitions() -> None:
    got = gain(Sample((80.0, 90.0)), Sample((100.0, 110.0)))
    assert (got.saved.low, got.saved.high) == pytest.approx((10, 100 * (1 - 80 / 110)))
    assert (got.faster.low, got.faster.high) == pytest.approx((100 / 0.9 - 100, 37.5))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([75, 75], [100, 100], "agrees"),  # A quarter of the time is saved.
        ([80, 80], [100, 100], "agrees"),  # A quarter more speed.
        ([60, 60], [100, 100], "differs"),  # Far more than printed.
        ([99, 99], [100, 100], "differs"),  # Far less.
        ([100, 100], [75, 75], "differs"),  # Worse.
        ([99, 101], [100, 100], "differs"),  # No difference, and no noise that reaches to 25 %.
        ([60, 100], [90, 100], "cannot be decided"),  # Noise over both 0 and 25 %.
        ([75], [100], "cannot be decided"),  # Nobody knows the noise.
    ],
)
def test_a_printed_percentage(a: list[float], b: list[float], expected: str) -> None:
    assert verdict(PERCENT_25, {("a", 2): a, ("b", 2): b}) == expected


def test_a_difference_in_size_alone_is_told_apart() -> None:
    for a, alone in (([60, 60], True), ([120, 120], False), ([75, 75], False)):
        made = records({("a", 2): a, ("b", 2): [100, 100]})
        assert finding(PERCENT_25, made).size_alone is alone


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([9, 9.5], [10, 10.5], "agrees"),
        ([10, 10.5], [9, 9.5], "differs"),
        ([9, 10.1], [10, 10.5], "cannot be decided"),
        ([9], [10], "cannot be decided"),
    ],
)
def test_a_direction_counts_above_the_noise(a: list[float], b: list[float], expected: str) -> None:
    assert verdict(A_OVER_B, {("a", 2): a, ("b", 2): b}) == expected


def test_a_mean_goes_over_all_threads_and_limits_are_kept() -> None:
    seconds = {("a", 2): [50, 50], ("b", 2): [100, 100], ("a", 4): [100, 100], ("b", 4): [100, 100]}
    assert verdict(PERCENT_25, seconds) == "agrees"
    assert verdict(PERCENT_25 | {"threads": [4]}, seconds) == "differs"
    assert "2, 4 threads" in finding(PERCENT_25, records(seconds)).why


def test_what_the_records_lack_is_undecided() -> None:
    seconds = {("a", 2): [75, 75], ("b", 4): [100, 100]}  # No point has both.
    assert verdict(PERCENT_25, seconds) == "cannot be decided"
    both = {("a", 2): [75, 75], ("b", 2): [100, 100]}
    assert verdict(PERCENT_25, both, clock="emulated") == "cannot be decided"
    assert verdict(PERCENT_25 | {"machine": "n-2x2"}, both) == "cannot be decided"
    assert verdict(PERCENT_25 | {"where": {"kernel": "mg"}}, both) == "cannot be decided"
    assert verdict(PERCENT_25, both, study="made-up-quick") == "agrees"
    paper = parse(HEAD | {"claim": [CLAIM | PERCENT_25]})
    assert judge.judge([paper], records(both, study="another")) == []


def test_each_form_of_a_study_decides_for_itself() -> None:
    undecided = {"id": "P9-2", "rule": "best", "strategy": "d"}
    paper = parse(HEAD | {"claim": [CLAIM | PERCENT_25, CLAIM | undecided]})
    full = records({("a", 2): [75, 75], ("b", 2): [100, 100]})
    for seconds, same in ((75, 1), (100, 0)):
        quick = records({("a", 2): [seconds] * 2, ("b", 2): [100, 100]}, study="made-up-quick")
        forms = judge.judge([paper], full + quick)
        assert [form.quick for form in forms] == [False, True]
        assert [form.divided_by for form in forms] == [(16,), (16,)]
        assert judge.decided_alike(*forms) == (same, 1)


@pytest.mark.parametrize(
    ("rule", "third", "expected"),
    [
        ("best", [12, 13], "agrees"),
        ("best", [9.5, 13], "cannot be decided"),
        ("best", [7, 8], "differs"),
        ("worst", [7, 8], "differs"),  # It is better than b.
    ],
)
def test_a_strategy_is_best_only_above_the_noise(
    rule: str, third: list[float], expected: str
) -> None:
    seconds = {("a", 2): [9, 10], ("b", 2): [11, 12], ("c", 2): third}
    assert verdict({"rule": rule, "strategy": "a"}, seconds) == expected


@pytest.mark.parametrize(
    ("a", "expected"),
    [
        ([10, 10.1], "agrees"),
        ([15, 16], "agrees"),  # Worse is no gain.
        ([9.9, 9.95], "agrees"),  # Within the tolerance.
        ([8, 8.1], "differs"),
        ([8], "cannot be decided"),
    ],
)
def test_no_gain_is_none_above_the_tolerance(a: list[float], expected: str) -> None:
    claim = {"rule": "no-gain", "strategy": "a", "than": ["b"], "tolerance": 2}
    assert verdict(claim, {("a", 0): a, ("b", 0): [10, 10.1]}) == expected


GROWS = {"rule": "grows", "strategy": "a", "than": ["b"], "option": "kernel"}


@pytest.mark.parametrize(
    ("small", "large", "expected"),
    [
        ([10, 10.1], [13, 13.1], "agrees"),
        ([13, 13.1], [10, 10.1], "differs"),
        ([10, 11], [10.5, 11], "differs"),  # Within the noise.
        ([10], [13], "cannot be decided"),
    ],
)
def test_a_cost_grows_from_the_least_to_the_largest_size(
    small: list[float], large: list[float], expected: str
) -> None:
    made = [
        record
        for size, a in (("900k", small), ("9m", [10.3, 10.4]), ("48m", large))
        for record in records({("a", 0): a, ("b", 0): [10, 10.1]}, kernel=size)
    ]
    found = finding(GROWS, made)
    assert str(found.verdict) == expected
    assert "with 900k" in found.found
    assert "with 48m" in found.found


def test_a_cost_at_one_size_does_not_grow() -> None:
    made = records({("a", 0): [10, 10], ("b", 0): [9, 9]}, kernel="48m")
    assert str(finding(GROWS, made).verdict) == "cannot be decided"


@pytest.mark.parametrize(
    ("moves", "expected"),
    [((10, 6), "agrees"), ((10, 5), "differs"), ((0, 0), "cannot be decided")],
)
def test_moves_are_mostly_useless(moves: tuple[int, int], expected: str) -> None:
    claim = {"rule": "mostly-useless", "strategy": "a"}
    made = records({("a", 0): [10, 10], ("b", 0): [9, 9]}, moves=moves)
    assert str(finding(claim, made).verdict) == expected


def test_the_worst_is_worse_than_each_other() -> None:
    seconds = {("a", 2): [13, 14], ("b", 2): [11, 12], ("c", 2): [9, 10]}
    assert verdict({"rule": "worst", "strategy": "a"}, seconds) == "agrees"
    assert verdict({"rule": "worst", "strategy": "b"}, seconds) == "differs"


@pytest.mark.parametrize(
    ("b", "expected"),
    [([10.5, 10.5], "agrees"), ([20, 21], "differs"), ([9, 13], "cannot be decided")],
)
def test_close_strategies(b: list[float], expected: str) -> None:
    claim = {"rule": "close", "strategy": "a", "than": ["b"], "tolerance": 8}
    assert verdict(claim, {("a", 2): [10, 10], ("b", 2): b}) == expected


@pytest.mark.parametrize(
    ("most", "expected"),
    [([9, 9], "agrees"), ([4, 4], "differs"), ([5, 8], "cannot be decided")],
)
def test_more_threads_take_longer(most: list[float], expected: str) -> None:
    seconds = {("a", 2): [10, 10], ("a", 4): [6, 7], ("a", 8): most}
    assert verdict({"rule": "slows", "strategies": ["a"]}, seconds) == expected


def test_the_only_strategy_that_threads_do_not_slow_down() -> None:
    claim = {"rule": "only-scaling", "strategy": "a"}
    good = {("a", 2): [9, 9], ("a", 4): [5, 5], ("b", 2): [9, 9], ("b", 4): [10, 10]}
    assert verdict(claim, good) == "agrees"
    assert verdict(claim | {"strategy": "b"}, good) == "differs"
    assert verdict(claim, good | {("b", 4): [8, 8]}) == "differs"


@pytest.mark.parametrize(
    ("a", "expected"),
    [
        ([5, 5], "agrees"),
        ([5.4, 5.4], "agrees"),
        ([8, 8], "differs"),
        ([5.4, 7], "cannot be decided"),
    ],
)
def test_a_ratio_and_a_speed_up(a: list[float], expected: str) -> None:
    claim = {"strategy": "a", "value": 2.0, "tolerance": 10}
    ratio = claim | {"rule": "ratio", "than": ["b"]}
    assert verdict(ratio, {("a", 8): a, ("b", 8): [10, 10]}) == expected
    assert verdict(claim | {"rule": "speed-up"}, {("a", 1): [10, 10], ("a", 8): a}) == expected


def test_most_gains_are_small() -> None:
    claim = {"rule": "mostly-below", "strategy": "a", "than": ["b"], "percent": 3}
    one = {("a", 1): [99], ("b", 1): [100]}
    two = {("a", 2): [50], ("b", 2): [100]}
    assert verdict(claim, one) == "agrees"
    assert verdict(claim, one | two) == "differs"  # Half is not most.


def test_gains_lie_within_a_range() -> None:
    claim = {"rule": "gains-within", "strategies": ["a", "b"], "than": ["c"]}
    claim |= {"least": 2, "most": 80}
    seconds = {("a", 2): [50, 50], ("b", 2): [110, 110], ("c", 2): [100, 100]}
    assert verdict(claim, seconds) == "agrees"  # The better of a and b counts.
    assert verdict(claim, seconds | {("a", 2): [100, 100]}) == "differs"


@pytest.mark.parametrize(
    ("shape", "expected"),
    [("diagonal", "agrees"), ("flat", "differs"), ("concentrated", "differs")],
)
def test_the_shape_of_a_matrix(shape: str, expected: str) -> None:
    made = records({("a", 2): [1.0]})
    cells = [[50, 0], [1, 49]]
    made[0]["matrix"] = {
        "provenance": "exact",
        "nodes": [0, 1],
        "reads": cells,
        "writes": [[0, 0], [0, 0]],
    }
    claim = {"rule": "shape", "strategy": "a", "shape": shape}
    assert str(finding(claim, made).verdict) == expected


def test_orders_that_cannot_both_hold_are_said_to_contradict() -> None:
    of = {"claims": ["x", "y"], "one": "first-touch", "other": "parallel-init"}
    against = of | {"first": [80, 50], "second": [27, 39]}
    along = of | {"first": [80, 50], "second": [39, 27]}
    paper = parse(HEAD | {"claim": [], "contradiction": [against, along]})
    first, second = map(judge.contradiction_text, paper.contradictions)
    assert "2.50 and 0.84 as share of the time; 1.20 and 0.91 as gain in speed" in first
    assert "contradict each other in either reading" in first
    assert "without contradiction" in second


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rule": "bettter"}, "no rule 'bettter'"),
        ({"kind": "X"}, "kind"),
        ({"than": "b"}, "'than' must be a list"),
        ({"percent": "5"}, "'percent' must be a number"),
        ({"shape": "flat"}, "has no 'shape'"),
        ({"rule": "ratio"}, "needs 'value'"),
    ],
)
def test_a_mistake_in_a_table_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(StudyError, match=said):
        parse(HEAD | {"claim": [CLAIM | A_OVER_B | change]})


def test_an_id_is_there_once() -> None:
    with pytest.raises(StudyError, match="there twice"):
        parse(HEAD | {"claim": [CLAIM | A_OVER_B] * 2})


def test_what_the_lab_counted_stands_beside_a_verdict() -> None:
    made = records({("a", 2): [1.0], ("a", 8): [1.0], ("b", 8): [2.0], ("c", 8): [9.0]})
    for record, local in zip(made, (0.1, 0.9, 0.25, 0.5), strict=True):
        record["time"] = {
            "modelled_ps": 1000,
            "local_read_share": local,
            "busiest_controller": {"node": 0, "utilisation": 0.75},
            "late_waits": 0,
            "from_caches": None,
        }
    paper = parse(HEAD | {"claim": [CLAIM | A_OVER_B]})
    ((judged,),) = [each.claims for each in judge.judge([paper], made)]
    assert judged.reasons == (
        "with 8 threads: a 90 % of lines from the own node's memory, busiest controller in use "
        "75 % of the time; b 25 % of lines from the own node's memory, busiest controller in use "
        "75 % of the time"
    )


def test_the_papers_tables_are_sound_and_name_what_their_studies_have() -> None:
    from homenode.study import spec

    papers = table.papers()
    assert [paper.id for paper in papers] == ["P0", "P1", "P2", "P3", "P4"]
    for paper in papers:
        studies = [spec.load(spec.find(name)) for name in paper.studies]
        machines = {machine for study in studies for machine in study.machines}
        placements = {
            choice.name
            for study in studies
            for workload in study.workloads.values()
            for choice in workload.choices(paper.placement)
        }
        levels = [v for s in studies for p in s.parts for f in p.factors for v in f.levels]
        placements |= {str(dict(level)["run"]) for level in levels if "run" in dict(level)}
        for claim in paper.claims:
            assert claim.machine in machines | {""}, claim.id
            names = [claim.settings.get("strategy"), *claim.settings.get("than", [])]
            assert {n for n in names if n} <= placements, claim.id
            assert all(claim.names("strategies")) if "strategies" in claim.settings else True

"""From records to the page's numbers."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from synthetic import HP, MakeRecords, Outcome, map_words, outcome

from homenode.report import model
from homenode.report.contrast import telling_contrast
from homenode.report.rule import Verdict
from homenode.study import records
from homenode.study.errors import StudyError

TABLE = {
    "shared": ["not healed", "healed", "healed", "healed"],
    "divided": ["not healed", "flattened", "healed", "healed"],
    "interleaved": ["not healed", "flattened", "flattened", "healed"],
    "multi-patterns": [None, None, None, None],
    "partial": ["not healed", "flattened", "healed", "healed"],
}
AGREES = ["agrees"] * 4


@pytest.fixture(scope="module")
def luo(make_records: MakeRecords) -> list[records.Record]:
    return records.read(make_records("luo2012"))


def test_the_ability_table_follows_from_the_matrices(luo: list[records.Record]) -> None:
    (view,) = model.build(luo, map_words())
    table = {line[0].pattern: [cell.verdict for cell in line] for line in view.abilities}
    assert table == TABLE
    says = {line[0].pattern: [cell.agreement for cell in line] for line in view.abilities}
    assert says["shared"] == AGREES and says["interleaved"] == AGREES
    assert says["divided"] == ["agrees", "agrees with the prose", "agrees", "agrees"]
    assert says["multi-patterns"] == ["not measured here"] * 4
    assert says["partial"] == ["not in the paper's table"] * 4
    assert (len(view.agreeing), view.differing) == (12, [])


def test_the_grid_has_a_row_for_each_pattern_order_and_operation(
    luo: list[records.Record],
) -> None:
    (view,) = model.build(luo, map_words())
    assert [(row.label, row.op) for row in view.rows] == [
        ("shared, sequential order", "reads"),
        ("shared, sequential order", "writes"),
        ("shared, random order", "reads"),
        ("shared, random order", "writes"),
        ("divided", "reads"),
        ("divided", "writes"),
        ("interleaved", "reads"),
        ("interleaved", "writes"),
        ("partially shared", "reads"),
        ("partially shared", "writes"),
    ]
    assert all(list(row.cases) == list(view.methods) for row in view.rows)
    assert view.methods == ("default", "command-line", "api", "rewrite")


def test_every_number_of_a_case_by_value(luo: list[records.Record]) -> None:
    (view,) = model.build(luo, map_words())
    case = next(c for c in view.cases if (c.pattern, c.op, c.method) == ("divided", "read", "api"))
    assert case.accesses == 3_200_000
    assert case.rows == tuple(tuple(400_000 if r == c else 0 for c in range(8)) for r in range(8))
    assert (case.judgement.local, case.judgement.hottest) == (1.0, 0.125)
    assert case.kernel_accesses == 32 * 8 * 7
    one = next(c for c in view.cases if (c.pattern, c.method) == ("divided", "default"))
    assert (one.judgement.local, one.judgement.hottest, one.hottest_node) == (0.125, 1.0, 0)
    partial = next(c for c in view.cases if (c.pattern, c.method) == ("partial", "rewrite"))
    # 32 threads, a quarter of each neighbour: 14 of the 62 shares cross a border between nodes.
    assert partial.judgement.perfect_local == pytest.approx(1 - 14 * 0.25 / (32 + 62 * 0.25))


def test_a_rows_label_has_what_varies_within_its_pattern(
    luo: list[records.Record], make_records: MakeRecords
) -> None:
    def labels(found: list[Any]) -> set[str]:
        (view,) = model.build(found, map_words())
        return {row.label for row in view.rows}

    divided = [copy.deepcopy(dict(r)) for r in luo if r["case"]["options"]["pattern"] == "divided"]
    assert labels(divided) == {"divided"}
    for record in divided:
        record["case"]["id"] += "x"
        record["case"]["options"]["threads"] = 16
    assert labels([*luo, *divided]) >= {"divided, threads 32", "divided, threads 16", "interleaved"}


def test_the_headline_is_the_largest_gain(luo: list[records.Record]) -> None:
    (view,) = model.build(luo, map_words())
    contrast = telling_contrast(view)
    assert contrast is not None
    assert (contrast.before.pattern, contrast.before.method) == ("divided", "default")
    assert (contrast.before.judgement.local, contrast.after.judgement.local) == (0.125, 1.0)


def test_the_headline_is_the_least_invasive_method_that_helps(luo: list[records.Record]) -> None:
    """API and rewrite reach the same; one that takes longer than doing nothing is no help."""

    def praised(slow: str) -> str:
        found = copy.deepcopy(luo)
        for record in found:
            if record["case"]["options"]["method"] == slow:
                record["time"]["modelled_ps"] *= 100
        (view,) = model.build(found, map_words())
        contrast = telling_contrast(view)
        assert contrast is not None
        return contrast.after.method

    assert [praised(slow) for slow in ("", "rewrite", "api")] == ["api", "api", "rewrite"]


def test_reads_and_writes_are_compared_pair_by_pair(luo: list[records.Record]) -> None:
    (view,) = model.build(luo, map_words())
    assert model.read_write_gap(view) == (20, pytest.approx(0.0, abs=1e-6))


def test_a_cell_that_differs_from_the_paper_is_found(make_records: MakeRecords) -> None:
    crowded = outcome(HP, ["--pattern", "divided", "--method", "default", "--op", "read"])
    folder = make_records(
        "luo2012",
        {"--pattern divided --order sequential --size 64M --op read --method api": crowded},
    )
    (view,) = model.build(records.read(folder), map_words())
    (cell,) = view.differing
    assert (cell.pattern, cell.method, cell.verdict) == ("divided", "api", Verdict.NOT_HEALED)
    assert cell.agreement == "differs" and len(view.agreeing) == 11


def test_the_last_complete_record_of_a_case_counts(luo: list[records.Record]) -> None:
    def failed(record: records.Record) -> dict[str, Any]:
        return dict(record) | {"exit_code": 1, "error": "broken", "matrix": None}

    worse = failed(luo[0])
    assert model.latest([luo[0], worse]) == [luo[0]]
    assert model.latest([worse, luo[0]]) == [luo[0]]
    assert model.latest([worse, dict(worse) | {"error": "again"}])[0]["error"] == "again"
    (view,) = model.build([*luo[1:], worse], map_words())
    assert len(view.cases) == 39
    assert [(f.label, f.error) for f in view.failures] == [
        ("shared · sequential · read · default", "broken")
    ]


def test_two_machines_are_shown_apart(make_records: MakeRecords, luo: list[records.Record]) -> None:
    views = model.build([*luo, *records.read(make_records("demo"))], map_words())
    assert [(v.machine.name, len(v.cases)) for v in views] == [("hp-8x4", 40), ("quad-4x2", 32)]


def test_nothing_complete_is_an_error_with_advice(make_records: MakeRecords) -> None:
    folder = make_records("demo", {"bench": Outcome(1, "", "no", [])})
    why = r"no complete case \(the first of 32 that failed: exit code 1: no\); run the study first"
    with pytest.raises(StudyError, match=why):
        model.build(records.read(folder), map_words())


@pytest.mark.parametrize("broken", [("bench",), ("machine", "nodes"), ("matrix", "reads")])
def test_a_record_that_does_not_hold_together_is_named(
    luo: list[records.Record], broken: tuple[str, ...]
) -> None:
    record: Any = copy.deepcopy(luo[0])
    place = record
    for key in broken[:-1]:
        place = place[key]
    place[broken[-1]] = []
    with pytest.raises(StudyError, match=f"case {luo[0]['case']['id']} is inconsistent"):
        model.build([record], map_words())


def test_records_of_the_first_version_are_still_read() -> None:
    """A kept file, written once: a change that cannot read it any more must be seen."""
    kept = Path(__file__).parent / "data" / "records-v1.jsonl"
    (view,) = model.build(records.read(kept), map_words())
    numbers = [
        (c.case.id, c.method, round(c.judgement.local, 4), round(c.judgement.hottest, 4))
        for c in view.cases
    ]
    assert {(c.repetitions, c.times) for c in view.cases} == {(1, ())}
    assert json.dumps(numbers) == (kept.parent / "records-v1.expected.json").read_text().strip()


def test_records_of_the_second_version_are_still_read() -> None:
    """Written once, as the first version's: with time, two repetitions of each case."""
    kept = Path(__file__).parent / "data" / "records-v2.jsonl"
    (view,) = model.build(records.read(kept), map_words())
    times = [(c.method, [round(t.seconds * 1e12) for t in c.times]) for c in view.cases]
    assert times == [
        ("default", [375938264, 365916139]),
        ("command-line", [283964903, 253816984]),
        ("api", [195517205, 275869927]),
    ]
    assert [c.repetitions for c in view.cases] == [2, 2, 2]

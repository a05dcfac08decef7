"""What the program says of its pattern is what a case is judged by, phase by phase."""

import json
from typing import Any

import pytest
from synthetic import QUAD, counts_line, map_words, outcome

from homenode.report import model, penalty
from homenode.report.rule import Verdict
from homenode.study.case import Case
from homenode.study.errors import StudyError

HOME = [[1000 if r == c else 0 for c in range(4)] for r in range(4)]
FLAT = [[250] * 4 for _ in range(4)]
CROWDED = [[1000, 0, 0, 0] for _ in range(4)]
NONE = [[0] * 4 for _ in range(4)]
Rows = list[list[int]]


def expected(rows: Rows) -> dict[str, Any]:
    everything = sum(map(sum, rows))
    return {
        "provenance": "pattern",
        "nodes": [0, 1, 2, 3],
        "shares": [[cell / everything for cell in row] for row in rows],
    }


def matrix(rows: Rows) -> dict[str, Any]:
    return {"provenance": "exact", "nodes": [0, 1, 2, 3], "reads": rows, "writes": NONE}


def added(all_rows: list[Rows]) -> Rows:
    return [[sum(rows[r][c] for rows in all_rows) for c in range(4)] for r in range(4)]


def record(best: list[Rows], found: list[Rows], *, counted: bool = True) -> dict[str, Any]:
    """A case of multi-patterns whose phases allow `best` and came out as `found`."""
    options = {"pattern": "multi-patterns", "op": "read", "method": "api", "threads": 8}
    bench = json.loads(
        outcome(QUAD, ["--pattern", "divided", "--op", "read", "--method", "api"]).stdout
    )
    bench["expected"] = expected(added(best))
    bench["phases"] = [
        {"pattern": "2d-rows" if b == HOME else "2d-shared-rows", "expected": expected(b),
         "matrices": matrix(f)}
        for b, f in zip(best, found, strict=True)
    ]  # fmt: skip
    return {
        "case": Case("map", QUAD.name, QUAD.digest, tuple(options.items())).to_json(),
        "machine": QUAD.to_json(),
        "bench": bench,
        "counts": [counts_line(QUAD, rows, NONE) for rows in found] if counted else None,
        "matrix": matrix(added(found)),
        "time": None,
    }


@pytest.mark.parametrize("counted", [True, False])
def test_the_worst_phase_decides(counted: bool) -> None:
    well = model.view_case([record([HOME, FLAT], [HOME, FLAT], counted=counted)], map_words())
    assert well.judgement.verdict is Verdict.HEALED
    # Its local share is what it may be; only its own phase shows that all went to one node.
    crowded = model.view_case([record([HOME, FLAT], [HOME, CROWDED], counted=counted)], map_words())
    assert crowded.judgement.local == well.judgement.local
    assert crowded.judgement.verdict is Verdict.NOT_HEALED
    spread = model.view_case([record([HOME, FLAT], [FLAT, FLAT], counted=counted)], map_words())
    assert spread.judgement.verdict is Verdict.FLATTENED


def test_the_leakage_is_what_distance_there_is_too_much() -> None:
    well = model.view_case([record([HOME, FLAT], [HOME, FLAT])], map_words())
    assert well.leakage == pytest.approx(0)
    # Three of four accesses of the first phase travel 20 instead of 10: half of all accesses are.
    assert model.view_case(
        [record([HOME, FLAT], [FLAT, FLAT])], map_words()
    ).leakage == pytest.approx(0.375)


def test_a_penalty_factor_needs_accesses() -> None:
    assert penalty.penalty_factor(HOME, QUAD) == 1
    assert penalty.penalty_factor(FLAT, QUAD) == pytest.approx(1.75)
    assert penalty.penalty_factor(NONE, QUAD) is None


def test_phases_that_do_not_fit_the_counts_are_named() -> None:
    torn = record([HOME, FLAT], [HOME, FLAT])
    torn["counts"] = torn["counts"][:1]
    with pytest.raises(StudyError, match="is inconsistent"):
        model.view_case([torn], map_words())


def test_a_pattern_with_several_shapes_has_a_row_for_each() -> None:
    def with_shape(shape: str) -> dict[str, Any]:
        made = record([HOME], [HOME])
        made["case"]["options"] |= {"pattern": "2d-columns", "shape": shape}
        made["case"]["id"] += shape
        made |= {"exit_code": 0, "error": None}
        return made

    (view,) = model.build([with_shape("256x512"), with_shape("2048x64")], map_words())
    labels = [line[0].label for line in view.abilities if line[0].pattern == "2d-columns"]
    assert labels == ["2D column bands, 256x512", "2D column bands, 2048x64"]

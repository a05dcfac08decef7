"""docs/beside-numactl.md is the table's, and the table's lines are among those that are run."""

from pathlib import Path

from beside.differences import DIFFERENCES, LIMITS, page
from beside.lines import LINES, PREFIXES, REFUSED, outcome_of, problems

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_the_tables() -> None:
    text = (ROOT / "docs" / "beside-numactl.md").read_text()
    assert text == page(len(LINES)), (
        "PYTHONPATH=tools:python python3 -m beside.differences > docs/beside-numactl.md"
    )


def test_every_row_is_of_lines_that_are_run() -> None:
    assert len(LINES) >= 170
    assert len(set(LINES)) == len(LINES)
    assert set(PREFIXES) == set(LIMITS)
    for row in DIFFERENCES:
        assert set(row.lines) <= set(LINES)
        assert set(row.surroundings) <= set(LIMITS)


def test_what_counts_of_a_lines_output() -> None:
    status = "Cpus_allowed_list:\t0-1\nMems_allowed_list:\t0-3\n"
    maps = "55d0c0de0000 bind:1 file=/bin/cat\n7ffd0c0de000 bind:1 stack\n"
    assert outcome_of(0, status + maps) == ("CPUs 0-1", "bind:1")
    assert outcome_of(2, status + maps) == REFUSED
    assert outcome_of(0, "node 0 cpus: 0 1\nnode 0 free: 9 MB\n\n") == ("node 0 cpus: 0 1",)


def test_a_difference_that_no_row_has_and_a_row_without_one_are_problems() -> None:
    (backwards, *_) = DIFFERENCES
    line = backwards.lines[0]
    theirs = {"-m 1": ("CPUs 0-7", "bind:1"), line: ("CPUs 0-7", "interleave:2")}
    assert list(problems("full", theirs, theirs)) == [
        f"full: {line}: no difference ({backwards.homenode})"
    ]
    assert list(problems("full", theirs, {**theirs, line: REFUSED})) == []
    found = list(problems("full", theirs, {line: REFUSED, "-m 1": REFUSED}))
    assert len(found) == 1 and "-m 1" in found[0]
    assert "refused or not" in next(problems("full", theirs, {**theirs, line: ("CPUs 0",)}))

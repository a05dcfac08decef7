"""The bench of the balancer: what it runs, what it keeps, and what its table and verdicts say."""

import json
from pathlib import Path
from typing import Any

import pytest
from balance import guest, table
from balance.cases import BESIDE, Case, Goal, Unit, cases
from balance.main import parser
from balance.runs import Store, counted_regions
from balance.table import Runs

from homenode.lab.catalogue import find_machine
from homenode.lab.counts import Roi
from homenode.lab.times import RoiTime

ROOT = Path(__file__).parents[3]
DOCUMENT = ROOT / "docs" / "balance.md"
RECORDS = ROOT / "bench" / "balance" / "records"
CASE = Case("stress 1", ("stress",), Goal.ONCE, 1)


def record(beside: str, moves: int, local: float, **more: Any) -> dict[str, Any]:
    return {
        "case": CASE.name,
        "beside": beside,
        "page_moves": moves,
        "affinity_changes": 0,
        "local_share": local,
        "hottest_share": 0.5,
        "busy_ns_per_miss": 100.0,
        "pages": 1000,
        **more,
    }


def runs(*records: dict[str, Any], case: Case = CASE) -> table.Runs:
    return table.Runs(case, [{**one, "case": case.name} for one in records])


def test_moves_are_held_against_the_pages_that_are_misplaced_without_a_balancer() -> None:
    found = runs(record("nothing", 0, 0.2), record("balance", 840, 1.0))
    assert found.misplaced() == pytest.approx(800)
    _, balanced = table.rows(found)
    assert balanced[table.HEADINGS.index("moves per misplaced page")] == "1.05"
    assert table.shortfalls(found) == []
    over = runs(record("nothing", 0, 0.2), record("balance", 848, 1.0))
    assert table.shortfalls(over) == ["1.06 moves per misplaced page"]


def test_where_no_placement_helps_no_page_is_misplaced() -> None:
    shared = Case("map shared", ("map",), Goal.BEST, None, ("map",))
    found = runs(record("nothing", 0, 0.25), record("placed", 0, 0.26), case=shared)
    assert found.misplaced() is None
    assert found.best() == 0.26


def test_shared_memory_is_judged_by_the_node_that_serves_most() -> None:
    shared = Case("map shared", ("map",), Goal.BEST, None, ("map",))
    before = record("nothing", 0, 0.25, hottest_share=1.0)
    placed = record("placed", 0, 0.25, hottest_share=0.25)
    even = runs(before, placed, record("balance", 9, 0.25, hottest_share=0.26), case=shared)
    assert table.shortfalls(even) == []
    late = record("balance", 9, 0.25, hottest_share=0.3, busy_ns_per_miss=101.0)
    uneven = runs(before, placed, late, case=shared)
    assert table.shortfalls(uneven) == ["0.833 of the best balance"]


def test_the_best_placement_that_does_not_change_is_the_fastest() -> None:
    case = Case("map partial", ("map",), Goal.BEST, None, ("map",))
    before = record("nothing", 0, 0.25, hottest_share=1.0)
    turn = record("interleave", 0, 0.25, hottest_share=0.25, busy_ns_per_miss=60.0)
    for placed_ns, missed in (
        (50.0, ["0.500 of the best local share"]),
        (70.0, ["0.833 of the best balance"]),
    ):
        placed = record("placed", 0, 0.5, hottest_share=0.5, busy_ns_per_miss=placed_ns)
        balanced = record("balance", 9, 0.25, hottest_share=0.3)
        assert table.shortfalls(runs(before, turn, placed, balanced, case=case)) == missed
        balanced["busy_ns_per_miss"] = min(placed_ns, 60.0)
        assert table.shortfalls(runs(before, turn, placed, balanced, case=case)) == []


def test_a_program_to_leave_alone_has_neither_moves_nor_changes() -> None:
    perfect = Case("perfect", ("stress",), Goal.NOTHING, 1)
    assert table.shortfalls(runs(record("balance", 0, 1.0), case=perfect)) == []
    bound = record("balance", 0, 1.0, affinity_changes=2)
    assert table.shortfalls(runs(bound, case=perfect)) == ["0 moves, 2 changes"]


def test_half_of_the_kernels_moves_and_nearly_the_best_share_are_wanted() -> None:
    shared = Case("stress 2", ("stress",), Goal.SHARED, 0.5, used=0.5)
    kernel = record("kernel", 1000, 0.5)
    assert table.shortfalls(runs(kernel, record("balance", 500, 0.48), case=shared)) == []
    found = table.shortfalls(runs(kernel, record("balance", 501, 0.4), case=shared))
    assert found == [
        "501 moves, more than half of the kernel's 1000",
        "0.800 of the best local share",
    ]


def test_moves_that_bring_something_are_not_to_no_avail() -> None:
    idle = Case("stress random", ("stress",), Goal.IDLE, 1)
    before = record("nothing", 0, 0.2)
    moved = runs(before, record("balance", 11, 0.96), case=idle)
    assert table.shortfalls(moved) == []
    found = table.shortfalls(runs(before, record("balance", 11, 0.2), case=idle))
    assert "11 moves to no avail" in found


def test_a_program_that_becomes_slower_is_named() -> None:
    alone = record("nothing", 0, 0.2)
    slower = record("balance", 0, 1.0, busy_ns_per_miss=103.0)
    assert table.shortfalls(runs(alone, slower)) == [
        "it takes 3 % longer than with nothing beside it"
    ]
    assert "of nothing" in table.table([runs(alone, slower)])


def test_the_work_of_a_program_that_computes_is_its_instructions() -> None:
    case = Case("npb cg", ("npb",), Goal.BEST, None, unit=Unit.INSTRUCTION)
    alone = record("nothing", 0, 0.2, ns_per_instruction=1.0)
    fewer = record("balance", 0, 1.0, busy_ns_per_miss=200.0, ns_per_instruction=0.5)
    found = runs(alone, fewer, case=case)
    assert table.shortfalls(found) == []
    assert "0.500 ns an instruction, 0.50 of nothing" in table.table([found])


def test_the_verdict_names_each_program_that_was_balanced() -> None:
    found = [
        runs(record("nothing", 0, 0.0), record("balance", 900, 1.0)),
        runs(record("numad", 1, 0)),
    ]
    assert (
        table.judgement(found) == "stress 1, balance (at most 1.05 moves per misplaced page): held"
    )


def test_runs_are_kept_and_those_that_failed_run_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "new" / "runs.jsonl")
    assert store.records() == []
    store.add(record("balance", 1, 1.0))
    store.add({"case": CASE.name, "beside": "balance", "error": "status 1"})
    with (tmp_path / "new" / "runs.jsonl").open("a") as file:
        file.write('{"case": "stress')  # One that was killed while it wrote.
    assert store.count(CASE, "balance") == 1
    assert store.count(CASE, "numad") == 0


def test_decisions_are_kept_beside_the_runs(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.jsonl")
    store.add(record("balance", 1, 1.0, decisions=[{"action": "look"}]))
    assert "decisions" not in store.records()[0]
    beside = json.loads((tmp_path / "runs-decisions.jsonl").read_text())
    assert (beside["beside"], beside["decisions"]) == ("balance", [{"action": "look"}])


def test_the_documents_table_is_that_of_the_runs_that_are_kept() -> None:
    text = DOCUMENT.read_text()
    for machine in ("quad-4x2", "cxl-3x4"):
        records = Store(RECORDS / f"{machine}-8.jsonl").records()
        found = [Runs(case, records) for case in cases(find_machine(machine), 8)]
        for line in table.table([one for one in found if one.by]).splitlines()[2:]:
            assert line in text


def test_the_time_on_the_way_is_held_against_as_many_misses_beside_nothing() -> None:
    alone = record("nothing", 0, 0.2, way_misses=0, way_busy_ns=0.0)
    way = {"busy_ns_per_miss": 75.0, "way_misses": 10**6, "way_busy_ns": 1.1e8}
    line = table.ways([runs(alone, record("balance", 0, 1.0, **way))]).splitlines()[-1]
    assert line == "| stress 1 | balance | 110 ms, 1.10 of it | 100 ms | 1 |"


def test_regions_of_windows_are_those_that_ended_whole() -> None:
    time = RoiTime(1000, 1000, 0, (), ())
    regions = [
        Roi(number, ended, True, (0,), (), (), {}, time)
        for number, ended in enumerate(["exit", "marker", "marker", "exit"])
    ]
    assert [one.number for one in counted_regions(regions)] == [1, 2]
    assert counted_regions(regions[:1]) == []


def test_threads_whose_cpus_change_are_counted() -> None:
    assert guest.changed({"1": "0-7", "2": "0-7"}, {"1": "0-1", "2": "0-7"}) == 1
    assert guest.changed({"1": "0-7"}, {"1": "0-7", "3": "0-1"}) == 0  # A new thread.


def test_a_balancer_of_several_programs_is_done_with_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    monkeypatch.setattr(guest, "LOG", log)
    whole = {"threads_bound": 0, "pages_moved": 0, "samples": 1, "errors": []}
    lines = [
        json.dumps({**whole, "decision": {"action": action, "reason": ""}})
        for action in ["look", "nothing"] * guest.LEAST_DECISIONS
    ]
    log.write_text("\n".join(lines))
    assert guest.is_done("balance", 1)
    assert not guest.is_done("balance", 2)
    log.write_text("\n".join([*lines, lines[1]]))
    assert guest.is_done("balance", 2)


def test_every_program_has_a_name_of_its_own() -> None:
    names = [case.name for case in cases(find_machine("quad-4x2"), 8)]
    assert len(set(names)) == len(names)
    added = {case.name for case in cases(find_machine("cxl-3x4"), 8)} - set(names)
    assert added == {"memory without CPUs"}
    assert parser().parse_args([]).beside == list(BESIDE)

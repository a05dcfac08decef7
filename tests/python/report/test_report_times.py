"""Times by method: medians, spreads, what is relative to what, and whether order follows shape."""

from collections.abc import Callable
from typing import Any

import pytest
from synthetic import MakeRecords, map_words

from homenode.report import model, page, times, times_svg
from homenode.report.page import MARKS
from homenode.report.rule import Verdict
from homenode.report.times import TimeRow, TimeView
from homenode.study import records

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def luo(make_records: MakeRecords) -> list[records.Record]:
    return records.read(make_records("luo2012"))


def views(found: list[records.Record], change: Change | None = None) -> list[TimeView]:
    copies = [dict(record) for record in found]
    for record in copies:
        if change is not None:
            change(record)
    (view,) = model.build(copies, map_words())
    return times.time_views(view)


def row_of(view: TimeView, label: str, op: str) -> TimeRow:
    return next(row for row in view.panels[op] if row.row.label == label)


def options(record: records.Record) -> tuple[str, str, str]:
    values = record["case"]["options"]
    return values["pattern"], values["op"], values["method"]


def with_ps(record: dict[str, Any], ps: int) -> None:
    record["time"] = record["time"] | {"modelled_ps": ps}


def test_every_time_by_value(luo: list[records.Record]) -> None:
    (view,) = views(luo)
    assert (view.provenance, view.label) == ("modelled", "modelled by the lab")
    assert [len(rows) for rows in view.panels.values()] == [5, 5]
    row = row_of(view, "divided", "reads")
    # 3 200 000 lines: all from one node, an eighth from each, or an eighth from each at home.
    assert {name: time.seconds for name, time in row.times.items()} == pytest.approx(
        {"default": 3.24e-3, "command-line": 0.435e-3, "api": 0.4e-3, "rewrite": 0.4e-3}
    )
    api = row.times["api"]
    assert api.relative == pytest.approx(0.4 / 3.24)
    assert (api.local_read_share, api.busiest_controller, api.spread) == (1.0, (0, 1.0), None)


def test_the_order_follows_the_shapes(luo: list[records.Record]) -> None:
    (view,) = views(luo)
    row = row_of(view, "divided", "reads")
    assert row.order == times.FOLLOWS and row.against == []
    assert times.row_text(row) == "API ≈ rewrite < command line < default: follows the shapes."
    shared = row_of(view, "shared, random order", "writes")
    assert times.order_text(shared) == "command line ≈ API ≈ rewrite < default"
    assert times.summary_text(view.rows) == (
        "In all 10 rows the order of the methods by time follows the shapes of their matrices: "
        "the nearer to the perfect one, the faster."
    )


def test_an_order_against_the_shapes_is_said(luo: list[records.Record]) -> None:
    def slow_api(record: dict[str, Any]) -> None:
        if options(record) == ("divided", "read", "api"):
            with_ps(record, 2 * 10**9)

    (view,) = views(luo, slow_api)
    row = row_of(view, "divided", "reads")
    assert row.order == times.AGAINST
    assert times.row_text(row) == (
        "rewrite < command line < API < default: does not follow the shapes; API is slower than "
        "command line although its matrix is nearer to the perfect one."
    )
    assert times.summary_text(view.rows).endswith("; in 1 it does not.")


def test_lines_from_caches_explain_an_order_against_the_shapes(luo: list[records.Record]) -> None:
    def fought_over(record: dict[str, Any]) -> None:
        if options(record)[:2] == ("divided", "read"):
            share = 0.9 if options(record)[2] == "api" else 0.75
            record["time"] = record["time"] | {"from_caches": share}
            if share == 0.9:
                with_ps(record, 4 * 10**9)

    (view,) = views(luo, fought_over)
    said = plain(times.row_text(row_of(view, "divided", "reads")))
    assert said.endswith(
        "75.0 % and more of its lines came from other CPUs' caches, which no placement of memory "
        "changes."
    )


def test_what_cannot_be_told_apart_is_no_evidence(luo: list[records.Record]) -> None:
    def alike(record: dict[str, Any]) -> None:
        if options(record)[:2] == ("divided", "read"):
            slower = options(record)[2] in ("api", "rewrite")  # By less than what counts.
            with_ps(record, 1_030_000 if slower else 1_000_000)

    (view,) = views(luo, alike)
    row = row_of(view, "divided", "reads")
    assert row.order == times.NOT_APART
    assert times.row_text(row).endswith("follows the shapes where times differ.")
    assert "; in 1 it does so where times differ by more than 5 %." in times.summary_text(view.rows)


def test_one_shape_says_nothing_of_order(luo: list[records.Record]) -> None:
    (view,) = views([r for r in luo if options(r)[2] == "default"])
    assert {row.order for row in view.rows} == {None}
    assert times.summary_text(view.rows).startswith("All matrices of a row have one shape")


def test_repetitions_give_a_median_and_a_spread(luo: list[records.Record]) -> None:
    more = [
        dict(record) | {"repetition": n, "time": record["time"] | {"modelled_ps": ps}}
        for record in luo
        if options(record) == ("divided", "read", "api")
        for n, ps in ((2, 420_000_000), (3, 500_000_000))
    ]
    (view,) = views([*luo, *more])
    time = row_of(view, "divided", "reads").times["api"]
    assert (time.seconds, time.low, time.high) == pytest.approx((0.42e-3, 0.4e-3, 0.5e-3))
    assert time.spread == pytest.approx(0.1 / 0.42)
    assert view.largest_spread == time
    assert view.panels["reads"][0].times["default"].spread is None
    assert "420 µs modelled by the lab (400 µs to 500 µs in 3 runs)" in plain(
        times_svg.says(time, row_of(view, "divided", "reads"), view)
    )


def test_measured_times_have_a_view_of_their_own(luo: list[records.Record]) -> None:
    def measured(record: dict[str, Any]) -> None:
        if options(record)[2] in ("default", "api"):
            record["time"] = {"measured_s": 2.0 if options(record)[2] == "default" else 0.5}

    modelled, real = views(luo, measured)
    assert (modelled.provenance, real.provenance) == ("modelled", "measured")
    assert real.label == "measured on this host"
    assert {tuple(row.times) for row in real.rows} == {("default", "api")}
    assert {tuple(row.times) for row in modelled.rows} == {("command-line", "rewrite")}
    assert {row.times["api"].relative for row in real.rows} == {0.25}
    assert {t.relative for row in modelled.rows for t in row.times.values()} == {None}


def test_records_without_time_have_no_view(luo: list[records.Record]) -> None:
    assert views(luo, lambda record: record.update(time=None)) == []


def plain(text: str) -> str:
    return text.replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_the_drawing_has_a_bar_for_each_time_and_says_its_values(
    luo: list[records.Record],
) -> None:
    (view,) = views(luo)
    text = plain(times_svg.draw(view, "reads", MARKS))
    assert text.count('<g class="bar ') == 20 and text.count("<title>") == 20
    assert text.count('class="bar not_healed"') == sum(
        t.case.judgement.verdict is Verdict.NOT_HEALED
        for row in view.panels["reads"]
        for t in row.times.values()
    )
    assert (
        "<title>divided, reads, command line: 435 µs modelled by the lab; 0.13 of the default&#x27;"
        "s time; 12.5 % of the lines read from memory were local; busiest memory controller: node "
        "0, in use 92.0 % of the time</title>"
    ) in text
    assert "API ✓" in text and "default ×" in text and "local reads" in text


def test_a_perfect_matrix_that_takes_longer_than_doing_nothing_is_not_green(
    luo: list[records.Record],
) -> None:
    def slow(record: dict[str, Any]) -> None:
        if options(record) == ("divided", "read", "api"):
            with_ps(record, 6_836_400_000)  # 2.11 times the default's.

    (view,) = views(luo, slow)
    time = row_of(view, "divided", "reads").times["api"]
    assert time.case.judgement.verdict is Verdict.HEALED and time.is_slower
    assert times_svg.draw(view, "reads", MARKS).count('class="bar healed slower"') == 1
    changed = [dict(record) for record in luo]
    for record in changed:
        slow(record)
    text = page.render(model.build(changed, map_words()), ["records"])
    # In the grid, in the table of times, among the methods' abilities and in the table of all.
    assert text.count('class="verdict healed slower"') == 4
    assert text.count('<span class="took slower">2.11') == 2
    before = page.render(model.build(luo, map_words()), ["records"])
    assert 'healed slower"' not in before and '<span class="took">0.12' in before


def test_bars_are_as_long_as_the_times(luo: list[records.Record]) -> None:
    (view,) = views(luo)
    text = times_svg.draw(view, "reads", MARKS)
    bars = [
        float(part.split('"')[0])
        for part in text.split('class="length"')[1:]
        for part in [part.split('width="')[1]]
    ]
    wanted = [t.relative or 0 for row in view.panels["reads"] for t in row.times.values()]
    assert bars == pytest.approx([128 * value for value in wanted], abs=0.06)

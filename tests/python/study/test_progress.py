"""The progress line: always moving on a terminal, plain elsewhere."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from synthetic import QUAD, FakeRunner

from homenode.study.progress import MovingProgress, PlainProgress, left_text, make_progress
from homenode.study.records import RecordStore
from homenode.study.runner import Outcome
from homenode.study.session import run_study
from homenode.study.spec import parse
from homenode.study.time_left import TimeLeft

STUDY = {
    "schema": "homenode.study/1",
    "name": "s",
    "title": "T",
    "workload": "map",
    "machines": ["quad-4x2"],
    "factors": {"pattern": ["divided"], "op": ["read"], "method": ["default", "api"]},
}


def test_a_terminal_sees_a_bar_the_running_case_and_what_came_out(tmp_path: Path) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, color_system=None, width=120)
    runner = FakeRunner(QUAD, {"--method default": Outcome(1, "", "[red]no\n", [])})
    with RecordStore(tmp_path) as store, MovingProgress(console) as progress:
        run_study(parse(STUDY), lambda name: runner, store, progress)
        assert progress._progress.live.auto_refresh  # The spinner turns while a case runs.
    shown = screen.getvalue()
    assert "× divided · read · default: failed: exit code 1: [red]no" in shown
    assert "✓ divided · read · api: 100.0% local, hottest node 25.0%" in shown
    assert "2/2" in shown
    assert "0 s left" in shown


def test_without_a_terminal_the_lines_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert isinstance(make_progress(), PlainProgress)


def test_plain_lines_say_how_long_what_is_left_will_take(tmp_path: Path) -> None:
    lines = io.StringIO()
    ticks = iter(range(0, 1000, 90))
    progress = PlainProgress(lines, lambda: next(ticks))
    with RecordStore(tmp_path) as store:
        run_study(parse(STUDY), lambda name: FakeRunner(QUAD, {}), store, progress)
    first, last = [line for line in lines.getvalue().splitlines() if "/2]" in line]
    assert first.endswith("; 2 min left")
    assert "left" not in last


def test_the_time_left_is_no_finer_than_it_is_known() -> None:
    assert [left_text(s) for s in (4.4, 61, 3541, 7500)] == ["4 s", "1 min", "59 min", "2 h 5 min"]


def test_the_time_left_is_that_of_the_same_cases() -> None:
    left = TimeLeft(["short", "long", "long"], [("short", 10), ("long", 100)], 0)
    assert left.seconds(0) is None
    left.finished("short", 10, 10)
    assert left.seconds(10) == 200
    assert left.seconds(60) == 150
    left.finished("long", 200, 210)  # 150 s in the mean of both.
    assert left.seconds(210) == 150
    assert left.seconds(1000) == 0


def test_the_time_left_of_new_cases_is_the_mean_and_shorter_where_two_run_at_once() -> None:
    left = TimeLeft(["a", "b", "c"], [], 0)
    left.finished("a", 40, 40)
    left.finished("b", 40, 40)
    assert left.seconds(40) == 20

"""homenode.lab.timeline: from the plugin's intervals to a trace, and the file of --timeline."""

import json
from pathlib import Path
from typing import Any

import pytest
from json_documents import errors

from homenode.lab import LabError
from homenode.lab.cli import main
from homenode.lab.timeline import parse_timelines
from homenode.lab.timeline_file import check_timeline, write_timeline
from homenode.lab.trace_events import trace_json
from homenode.timeline import Interval, Timeline

US = 10**6
LINE: dict[str, Any] = {
    "schema": "homenode.lab.timeline/1",
    "modelled": True,
    "roi": 2,
    "ps": 10 * US,
    "dropped": 3,
    "intervals": [
        [1, "sleeping", 0, 4 * US, 3 * US, 0],
        [0, "kernel", 2 * US, 10 * US, 0],
        [0, "user", 0, 2 * US, US],
        [1, "ready", 4 * US, 5 * US, 0],
        [1, "spinning", 5 * US, 9 * US, 0],
        [1, "sleeping", 9 * US, 10 * US, 10 * US, None],
    ],
}


def timelines(**other: Any) -> tuple[Timeline, ...]:
    return parse_timelines(json.dumps(LINE | other) + "\n")


def test_a_line_is_read_by_thread_and_time():
    assert errors(LINE, "homenode.lab.timeline") == []
    (found,) = timelines()
    assert (found.region, found.ps, found.dropped) == (2, 10 * US, 3)
    assert found.intervals[:3] == [
        Interval(0, "user", 0, 2 * US, US),
        Interval(0, "kernel", 2 * US, 10 * US),
        Interval(1, "sleeping", 0, 4 * US, 0, 3 * US, 0),
    ]
    assert found.intervals[-1].waker is None
    assert parse_timelines("") == ()


@pytest.mark.parametrize(
    "other", [{"schema": "x"}, {"modelled": False}, {"intervals": [[0]]}, {"ps": None}]
)
def test_what_the_plugin_does_not_write_is_refused(other: dict[str, Any]):
    with pytest.raises(LabError, match="timeline cannot be read"):
        timelines(**other)


def test_a_trace_has_what_perfetto_reads():
    value = json.loads(trace_json("x on tiny", timelines(), {2: {0: "main"}}))
    assert "modelled" in value["otherData"]["time"]
    assert value["otherData"]["dropped intervals"] == "3"
    events = value["traceEvents"]
    names = {
        (one["name"], one["tid"]): one["args"]["name"]
        for one in events
        if one["ph"] == "M" and "name" in one["args"]
    }
    assert names["thread_name", 0] == "main" and names["thread_name", 1] == "thread 1"
    assert "modelled" in names["process_name", 0]
    complete = [
        (one["pid"], one["tid"], one["name"], one["ts"], one["dur"])
        for one in events
        if one["ph"] == "X"
    ]
    assert complete == [
        (2, 0, "computing", 0.0, 2.0),
        (2, 0, "in the kernel", 2.0, 8.0),
        (2, 1, "sleeping", 0.0, 4.0),
        (2, 1, "waiting for a CPU", 4.0, 1.0),
        (2, 1, "spinning", 5.0, 4.0),
        (2, 1, "sleeping", 9.0, 1.0),
    ]
    start, end = (one for one in events if one["ph"] in "sf")
    assert (start["tid"], start["ts"], end["tid"], end["ts"]) == (0, 3.0, 1, 4.0)
    assert start["id"] == end["id"]


def test_code_that_mostly_waits_for_memory_is_called_that():
    waits = timelines(intervals=[[0, "user", 0, 4 * US, 3 * US]])
    (event,) = (
        one for one in json.loads(trace_json("", waits, {}))["traceEvents"] if one["ph"] == "X"
    )
    assert event["name"] == "waiting for memory"
    assert event["args"] == {"waiting for memory": "75.0%"}


@pytest.mark.parametrize("name", ["out.png", "out", "svg", "out.json.gz"])
def test_an_ending_that_says_nothing_is_refused_before_the_boot(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    words = ["run", "--machine", "tiny-2x2", "--timeline", str(tmp_path / name), "--", "true"]
    assert main(words) == 125
    assert "use .svg for a picture, or .json" in capsys.readouterr().err


def test_a_place_that_takes_no_file_is_refused(tmp_path: Path):
    with pytest.raises(LabError, match="does not exist; create it"):
        check_timeline(str(tmp_path / "none" / "x.svg"))
    folder = tmp_path / "x.svg"
    folder.mkdir()
    with pytest.raises(LabError, match="it is a folder"):
        check_timeline(str(folder))
    assert check_timeline(str(tmp_path / "y.SVG")) == tmp_path / "y.SVG"


def test_without_modelled_time_there_is_no_timeline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    words = ["run", "--machine", "tiny-2x2", "--timeline", str(tmp_path / "x.svg")]
    assert main([*words, "--no-time", "--", "true"]) == 125
    assert not list(tmp_path.iterdir())
    err = capsys.readouterr().err
    assert "--timeline needs modelled time" in err or "the lab needs" in err


@pytest.mark.parametrize("ending", ["svg", "json"])
def test_a_full_disk_is_said_and_leaves_what_was_there(ending: str, tmp_path: Path):
    full = tmp_path / f"full.{ending}"
    full.symlink_to("/dev/full")
    with pytest.raises(LabError, match="No space left on device; free some space there, or name"):
        write_timeline(full, ["x"], "tiny-2x2", [], timelines())
    good = tmp_path / f"good.{ending}"
    good.write_text("old")
    write_timeline(good, ["x"], "tiny-2x2", [], timelines())
    assert "thread 1" in good.read_text()
    assert sorted(tmp_path.iterdir()) == [full, good]

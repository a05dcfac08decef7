"""homenode.lab.times and stats: modelled time, from the plugin's line to what people read."""

import json
from pathlib import Path
from typing import Any

import pytest

from homenode.lab import LabError, Roi, access_matrix, find_machine
from homenode.lab.counts import parse_rois
from homenode.lab.render import run_json, stats_of, stats_text
from homenode.lab.result import Result
from homenode.lab.stats import TimeStats, time_stats, time_text

TINY = find_machine("tiny-2x2")
OLD = Path(__file__).with_name("data") / "counts-v1.jsonl"


def accesses(loads: list[int]) -> dict[str, Any]:
    return {"loads": loads, "stores": [0, 0], "references": {"loads": 100, "stores": 0}}


def vcpu(number: int, instructions: int, reads: list[int]) -> dict[str, Any]:
    return {
        "vcpu": number,
        "user": accesses(reads),
        "kernel": accesses([0, 0]),
        "time": {
            "ps": 4_000_000,
            "busy_ps": 2_000_000,
            "instructions": instructions,
            "stall_ps": 500_000,
            "latency_ps": 700_000,
            "in_flight_ps": 400_000,
            "l1": {"hits": 90, "misses": 10},
            "l2": {"hits": 6, "misses": 4},
            "l3": {"hits": 0, "misses": 0},
            "cache_to_cache": 3,
            "memory_reads": reads,
            "memory_writes": [1, 0],
        },
    }


def line(late_waits: int = 0, **other: Any) -> dict[str, Any]:
    # tiny-2x2: CPUs 0 and 1 are node 0, CPUs 2 and 3 are node 1.
    return {
        "schema": "homenode.counts/2",
        "roi": 1,
        "ended_by": "marker",
        "registers": True,
        "nodes": [0, 1],
        "vcpus": [vcpu(0, 3000, [10, 5]), vcpu(3, 1000, [2, 20])],
        "threads": [
            {
                "rank": 0,
                "vcpus": [0],
                "user": accesses([10, 5]),
                "time": {"busy_ps": 7, "first_ps": 1, "last_ps": 9, "instructions": 5},
            }
        ],
        "time": {
            "modelled": True,
            "ps": 4_000_000,
            "epoch_ns": 5000,
            "late_waits": late_waits,
            "controllers": [
                {"node": 0, "read_lines": 16384, "write_lines": 2, "busy_ps": 1_000_000},
                {"node": 1, "read_lines": 25, "write_lines": 0, "busy_ps": 0},
            ],
            "links": [
                {"from": 0, "to": 1, "lines": 5, "busy_ps": 100_000, "shared": False},
                {"from": 1, "to": 0, "lines": 3, "busy_ps": 400_000, "shared": True},
            ],
        },
    } | other


def rois(*lines: dict[str, Any]) -> list[Roi]:
    return parse_rois("".join(json.dumps(item) + "\n" for item in lines))


def stats(*lines: dict[str, Any], frequency_mhz: float = 1000) -> TimeStats:
    found = time_stats(rois(*lines), TINY.node_of_vcpu, frequency_mhz)
    assert found is not None
    return found


def test_a_line_of_version_1_is_still_read_and_has_no_time():
    regions = parse_rois(OLD.read_text())
    assert [(roi.number, roi.time, roi.vcpus[0].time) for roi in regions] == [(25, None, None)]
    quad = find_machine("quad-4x2")
    assert access_matrix(regions, quad).loads[1] == (49160, 22, 0, 2)
    assert stats_of(regions, quad) is None
    assert "modelled time" not in stats_text(regions, quad, everything=False)


def test_a_line_without_time_has_none():
    silent = {**line(), "time": None}
    for part in (*silent["vcpus"], *silent["threads"]):
        part["time"] = None
    roi = rois(silent)[0]
    assert roi.time is None and roi.threads[0].time is None
    assert time_stats([roi], TINY.node_of_vcpu, 1000) is None


def test_a_thread_has_its_time():
    time = rois(line())[0].threads[0].time
    assert time is not None
    assert (time.busy_ps, time.first_ps, time.last_ps, time.instructions) == (7, 1, 9, 5)


@pytest.mark.parametrize("broken", [{"modelled": False}, {}, {"modelled": True, "ps": "x"}])
def test_a_time_that_is_not_modelled_or_not_whole_is_refused(broken: dict[str, Any]):
    with pytest.raises(LabError, match="plugin's counts cannot be read"):
        rois({**line(), "time": broken})


def test_instructions_per_cycle_are_those_of_the_busy_time():
    # 4000 instructions in 2 x 2 us at 1 GHz: 4000 cycles.
    assert stats(line()).ipc == pytest.approx(1.0)
    assert stats(line(), frequency_mhz=2000).ipc == pytest.approx(0.5)


def test_traffic_is_by_the_node_of_the_cpu_and_the_node_of_the_memory():
    found = stats(line())
    assert found.traffic == ((11, 5), (3, 20))
    assert found.local_share == pytest.approx(31 / 39)


def test_regions_add_up():
    once, twice = stats(line(2)), stats(line(2), line(1))
    assert (twice.regions, twice.ps, twice.late_waits) == (2, 2 * once.ps, 3)
    assert twice.ipc == once.ipc
    assert twice.levels["l1"].hits == 2 * once.levels["l1"].hits
    assert [one.read_lines for one in twice.controllers] == [32768, 50]
    assert [one.lines for one in twice.links] == [6, 10]
    busy = [found.share_of_time(found.controllers[0].busy_ps) for found in (once, twice)]
    assert busy == [0.25, 0.25]


def test_people_read_time_rates_and_what_was_in_use():
    assert time_text(stats(line())) == "\n".join(
        (
            "homenode lab: modelled time, not measured: 0.004 ms in 1 region of interest",
            "4000 instructions, IPC 1.00 of the busy CPUs",
            "cache hits: L1 90.0%, L2 60.0%, L3 none; 6 lines from another CPU's cache",
            "lines from and to memory: 39, 79.5% local",
            "controller  read MiB  written MiB  in use",
            "         0      1.00         0.00   25.0%",
            "         1      0.00         0.00    0.0%",
            "   route   MiB  in use",
            "link 1>0  0.00   10.0%",
            "     0>1  0.00    2.5%",
        )
    )


def test_late_waits_are_said_when_there_were_any():
    assert "late" not in time_text(stats(line()))
    assert "7 late waits" in time_text(stats(line(7)))


def test_of_many_ways_only_the_busiest_are_shown():
    ways = [
        {"from": 0, "to": to, "lines": 1, "busy_ps": to, "shared": False} for to in range(1, 11)
    ]
    many = {**line(), "time": {**line()["time"], "links": ways}}
    text = time_text(stats(many))
    assert (
        "0>10" in text and "0>2 " not in text and text.endswith("and 2 routes that were used less")
    )


def test_nothing_that_ran_has_no_rates():
    idle = {**line(), "vcpus": []}
    text = time_text(stats(idle))
    assert "no instructions" in text and "memory: 0, none" in text


def test_the_json_has_what_the_text_has_and_says_that_it_is_modelled():
    value = run_json(["x"], Result(exit_code=0), rois(line()), TINY, {}, 1.0)["time"]
    assert value["modelled"] is True and value["seconds"] == pytest.approx(4e-6)
    assert value["hit_rates"] == {"l1": 0.9, "l2": 0.6, "l3": None}
    assert value["controllers"][0]["utilisation"] == 0.25
    assert value["links"][0] == {
        "from": 1, "to": 0, "lines": 3, "shared": True, "utilisation": 0.1,
    }  # fmt: skip
    assert json.loads(json.dumps(value)) == value
    assert run_json(["x"], Result(exit_code=0), [], TINY, {}, 1.0)["time"] is None

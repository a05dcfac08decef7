"""Two threads in the lab whose modelled time can be worked out: its parts, and its timeline."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from compiling import compiled
from lab_start import lab_or_skip

from homenode.lab import Lab
from homenode.lab.cli import main
from homenode.lab.machine_model import resolve
from homenode.lab.spent import Sleep, Spent, Waiting
from homenode.lab.system_calls import FUTEX, NAMES
from homenode.lab.thread_stats import ThreadStats, thread_stats

pytestmark = pytest.mark.lab

LINES = 60_000
ROUNDS = 5_000_000
NS_PER_PS = 1e-3
# Of the region's time: what threads do to begin and to end is in none of the closed forms.
TOLERANCE = 0.08


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    source = Path(__file__).with_name("where_time_goes.c")
    return compiled(source, tmp_path_factory.mktemp("where"))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    made = lab_or_skip("quad-4x2", timeline=True)
    with made as started:
        yield started


def ran(
    lab: Lab, program: str, kind: str, amount: int, cpu: int
) -> tuple[ThreadStats, ThreadStats, int]:
    """The two threads, and the time of the region."""
    result = lab.run([program, kind, str(amount), str(cpu)], timeout_s=120)
    assert result.status == 0
    (roi,) = result.rois
    assert roi.time is not None
    first, second = thread_stats([roi])
    assert (first.rank, second.rank) == (0, 1)
    ends = {one.id: one.time.last_ps for one in roi.threads if one.time is not None}
    for one in (first, second):
        assert one.spent.there_ps == pytest.approx(ends[one.id], abs=0.02 * roi.time.ps)
    return first, second, roi.time.ps


def longest(spent: Spent) -> tuple[Waiting, Sleep]:
    return max(spent.sleeps.items(), key=lambda item: item[1].slept_ps)


@pytest.mark.parametrize("kind", ["pause", "look"])
def test_a_thread_that_spins_is_said_to(lab: Lab, program: str, kind: str):
    first, second, ps = ran(lab, program, kind, LINES, 2)
    assert second.spent.spun_ps == pytest.approx(ps, rel=TOLERANCE)
    assert first.spent.spun_ps < TOLERANCE * ps
    assert second.spent.slept_ps < TOLERANCE * ps


@pytest.mark.parametrize("kind", ["barrier", "lock"])
def test_a_thread_that_sleeps_at_a_futex_is_woken_by_the_other(lab: Lab, program: str, kind: str):
    first, second, ps = ran(lab, program, kind, LINES, 2)
    assert second.spent.slept_ps == pytest.approx(ps, rel=TOLERANCE)
    assert second.spent.spun_ps < TOLERANCE * ps
    waiting, sleep = longest(second.spent)
    assert waiting.system_call == FUTEX and waiting.address is not None
    assert (sleep.times, sleep.most_at_once, dict(sleep.woken_by)) == (1, 1, {first.id: 1})


def test_a_thread_that_reads_from_a_pipe_sleeps_in_read(lab: Lab, program: str):
    first, second, ps = ran(lab, program, "read", LINES, 2)
    waiting, sleep = longest(second.spent)
    assert waiting.system_call is not None and NAMES[waiting.system_call] == "read"
    assert sleep.slept_ps == pytest.approx(ps, rel=TOLERANCE)
    assert dict(sleep.woken_by) == {first.id: 1}


def test_of_two_threads_on_one_cpu_each_computes_half_the_time(lab: Lab, program: str):
    first, second, ps = ran(lab, program, "share", ROUNDS, 0)
    for one in (first, second):
        assert one.spent.computed_ps == pytest.approx(ps / 2, rel=TOLERANCE)
        assert one.spent.stalled_ps < TOLERANCE * ps
    # Once it has done its part, the first one sleeps until the second ends.
    spent = first.spent
    assert spent.ready_ps + spent.slept_ps == pytest.approx(ps / 2, rel=TOLERANCE)
    # Who begins is the kernel's choice.
    assert max(spent.ready_ps, second.spent.ready_ps) > ps / 8


def test_waits_for_memory_are_those_of_the_node_that_the_lines_lie_on(lab: Lab, program: str):
    first, second, _ = ran(lab, program, "remote", LINES, 2)
    latency = resolve(lab.machine).latency_ns
    for one, node in ((first, 0), (second, 1)):
        on_node = dict(zip(one.nodes, one.spent.memory_ps, strict=True))
        closed_ns = LINES * latency[node, 0]
        assert on_node[0] * NS_PER_PS == pytest.approx(closed_ns, rel=TOLERANCE)
        assert sum(on_node.values()) - on_node[0] < TOLERANCE * on_node[0]


@pytest.mark.parametrize("kind", ["pause", "barrier"])
def test_the_timeline_says_the_same_as_the_sums(lab: Lab, program: str, kind: str):
    first, second, ps = ran(lab, program, kind, LINES, 2)
    timeline = lab.timelines()[-1]
    assert timeline.ps == ps and timeline.dropped == 0
    for one in (first, second):
        mine = [item for item in timeline.intervals if item.thread == one.id]
        sums = {
            name: sum(item.to_ps - item.from_ps for item in mine if item.activity == name)
            for name in ("kernel", "spinning", "sleeping", "ready")
        }
        spent = one.spent
        parts = (spent.kernel_ps, spent.spun_ps, spent.slept_ps, spent.ready_ps)
        assert tuple(sums.values()) == parts
        assert sum(item.stall_ps for item in mine) == spent.stalled_ps
        # No two at once.
        assert all(a.to_ps <= b.from_ps for a, b in pairwise(mine))


@pytest.mark.parametrize("ending", ["svg", "json"])
def test_the_command_writes_a_timeline(
    program: str, tmp_path: Path, ending: str, capfd: pytest.CaptureFixture[str]
):
    lab_or_skip("tiny-2x2")
    file = tmp_path / f"out.{ending}"
    words = ["run", "--machine", "tiny-2x2", "--timeline", str(file), "--stats", "--"]
    assert main([*words, program, "barrier", "1000", "2"]) == 0
    assert "as by a lock or hand-over" in capfd.readouterr().err
    text = file.read_text()
    if ending == "svg":
        assert ET.fromstring(text) is not None and "thread 1" in text
    else:
        assert {one["ph"] for one in json.loads(text)["traceEvents"]} == {"M", "X", "s", "f"}

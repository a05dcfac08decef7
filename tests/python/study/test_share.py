"""Several machines alike share what is left of a study: each run once, and one's end ends all."""

import io
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from synthetic import QUAD, FakeRunner
from test_session import STUDY

from homenode.study.errors import StudyError
from homenode.study.progress import PlainProgress
from homenode.study.records import RecordStore, read
from homenode.study.runner import Outcome, RunnerLostError
from homenode.study.session import run_study
from homenode.study.share import Summary
from homenode.study.spec import parse


def run(
    folder: Path, make: Callable[[str], FakeRunner], guests: int | None = None
) -> tuple[Summary, str]:
    said = io.StringIO()
    declared = parse(STUDY if guests is None else STUDY | {"guests": guests})
    with RecordStore(folder) as store, PlainProgress(said) as progress:
        return run_study(declared, make, store, progress), said.getvalue()


class Meeting(FakeRunner):
    """A machine whose first run waits until as many machines run one; notes its CPUs."""

    def __init__(self, together: threading.Barrier, at_once: int = 2) -> None:
        super().__init__(QUAD, at_once=at_once)
        self.cpus: set[int] = set()
        self._together = together

    def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
        if not self.ran:
            self._together.wait(60)
            self.cpus = os.sched_getaffinity(0)
        return super().run(command, timeout_s)


@pytest.mark.parametrize(
    ("at_once", "guests", "expected"), [(2, None, 2), (1, 3, 3), (99, None, 8)]
)
def test_machines_side_by_side_run_each_case_once(
    tmp_path: Path, at_once: int, guests: int | None, expected: int
) -> None:
    together = threading.Barrier(expected)
    made: list[Meeting] = []

    def make(name: str) -> FakeRunner:
        made.append(Meeting(together, at_once))
        return made[-1]

    before = os.sched_getaffinity(0)
    summary, said = run(tmp_path, make, guests)
    assert len(made) == expected and all(machine.ran for machine in made)
    assert (summary.runs, summary.ran, summary.failed) == (8, 8, [])
    assert len({record["case"]["id"] for record in read(tmp_path)}) == 8
    assert said.count("\n") == 1 + expected + 8
    assert all(len(machine.cpus) == 1 and machine.cpus <= before for machine in made)
    assert len(set.union(*(machine.cpus for machine in made))) == min(expected, len(before))
    assert os.sched_getaffinity(0) == before


def test_one_machine_may_run_on_all_cpus(tmp_path: Path) -> None:
    machine = Meeting(threading.Barrier(1))
    run(tmp_path, lambda name: machine, guests=1)
    assert machine.cpus == os.sched_getaffinity(0)


class Waiting(FakeRunner):
    """A machine whose runs last until it is interrupted, as killed programs do."""

    def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
        self.ran.append(list(command))
        assert self.interrupted.wait(60)
        return Outcome(137, "", "", [])


@pytest.mark.parametrize(
    ("error", "kind"),
    [(KeyboardInterrupt(), KeyboardInterrupt), (StudyError("disk full"), StudyError)],
)
def test_what_ends_one_ends_all_and_records_nothing_half_done(
    tmp_path: Path, error: BaseException, kind: type[BaseException]
) -> None:
    waiting = Waiting(QUAD)

    class Failing(FakeRunner):
        def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
            while not waiting.ran:  # What it ends has begun.
                time.sleep(0.001)
            return super().run(command, timeout_s)

    machines = [Failing(QUAD, {"shared --op write": error}, at_once=2), waiting]
    with pytest.raises(kind):
        run(tmp_path, lambda name: machines.pop(0))
    assert not waiting.is_open and waiting.ran
    assert all(record["error"] is None for record in read(tmp_path))


def test_a_machine_that_dies_leaves_its_share_to_the_others(tmp_path: Path) -> None:
    dying = FakeRunner(QUAD, {"bench": RunnerLostError("killed")}, start_losses=1, at_once=2)
    machines = [dying, FakeRunner(QUAD)]
    try:
        summary, _ = run(tmp_path, lambda name: machines.pop(0))
    except StudyError as error:  # The other may be the slower one.
        assert "lost 3 times in a row" in str(error)
    else:
        assert summary.ran == 8 and len(summary.failed) == len(dying.ran) <= 2
    assert dying.starts > 1 and not dying.is_open

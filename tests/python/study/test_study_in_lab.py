"""A study from its TOML to its page, in a real guest; the machine is killed in the middle of it."""

import io
import os
import signal
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.report import figures, model
from homenode.study import command, records
from homenode.study.lab_runner import LabRunner
from homenode.study.progress import PlainProgress
from homenode.study.records import RecordStore
from homenode.study.session import run_study
from homenode.study.spec import parse

pytestmark = pytest.mark.lab

MAP = {
    "schema": "homenode.study/1",
    "name": "s",
    "title": "T",
    "workload": "map",
    "machines": ["tiny-2x2"],
    "guests": 1,
    "fixed": {"threads": 4, "size": "2M", "pages": "small", "seed": 3},
    "factors": {
        "pattern": ["divided", "interleaved"],
        "op": ["read"],
        "method": ["default", "command-line", "api", "rewrite"],
    },
}
# Each line of the arrays fits no cache of the machine, so that placement shows.
STREAM = {
    "schema": "homenode.study/1",
    "name": "stream",
    "title": "T",
    "workload": "stream",
    "machines": ["tiny-2x2"],
    "guests": 1,
    "fixed": {"size": "6M", "passes": 2, "kernel": "triad"},
    "factors": {"strategy": ["first-touch", "parallel-init"], "threads": [4]},
}
NPB = STREAM | {
    "workload": "npb",
    "fixed": {"kernel": "cg", "class": "S"},
    "factors": {"strategy": ["none", "round-robin"], "threads": [2]},
}
LOST = "divided · read · api"


@pytest.fixture
def runner() -> LabRunner:
    lab_or_skip("tiny-2x2")
    command.find_command()
    return LabRunner("tiny-2x2")


class Killer(PlainProgress):
    """Kills the emulator as one case begins."""

    def __init__(self, runner: LabRunner) -> None:
        super().__init__(io.StringIO())
        self._runner = runner
        self.killed = 0

    def running(self, label: str) -> None:
        if label == LOST and not self.killed:
            assert self._runner._lab is not None
            self.killed = self._runner._lab.pid
            os.kill(self.killed, signal.SIGKILL)


def test_a_study_survives_the_loss_of_its_machine_and_finds_what_the_kernel_does(
    tmp_path: Path, runner: LabRunner
) -> None:
    with RecordStore(tmp_path) as store, Killer(runner) as progress:
        summary = run_study(parse(MAP), lambda name: runner, store, progress)
        assert progress.killed and (summary.ran, summary.failed) == (8, [LOST])
        again = run_study(parse(MAP), lambda name: runner, store, progress)
        assert (again.already_done, again.ran, again.failed) == (7, 1, [])
    assert not Path(f"/proc/{progress.killed}").exists()

    found = records.read(tmp_path)
    assert {r["matrix"]["provenance"] for r in found if r["matrix"]} == {"exact"}
    assert {tuple(sorted(r["versions"])) for r in found} == {("homenode", "kernel", "qemu")}
    (view,) = model.build(found)
    table = {line[0].pattern: [c.verdict for c in line] for line in view.abilities}
    assert table["divided"] == ["not healed", "flattened", "healed", "healed"]
    assert table["interleaved"] == ["not healed", "flattened", "flattened", "healed"]
    assert all(case.accesses >= 2 * 1024 * 1024 // 64 for case in view.cases)


def test_a_study_of_another_workload_has_its_figures_by_the_labs_clock(
    tmp_path: Path, runner: LabRunner
) -> None:
    with RecordStore(tmp_path) as store, PlainProgress(io.StringIO()) as progress:
        assert run_study(parse(STREAM), lambda name: runner, store, progress).failed == []
    found = records.read(tmp_path)
    workload = records.read_description(tmp_path, "stream")
    assert workload is not None
    (view,) = figures.build(found, workload)
    rates = next(panel for panel in view.panels if panel.metric.name == "rate")
    assert rates.provenance == "modelled"
    (group,) = rates.groups
    crowded, at_home = group.bars
    assert (crowded.placement, at_home.placement) == ("first-touch", "parallel-init")
    # Everything on the main thread's node against each part at its thread's: half and all local.
    assert crowded.local_share == pytest.approx(0.5, abs=0.02)
    assert at_home.local_share == pytest.approx(1.0, abs=0.02)
    assert at_home.value > 1.2 * crowded.value


def test_guests_side_by_side_count_what_one_counts(tmp_path: Path, runner: LabRunner) -> None:
    runners = [runner, LabRunner("tiny-2x2")]
    made = list(runners)
    study = parse(STREAM | {"guests": 2})
    with RecordStore(tmp_path) as store, PlainProgress(io.StringIO()) as progress:
        assert run_study(study, lambda name: made.pop(0), store, progress).failed == []
    crowded, at_home = sorted(records.read(tmp_path), key=lambda r: str(r["case"]["options"]))
    assert crowded["figures"]["rate"]["values"] < at_home["figures"]["rate"]["values"]
    assert all(each._lab is None for each in runners)


def test_an_interrupted_study_leaves_no_guest(tmp_path: Path, runner: LabRunner) -> None:
    class Interrupting(PlainProgress):
        """Interrupts as the second guest has begun to run a case."""

        began = 0

        def running(self, label: str) -> None:
            self.began += 1
            if self.began == 2:
                os.kill(os.getpid(), signal.SIGINT)

    runners = [runner, LabRunner("tiny-2x2")]
    made = list(runners)
    with RecordStore(tmp_path) as store, Interrupting(io.StringIO()) as progress:
        with pytest.raises(KeyboardInterrupt):
            run_study(parse(MAP | {"guests": 2}), lambda name: made.pop(0), store, progress)
        assert len(store.records) < 8 and all(r["error"] is None for r in store.records)
    assert all(each._lab is None for each in runners)


@pytest.mark.long
def test_the_kernels_of_npb_are_counted_and_timed_by_the_model(
    tmp_path: Path, runner: LabRunner
) -> None:
    with RecordStore(tmp_path) as store, PlainProgress(io.StringIO()) as progress:
        assert run_study(parse(NPB), lambda name: runner, store, progress).failed == []
    first, second = records.read(tmp_path)
    for record in (first, second):
        assert record["figures"]["rate"]["provenance"] == "modelled"
        assert record["matrix"] is not None
        (run,) = record["bench"]["runs"]
        assert run["verified"] and run["clock"] == "modelled"

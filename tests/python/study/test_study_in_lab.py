"""A study from its TOML to its page, in a real guest; the machine is killed in the middle of it."""

import io
import os
import signal
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.report import model
from homenode.study import command, records
from homenode.study.lab_runner import LabRunner
from homenode.study.progress import PlainProgress
from homenode.study.records import RecordStore
from homenode.study.session import run_study
from homenode.study.spec import parse

pytestmark = pytest.mark.lab

STUDY = parse(
    {
        "schema": "homenode.study/1",
        "name": "s",
        "title": "T",
        "workload": "map",
        "machines": ["tiny-2x2"],
        "fixed": {"threads": 4, "size": "2M", "pages": "small", "seed": 3},
        "factors": {
            "pattern": ["divided", "interleaved"],
            "op": ["read"],
            "method": ["default", "command-line", "api", "rewrite"],
        },
    }
)
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
        summary = run_study(STUDY, lambda name: runner, store, progress)
        assert progress.killed and (summary.ran, summary.failed) == (8, [LOST])
        again = run_study(STUDY, lambda name: runner, store, progress)
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

"""homenode.lab.run: a program's counts and times as numpy's arrays."""

import json
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import homenode
from homenode.lab import Lab, LabError, Run, find_machine, one_run, run_in
from homenode.lab.result import Result

LINES = (8 << 20) // 64


@pytest.mark.lab
def test_one_call_gives_matrices_and_times(
    quad: Lab, reader_and_writer: str, monkeypatch: pytest.MonkeyPatch
):
    asked: dict[str, Any] = {}

    def booted(machine: str, **options: Any) -> nullcontext[Lab]:
        asked.update(options, machine=machine)
        return nullcontext(quad)

    monkeypatch.setattr(one_run, "Lab", booted)
    run = homenode.lab.run([reader_and_writer], machine="quad-4x2", scale=1, timeout_s=120)
    assert asked == {"machine": "quad-4x2", "scale": 1}
    assert (run.status, run.nodes) == (0, (0, 1, 2, 3))
    assert run.matrix.shape == (4, 4) and (run.matrix == run.loads + run.stores).all()
    assert [run.loads[0, 2], run.stores[1, 2]] == pytest.approx([LINES, LINES], rel=0.01)
    assert run.local_share == np.trace(run.matrix) / run.matrix.sum()
    if quad.emulator.registers:
        assert [run.threads[rank][2] for rank in (0, 1)] == pytest.approx([LINES] * 2, rel=0.01)
    if quad.timing:
        assert run.seconds is not None and run.seconds > 0
        assert run.region_seconds.tolist() == [run.seconds]
    value = json.loads(json.dumps(run.json()))
    assert value["matrices"]["user"]["loads"] == run.loads.tolist()


@pytest.mark.lab
def test_of_a_program_without_a_region_everything_can_be_counted(quad: Lab):
    with pytest.raises(LabError, match=r"no region of interest; mark one .* roi='all'"):
        _ = run_in(quad, ["true"]).matrix
    everything = run_in(quad, ["true"], roi="all")
    assert everything.matrix.sum() > 0 and everything.kernel.sum() > 0


def test_a_program_that_fails_says_so_before_anything_is_asked_of_its_counts():
    run = Run(("x",), find_machine("tiny-2x2"), Result(signal=11, stderr=b"bad\n"), {}, 0.0)
    assert (run.status, run.stdout, run.stderr) == (139, b"", b"bad\n")
    assert run.json()["rois"] == []
    with pytest.raises(LabError, match="x has no region of interest"):
        _ = run.seconds

"""homenode.tune on a machine with several nodes looks at the program by samples: in a guest of the
lab, which is such a machine to it."""

import json
import sys

import pytest
from lab_start import lab_or_skip

from homenode.study.command import find_command

pytestmark = pytest.mark.lab

# What `homenode tune` does before its first round, in a folder of the guest.
LOOK = """
import json, sys, tempfile
from pathlib import Path
from homenode.tune.candidates import Allowed
from homenode.tune.looking import seen_by_samples
from homenode.tune.machine import read_machine
from homenode.tune.running import SAMPLES, HostRunner, Order, Sampling

source, command, *program = sys.argv[1:]
notes = []
with tempfile.TemporaryDirectory() as folder:
    order = Order(tuple(program))
    sampling = Sampling(source, "100%")
    with HostRunner(order, Path(command), Path(folder), sampling) as runner:
        machine = read_machine(Path(command))
        found = runner.look(machine, Allowed(), Path(folder), notes.append)
        parts = []
        if source == "pkeys":
            array = seen_by_samples(Path(folder) / SAMPLES, machine).program.objects[0]
            parts = array.reads.reshape(len(array.reads), 4, -1).sum(axis=2).tolist()
found = [[one.name, one.predicted] for one in found]
json.dump({"notes": notes, "found": found, "parts": parts}, sys.stdout)
"""
PROGRAM = (
    *("bench", "map", "--pattern", "divided", "--bind", "none", "--threads", "4"),
    *("--size", "4M", "--passes", "2000", "--pages", "small"),
)


def test_samples_say_what_the_models_predict_of_a_program_on_this_machine() -> None:
    with lab_or_skip("tiny-2x2", timing=False) as lab:
        command = str(find_command())
        looks = {}
        for source in ("pkeys", "sched"):
            words = [sys.executable, "-c", LOOK, source, command, command, *PROGRAM]
            result = lab.run(words, timeout_s=240)
            assert result.status == 0, result.stderr.decode(errors="replace")
            looks[source] = json.loads(result.stdout)
    seen = looks["pkeys"]["found"]
    assert seen[0] == ["as it is", 1.0], looks["pkeys"]["notes"]
    # Each thread has a part. How much faster it is with its part near is left to the tests of the
    # models: the threads may run anywhere, and that of few samples can come out either way.
    parts = looks["pkeys"]["parts"]
    assert sorted(thread.index(max(thread)) for thread in parts) == [0, 1, 2, 3], parts
    assert all(max(thread) > 0.9 * sum(thread) for thread in parts), parts
    assert any("block" in name for name, gain in seen[1:] if gain is not None), seen
    rest = [one for _, one in seen[1:] if one is not None]
    assert rest == sorted(rest)
    notes = looks["sched"]["notes"]
    assert any("does not see which thread uses which page" in note for note in notes), notes
    assert [name for name, _ in looks["sched"]["found"][:3]] == [
        "as it is",
        "threads compact",
        "interleave all",
    ]

"""A study of a program of one's own: its command line, its figures, and what is refused."""

import io
import json
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from json_documents import errors
from lab_start import lab_or_skip
from synthetic import QUAD

from homenode.report import cli as report
from homenode.study import cli, program, spec
from homenode.study.errors import StudyError
from homenode.study.progress import PlainProgress
from homenode.study.records import RecordStore
from homenode.study.runner import Outcome
from homenode.study.session import run_study

SOLVER = """
schema = "homenode.study/1"
name = "solver"
title = "A solver"
machines = ["quad-4x2"]
command = ["./my solver", "--size={size}", "{mode}"]
[fixed]
mode = "fast"
[factors]
run = ["", "--interleave=all"]
size = [10, 20]
threads = [2]
[figures.rate]
match = 'rate: ([0-9.]+) MB/s'
unit = "MB/s"
"""


def study(text: str = SOLVER) -> spec.Study:
    return spec.parse(tomllib.loads(text))


class Machine:
    """A machine whose programs print what a test wants."""

    machine = QUAD
    homenode_version = "1"
    program = "homenode"
    at_once = 1

    def __init__(self, printed: str, exit_code: int = 0) -> None:
        self.outcome = Outcome(exit_code, printed, "it failed", None, real_clock=True)
        self.commands: list[list[str]] = []

    def versions(self) -> dict[str, str]:
        return {"homenode": "1"}

    def run(self, command: list[str], timeout_s: float) -> Outcome:
        if "--explain" in command:  # Whether it can set a placement: it can.
            return Outcome(0, "", "", None)
        self.commands.append(list(command))
        return self.outcome

    def interrupt(self) -> None:
        return None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def records(folder: Path, machine: Machine, text: str = SOLVER) -> list[Any]:
    with RecordStore(folder) as store, PlainProgress(io.StringIO()) as progress:
        run_study(study(text), lambda name: machine, store, progress)
    return [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]


def test_each_case_is_a_line_of_homenode_run(tmp_path: Path) -> None:
    machine = Machine("rate: 1 MB/s")
    records(tmp_path, machine)
    lines = [shlex.join(command) for command in machine.commands]
    solver = "env OMP_NUM_THREADS=2 './my solver' --size={} fast"
    assert lines == [
        f"homenode run {options}-- {solver.format(size)}"
        for options in ("", "--interleave=all ")
        for size in (10, 20)
    ]


def test_a_record_has_the_time_and_the_last_figure_of_each_kind(tmp_path: Path) -> None:
    found = records(tmp_path, Machine("rate: 1 MB/s\nrate: 2.5 MB/s\n"))
    assert len(found) == 4
    for record in found:
        assert record["error"] is None
        assert errors(record, "homenode.record") == []
        assert errors(record["bench"], "homenode.command") == []
        assert record["figures"]["rate"] == {
            "provenance": "measured", "unit": "MB/s", "values": [2.5]
        }  # fmt: skip
        assert record["figures"]["time"]["values"] == [record["wall_s"]]
    kept = json.loads((tmp_path / "workload-command.json").read_text())
    assert errors(kept, "homenode.bench.describe") == []


def test_what_fails_or_prints_no_figure_is_an_error_of_its_record(tmp_path: Path) -> None:
    silent = records(tmp_path / "silent", Machine("done"))
    assert "its output has no figure 'rate'" in silent[0]["error"]
    broken = records(tmp_path / "broken", Machine("rate: 1 MB/s", 3))
    assert broken[0]["error"] == "exit code 3: it failed"


def test_a_report_compares_what_run_was_told(tmp_path: Path) -> None:
    records(tmp_path, Machine("rate: 2 MB/s"))
    out = tmp_path / "page.html"
    assert report.main([str(tmp_path), "-o", str(out)]) == 0
    page = out.read_text()
    assert "--interleave=all" in page and "A solver" in page


@pytest.mark.parametrize(
    ("line", "instead", "said"),
    [
        ('"{mode}"]', '"{other}"]', "'{other}', which is neither fixed nor a factor"),
        ('"--size={size}", ', "", "'size' has no place in command"),
        ('command = ["./my solver", "--size={size}", "{mode}"]', 'command = "x"', "list of words"),
        ("match = 'rate: ([0-9.]+) MB/s'", "match = 'rate'", "must have a group"),
        ("match = 'rate: ([0-9.]+) MB/s'", "match = '('", "a regular expression"),
        ("[figures.rate]", "[figures.time]", "not be called time"),
        ('title = "A solver"', 'title = "A solver"\nworkload = "map"', "stands beside command"),
        ('title = "A solver"', 'title = "A solver"\nroi = "some"', "roi must be"),
    ],
)
def test_a_mistake_is_named(line: str, instead: str, said: str) -> None:
    assert line in SOLVER
    with pytest.raises(StudyError) as error:
        study(SOLVER.replace(line, instead))
    assert said in str(error.value)


def test_figures_belong_to_a_command() -> None:
    text = SOLVER.replace('command = ["./my solver", "--size={size}", "{mode}"]', "")
    with pytest.raises(StudyError, match="for a study of a command"):
        study(text)


def test_a_command_counts_from_start_to_end_unless_it_has_markers() -> None:
    assert study().roi == "all"
    assert study(SOLVER.replace("[fixed]", 'roi = "markers"\n[fixed]', 1)).roi == "markers"


def test_another_command_line_is_another_case() -> None:
    one, other = (
        spec.expand(study(text), "m", "d")[0].id
        for text in (SOLVER, SOLVER.replace("./my solver", "./other"))
    )
    assert one != other
    assert program.NAME in study().workloads


@pytest.mark.lab
def test_a_program_in_the_lab_has_modelled_time_and_counts(tmp_path: Path) -> None:
    lab_or_skip("tiny-2x2")
    file = tmp_path / "own.toml"
    script = "print('found: 42')"
    file.write_text(
        f"""
schema = "homenode.study/1"
name = "own"
title = "My own"
machines = ["tiny-2x2"]
command = ["{sys.executable}", "-S", "-c", "{script}"]
[factors]
run = ["--membind=0", "--membind=1"]
[figures.found]
match = 'found: (\\d+)'
timed = false
"""
    )
    assert cli.main([str(file), "--out", str(tmp_path / "out")]) == 0
    lines = (tmp_path / "out/records.jsonl").read_text().splitlines()
    # Guests side by side end in any order.
    found = sorted(map(json.loads, lines), key=lambda record: record["case"]["options"]["run"])
    assert [record["error"] for record in found] == [None, None]
    for node, record in enumerate(found):
        assert record["figures"]["found"]["values"] == [42]
        assert record["figures"]["time"]["provenance"] == "modelled"
        loads = record["matrix"]["reads"]
        columns = [sum(row[column] for row in loads) for column in (0, 1)]
        assert columns[node] > 4 * columns[1 - node], "its memory is where run put it"

"""A study on other computers: each run has one record, whatever happens to who runs it."""

import argparse
import io
import itertools
import json
from collections.abc import Generator, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from synthetic import QUAD, FakeRunner

from homenode.errors import USAGE
from homenode.node import Node
from homenode.study import cli
from homenode.study.engines.engine import Ended
from homenode.study.engines.table import engine_of
from homenode.study.errors import StudyError
from homenode.study.fleet import elsewhere, run_on
from homenode.study.host_runner import named_by_hardware
from homenode.study.machine import Machine
from homenode.study.progress import PlainProgress
from homenode.study.records import RecordStore, read
from homenode.study.session import Summary
from homenode.study.spec import load

TOML = """
schema = "homenode.study/1"
name = "tiny"
title = "A tiny study"
workload = "map"
machines = ["quad-4x2"]
repetitions = 2
fixed = { threads = 8, seed = 7 }
factors = { pattern = ["shared", "divided"], op = ["read", "write"], method = ["default", "api"] }
"""
RUNS = 16


class FakeEngine:
    """Runs commands here, one by one in reverse order; every `lose`th is lost with its computer."""

    def __init__(self, lose: int = 0) -> None:
        self._count = itertools.count(1)
        self._lose = lose

    def run(self, commands: Sequence[Sequence[str]]) -> Generator[Ended, None, None]:
        for index, (_, *words) in reversed(list(enumerate(commands))):
            if self._lose and "--dry-run" not in words and next(self._count) % self._lose == 0:
                yield Ended(index, None, "", "a worker died")
                continue
            printed = io.StringIO()
            with redirect_stdout(printed):
                code = cli.main(words, lambda name: FakeRunner(QUAD))
            yield Ended(index, code, printed.getvalue(), "")


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.toml"
    file.write_text(TOML)
    return file


def run(file: Path, out: Path, engine: FakeEngine) -> tuple[Summary, str]:
    said = io.StringIO()
    words = ["study", str(file)]
    with RecordStore(out) as store, PlainProgress(said) as progress:
        return run_on(load(file), engine, words, store, progress), said.getvalue()


def keys(out: Path) -> list[tuple[str, int]]:
    return sorted((r["case"]["id"], r["repetition"]) for r in read(out))


def test_records_are_those_of_a_study_that_runs_here(
    tmp_path: Path, study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(study_file), "--out", str(tmp_path / "alone")]
    assert cli.main(words, lambda name: FakeRunner(QUAD)) == 0
    summary, _ = run(study_file, tmp_path / "fleet", FakeEngine())
    assert (summary.cases, summary.runs, summary.ran, summary.failed) == (8, RUNS, RUNS, [])
    changing = {"started": "", "wall_s": 0, "study_file": ""}
    alone, fleet = (
        sorted(json.dumps({**r, **changing}, sort_keys=True) for r in read(tmp_path / name))
        for name in ("alone", "fleet")
    )
    assert alone == fleet


@pytest.mark.parametrize("lose", [2, 3, 5])
def test_runs_that_are_lost_run_again_and_none_has_two_records(
    tmp_path: Path, study_file: Path, lose: int
) -> None:
    summary, said = run(study_file, tmp_path / "fleet", FakeEngine(lose))
    assert summary.ran == RUNS and "were lost: a worker died" in said
    assert len(set(keys(tmp_path / "fleet"))) == len(keys(tmp_path / "fleet")) == RUNS


def test_an_engine_that_loses_everything_ends_the_study_with_one_line(
    tmp_path: Path, study_file: Path
) -> None:
    with pytest.raises(StudyError, match=r"no record came back 3 times in a row \(a worker died\)"):
        run(study_file, tmp_path / "fleet", FakeEngine(1))
    assert read(tmp_path / "fleet") == []


def test_a_study_goes_on_with_the_records_that_are_there(tmp_path: Path, study_file: Path) -> None:
    out = tmp_path / "fleet"
    run(study_file, out, FakeEngine())
    lines = (out / "records.jsonl").read_text().splitlines(keepends=True)
    (out / "records.jsonl").write_text("".join(lines[:9]))
    summary, said = run(study_file, out, FakeEngine())
    assert (summary.already_done, summary.ran) == (9, RUNS - 9) and "9 already done" in said
    assert len(set(keys(out))) == len(keys(out)) == RUNS


def test_a_case_of_another_machine_is_refused(
    study_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(study_file), "--cases", "0123456789ab:1"]
    assert cli.main(words, lambda name: FakeRunner(QUAD)) == 1
    assert "has no case 0123456789ab" in capsys.readouterr().err


def test_like_computers_are_one_machine_and_others_are_not() -> None:
    def machine(host: str, memory: int, distance: int = 20) -> Machine:
        nodes = (Node(0, (0,), memory), Node(1, (1,), memory))
        table = ((10, distance), (distance, 10))
        return named_by_hardware(Machine(host, "", "host", nodes, table), "a model")

    first = machine("host-a", 500 << 30)
    assert first == machine("host-b", 500 << 30)
    assert first.digest == machine("host-c", 501 << 30).digest  # What a kernel kept for itself.
    assert first.digest != machine("host-d", 250 << 30).digest
    assert first.digest != machine("host-e", 500 << 30, 21).digest
    assert first.name == f"node-{first.digest[:8]}"


@pytest.mark.parametrize("text", ["dask", "dask://host", "local:0", "local:x", "slurm:x", "other"])
def test_what_is_no_engine_is_bad_usage(tmp_path: Path, text: str) -> None:
    with pytest.raises(StudyError, match="it can be dask://HOST:PORT, local:N or slurm") as raised:
        engine_of(text, tmp_path)
    assert raised.value.exit_code == USAGE


def test_a_host_by_its_name_cannot_be_elsewhere(study_file: Path) -> None:
    text = TOML.replace("quad-4x2", "host")
    study_file.write_text(text)
    options = argparse.Namespace(file=str(study_file), quick=False)
    with pytest.raises(StudyError, match="use --machine node"):
        elsewhere(load(study_file), options)

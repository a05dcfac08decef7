"""A study of 40 runs of a command that takes a moment, and the command line that runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from homenode.study.records import Record, is_complete, read

HERE = Path(__file__).parent
PYTHON = HERE.parents[2] / "python"
RUNS = 40
TOML = """
schema = "homenode.study/1"
name = "forty"
title = "Forty short runs"
workload = "chase"
machines = ["node"]
repetitions = 2
fixed = { threads = 1, strategy = "none" }
[factors]
size = ["16k", "32k", "64k", "128k"]
seed = [1, 2, 3, 4, 5]
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{HERE / 'two_nodes'}:{PYTHON}"}
# What differs each time that a case is run.
OF_THE_RUN = ("started", "wall_s", "bench", "figures", "time")


def written(folder: Path) -> Path:
    file = folder / "forty.toml"
    file.write_text(TOML)
    return file


def start(study: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "homenode.command", "study", str(study), "--out", str(out)]
    return subprocess.Popen(
        [*command, *more],
        env=ENVIRONMENT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def kept(out: Path) -> int:
    """How many records are there."""
    file = out / "records.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def _without_the_run(record: Record) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in OF_THE_RUN}


def check_same_as_alone(alone: Path, fleet: Path) -> None:
    """Each run has one record in both folders, and they differ only in what clocks say."""
    both = []
    for folder in (alone, fleet):
        records = read(folder)
        assert len(records) == RUNS and all(map(is_complete, records))
        both.append(sorted(json.dumps(_without_the_run(r), sort_keys=True) for r in records))
        assert len({(r["case"]["id"], r["repetition"]) for r in records}) == RUNS
    assert both[0] == both[1]

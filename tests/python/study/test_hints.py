"""What a person may not expect of a study is told before it runs."""

import io
from pathlib import Path
from typing import Any

from synthetic import QUAD, FakeRunner

from homenode.study.progress import PlainProgress
from homenode.study.records import RecordStore
from homenode.study.session import run_study
from homenode.study.spec import parse

STUDY: dict[str, Any] = {
    "schema": "homenode.study/1",
    "name": "tiny",
    "title": "A tiny study",
    "machines": ["quad-4x2"],
    "fixed": {"op": "read", "method": "default"},
    "factors": {"pattern": ["shared", "divided"], "threads": [4, 8]},
}


def said_by(study: dict[str, Any], folder: Path) -> str:
    said = io.StringIO()
    with RecordStore(folder) as store, PlainProgress(said) as progress:
        run_study(parse(study), lambda name: FakeRunner(QUAD), store, progress)
    return said.getvalue()


def test_more_threads_than_cpus_are_pointed_out(tmp_path: Path) -> None:
    assert "take turns" not in said_by(STUDY, tmp_path)
    many = STUDY | {"factors": STUDY["factors"] | {"threads": [8, 9, 16]}}
    told = "4 of the cases on quad-4x2 have up to 16 threads, which take turns on its 8 CPUs"
    assert told in said_by(many, tmp_path)


def test_records_of_cases_that_the_study_had_once_are_pointed_out(tmp_path: Path) -> None:
    assert "any more" not in said_by(STUDY, tmp_path)
    assert "any more" not in said_by(STUDY, tmp_path)
    fewer = STUDY | {"factors": {"pattern": ["shared"], "threads": [4, 8]}}
    assert "2 records are of cases that the study does not have any more" in said_by(
        fewer, tmp_path
    )

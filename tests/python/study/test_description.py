"""What workloads say of themselves, as studies read it."""

import re
import subprocess
from pathlib import Path

import pytest

from homenode.study.command import find_command
from homenode.study.description import DIAGONAL, FLAT, Description, describe
from homenode.study.errors import StudyError
from homenode.study.records import RecordStore, description_file, read_description

DOCS = Path(__file__).resolve().parents[3] / "docs"


def listed() -> list[str]:
    """The workloads that the command lists."""
    done = subprocess.run(
        [find_command(), "bench", "--list"], capture_output=True, text=True, check=True
    )
    return re.findall(r"^(\S+)", done.stdout, re.MULTILINE)


def test_every_workload_can_be_studied() -> None:
    names = listed()
    assert {"map", "npb", "stream"} <= set(names)
    for name in names:
        workload = describe(name)
        assert workload.name == name and workload.metrics and workload.parameters
        assert Description.from_json(workload.document) == workload


def test_the_patterns_of_map_have_names_meanings_and_goals() -> None:
    workload = describe("map")
    assert [choice.name for choice in workload.choices("pattern")] == list(workload.patterns)
    for pattern in workload.patterns.values():
        assert pattern.title and pattern.meaning.endswith((".", "…"))
        assert pattern.goal == (FLAT if "shared" in pattern.name else DIAGONAL)
    assert workload.placement == "method" and workload.standard("method") == "default"


def test_a_workload_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = describe("stream")
    monkeypatch.setattr(subprocess, "run", None)
    assert describe("stream") is first


def test_a_folder_keeps_what_its_workload_said(tmp_path: Path) -> None:
    workload = describe("stream")
    assert read_description(tmp_path, "stream") is None
    with RecordStore(tmp_path) as store:
        store.keep_description(workload)
    assert read_description(tmp_path, "stream") == workload
    assert read_description(tmp_path / "records.jsonl", "stream") == workload
    description_file(tmp_path, "stream").write_text("{}")
    with pytest.raises(StudyError, match=r"workload-stream\.json"):
        read_description(tmp_path, "stream")


def test_the_document_on_map_names_every_pattern_and_method() -> None:
    """Names that share a beginning may stand as `2d-shared-rows`, `-columns`."""
    text = (DOCS / "map-numa.md").read_text(encoding="utf-8")
    workload = describe("map")
    told = set(re.findall(r"`([a-z0-9-]+)`", text))
    endings = {name for name in told if name.startswith("-")}
    for name in [*workload.patterns, *(c.name for c in workload.choices("method"))]:
        shortened = any(name.endswith(ending) for ending in endings)
        assert name in told or shortened, name

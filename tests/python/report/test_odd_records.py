"""`homenode report` on records that something else wrote, or that a hand has changed."""

import copy
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from homenode.report import cli

DATA = Path(__file__).with_name("data")
RECORDS = DATA / "records-v1.jsonl"
GONE = object()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything inside a value; of a list, its first item stands for all."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, below in items:
        yield (*path, key)
        if isinstance(below, (dict, list)):
            yield from places(below, (*path, key))


def changed(record: Any, path: tuple[Any, ...], value: object) -> Any:
    """A copy in which the thing at `path` is another, or is gone."""
    changed = copy.deepcopy(record)
    around = changed
    for key in path[:-1]:
        around = around[key]
    if value is GONE:
        del around[path[-1]]
    else:
        around[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("value", "version"),
    [
        (GONE, 1),
        (GONE, 2),
        (None, 2),
        ("odd", 2),
        (-1, 1),
        ([], 1),
        *(pytest.param(*case, marks=pytest.mark.long) for case in product((None, "odd"), (1,))),
        *(pytest.param(*case, marks=pytest.mark.long) for case in product((-1, []), (2,))),
    ],
)
def test_whatever_is_odd_in_a_record_is_no_traceback(
    value: object, version: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    record = json.loads((DATA / f"records-v{version}.jsonl").read_text().splitlines()[0])
    file, page = tmp_path / "records.jsonl", tmp_path / "page.html"
    for path in places(record):
        file.write_text(json.dumps(changed(record, path, value)) + "\n")
        page.unlink(missing_ok=True)
        code = cli.main([str(file), "-o", str(page)])
        said = capsys.readouterr().err
        assert page.exists() == (code == 0), path
        assert said.count("\n") == code, path


@pytest.mark.parametrize("output", [["--markdown", "papers.md"], ["--claims"], ["--json"], []])
def test_an_odd_record_of_a_papers_study_is_one_line_in_each_form(
    output: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    record = json.loads((DATA / "records-v2.jsonl").read_text().splitlines()[0])
    record |= {"study": "luo2012", "time": {"ps": "odd"}}
    (tmp_path / "records.jsonl").write_text(json.dumps(record) + "\n")
    assert cli.main(["records.jsonl", *output]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    for gone in (("study_file",), ("case", "options"), ("matrix",)):
        sound = record | {"time": None}
        (tmp_path / "records.jsonl").write_text(json.dumps(changed(sound, gone, GONE)) + "\n")
        code = cli.main(["records.jsonl", *output])
        assert capsys.readouterr().err.count("\n") == code


def test_a_pattern_that_its_workload_does_not_know_goes_by_its_own_name(tmp_path: Path):
    record = json.loads(RECORDS.read_text().splitlines()[0])
    record["case"]["options"]["pattern"] = "zigzag"
    file = tmp_path / "records.jsonl"
    file.write_text(json.dumps(record) + "\n")
    assert cli.main([str(file), "-o", str(tmp_path / "page.html")]) == 0
    assert "zigzag" in (tmp_path / "page.html").read_text()


def test_a_line_nested_without_end_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "records.jsonl"
    file.write_text("[" * 100_000 + "\n")
    assert cli.main([str(file), "-o", str(tmp_path / "page.html")]) == 1
    assert "line 1 of" in (said := capsys.readouterr().err) and said.count("\n") == 1

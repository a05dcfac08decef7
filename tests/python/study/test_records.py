"""Records survive kills, torn lines, full disks and second writers."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from homenode.study.errors import StudyError
from homenode.study.records import FILE_NAME, RecordStore, is_complete, read


def record(case: str, **changes: Any) -> dict[str, Any]:
    return {
        "schema": "homenode.record/2",
        "case": {"id": case},
        "repetition": 1,
        "machine": {},
        "exit_code": 0,
        "error": None,
        "matrix": {"nodes": [0]},
        "time": None,
    } | changes


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    with RecordStore(tmp_path / "new" / "folder") as store:
        store.append(record("a"))
        store.append(record("b", exit_code=1, error="é"))
    assert [r["case"]["id"] for r in read(tmp_path / "new" / "folder")] == ["a", "b"]
    with RecordStore(tmp_path / "new" / "folder") as store:
        assert list(store.complete()) == [("a", 1)]
        assert store.repaired_bytes == 0


def test_each_repetition_of_a_case_is_complete_on_its_own(tmp_path: Path) -> None:
    with RecordStore(tmp_path) as store:
        store.append(record("a", repetition=2))
        store.append(record("a", repetition=3, exit_code=1))
        assert list(store.complete()) == [("a", 2)]


def test_a_record_of_the_first_version_is_the_first_repetition(tmp_path: Path) -> None:
    old = {k: v for k, v in record("a").items() if k not in ("repetition", "time")}
    file = tmp_path / FILE_NAME
    file.write_text(json.dumps(old | {"schema": "homenode.record/1"}) + "\n")
    with RecordStore(tmp_path) as store:
        assert list(store.complete()) == [("a", 1)]
    file.write_text(json.dumps(old) + "\n")
    with pytest.raises(StudyError, match="no 'repetition'"):
        read(tmp_path)


@pytest.mark.parametrize("cut", [1, 2, 20])
def test_a_torn_last_line_is_cut_off_and_appending_goes_on(tmp_path: Path, cut: int) -> None:
    with RecordStore(tmp_path) as store:
        store.append(record("a"))
        store.append(record("b"))
    file = tmp_path / FILE_NAME
    file.write_bytes(file.read_bytes()[:-cut])
    assert [r["case"]["id"] for r in read(tmp_path)] == ["a"]
    with RecordStore(tmp_path) as store:
        assert store.repaired_bytes > 0
        assert list(store.complete()) == [("a", 1)]
        store.append(record("c"))
    assert [json.loads(line)["case"]["id"] for line in file.read_text().splitlines()] == ["a", "c"]


def test_zeros_after_a_power_cut_are_cut_off(tmp_path: Path) -> None:
    with RecordStore(tmp_path) as store:
        store.append(record("a"))
    with (tmp_path / FILE_NAME).open("ab") as file:
        file.write(b"\0" * 100)
    with RecordStore(tmp_path) as store:
        assert list(store.complete()) == [("a", 1)]


@pytest.mark.parametrize("bad", ["{}", "x", "[1]", '{"schema":"homenode.record/1","case":{}}'])
def test_damage_in_the_middle_is_named_and_left_alone(tmp_path: Path, bad: str) -> None:
    file = tmp_path / FILE_NAME
    text = f"{json.dumps(record('a'))}\n{bad}\n{json.dumps(record('c'))}\n"
    file.write_text(text)
    with pytest.raises(StudyError, match=r"line 2 of .*records\.jsonl is not a record"):
        RecordStore(tmp_path)
    assert file.read_text() == text


def test_a_second_study_is_refused_while_the_first_writes(tmp_path: Path) -> None:
    with RecordStore(tmp_path), pytest.raises(StudyError, match="another study is writing"):
        RecordStore(tmp_path)
    with RecordStore(tmp_path):
        pass


def test_a_fresh_start_sets_older_records_aside(tmp_path: Path) -> None:
    for case in "abc":
        with RecordStore(tmp_path, fresh=True) as store:
            assert store.records == []
            store.append(record(case))
    kept = {p.name: json.loads(p.read_text())["case"]["id"] for p in tmp_path.iterdir()}
    assert kept == {"records-1.jsonl": "a", "records-2.jsonl": "b", "records.jsonl": "c"}


def test_a_record_is_complete_only_with_success_and_a_matrix() -> None:
    assert is_complete(record("a"))
    assert not is_complete(record("a", exit_code=1))
    assert not is_complete(record("a", error="x"))
    assert not is_complete(record("a", matrix=None))


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match="cannot create the folder") as raised:
        RecordStore(tmp_path / "file" / "x")
    assert "\n" not in str(raised.value)


FULL_DISK = """
import resource, sys
from pathlib import Path
from homenode.study.errors import StudyError
from homenode.study.records import RecordStore
sys.path.insert(0, sys.argv[2])
from test_records import record
with RecordStore(Path(sys.argv[1])) as store:
    store.append(record("a"))
    size = store.path.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, size + 10))
    try:
        store.append(record("b"))
    except StudyError as error:
        print(error)
    assert store.path.stat().st_size == size
"""


def test_a_write_that_fails_half_way_leaves_the_earlier_records_whole(tmp_path: Path) -> None:
    """A file-size limit stops the write after 10 bytes, as a full disk would."""
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path), str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1 and "File too large" in done.stdout
    assert "free some space" in done.stdout
    assert [r["case"]["id"] for r in read(tmp_path)] == ["a"]

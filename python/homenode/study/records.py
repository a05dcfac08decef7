"""The records file: JSON lines, appended and synced one by one, repaired after a kill, locked.

A study may be killed at any byte; what was complete before stays complete.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from homenode.appended_lines import AppendedLines, DamagedLineError, sound_lines
from homenode.files import write_whole
from homenode.study.description import Description
from homenode.study.errors import StudyError

SCHEMA = "homenode.record/3"
# Version 2 adds the time and the repetition, version 3 the figures of workloads without matrices of
# their own. Older records stay readable: they have none of these.
ADDED = {
    "homenode.record/1": (),
    "homenode.record/2": ("repetition", "time"),
    SCHEMA: ("repetition", "time", "figures"),
}
FILE_NAME = "records.jsonl"

Record = Mapping[str, Any]


def is_complete(record: Record) -> bool:
    """Whether a record needs no second run: the command succeeded and left a matrix or figures."""
    left = record["matrix"] is not None or bool(record.get("figures"))
    return record["exit_code"] == 0 and record["error"] is None and left


def run_key(record: Record) -> tuple[str, int]:
    """Which run of which case a record is of: the case's id and the repetition, from 1."""
    return str(record["case"]["id"]), int(record.get("repetition", 1))


def parse_lines(data: bytes, name: str) -> tuple[list[Record], int]:
    """The records in `data` and the length of its sound part.

    A torn last line is left out; anything else that is no record raises StudyError.
    """
    try:
        return sound_lines(data, _record)
    except DamagedLineError as error:
        raise StudyError(
            f"line {error.number} of {name} is not a record ({error}); fix or remove it, or name "
            "other records"
        ) from error


def _record(value: Any) -> Record:
    if not isinstance(value, dict) or value.get("schema") not in ADDED:
        raise ValueError(f"no {SCHEMA} object")
    later = ADDED[value["schema"]]
    for key in ("case", "machine", "exit_code", "error", "matrix", *later):
        if key not in value:
            raise ValueError(f"no '{key}'")
    run_key(value)
    return value


def read(path: Path) -> list[Record]:
    """The records of a file or of a study's folder, without touching either."""
    file = path / FILE_NAME if path.is_dir() else path
    try:
        data = file.read_bytes()
    except OSError as error:
        raise StudyError(
            f"cannot read the records {file}: {error.strerror}; name a study's --out folder or "
            f"its {FILE_NAME}"
        ) from error
    return parse_lines(data, str(file))[0]


def description_file(path: Path, workload: str) -> Path:
    """Where what a workload says of itself stands beside the records of a file or a folder."""
    return (path if path.is_dir() else path.parent) / f"workload-{workload}.json"


def read_description(path: Path, workload: str) -> Description | None:
    """What a workload said of itself when its records were made; None in folders older than that.

    Raises StudyError when the file is there and is not what a study writes.
    """
    file = description_file(path, workload)
    try:
        return Description.from_json(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StudyError(
            f"cannot use {file}: {error}; remove it, or run the study again"
        ) from error


class RecordStore:
    """The records of one study folder, open for appending and locked against a second study."""

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        """Opens and repairs the file; StudyError when it is locked, damaged or unwritable."""
        self.path = folder / FILE_NAME
        try:
            self._lines = AppendedLines(self.path)
        except BlockingIOError as error:
            raise StudyError(
                f"another study is writing to {folder}; wait for it, or name another folder "
                "with --out"
            ) from error
        except OSError as error:
            raise StudyError(
                f"cannot create the folder {folder}: {error.strerror}; name another with --out"
            ) from error
        try:
            if fresh:
                self._lines.set_aside()
            self._open()
        except BaseException:
            self._lines.close()
            raise

    def _open(self) -> None:
        try:
            self.records = self._lines.open(lambda data: parse_lines(data, str(self.path)))
        except OSError as error:
            raise StudyError(f"cannot open the records {self.path}: {error.strerror}") from error

    @property
    def repaired_bytes(self) -> int:
        """How much of a torn last line was cut off."""
        return self._lines.cut_bytes

    def keep_description(self, description: Description) -> None:
        """Writes what the workload says of itself beside the records. Raises StudyError."""
        file = description_file(self.path.parent, description.name)
        text = json.dumps(description.document, indent=1, ensure_ascii=False) + "\n"
        try:
            write_whole(file, text.encode())
        except OSError as error:
            raise StudyError(
                f"cannot write {file}: {error.strerror}; free some space, or name another --out"
            ) from error

    def complete(self) -> dict[tuple[str, int], Record]:
        """The last complete record of each repetition of each case."""
        return {run_key(r): r for r in self.records if is_complete(r)}

    def append(self, record: Record) -> None:
        """Writes one record and waits until it is on the disk; on failure the file is as before."""
        line = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
        try:
            self._lines.append(line)
        except OSError as error:
            raise StudyError(
                f"cannot write to {self.path}: {error.strerror}; the {len(self.records)} "
                "earlier records are complete; free some space, then run the same command "
                "again to resume"
            ) from error
        self.records.append(record)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._lines.close()

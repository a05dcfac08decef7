"""The records file: JSON lines, appended and synced one by one, repaired after a kill, locked.

A study may be killed at any byte; what was complete before stays complete.
"""

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from homenode.study.errors import StudyError

SCHEMA = "homenode.record/2"
# Version 2 adds the time and the repetition. Records of version 1 stay readable: they have no time.
SCHEMAS = ("homenode.record/1", SCHEMA)
FILE_NAME = "records.jsonl"

Record = Mapping[str, Any]


def is_complete(record: Record) -> bool:
    """Whether a record needs no second run: the command succeeded and left a matrix."""
    return record["exit_code"] == 0 and record["error"] is None and record["matrix"] is not None


def run_key(record: Record) -> tuple[str, int]:
    """Which run of which case a record is of: the case's id and the repetition, from 1."""
    return str(record["case"]["id"]), int(record.get("repetition", 1))


def parse_lines(data: bytes, name: str) -> tuple[list[Record], int]:
    """The records in `data` and the length of its sound part.

    A torn last line is left out; anything else that is no record raises StudyError.
    """
    records: list[Record] = []
    sound = 0
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        is_last = sound + len(line) == len(data)
        torn = is_last and not line.endswith(b"\n")
        if torn or (line.strip(b"\0\n") == b"" and is_last):
            break
        try:
            records.append(_record(line))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StudyError(
                f"line {number} of {name} is not a record ({error}); mend or remove it, or "
                "name other records"
            ) from error
        sound += len(line)
    return records, sound


def _record(line: bytes) -> Record:
    value = json.loads(line)
    if not isinstance(value, dict) or value.get("schema") not in SCHEMAS:
        raise ValueError(f"no {SCHEMA} object")
    later = ("repetition", "time") if value["schema"] == SCHEMA else ()
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
            f"cannot read the records {file}: {error.strerror}; give a study's --out folder or its "
            f"{FILE_NAME}"
        ) from error
    return parse_lines(data, str(file))[0]


class RecordStore:
    """The records of one study folder, open for appending and locked against a second study."""

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        """Opens and repairs the file; StudyError when it is locked, damaged or unwritable."""
        self.path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise StudyError(
                f"cannot make the folder {folder}: {error.strerror}; give another with --out"
            ) from error
        try:
            self._take_lock(folder)
            if fresh:
                self._set_aside()
            self._open()
        except BaseException:
            os.close(self._lock)
            raise

    def _take_lock(self, folder: Path) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StudyError(
                f"another study is writing to {folder}; wait for it, or give another folder with "
                "--out"
            ) from error

    def _set_aside(self) -> None:
        """Keeps older records under the next free name: a fresh start destroys nothing."""
        if not self.path.exists():
            return
        number = 1
        while (aside := self.path.with_name(f"records-{number}.jsonl")).exists():
            number += 1
        self.path.rename(aside)

    def _open(self) -> None:
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            with os.fdopen(os.dup(self._file), "rb") as reader:
                data = reader.read()
            self.records, sound = parse_lines(data, str(self.path))
            self.repaired_bytes = len(data) - sound
            if self.repaired_bytes:
                os.ftruncate(self._file, sound)
            self._end = os.lseek(self._file, sound, os.SEEK_SET)
            os.fsync(self._lock)
        except OSError as error:
            raise StudyError(f"cannot open the records {self.path}: {error.strerror}") from error

    def complete(self) -> dict[tuple[str, int], Record]:
        """The last complete record of each repetition of each case."""
        return {run_key(r): r for r in self.records if is_complete(r)}

    def append(self, record: Record) -> None:
        """Writes one record and waits until it is on the disk; on failure the file is as before."""
        line = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        try:
            self._write(line)
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._end)
            os.lseek(self._file, self._end, os.SEEK_SET)
            raise StudyError(
                f"cannot write to {self.path}: {error.strerror}; the {len(self.records)} earlier "
                "records are whole; make room and give the same command again to go on"
            ) from error
        self._end += len(line)
        self.records.append(record)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._file)
        os.close(self._lock)

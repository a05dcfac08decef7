"""A file of JSON lines in a folder that one process at a time writes to: what `study` and `tune`
keep of their runs.

Lines are appended whole and synced one by one. The writer may be killed at any byte: what was
complete before stays, and the next one cuts off what is not.
"""

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")


class DamagedLineError(ValueError):
    """A line that is neither torn nor what it must be; `number` counts from 1."""

    def __init__(self, number: int, why: Exception) -> None:
        super().__init__(str(why))
        self.number = number


def sound_lines(data: bytes, value_of: Callable[[Any], Value]) -> tuple[list[Value], int]:
    """What `value_of` makes of each line's JSON, and the length of the sound part of `data`.

    A torn last line is left out. For any other, ValueError, KeyError or TypeError of `value_of`
    becomes DamagedLineError.
    """
    values: list[Value] = []
    sound = 0
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        last = sound + len(line) == len(data)
        if last and (not line.endswith(b"\n") or not line.strip(b"\0\n")):
            break
        try:
            values.append(value_of(json.loads(line)))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DamagedLineError(number, error) from error
        sound += len(line)
    return values, sound


class AppendedLines:
    """The file, and the lock on its folder, from creation to close()."""

    def __init__(self, path: Path) -> None:
        """Creates and locks the folder; open() follows. Raises BlockingIOError when another
        process has locked it, and OSError when it cannot be created."""
        self.path = path
        self.cut_bytes = 0
        self._file: int | None = None
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(self._lock)
            raise

    def set_aside(self) -> None:
        """Keeps an older file under the next free name: a fresh start destroys nothing."""
        if not self.path.exists():
            return
        number = 1
        while (aside := self._numbered(number)).exists():
            number += 1
        self.path.rename(aside)

    def _numbered(self, number: int) -> Path:
        return self.path.with_stem(f"{self.path.stem}-{number}")

    def open(self, parse: Callable[[bytes], tuple[list[Value], int]]) -> list[Value]:
        """The values that `parse` finds in the file, as sound_lines() does; the rest is cut off,
        `cut_bytes` of it. Raises OSError and what `parse` raises; the file is then as it was."""
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        data = self.path.read_bytes()
        values, sound = parse(data)
        self.cut_bytes = len(data) - sound
        if self.cut_bytes:
            os.ftruncate(self._file, sound)
        self._end = os.lseek(self._file, sound, os.SEEK_SET)
        os.fsync(self._lock)
        return values

    def append(self, text: str) -> None:
        """Writes one line and waits until it is on the disk. Raises OSError; the file is then as
        before. pre: open() has succeeded."""
        assert self._file is not None
        line = text.encode() + b"\n"
        try:
            view = memoryview(line)
            while view:
                view = view[os.write(self._file, view) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self._end)
            os.lseek(self._file, self._end, os.SEEK_SET)
            raise
        self._end += len(line)

    def close(self) -> None:
        """Closes the file and gives the folder free."""
        if self._file is not None:
            os.close(self._file)
        os.close(self._lock)

"""Finds the `homenode` command that a study runs, and asks it for its version."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from homenode.places import BUILD, LIBEXEC, folders_in
from homenode.study.errors import StudyError


def _candidates() -> Iterator[Path]:
    yield from (folder / "homenode" for folder in folders_in(LIBEXEC))
    found = shutil.which("homenode")
    if found:
        yield Path(found)
    yield BUILD / "bin" / "homenode"


def find_command() -> Path:
    """The command of this very build or installation. Raises StudyError when there is none."""
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return path.resolve()
    raise StudyError(
        "the command homenode is not on PATH; install homenode or build it with './dev build'"
    )


def version_of(command: Path) -> str:
    """What `homenode --version` says, without the name. Raises StudyError."""
    try:
        done = subprocess.run(
            [command, "--version"], capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise StudyError(f"cannot get the version of {command}: {error}") from error
    return done.stdout.strip().removeprefix("homenode ")

"""The programs of tests/heap/programs, and the allocator that is preloaded into them.

Another allocator is tested by naming its library in HOMENODE_HEAP_PRELOAD, or `none` for the C
library's own.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

LIBRARY = "libhomenode-malloc.so"
ENOUGH_S = 300


def program(name: str) -> Path:
    """A program of tests/heap/programs, from the build under test."""
    found = shutil.which(f"heap_{name}")
    assert found, f"heap_{name} is not on PATH; run the tests through ./dev test"
    return Path(found)


def built_library(name: str) -> Path:
    """A library of the build under test."""
    return program("entry_points").parents[1] / "lib" / name


def preload() -> str:
    """What is preloaded: our library, or what the environment names; empty for libc's own."""
    named = os.environ.get("HOMENODE_HEAP_PRELOAD")
    if named is not None:
        return "" if named == "none" else named
    library = built_library(LIBRARY)
    assert library.exists(), f"{library} is not there; run the tests through ./dev test"
    return str(library)


def run(
    command: list[str | Path],
    library: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = ENOUGH_S,
) -> subprocess.CompletedProcess[str]:
    """Runs a command with the allocator under test, or another library, preloaded."""
    chosen = preload() if library is None else str(library)
    extra = {"LD_PRELOAD": chosen} if chosen else {}
    result = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **extra, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
    # The dynamic linker says so and goes on without.
    assert "cannot be preloaded" not in result.stderr, result.stderr
    return result


def passes(command: list[str | Path], **options: str) -> None:
    """Runs a command with the allocator under test; it must succeed and say nothing wrong."""
    result = run(command, environment=options)
    assert result.returncode == 0, result.stdout + result.stderr

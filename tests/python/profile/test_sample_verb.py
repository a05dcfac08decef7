"""`homenode sample` on this host, by the source that works everywhere."""

import json
import subprocess
import sys
from pathlib import Path

from json_documents import errors

from homenode.profile.recording import read_recording


def sample(file: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["homenode", "sample", "--with", "sched", "--output", str(file), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_first_document_is_what_its_schema_describes(tmp_path: Path) -> None:
    done = sample(tmp_path / "samples", "--", "true")
    assert done.returncode == 0, done.stderr
    begin = read_recording(tmp_path / "samples").begin
    assert begin["command"] == ["true"]
    assert not errors(begin, "homenode.samples")


def test_allocations_of_a_program_are_recorded_unless_told_otherwise(tmp_path: Path) -> None:
    program = ["--", sys.executable, "-c", "kept = bytearray(1 << 24)"]
    done = sample(tmp_path / "with", *program)
    assert done.returncode == 0, done.stderr
    recording = read_recording(tmp_path / "with")
    assert recording.of("sites") and len(recording.events)
    done = sample(tmp_path / "without", "--no-allocations", *program)
    assert done.returncode == 0, done.stderr
    assert not read_recording(tmp_path / "without").of("sites")


def test_what_a_program_prints_is_its_own(tmp_path: Path) -> None:
    done = sample(tmp_path / "samples", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stdout) == (3, "out\n")
    assert done.stderr.startswith("err\n")


def test_profile_shows_what_was_recorded(tmp_path: Path) -> None:
    sample(tmp_path / "samples", "--", sys.executable, "-c", "sum(range(10**6))")
    shown = subprocess.run(
        ["homenode", "profile", "show", str(tmp_path / "samples"), "--json"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert not errors(json.loads(shown.stdout), "homenode.profile")

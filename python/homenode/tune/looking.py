"""Looks at a program once, in the lab or by samples: what it uses decides which placements are
worth a run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from homenode.lab import Lab, LabError
from homenode.lab.counts import Roi
from homenode.lab.result import Result
from homenode.profile import lab_allocations
from homenode.profile.errors import ProfileError
from homenode.profile.lab_recording import recording_of
from homenode.profile.recording import read_recording, write_recording
from homenode.tune.candidate import Candidate
from homenode.tune.candidates import Allowed, candidates, hot_objects
from homenode.tune.errors import TuneError
from homenode.tune.estimating import estimated, from_memory
from homenode.tune.lines_in_flight import calibrated
from homenode.tune.predicting import predicted
from homenode.tune.program import Seen, program_of

# The level of the largest cache that cores have for themselves, and its size where nobody knows.
CORES_OWN = 2
CACHE = 1 << 20


def run_recorded(
    lab: Lab, words: Sequence[str], roi: Literal["markers", "all"], timeout_s: float | None = None
) -> tuple[Result, bytes]:
    """Runs a program in the lab while an agent in it records what it allocates; that comes second.
    Raises LabError."""
    agent = lab_allocations.environment(lab)
    result = lab.run(words, env=agent, timeout_s=timeout_s, roi=roi)
    return result, b"" if agent is None else lab_allocations.written(lab)


def keep_recording(
    lab: Lab,
    result: Result,
    allocated: bytes,
    words: Sequence[str],
    roi: Literal["markers", "all"],
    path: Path,
) -> None:
    """Writes what run_recorded() gave to a sample file. Raises TuneError."""
    try:
        recording = lab_allocations.joined(recording_of(lab, result, words, roi), allocated)
        write_recording(path, recording.samples, recording.documents, recording.events)
    except (LabError, ProfileError) as error:
        raise TuneError(str(error)) from error
    except OSError as error:
        raise TuneError(f"cannot write {path}: {error.strerror}; free some space") from error


def seen_at(path: Path, regions: Sequence[Roi], node_of_vcpu: Sequence[int]) -> Seen:
    """What the program of a recording used, whose regions of interest these were. Raises
    TuneError where that is not enough."""
    try:
        timed = [one for one in regions if one.time is not None]
        return program_of(read_recording(path), timed, node_of_vcpu)
    except ProfileError as error:
        raise TuneError(str(error)) from error


def seen_by_samples(path: Path, machine: Mapping[str, Any]) -> Seen:
    """What the program of a recording used, as far as its samples tell. Raises TuneError where that
    is not enough."""
    own = [int(one["size_bytes"]) for one in machine["caches"] if one["level"] == CORES_OWN]
    try:
        uses = estimated(read_recording(path))
        return program_of(from_memory(uses, max(own, default=CACHE)), [], [])
    except ProfileError as error:
        raise TuneError(str(error)) from error


def promising(
    source: str, seen: Seen, machine: dict[str, Any], allowed: Allowed
) -> list[Candidate]:
    """All allowed placements that differ to the models on the machine of `source`, the program as
    it is first, then the fastest predicted one."""
    found = candidates(
        machine,
        len(seen.threads),
        hot_objects(seen),
        allowed,
        program=seen.program,
        skip=seen.skipped,
    )
    program = calibrated(seen, source)
    return predicted(found, source, program, apart_s=seen.apart_s, time_s=seen.time_s)

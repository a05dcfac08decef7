"""Looks at a program once in the lab: what it uses decides which placements are worth a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from homenode.lab import Lab, LabError
from homenode.lab.catalogue import find_file
from homenode.lab.counts import Roi
from homenode.lab.result import Result
from homenode.profile.errors import ProfileError
from homenode.profile.lab_recording import recording_of
from homenode.profile.recording import read_recording, write_recording
from homenode.tune.candidate import Candidate
from homenode.tune.candidates import Allowed, candidates, hot_objects
from homenode.tune.errors import TuneError
from homenode.tune.lines_in_flight import calibrated
from homenode.tune.predicting import predicted
from homenode.tune.program import Seen, program_of

RECORDING = "profile.samples"


def seen_in(lab: Lab, result: Result, words: Sequence[str], roi: str, folder: Path) -> Seen:
    """What the program of a run used, from the exact counts, which stay in `folder`. Raises
    TuneError where they are not enough."""
    path = folder / RECORDING
    keep_recording(lab, result, words, roi, path)
    return seen_at(path, result.rois, lab.machine.node_of_vcpu)


def keep_recording(lab: Lab, result: Result, words: Sequence[str], roi: str, path: Path) -> None:
    """Writes the exact counts of a run to a sample file. Raises TuneError."""
    try:
        recording = recording_of(lab, result, words, roi)
        write_recording(path, recording.samples, recording.documents)
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


def promising(lab: Lab, seen: Seen, machine: dict[str, Any], allowed: Allowed) -> list[Candidate]:
    """All allowed placements that differ to the models, the program as it is first, then the
    fastest predicted one."""
    found = candidates(
        machine,
        len(seen.threads),
        hot_objects(seen),
        allowed,
        program=seen.program,
        skip=seen.skipped,
    )
    source = str(find_file(lab.source))
    return predicted(found, source, calibrated(seen, source), apart_s=seen.apart_s)

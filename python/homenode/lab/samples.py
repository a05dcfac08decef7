"""The file of `lab run --samples`: exact counts by thread and unit of memory, as a sample file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from homenode.lab.errors import LabError
from homenode.lab.outputs import check_place
from homenode.lab.result import Result
from homenode.lab.text import say

if TYPE_CHECKING:
    from homenode.lab.lab import Lab


def check_samples(name: str) -> Path:
    """The path, if samples can be written there as far as can be seen now. Raises LabError."""
    path = Path(name)
    check_place(path)
    return path


def write_samples(
    path: Path,
    lab: "Lab",
    result: Result,
    command: Sequence[str],
    roi: str,
    allocated: bytes = b"",
) -> None:
    """Writes what the plugin counted for a program that has ended in a lab that was stopped, and
    the `allocated` memory that an agent recorded in it.

    Standard error says what the file lacks. Raises LabError.
    """
    # It needs numpy, which most labs do without.
    from homenode.profile.lab_allocations import joined
    from homenode.profile.lab_recording import recording_of
    from homenode.profile.recording import write_recording

    recording = joined(recording_of(lab, result, command, roi), allocated)
    for note in recording.notes:
        say(note)
    try:
        write_recording(path, recording.samples, recording.documents, recording.events)
    except OSError as error:
        raise LabError(
            f"cannot write {path}: {error.strerror}; free some space there, or name another file "
            "with --samples"
        ) from error

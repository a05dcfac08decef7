"""The file of `lab run --timeline`: a picture, or a trace for Perfetto, by the file's ending."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from homenode.draw.threads import Panel, draw
from homenode.errors import USAGE
from homenode.files import write_whole
from homenode.lab.counts import Roi
from homenode.lab.errors import LabError
from homenode.lab.outputs import check_place
from homenode.lab.trace_events import trace_json
from homenode.timeline import Timeline

FORMS = (".svg", ".json")
LONGEST_COMMAND = 60


def check_timeline(name: str) -> Path:
    """The path, if a timeline can be written there as far as can be seen now. Raises LabError."""
    path = Path(name)
    if path.suffix.lower() not in FORMS:
        raise LabError(
            f"--timeline {name}: the ending says what is written; use .svg for a picture, or "
            ".json for a trace that Perfetto opens",
            USAGE,
        )
    check_place(path)
    return path


def write_timeline(
    path: Path,
    command: Sequence[str],
    machine: str,
    rois: Sequence[Roi],
    timelines: Sequence[Timeline],
) -> None:
    """Writes it whole or not at all. Raises LabError."""
    words = shlex.join(command)
    short = words if len(words) <= LONGEST_COMMAND else words[: LONGEST_COMMAND - 3] + "..."
    title = f"{short} on {machine}"
    names = {roi.number: _names(roi) for roi in rois}
    if path.suffix.lower() == ".json":
        text = trace_json(title, timelines, names)
    else:
        panels = [
            Panel(f"region of interest {one.region}", one, names.get(one.region, {}))
            for one in timelines
        ]
        text = draw(title, panels)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise LabError(
            f"cannot write {path}: {error.strerror}; free some space there, or name another file "
            "with --timeline"
        ) from error


def _names(roi: Roi) -> dict[int, str]:
    """What threads are called: by their rank, where they have said it."""
    return {
        one.id: f"thread {one.id if one.rank is None else one.rank}"
        for one in roi.threads
        if one.id is not None
    }

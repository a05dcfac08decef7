"""What the lab counts of a program: all of it, or what lies between its own markers."""

import mmap
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

# "auto": all of it, until it begins a region of its own, which then is what counts.
RoiChoice = Literal["auto", "markers", "all"]
# hn_roi_begin() and hn_roi_begin_all() of homenode/roi.h: a NOP with the marker's number in it.
BEGINS = (bytes.fromhex("0f1f840001004e48"), bytes.fromhex("0f1f840004004e48"))


def chosen(wanted: RoiChoice | None, is_shown: bool, command: Sequence[str]) -> RoiChoice:
    """What to count. `wanted`: by --roi; without it, all is counted where a person is shown it."""
    if wanted is None:
        wanted = "auto" if is_shown else "markers"
    # Then what comes before its region need not be counted, which is faster.
    return "markers" if wanted == "auto" and marks_a_region(command) else wanted


def marks_a_region(command: Sequence[str]) -> bool:
    """Whether the program's own file has such a marker, or is homenode, whose `bench` marks one;
    of `homenode run`, that of the program behind it.

    False for an interpreter, a launcher, or a program that calls a library's: it may begin one all
    the same."""
    file = shutil.which(command[0]) if command else None
    if file is None:
        return False
    if Path(file).name == "homenode":
        behind = command[command.index("--") + 1 :] if "--" in command else []
        return not behind or marks_a_region(behind)
    with (
        suppress(OSError, ValueError),  # The latter for an empty file.
        Path(file).open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as code,
    ):
        return any(code.find(begin) >= 0 for begin in BEGINS)
    return False

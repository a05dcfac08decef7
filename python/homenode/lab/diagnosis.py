"""Says in one line why a virtual machine went away. Pure but for keeping the console's log."""

import re
from pathlib import Path

from homenode.lab.cache import lab_cache
from homenode.lab.errors import LabError

# Escape sequences of the firmware and the kernel's time stamps tell a person nothing here.
NOISE = re.compile(r"\x1b\[[0-9;?=]*[A-Za-z]|\x1bc|[\x00-\x08\x0b-\x1f]")
TIME_STAMP = re.compile(r"^\[ *\d+\.\d+\] ")
INIT = "homenode-lab-init:"
PANIC = "Kernel panic"
OUT_OF_MEMORY = "Out of memory: Killed process"


def console_lines(text: str) -> list[str]:
    """The lines of a console log, cleaned."""
    lines = (TIME_STAMP.sub("", NOISE.sub("", line)).strip() for line in text.split("\n"))
    return [line for line in lines if line]


def why_lost(console: str, code: int | None, qemu_said: str) -> str:
    """What ended the machine. `code` is QEMU's exit code, None if it still runs. Pure."""
    lines = console_lines(console)
    for line in lines:
        if INIT in line:
            return f"the guest's setup failed ({line.split(INIT, 1)[1].strip()})"
    for line in lines:
        if PANIC in line:
            return f"the guest panicked ({line[line.index(PANIC) :]})"
    if code is None:
        return "the guest does not answer"
    if code < 0:
        return f"QEMU was killed by signal {-code}"
    last = qemu_said or (lines[-1] if lines else "no message")
    return f"QEMU ended with code {code} ({last})"


def guest_died(console: str, code: int | None, qemu_said: str) -> bool:
    """Whether the guest's kernel ended the machine, not its init, QEMU or somebody outside. Pure.

    A kernel that panics before it has a console leaves nothing but QEMU's orderly end.
    """
    if INIT in console:
        return False
    return PANIC in console or (code == 0 and not qemu_said)


def keep_console(console: Path, results: Path | None) -> Path | None:
    """Copies the log to where it outlives the session; returns the copy, None if that failed."""
    try:
        folder = results if results is not None else lab_cache()
        kept = folder / "lab-console.log"
        kept.write_bytes(console.read_bytes())
    except (OSError, LabError):
        return None
    return kept

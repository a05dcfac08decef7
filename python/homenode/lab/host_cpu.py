"""The host's processor, by the kernel's list of them."""

from contextlib import suppress
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def cpu_line(start: str) -> str:
    """The first line that begins so, without the blanks around it; empty if there is none."""
    with suppress(OSError), CPUINFO.open(errors="replace") as lines:
        return next((line.strip() for line in lines if line.startswith(start)), "")
    return ""

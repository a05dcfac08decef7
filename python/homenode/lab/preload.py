"""What is loaded into QEMU before its own libraries: an fma() that suits it better than libm's."""

import os
from contextlib import suppress
from pathlib import Path

from homenode import places
from homenode.lab.artefacts import FMA

CPUINFO = Path("/proc/cpuinfo")


def environment() -> dict[str, str]:
    """QEMU's environment: this process's, with fma() preloaded where the CPU has the instruction.

    Without it everything works, and floating point is slow in a guest whose programs use AVX.
    """
    library = places.find_built(FMA)
    if library is None or not has_fma() or set(str(library)) & set(" :"):
        return dict(os.environ)  # Blanks and colons part the names in the list.
    wanted = [str(library), os.environ.get("LD_PRELOAD", "")]
    return {**os.environ, "LD_PRELOAD": ":".join(filter(None, wanted))}


def has_fma() -> bool:
    """Whether the host's CPU multiplies and adds in one instruction."""
    return "fma" in cpu_line("flags").split()


def cpu_line(start: str) -> str:
    """The first line that begins so, without the blanks around it; empty if there is none."""
    with suppress(OSError), CPUINFO.open(errors="replace") as lines:
        return next((line.strip() for line in lines if line.startswith(start)), "")
    return ""

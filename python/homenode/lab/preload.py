"""What is loaded into QEMU before its own libraries: an fma() that suits it better than libm's."""

import os

from homenode import places
from homenode.lab.artefacts import FMA
from homenode.lab.host_cpu import cpu_line


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

"""Programs in C that tests run in the lab."""

import subprocess
from pathlib import Path

from lab_driver import ROOT


def compiled(source: Path, folder: Path, level: str = "-O2") -> str:
    """The path of the program that a file in C makes, with threads and the headers of src."""
    program = folder / source.stem
    words = ["cc", level, "-pthread", f"-I{ROOT}/src", "-o", str(program), str(source)]
    subprocess.run(words, check=True)
    return str(program)

"""The example programs, compiled as a person would, and what they print."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from homenode import places

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
MODULE = ROOT / "include" / "homenode" / "homenode.f90"
PAGES = 2048  # Of a matrix of 1024 x 1024 doubles, where pages have 4 KiB.

COMPILERS = {
    "rows.c": ["gcc", "-std=c11"],
    "rows.cpp": ["g++", "-std=c++20"],
    "columns.f90": ["gfortran", "-std=f2008", str(MODULE)],
}
# Programs with a region of interest. C and C++ link nothing for it.
WITH_REGION = {
    "own_program.c": ["gcc", "-std=c11"],
    "own_program.cpp": ["g++", "-std=c++20"],
    "own_program.f90": ["gfortran", "-std=f2008", str(MODULE)],
}
ELEMENTS = 1 << 20  # Doubles that each of these adds up inside its region.
STRICT = ["-O2", "-Wall", "-Wextra", "-Werror", "-fopenmp"]
PROGRAMS = [*COMPILERS, "rows.py"]
OWN_PROGRAMS = [*WITH_REGION, "own_program.py"]
_COMPILERS = COMPILERS | WITH_REGION


def missing(program: str) -> str | None:
    """The compiler that a program needs and that is not here."""
    compiler = _COMPILERS.get(program, [sys.executable])[0]
    return None if shutil.which(compiler) else compiler


def library() -> Path:
    """The shared library of the build under test."""
    found = places.find_built("libhomenode.so")
    assert found, "libhomenode.so is not built; run the tests through ./dev test"
    return found


def build(compiler: list[str], built: Path) -> list[str]:
    """Runs a compiler with its sources; what starts the program."""
    where = library().parent
    link = [f"-I{ROOT / 'include'}", f"-L{where}", f"-Wl,-rpath,{where}", "-lhomenode"]
    subprocess.run([*compiler, *STRICT, *link, "-o", str(built)], check=True, cwd=built.parent)
    return [str(built)]


def command(program: str, folder: Path) -> list[str]:
    """Compiles a program into the folder; what starts it."""
    if program not in _COMPILERS:
        return [sys.executable, str(EXAMPLES / program)]
    compiler = [*_COMPILERS[program], str(EXAMPLES / program)]
    return build(compiler, folder / program.replace(".", "_"))


def default_rule(program: str) -> str:
    """Fortran's threads take columns, because these are contiguous there."""
    return program.partition(".")[0]


def pages_on_node(output: str) -> dict[int, int]:
    """What a program printed. It must have computed the right sum."""
    assert f"sum {1024 * 1024}\n" in output, output
    return {int(n): int(pages) for n, pages in re.findall(r"node (\d+): (\d+) pages", output)}

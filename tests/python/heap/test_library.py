"""The allocator's libraries export what is asked for, and bring nothing along."""

import re
import subprocess
from pathlib import Path

import pytest
from heap_programs import built_library

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden" / "heap" / "symbols.txt"
HEADER = ROOT / "include" / "homenode" / "heap.h"
LIBRARIES = ["libhomenode-malloc.so", "libhomenode-malloc-hardened.so"]
# What glibc's manual names for a replacement of malloc, and what programs find of it elsewhere.
REPLACEMENT = {
    *("malloc", "free", "calloc", "realloc", "aligned_alloc", "malloc_usable_size", "memalign"),
    *("posix_memalign", "pvalloc", "valloc", "reallocarray", "cfree"),
    *("free_sized", "free_aligned_sized"),
    *("malloc_trim", "mallopt", "mallinfo", "mallinfo2", "malloc_stats", "malloc_info"),
}


def output(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exports(name: str) -> list[str]:
    lines = output("nm", "-D", "--defined-only", built_library(name)).splitlines()
    return sorted(line.split()[2] for line in lines)


@pytest.mark.parametrize("name", LIBRARIES)
def test_exports_are_those_of_the_golden_file_and_of_the_header(name: str) -> None:
    header = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S) if HEADER.exists() else ""
    declared = set(re.findall(r"\b(hn_heap_\w+)\(", header))
    assert exports(name) == sorted({*GOLDEN.read_text().splitlines(), *declared})


def test_nothing_of_the_malloc_family_is_missing() -> None:
    exported = set(GOLDEN.read_text().splitlines())
    assert REPLACEMENT - exported == set()
    # Every form of new and delete that C++ lets a program replace.
    assert len([name for name in exported if name.startswith(("_Zn", "_Zd"))]) == 20


@pytest.mark.parametrize("name", LIBRARIES)
def test_needs_the_c_library_alone(name: str) -> None:
    needed = re.findall(r"\(NEEDED\).*\[([^]]+)\]", output("readelf", "-d", built_library(name)))
    assert needed == ["libc.so.6"]

"""The shared library exports what the header declares, and costs nothing until it is called."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from homenode import places

ROOT = Path(__file__).resolve().parents[3]
HEADER = ROOT / "include" / "homenode" / "homenode.h"
GOLDEN = ROOT / "tests" / "golden" / "capi" / "symbols.txt"


@pytest.fixture(scope="module")
def library() -> Path:
    found = places.find_built("libhomenode.so")
    assert found, "libhomenode.so is not built; run the tests through ./dev test"
    return found


def output(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_exports_are_those_of_the_golden_file(library: Path) -> None:
    lines = output("nm", "-D", "--defined-only", library).splitlines()
    exported = sorted(line.split()[2] for line in lines if line.split()[1] != "A")
    assert exported == GOLDEN.read_text().splitlines()


def test_the_header_declares_each_export_and_no_more() -> None:
    declared = set(
        re.findall(r"\b(hn_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S))
    )
    assert sorted(declared) == [line.partition("@")[0] for line in GOLDEN.read_text().splitlines()]


def calls_after_loading(program: Path) -> list[str]:
    """The system calls after the loader's last one, which gives back its cache of libraries."""
    trace = subprocess.run(
        ["strace", "-f", program], check=True, capture_output=True, text=True
    ).stderr.splitlines()
    end = max(i for i, line in enumerate(trace) if line.startswith("munmap("))
    return [line.partition("(")[0] for line in trace[end + 1 :] if "(" in line]


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_linking_it_makes_no_system_call(library: Path, tmp_path: Path) -> None:
    """Compared with a C program that links only what the library itself links."""
    source = tmp_path / "nothing.c"
    source.write_text("int main(void) { return 0; }\n")
    needed = re.findall(r"NEEDED.*\[(.+)\]", output("readelf", "-d", library))
    programs = {"with": ["-L", library.parent, f"-l:{library.name}"], "without": []}
    for name, flags in programs.items():
        others = [f"-l:{each}" for each in needed if not each.startswith("ld-")]
        path = f"-Wl,-rpath,{library.parent}"
        output("cc", source, "-Wl,--no-as-needed", *flags, *others, path, "-o", tmp_path / name)
    assert "libhomenode" in output("readelf", "-d", tmp_path / "with")
    assert calls_after_loading(tmp_path / "with") == calls_after_loading(tmp_path / "without")


def test_it_needs_no_cpp_library(library: Path) -> None:
    """libstdc++ makes three calls when it is loaded, to set memory for exceptions aside."""
    needed = re.findall(r"NEEDED.*\[(.+)\]", output("readelf", "-d", library))
    assert [each for each in needed if each.startswith(("libstdc++", "libfmt"))] == []


def test_its_constructors_are_those_of_its_cpp_library(library: Path) -> None:
    """Those are named by files of libstdc++, all *.cc. One is the compiler's own."""
    found = re.findall(r" (_GLOBAL__sub_I_\S+)", output("nm", library))
    assert [name for name in found if not name.endswith(".cc")] == []
    sections = output("readelf", "-SW", library)
    size = re.search(r"\.init_array\s+INIT_ARRAY\s+\w+\s+\w+\s+(\w+)", sections)
    assert size
    assert int(size[1], 16) == 8 * (1 + len(found))


WITHOUT_MEMORY = """
#include <homenode/homenode.h>
#include <stdio.h>
void* __libc_malloc(size_t bytes);
static int refuses;
void* malloc(size_t bytes) { return refuses ? NULL : __libc_malloc(bytes); }
int main(void) {
  char* error = NULL;
  hn_machine* machine = NULL;
  for (refuses = 0; refuses < 2; ++refuses) {
    printf("%d\\n", hn_machine_load("synthetic:numa:2 core:2 pu:1 and nonsense", &machine, &error));
    hn_string_free(error);
  }
  return 0;
}
"""


def test_an_exception_needs_no_malloc(library: Path, tmp_path: Path) -> None:
    """A program that has no memory left is told so, which takes an exception inside."""
    source = tmp_path / "without_memory.c"
    source.write_text(WITHOUT_MEMORY)
    program = tmp_path / "without_memory"
    folders = ["-I", ROOT / "include", "-L", library.parent, f"-Wl,-rpath,{library.parent}"]
    output("cc", source, *folders, f"-l:{library.name}", "-o", program)
    bad_usage, failed = -2, -1
    assert output(program).split() == [str(bad_usage), str(failed)]

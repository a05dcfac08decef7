"""Code addresses become what a person would look for in the source."""

import subprocess
from pathlib import Path

import pytest

from homenode.profile import symbols
from homenode.profile.symbols import Frame, Place, Symbolizer, bare, demangle, origin

PROGRAM = """
__attribute__((noinline)) static int inner(int a) { return a + 1; }
static inline int inlined(int a) { return inner(a) * 2; }
int outer(int a) { return inlined(a) + 3; }
int main(int count, char** arguments) { return outer(count) + (arguments == 0); }
"""


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("solve", "solve"),
        ("solve(int)", "solve"),
        ("a::b::c(int, std::vector<int, std::allocator<int> >&) const", "a::b::c"),
        ("std::vector<int> a::zeros<int>(unsigned long)", "a::zeros<int>"),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
        ("operator new(unsigned long)", "operator new"),
        ("void a::F<int>::operator()<int>(int)", "a::F<int>::operator"),
        ("void* std::allocate<int>(int)", "std::allocate<int>"),
    ],
)
def test_a_function_is_told_from_what_it_gives_and_takes(function: str, name: str) -> None:
    assert bare(function) == name


def test_a_place_is_a_function_and_a_line(tmp_path: Path) -> None:
    source, program = tmp_path / "a b.c", tmp_path / "program"
    source.write_text(PROGRAM)
    subprocess.run(["gcc", "-g", "-O2", "-no-pie", source, "-o", program], check=True)
    listed = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
    address = int(
        next(line for line in listed.splitlines() if line.endswith(" outer")).split()[0], 16
    )
    symbolizer = Symbolizer()
    texts = [frame.text for frame in symbolizer.frames(Place(str(program), address))]
    assert texts[-1].startswith("outer() at a b.c:")


def test_a_place_without_a_symbol_is_a_file_and_an_offset(tmp_path: Path) -> None:
    program = tmp_path / "program"
    (tmp_path / "a.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-s", tmp_path / "a.c", "-o", program], check=True)
    (tmp_path / "none").write_text("")
    symbolizer = Symbolizer()
    for file in (program, tmp_path / "none", tmp_path / "missing"):
        assert symbolizer.frames(Place(str(file), 0x1150)) == (
            Frame(f"{file.name}+0x1150", file.name, True),
        )


def test_without_the_tool_places_are_files_and_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbols, "TOOL", "no-such-tool")
    assert Symbolizer().frames(Place("/bin/sh", 0x10))[0].text == "sh+0x10"


def test_the_first_of_the_programs_own_names_an_allocation() -> None:
    frames = [
        Frame("libstdc++.so.6+0x1", "libstdc++.so.6", False),
        Frame("solve() at a.c:1", "a", True),
        Frame("main() at a.c:2", "a", True),
    ]
    assert origin(frames) == "solve() at a.c:1"
    assert origin(frames[:1]) == "libstdc++.so.6+0x1"
    assert origin([]) == ""


def test_allocators_and_the_standard_library_are_not_the_programs_own() -> None:
    def own(function: str, path: str = "/a/program") -> bool:
        return symbols._frame(Place(path, 1), function, "a.c:1:2").own

    assert own("solve(int)")
    assert own("std::vector<int> mine(int)")
    assert own("make_stdin()")
    assert not own("zmalloc")
    assert not own("xrealloc(void*, unsigned long)")
    assert not own("operator new[](unsigned long)")
    assert not own("std::vector<int, std::allocator<int> >::vector(unsigned long)")
    assert not own("fopen", "/lib/x86_64-linux-gnu/libc.so.6")
    assert not own("_gfortran_runtime", "/lib/libgfortran.so.5.0.0")
    assert own("work", "/lib/libcustom.so")


def test_names_are_written_as_in_the_source() -> None:
    assert demangle("_ZN7physics5stepsE") == "physics::steps"
    assert demangle("steps") == "steps"
    assert demangle("__fields_MOD_fixed") == "fields::fixed"
    assert demangle("_Znot a name") == "_Znot a name"

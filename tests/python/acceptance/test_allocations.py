"""`homenode run --place`: named static data and allocations land page for page where a rule says.

The programs (support/static_data) ask the kernel where their pages are; where each array's pages
begin and end is read from their symbols with `nm`, and where they should be from expected_nodes.
"""

import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from expected_nodes import PAGES, page_maps

from homenode.lab import Lab
from homenode.lab.catalogue import find_file

SOURCES = Path(__file__).resolve().parents[1] / "support" / "static_data"
PAGE = 4096
BYTES = PAGES * PAGE
END = "=== end of one program"
Rule = Callable[[int], list[int]]
"""The nodes of the first N pages."""


def build(folder: Path, output: str, *words: str) -> str:
    compilers = {".f90": "gfortran", ".cpp": "g++"}
    command = [compilers.get(Path(words[0]).suffix, "gcc"), "-O1", "-o", output, *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return str(folder / output)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The same program in the ways that programs are linked, and one in Fortran."""
    folder = tmp_path_factory.mktemp("static-data")
    source = [str(SOURCES / "program.c"), str(SOURCES / "maps.c")]
    library = ["-L.", "-lplaced", "-Wl,-rpath,$ORIGIN"]
    build(folder, "libplaced.so", "-fPIC", "-shared", str(SOURCES / "library.c"))
    build(folder, "maps.o", "-c", str(SOURCES / "maps.c"))
    return {
        "pie": build(folder, "pie", "-fPIE", "-pie", *source, *library),
        "no-pie": build(folder, "no-pie", "-fno-pie", "-no-pie", *source, *library),
        "stripped": build(folder, "stripped", "-s", *source, *library),
        "library": str(folder / "libplaced.so"),
        "fortran": build(folder, "fields", str(SOURCES / "fields.f90"), "maps.o"),
        "c++": build(folder, "cpp", str(SOURCES / "fields.cpp"), "maps.o"),
    }


@dataclass
class Array:
    """What `nm` says of it."""

    address: int
    size: int

    @property
    def pages(self) -> range:
        return range(self.address // PAGE, (self.address + self.size - 1) // PAGE + 1)


def arrays(program: str, symbols: dict[str, str]) -> dict[str, Array]:
    """The arrays by the names that the source gives them."""
    text = subprocess.run(
        ["nm", "--print-size", program], capture_output=True, text=True, check=True
    ).stdout
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) != 4 or words[2] not in "bBdD":
            continue
        for name, symbol in symbols.items():
            if re.fullmatch(symbol, words[3]):
                found[name] = Array(int(words[0], 16), int(words[1], 16))
    assert set(found) == set(symbols)
    return found


def cycle(*turn: int) -> Rule:
    return lambda pages: [turn[page % len(turn)] for page in range(pages)]


def blocks(*nodes: int) -> Rule:
    def rule(pages: int) -> list[int]:
        shortest, longer = divmod(pages, len(nodes))
        parts = [[node] * (shortest + (i < longer)) for i, node in enumerate(nodes)]
        return [node for part in parts for node in part]

    return rule


def expected(found: dict[str, Array], rules: dict[str, Rule]) -> dict[str, list[int]]:
    """The nodes of each array's pages; the array that begins first has a page that two share."""
    node_of: dict[int, int] = {}
    for name, array in sorted(found.items(), key=lambda item: item[1].address):
        own = [page for page in array.pages if page not in node_of]
        node_of |= dict(zip(own, rules[name](len(own)), strict=True))
    return {name: [node_of[page] for page in array.pages] for name, array in found.items()}


def maps_of(text: str) -> dict[str, list[int]]:
    found = {}
    for name, runs in re.findall(r"^(\w+) map=(\S+)$", text, re.MULTILINE):
        pairs = [run.split("x") for run in runs.split(",")]
        found[name] = [int(node) for count, node in pairs for _ in range(int(count))]
    return found


IN_C = {
    "u": ("cyclic", r"u", cycle(0, 1, 2, 3)),
    "work_a": ("block@0,2-3", r"work_a", blocks(0, 2, 3)),
    "work_b": ("weighted:3,1@1-2", r"work_b", cycle(1, 1, 1, 2)),
    "hidden": ("map:5x3,200x1", r"hidden", lambda pages: ([3] * 5 + [1] * 200)[:pages]),
    "in_function": ("bind@2", r"in_function\.\d+", cycle(2)),
    "in_library": ("skew@1,3", r"in_library", cycle(3, 1, 1, 3)),
    "of_library": ("cyclic:2@1,3", r"of_library", cycle(1, 1, 3, 3)),
}
IN_FORTRAN = {
    "cfields": ("cyclic:3@3,1", r"cfields_", cycle(1, 1, 1, 3, 3, 3)),
    "density": ("block", r"__fields_MOD_density", blocks(0, 1, 2, 3)),
    "kept": ("preferred@3", r"kept\.\d+", cycle(3)),
}
CODE_RULES = {  # Of the function: the rule, and the nodes for a mapping of PAGES pages.
    "random": ("random:7", page_maps([0, 1, 2, 3])["random:7"](0)),
    "map": ("map:40x2,21x0", [2] * 40 + [0] * 21),
    "block": ("block", blocks(0, 1, 2, 3)(PAGES)),
    "home": ("bind:home=2@0-3", [2] * PAGES),
}


def placing(rules: dict[str, tuple[str, str, Rule]]) -> str:
    return " ".join(f"--place {shlex.quote(f'name={name}: {rules[name][0]}')}" for name in rules)


@pytest.fixture(scope="module")
def said(quad: Lab, command: str, programs: dict[str, str]) -> dict[str, tuple[int, str, str]]:
    """Exit code, output and error stream of each run, all in one program of the guest."""
    lines = {
        "pie": f"{placing(IN_C)} --verbose {programs['pie']}",
        "no-pie": f"{placing(IN_C)} {programs['no-pie']}",
        "fortran": f"{placing(IN_FORTRAN)} {programs['fortran']}",
        "c++": "--place 'name=fields::density: cyclic' --place 'from=fields::make_field, size>64K: "
        f"bind@2' --place 'from=fields::make_*, size>64K: cyclic@1,3' {programs['c++']}",
        "huge pages": f"--place 'size>2M: cyclic' {programs['pie']} allocate 5000000",
        "weights": f"--place 'size>64K: weighted@0-1' {programs['pie']} allocate {BYTES}",
        "through a shell": f"{placing({'u': IN_C['u']})} sh -c {programs['pie']}",
    }
    for name, (rule, _) in CODE_RULES.items():
        place = shlex.quote(f"from=alloc_mapping, size>=64K: {rule}")
        others = "--place 'from=alloc_*, size>=64K: bind@1' --place 'from=allocate_in*: bind@3'"
        lines[name] = (
            f"--place {place} {others.replace('alloc_*', 'alloc_3d')} "
            f"{programs['pie']} allocate {BYTES}"
        )
    # A measurement in which node 1 has half of node 0's bandwidth.
    uneven = Path(programs["library"]).with_name("uneven.xml")
    even = find_file("quad-4x2").read_text()
    uneven.write_text(even.replace('gp_index="27" value="6100"', 'gp_index="27" value="3050"'))
    script = f"export HWLOC_XMLFILE={uneven} HWLOC_THISSYSTEM=1\n" + "".join(
        f"{command} run {line} 2>/tmp/said-{i}; code=$?; echo; cat /tmp/said-{i} | sed 's/^/! /'; "
        f"echo $code {shlex.quote(END)}\n"
        for i, line in enumerate(lines.values())
    )
    result = quad.run(["sh", "-c", script], timeout_s=300)
    parts = re.split(rf"(\d+) {re.escape(END)}\n", result.stdout.decode())[:-1]
    assert len(parts) == 2 * len(lines), result.stderr
    answers = {}
    for name, text, code in zip(lines, parts[::2], parts[1::2], strict=True):
        errors = "\n".join(re.findall(r"^! (.*)$", text, re.MULTILINE))
        answers[name] = (int(code), text, errors)
    return answers


@pytest.mark.parametrize("way", ["pie", "no-pie"])
def test_static_data_of_c_lands_page_for_page(said: dict, programs: dict, way: str) -> None:
    code, text, errors = said[way]
    assert code == 0, errors
    symbols = {name: symbol for name, (_, symbol, _) in IN_C.items()}
    rules = {name: rule for name, (_, _, rule) in IN_C.items()}
    library = arrays(programs["library"], {"of_library": symbols.pop("of_library")})
    # The linker put a copy of in_library into the program: that one is used.
    wanted = expected(arrays(programs[way], symbols), rules) | expected(library, rules)
    assert maps_of(text) == wanted
    assert "kept 2 4" in text  # The values of the program are as they were.


def test_common_blocks_and_saved_arrays_of_fortran_land_page_for_page(
    said: dict, programs: dict
) -> None:
    code, text, errors = said["fortran"]
    assert code == 0, errors
    symbols = {name: symbol for name, (_, symbol, _) in IN_FORTRAN.items()}
    rules = {name: rule for name, (_, _, rule) in IN_FORTRAN.items()}
    assert maps_of(text) == expected(arrays(programs["fortran"], symbols), rules)


@pytest.mark.parametrize("rule", CODE_RULES)
def test_allocations_of_a_function_land_page_for_page(said: dict, rule: str) -> None:
    code, text, errors = said[rule]
    assert code == 0, errors
    maps = maps_of(text)
    assert maps["alloc_mapping"] == CODE_RULES[rule][1]
    assert set(maps["alloc_3d"]) == {1}
    assert set(maps["library"]) == {3}
    assert len(set(maps["main"])) == 1  # Nobody's: where its only thread touched it.


def test_allocations_of_cpp_are_those_of_the_function_that_calls_new(said: dict) -> None:
    code, text, errors = said["c++"]
    assert code == 0, errors
    maps = maps_of(text)
    assert maps["density"] == cycle(0, 1, 2, 3)(len(maps["density"]))
    assert set(maps["field"]) == set(maps["field_after"]) == {2}
    assert maps["other"] == cycle(1, 3)(len(maps["other"]))
    assert maps["vector"] == cycle(1, 3)(len(maps["vector"]))
    assert "bad_alloc is caught" in text


def test_no_huge_page_swallows_the_pages_of_other_nodes(said: dict) -> None:
    code, text, errors = said["huge pages"]
    assert code == 0, errors
    maps = maps_of(text)
    assert len(maps) == 4
    for pages in maps.values():
        assert len(pages) > 1220
        assert pages == cycle(0, 1, 2, 3)(len(pages))


def test_weights_without_numbers_are_the_machines(said: dict) -> None:
    code, text, errors = said["weights"]
    assert code == 0, errors
    for pages in maps_of(text).values():
        assert pages == cycle(0, 0, 1)(len(pages))


def test_the_end_of_the_program_says_what_was_placed(said: dict) -> None:
    errors = said["pie"][2]
    assert re.fullmatch(
        r"homenode: in pie \(\d+\) rules were applied to 0 allocations \(0 pages\) and 7 pieces of "
        r"static data \(\d+ pages\); the kernel refused 0 calls",
        errors,
    )
    assert said["no-pie"][2] == ""


def test_a_name_in_a_program_behind_another_is_refused_before_the_start(said: dict) -> None:
    code, text, errors = said["through a shell"]
    assert code == 125
    assert "directly before the program" in errors
    assert "map=" not in text


def test_a_link_to_a_program_has_the_libraries_beside_the_program(
    command: str, programs: dict[str, str], tmp_path: Path
) -> None:
    """As /usr/bin/java is one: what $ORIGIN names is the folder of the file, not of the link."""
    link = tmp_path / "java"
    link.symlink_to(programs["pie"])
    (tmp_path / "again").symlink_to("java")
    for name in ("name=of_library", "from=allocate_in_library"):
        for path in (programs["pie"], str(link), str(tmp_path / "again")):
            words = ["run", "--place", f"{name}: local", "--explain", "--", path]
            done = subprocess.run([command, *words], capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, "")


ADVISED = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
  char* const array = malloc(16 << 20);
  char* const aligned = (char*)(((unsigned long)array + (4 << 20)) & ~((2UL << 20) - 1));
  if (madvise(aligned, 8 << 20, MADV_HUGEPAGE) != 0) return 1;
  char line[4096];
  unsigned long first = 0, end = 0;
  FILE* const file = fopen("/proc/self/smaps", "r");
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned long a, b;
    if (sscanf(line, "%lx-%lx ", &a, &b) == 2) first = a, end = b;
    const int here = first <= (unsigned long)aligned && (unsigned long)aligned < end;
    if (here && strncmp(line, "VmFlags:", 8) == 0) puts(strstr(line, " hg") ? "huge" : "small");
  }
  return 0;
}
"""


def test_no_program_gets_huge_pages_where_a_distribution_lies(command: str, tmp_path: Path) -> None:
    """The kernel gathers them from the pages of several nodes."""
    (tmp_path / "advised.c").write_text(ADVISED)
    program = build(tmp_path, "advised", str(tmp_path / "advised.c"))
    node = min(int(path.name[4:]) for path in Path("/sys/devices/system/node").glob("node[0-9]*"))

    def got(*words: str) -> str:
        done = subprocess.run([*words, program], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else f"exit code {done.returncode}"

    if got() != "huge":
        pytest.skip("this kernel has no transparent huge pages")
    run = (command, "run", "--place")
    assert got(*run, f"size>1M: cyclic@{node}", "--") == "small"
    assert got(*run, f"size>1M: interleave@{node}", "--") == "huge"
    assert got(*run, f"size>100M: cyclic@{node}", "--") == "huge"


def refusal(command: str, *words: str) -> tuple[int, str]:
    result = subprocess.run([command, "run", *words], capture_output=True, text=True, check=False)
    return result.returncode, result.stderr


def test_names_that_are_not_there_are_told_with_those_that_are_near(
    command: str, programs: dict
) -> None:
    code, text = refusal(command, "--place", "name=wrok_a: local", programs["pie"])
    assert (code, "did you mean 'work_a'" in text) == (125, True)
    code, text = refusal(command, "--place", "from=alloc_4d: local", programs["pie"])
    assert (code, "did you mean 'alloc_3d'" in text) == (125, True)
    code, text = refusal(command, "--place", "name=hidden_: local", programs["stripped"])
    assert (code, "is stripped of its names" in text) == (125, True)
    code, text = refusal(command, "--place", "name=table: local", programs["pie"])
    assert (code, "read-only" in text) == (125, True)
    assert text.count("\n") == 1


def test_what_the_kernel_refuses_is_told_once(command: str, programs: dict) -> None:
    agent = Path(command).resolve().parents[1] / "lib" / "libhomenode-allocations.so"
    environment = {
        "LD_PRELOAD": str(agent),
        "HOMENODE_AGENT": "1 place=65536:policy:2@1023 verbose",
        "LD_LIBRARY_PATH": str(Path(programs["pie"]).parent),
    }
    result = subprocess.run(
        [programs["pie"], "allocate", str(BYTES)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = result.stderr.splitlines()
    assert len(lines) == 2
    assert re.match(r"homenode: in pie \(\d+\) the kernel refused mbind: ", lines[0])
    assert "stays where it would be without homenode" in lines[0]
    assert lines[1].endswith("the kernel refused 4 calls")
    assert "main map=" in result.stdout

"""What the advice says for `homenode run --place` is what `run` accepts: every name that it uses is
found in the program, as `run --explain` finds it."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recordings import PID, documents, recording

from homenode.profile.actions import SMALLEST
from homenode.profile.advice import RULES, Case
from homenode.profile.analysis import analyse
from homenode.profile.objects import Kind
from homenode.profile.place_names import pattern
from homenode.profile.record import RECORD, Operation, Source
from homenode.profile.recording import BLOCK, EVENT, HEADER, Event, parse
from homenode.profile.values import Profile

PROGRAM = """
#include <cstdlib>
#include <dlfcn.h>
extern "C" void* linked_fill(long);
namespace ns {
double table[1 << 16];
template <class A, class B> struct Pair { static A both[1 << 16]; };
template <class A, class B> A Pair<A, B>::both[1 << 16];
template struct Pair<int, char>;
struct Mesh { void fill(long); double* at; };
void Mesh::fill(long n) { at = new double[n]; asm volatile("" ::"r"(at) : "memory"); }
template <class T> __attribute__((noinline)) T* make(long n) {
  T* p = static_cast<T*>(malloc(n * sizeof(T)));
  asm volatile("" ::"r"(p) : "memory");
  return p;
}
template int* make<int>(long);
}
namespace { double hidden[1 << 16]; }
extern "C" const double fixed[1 << 16] = {1};
int main() {
  asm volatile("" ::"r"(hidden), "r"(fixed));
  return linked_fill(9) == dlopen("libloaded.so", RTLD_NOW);
}
"""
LIBRARY = """
#include <stdlib.h>
double NAME_data[1 << 16];
static double quiet[1 << 16];
void* NAME_fill(long n) {
  void* p = malloc(n);
  __asm__ volatile("" ::"r"(p), "r"(quiet) : "memory");
  return p;
}
"""


def build(folder: Path) -> dict[str, Path]:
    """A program, a library that it is linked to, and one that it loads."""
    made = {}
    for name in ("linked", "loaded"):
        source = folder / f"{name}.c"
        source.write_text(LIBRARY.replace("NAME", name))
        made[name] = folder / f"lib{name}.so"
        words = ["gcc", "-O1", "-shared", "-fPIC", f"-Wl,-soname,lib{name}.so", str(source)]
        subprocess.run([*words, "-o", str(made[name])], check=True)
    (folder / "solver.cpp").write_text(PROGRAM)
    made["solver"] = folder / "solver"
    words = ["g++", "-O1", "-no-pie", str(folder / "solver.cpp"), str(made["linked"]), "-ldl"]
    subprocess.run([*words, f"-Wl,-rpath,{folder}", "-o", str(made["solver"])], check=True)
    return made


def symbols(path: Path) -> dict[str, tuple[str, int, int]]:
    """Kind, address and size of each symbol."""
    done = subprocess.run(["nm", "-S", str(path)], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[3]: (row[2], int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4}


BIAS = {"solver": 0, "linked": 0x10000000, "loaded": 0x20000000}


def profile_of(folder: Path, command: list[str]) -> Profile:
    """Of a run of the program, in which it used all of its data, and what each function
    allocated."""
    made = build(folder)
    machine = subprocess.run(["homenode", "topology", "--json"], capture_output=True, check=True)
    modules, sites, events, samples = [], [], [], []
    heap = 0x7F0000000000
    for name, path in made.items():
        bias = BIAS[name]
        known = symbols(path)
        modules.append(
            {"begin": bias or 0x400000, "end": bias + 0x10000000, "bias": bias, "path": str(path)}
        )
        for kind, address, size in known.values():
            if kind in "bBdDrRuV" and size >= 4096:
                samples.append(address + bias)
            if kind in "tTW" and size > 1:
                sites.append(
                    {"id": len(sites), "function": "malloc", "frames": [address + bias + 2, 1]}
                )
                events.append((1, Event.ALLOCATED, heap, 4 * SMALLEST, len(sites) - 1))
                samples.append(heap)
                heap += 16 * SMALLEST
    # A stack without names: what is called "libloaded.so+0x…".
    sites.append({"id": len(sites), "function": "mmap", "frames": [BIAS["loaded"] + 9, 1]})
    events.append((1, Event.MAPPED, heap, 4 * SMALLEST, len(sites) - 1))
    samples.append(heap)
    table = np.zeros(len(events), EVENT)
    for column, field in enumerate(("time_ns", "event", "address", "bytes", "site")):
        table[field] = [event[column] for event in events]
    mappings = [
        {"begin": max(BIAS[name], 0x400000), "end": BIAS[name] + 0x10000000, "offset": 0,
         "permissions": "rwxp", "path": str(path)}
        for name, path in made.items()
    ]  # fmt: skip
    begin, _, threads, end = documents(machine=json.loads(machine.stdout), command=command)
    rows = np.zeros(100 * len(samples), RECORD)
    rows["address"] = np.repeat(np.array(samples, np.uint64), 100)
    rows["pid"], rows["tid"], rows["time_ns"], rows["weight"] = PID, PID, 11 * 10**9, 1
    rows["operation"], rows["source"] = Operation.READ, Source.PKEYS
    of_process = {"pid": PID, "time_ns": 1}
    found = [
        begin,
        {"kind": "modules", "modules": modules} | of_process,
        {"kind": "sites", "sites": sites} | of_process,
        {"kind": "mappings", "mappings": mappings} | of_process,
        threads,
        end,
    ]
    content = HEADER.pack(b"HNSAMPLE", 1, RECORD.itemsize)
    for document in found:
        text = json.dumps(document).encode()
        content += BLOCK.pack(b"JSON", len(text)) + text
    payload = PID.to_bytes(8, "little") + table.tobytes()
    content += BLOCK.pack(b"ALOC", len(payload)) + payload
    return analyse(parse(content + BLOCK.pack(b"SMPL", rows.nbytes) + rows.tobytes()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("names")


@pytest.fixture(scope="module")
def profile(folder: Path) -> Profile:
    return profile_of(folder, [str(folder / "solver")])


def commands(profile: Profile) -> set[str]:
    """Each command that any rule would give for any object."""
    actions = {rule.action(Case(profile, use)) for rule in RULES for use in profile.objects}
    found = {re.search(r"homenode run .*?(?=, with threads|$)", action) for action in actions}
    return {match[0] for match in found if match}


def explained(command: str, **more: Any) -> "subprocess.CompletedProcess[str]":
    words = shlex.split(command)
    words.insert(2, "--explain")
    return subprocess.run(words, capture_output=True, text=True, **more)


def test_run_accepts_each_rule_that_the_advice_can_make(profile: Profile) -> None:
    given = sorted(commands(profile))
    assert sum("--place" in command for command in given) > 20
    refused = {
        command: done.stderr for command in given if (done := explained(command)).returncode != 0
    }
    assert not refused


def test_names_are_those_that_run_finds(profile: Profile) -> None:
    found = {use.object.place_by for use in profile.objects}
    assert {
        "name=ns::table",
        "name=ns::Pair<int, char>::both",
        "name=_ZN12_GLOBAL__N_16hiddenE",
        "name=linked_data",
        "name=quiet",
        "from=ns::Mesh::fill",
        "from=ns::make<int>",
        "from=linked_fill",
        "from=main",
    } <= found
    assert not any("loaded" in condition or "fixed" in condition for condition in found)


def test_what_has_no_name_is_placed_by_its_size(profile: Profile) -> None:
    unnamed = [
        use.object
        for use in profile.objects
        if use.object.kind == Kind.ALLOCATION and not use.object.place_by
    ]
    assert any(item.name.startswith("libloaded.so+0x") for item in unnamed)
    given = commands(profile)
    assert any("'size>=512K: block'" in command for command in given)


def test_a_program_behind_a_script_is_named_itself(folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\nexec {folder / 'solver'}\n")
    script.chmod(0o755)
    by_script = profile_of(tmp_path, [str(script)])
    given = [command for command in commands(by_script) if "name=" in command]
    assert given and all(str(tmp_path / "solver") in command for command in given)
    assert explained(min(given)).returncode == 0


@pytest.mark.parametrize(
    ("symbol", "found"),
    [
        ("u", "u"),
        ("u.0", "u.0"),
        ("_ZN2ns1uE", "ns::u"),
        ("__fields_MOD_u", "fields::u"),
        ("_ZN2ns4makeIiEEPT_l", "ns::make<int>"),
        ("_ZN2ns4makeIPiEEPT_l", "_ZN2ns4makeIPiEEPT_l"),
        ("_ZN2nsltIiEEbi", "_ZN2nsltIiEEbi"),
        ("odd, name", ""),
        ("odd*", ""),
        ("_Z", "_Z"),
    ],
)
def test_patterns_stand_for_one_symbol(symbol: str, found: str) -> None:
    assert pattern(symbol) == found


def test_a_recording_without_files_has_no_names(tmp_path: Path) -> None:
    rows = np.zeros(100, RECORD)
    rows["address"], rows["pid"], rows["tid"] = 0x10000000, PID, PID
    found = analyse(recording(tmp_path / "samples", rows, documents()))
    assert [use.object.place_by for use in found.objects] == [""]

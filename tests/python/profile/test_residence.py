"""On which nodes the objects of a process are: `homenode where PID --objects`."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sampled_program import build

from homenode.profile import residence
from homenode.profile.recording import RECORD, Recording
from homenode.profile.residence import as_json, as_text
from homenode.study.command import find_command

PAGE = 4096
PROGRAM = r"""
#include "note.h"
double grid[1 << 20];
static char* block;
int main(void) {
  memset(grid, 1, sizeof grid);
  block = mmap(0, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(block, 1, 4 << 20);
  puts("ready");
  fflush(stdout);
  pause();
}
"""


def line(begin: int, end: int, path: str, permissions: str = "rw-p") -> dict[str, object]:
    return {"begin": begin * PAGE, "end": end * PAGE, "offset": 0, "path": path,
            "permissions": permissions}  # fmt: skip


def recorded(*runs: tuple[int, int, int, int]) -> Recording:
    """A process of a few mappings, and where its pages are."""
    begin = {"pid": 7, "page_bytes": PAGE, "command": ["./solver"], "source": {"name": "pages"},
             "machine": {"nodes": [{"id": 0}, {"id": 1}, {"id": 4}]}}  # fmt: skip
    mappings = [line(16, 32, "[anon:homenode region u]"), line(32, 48, "[heap]"),
                line(64, 65, "", "---p"), line(65, 80, "")]  # fmt: skip
    rows = [[begin * PAGE, end * PAGE, node, thread] for begin, end, node, thread in runs]
    documents = {
        "mappings": [{"pid": 7, "time_ns": 1, "mappings": mappings}],
        "threads": [{"pid": 7, "threads": [{"tid": 9, "name": "worker"}]}],
        "pages": [{"pid": 7, "time_ns": 2, "pages": rows}],
    }
    return Recording(np.empty(0, RECORD), begin, documents)


def test_pages_are_those_of_the_object_that_has_their_address() -> None:
    found = residence.residence(
        recorded((16, 24, 0, 0), (24, 36, 4, 0), (70, 71, 0, 9), (90, 91, 0, 0))
    )
    assert found.nodes == (0, 1, 4)
    assert [(item.name, item.bytes) for item in found.objects] == [
        ("u", (8 * PAGE, 0, 8 * PAGE)),
        ("[heap]", (0, 0, 4 * PAGE)),
        ("stack of thread 9 (worker)", (PAGE, 0, 0)),
        ("memory of no mapping", (PAGE, 0, 0)),
    ]
    text = as_text(found)
    assert "0.03       -    0.03  0.06  u (region)" in text
    assert text.endswith("all objects\n")
    assert json.loads(as_json(found))["objects"][1] == {
        "name": "[heap]", "kind": "heap", "source": [], "bytes": 4 * PAGE,
        "on_node_bytes": {"4": 4 * PAGE},
    }  # fmt: skip


def test_as_many_pages_as_there_are_are_attributed_part_by_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = ((16, 32, 0, 0), (32, 40, 1, 0), (40, 48, 0, 0))
    whole = residence.residence(recorded(*runs))
    monkeypatch.setattr(residence, "AT_ONCE", 3)
    assert residence.residence(recorded(*runs)) == whole


def test_a_program_shows_its_variables_and_its_memory(tmp_path: Path) -> None:
    program = build(tmp_path, "solver.c", PROGRAM)
    with subprocess.Popen([program], stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            words = [str(find_command()), "where", str(child.pid), "--objects"]
            shown = subprocess.run(words, capture_output=True, text=True, check=False)
            asked = subprocess.run([*words, "--json"], capture_output=True, text=True, check=False)
        finally:
            child.kill()
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "grid (static data)" in shown.stdout
    found = {item["name"]: item for item in json.loads(asked.stdout)["objects"]}
    assert found["grid"]["source"] == [str(program)]
    assert found["grid"]["bytes"] == 8 << 20
    assert found["stack of the main thread"]["kind"] == "stack"
    anonymous = [item for item in found.values() if item["kind"] == "anonymous memory"]
    assert max(item["bytes"] for item in anonymous) >= 4 << 20


def test_what_is_no_process_is_one_line(tmp_path: Path) -> None:
    words = [str(find_command()), "profile", "objects", "999999999"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "homenode profile: there is no process 999999999; 'ps -e' lists the processes\n"
    )

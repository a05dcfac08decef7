"""What the lab counts of a program: all of it, or what lies between its own markers."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from lab_start import lab_or_skip

from homenode.lab import Lab
from homenode.lab.counts import access_matrix
from homenode.lab.own_region import chosen, marks_a_region

INCLUDE = Path(__file__).parents[3] / "include"
LINES = 200_000
SOURCE = """
#include <homenode/roi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  (void)argv;
  volatile char* memory = calloc(%(lines)d, 64);
  for (long i = 0; i < %(lines)dL * 64; i += 64) memory[i] = 1;
  if (argc > 1) return 0;
  hn_roi_begin();
  for (long i = 0; i < 64 * 1000; i += 64) memory[i] = 2;
  hn_roi_end();
  for (long i = 0; i < %(lines)dL * 64; i += 64) memory[i] = 3;
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own_region")
    source = folder / "marked.c"
    source.write_text(SOURCE % {"lines": LINES})
    subprocess.run(
        ["cc", "-O1", f"-I{INCLUDE}", "-o", str(folder / "marked"), str(source)], check=True
    )
    return folder / "marked"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with lab_or_skip("tiny-2x2", tmp_path_factory.mktemp("results"), timing=False) as lab:
        yield lab


def test_markers_are_found_in_the_programs_own_file(program: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch(mode=0o755)
    assert marks_a_region([str(program)])
    for other in (["sh", "-c", str(program)], ["true"], ["no-such-program"], [str(empty)], []):
        assert not marks_a_region(other)


def test_homenode_is_what_it_runs(program: Path, tmp_path: Path) -> None:
    command = str(tmp_path / "homenode")
    Path(command).touch(mode=0o755)
    assert marks_a_region([command, "bench", "chase"])
    assert marks_a_region([command, "run", "--", str(program)])
    assert not marks_a_region([command, "run", "--interleave=all", "--", "true"])


def test_all_is_counted_where_a_person_looks_and_nothing_is_marked(program: Path) -> None:
    assert chosen(None, True, ["true"]) == "auto"
    assert chosen(None, True, [str(program)]) == "markers"
    assert chosen(None, False, ["true"]) == "markers"
    assert chosen("all", True, [str(program)]) == "all"


@pytest.mark.lab
def test_a_region_takes_the_place_of_the_whole_run(tiny: Lab, program: Path) -> None:
    result = tiny.run(["sh", "-c", f"true; {program}; true"], roi="auto")
    (region,) = result.rois
    assert not region.provisional
    assert region.ended_by == "marker"
    matrix = access_matrix(result.rois, tiny.machine)
    assert 1000 <= matrix.misses < LINES / 2


@pytest.mark.lab
def test_without_a_region_the_whole_run_counts(tiny: Lab, program: Path) -> None:
    result = tiny.run(["sh", "-c", f"{program} no-region; true"], roi="auto")
    (region,) = result.rois
    assert region.provisional
    assert access_matrix(result.rois, tiny.machine).misses >= LINES

"""Arrays that a program names through the library, by what the agent hears of it."""

from pathlib import Path

import example_programs
from sampled_program import build, sample

REGIONS = r"""
#include <homenode/homenode.h>
#include "note.h"
int main(void) {
  hn_region* region = 0;
  if (hn_region_allocate(1 << 20, 0, &region, 0) != HN_OK) return 1;
  note("grid", hn_region_address(region), 1 << 20);
  if (hn_region_name(region, "grid of u", 0) != HN_OK) return 2;
  note("grid", hn_region_address(region), 1 << 20);
  if (fork() == 0) {
    note("grid", hn_region_address(region), 1 << 20);
    note_mappings();
    _exit(0);
  }
  wait(0);
  hn_region_free(region);
  char* const block = malloc(1 << 20);
  hn_region* part = 0;
  if (hn_region_adopt(block, 1 << 20, &part, 0) != HN_OK) return 3;
  if (hn_region_name(part, "block", 0) != HN_OK) return 4;
  note("block", block + 4096, (1 << 20) - 8192);
  hn_region_free(part);
  free(block);
  char* const after = malloc(1 << 20);
  note("after", after, 1 << 20);
  note_mappings();
}
"""


def test_regions_have_the_names_that_the_program_gives_them(tmp_path: Path) -> None:
    where = example_programs.library().parent
    link = [f"-L{where}", f"-Wl,-rpath,{where},--no-as-needed", "-lhomenode"]
    headers = f"-I{example_programs.ROOT / 'include'}"
    run = sample(build(tmp_path, "regions.c", REGIONS, headers, *link), tmp_path)
    assert {name: run.of(name) for name in ("grid", "block", "after")} == {
        "grid": {("region", "grid of u")},
        "block": {("region", "block")},
        "after": {("allocation", "main() at regions.c:24")},
    }

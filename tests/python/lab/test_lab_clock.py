"""The lab's clock on a real kernel: what the guest's programs see of modelled time."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from lab_driver import ROOT
from lab_start import lab_or_skip

from homenode.lab import Lab
from homenode.lab.cli import main

pytestmark = pytest.mark.lab

# Prints slot 5 before the region, and twice in it with a walk over 4 MiB between.
PROGRAM = r"""
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "base/marker.h"
int main(void) {
  int file = open(getenv("HOMENODE_LAB_CLOCK"), O_RDONLY);
  volatile const uint64_t* slots = mmap(0, 65536, PROT_READ, MAP_SHARED, file, 0);
  static volatile char array[4 << 20];
  uint64_t seen[3];
  hn_marker_clock(5); seen[0] = slots[5];
  hn_marker_begin();
  hn_marker_clock(5); seen[1] = slots[5];
  for (long i = 0; i < sizeof array; i += 64) array[i] = 1;
  hn_marker_clock(5); seen[2] = slots[5];
  hn_marker_end();
  printf("[%lu, %lu, %lu]", seen[0], seen[1], seen[2]);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("clock")
    (folder / "clock.c").write_text(PROGRAM)
    words = ["cc", "-O1", f"-I{ROOT}/src", "-o", str(folder / "clock"), str(folder / "clock.c")]
    subprocess.run(words, check=True)
    return str(folder / "clock")


def test_a_program_reads_modelled_time_inside_its_region_and_none_before(quad: Lab, program: str):
    if not quad.timing:
        pytest.skip("this QEMU models no time")
    result = quad.run([program], timeout_s=120)
    before, first, second = json.loads(result.stdout)
    assert before == 0
    time = result.rois[0].time
    assert time is not None
    # 65536 lines, which take a nanosecond each at the very least.
    assert 65536 * 1000 < second - first < second <= time.ps


def test_without_modelled_time_a_program_is_told_of_no_clock():
    with lab_or_skip("quad-4x2", plugin=False) as lab:
        said = lab.run(["sh", "-c", "echo ${HOMENODE_LAB_CLOCK-none}"], env={"PATH": "/bin"})
        inherited = lab.run(
            ["sh", "-c", "echo ${HOMENODE_LAB_CLOCK-none}"],
            env={"PATH": "/bin", "HOMENODE_LAB_CLOCK": "/host"},
        )
    assert said.stdout == inherited.stdout == b"none\n"


def test_a_scaled_machine_has_its_memory_and_its_time(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    lab_or_skip("tiny-2x2")
    record = tmp_path / "run.json"
    words = ["run", "--machine", "tiny-2x2", "--scale", "2", "--roi", "all", "--stats"]
    script = "cat /sys/devices/system/node/node1/meminfo"
    assert main([*words, "--json", str(record), "--", "sh", "-c", script]) == 0
    value = json.loads(record.read_text())
    out, err = capfd.readouterr()
    declared_mib = value["machine"]["nodes"][1]["memory_bytes"] >> 20
    seen_mib = int(out.split("MemTotal:")[1].split()[0]) >> 10
    assert declared_mib * 0.8 < seen_mib <= declared_mib
    assert value["time"] is None or value["time"]["seconds"] > 0
    assert ("modelled time, not measured" in err) == (value["time"] is not None)


def test_without_the_plugin_measure_names_the_option():
    command = shutil.which("homenode")
    assert command is not None, "homenode is not on PATH"
    with lab_or_skip("tiny-2x2", plugin=False) as lab:
        result = lab.run([command, "measure"], timeout_s=120)
    assert result.status == 3
    assert b"because of --no-plugin" in result.stderr
    assert b"run the lab without --no-plugin" in result.stderr

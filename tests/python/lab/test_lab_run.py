"""Programs in a booted guest: what comes through, and what they see of the host."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import example_programs as examples
import pytest
from lab_driver import ROOT

from homenode.lab import Lab, access_matrix, find_machine
from homenode.lab.counts import thread_matrix

pytestmark = pytest.mark.lab

LINE = 64
MIB = 1 << 20


def shell(lab: Lab, script: str, **options: object) -> tuple[int, str, str]:
    result = lab.run(["sh", "-c", script], timeout_s=120, **options)  # type: ignore[arg-type]
    return result.status, result.stdout.decode(), result.stderr.decode()


def test_output_and_exit_code_come_through(quad: Lab):
    assert shell(quad, "echo out; echo err >&2; exit 7") == (7, "out\n", "err\n")


def test_streams_can_be_opened_by_name(quad: Lab):
    assert shell(quad, "echo a >/dev/stderr; echo b >/dev/stdout") == (0, "b\n", "a\n")


def test_a_signal_comes_through(quad: Lab):
    result = quad.run(["sh", "-c", "kill -SEGV $$"])
    assert (result.signal, result.status) == (11, 139)


def test_a_time_out_ends_the_program_and_the_lab_goes_on(quad: Lab):
    result = quad.run(["sleep", "1000"], timeout_s=0.5)
    assert (result.timed_out, result.signal, result.status) == (True, 15, 124)
    assert shell(quad, "echo still here")[1] == "still here\n"


def test_programs_that_cannot_start_say_why(quad: Lab, tmp_path: Path):
    no_program = tmp_path / "text"
    no_program.write_text("x")
    missing_interpreter = tmp_path / "script"
    missing_interpreter.write_text("#!/no/such/shell\n")
    missing_interpreter.chmod(0o755)
    results = [quad.run([str(p)]) for p in ("no-such-program", no_program, missing_interpreter)]
    assert [r.status for r in results] == [127, 126, 127]
    assert [r.failure and r.failure[0] for r in results] == ["ENOENT", "EACCES", "ENOENT"]


def test_environment_words_and_directory_arrive_unchanged(quad: Lab, tmp_path: Path):
    words = ["a b", "", "ü\n*"]
    script = 'printf "%s|" "$@" "$ODD"; pwd'
    result = quad.run(
        ["sh", "-c", script, "sh", *words],
        env={"ODD": "x=\n y", "PATH": os.environ["PATH"]},
        cwd=tmp_path,
    )
    assert result.stdout.decode() == f"a b||ü\n*|x=\n y|{tmp_path}\n"


def test_a_missing_directory_is_said_and_replaced_by_the_root(quad: Lab):
    status, out, err = shell(quad, "pwd", cwd="/no/such/folder")
    assert (status, out) == (0, "/\n")
    assert "/no/such/folder" in err


def test_output_larger_than_any_buffer_is_whole(quad: Lab):
    assert len(quad.run(["head", "-c", "5000000", "/dev/zero"]).stdout) == 5_000_000


def test_what_a_program_leaves_running_does_not_outlive_it(quad: Lab):
    assert shell(quad, "setsid sleep 4321 & sleep 4321 & echo left")[:2] == (0, "left\n")
    count = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 432[1]'"
    assert shell(quad, count)[1] == "0\n"


def test_only_the_results_folder_reaches_the_host(quad: Lab, results: Path, tmp_path: Path):
    status, _, err = shell(quad, f"echo kept > {results}/file; touch /usr/x-homenode")
    assert status == 1 and "Read-only file system" in err
    assert (results / "file").read_text() == "kept\n"
    assert shell(quad, f"echo lost > {tmp_path}/file; cat {tmp_path}/file")[1] == "lost\n"
    assert not (tmp_path / "file").exists()


def test_files_that_change_between_two_runs_are_seen_as_they_are(quad: Lab, tmp_path: Path):
    file = tmp_path / "file"
    seen = []
    for content in ("one", "two, longer"):
        file.write_text(content)
        seen.append(shell(quad, f"cat {file}")[1])
    file.unlink()
    assert seen == ["one", "two, longer"]
    assert shell(quad, f"test -e {file}")[0] == 1


def test_the_guest_is_the_declared_machine(quad: Lab):
    machine = find_machine("quad-4x2")
    node = "/sys/devices/system/node"
    _, out, _ = shell(quad, f"cat {node}/online {node}/node*/distance {node}/node*/cpulist")
    lines = out.splitlines()
    assert lines[0] == "0-3"
    assert [tuple(map(int, line.split())) for line in lines[1:5]] == list(machine.distances)
    assert lines[5:] == ["0-1", "2-3", "4-5", "6-7"]


@pytest.mark.skipif(not shutil.which("numactl"), reason="numactl is not installed")
def test_numactl_shows_nodes_and_distances(quad: Lab):
    out = quad.run(["numactl", "--hardware"]).stdout.decode()
    assert "available: 4 nodes (0-3)" in out
    assert "node 3 cpus: 6 7" in out
    assert out.split()[-5:] == ["3:", "22", "16", "16", "10"]


def test_reads_and_writes_are_counted_where_they_came_from_and_went(
    quad: Lab, reader_and_writer: str
):
    result = quad.run([reader_and_writer], timeout_s=120)
    assert result.status == 0
    assert len(result.rois) == 1 and result.rois[0].ended_by == "marker"
    matrix = access_matrix(result.rois, quad.machine)
    lines = 8 * MIB // LINE
    assert matrix.loads[0][2] == pytest.approx(lines, rel=0.01)
    assert matrix.stores[1][2] == pytest.approx(lines, rel=0.01)
    assert matrix.misses == pytest.approx(2 * lines, rel=0.02)
    assert matrix.references >= 2 * lines
    if quad.emulator.registers:
        threads = thread_matrix(result.rois, quad.machine)
        assert [threads[rank][2] for rank in (0, 1)] == pytest.approx([lines, lines], rel=0.01)


def test_the_ranks_of_a_program_that_nobody_placed_are_known(quad: Lab):
    words = ["homenode-native", "bench", "npb", "is", "--class", "S", "--threads", "4"]
    result = quad.run(words, timeout_s=120)
    assert result.status == 0, result.stderr.decode()
    if quad.emulator.registers:
        assert set(thread_matrix(result.rois, quad.machine)) == {0, 1, 2, 3}


@pytest.mark.parametrize("program", examples.OWN_PROGRAMS)
def test_the_region_of_ones_own_program_is_counted_without_its_initialisation(
    quad: Lab, program: str, tmp_path: Path
):
    if compiler := examples.missing(program):
        pytest.skip(f"needs {compiler}")
    result = quad.run(examples.command(program, tmp_path), timeout_s=120)
    assert (result.status, result.stdout) == (0, f"sum {examples.ELEMENTS // 2}\n".encode())
    assert [roi.ended_by for roi in result.rois] == ["marker"]
    counted = access_matrix(result.rois, quad.machine)
    lines = examples.ELEMENTS * 8 // LINE
    loads, stores = (sum(map(sum, rows)) for rows in (counted.loads, counted.stores))
    assert loads == pytest.approx(lines, rel=0.05)
    assert stores < lines / 20  # Filling the array writes every line.


def test_a_run_without_markers_counts_nothing_unless_all_is_asked_for(quad: Lab):
    assert quad.run(["true"]).rois == ()
    everything = quad.run(["true"], roi="all").rois
    assert len(everything) == 1
    assert access_matrix(everything, quad.machine).references > 1000


def test_a_second_run_sees_only_its_own_counts(quad: Lab, reader_and_writer: str):
    first, second = (quad.run([reader_and_writer], timeout_s=120) for _ in range(2))
    assert len(first.rois) == len(second.rois) == 1
    assert second.rois[0].number > first.rois[0].number


KILLED = """
#include <signal.h>
#include "base/marker.h"
int main(void) {
  hn_marker_begin();
  raise(SIGKILL);
}
"""


def test_a_region_that_a_killed_program_left_open_is_its_own(
    quad: Lab, reader_and_writer: str, tmp_path: Path
):
    program = str(tmp_path / "killed")
    compiler = ["cc", f"-I{ROOT}/src", "-o", program, "-x", "c", "-"]
    subprocess.run(compiler, input=KILLED, text=True, check=True)
    killed, next_one = quad.run([program]), quad.run([reader_and_writer], timeout_s=120)
    assert killed.signal == signal.SIGKILL
    assert [roi.ended_by for roi in killed.rois] == ["exit"]
    assert [roi.ended_by for roi in next_one.rois] == ["marker"]


TWO_PROCESSES = """
#include <homenode/roi.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { bytes = 4 << 20 };
static volatile char* filled(void) {
  volatile char* memory = malloc(bytes);
  for (long i = 0; i < bytes; ++i) memory[i] = 1;
  return memory;
}
int main(void) {
  int ready[2], begun[2];
  char byte = 0;
  if (pipe(ready) != 0 || pipe(begun) != 0) return 1;
  if (fork() == 0) {
    volatile char* const own = filled();
    if (write(ready[1], &byte, 1) != 1 || read(begun[0], &byte, 1) != 1) return 1;
    for (long i = 0; i < bytes; i += 64) byte += own[i];
    _exit(byte == 77);
  }
  if (read(ready[0], &byte, 1) != 1) return 1;
  HN_BEGIN();
  if (write(begun[1], &byte, 1) != 1) return 1;
  wait(NULL);
  hn_roi_end();
  return 0;
}
"""


@pytest.mark.parametrize("begin", ["hn_roi_begin", "hn_roi_begin_all"])
def test_a_region_counts_one_process_or_every_one(quad: Lab, begin: str, tmp_path: Path) -> None:
    program = str(tmp_path / begin)
    words = ["cc", f"-I{ROOT}/include", f"-DHN_BEGIN={begin}", "-O1", "-o", program, "-x", "c", "-"]
    subprocess.run(words, input=TWO_PROCESSES, text=True, check=True)
    result = quad.run([program], timeout_s=120)
    assert result.status == 0
    assert [roi.ended_by for roi in result.rois] == ["marker"]
    loads = sum(map(sum, access_matrix(result.rois, quad.machine).loads))
    of_the_child = (4 * MIB) / LINE
    if begin == "hn_roi_begin_all":
        assert loads == pytest.approx(of_the_child, rel=0.1)
    else:
        assert loads < of_the_child / 10

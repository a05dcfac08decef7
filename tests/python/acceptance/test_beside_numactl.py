"""Command lines under a cpuset, an affinity and a filter do what numactl does with them.

A few lines with the numactl that is installed; all of them, and the table of differences, where
NUMACTL_SOURCE names the source tree of numactl 2.0.19.
"""

import os
import shlex
import shutil
from pathlib import Path

import pytest

from beside.lines import REFUSED, compare, compile_filter, run_lines
from beside.source import compile_suite
from homenode.lab import Lab

# On these numactl 2.0.16 is as 2.0.19.
LINES = [
    "-N 3",
    "-N all",
    "-N +0",
    "-N !0",
    "-N !+0",
    "-N 0,3",
    "-N 1",
    "-a -N 3",
    "-C 0",
    "-C 2",
    "-C all",
    "-C +0",
    "-a -C 2",
    "-m 1 -N same",
    "-i all",
    "-m 1,2",
    "-l -C 2",
]


@pytest.mark.skipif(not shutil.which("numactl"), reason="numactl is not installed")
@pytest.mark.parametrize("surrounding", ["cpuset", "taskset", "seccomp"])
def test_the_same_as_numactl(quad: Lab, command: str, surrounding: str, tmp_path: Path) -> None:
    filter_program = compile_filter(tmp_path)
    theirs, ours = (
        run_lines(quad, tool, surrounding, LINES, filter_program, tmp_path)
        for tool in ("numactl", f"{command} run")
    )
    assert ours == theirs
    assert REFUSED in ours.values()
    assert len(set(ours.values())) > 3


def test_a_node_that_the_cpuset_leaves_no_cpu_of_is_named(quad: Lab, command: str) -> None:
    """The kernel binds to what is left, and numactl says nothing."""
    group = "/tmp/half-a-cpuset"
    script = (
        f"mkdir -p {group}; mount -t cgroup2 none {group}; "
        f"echo +cpuset >{group}/cgroup.subtree_control; mkdir -p {group}/half; "
        f"echo 0-3 >{group}/half/cpuset.cpus; echo 0-3 >{group}/half/cpuset.mems; "
        f"echo $$ >{group}/half/cgroup.procs; "
        f"{shlex.quote(command)} run -N 1,3 grep Cpus_allowed_list /proc/self/status; "
        f"{shlex.quote(command)} run -N 3 true; echo $?"
    )
    result = quad.run(["sh", "-c", script])
    assert result.stdout.decode().split() == ["Cpus_allowed_list:", "2-3", "125"]
    note, refusal = result.stderr.decode().splitlines()
    assert note == (
        "homenode run: the cpuset of this process allows no CPU of node 3: it runs on the CPUs 2-3"
    )
    assert "6-7" in refusal


@pytest.mark.long
@pytest.mark.skipif("NUMACTL_SOURCE" not in os.environ, reason="NUMACTL_SOURCE names no source")
def test_the_table_has_every_difference(command: str, tmp_path: Path) -> None:
    build = tmp_path / "numactl"
    build.mkdir()
    compile_suite(Path(os.environ["NUMACTL_SOURCE"]).resolve(), build)
    assert compare(str(build / "numactl"), command, tmp_path) == []

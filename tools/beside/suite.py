"""numactl's own test suite in the lab, with `homenode run` in numactl's place.

    export NUMACTL_SOURCE=~/numactl-2.0.19
    ./dev bench numactl             on quad-4x2 and on three uneven nodes
    ./dev bench numactl --numactl   the same with numactl itself
    ./dev bench numactl --lines     single lines beside numactl

The variable names an unpacked source tree; it is compiled into a temporary folder.
"""

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path

from beside import lines
from beside.source import compile_suite
from homenode.lab import Lab
from homenode.lab.machine import Cpu, Machine
from homenode.node import Node

UNEVEN = Machine(
    "three uneven nodes",
    (
        Node(0, (0, 1, 2), 512 << 20),
        Node(1, (3,), 256 << 20),
        Node(2, (4, 5), 384 << 20),
    ),
    tuple(Cpu(cpu, package, cpu) for cpu, package in enumerate((0, 0, 0, 1, 2, 2))),
    ((10, 17, 26), (17, 10, 21), (26, 21, 10)),
)
# Those of its Makefile, and of those that it leaves to be run by hand all but realloc_test. That
# starts no numactl, and fails alone and on any machine: it has the kernel write a mask of all
# possible nodes, 128 bytes where there may be 1024, into an unsigned long on its stack.
TESTS = {
    "bind_range": "test/bind_range",
    "checkaffinity": "test/checkaffinity",
    "checktopology": "test/checktopology",
    "distance": "test/distance",
    "move_pages": "test/move_pages",
    "nodemap": "test/nodemap",
    "numademo": "test/numademo",
    "regress": "test/regress",
    "regress2": "test/regress2",
    "tbitmap": "test/tbitmap",
    "tshared": "test/tshared",
    "shmtest": "cd test && ./shmtest",
}
BEFORE = """
set -e
rm -rf /tmp/suite && cp -r {build} /tmp/suite && cd /tmp/suite
export builddir=/tmp/suite srcdir=/tmp/suite
echo 1 >/proc/sys/vm/stat_interval
for pages in /sys/devices/system/node/node*/hugepages/hugepages-2048kB/nr_hugepages
do echo 16 >$pages; done
set +e
"""


def run_suite(machine: str | Machine, build: Path, only: list[str]) -> bool:
    """Prints what each test ended with; False where one failed."""
    name = machine if isinstance(machine, str) else machine.name
    good = True
    with Lab(machine, plugin=False) as lab:
        for test in only:
            script = f"{BEFORE.format(build=shlex.quote(str(build)))}\n{TESTS[test]}"
            result = lab.run(["bash", "-c", script], timeout_s=4 * 3600)  # numademo takes three
            # 77 is automake's code of a test that does not apply.
            passed = result.status == 0
            good = good and passed
            print(f"{name}: {test}: {'passed' if passed else f'failed ({result.status})'}")
            if not passed:
                print((result.stdout + result.stderr).decode(errors="replace")[-2000:])
            sys.stdout.flush()
    return good


def show_lines(build: Path, version: str) -> None:
    """Compares single lines; fails where the table of differences is wrong."""
    found = lines.compare(str(build / "numactl"), "homenode", build)
    limits = len(lines.PREFIXES)
    print(f"{len(lines.LINES)} lines under {limits} limits beside numactl {version}: ", end="")
    print(f"{len(found)} differences that the table does not have", *found, sep="\n")
    if found:
        raise SystemExit(1)


def numactl_suite(words: list[str] | None = None) -> None:
    """The benchmark `numactl`, without options where `words` is None."""
    parser = argparse.ArgumentParser("./dev bench numactl", description=__doc__)
    parser.add_argument("--numactl", action="store_true", help="numactl itself")
    parser.add_argument("--lines", action="store_true", help="the lines of lines.txt instead")
    parser.add_argument("--machine", choices=("quad-4x2", "uneven"), help="that one only")
    parser.add_argument("tests", nargs="*", metavar="TEST", help=f"of {', '.join(TESTS)}")
    options = parser.parse_args(words or [])
    if "NUMACTL_SOURCE" not in os.environ:
        print("numactl's suite: name its source tree in NUMACTL_SOURCE")
        return
    if unknown := sorted(set(options.tests) - set(TESTS)):
        parser.error(f"no such test: {', '.join(unknown)}")
    machines: dict[str, str | Machine] = {"quad-4x2": "quad-4x2", "uneven": UNEVEN}
    chosen = [options.machine] if options.machine else list(machines)
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder)
        version = compile_suite(Path(os.environ["NUMACTL_SOURCE"]).resolve(), build)
        if options.lines:
            show_lines(build, version)
            return
        if not options.numactl:
            (build / "numactl").unlink()
            (build / "numactl").write_text('#!/bin/sh\nexec homenode run "$@"\n')
            (build / "numactl").chmod(0o755)
        who = "numactl" if options.numactl else "homenode run"
        print(f"the test suite of numactl {version} with {who}")
        good = [run_suite(machines[name], build, options.tests or list(TESTS)) for name in chosen]
    if not all(good):
        raise SystemExit(1)

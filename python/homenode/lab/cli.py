"""The command homenode-lab: run a program in a virtual NUMA machine, list and show machines."""

import argparse
import json
import math
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from homenode.errors import FAILED, USAGE
from homenode.files import write_whole
from homenode.lab import catalogue, render
from homenode.lab.errors import LabError
from homenode.lab.lab import Lab
from homenode.lab.result import Result
from homenode.lab.say import PROGRAM, say

EXIT_CODES = (
    "Exit codes: 0 done, 1 failed, 2 bad usage, 3 not supported here. Those of run are the "
    "program's; 128+N if signal N killed it; 124 timed out; 126, 127 not started; 1 the machine "
    "was lost."
)
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise LabError(f"{message}; '{self.prog} --help' lists the options", USAGE)


def parser() -> argparse.ArgumentParser:
    """The options of all subcommands."""
    top = _Parser(
        prog=PROGRAM,
        allow_abbrev=False,
        description="Runs programs of this host in virtual NUMA machines, counts which node uses "
        "which memory, and shows the machines there are. No root and no NUMA hardware is needed.",
        epilog=EXIT_CODES,
    )
    verbs = top.add_subparsers(dest="verb", required=True, metavar="run|list|show")
    run = verbs.add_parser(
        "run",
        allow_abbrev=False,
        help="run a program in a virtual machine",
        description="Runs a program of this host in a virtual NUMA machine: it sees the host's "
        "files read-only.",
        epilog=EXIT_CODES,
    )
    run.add_argument("--machine", required=True, metavar="NAME|FILE", help="see: lab list")
    run.add_argument("--results", metavar="DIR", help="a folder that the program may write to")
    run.add_argument(
        "--timeout", type=_seconds, metavar="S", help="end the program after S seconds (exit 124)"
    )
    run.add_argument(
        "--roi",
        choices=("markers", "all"),
        default="markers",
        help="count between the program's own markers, or everything from start to end",
    )
    run.add_argument(
        "--stats", action="store_true", help="print modelled time and accesses to stderr"
    )
    run.add_argument("--json", metavar="FILE", help="write the counts, as JSON, to a file")
    run.add_argument("--no-plugin", action="store_true", help="count nothing, run faster")
    run.add_argument(
        "--time",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="model time, or only count",
    )
    run.add_argument(
        "--scale",
        type=_scale,
        default=1,
        metavar="N",
        help="divide caches and memory by N, so that a small problem shows what a large one would",
    )
    run.add_argument("--node-memory", type=int, metavar="MIB", help="memory of each node")
    run.add_argument("--numa-balancing", action="store_true", help="let the guest's kernel balance")
    run.add_argument(
        "--cold", action="store_true", help="boot, instead of going on from an earlier boot"
    )
    run.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        metavar="-- CMD ...",
        help="the program and its arguments",
    )
    listing = verbs.add_parser(
        "list",
        help="list the machines of the catalogue",
        description="Lists the machines of the catalogue.",
    )
    listing.add_argument("--json", action="store_true", help="as JSON")
    show = verbs.add_parser(
        "show",
        help="show one machine",
        description="Shows the nodes, CPUs, memory and distances of a machine.",
    )
    show.add_argument("machine", metavar="NAME|FILE", help="a machine of the list, or its file")
    show.add_argument("--json", action="store_true", help="as JSON")
    return top


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds more than 0")
    return value


def _scale(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 1")
    return int(text)


@contextmanager
def _signals_passed_on(lab: Lab) -> Iterator[None]:
    """SIGINT and the like go to the program in the lab, while there is one."""

    def pass_on(number: int, _: FrameType | None) -> None:
        lab.interrupt(number)

    before = {
        number: signal.signal(number, pass_on)
        for number in PASSED_ON
        if signal.getsignal(number) != signal.SIG_IGN  # nohup, or a shell's background job.
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(options: argparse.Namespace) -> int:
    """The subcommand run. Returns the exit code; raises LabError."""
    command: list[str] = options.command
    if command[:1] == ["--"]:
        command = command[1:]
    if not command:
        raise LabError("no program was given; write it after --", USAGE)
    lab = Lab(
        options.machine,
        options.results,
        plugin=not options.no_plugin,
        node_memory_mib=options.node_memory,
        numa_balancing=options.numa_balancing,
        warm=not options.cold,
        timing=options.time,
        scale=options.scale,
    )
    with _signals_passed_on(lab), lab:
        result = lab.run(
            command,
            timeout_s=options.timeout,
            roi=options.roi,
            stdout=sys.stdout.buffer,
            stderr=sys.stderr.buffer,
        )
        lab.stop()
        rois = lab.rois(result.counts_from)
    if options.json is not None:
        value = render.run_json(command, result, rois, lab.machine, lab.versions, lab.boot_s)
        _write_json(Path(options.json), value)
    if options.stats:
        with suppress(BrokenPipeError):
            print(render.stats_text(rois, lab.machine), file=sys.stderr, flush=True)
    return _status(result, lab, command, options)


def _write_json(path: Path, value: object) -> None:
    try:
        write_whole(path, json.dumps(value).encode() + b"\n")
    except OSError as error:
        raise LabError(
            f"cannot write {path}: {error.strerror}; name another file with --json"
        ) from error


def _status(result: Result, lab: Lab, command: list[str], options: argparse.Namespace) -> int:
    """Says what the program's own output cannot say; returns the exit code."""
    if result.failure is not None:
        what = "was not found" if result.failure[0] == "ENOENT" else "cannot be executed"
        say(f"{command[0]} {what} ({result.failure[1]}); programs are those of this host")
    if result.timed_out:
        say(f"ended {command[0]} after {options.timeout:g} s; raise --timeout")
    if lab.ran_out_of_memory:
        say("the guest ran out of memory and killed the program; raise --node-memory")
    if result.signal == signal.SIGILL:
        say("the program used an instruction that QEMU lacks (AVX-512, ...); build it without")
    if result.lost:
        say("a part of the program's output was lost: the session's disk is full; set TMPDIR")
    full = lab.results is not None and os.statvfs(lab.results).f_bavail == 0
    if full:
        say(f"the results folder {lab.results} is full; make room there and run it again")
    return result.status or (FAILED if result.lost or full else 0)


def list_machines(options: argparse.Namespace) -> int:
    """The subcommand list."""
    machines = [catalogue.find_machine(name) for name in catalogue.names()]
    if options.json:
        print(json.dumps([render.machine_summary(machine) for machine in machines]))
        return 0
    width = max((len(machine.name) for machine in machines), default=0)
    for machine in machines:
        print(f"{machine.name:{width}}  {machine.description}")
    return 0


def show(options: argparse.Namespace) -> int:
    """The subcommand show."""
    machine = catalogue.find_machine(options.machine)
    if options.json:
        print(json.dumps(render.machine_summary(machine)))
    else:
        print(render.machine_text(machine))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    try:
        options = parser().parse_args(arguments)
        verbs = {"run": run, "list": list_machines, "show": show}
        return verbs[options.verb](options)
    except LabError as error:
        say(str(error))
        return error.exit_code

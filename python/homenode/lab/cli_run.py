"""The subcommands of homenode-lab that start a virtual machine: run and enter."""

import argparse
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from homenode.arguments import AS_VERB, at_least_one, positive
from homenode.errors import FAILED, USAGE, own_failure
from homenode.files import write_whole
from homenode.lab import render
from homenode.lab.enter import Shell
from homenode.lab.errors import LabError
from homenode.lab.lab import Lab
from homenode.lab.machine import DEFAULT_NODE_MEMORY_MIB
from homenode.lab.outputs import check_place, find_outputs
from homenode.lab.own_region import RoiChoice, chosen
from homenode.lab.result import Result
from homenode.lab.samples import check_samples, write_samples
from homenode.lab.signals import passed_on
from homenode.lab.text import say
from homenode.lab.timeline_file import check_timeline, write_timeline

EXIT_CODES = (
    "Exit codes: 0 done, 1 failed, 2 bad usage, 3 not supported here. For run and enter, the "
    "program's own; 128+N if signal N killed it; 124 timed out; 125 the lab itself failed, or lost "
    "the machine; 126 cannot be executed, 127 not found."
)

STDIN = 0
PAGE = 4096


def add_parsers(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the options of both; VERBS runs them."""
    run = verbs.add_parser(
        "run",
        allow_abbrev=False,
        help="run a program in a virtual machine",
        description="Runs a program of this host in a virtual NUMA machine: it sees the host's "
        "files read-only, and its standard streams are those of this command.",
        epilog=EXIT_CODES,
    )
    _machine_options(run)
    run.add_argument(
        "--timeout",
        type=positive("not a number of seconds above 0"),
        metavar="S",
        help="stop the program after S seconds (exit 124)",
    )
    run.add_argument("--json", metavar="FILE", help="write the counts as JSON to a file")
    run.add_argument(
        "--report",
        metavar="FILE",
        help="write a page of the run to look at in a browser: accesses, modelled time, and with "
        "--timeline FILE.svg what each thread did when",
    )
    run.add_argument(
        "--timeline",
        metavar="FILE",
        help="write what each thread did when, in modelled time: FILE.svg is a picture, FILE.json "
        "a trace that Perfetto and chrome://tracing open",
    )
    run.add_argument(
        "--samples",
        metavar="FILE",
        help="write which thread used which unit of memory how often, exactly, to a sample file",
    )
    run.add_argument(
        "--sample-unit",
        type=int,
        default=PAGE,
        metavar="BYTES",
        help="the unit that --samples counts by: a power of two, from a line of 64 bytes to 2 MiB "
        "(default: a page of 4096)",
    )
    run.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help="a file that the program writes; it is copied to the host when the program ends; "
        "may be repeated",
    )
    run.add_argument(
        "-n", "--no-input", action="store_true", help="leave the standard input to others"
    )
    run.add_argument(AS_VERB, action="store_true", help=argparse.SUPPRESS)
    run.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        metavar="-- CMD ...",
        help="the program and its arguments",
    )
    enter = verbs.add_parser(
        "enter",
        allow_abbrev=False,
        help="type commands for a virtual machine",
        description="Reads lines from the standard input and gives each to a shell in one "
        "virtual machine: each line is a command line of its own that keeps the "
        "directory and the exported variables. 'exit' or the end of the input ends "
        "it, with the exit code of the last line.",
        epilog=EXIT_CODES,
    )
    _machine_options(enter)


def _machine_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--machine", required=True, metavar="NAME|FILE", help="see: lab list")
    parser.add_argument("--results", metavar="DIR", help="a folder that programs may write to")
    parser.add_argument(
        "--roi",
        choices=("auto", "markers", "all"),
        help="count between the program's own markers; or everything from its start to its end; or "
        "(auto) everything unless it begins a region of its own, which takes longer for what comes "
        "before. Default: auto with --stats or --report, else markers",
    )
    parser.add_argument(
        "--stats",
        action="store_true",
        help="print modelled time, what each thread spent it on, and accesses to stderr",
    )
    parser.add_argument("--no-plugin", action="store_true", help="count nothing, run faster")
    parser.add_argument(
        "--time",
        action=argparse.BooleanOptionalAction,
        help="model time, or only count, which is faster (default: model time if QEMU can)",
    )
    parser.add_argument(
        "--scale",
        type=at_least_one,
        default=1,
        metavar="N",
        help="divide caches and memory by N, so that a small problem shows what a large one would",
    )
    parser.add_argument(
        "--node-memory",
        type=int,
        metavar="MIB",
        help="memory of each node (default: what the machine file says, else "
        f"{DEFAULT_NODE_MEMORY_MIB})",
    )
    parser.add_argument(
        "--numa-balancing",
        action="store_true",
        help="turn on automatic NUMA balancing in the guest's kernel",
    )
    parser.add_argument(
        "--huge-pages",
        action=argparse.BooleanOptionalAction,
        help="transparent huge pages, as Linux gives them unasked where there are 512 MiB or more "
        "(default: with, but without where --scale divides the memory, as these are not divided)",
    )
    parser.add_argument(
        "--cold",
        action="store_true",
        help="boot, instead of resuming from the snapshot of an earlier boot",
    )


def _lab(
    options: argparse.Namespace, *, timeline: bool = False, sample_unit: int | None = None
) -> Lab:
    return Lab(
        options.machine,
        options.results,
        plugin=not options.no_plugin,
        node_memory_mib=options.node_memory,
        numa_balancing=options.numa_balancing,
        warm=not options.cold,
        timing=options.time,
        scale=options.scale,
        timeline=timeline,
        sample_unit=sample_unit,
        huge_pages=options.huge_pages,
    )


def _roi(options: argparse.Namespace, command: list[str]) -> RoiChoice:
    """What is counted, of which a person is shown something or not."""
    return chosen(options.roi, options.stats or options.report is not None, command)


def enter(options: argparse.Namespace) -> int:
    """The subcommand enter. Returns the exit code; raises LabError."""
    lab = _lab(options)
    with passed_on(lab), lab:
        return Shell(lab, options.roi, options.stats).read(sys.stdin)


def run(options: argparse.Namespace) -> int:
    """The subcommand run. Returns the exit code; raises LabError."""
    command: list[str] = options.command
    if command[:1] == ["--"]:
        command = command[1:]
    if not command:
        raise LabError("the program is missing; write it after --", USAGE)
    # What cannot be is said before a boot that would be in vain.
    timeline = None if options.timeline is None else check_timeline(options.timeline)
    samples = None if options.samples is None else check_samples(options.samples)
    if options.report is not None:
        check_place(Path(options.report))
    roi = _roi(options, command)
    lab = _lab(
        options,
        timeline=timeline is not None,
        sample_unit=None if samples is None else options.sample_unit,
    )
    find_outputs(options.output, lab.results)
    if timeline is not None and not lab.timing:
        raise LabError("--timeline needs modelled time; run without --no-time", USAGE)
    with passed_on(lab), lab:
        result = lab.run(
            command,
            timeout_s=options.timeout,
            roi=roi,
            stdout=sys.stdout.buffer,
            stderr=sys.stderr.buffer,
            outputs=options.output,
            stdin=None if options.no_input else STDIN,
        )
        lab.stop()
        rois = lab.rois(result.counts_from)
        timelines = lab.timelines()
        if samples is not None:
            write_samples(samples, lab, result, command, roi)
    if timeline is not None:
        write_timeline(timeline, command, lab.machine.name, rois, timelines)
    value = render.run_json(command, result, rois, lab.machine, lab.versions, lab.boot_s)
    if options.json is not None:
        _write(options.json, json.dumps(value) + "\n", "--json")
    if options.report is not None:
        _write(options.report, _report(value, timeline), "--report")
    if options.stats:
        with suppress(BrokenPipeError):
            text = render.stats_text(rois, lab.machine, everything=roi == "all")
            print(text, file=sys.stderr, flush=True)
    return _status(result, lab, command, options)


def _report(run: dict[str, Any], timeline: Path | None) -> str:
    """The page; its templates are loaded for it alone."""
    from homenode.pages import html, lab

    drawn = timeline is not None and timeline.suffix.lower() == ".svg"
    return html.render(lab.page(run, timeline.read_text() if drawn and timeline else ""))


def _write(path: str, text: str, option: str) -> None:
    try:
        write_whole(Path(path), text.encode())
    except OSError as error:
        raise LabError(
            f"cannot write {path}: {error.strerror}; name another file with {option}"
        ) from error


def _status(result: Result, lab: Lab, command: list[str], options: argparse.Namespace) -> int:
    """Says what the program's own output cannot say; returns the exit code."""
    if result.failure is not None:
        what = "was not found" if result.failure[0] == "ENOENT" else "cannot be executed"
        say(f"{command[0]} {what} ({result.failure[1]}); the lab runs programs of this host")
    if result.timed_out:
        say(f"stopped {command[0]} after {options.timeout:g} s; raise --timeout")
    if lab.ran_out_of_memory:
        say("the guest ran out of memory and killed the program; raise --node-memory")
    if result.signal == signal.SIGILL:
        say("the program used an instruction that QEMU lacks (AVX-512, ...); build it without")
    if result.lost:
        what = "input" if set(result.lost) == {"stdin"} else "output"
        say(f"part of the program's {what} was lost: the session's disk is full; set TMPDIR")
    if result.strays:
        say(
            f"the program wrote {result.strays} other files beside its output, and they are "
            "lost; name each with --output"
        )
    full = lab.results is not None and os.statvfs(lab.results).f_bavail == 0
    if full:
        say(f"the results folder {lab.results} is full; free some space there and run it again")
    failed = own_failure(FAILED, names_program=not options.as_verb)
    return result.status or (failed if result.lost or full else 0)


VERBS = {"run": run, "enter": enter}

"""The command line of `homenode tune`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from homenode.arguments import ProgramParser, at_least_one, positive
from homenode.tune.budget import budget
from homenode.tune.metric import complaint
from homenode.tune.running import AUTO, NONE, Sampling

EPILOG = (
    "Exit codes: 0 done, also where nothing is better; 1 failed, 2 bad usage, 3 not supported "
    "here, 130 stopped by Ctrl-C."
)
# Those of `homenode sample` that tell which thread uses which page.
SOURCES = (AUTO, NONE, "lab", "pmu", "hint-faults", "soft-dirty", "pkeys")
MARGIN = 2.0
MOST = 8


def _pattern(text: str) -> str:
    wrong = complaint(text)
    if wrong is not None:
        raise argparse.ArgumentTypeError(wrong)
    return text


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    top = ProgramParser(
        prog="homenode tune",
        allow_abbrev=False,
        usage="homenode tune [OPTIONS] -- PROGRAM [ARGUMENTS]",
        description="Finds the placement of threads and memory that makes a program fastest, by "
        "running it: placements and the program as it is take turns until the answer is sure or "
        "the budget is used. It ends with a command, the gain with its confidence interval, and "
        "the reason. That nothing is better is an answer too. Every run is kept; the same command "
        "goes on where it was stopped.",
        epilog=EPILOG,
    )
    _measured(top)
    _runs(top)
    _printed(top)
    return top


def _measured(top: argparse.ArgumentParser) -> None:
    """What is measured, and when a run counts."""
    number = positive("no number of seconds above 0")
    top.add_argument(
        "--metric",
        metavar="REGEX",
        type=_pattern,
        help="compare a number that is printed, not the time: the regular expression's first group",
    )
    way = top.add_mutually_exclusive_group()
    way.add_argument("--higher", action="store_true", help="with --metric: a higher one is better")
    way.add_argument("--lower", action="store_true", help="with --metric: a lower one (default)")
    top.add_argument(
        "--load",
        metavar="CMD",
        help="the program is a server: run this command of the shell against it, measure that, "
        "then end the server",
    )
    top.add_argument(
        "--ready",
        metavar="CMD",
        help="with --load: a command that succeeds once the server is ready (default: it listens)",
    )
    top.add_argument(
        "--check",
        metavar="CMD",
        help="must succeed after every run, and gets what the program printed as its input; a "
        "placement that fails it has lost",
    )
    top.add_argument("--prepare", metavar="CMD", help="runs before every run, and is not measured")
    top.add_argument(
        "--ignore-output",
        action="store_true",
        help="accept placements under which the program prints something else",
    )
    top.add_argument("--timeout", metavar="S", type=number, help="a run that takes longer failed")


def _runs(top: argparse.ArgumentParser) -> None:
    """How much is run, and where."""
    top.add_argument(
        "--budget",
        type=budget,
        default="10m",
        metavar="TIME|RUNS",
        help="stop after so much: 90s, 10m, 2h or 20runs (default: 10m)",
    )
    top.add_argument(
        "--margin",
        metavar="PERCENT",
        type=positive("no percentage above 0"),
        default=MARGIN,
        help="a smaller gain is none worth having (default: 2)",
    )
    top.add_argument(
        "--candidates",
        metavar="N",
        type=at_least_one,
        default=MOST,
        help=f"try at most so many placements (default: {MOST})",
    )
    top.add_argument(
        "--with",
        dest="source",
        metavar="SOURCE",
        choices=SOURCES,
        help="look at the program first, in a run with this source of 'homenode sample', so that "
        f"models can order the placements: {', '.join(SOURCES[2:])}; auto: the best that works "
        "here; none: try them by a rule (default: auto)",
    )
    top.add_argument(
        "--overhead",
        metavar="SHARE",
        help="what that look may cost, over the program's processor time (default: 10%%)",
    )
    top.add_argument("--keep-threads", action="store_true", help="leave the threads where they are")
    top.add_argument("--no-preload", action="store_true", help="put no library into the program")
    top.add_argument(
        "--machine",
        metavar="NAME|FILE",
        help="tune for this machine, in the lab, by modelled time",
    )
    top.add_argument(
        "--roi",
        choices=("markers", "all"),
        help="with --machine: the time between the program's own markers, or all of it (default: "
        "markers)",
    )
    top.add_argument(
        "--results",
        metavar="FOLDER",
        type=Path,
        help="the folder for the runs (default: results/tune-PROGRAM-… of its own)",
    )
    top.add_argument(
        "--fresh",
        action="store_true",
        help="measure everything again; older runs are renamed and kept",
    )


def _printed(top: argparse.ArgumentParser) -> None:
    """What comes out."""
    top.add_argument(
        "--json", metavar="FILE|-", help="write the answer as JSON; - prints it instead of the text"
    )
    top.add_argument(
        "--recipe",
        metavar="FILE",
        type=Path,
        help="write what 'homenode run --recipe FILE' applies, where a placement is better",
    )
    top.add_argument(
        "--output", metavar="FILE", type=Path, help="write a self-contained HTML page about it"
    )
    top.add_argument(
        "--emit",
        choices=("numactl", "omp", "slurm", "likwid"),
        help="print the better placement for another tool too, as 'homenode run --emit' does",
    )


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of a command line; bad usage ends the program."""
    top = parser()
    options = top.parse_args(arguments)
    if not options.program:
        top.error("the program is missing; write it after --")
    if (options.higher or options.lower) and options.metric is None:
        top.error("--higher and --lower say which number is better; name it with --metric")
    if options.ready is not None and options.load is None:
        top.error("--ready belongs to --load")
    if options.roi is not None and options.machine is None:
        top.error("--roi belongs to --machine")
    if options.machine is not None:
        _for_the_lab(top, options)
    options.sampling = Sampling(options.source or AUTO, options.overhead or Sampling.overhead)
    return options


def _for_the_lab(top: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """What goes together with --machine."""
    for name in ("metric", "load", "prepare", "check"):
        if getattr(options, name) is not None:
            top.error(f"--{name} does not go together with --machine, which models time")
    if options.source is not None or options.overhead is not None:
        top.error("--with and --overhead do not go together with --machine, which counts all")

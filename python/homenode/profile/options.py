"""The command line of `homenode profile`: taking a profile, and what is done with its samples."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from homenode.arguments import Parser, ProgramParser, at_least_one, positive
from homenode.profile.export import FORMATS

TAKE = "take"
EPILOG = (
    "Exit codes: 0 done, 1 failed, 2 bad usage, 3 not supported here. With a program to start, its "
    "own; 128+N if signal N killed it; 125 the profile failed, 126 cannot be executed, 127 not "
    "found."
)


class ProfileParser(ProgramParser):
    """Knows that `take` may be left out."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The options, of `take` where no command is named."""
        words = list(sys.argv[1:] if args is None else args)
        if words[:1] not in ([name] for name in (*COMMANDS, "-h", "--help")):
            words.insert(0, TAKE)
        return super().parse_args(words, namespace)


def _pid(text: str) -> int:
    try:
        return at_least_one(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no process; a program stands after --, as in 'homenode profile -- {text}'"
        ) from error


def _shown(parser: argparse.ArgumentParser) -> None:
    """What a profile is shown as."""
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="write the profile as one self-contained HTML page",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the profile as JSON instead of the summary"
    )


def _take(commands: Any) -> None:
    take = commands.add_parser(
        TAKE,
        allow_abbrev=False,
        usage="homenode profile [OPTIONS] PID | -- PROGRAM [ARGUMENTS]",
        help="profile a process, or a program from its start (the word may be left out)",
        description="Watches which thread uses which memory, of a live process or of a program "
        "that it starts, and says which objects cause the remote uses and what would heal them. "
        "The word 'take' may be left out. Ctrl-C ends the profile of a process, not the process, "
        "and shows what was seen.",
        epilog=EPILOG,
    )
    take.add_argument("pid", metavar="PID", type=_pid, nargs="?", help="the process")
    take.add_argument(
        "--with",
        dest="source",
        metavar="SOURCE",
        default="auto",
        help="the source of samples, or auto: the best that works here; 'homenode sample --list' "
        "lists them (default: auto)",
    )
    take.add_argument(
        "--machine",
        metavar="NAME|FILE",
        help="run the program in the lab on this machine; every access is then counted, unless "
        "--with names a source that samples",
    )
    take.add_argument(
        "--samples", metavar="FILE", type=Path, help="keep the samples, for show, diff and export"
    )
    take.add_argument(
        "--duration",
        metavar="S",
        type=positive("no number of seconds above 0"),
        help="end the profile, not the program, after S",
    )
    take.add_argument(
        "--overhead",
        metavar="SHARE",
        help="what the profile may cost of the program's CPU time, such as 1%% or 0.5%%",
    )
    _shown(take)


def _others(commands: Any) -> None:
    show = commands.add_parser(
        "show",
        allow_abbrev=False,
        help="show the profile of a sample file",
        description="Shows the profile of samples that were kept, or that are still being written.",
        epilog=EPILOG,
    )
    show.add_argument("file", metavar="FILE", type=Path, help="the samples")
    _shown(show)
    diff = commands.add_parser(
        "diff",
        allow_abbrev=False,
        help="compare two profiles",
        description="Says what became better and worse from one profile to another, for each "
        "object and on the whole. Objects are the same where their names and kinds are.",
        epilog=EPILOG,
    )
    diff.add_argument("before", metavar="BEFORE", type=Path, help="the samples before")
    diff.add_argument("after", metavar="AFTER", type=Path, help="the samples after")
    diff.add_argument("--json", action="store_true", help="print the comparison as JSON")
    export = commands.add_parser(
        "export",
        allow_abbrev=False,
        help="write samples for other tools",
        description="Writes samples in the form of another tool: "
        + "; ".join(f"{name}: {form.what}" for name, form in FORMATS.items())
        + ".",
        epilog=EPILOG,
    )
    export.add_argument("file", metavar="FILE", type=Path, help="the samples")
    export.add_argument(
        "--as", dest="form", required=True, choices=list(FORMATS), help="the form to write"
    )
    export.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="the file to write (default: the samples' name with the form's ending)",
    )


def _objects(commands: Any) -> None:
    objects = commands.add_parser(
        "objects",
        allow_abbrev=False,
        help="show on which nodes the objects of a live process are",
        description="Shows on which nodes the pages of each object are: static data by its name, "
        "arrays that the program named through the library, stacks, files, and other mappings. "
        "'homenode where PID --objects' is this.",
        epilog=EPILOG,
    )
    objects.add_argument("pid", metavar="PID", type=_pid, help="the process")
    objects.add_argument("--json", action="store_true", help="print all objects as JSON")


def _import(commands: Any) -> None:
    taken = commands.add_parser(
        "import",
        allow_abbrev=False,
        help="take over what perf recorded, here or elsewhere",
        description="Turns a perf.data file of 'perf mem record', or the text that 'perf script' "
        "prints of it, into samples for show, diff and export.",
        epilog=EPILOG,
    )
    taken.add_argument("file", metavar="FILE", type=Path, help="perf.data, or perf's text")
    taken.add_argument(
        "--samples", metavar="FILE", type=Path, required=True, help="the sample file to write"
    )
    taken.add_argument(
        "--topology",
        metavar="FILE",
        type=Path,
        help="what 'homenode topology --json' prints where it was recorded: the nodes of CPUs",
    )
    taken.add_argument(
        "--fields", metavar="LIST", help="of a text with other fields: what 'perf script -F' got"
    )
    taken.add_argument(
        "--ghz",
        type=positive("no clock in GHz, such as 2.4"),
        metavar="GHZ",
        help="the cores' clock, where perf does not name it",
    )


COMMANDS = (TAKE, "show", "diff", "export", "import", "objects")


def parser() -> argparse.ArgumentParser:
    """The options of all commands."""
    top = ProfileParser(
        prog="homenode profile",
        allow_abbrev=False,
        usage="homenode profile [OPTIONS] PID | -- PROGRAM [ARGUMENTS]\n"
        "       homenode profile show|diff|export|import|objects …",
        description="Shows which thread uses which memory, which objects cause the remote uses, "
        "and what would heal them, of any program. 'homenode profile take --help' lists the "
        "options; 'take' may be left out.",
        epilog=EPILOG,
    )
    commands = top.add_subparsers(
        dest="command",
        required=True,
        metavar="|".join(COMMANDS),
        parser_class=Parser,
        prog="homenode profile",
    )
    _take(commands)
    _others(commands)
    _import(commands)
    _objects(commands)
    return top


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of a command line; bad usage ends the program."""
    top = parser()
    options = top.parse_args(arguments)
    if options.command != TAKE:
        if options.program:
            top.error(f"'{options.command}' takes no program")
        return options
    if (options.pid is None) == (not options.program):
        top.error("name a process by its PID, or a program after --")
    if options.pid is not None and options.machine is not None:
        top.error("--machine runs a program; write it after --")
    return options

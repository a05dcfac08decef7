"""The command homenode-lab: programs in virtual NUMA machines, and the machines there are."""

import argparse
import sys
from collections.abc import Sequence

from homenode.arguments import names_program
from homenode.errors import USAGE, own_failure
from homenode.lab import cli_machines, cli_run
from homenode.lab.errors import LabError
from homenode.lab.text import PROGRAM, say


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise LabError(f"{message}; '{self.prog} --help' lists the options", USAGE)


def parser() -> argparse.ArgumentParser:
    """The options of all subcommands."""
    top: argparse.ArgumentParser = _Parser(
        prog=PROGRAM,
        allow_abbrev=False,
        description="Runs programs of this host in virtual NUMA machines, counts which node uses "
        "which memory, and shows the machines there are. No root and no NUMA hardware is needed.",
        epilog=cli_run.EXIT_CODES,
    )
    verbs = top.add_subparsers(dest="verb", required=True, metavar="run|enter|list|show|new")
    cli_run.add_parsers(verbs)
    cli_machines.add_parsers(verbs)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = parser().parse_args(words)
        verbs = {**cli_run.VERBS, **cli_machines.VERBS}
        return verbs[options.verb](options)
    except LabError as error:
        say(str(error))
        return own_failure(error.exit_code, names_program=names_program("lab", words))

"""The command homenode-lab: programs in virtual NUMA machines, and the machines there are."""

import argparse
import json
from collections.abc import Sequence

from homenode.errors import USAGE
from homenode.lab import catalogue, cli_run, render
from homenode.lab.errors import LabError
from homenode.lab.say import PROGRAM, say


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
    verbs = top.add_subparsers(dest="verb", required=True, metavar="run|enter|list|show")
    cli_run.add_parsers(verbs)
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
        verbs = {**cli_run.VERBS, "list": list_machines, "show": show}
        return verbs[options.verb](options)
    except LabError as error:
        say(str(error))
        return error.exit_code

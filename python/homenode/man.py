"""`python3 -m homenode.man VERB`: what a Python verb's man page says, from its parser, as JSON.

`homenode --man-page -` makes the page of it, as it does those of the built-in verbs.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from homenode import verbs

SEE_ALSO = ("homenode", *(f"homenode-{name}" for name in verbs.PYTHON))


@dataclass(frozen=True)
class Verb:
    """What a page says and the parser does not."""

    name: str
    examples: tuple[tuple[str, str], ...]

    @property
    def summary(self) -> str:
        """That of `homenode --help`."""
        return verbs.VERBS[self.name].summary

    def parser(self) -> argparse.ArgumentParser:
        """The parser of the verb."""
        make: Callable[[], argparse.ArgumentParser]
        make = import_module(f"homenode.{self.name}.cli").parser
        return make()


VERBS = {
    verb.name: verb
    for verb in (
        Verb(
            "profile",
            (
                (
                    "homenode profile -- ./solver input",
                    "Run a program and see which of its objects cause remote uses",
                ),
                (
                    "homenode profile --duration 10 --output redis.html 1234",
                    "Watch process 1234 for ten seconds, and make a page of it",
                ),
                (
                    "homenode profile --machine quad-4x2 --samples before.hns -- "
                    "homenode bench map --size 4m --threads 8",
                    "Count every access of a program in the lab, and keep the counts",
                ),
                (
                    "homenode profile diff before.hns after.hns",
                    "Say what became better and worse",
                ),
                (
                    "homenode profile export before.hns --as pprof --output before.pb.gz",
                    "Write samples for go tool pprof",
                ),
            ),
        ),
        Verb(
            "tune",
            (
                (
                    "homenode tune -- ./solver input",
                    "Find the placement under which a program takes the least time",
                ),
                (
                    "homenode tune --budget 20runs --metric 'rate: ([0-9.]+)' --higher -- ./solver",
                    "Compare a rate that the program prints, in twenty runs",
                ),
                (
                    "homenode tune --load 'redis-benchmark -q -n 100000 -t get' -- redis-server",
                    "Tune a server by the time that a load takes",
                ),
                (
                    "homenode tune --machine quad-4x2 -- homenode bench map --size 1m --threads 4",
                    "Tune for another machine, in the lab, by modelled time",
                ),
                (
                    "homenode tune --recipe solver.json -- ./solver input",
                    "Write what 'homenode run --recipe solver.json -- ./solver input' applies",
                ),
            ),
        ),
        Verb(
            "lab",
            (
                ("homenode lab list", "List the machines of the catalogue"),
                (
                    "homenode lab run --machine quad-4x2 --stats -- sort /etc/passwd",
                    "Run a program of this host on four nodes, and see which node used which "
                    "memory",
                ),
                (
                    "homenode lab run --machine quad-4x2 --timeline threads.svg -- "
                    "homenode bench stream --size 1m --threads 4",
                    "Draw when the program's threads computed, waited for memory, spun and slept",
                ),
                (
                    "homenode lab enter --machine tiny-2x2",
                    "Type command lines for a virtual machine",
                ),
            ),
        ),
        Verb(
            "study",
            (
                (
                    "homenode study demo --dry-run",
                    "List the cases of a study that comes with homenode",
                ),
                ("homenode study demo --out results/demo", "Run it, or resume it where it stopped"),
                ("homenode study demo --on slurm", "Run its cases as an array job"),
            ),
        ),
        Verb(
            "report",
            (
                (
                    "homenode report results/demo -o demo.html",
                    "Make the page of a study that has run",
                ),
                ("homenode report results/demo --json", "Print the same judgements as data"),
            ),
        ),
        Verb(
            "fleet",
            (
                (
                    "homenode fleet report nodes --html nodes.html",
                    "Name the nodes that are unlike the others, and make a page of it",
                ),
                ("homenode fleet report nodes --json", "Print the same as data"),
            ),
        ),
        Verb(
            "draw",
            (
                (
                    "homenode draw topology machine.json -o machine.svg",
                    "Draw the machine that 'homenode topology --json' printed into machine.json",
                ),
                (
                    "homenode draw measure measured.json -o measured.svg",
                    "Draw heat maps of what 'homenode measure --json' printed",
                ),
            ),
        ),
    )
}


Description = dict[str, Any]


def description(verb: Verb) -> Description:
    """All that the man page of a verb says, as `homenode --man-page -` reads it."""
    parser = verb.parser()
    name = f"homenode-{verb.name}"
    return {
        "name": name,
        "summary": verb.summary,
        "synopsis": list(_synopsis(f"homenode {verb.name}", parser)),
        "description": _line(parser.description),
        "options": list(_arguments(parser)),
        "commands": [
            {"name": word, "text": _line(child.description), "options": list(_arguments(child))}
            for word, child in subparsers(parser).items()
        ],
        "exit_status": _line(parser.epilog).removeprefix("Exit codes: "),
        "examples": [list(example) for example in verb.examples],
        "see_also": [f"{page}(1)" for page in SEE_ALSO if page != name],
    }


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the words under a verb, by word."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _visible(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action
        for action in parser._actions
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction)
    ]


def _metavar(action: argparse.Action) -> str:
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    if action.choices is not None:
        return "|".join(str(choice) for choice in action.choices)
    return action.dest.upper()


def _synopsis(command: str, parser: argparse.ArgumentParser) -> Iterator[list[list[str]]]:
    below = subparsers(parser)
    if below:
        for name, child in below.items():
            yield from _synopsis(f"{command} {name}", child)
        return
    words = [["bold", command]]
    for action in _visible(parser):
        positional = not action.option_strings
        if action.required and not positional:
            words.append(["bold", action.option_strings[-1]])
        if action.required or positional:
            words.append(["italic", _metavar(action)])
            if action.nargs == "+":
                words.append(["plain", "..."])
    yield words


def _arguments(parser: argparse.ArgumentParser) -> Iterator[Description]:
    for action in _visible(parser):
        takes_value = not action.option_strings or action.nargs != 0
        text = (action.help or "").rstrip(".") % {"default": action.default}
        text = f"{text[:1].upper()}{text[1:]}." if text else ""
        if action.choices is not None and action.default is not None:
            text += f" Default: {action.default}."
        yield {
            "names": list(action.option_strings),
            "value": _metavar(action) if takes_value else "",
            "text": _line(text),
        }


def main(arguments: list[str] | None = None) -> int:
    """Prints the description of the verb that is named; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m homenode.man", description=__doc__)
    parser.add_argument("verb", choices=sorted(VERBS))
    print(json.dumps(description(VERBS[parser.parse_args(arguments).verb])))
    return 0


if __name__ == "__main__":
    sys.exit(main())

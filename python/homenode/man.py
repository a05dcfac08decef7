"""`python3 -m homenode.man VERB`: a Python verb's man page, from its parser, in roff.

It has the layout of the pages that `homenode --man-page` makes of the built-in verbs.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

from homenode import verbs

SEE_ALSO = ("homenode", *(f"homenode-{name}" for name in verbs.PYTHON))
ESCAPES = {"\\": r"\(rs", "-": r"\-", "'": r"\(aq", "~": r"\(ti"}


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
            "lab",
            (
                ("homenode lab list", "The machines of the catalogue"),
                (
                    "homenode lab run --machine quad-4x2 --roi all --stats -- sort /etc/passwd",
                    "A program of this host on four nodes, and which node used which memory",
                ),
                ("homenode lab enter --machine tiny-2x2", "Type command lines for one machine"),
            ),
        ),
        Verb(
            "study",
            (
                ("homenode study demo --dry-run", "The cases of a study that comes with homenode"),
                ("homenode study demo --out results/demo", "Run it, or go on where it stopped"),
            ),
        ),
        Verb(
            "report",
            (
                ("homenode report results/demo -o demo.html", "The page of a study that has run"),
                ("homenode report results/demo --json", "The same judgements as data"),
            ),
        ),
    )
}


def escape(text: str) -> str:
    """Text that roff prints as it is: hyphens stay ASCII, so that commands can be copied."""
    escaped = "".join(
        ESCAPES.get(c, c if c.isascii() else f"\\[u{ord(c):04X}]") for c in " ".join(text.split())
    )
    return rf"\&{escaped}" if escaped.startswith(".") else escaped


def bold(text: str) -> str:
    """Words to be typed as they are."""
    return rf"\fB{escape(text)}\fR"


def italic(text: str) -> str:
    """Words that stand for others."""
    return rf"\fI{escape(text)}\fR"


def page(verb: Verb, version: str) -> str:
    """The man page of a verb, as it is in this version of homenode."""
    parser = verb.parser()
    name = f"homenode-{verb.name}"
    return "\n".join(
        [
            f'.TH {escape(name.upper())} 1 "" "homenode {escape(version)}" "User Commands"',
            ".nh\n.ad l",
            f".SH NAME\n{escape(name)} \\- {escape(verb.summary)}",
            ".SH SYNOPSIS\n" + "\n.br\n".join(_synopsis(f"homenode {verb.name}", parser)),
            f".SH DESCRIPTION\n{escape(parser.description or '')}",
            *_arguments(parser, ".SH OPTIONS"),
            *_commands(parser),
            *_exit_status(parser),
            *_examples(verb),
            ".SH SEE ALSO\n" + ",\n".join(f"{bold(p)}(1)" for p in SEE_ALSO if p != name),
            "",
        ]
    )


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


def _synopsis(command: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    below = subparsers(parser)
    if below:
        for name, child in below.items():
            yield from _synopsis(f"{command} {name}", child)
        return
    words = [bold(command)]
    for action in _visible(parser):
        needed = action.required and action.option_strings
        if needed or not action.option_strings:
            value = italic(_metavar(action)) + (r" \&..." if action.nargs == "+" else "")
            words.append(f"{bold(action.option_strings[-1])} {value}" if needed else value)
    yield " ".join([words[0], r"[\fIOPTIONS\fR]", *words[1:]])


def _arguments(parser: argparse.ArgumentParser, heading: str = "") -> Iterator[str]:
    if heading:
        yield heading
    for action in _visible(parser):
        term = ", ".join(bold(name) for name in action.option_strings)
        if not action.option_strings:
            term = italic(_metavar(action))
        elif action.nargs != 0:
            term += f" {italic(_metavar(action))}"
        text = (action.help or "").rstrip(".") % {"default": action.default}
        text = f"{text[:1].upper()}{text[1:]}." if text else ""
        if action.choices is not None and action.default is not None:
            text += f" Default: {action.default}."
        yield f".TP\n{term}\n{escape(text)}"


def _commands(parser: argparse.ArgumentParser) -> Iterator[str]:
    below = subparsers(parser)
    if below:
        yield ".SH COMMANDS"
    for name, child in below.items():
        yield f".SS {escape(name)}"
        if child.description:
            yield escape(child.description)
        yield from _arguments(child)


def _exit_status(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield ".SH EXIT STATUS"
    yield escape((parser.epilog or "").removeprefix("Exit codes: "))


def _examples(verb: Verb) -> Iterator[str]:
    yield ".SH EXAMPLES"
    yield "\n.PP\n".join(
        f"{escape(what)}:\n.PP\n.RS 4\n.nf\n{bold(command)}\n.fi\n.RE"
        for command, what in verb.examples
    )


def main(arguments: list[str] | None = None) -> int:
    """Prints the page of the verb that is named; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m homenode.man", description=__doc__)
    parser.add_argument("verb", choices=sorted(VERBS))
    parser.add_argument("--version", default="", help="the version that the page names")
    options = parser.parse_args(arguments)
    print(page(VERBS[options.verb], options.version), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

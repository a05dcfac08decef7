"""The parser of every verb's options: what is wrong with them is one line and exit code 2."""

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from homenode.errors import USAGE

# Of lab run: the program is another verb of homenode's, and its exit codes are those of verbs.
AS_VERB = "--as-verb"


class Parser(argparse.ArgumentParser):
    """As argparse's, but a mistake does not print the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Says what is wrong and ends the program."""
        print(f"{self.prog}: {message}; '{self.prog} --help' lists the options", file=sys.stderr)
        raise SystemExit(USAGE)


class ProgramParser(Parser):
    """Of a verb that runs a program, whose own options follow --."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The options; `program` is what stands after --."""
        words = list(sys.argv[1:] if args is None else args)
        program: list[str] = []
        if "--" in words:
            at = words.index("--")
            words, program = words[:at], words[at + 1 :]
        options = super().parse_args(words, namespace)
        options.program = program
        return options


def names_program(verb: str, words: Sequence[str]) -> bool:
    """Whether the command line of a Python verb gives it a program to start, whose exit code is
    then the verb's. (tune starts programs for its own ends.)"""
    if verb == "lab":
        own = words[: words.index("--")] if "--" in words else words
        return words[:1] in (["run"], ["enter"]) and AS_VERB not in own
    return verb == "profile" and "--" in words


def positive(otherwise: str) -> Callable[[str], float]:
    """What reads an option's number above 0; of all else it says "'TEXT' is `otherwise`"."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value < math.inf:
            raise argparse.ArgumentTypeError(f"'{text}' is {otherwise}")
        return value

    return read


def at_least_one(text: str) -> int:
    """An option's whole number of at least 1."""
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return int(text)

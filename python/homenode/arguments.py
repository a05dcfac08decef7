"""The parser of every verb's options: what is wrong with them is one line and exit code 2."""

import argparse
import sys
from typing import NoReturn

from homenode.errors import USAGE


class Parser(argparse.ArgumentParser):
    """As argparse's, but a mistake does not print the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Says what is wrong and ends the program."""
        print(f"{self.prog}: {message}; '{self.prog} --help' lists the options", file=sys.stderr)
        raise SystemExit(USAGE)

"""The lab's own lines on standard error, told from the program's by their first word."""

import sys
from contextlib import suppress

PROGRAM = "homenode lab"


def say(text: str) -> None:
    """One line; a stream that cannot take it is no error."""
    with suppress(OSError):
        print(f"{PROGRAM}: {text}", file=sys.stderr, flush=True)

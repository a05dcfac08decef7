"""What the lab writes: columns, lists of numbers, and its own lines on standard error."""

import sys
from collections.abc import Sequence
from contextlib import suppress

# Tells the lab's own lines from the program's.
PROGRAM = "homenode lab"


def table(rows: Sequence[Sequence[object]]) -> str:
    """Right-aligned columns, two spaces apart."""
    text = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*text, strict=True)]
    lines = (
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in text
    )
    return "\n".join(lines)


def cpu_list(cpus: Sequence[int]) -> str:
    """Numbers as ranges, 0-3,8; "none" for no number."""
    parts: list[list[int]] = []
    for cpu in sorted(cpus):
        if parts and cpu == parts[-1][-1] + 1:
            parts[-1][1:] = [cpu]
        else:
            parts.append([cpu])
    return ",".join("-".join(map(str, part)) for part in parts) or "none"


def say(text: str) -> None:
    """One line; a stream that cannot take it is no error."""
    with suppress(OSError):
        print(f"{PROGRAM}: {text}", file=sys.stderr, flush=True)

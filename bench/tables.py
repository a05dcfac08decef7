"""Tables as the documents have them, in Markdown."""

from collections.abc import Sequence


def head(headings: Sequence[str]) -> str:
    """The first two lines."""
    return row(headings) + "\n" + "|---" * len(headings) + "|"


def row(cells: Sequence[str]) -> str:
    """A line."""
    return "| " + " | ".join(cells) + " |"

"""The names that the page gives to patterns, methods and operations, in plain words."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """A name and one sentence that says what it means."""

    name: str
    meaning: str


PATTERNS: Mapping[str, Word] = {
    "shared": Word("shared", "Every thread uses the whole array."),
    "divided": Word("divided", "Each thread uses its own contiguous part of the array."),
    "interleaved": Word("interleaved", "Thread t of T uses elements t, t + T, t + 2T, …"),
    "partial": Word(
        "partially shared", "Each thread uses its own part and a share of its neighbours'."
    ),
    "multi-patterns": Word("multi-patterns", "Several patterns in one program."),
}

METHODS: Mapping[str, Word] = {
    "default": Word("default", "Nothing is done: the main thread fills the array before use."),
    "command-line": Word(
        "command line", "The program is started with its pages interleaved over all nodes."
    ),
    "api": Word("API", "The program asks the kernel, from inside, where each part should lie."),
    "rewrite": Word("rewrite", "The data are laid out anew, so that each thread's lie together."),
}

OPERATIONS: Mapping[str, str] = {
    "read": "reads",
    "write": "writes",
    "readwrite": "reads and writes",
}


def percent(share: float) -> str:
    """A share as a percentage with the digits that it deserves: 100 % and 0 % are exact."""
    value = 100 * share
    if share in (0.0, 1.0):
        return f"{value:.0f} %"
    if value > 99.95:
        return "> 99.9 %"
    if value < 0.05:
        return "< 0.1 %"
    return f"{value:.1f} %" if value < 99.95 else f"{value:.0f} %"


def number(value: float) -> str:
    """A whole number with thin spaces between thousands."""
    return f"{round(value):,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def size(byte_count: int) -> str:
    """A memory size in binary units."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if byte_count >= factor:
            return f"{byte_count / factor:.4g} {unit}"
    return f"{byte_count} B"

"""The names that the page gives to patterns, methods and operations, in plain words."""

from collections.abc import Mapping
from dataclasses import dataclass

TIME_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"


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
    "multi-patterns": Word(
        "multi-patterns", "Several patterns, one after the other, on one array."
    ),
    "2d-shared-rows": Word("2D shared by rows", "Every thread walks the whole matrix row by row."),
    "2d-shared-columns": Word(
        "2D shared by columns", "Every thread walks the whole matrix column by column."
    ),
    "2d-shared-random": Word(
        "2D shared at random", "Every thread walks the whole matrix at random."
    ),
    "2d-rows": Word("2D row bands", "Each thread uses its own band of whole rows."),
    "2d-columns": Word("2D column bands", "Each thread uses its own band of whole columns."),
    "2d-mesh": Word("2D mesh", "Each thread uses its own tile of the matrix."),
    "3d-shared-x": Word("3D shared along x", "Every thread walks the whole cube, fastest along x."),
    "3d-shared-y": Word("3D shared along y", "Every thread walks the whole cube, fastest along y."),
    "3d-shared-z": Word("3D shared along z", "Every thread walks the whole cube, fastest along z."),
    "3d-slabs-z": Word("3D slabs across z", "Each thread uses its own slab, contiguous in memory."),
    "3d-slabs-y": Word("3D slabs across y", "Each thread uses its own rows of every plane."),
    "3d-slabs-x": Word("3D slabs across x", "Each thread uses its own part of every row."),
    "3d-pencils-x": Word("3D pencils along x", "Each thread uses its own bundle of whole rows."),
    "3d-pencils-y": Word("3D pencils along y", "Each thread uses its own bar along y."),
    "3d-pencils-z": Word("3D pencils along z", "Each thread uses its own bar across all planes."),
    "3d-blocks": Word("3D blocks", "Each thread uses its own block of the cube."),
}

METHODS: Mapping[str, Word] = {
    "default": Word("default", "Nothing is done: the main thread fills the array before use."),
    "command-line": Word(
        "command line", "The program is started with its pages interleaved over all nodes."
    ),
    "api": Word("API", "The program asks the kernel, from inside, where each part should lie."),
    "rewrite": Word("rewrite", "The data are laid out anew, so that each thread's lie together."),
}

# How the headline says that a method was used.
USED: Mapping[str, str] = {
    "default": "With nothing done about placement",
    "command-line": "With its pages interleaved over all nodes from the command line",
    "api": "With each part placed from inside the program (API)",
    "rewrite": "With its data laid out anew (rewrite)",
}

OPERATIONS: Mapping[str, str] = {
    "read": "reads",
    "write": "writes",
    "readwrite": "reads and writes",
}


def percent(share: float) -> str:
    """A share as a percentage with one decimal; only what is exact is written as 0 or 100."""
    value = 100 * share
    if share in (0.0, 1.0):
        text = f"{value:.0f}"
    elif 99.95 < value < 100:
        text = "> 99.9"
    elif value < 0.05:
        text = "< 0.1"
    else:
        text = f"{value:.1f}"
    return f"{text} %".replace(" ", NARROW_SPACE)


def factor(value: float | None) -> str:
    """A difference of penalty factors with three decimals; what is not known is a dash."""
    return "–" if value is None else f"{abs(value) if abs(value) < 0.0005 else value:.3f}"


def duration(seconds: float) -> str:
    """A time with three significant digits, in the unit that suits it."""
    value = float(f"{seconds:.3g}")
    unit, factor = next((pair for pair in TIME_UNITS if value >= pair[1]), TIME_UNITS[-1])
    value /= factor
    return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f}{NARROW_SPACE}{unit}"


def ratio(value: float) -> str:
    """A ratio to 1 with two decimals, three below 0.1."""
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.3f}"


def number(value: float) -> str:
    """A whole number with thin spaces between thousands."""
    return f"{round(value):,}".replace(",", NARROW_SPACE)


def size(byte_count: int) -> str:
    """A memory size in binary units."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if byte_count >= factor:
            return f"{byte_count / factor:.4g} {unit}"
    return f"{byte_count} B"

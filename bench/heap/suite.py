"""The table of benchmarks. Our programs run at each number of threads; real ones as they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heap import real
from heap.launch import Usage
from heap.place import Place

REAL = "real programs"


@dataclass(frozen=True)
class Benchmark:
    """One line of the table of results."""

    name: str
    group: str
    run: Callable[[Place], Usage]


# Program, mode, fewest threads at which it says anything.
PROGRAMS = (
    ("churn", "", 1),
    ("random_sizes", "", 1),
    ("server", "", 1),
    ("pipeline", "pairs", 1),
    ("pipeline", "fan", 1),
    ("growth", "", 1),
    ("large", "", 1),
    ("aligned", "", 1),
    ("scaling", "cores", 1),
    ("scaling", "crowd", 1),
    ("sharing", "active", 2),
    ("sharing", "passive", 2),
    ("tree", "", 1),
    ("batch", "forward", 1),
    ("batch", "reverse", 1),
    ("batch", "random", 1),
    ("lifetimes", "", 1),
    ("bignum", "", 1),
)
REALS: tuple[tuple[str, Callable[[Place], Usage]], ...] = (
    ("compiler", real.compiler),
    ("python", real.python),
    ("sqlite", real.sqlite),
    ("lua", real.lua),
    ("xz", real.xz),
    ("redis", real.redis),
)


def program(name: str, mode: str, threads: int) -> Callable[[Place], Usage]:
    """One of our programs as a benchmark."""

    def run(place: Place) -> Usage:
        words = [str(place.programs / name), str(threads), str(place.percent)]
        return place.run([*words, *([mode] if mode else [])])[0]

    return run


def group_of(threads: int) -> str:
    """The heading under which a number of threads stands."""
    return f"{threads} thread{'s' if threads > 1 else ''}"


def benchmarks(threads: Sequence[int]) -> list[Benchmark]:
    """All of them, at these numbers of threads."""
    ours = [
        Benchmark("-".join(filter(None, (name, mode, str(count)))), group_of(count), run)
        for count in threads
        for name, mode, fewest in PROGRAMS
        if count >= fewest
        for run in (program(name, mode, count),)
    ]
    return ours + [Benchmark(name, REAL, run) for name, run in REALS]

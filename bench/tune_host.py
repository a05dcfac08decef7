"""Whether what tune answers on this host holds: each program is tuned, then the answer and the
program as it is run in ten more pairs, which tune has not seen.

Nothing is installed: a program that is not here is named and left out. Tunes that have run are
not run again (--results); pairs are.
"""

import json
import math
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tables import head, row

from homenode.study.command import find_command
from homenode.tune.candidate import Candidate
from homenode.tune.metric import Metric
from homenode.tune.running import HostRunner, Order
from homenode.tune.statistics import centre, gain

BUDGET = "60runs"
PAIRS = 10
# The second lowest and the second highest of ten pairs hold their median with 97.9 % probability.
FROM_END = 1
ALLOCATING = """
rows = [(number, str(number)) for number in range(300_000)]
for _ in range(3):
    table = {text: [number] for number, text in rows}
print(len(table))
"""
REDIS = ("redis-server", "--port", "16379", "--save", "", "--appendonly", "no")
LOAD = "redis-benchmark -p 16379 -q -n 100000 -P 16 -r 10000 -t set,get"


@dataclass(frozen=True)
class Program:
    """What is tuned. `load` is that of a server."""

    name: str
    words: tuple[str, ...]
    load: str | None = None


def programs(folder: Path) -> Iterator[Program]:
    """Those of this host. GNU sort gets its lines in `folder`."""
    yield Program("Python, small allocations", (sys.executable, "-I", "-c", ALLOCATING))
    yield Program("NPB CG", ("homenode", "bench", "npb", "cg", "--class", "W", "--threads", "2"))
    yield Program("NPB IS", ("homenode", "bench", "npb", "is", "--class", "A", "--threads", "2"))
    lines = folder / "lines"
    chance = random.Random(17)
    lines.write_text("".join(f"{chance.getrandbits(64):x}\n" for _ in range(400_000)))
    yield Program("GNU sort", ("sort", "--parallel=2", str(lines)))
    yield Program("Redis under load", REDIS, LOAD)


def tuned(program: Program, folder: Path) -> dict[str, Any]:
    """What tune answers, as JSON."""
    answer = folder / "answer.json"
    words = ["homenode", "tune", "--budget", BUDGET, "--results", str(folder)]
    words += [] if program.load is None else ["--load", program.load]
    subprocess.run(
        [*words, "--json", str(answer), "--", *program.words],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    found: dict[str, Any] = json.loads(answer.read_text())
    return found


def judged(answer: dict[str, Any]) -> dict[str, Any] | None:
    """The candidate whose gain the pairs look at: the winner, else the one that looked best."""
    ran = [one for one in answer["candidates"] if one["gain"] is not None]
    if answer["verdict"] == "better":
        return next(one for one in ran if one["options"] == answer["options"])
    return max(ran, key=lambda one: float(one["gain"]["estimate"]), default=None)


def pairs(program: Program, options: Sequence[str], folder: Path) -> list[float]:
    """Logarithms of gains in pairs of random order, sorted."""
    found = []
    order = Order(program.words, load=program.load)
    both = [Candidate("as it is", ()), Candidate("answer", tuple(options))]
    with HostRunner(order, find_command(), folder) as runner:
        for _ in range(PAIRS):
            value = {one.name: runner.run(one, None) for one in random.sample(both, 2)}
            before, after = value["as it is"].value, value["answer"].value
            if before is None or after is None:
                raise SystemExit(f"bench: {program.name}: {value}")
            found.append(Metric().log_gain(before, after))
    return sorted(found)


def confirmed(answer: dict[str, Any], low: float, middle: float, high: float) -> bool:
    """Whether ten pairs, whose median lies within these bounds, agree with the answer: a gain is
    one, and of the size that was claimed; where none was claimed, none that is worth having shows.
    """
    if answer["verdict"] != "better":
        return low <= math.log1p(max(float(answer["margin"]), float(answer["most"] or 0)))
    claimed = answer["gain"]
    most = math.inf if claimed["high"] is None else math.log1p(claimed["high"])
    return middle > 0 and high >= math.log1p(claimed["low"]) and low <= most


def host(results: Path) -> int:
    """A line for each program."""
    results.mkdir(parents=True, exist_ok=True)
    columns = ("program", "tune's answer", "gain", "runs", "in ten more pairs", "confirmed")
    print(head(columns), flush=True)
    for program in programs(results):
        if shutil.which(program.words[0]) is None:
            print(f"{program.name}: there is no {program.words[0]} here", file=sys.stderr)
            continue
        folder = results / program.name.replace(" ", "-").replace(",", "")
        answer = tuned(program, folder)
        of = judged(answer)
        if of is None:
            continue
        ratios = pairs(program, of["options"], folder)
        low, high = ratios[FROM_END], ratios[-1 - FROM_END]
        cells = [program.name, _said(answer, of), _interval(of["gain"]), str(answer["runs"])]
        middle = centre(np.array(ratios))
        cells.append(f"{_signed(middle)} ({_signed(low)} to {_signed(high)})")
        print(row([*cells, "yes" if confirmed(answer, low, middle, high) else "no"]), flush=True)
    return 0


def _said(answer: dict[str, Any], of: dict[str, Any]) -> str:
    found = "" if answer["verdict"] == "better" else f"{answer['verdict']}; best looked "
    return f"{found}{of['name']}"


def _interval(of: dict[str, Any]) -> str:
    low = "?" if of["low"] is None else f"{of['low']:+.1%}"
    high = "?" if of["high"] is None else f"{of['high']:+.1%}"
    return f"{of['estimate']:+.1%} ({low} to {high})"


def _signed(logarithm: float) -> str:
    return f"{gain(logarithm):+.1%}"

"""Which placement wins on which machine and program: a designed experiment in the lab, and the rule
that follows from it, judged on machines and programs that it was not made from. All modelled.

    ./dev bench decides                 runs what is missing, then prints the tables and the rule
    ./dev bench decides --csv FILE      every point with its times
    ./dev bench decides --svg FILE      who wins where
"""

import argparse
import csv
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tables
from deciding_picture import picture
from deciding_runs import DRAW_MIB, LOCAL_NS, PLACEMENTS, Point, runs
from sklearn.tree import DecisionTreeRegressor, export_text

from homenode.lab.machine import MIB

MADE_SEED, HELD_SEED = 1, 2
# What counts as about as good as the best.
CLOSE = 1.05
DEPTH = 3
LEAF = 8
SPREAD, OWN = PLACEMENTS.index("spread"), PLACEMENTS.index("own")
INSTRUCTION_NS = 0.25
MISSES = 10

Losses = npt.NDArray[np.float64]  # Time over that of the best placement; a row for each point.


def nodes_used(point: Point) -> int:
    """On how many nodes the threads are."""
    return math.ceil(point.program.threads / point.machine.cpus)


def asked(point: Point) -> float:
    """What a node's threads ask of memory, over what a node gives: from lines that are prefetched
    one after the other, or from as many independent misses as a core has."""
    program, machine = point.program, point.machine
    of_memory = 64 / (DRAW_MIB * MIB) * 1e9 if program.regular else LOCAL_NS / MISSES
    line_ns = max(of_memory, INSTRUCTION_NS * (12 + 4 * program.work))
    lines = 1.9 if program.writes else 1.0
    threads = min(machine.cpus, program.threads)
    mib = threads * lines * 64 / line_ns * 1e9 / MIB
    return mib / (machine.supply * machine.cpus * DRAW_MIB)


def asked_of_the_busiest(point: Point) -> float:
    """The same of the node that is asked most, where each part lies at its thread's node."""
    shared = point.program.shared / 100
    return asked(point) * (1 - shared + shared * (nodes_used(point) if point.program.hot else 1))


def asked_when_spread(point: Point) -> float:
    """The same where all nodes serve all threads."""
    return asked(point) * nodes_used(point) / point.machine.nodes


FEATURES: dict[str, Callable[[Point], float]] = {
    "NUMA factor": lambda point: point.machine.factor,
    "own: asked of the busiest node, over what it gives": asked_of_the_busiest,
    "spread: asked of a node, over what it gives": asked_when_spread,
    "remote over local bandwidth": lambda point: point.machine.interconnect,
    "nodes": lambda point: point.machine.nodes,
    "share of the nodes that have threads": lambda point: nodes_used(point) / point.machine.nodes,
    "percent used by all, anywhere": lambda point: 0 if point.program.hot else point.program.shared,
    "percent used by all, in one part": lambda point: (
        point.program.shared if point.program.hot else 0
    ),
    "regular": lambda point: point.program.regular,
    "writes": lambda point: point.program.writes,
}


def features(points: Sequence[Point]) -> npt.NDArray[np.float64]:
    """A row for each point."""
    return np.array([[float(of(point)) for of in FEATURES.values()] for point in points])


def losses(points: Sequence[Point]) -> Losses:
    """The time of each placement over that of the best."""
    times = np.array([point.times_us for point in points])
    return np.asarray(times / times.min(axis=1, keepdims=True))


def own_over_spread(points: Sequence[Point]) -> npt.NDArray[np.float64]:
    """The logarithm of their times' ratio: above 0 where spread is better."""
    return np.array([math.log(point.times_us[OWN] / point.times_us[SPREAD]) for point in points])


def fitted(points: Sequence[Point]) -> DecisionTreeRegressor:
    """A tree of few questions that chooses between own and spread: central wins nowhere else."""
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=LEAF, random_state=0)
    return tree.fit(features(points), own_over_spread(points))


def one_question(points: Sequence[Point]) -> float:
    """The rule that a person can remember: from how much on that the busiest node is asked for,
    over what it gives, pages are better spread."""
    asks = np.array([[asked_of_the_busiest(point)] for point in points])
    stump = DecisionTreeRegressor(max_depth=1, min_samples_leaf=LEAF, random_state=0)
    return float(stump.fit(asks, own_over_spread(points)).tree_.threshold[0])


def choice_of(predicted: float) -> int:
    """The placement that a prediction of the tree stands for."""
    return SPREAD if predicted > 0 else OWN


def papers_rule(point: Point) -> int:
    """That of Ribeiro et al.: near where access is regular and the NUMA factor is not small, else
    in turn over all nodes."""
    return OWN if point.program.regular and point.machine.factor >= 1.5 else SPREAD


def judged(name: str, chosen: Sequence[int], lost: Losses) -> str:
    """A row: how often a choice is close to the best, and what it loses."""
    own = lost[np.arange(len(lost)), chosen]
    return tables.row(
        [
            name,
            f"{100 * np.mean(own <= CLOSE):.0f} %",
            f"{100 * (np.mean(own) - 1):.1f} %",
            f"{100 * (np.max(own) - 1):.0f} %",
        ]
    )


def judgement(held: Sequence[Point], tree: DecisionTreeRegressor, limit: float) -> str:
    """Each placement by itself and each rule, on points that none of them was made from."""
    lost = losses(held)
    rows = [judged(f"always {name}", [i] * len(held), lost) for i, name in enumerate(PLACEMENTS)]
    rows.append(judged("the paper's rule", [papers_rule(point) for point in held], lost))
    chosen = [choice_of(predicted) for predicted in tree.predict(features(held))]
    rows.append(judged("the tree's rule", chosen, lost))
    chosen = [choice_of(asked_of_the_busiest(point) - limit) for point in held]
    rows.append(judged("one question", chosen, lost))
    headings = ("choice", "within 5 % of the best", "mean loss of time", "worst")
    return "\n".join([tables.head(headings), *rows])


def winners(points: Sequence[Point]) -> str:
    """How often each placement is the best by more than what counts as close, or close to it."""
    lost = losses(points)
    rows = []
    for i, name in enumerate(PLACEMENTS):
        others = np.delete(lost, i, axis=1).min(axis=1)
        alone = np.mean((lost[:, i] == 1) & (others > CLOSE))
        cells = (name, f"{100 * alone:.0f} %", f"{100 * np.mean(lost[:, i] <= CLOSE):.0f} %")
        rows.append(tables.row(cells))
    return "\n".join([tables.head(("placement", "best alone", "within 5 % of the best")), *rows])


def rule_text(tree: DecisionTreeRegressor) -> str:
    """The tree's questions, with the placement that it chooses at each end."""
    lines = []
    for line in export_text(tree, feature_names=list(FEATURES), decimals=2).splitlines():
        indent, found, value = line.partition("value: [")
        if found:
            predicted = float(value.rstrip("]"))
            ratio = math.exp(abs(predicted))
            line = f"{indent}{PLACEMENTS[choice_of(predicted)]}, {ratio:.2f} times as fast"
        lines.append(line)
    return "\n".join(lines)


def write_csv(file: Path, points: Sequence[Point]) -> None:
    """Every point, its features and its times."""
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([*FEATURES, *(f"{name}_us" for name in PLACEMENTS)])
        for point, row in zip(points, features(points), strict=True):
            writer.writerow([*(f"{value:.4g}" for value in row), *point.times_us])


def decides(arguments: Sequence[str] = ()) -> None:
    """Runs the experiment and prints what came out."""
    options = _options(arguments)
    made = list(runs(options.folder / "made.jsonl", options.machines, options.programs, MADE_SEED))
    held = list(runs(options.folder / "held.jsonl", options.held, options.programs, HELD_SEED))
    tree, limit = fitted(made), one_question(made)
    print(f"\nmade from {len(made)} points, judged on {len(held)} others\n")
    print(winners([*made, *held]))
    print()
    print(judgement(held, tree, limit))
    print(f"\none question: spread where own asks more than {limit:.1f} times what a node gives\n")
    print(rule_text(tree))
    if options.csv:
        write_csv(options.csv, [*made, *held])
    if options.svg:
        options.svg.write_text(picture([*made, *held]))


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench decides", description=__doc__)
    parser.add_argument("--machines", type=int, default=24, help="from which the rule is made")
    parser.add_argument("--held", type=int, default=12, help="machines on which it is judged")
    parser.add_argument("--programs", type=int, default=8, help="drawn for each machine")
    parser.add_argument("--csv", type=Path, help="write every point there")
    parser.add_argument("--svg", type=Path, help="draw who wins where")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/bench-decides"), help="keeps the runs"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """The benchmark by its own command line."""
    decides(arguments)
    return 0

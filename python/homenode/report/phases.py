"""What a case's pattern allows, and its verdict: phase by phase where it has several. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from homenode.matrix import AccessMatrix
from homenode.report import rule
from homenode.report.perfect import Shares, perfect_matrix
from homenode.study import counts as plugin_counts
from homenode.study.machine import Machine
from homenode.study.records import Record

GoalOf = Callable[[str], str]


def thread_nodes(record: Record) -> list[int]:
    """Each thread's node by rank, as the program itself reported."""
    threads = sorted(record["bench"]["threads"], key=lambda thread: int(thread["rank"]))
    return [int(thread["node"]) for thread in threads]


def best_shares(record: Record, nodes: Sequence[int], memory: Sequence[int]) -> Shares:
    """The perfect matrix of a whole case: the program's own, or that of its pattern's name.

    Records that are older than the program's own have patterns of one dimension alone.
    """
    if record["bench"].get("expected") is not None:
        return _shares(record["bench"], nodes)
    options = record["case"]["options"]
    return perfect_matrix(
        str(options["pattern"]),
        thread_nodes(record),
        nodes,
        memory,
        int(options.get("overlap", 0)),
    )


def judge(
    record: Record, matrix: AccessMatrix, best: Shares, machine: Machine, goal: GoalOf
) -> rule.Judgement:
    """The numbers are of the whole case; the verdict is that of its worst phase.

    `goal` gives the shape that a pattern's matrix can have at best.
    """
    memory_nodes = sum(node.memory_bytes > 0 for node in machine.nodes)
    options = record["case"]["options"]
    pattern, op = str(options["pattern"]), str(options.get("op", "read"))
    whole = rule.judge(goal(pattern), matrix.of(op), best, memory_nodes)
    phases = record["bench"].get("phases", [])
    if len(phases) < 2:
        return whole
    verdicts = [
        rule.judge(
            goal(str(phase["pattern"])), found.of(op), _shares(phase, matrix.nodes), memory_nodes
        ).verdict
        for phase, found in zip(phases, _matrices(record, phases, machine), strict=True)
    ]
    return replace(whole, verdict=rule.together(verdicts))


def _matrices(
    record: Record, phases: Sequence[Mapping[str, Any]], machine: Machine
) -> list[AccessMatrix]:
    """One for each phase: the lab's region of interest, or what the program computed."""
    if record["counts"] is None:
        return [AccessMatrix.from_json(phase["matrices"]) for phase in phases]
    return [plugin_counts.node_matrix([region], machine) for region in record["counts"]]


def _shares(part: Mapping[str, Any], nodes: Sequence[int]) -> Shares:
    """What a program or a phase of it expects, on these nodes in this order."""
    expected = part["expected"]
    place = {int(node): at for at, node in enumerate(expected["nodes"])}
    cells = expected["shares"]
    return [[float(cells[place[row]][place[column]]) for column in nodes] for row in nodes]

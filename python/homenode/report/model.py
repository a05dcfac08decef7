"""From records to what the page shows: cases with their judgements, rows of the grid, the tables.

Pure. Every number of the page is computed here, from records alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from homenode.matrix import AccessMatrix, Rows, local_share, total
from homenode.report import paper, penalty, phases, rule
from homenode.report.perfect import Shares
from homenode.report.words import Words
from homenode.study import counts as plugin_counts
from homenode.study.case import Case
from homenode.study.errors import StudyError
from homenode.study.machine import Machine
from homenode.study.records import Record, is_complete, run_key
from homenode.study.times import RunTime


@dataclass(frozen=True)
class CaseView:
    """One case: the matrix of its first complete repetition, judged, and the times of all.

    `repetitions` counts the complete ones; `times` leaves out those without time.
    """

    record: Record
    case: Case
    machine: Machine
    matrix: AccessMatrix
    best: Shares
    judgement: rule.Judgement
    repetitions: int
    times: tuple[RunTime, ...]
    words: Words

    @property
    def pattern(self) -> str:
        """The access pattern."""
        return str(self.case.option("pattern"))

    @property
    def op(self) -> str:
        """read, write or readwrite."""
        return str(self.case.option("op", "read"))

    @property
    def method(self) -> str:
        """How the memory was placed."""
        return str(self.case.option("method", "default"))

    @property
    def pattern_name(self) -> str:
        """The access pattern as people call it."""
        return self.words.pattern(self.pattern).name

    @property
    def op_name(self) -> str:
        """What is done, in the plural: reads."""
        return self.words.operation(self.op)

    @property
    def method_name(self) -> str:
        """The method as people call it."""
        return self.words.method(self.method).name

    @property
    def rows(self) -> Rows:
        """The counts that speak for the case: loads when it reads, stores when it writes."""
        return self.matrix.of(self.op)

    @property
    def accesses(self) -> int:
        """All accesses of the case."""
        return int(total(self.rows))

    @cached_property
    def kernel_accesses(self) -> int | None:
        """Accesses by the kernel on the program's behalf; None where they are not counted."""
        if self.record["counts"] is None:
            return None
        matrix = plugin_counts.node_matrix(self.record["counts"], self.machine, "kernel")
        return int(total(matrix.of("readwrite")))

    @property
    def leakage(self) -> float | None:
        """How much farther than necessary an access travels, in local distances, on average."""
        return penalty.leakage(self.rows, self.best, self.machine)

    @property
    def hottest_node(self) -> int:
        """The node that received most."""
        return self.matrix.nodes[self.judgement.hottest_column]


@dataclass(frozen=True)
class Failure:
    """A case whose last record is an error."""

    label: str
    error: str
    command: str


@dataclass(frozen=True)
class GridRow:
    """One row of the grid: a pattern under one operation, its cases by method."""

    label: str
    op: str
    pattern: str
    goal: str
    cases: Mapping[str, CaseView]
    best: Shares


@dataclass(frozen=True)
class AbilityCell:
    """One cell of the ability table: what was measured, what the paper says, and how they agree.

    `label` names the row: the pattern, and the array's shape where a pattern has several.
    """

    pattern: str
    label: str
    method: str
    cases: tuple[CaseView, ...]
    verdict: rule.Verdict | None
    mark: paper.Mark | None

    @property
    def agreement(self) -> str:
        """agrees, differs, or why there is nothing to compare."""
        if self.verdict is None:
            return "not measured here"
        if self.mark is None or self.mark.healed is None:
            return "not in the paper's table"
        same = self.mark.healed == (self.verdict is rule.Verdict.HEALED)
        return ("agrees" if same else "differs") + ("" if self.mark.printed else " with the prose")


@dataclass(frozen=True)
class MachineView:
    """All cases on one machine."""

    machine: Machine
    words: Words
    memory_nodes: tuple[int, ...]
    methods: tuple[str, ...]
    cases: tuple[CaseView, ...]
    rows: tuple[GridRow, ...]
    abilities: tuple[tuple[AbilityCell, ...], ...]
    failures: tuple[Failure, ...]

    @property
    def differing(self) -> list[AbilityCell]:
        """The cells in which the paper and the measurement disagree."""
        return [c for line in self.abilities for c in line if c.agreement.startswith("differs")]

    @property
    def agreeing(self) -> list[AbilityCell]:
        """The cells in which they agree."""
        return [c for line in self.abilities for c in line if c.agreement.startswith("agrees")]


def latest(records: Iterable[Record]) -> list[Record]:
    """One record per run of a case: its last complete one, else its last one; in order."""
    chosen: dict[tuple[str, int], Record] = {}
    for record in records:
        key = run_key(record)
        if key not in chosen or is_complete(record) or not is_complete(chosen[key]):
            chosen[key] = record
    return list(chosen.values())


def view_case(runs: Sequence[Record], words: Words) -> CaseView:
    """Judges a case by its complete records. Raises StudyError when one does not hold together.

    pre: runs is not empty.
    """
    record = runs[0]
    try:
        found = [RunTime.from_json(run.get("time")) for run in runs]
        case = Case.from_json(record["case"])
        machine = Machine.from_json(record["machine"])
        matrix = AccessMatrix.from_json(record["matrix"])
        memory = memory_nodes(machine)
        best = phases.best_shares(record, matrix.nodes, memory)
        judgement = phases.judge(record, matrix, best, machine, words.goal)
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        raise StudyError(
            f"the record of case {record['case'].get('id')} is inconsistent ({error!r}); run "
            "its study again with --fresh"
        ) from error
    times = tuple(time for time in found if time is not None)
    return CaseView(record, case, machine, matrix, best, judgement, len(runs), times, words)


def memory_nodes(machine: Machine) -> list[int]:
    """The nodes that have memory."""
    return [node.id for node in machine.nodes if node.memory_bytes > 0]


def build(records: Iterable[Record], words: Words | None = None) -> list[MachineView]:
    """The page's contents, machine by machine. Raises StudyError when there is nothing to show."""
    found = latest(records)
    words = words or Words.of_cases(Case.from_json(record["case"]) for record in found)
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in found:
        machine = record["machine"]
        groups.setdefault((str(machine["name"]), str(machine["digest"])), []).append(record)
    views = [_build_machine(group, words) for group in groups.values()]
    if not any(view.cases for view in views):
        raise StudyError(no_complete_case(found))
    return [view for view in views if view.cases]


def no_complete_case(records: Sequence[Record]) -> str:
    """What to say of records of which none can be shown, with what their first one ended in."""
    errors = [str(record["error"]) for record in records if record["error"]]
    why = f" (the first of {len(errors)} that failed: {errors[0]})" if errors else ""
    return (
        f"the records contain no complete case{why}; run the study first: homenode study FILE.toml"
    )


def _build_machine(records: Sequence[Record], words: Words) -> MachineView:
    runs: dict[str, list[Record]] = {}
    for record in filter(is_complete, records):
        runs.setdefault(str(record["case"]["id"]), []).append(record)
    cases = tuple(view_case(members, words) for members in runs.values())
    machine = Machine.from_json(records[0]["machine"])
    methods = tuple(m for m in words.methods if any(case.method == m for case in cases))
    failures = tuple(
        Failure(_label(r), str(r["error"]), " ".join(r["command"]))
        for r in records
        if not is_complete(r)
    )
    return MachineView(
        machine,
        words,
        tuple(memory_nodes(machine)),
        methods,
        cases,
        _grid(cases),
        _abilities(cases, words),
        failures,
    )


def _label(record: Record) -> str:
    case = Case.from_json(record["case"])
    words = [str(case.option(name)) for name in ("pattern", "order", "op", "method")]
    run = int(record.get("repetition", 1))
    return " · ".join([*words, f"run {run}"] if run > 1 else words)


def _grid(cases: Sequence[CaseView]) -> tuple[GridRow, ...]:
    """Groups the cases by everything but the method; a label has what varies within a pattern."""
    seen: dict[str, dict[str, set[Any]]] = {}
    for case in cases:
        for name, value in case.case.options:
            seen.setdefault(case.pattern, {}).setdefault(name, set()).add(value)
    rows: dict[str, list[CaseView]] = {}
    for case in cases:
        words = [case.pattern_name]
        for name, values in seen[case.pattern].items():
            if name in ("pattern", "op", "method") or len(values) == 1:
                continue
            value = case.case.option(name)
            words.append(f"{value} order" if name == "order" else f"{name} {value}")
        rows.setdefault(f"{', '.join(words)}|{case.op}", []).append(case)
    return tuple(
        GridRow(
            key.split("|")[0],
            members[0].op_name,
            members[0].pattern,
            members[0].words.goal(members[0].pattern),
            {case.method: case for case in members},
            members[0].best,
        )
        for key, members in rows.items()
    )


def _abilities(cases: Sequence[CaseView], words: Words) -> tuple[tuple[AbilityCell, ...], ...]:
    """Table 1 by the rule: the paper's rows first, then patterns that its table does not have."""
    used = dict.fromkeys(case.pattern for case in cases)
    known = dict.fromkeys([*words.patterns, *paper.TABLE, *used])
    patterns = [p for p in known if p in paper.TABLE or p in used]
    patterns.sort(key=lambda p: p not in paper.TABLE)
    lines = []
    for pattern in patterns:
        same = [c for c in cases if c.pattern == pattern]
        lines += _ability_lines(pattern, same, words)
    return tuple(lines)


def _ability_lines(
    pattern: str, cases: Sequence[CaseView], words: Words
) -> list[tuple[AbilityCell, ...]]:
    """A line for each shape of the array that the pattern was run on."""
    by_shape: dict[str, list[CaseView]] = {}
    for case in cases:
        by_shape.setdefault(str(case.case.option("shape")), []).append(case)
    by_shape = by_shape or {"": []}
    name = words.pattern(pattern).name
    return [
        tuple(
            _ability(pattern, f"{name}, {shape}" if len(by_shape) > 1 else name, method, members)
            for method in words.methods
        )
        for shape, members in by_shape.items()
    ]


def _ability(pattern: str, label: str, method: str, cases: Sequence[CaseView]) -> AbilityCell:
    members = tuple(c for c in cases if c.method == method)
    verdict = rule.together([c.judgement.verdict for c in members]) if members else None
    mark = paper.TABLE.get(pattern, {}).get(method)
    return AbilityCell(pattern, label, method, members, verdict, mark)


def read_write_gap(view: MachineView) -> tuple[int, float] | None:
    """How many read/write pairs there are and their largest difference in local share."""
    pairs: dict[tuple[Any, ...], dict[str, float]] = {}
    for case in view.cases:
        key = tuple((n, v) for n, v in case.case.options if n != "op")
        pairs.setdefault(key, {})[case.op] = local_share(case.rows)
    gaps = [abs(p["read"] - p["write"]) for p in pairs.values() if {"read", "write"} <= p.keys()]
    return (len(gaps), max(gaps)) if gaps else None

"""What a person may not expect of a study's runs or of the records that it finds. Pure."""

from collections.abc import Iterator, Sequence

from homenode.study.case import Case
from homenode.study.machine import LAB, Machine
from homenode.study.program import THREADS
from homenode.study.records import Record
from homenode.study.spec import Study

AGAIN = "--fresh measures everything again"


def crowded(cases: Sequence[Case], machine: Machine) -> Iterator[str]:
    """Says which cases have more threads than the machine has CPUs."""
    cpus = sum(len(node.cpus) for node in machine.nodes)
    asked = (case.option(THREADS, 0) for case in cases)
    threads = [count for count in asked if isinstance(count, int) and count > cpus]
    if threads:
        yield (
            f"{len(threads)} of the cases on {machine.name} have up to {max(threads)} threads, "
            f"which take turns on its {cpus} CPUs"
        )


def kept(records: Sequence[Record], study: Study, machine: Machine, version: str) -> Iterator[str]:
    """Says what is old or lacking in the machine's records that need no second run; `version` is
    that of the command that runs the others."""
    untimed = [record for record in records if record.get("time") is None and record["matrix"]]
    if untimed and study.time is not False and machine.kind == LAB:
        yield f"{len(untimed)} kept records have no modelled time; {AGAIN}"
    older = [record for record in records if record["versions"]["homenode"] != version]
    if older:
        yield (
            f"{len(older)} kept records come from another version of homenode than this one "
            f"({version}); {AGAIN}"
        )


def left_over(records: Sequence[Record], cases: Sequence[Case]) -> Iterator[str]:
    """Says how many records of the cases' machines are of no case: the study was another one when
    they were made."""
    machines, known = {case.machine for case in cases}, {case.id for case in cases}
    others = [
        record
        for record in records
        if record["case"]["machine"] in machines and record["case"]["id"] not in known
    ]
    if others:
        yield (
            f"{len(others)} records are of cases that the study does not have any more; pages show "
            "them too; --fresh sets all records aside, --out names another folder"
        )

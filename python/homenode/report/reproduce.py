"""The commands that make records, and their page, again."""

import shlex
from collections.abc import Sequence

from homenode.claims.points import machine_name, scale_of
from homenode.study.machine import HOST
from homenode.study.records import Record


def commands(records: Sequence[Record], paths: Sequence[str]) -> list[str]:
    """One for each study, and each number by which it divided its machines, then the report's;
    `paths` are the folders or files that the records were read from. Records go where they were if
    that is one folder, else to the study's own."""
    machines: dict[tuple[str, int], list[str]] = {}
    for record in records:
        name = str(record["machine"]["name"])
        option = HOST if record["machine"]["kind"] == HOST else machine_name(name)
        of_study = machines.setdefault((str(record["study_file"]), scale_of(name)), [])
        if option not in of_study:
            of_study.append(option)
    one_folder = len(paths) == 1 and not paths[0].endswith(".jsonl")
    found: list[str] = []
    for (study, scale), names in machines.items():
        words = [f"homenode study {study}"]  # With --quick, where that was given.
        words += [f"--machine {shlex.quote(name)}" for name in names]
        words += [f"--scale {scale}"] if scale > 1 else []
        # Where the command before has put its records, they stay.
        words += [] if one_folder and found else ["--fresh"]
        words += [f"--out {shlex.quote(paths[0])}"] if one_folder else []
        found.append(" ".join(words))
    return [*found, f"homenode report {shlex.join(paths)} -o report.html"]

"""A case: one workload with all its options on one machine. Pure; its id names it across runs."""

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from homenode.study import program

Option = str | int | float
ID_LENGTH = 12


@dataclass(frozen=True)
class Case:
    """Everything that defines a run. `machine_digest` tells two machines of one name apart."""

    workload: str
    machine: str
    machine_digest: str
    options: tuple[tuple[str, Option], ...]

    @property
    def id(self) -> str:
        """Hash of everything that defines the case; the order of its options does not matter."""
        canonical = json.dumps(
            [self.workload, self.machine, self.machine_digest, sorted(self.options)],
            separators=(",", ":"),
        )
        return hashlib.sha256(canonical.encode()).hexdigest()[:ID_LENGTH]

    def option(self, name: str, default: Option = "") -> Option:
        """The value of an option, or `default` when the case leaves it to the workload."""
        return dict(self.options).get(name, default)

    def command(self, homenode: str) -> list[str]:
        """The words that run this case; `homenode` is where that command is."""
        if self.workload == program.NAME:
            return [homenode, *program.arguments(dict(self.options))]
        words = [homenode, "bench", self.workload]
        for name, value in self.options:
            if name == program.RUN:
                words = [homenode, "run", *shlex.split(str(value)), "--", *words]
            elif isinstance(value, bool):
                words.append(f"--{name}={str(value).lower()}")
            else:
                words += [f"--{name}", str(value)]
        return [*words, "--json"]

    def label(self, varying: tuple[str, ...]) -> str:
        """A short name for people: the values of the options that vary in the study; numbers with
        the option's name, without which they say nothing."""
        values = dict(self.options)
        return " · ".join(
            f"{name} {values[name]}" if isinstance(values[name], int | float) else str(values[name])
            for name in varying
            if name in values
        )

    def to_json(self) -> dict[str, Any]:
        """The case as it stands in a record."""
        return {
            "id": self.id,
            "workload": self.workload,
            "machine": self.machine,
            "machine_digest": self.machine_digest,
            "options": dict(self.options),
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Case":
        """The case of a record; raises KeyError or TypeError when the record is not one."""
        return Case(
            workload=str(value["workload"]),
            machine=str(value["machine"]),
            machine_digest=str(value["machine_digest"]),
            options=tuple(dict(value["options"]).items()),
        )

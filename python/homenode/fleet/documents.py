"""Reads a folder of what `measure --json` and `topology --json` printed on each computer."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from homenode.errors import UserError

MEASURE = "homenode.measure/"
MACHINE = "homenode.machine/"
KINDS = (".measure", ".topology")
GIB = 1 << 30
# What JSON of another shape ends in.
ODD = (LookupError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True, order=True)
class Key:
    """What a number is of, the same on each computer. `to` and `of` are NUMA nodes, or nothing."""

    name: str
    unit: str
    of: int | None = None
    to: int | None = None

    def __str__(self) -> str:
        where = "" if self.of is None else f" {self.of}"
        return self.name + where + ("" if self.to is None else f" → {self.to}")


@dataclass
class Computer:
    """One computer: its numbers, and what its firmware and kernel made of it, in words."""

    name: str
    numbers: dict[Key, float] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)


def read_folder(folder: Path) -> list[Computer]:
    """The computers, by name: that of a file NAME.measure.json or NAME.topology.json.

    Raises UserError for a folder without such files, or a file that is neither.
    """
    computers: dict[str, Computer] = {}
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    for file in files:
        name = file.stem
        for kind in KINDS:
            name = name.removesuffix(kind)
        _read(file, computers.setdefault(name, Computer(name)))
    if not computers:
        raise UserError(
            f"there is no file NAME.measure.json or NAME.topology.json in {folder}; 'homenode "
            "measure --json' and 'homenode topology --json' on each computer print what they hold"
        )
    return [computers[name] for name in sorted(computers)]


def _read(file: Path, computer: Computer) -> None:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        schema = document["schema"]
        if schema.startswith(MEASURE):
            computer.numbers.update(_measured(document))
        elif schema.startswith(MACHINE):
            computer.numbers.update(_memory(document))
            computer.settings.update(_settings(document))
        else:
            raise ValueError(f"schema {schema}")
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}; leave it out") from error
    except ODD as error:
        raise UserError(
            f"{file} is no output of measure --json or topology --json ({error}); remove it"
        ) from error


def _measured(document: Mapping[str, Any]) -> Iterator[tuple[Key, float]]:
    for name, matrix in document["matrices"].items():
        if matrix is None or name == "numa_factor":  # It follows from latencies.
            continue
        kernel, unit = (
            (name.removesuffix("_ns"), "ns")
            if name.endswith("_ns")
            else (name.removesuffix("_mib_per_s") + " bandwidth", "MiB/s")
        )
        for of, row in zip(matrix["from"], matrix["values"], strict=True):
            for to, value in zip(matrix["to"], row, strict=True):
                if value is not None:
                    yield Key(kernel.replace("_", " "), unit, of, to), float(value)


def _memory(document: Mapping[str, Any]) -> Iterator[tuple[Key, float]]:
    for node in document["nodes"]:
        yield Key("memory of node", "GiB", node["id"]), node["memory_bytes"] / GIB


def _settings(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What sub-NUMA clustering, SMT, interleaving and disabled cores change."""
    nodes = document["nodes"]
    yield "nodes", str(len(nodes))
    yield "packages", str(len(document["packages"]))
    yield "CPUs of each node", " ".join(str(len(node["cpus"])) for node in nodes)
    yield "offline CPUs", str(len(document["offline_cpus"]))
    sizes = {(cache["level"], cache["size_bytes"]) for cache in document["caches"]}
    known = sorted((level, size) for level, size in sizes if size is not None)
    yield "caches", ", ".join(f"L{level} {size >> 10} KiB" for level, size in known)
    distances = document["distances"]
    rows = distances["values"] if distances else []
    yield "distances", "; ".join(" ".join(map(str, row)) for row in rows) or "none"

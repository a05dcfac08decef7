"""How `lab list` and `lab show` describe machines: as text, and as JSON. Pure."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from homenode.lab.machine import Machine
from homenode.lab.machine_closing import find_gaps
from homenode.lab.machine_model import FIGURES, Model, Pair, resolve
from homenode.lab.numbering import numbered
from homenode.lab.render import machine_summary
from homenode.lab.text import cpu_list, table
from homenode.sizes import size_text

COLUMNS = 100
MACHINE_SCHEMA = "homenode.lab.machine/1"
MACHINES_SCHEMA = "homenode.lab.machines/1"


def list_json(machines: Sequence[Machine]) -> dict[str, Any]:
    """What `lab list --json` prints."""
    return {"schema": MACHINES_SCHEMA, "machines": [summary(machine) for machine in machines]}


def show_json(machine: Machine) -> dict[str, Any]:
    """What `lab show --json` prints."""
    return {"schema": MACHINE_SCHEMA, **summary(machine)}


def list_text(machines: Sequence[Machine]) -> str:
    """A line for each machine, in columns."""
    head = ("machine", "nodes × CPUs", "NUMA factor", "what it is")
    rows = [head, *((m.name, size_words(m), factor_words(m), m.description) for m in machines)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    )


def size_words(machine: Machine) -> str:
    """8 × 4, or 2 × 4 + 1 with nodes that have no CPUs; 3 × 2-4 where nodes differ."""
    counts = sorted(len(node.cpus) for node in machine.nodes if node.cpus)
    each = str(counts[0]) if counts[0] == counts[-1] else f"{counts[0]}-{counts[-1]}"
    without = len(machine.nodes) - len(counts)
    return f"{len(counts)} × {each}" + (f" + {without}" if without else "")


def factor_words(machine: Machine) -> str:
    """The least and the most that a remote access takes longer."""
    factors = resolve(machine).numa_factors().values()
    if not factors:
        return "none"
    least, most = f"{min(factors):.3g}", f"{max(factors):.3g}"
    return least if least == most else f"{least} to {most}"


def show_text(machine: Machine) -> str:
    """Everything that the lab goes by, with what it is assumed from."""
    model = resolve(machine)
    memory = size_text(sum(node.memory_bytes for node in machine.nodes))
    title = f"{machine.name}: {machine.description}" if machine.description else machine.name
    parts = [
        title,
        f"{len(machine.nodes)} nodes, {len(machine.cpus)} CPUs, {memory}; NUMA factor "
        f"{factor_words(machine)}",
        _node_table(machine),
        "\n".join([*_cache_lines(machine), *_core_lines(machine, model)]),
        *_matrices(machine, model),
        "\n".join(_closing_lines(machine, model)),
        "\n".join(
            fill(line, COLUMNS, subsequent_indent="  ") for line in _sources_said(machine, model)
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def summary(machine: Machine) -> dict[str, Any]:
    """The machine as it stands in the JSON of `lab list` and `lab show`."""
    model = resolve(machine)
    gaps = find_gaps(machine, model)
    factors = list(model.numa_factors().values())
    return machine_summary(machine) | {
        "numa_factor": {"least": min(factors), "most": max(factors)} if factors else None,
        "caches": [
            {
                "level": cache.level,
                "bytes": cache.shape.size,
                "ways": cache.shape.ways or None,
                "line_bytes": cache.shape.line,
                "cpus": list(cache.cpus),
            }
            for cache in machine.caches
        ],
        "figures": model.figures,
        "matrices": [
            {
                "kind": kind,
                "unit": "ns" if kind == "latency" else "MiB/s",
                "provenance": provenance,
                "from": list(machine.cpu_nodes),
                "to": list(machine.memory_nodes),
                "values": [[values[a, b] for b in machine.memory_nodes] for a in machine.cpu_nodes],
            }
            for kind, provenance, values in _kinds(machine, model)
        ],
        "links": [{"nodes": list(pair), "mib_per_s": mib} for pair, mib in model.links.items()],
        "assumed": list(model.assumed),
        "closes": not gaps,
        "gaps": gaps,
        "sources": dict(_sources(machine)),
    }


def _node_table(machine: Machine) -> str:
    rows: list[Sequence[object]] = [("node", "memory", "CPUs")]
    for node in machine.nodes:
        memory = size_text(node.memory_bytes) if node.memory_bytes else "none"
        rows.append((node.id, memory, cpu_list(node.cpus)))
    lab = f"In the lab each node with memory has {machine.lab_node_memory_mib} MiB of it."
    notes = [f"In the lab {note}." for note in numbered(machine).notes]
    return "\n".join([table(rows), lab, *notes])


def _cache_lines(machine: Machine) -> list[str]:
    lines: list[str] = []
    for cache in sorted(machine.caches, key=lambda cache: cache.level):
        ways = f"{cache.shape.ways}-way" if cache.shape.ways else "ways unknown"
        shared = "per CPU" if len(cache.cpus) == 1 else f"for {len(cache.cpus)} CPUs"
        line = f"L{cache.level}  {size_text(cache.shape.size)}, {ways}, {shared}"
        if line not in lines:
            lines.append(line)
    return lines


def _core_lines(machine: Machine, model: Model) -> list[str]:
    return [
        f"{name}  {model.figures[name]:g} {figure.unit}"
        + ("" if name in machine.info else " (assumed)")
        for name, figure in FIGURES.items()
    ]


def _kinds(machine: Machine, model: Model) -> list[tuple[str, str, Mapping[Pair, float]]]:
    def provenance(*names: str) -> str:
        found = (machine.pair_values[name] for name in names if name in machine.pair_values)
        return next((table.provenance for table in found), "assumed")

    bandwidths = ("Bandwidth", "ReadBandwidth", "WriteBandwidth")
    return [
        ("latency", provenance("ReadLatency", "Latency", "WriteLatency"), model.latency_ns),
        ("read_bandwidth", provenance("ReadBandwidth", *bandwidths), model.read_mib),
        ("write_bandwidth", provenance("WriteBandwidth", *bandwidths), model.write_mib),
    ]


def _matrices(machine: Machine, model: Model) -> list[str]:
    parts = []
    if machine.distances:
        rows = [[n, *row] for n, row in zip(machine.node_ids, machine.distances, strict=True)]
        parts.append("distances\n" + table([["node", *machine.node_ids], *rows]))
    for kind, provenance, values in _kinds(machine, model):
        unit = "ns" if kind == "latency" else "MiB/s"
        body = [
            [a, *(f"{values[a, b]:.0f}" for b in machine.memory_nodes)] for a in machine.cpu_nodes
        ]
        title = (
            f"{kind.replace('_', ' ')} in {unit} ({provenance}; row: the node that asks, "
            "column: where the memory is)"
        )
        parts.append(f"{title}\n" + table([["node", *machine.memory_nodes], *body]))
    if model.links:
        links = ", ".join(f"{a}-{b} {mib}" for (a, b), mib in sorted(model.links.items()))
        parts.append(f"shared links in MiB/s each way\n{links}")
    return parts


def _closing_lines(machine: Machine, model: Model) -> list[str]:
    gaps = find_gaps(machine, model)
    if not gaps:
        return ["closes: the cores can request every bandwidth that is declared"]
    return ["does not close, so that a measurement in the lab finds less:", *gaps]


def _sources(machine: Machine) -> list[tuple[str, str]]:
    """What a source is for ("" for the machine as a whole), and its text."""
    return [
        (name.removeprefix("Source").removeprefix("."), text)
        for name, text in machine.info.items()
        if name == "Source" or name.startswith("Source.")
    ]


def _sources_said(machine: Machine, model: Model) -> list[str]:
    lines = [f"source of {what or 'the machine'}: {text}" for what, text in _sources(machine)]
    if model.assumed:
        lines.append(f"assumed, because the file does not say: {'; '.join(model.assumed)}")
    return lines

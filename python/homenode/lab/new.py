"""A machine of the catalogue from the hwloc XML of a real one. Pure: text in, text out.

What the lab cannot use is dropped (devices, names of hosts, serial numbers), matrices are kept with
their provenance, and what they leave open is filled in and said to be assumed.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from homenode.errors import USAGE
from homenode.lab.errors import LabError
from homenode.lab.machine import Machine, PairValues
from homenode.lab.machine_check import QEMU_MAX_NODES, find_problem
from homenode.lab.machine_closing import find_gaps, lines_to_close
from homenode.lab.machine_file import bad_machine, parse_machine, parse_topology
from homenode.lab.machine_model import (
    FIGURES,
    Pair,
    assumed_bandwidth_mib,
    assumed_latency_ns,
    resolve,
)
from homenode.lab.machine_xml import (
    ATTRIBUTES,
    INFO_PREFIX,
    MAX_ID,
    PROVENANCE,
    parse_bitmap,
    read_machine,
    whole_number,
)

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
DROPPED_OBJECTS = ("Bridge", "PCIDev", "OSDev", "Misc")
KEPT_INFOS = ("CPUModel", "CPUVendor", "DAXDevice")
MASKS = ("nodeset", "complete_nodeset", "allowed_nodeset")
KEPT_PARTS = ("object", "distances2", "memattr")
FLAGS = {"Latency": "6", "Bandwidth": "5"}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


@dataclass(frozen=True)
class NewMachine:
    """The text of the machine file, the machine that it is, and what a person should know of it."""

    text: str
    machine: Machine
    notes: tuple[str, ...]


def new_machine(text: str, source: str, name: str | None = None) -> NewMachine:
    """The machine file made of hwloc's XML. `source` names it in messages. Raises LabError."""
    root, top = parse_topology(text, source)
    for part in [part for part in root if part.tag not in KEPT_PARTS]:
        if part.tag == "cpukind":
            _take_frequency(part, top)
        root.remove(part)
    name = _name(top, source, name)
    _drop(top)
    try:
        renumbered = renumber_nodes(root, top)
        machine = read_machine(root, top, name)
        # Matrices are looked at when they are complete.
        problem = find_problem(replace(machine, pair_values={}))
    except KeyError as error:
        raise bad_machine(source, f"an attribute is missing ({error})") from error
    except ValueError as error:
        raise bad_machine(source, str(error)) from error
    if problem:
        raise bad_machine(source, problem)
    notes = _renumbered_words(renumbered)
    notes += _fill(root, top, machine)
    _describe(top, machine, name)
    parsed = parse_machine(_write(root), source)
    notes += _close(top, parsed)
    result = _write(root)
    machine = parse_machine(result, source)
    return NewMachine(result, machine, (*notes, *find_gaps(machine, resolve(machine))))


def _renumbered_words(new: dict[int, int]) -> tuple[str, ...]:
    changed = ", ".join(f"{old} is {number}" for old, number in new.items() if old != number)
    return (f"QEMU cannot have nodes from {QEMU_MAX_NODES}, so of the nodes {changed}",)[: len(new)]


def _info(top: ET.Element, name: str) -> str | None:
    for item in top.findall("info"):
        if item.get("name") == name:
            return item.get("value", "")
    return None


def _set_info(top: ET.Element, name: str, value: str) -> None:
    for item in top.findall("info"):
        if item.get("name") == INFO_PREFIX + name:
            item.set("value", value)
            return
    # hwloc wants infos before the objects below.
    place = sum(1 for item in top if item.tag == "info")
    top.insert(place, ET.Element("info", {"name": INFO_PREFIX + name, "value": value}))


def _name(top: ET.Element, source: str, wanted: str | None) -> str:
    if wanted is None:
        found = _info(top, INFO_PREFIX + "Name") or _info(top, "DMIProductName") or source
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", found).strip("-._").lower()[:63]
    else:
        name = wanted
    if not NAME.fullmatch(name):
        raise LabError(
            f"'{name}' cannot be a machine's name; give a name of letters, digits, '.', '_' and "
            "'-' with --name",
            USAGE,
        )
    return name


def _take_frequency(kind: ET.Element, top: ET.Element) -> None:
    """What the operating system says of the CPUs' clock."""
    for name in ("FrequencyBaseMHz", "FrequencyMaxMHz"):
        value = _info(kind, name) or ""
        if value.isdecimal() and _info(top, INFO_PREFIX + "CoreFrequencyMHz") is None:
            _set_info(top, "CoreFrequencyMHz", value)
            _set_info(top, "Source.Core", f"captured: {name} of the operating system")


def _drop(element: ET.Element) -> None:
    for child in list(element):
        name = child.get("name", "")
        dropped = child.get("type") in DROPPED_OBJECTS or child.tag == "userdata"
        secret = child.tag == "info" and not (name in KEPT_INFOS or name.startswith(INFO_PREFIX))
        if dropped or secret:
            element.remove(child)
        else:
            _drop(child)


def _fill(root: ET.Element, top: ET.Element, machine: Machine) -> tuple[str, ...]:
    """Replaces the matrices by complete ones; says what had to be assumed."""
    for part in root.findall("memattr"):
        root.remove(part)
    notes = []
    for what in ("Latency", "Bandwidth"):
        kinds = [name for name in ATTRIBUTES if name.endswith(what) and name in machine.pair_values]
        for kind in kinds or [what]:
            known = machine.pair_values.get(kind, PairValues("declared", {}))
            values = _complete(machine, what, known.values)
            _write_matrix(root, top, machine, kind, values)
            _set_info(top, PROVENANCE + kind, known.provenance)
            missing = len(machine.pairs) - len(known.values)
            if missing:
                rule = "local × distance / 10" if what == "Latency" else "local × 10 / distance"
                base = "" if known.values else ", local " + _base_words(what)
                which = f"{missing} of {len(machine.pairs)}" if known.values else "all"
                said = f"assumed for {which} pairs of nodes: {rule}{base}"
                _set_info(top, f"Source.{kind}", said)
                notes.append(f"{kind} is {said}; measure it with 'homenode measure'")
    return tuple(notes)


def _base_words(what: str) -> str:
    return "100 ns" if what == "Latency" else "10000 MiB/s"


def _complete(machine: Machine, what: str, known: Mapping[Pair, int]) -> dict[Pair, int]:
    rule = assumed_latency_ns if what == "Latency" else assumed_bandwidth_mib
    local = [value for (a, b), value in known.items() if a == b]
    mean = sum(local) / len(local) if local else None
    values = {}
    for pair in machine.pairs:
        base = known.get((pair[0], pair[0]), mean)
        factor = 1.0 if base is None else base / rule(machine, (pair[0], pair[0]))
        values[pair] = known.get(pair, max(1, round(rule(machine, pair) * factor)))
    return values


def _write_matrix(
    root: ET.Element, top: ET.Element, machine: Machine, kind: str, values: Mapping[Pair, int]
) -> None:
    flags = next(flags for suffix, flags in FLAGS.items() if kind.endswith(suffix))
    part = ET.SubElement(root, "memattr", {"name": kind, "flags": flags})
    targets = {
        int(item.get("os_index", "0")): item.get("gp_index", "")
        for item in top.iter("object")
        if item.get("type") == "NUMANode"
    }
    cpus = {node.id: mask(node.cpus) for node in machine.nodes}
    for (a, b), value in sorted(values.items(), key=lambda item: item[0][::-1]):
        place = {"target_obj_type": "NUMANode", "target_obj_gp_index": targets[b]}
        ET.SubElement(
            part, "memattr_value", {**place, "value": str(value), "initiator_cpuset": cpus[a]}
        )


def _describe(top: ET.Element, machine: Machine, name: str) -> None:
    _set_info(top, "Name", name)
    if not machine.description:
        models = sorted(
            {item.get("value", "") for item in top.iter("info") if item.get("name") == "CPUModel"}
        )
        what = f" of {' and '.join(models)}" if models else ""
        text = f"{len(machine.nodes)} nodes, {len(machine.cpus)} CPUs{what}"
        _set_info(top, "Description", text)
    if "Source" not in machine.info:
        _set_info(top, "Source", "captured: from a real machine, by homenode lab new")


def _close(top: ET.Element, machine: Machine) -> tuple[str, ...]:
    """As many lines in flight as it takes for the cores to ask for what is there."""
    model = resolve(machine)
    needed = lines_to_close(machine, model)
    limit = FIGURES["PrefetchedLines"].most
    if needed <= model.figures["PrefetchedLines"] or needed > limit:
        return ()
    said = f"derived: the fewest with which the cores can request every bandwidth, {needed}"
    _set_info(top, "PrefetchedLines", str(needed))
    _set_info(top, "Source.PrefetchedLines", said)
    return (f"PrefetchedLines is {said}",)


def _write(root: ET.Element) -> str:
    ET.indent(root)
    # hwloc's own reader takes no blank before the end of an empty tag.
    return HEAD + ET.tostring(root, encoding="unicode").replace('" />', '"/>') + "\n"


def mask(members: Iterable[int]) -> str:
    """hwloc's bitmap notation of some numbers: 32-bit words, the highest first, by commas."""
    bits = sum(1 << member for member in members)
    words: list[str] = []
    while bits or not words:
        words.append(f"0x{bits & 0xFFFFFFFF:08x}")
        bits >>= 32
    return ",".join(reversed(words))


def renumber_nodes(root: ET.Element, top: ET.Element) -> dict[int, int]:
    """Numbers all nodes from 0 in their order if one is too high; {} where nothing was to do.

    Some machines count their memory-only nodes down from 255; QEMU stops at 127.
    Raises KeyError and ValueError as machine_xml does.
    """
    nodes = [item for item in top.iter("object") if item.get("type") == "NUMANode"]
    ids = {whole_number(n.attrib["os_index"], "the os_index of a NUMANode", MAX_ID) for n in nodes}
    if not ids or max(ids) < QEMU_MAX_NODES:
        return {}
    new = {old: number for number, old in enumerate(sorted(ids))}
    for node in nodes:
        node.set("os_index", str(new[int(node.attrib["os_index"])]))
    _renumber_masks(top, new)
    _renumber_distances(root, new)
    return new


def _renumber_masks(top: ET.Element, new: Mapping[int, int]) -> None:
    for item in top.iter("object"):  # The top one among them.
        for name in MASKS:
            if name in item.attrib:
                members = parse_bitmap(item.attrib[name])
                item.set(name, mask(new[member] for member in members if member in new))


def _renumber_distances(root: ET.Element, new: Mapping[int, int]) -> None:
    for indexes in root.findall("distances2[@type='NUMANode']/indexes"):
        words = (indexes.text or "").split()
        old = [whole_number(word, "a number of <indexes>", MAX_ID) for word in words]
        text = "".join(f"{new.get(number, number)} " for number in old)
        indexes.text = text
        indexes.set("length", str(len(text)))

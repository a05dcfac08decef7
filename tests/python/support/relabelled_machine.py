"""A captured machine with other numbers of nodes and CPUs, as hwloc's XML."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

from homenode.lab.machine_xml import parse_bitmap
from homenode.lab.new import mask

MACHINES = Path(__file__).resolve().parents[2] / "machines"
CPU_SETS = ("cpuset", "complete_cpuset", "allowed_cpuset")


def relabelled(name: str, nodes: Mapping[int, int], cpus: Mapping[int, int]) -> str:
    """Numbers that a map lacks stay. A node without CPUs of its own loses those of its place."""
    root = ET.parse(MACHINES / f"{name}.xml").getroot()
    owners: set[str] = set()
    for element in root.iter("object"):
        kind, number = element.get("type"), int(element.get("os_index", -1))
        for key in CPU_SETS:
            members = parse_bitmap(element.get(key, "0x0"))
            if key in element.attrib:
                element.set(key, mask(cpus.get(cpu, cpu) for cpu in members))
        if kind == "NUMANode":
            element.set("os_index", str(nodes.get(number, number)))
            if element.attrib["cpuset"] in owners:
                element.set("cpuset", "0x0")
            owners.add(element.attrib["cpuset"])
        elif kind == "PU":
            element.set("os_index", str(cpus.get(number, number)))
        for key in [key for key in element.attrib if key.endswith("nodeset")]:
            del element.attrib[key]
    for indexes in root.iter("indexes"):
        numbers = map(int, (indexes.text or "").split())
        indexes.text = " ".join(str(nodes.get(number, number)) for number in numbers)
    return ET.tostring(root, encoding="unicode")

"""Gives the nodes of a machine's XML numbers that QEMU can have, where they are too high. Pure.

Some machines count their memory-only nodes down from 255; QEMU stops at 127.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable

from homenode.lab.machine_check import QEMU_MAX_NODES
from homenode.lab.machine_xml import parse_bitmap, whole_number

MASKS = ("nodeset", "complete_nodeset", "allowed_nodeset")
MAX_ID = 1 << 16


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

    Raises KeyError and ValueError as machine_xml does.
    """
    nodes = [item for item in top.iter("object") if item.get("type") == "NUMANode"]
    ids = {whole_number(n.attrib["os_index"], "the os_index of a NUMANode", MAX_ID) for n in nodes}
    if not ids or max(ids) < QEMU_MAX_NODES:
        return {}
    new = {old: number for number, old in enumerate(sorted(ids))}
    for node in nodes:
        node.set("os_index", str(new[int(node.attrib["os_index"])]))
    for item in top.iter("object"):  # The top one among them.
        for name in MASKS:
            if name in item.attrib:
                members = parse_bitmap(item.attrib[name])
                item.set(name, mask(new[member] for member in members if member in new))
    for indexes in root.findall("distances2[@type='NUMANode']/indexes"):
        words = (indexes.text or "").split()
        old = [whole_number(word, "a number of <indexes>", MAX_ID) for word in words]
        text = "".join(f"{new.get(number, number)} " for number in old)
        indexes.text = text
        indexes.set("length", str(len(text)))
    return new

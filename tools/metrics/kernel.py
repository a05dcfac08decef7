"""Which rooms of src include headers of the kernel or of its system calls."""

import re
from collections.abc import Mapping

from metrics.tree import NATIVE, Measure, Tree

HEADER = re.compile(
    r"^\s*#\s*include\s+<((?:linux|asm)/[\w/.-]+|sys/(?!cdefs|types)[\w.-]+"
    r"|(?:sched|fcntl|unistd|poll|dirent|spawn|numa\w*)\.h)>",
    re.MULTILINE,
)
HOME = "os"  # The room whose purpose these headers are.


def kernel_headers(tree: Tree) -> dict[str, dict[str, list[str]]]:
    """For every room but os: header -> the files that include it."""
    rooms: dict[str, dict[str, list[str]]] = {}
    for file in tree.under(("src",), NATIVE):
        room = file.split("/")[1]
        for header in HEADER.findall(tree.text(file)):
            if room != HOME:
                rooms.setdefault(room, {}).setdefault(header, []).append(file)
    return rooms


def measure_kernel(tree: Tree, allowed: Mapping[str, list[str]]) -> list[Measure]:
    """All such includes outside os, and those of headers that their room is not allowed."""
    every, foreign = [], []
    for room, headers in kernel_headers(tree).items():
        for header, files in headers.items():
            places = [f"{file} includes <{header}>" for file in files]
            every += places
            if header not in allowed.get(room, []):
                foreign += places
    return [
        Measure("kernel_includes_outside_os", len(every), every),
        Measure("kernel_headers_not_allowed", len(foreign), foreign),
    ]
